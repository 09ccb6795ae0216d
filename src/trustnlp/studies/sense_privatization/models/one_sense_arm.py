"""Senses with as few candidates as words: what of the stretch is due to the number of candidates.

Arnold, Yesilbas and Weinzierl (2023), §4.1, name the congestion of the space. Beside `sense` of
`trustnlp.studies.sense_privatization.models.mechanism_arms` this control looks up the same sense vectors, but only one
sense a word can be hit: for a queried word the one that is looked up, for any other a random one. `decoys` adds
candidates far from what is looked up; here those beside it are taken away.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import ArrayLike

from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.studies.sense_privatization.models.mechanism_arms import Arm


def one_sense_a_word(inventory: SenseInventory, looked_up: ArrayLike, rng: np.random.Generator) -> Arm:
    """An arm with one candidate for each word, in the order of the words.

    Parameters
    ----------
    looked_up
        `(n,)` senses that the contexts of different words chose.

    Raises
    ------
    ValueError
        Two of them are senses of one word.
    """
    senses = np.asarray(looked_up, dtype=np.int64)
    owners = inventory.owner[senses]
    if len(np.unique(owners)) < len(owners):
        raise ValueError("two of the senses looked up belong to one word: query each word once")
    chosen = inventory.starts[:-1] + rng.integers(0, np.diff(inventory.starts))
    chosen[owners] = senses
    return Arm(torch.tensor(inventory.matrix[chosen]), torch.arange(len(chosen)))
