"""Senses made by hand, and mechanisms whose transition probabilities are given, for tests of the sense mechanism."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import ArrayLike

from trustnlp.embeddings.senses.sense_inventory import SenseInventory, hash_of
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization.deniability import Draw

# Two directions; `bank` and `bat` have a sense in either, `by` has the one of its vector.
TWO_WAYS = {
    "river": [[1, 0]],
    "money": [[0, 1]],
    "bank": [[1, 0], [0, 1]],
    "bat": [[3, 0], [0, 3]],
    "by": [[2, 2]],
}


def two_ways() -> tuple[SenseInventory, WordVectors]:
    """The words of `TWO_WAYS`, each with the mean of its senses as its vector."""
    vectors = WordVectors(list(TWO_WAYS), [np.mean(senses, axis=0) for senses in TWO_WAYS.values()], "two ways")
    return inventory_of(vectors, list(TWO_WAYS.values())), vectors


def inventory_of(vectors: WordVectors, senses: list[ArrayLike]) -> SenseInventory:
    """Senses of equal priors, given for each word."""
    owner = np.repeat(np.arange(len(senses)), [len(own) for own in senses])
    matrix = np.concatenate([np.asarray(own, dtype=np.float32) for own in senses])
    return SenseInventory(vectors.words, owner, matrix, 1 / np.bincount(owner)[owner], 0, hash_of(vectors))


def by_table(transitions: ArrayLike, seed: int = 0) -> Draw:
    """A mechanism that returns column o for row r with the probability at `[r, o]`."""
    table = torch.as_tensor(np.asarray(transitions), dtype=torch.float64)
    generator = torch.Generator().manual_seed(seed)
    return lambda rows: torch.multinomial(table[rows], 1, generator=generator)[:, 0]
