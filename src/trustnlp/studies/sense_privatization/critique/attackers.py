"""Attacks on a hidden word from its neighbours (`attack`), and on one substitute (`protection_curve`).

Arnold, Yesilbas and Weinzierl (2023), §3, choose the sense of a word by the words around it, so the release of a word's
neighbours depends on the word (`guarantee`). `attack` sees these neighbours, knows the rest of the text and that two
words are equally likely, and guesses the likelier one. Under the word mechanism the neighbours' look-ups do not depend
on the hidden word, and any attacker is right half of the time. What he finds does
not grow with ε: both senses of a neighbour have the same word, which with little noise is released beside either.

§4.2 compares at equal N_w. `protection_curve` compares where an attacker does equally well: he sees the substitute of
one word, knows the mechanism, ε and how frequent the words are, and guesses the likeliest word. The best is right with
probability Σₒ max_w p(w) P(o | w); most entries of P are so small that hardly any is seen twice, so this one starts
from distances and corrects them by what he has seen: a lower bound of the best one. Utility is the mean cosine of
substitute and original in vectors from elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization.critique.guarantee import rows_around
from trustnlp.studies.sense_privatization.critique.substitutes import Rows, repeated
from trustnlp.studies.sense_privatization.deniability import Draw
from trustnlp.studies.sense_privatization.models import Arm

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
        If given another arm, fewer than two draws, or not one other word for each query.
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


# What the attacker chooses among: so many draws is worth what distances tell, which decays by such a share of ε.
BACKINGS = (1.0, 10.0, 100.0, float("inf"))


DECAYS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)


_WEIGHTS_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class Protection:
    """Of one mechanism, over ε; every attribute `(E,)`.

    Attributes
    ----------
    epsilons
        Ascending.
    success
        Of an attacker who counts in a third of the draws, chooses how to guess by another third and is tried on the
        last, averaged over the three ways round: in expectation at most that of the best attacker.
    error
        Standard error of `success` by the chance of the attacked draws.
    cosine
        Mean cosine of substitute and original, over draws where both are in the other vectors.
    judged
        Share of the draws where they are.
    kept
        Share of the draws that return the original.
    """

    epsilons: Floats
    success: Floats
    error: Floats
    cosine: Floats
    judged: Floats
    kept: Floats


def units_of(words: Sequence[str], independent: WordVectors) -> NDArray[np.float32]:
    """`(V, d)` the vectors of these words in an independent space, of length one; NaN for words that it lacks."""
    known = [row for row, word in enumerate(words) if word in independent]
    units = np.full((len(words), independent.dim), np.nan, dtype=np.float32)
    if known:
        units[known] = independent.restrict([words[row] for row in known]).unit
    return units


def protection_curve(
    arm: Arm,
    rows: ArrayLike,
    owners: ArrayLike,
    prior: ArrayLike,
    epsilons: Sequence[float],
    draws: int,
    *,
    units: NDArray[np.float32],
    generator: torch.Generator | None = None,
) -> Protection:
    """Attacker's success and utility of a mechanism over ε, on a set of words.

    Parameters
    ----------
    arm
        The mechanism, one of `arms_of`.
    rows
        `(n,)` rows of its table that are looked up: one a word, or one for each sense of a word.
    owners
        `(n,)` row in the vocabulary of the word that each belongs to. The attacker guesses the word, not the sense.
    prior
        `(n,)` probability of each row: the word's share, times that of the sense in the word. Sums to 1.
    draws
        For each row and ε, at least 3.
    units
        `(V, d)` from `units_of`.

    Raises
    ------
    ValueError
        If the shapes differ, the prior is no distribution, ε does not ascend from above 0, or fewer than three draws.
    """
    looked_up, words = (np.asarray(given, dtype=np.int64) for given in (rows, owners))
    shares, grid = np.asarray(prior, dtype=np.float64), np.asarray(epsilons, dtype=np.float64)
    if looked_up.ndim != 1 or not len(looked_up) == len(words) == len(shares) > 0 or draws < 3:
        raise ValueError(
            f"needs one owner and prior for each row and three draws, got {looked_up.shape}, {words.shape}, "
            f"{shares.shape} and {draws}"
        )
    if not (shares >= 0).all() or not np.isclose(shares.sum(), 1) or (np.diff(grid) <= 0).any() or not (grid > 0).all():
        raise ValueError(f"the prior sums to 1 and ε ascends above 0, got {shares.sum():g} and {list(epsilons)}")
    found = []
    for epsilon in grid:
        drawn = repeated(arm.at(float(epsilon), generator), looked_up, draws)
        guessed = _guesses(drawn, arm, looked_up, words, shares, float(epsilon))
        right = (guessed == words[:, None]).mean(axis=1)
        error = np.sqrt(np.sum(shares**2 * right * (1 - right) / draws))
        kept = shares @ (drawn == words[:, None]).mean(axis=1)
        found.append((shares @ right, error, *_utility_of(drawn, words, shares, units), kept))
    return Protection(grid, *np.array(found).T)


def at_equal_success(one: Protection, other: Protection, success: ArrayLike) -> tuple[Floats, Floats]:
    """`(k,)` utility (`cosine`) of each of two mechanisms where `success` `(k,)` is the attacker's.

    Linear between neighbouring points in the order of success, utilities of equal success averaged; NaN beyond the
    success that occurred.
    """
    wanted = np.atleast_1d(np.asarray(success, dtype=np.float64))
    return _utility(one, wanted), _utility(other, wanted)


def _utility(curve: Protection, wanted: Floats) -> Floats:
    success, number = np.unique(curve.success, return_inverse=True)
    means = np.bincount(number, weights=curve.cosine) / np.bincount(number)
    return np.interp(wanted, success, means, left=np.nan, right=np.nan)


def _utility_of(drawn: Rows, owners: Rows, prior: Floats, units: NDArray[np.float32]) -> tuple[float, float]:
    cosines = np.stack([units[some] @ units[word] for some, word in zip(drawn, owners, strict=True)])
    judged = np.isfinite(cosines)
    weight = prior[:, None] * judged / drawn.shape[1]
    if not weight.any():
        return float("nan"), 0.0
    return float(np.sum(weight * np.where(judged, cosines, 0)) / weight.sum()), float(weight.sum())


def _guesses(drawn: Rows, arm: Arm, rows: Rows, owners: Rows, prior: Floats, epsilon: float) -> Rows:
    """`(n, draws)` the word guessed for each substitute, by an attacker who has not seen that draw.

    Distances give a word w the share q(w | o) ∝ Σ p(r) exp(−λ‖o − vᵣ‖) over its rows r, where o is the mean of the
    substitute's candidates. The guess is the largest q(w | o) + n(o, w) / κ, of equals the lowest row, where n counts
    a third of the draws, weighted by their prior (on average 1). κ is one of `BACKINGS`, λ / ε one of `DECAYS`, the
    first of those that guess best in the next third. The last third is what is guessed.
    """
    meant, of = np.unique(owners, return_inverse=True)
    belongs = torch.from_numpy(of)
    substitutes, number = np.unique(drawn, return_inverse=True)
    number = number.reshape(drawn.shape)
    thirds = [slice(side, None, 3) for side in range(3)]
    centres, table = _centres(arm)[substitutes], arm.table[torch.tensor(rows)].double()
    log_prior, rules = torch.tensor(prior).log(), len(BACKINGS) * len(DECAYS)
    guesses = np.empty((3, rules, len(substitutes)), dtype=np.int64)
    gained = np.zeros((3, rules))
    # Draws in the order of their substitutes, so that a block of substitutes has its draws together.
    seen = [_by_substitute(number[:, part], of, prior) for part in thirds]
    at_once = max(1, _WEIGHTS_AT_ONCE // len(rows))
    for start in range(0, len(substitutes), at_once):
        block = slice(start, start + at_once)
        distances = torch.cdist(centres[block], table)
        counts = [_block(*each, start, len(distances), len(meant)) for each in seen]
        for place, decay in enumerate(DECAYS):
            weights = torch.softmax(log_prior - decay * epsilon * distances, dim=1)
            shares = weights.new_zeros(len(weights), len(meant)).index_add_(1, belongs, weights).numpy()
            for (turn, backing), side in product(enumerate(BACKINGS), range(3)):
                rule = place * len(BACKINGS) + turn
                guess = (shares + counts[side] / backing).argmax(axis=1)
                guesses[side, rule, block] = guess
                gained[side, rule] += counts[(side + 1) % 3][np.arange(len(guess)), guess].sum()
    guessed = np.empty_like(drawn)
    for side in range(3):
        last = thirds[(side + 2) % 3]
        guessed[:, last] = meant[guesses[side, gained[side].argmax()][number[:, last]]]
    return guessed


def _centres(arm: Arm) -> Tensor:
    """`(V, d)` for each word the mean of its candidates."""
    size = int(arm.owner.max()) + 1
    sums = torch.zeros(size, arm.table.shape[1], dtype=torch.float64).index_add_(0, arm.owner, arm.table.double())
    return sums / torch.bincount(arm.owner, minlength=size).clamp(min=1)[:, None]


def _by_substitute(number: Rows, of: Rows, prior: Floats) -> tuple[Rows, Rows, Floats]:
    """Substitute, word and weight of each draw, by rising substitute."""
    order = np.argsort(number, axis=None, kind="stable")
    row = order // number.shape[1]
    return number.ravel()[order], of[row], prior[row] * len(prior)


def _block(substitute: Rows, word: Rows, weight: Floats, start: int, height: int, width: int) -> Floats:
    """`(height, width)` weight of the draws of each substitute from `start` on and each word."""
    first, last = np.searchsorted(substitute, [start, start + height])
    keys = (substitute[first:last] - start) * width + word[first:last]
    counted = np.zeros(height * width)
    np.add.at(counted, keys, weight[first:last])
    return counted.reshape(height, width)
