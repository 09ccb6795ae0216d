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

`NearestSense.moved_loss` computes the bound. Each of the 2 w neighbours adds at most the largest distance of two senses
of its word, and nothing where its sense stays. The window is taken to count positions of the text: if words without
vectors were left out before counting, a change between a known and an unknown word would move the window, too.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.privacy.text.word_substitution import NearestWord, check_rows

_ROWS_AT_ONCE = 4096


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

    def moved_loss(self, before_rows: ArrayLike, after_rows: ArrayLike) -> float:
        """Largest loss (nats) between two texts, by the rows of their senses: ε · Σ ‖s − s′‖ over their positions.

        Parameters
        ----------
        before_rows, after_rows
            `(n,)` whole numbers each, of the whole texts or of the 2 w + 1 positions that a changed word can reach; −1
            for a word without a vector. Such a word is released by no noise, so a position that is one in only one of
            the texts gives an infinite loss.

        Raises
        ------
        ValueError
            If there are two texts of different length, or rows that no sense has.
        """
        before, after = self._rows_of(before_rows), self._rows_of(after_rows)
        if len(before) != len(after):
            raise ValueError(f"two texts of one length are compared, got {len(before)} and {len(after)} positions")
        if bool(((before < 0) != (after < 0)).any()):
            return math.inf
        moved = np.flatnonzero(before != after)
        total = 0.0
        for start in range(0, len(moved), _ROWS_AT_ONCE):
            some = moved[start : start + _ROWS_AT_ONCE]
            steps = self.inventory.matrix[before[some]].astype(np.float64) - self.inventory.matrix[after[some]]
            total += float(np.linalg.norm(steps, axis=1).sum())
        return self.guarantee.loss_bound(total)

    def _rows_of(self, rows: ArrayLike) -> NDArray[np.int64]:
        values = np.asarray(rows)
        if values.ndim != 1 or (values.size and not np.issubdtype(values.dtype, np.integer)):
            raise ValueError(f"rows of senses are whole numbers (n,), got {values.dtype} of shape {values.shape}")
        if values.size and not -1 <= values.min() <= values.max() < self.size:
            raise ValueError(f"{self.size} senses have rows from 0, and -1 stands for none; got {values.tolist()[:20]}")
        return values.astype(np.int64)
