"""The search for an event that tells two inputs apart: scores of a release, and a threshold for one of them.

Nothing here needs to be right for an audit to be valid, only good for it to be tight: what is found is counted on
releases that the search has not seen. Which scores, and why: see `trustnlp.privacy.audits.auditing`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trustnlp.evaluation.intervals import wilson_interval

Floats64 = NDArray[np.float64]

_THRESHOLDS, _GAPS = 200, 10
# The best of many events owes much to luck where counts are small. Intervals this many times less likely to miss, about
# the number of events that differ, prefer those that will hold; without it, bounds of a Laplace mechanism are 3 to 15 %
# lower.
_STRICTER = 50
_RIDGE = 1e-10
# Of the magnitudes `(n, m)` of differences.
_NORMS: dict[str, Callable[[Floats64], Floats64]] = {
    "L1": lambda away: away.sum(axis=1),
    "L2": lambda away: np.sqrt(np.einsum("ij,ij->i", away, away)),
    "maximum": lambda away: away.max(axis=1),
}


@dataclass(frozen=True)
class ScoreFunctions:
    """Real functions of a release, those that depend on data learned."""

    centres: tuple[tuple[str, Floats64, Floats64], ...]
    directions: Floats64
    names: tuple[str, ...]

    @classmethod
    def learn(cls, first: Floats64, second: Floats64, known: tuple[Floats64, Floats64] | None) -> ScoreFunctions:
        """From `(n, m)` releases of either input, and their centres if known."""
        centres = [("estimated", np.median(first, axis=0), np.median(second, axis=0))]
        if known is not None:
            centres.append(("known", *known))
        names = [
            f"{score} ({norm}, {origin} centres)"
            for origin, _, _ in centres
            for norm in _NORMS
            for score in ("distance to the first", "distance to the second", "difference of the distances")
        ]
        means = first.mean(axis=0), second.mean(axis=0)
        apart = means[0] - means[1]
        within = np.concatenate([first - means[0], second - means[1]])
        covariance = within.T @ within / len(within)
        # The second term counts only where no coordinate has any noise.
        ridge = _RIDGE * float(np.trace(covariance)) / len(apart) + 1e-30 * float(apart @ apart) + 1e-300
        covariance[np.diag_indices_from(covariance)] += ridge
        discriminant = np.linalg.solve(covariance, apart)
        names += ["projection on the line between the means", "linear discriminant"]
        directions = np.stack([direction / (np.linalg.norm(direction) or 1) for direction in (apart, discriminant)])
        return cls(tuple(centres), directions, tuple(names))

    def __call__(self, releases: Floats64) -> Floats64:
        """`(n, scores)` for releases `(n, m)`."""
        columns: list[Floats64] = []
        for _, *pair in self.centres:
            away = [np.abs(releases - centre) for centre in pair]
            for norm in _NORMS.values():
                near, far = (norm(distances) for distances in away)
                columns += [near, far, far - near]
        return np.column_stack([*columns, releases @ self.directions.T])


def choose(first: Floats64, second: Floats64, delta: float, alpha: float) -> tuple[int, float, bool, bool]:
    """Score, threshold, whether the event lies above it, and whether it is the second input's, from `(n, scores)`."""
    best, n = (-math.inf, 0, 0.0, True, False), len(first)
    alpha /= _STRICTER
    for column in range(first.shape[1]):
        ordered = np.sort(first[:, column]), np.sort(second[:, column])
        pooled = np.unique(np.concatenate(ordered))
        if len(pooled) < 2:
            continue
        evenly = np.linspace(0, len(pooled) - 2, min(_THRESHOLDS, len(pooled) - 1)).astype(int)
        # Where releases without noise lie apart there is one wide gap, which even steps may miss.
        edges = np.union1d(evenly, np.argsort(np.diff(pooled))[-_GAPS:])
        # Halfway between neighbours: a threshold in a gap keeps clear of both sides.
        thresholds = pooled[edges] / 2 + pooled[edges + 1] / 2
        reach = [n - np.searchsorted(values, thresholds) for values in ordered]
        for above in (True, False):
            # Not exact, but quick: only the search relies on it.
            ends = [wilson_interval(count if above else n - count, n, alpha) for count in reach]
            for swapped in (False, True):
                ratios = np.maximum(ends[swapped][0] - delta, 1e-300) / ends[not swapped][1]
                at = int(np.argmax(ratios))
                if ratios[at] > best[0]:
                    best = (float(ratios[at]), column, float(thresholds[at]), above, swapped)
    return best[1:]
