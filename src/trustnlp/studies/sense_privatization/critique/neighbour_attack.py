"""From the released neighbours alone: which of two words stood at a hidden place?

Arnold, Yesilbas and Weinzierl (2023), §3, choose the sense of a word by the words around it. So the release of a word's
neighbours depends on the word (`trustnlp.studies.sense_privatization.critique.moved_senses`). Here the word's own
release is withheld, the attacker knows the rest of the text and that two words are equally likely, and guesses the
likelier one.

Under the word mechanism the neighbours' look-ups do not depend on the hidden word, so both are equally likely given
what is seen, and any attacker is right half of the time. The same code gives that.

The bound (`most_right`) grows with ε, what this attacker finds does not: he sees words, both senses of a neighbour have
the same word, and with little noise that word is what is released beside either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization.critique.moved_senses import rows_around
from trustnlp.studies.sense_privatization.critique.repeated_draws import Rows, repeated
from trustnlp.studies.sense_privatization.deniability.deniability_curves import Draw

Floats = NDArray[np.float64]
ARMS = ("word", "sense")
# Added to each count: so much of a draw that was not made.
SMOOTHING = 0.5


@dataclass(frozen=True, eq=False)
class Guesses:
    """Of `n` hidden words.

    Attributes
    ----------
    right
        `(n,)` share of right guesses over attacked releases, half of them of either word. One half is chance.
    flips
        `(n,)` how many neighbours are looked up differently beside the one word and beside the other.
    attacked
        Releases for each of the two words.
    """

    right: Floats
    flips: Rows
    attacked: int

    @property
    def flipping(self) -> Floats:
        """The shares of those pairs that change the look-up of a neighbour."""
        return self.right[self.flips > 0]


def attack(
    queries: Sequence[Occurrence],
    others: Sequence[str],
    draw: Draw,
    draws: int,
    inventory: SenseInventory,
    vectors: WordVectors,
    *,
    arm: str = "sense",
    window: int = 5,
) -> Guesses:
    """Guess, for each query, between its word and the other one.

    Half of the draws, of each sense that a flipping neighbour may have, estimate how likely each substitute is: counts
    plus `SMOOTHING`. All senses are drawn equally often and smoothed over the same substitutes, so the divisors cancel
    and a substitute never seen tells nothing. The other half are releases to attack, drawn anew for each neighbour. The
    logarithms of the likelihood ratios are added over the neighbours; at zero the guess is a coin (one half right). As
    likelihoods are estimated, the best attacker is right at least as often in expectation.

    Parameters
    ----------
    queries, others
        Each word at its place, and the word that may have stood there instead.
    draw
        The mechanism at some ε, such as `arms["sense"].at(epsilon, generator)`.
    draws
        At least 2.
    arm
        What is looked up: senses (`sense`), or words whatever is around them (`word`).

    Raises
    ------
    ValueError
        Another arm, fewer than two draws, or not one other word for each query.
    """
    if arm not in ARMS or draws < 2 or len(queries) != len(others):
        raise ValueError(
            f"needs an arm of {ARMS}, two draws or more and one other word for each query, got {arm!r}, {draws} and "
            f"{len(others)} for {len(queries)}"
        )
    before, after = (
        rows_around(queries, given, inventory, vectors, window=window, senses=arm == "sense")
        for given in (None, others)
    )
    before[:, window] = after[:, window] = -1
    which, place = np.nonzero(before != after)
    pair = np.stack([before[which, place], after[which, place]])
    attacked = draws - draws // 2
    right = np.full(len(queries), 0.5)
    if len(which):
        senses, number = np.unique(pair, return_inverse=True)
        counts = _Counts(repeated(draw, senses, draws // 2))
        one, other = number.reshape(pair.shape)
        right = np.zeros(len(queries))
        for truth, sign in zip(pair, (1, -1), strict=True):
            seen = repeated(draw, truth, attacked)
            evidence = np.zeros((len(queries), attacked))
            np.add.at(evidence, which, counts.log(one, seen) - counts.log(other, seen))
            right += np.where(evidence == 0, 0.5, sign * evidence > 0).mean(axis=1) / 2
    return Guesses(right, np.bincount(which, minlength=len(queries)), attacked)


def most_right(epsilon: float, moved: ArrayLike) -> Floats:
    """The share that no attacker exceeds if the vectors of the neighbours move by `moved` in all (`Moves.neighbours`).

    Both logarithmic ratios of likelihoods are at most L = ε · `moved`, and the best guess between equally likely words
    is then right with probability at most 1 / (1 + exp(−L)).
    """
    return 1 / (1 + np.exp(-epsilon * np.asarray(moved, dtype=np.float64)))


class _Counts:
    """How often each sense, by its number, became which word."""

    def __init__(self, found: Rows) -> None:
        self._width = int(found.max()) + 1
        keys = np.arange(len(found))[:, None] * self._width + found
        self._keys, self._times = np.unique(keys, return_counts=True)

    def log(self, senses: Rows, found: Rows) -> Floats:
        """`(f, draws)` logarithm of the smoothed counts of `found` `(f, draws)` for senses `(f,)`."""
        keys = senses[:, None] * self._width + found
        at = np.searchsorted(self._keys, keys).clip(max=len(self._keys) - 1)
        # A substitute beyond the width was never seen; its key could be that of another sense.
        known = (self._keys[at] == keys) & (found < self._width)
        return np.log(np.where(known, self._times[at], 0) + SMOOTHING)
