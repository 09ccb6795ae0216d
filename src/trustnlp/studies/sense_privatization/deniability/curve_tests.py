"""What is said of the curves of N_w and S_w, with intervals over words: least steps, calibrated ε, one shape.

Arnold, Yesilbas and Weinzierl (2023), §4.1. `trustnlp.studies.sense_privatization.deniability.deniability_curves` has
the curves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from trustnlp.studies.sense_privatization.deniability.deniability_curves import (
    Curves,
    Floats,
    calibrated,
    crossing,
    monotone_margin,
    percentile_interval,
)

Chosen = NDArray[np.int64]


def resampled(words: int, resamples: int, rng: np.random.Generator) -> list[Chosen]:
    """All words, then `resamples` bootstraps of them."""
    return [np.arange(words), *np.asarray(rng.integers(0, words, (resamples, words)), dtype=np.int64)]


def least_step(curve: Floats, chosen: list[Chosen], *, falls: bool) -> tuple[float, tuple[float, float]]:
    """`monotone_margin` of the mean of a curve `(E, n)`, and its interval over words.

    The least of several steps is biased downwards by chance, which is why the margin has its room.
    """
    return _over_words(lambda take: monotone_margin(curve[:, take].mean(axis=1), falls=falls), chosen)


def calibrated_epsilon(found: Curves, quantile: float, chosen: list[Chosen]) -> tuple[float, tuple[float, float]]:
    """`calibrated`, and its interval over words; NaN where no ε of the grid is small enough."""
    return _over_words(
        lambda take: calibrated(Curves(found.epsilons, found.kept[:, take], found.support[:, take]), quantile), chosen
    )


def apart_both_ways(words: Curves, other: Curves, chosen: list[Chosen]) -> Floats:
    """Over resamples: the largest difference of two mean curves of N_w once the ε of one is rescaled by the stretch.

    Measured where either curve has its points, as both are straight between theirs: the larger of the two counts.
    """
    found = []
    for take in chosen:
        one, two = words.kept[:, take].mean(axis=1), other.kept[:, take].mean(axis=1)
        factor = crossing(other.epsilons, two, falls=False) / crossing(words.epsilons, one, falls=False)
        grids = np.log(words.epsilons), np.log(other.epsilons / factor)
        inside = [at[(at >= max(g[0] for g in grids)) & (at <= min(g[-1] for g in grids))] for at in grids]
        both = np.concatenate(inside)
        gaps = np.abs(np.interp(both, grids[0], one) - np.interp(both, grids[1], two))
        found.append(gaps.max() if len(both) else np.nan)
    return np.array(found)


def _over_words(statistic: Callable[[Chosen], float], chosen: list[Chosen]) -> tuple[float, tuple[float, float]]:
    samples = np.array([statistic(take) for take in chosen])
    known = np.isfinite(samples[0])
    return float(samples[0]), percentile_interval(samples) if known else (float("nan"), float("nan"))
