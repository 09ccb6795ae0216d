"""The sense mechanism: noise on the vector of a word's sense, then the nearest sense, whose word is released.

Arnold, Yesilbas and Weinzierl (2023), §3: the sense of a word is chosen by its context, its vector is perturbed as
Feyisetan et al. (2020) perturb that of the word, the nearest sense vector is searched, and the sense identifier is cut
off. This module is the random part; `trustnlp.embeddings.senses.disambiguation` chooses senses.

**What is private.** For a given row of a sense the mechanism is (ε, 0) per unit of Euclidean distance. Which row is
given depends on the neighbours of the word, so that is no guarantee of ε d for a changed word of a text. Let the sense
of position i depend on the words at most w positions away, and let the word at position j change. Then the senses of
positions j − w, …, j + w may change from sᵢ to s′ᵢ, and no others. Given the senses, positions are drawn independently,
so log-ratios of probabilities add up: for every released text

    |ln P[text | before] − ln P[text | after]| ≤ ε · Σ over i = j − w, …, j + w of ‖sᵢ − s′ᵢ‖.

`TextGuarantee.loss_bound` of these distances is the bound. Each of the 2 w neighbours adds at most the largest distance
of two senses of its word, and nothing where its sense stays. The window is taken to count positions of the text: if
words without vectors were left out before counting, a change between a known and an unknown word would move the window,
too.
"""

from __future__ import annotations

import torch
from torch import Tensor

from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.privacy.text.word_substitution import NearestWord, check_rows


class NearestSense(NearestWord):
    """`NearestWord` over the senses of an inventory: (ε, 0) per unit of distance *for the row of the sense given*.

    The sense of a word depends on its neighbours; see the head of this module for what a changed word may reveal.

    Parameters
    ----------
    inventory
        Its matrix `(S, d)` is copied to the CPU.
    epsilon
        Per unit of Euclidean distance of the sense vectors.

    Raises
    ------
    ValueError
        If `NearestWord` would raise it.
    """

    def __init__(self, inventory: SenseInventory, epsilon: float) -> None:
        super().__init__(torch.tensor(inventory.matrix), epsilon)
        self.inventory = inventory
        self.owner = torch.tensor(inventory.owner)

    def words_of(self, sense_rows: Tensor) -> Tensor:
        """`(n,)` rows of the words of senses `(n,)`: the sense identifier cut off. Errors as when called."""
        return self.owner[check_rows(sense_rows, self.size)]
