"""A threshold with a guarantee: split conformal prediction for the removal of secrets.

Vovk, Gammerman and Shafer (2005). A *unit* is what is drawn independently: a document or an owner (single words of one
document are alike, so a word is no unit). Its score is the lowest score of its secrets; they are all removed if the
threshold is at most that. With scores of `n` units for calibration and the threshold at the k-th lowest of them,
k = ⌊(1 - c)(n + 1)⌋, all secrets of a new unit are removed with probability at least c, over units of both kinds. That
needs k ≥ 1, so n ≥ c / (1 - c): 19 units for 95 %.

With a confidence γ the statement is stronger: with probability γ over the calibration units, at least the share c of
all future units have all secrets removed. The largest k with P(Binomial(n, 1 - c) ≤ k - 1) ≤ 1 - γ does it, and 95 % at
γ = 90 % needs 45 units.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats


class TooFewUnitsError(ValueError):
    """There are too few units for what is asked; the message says how many it takes, and what these allow."""


def units_needed(coverage: float, confidence: float | None = None) -> int:
    """How many calibration units a coverage takes, on average over calibrations or with a confidence.

    >>> units_needed(0.95), units_needed(0.95, 0.9)
    (19, 45)
    """
    _check(coverage, confidence)
    if confidence is None:
        return math.ceil(coverage / (1 - coverage) - 1e-9)
    return math.ceil(math.log(1 - confidence) / math.log(coverage) - 1e-9)


def best_coverage(units: int, confidence: float | None = None) -> float:
    """The largest coverage that so many units allow: that of removing whatever scores as high as the lowest of them.

    >>> best_coverage(19), round(best_coverage(19, confidence=0.9), 3)
    (0.95, 0.886)
    """
    return units / (units + 1) if confidence is None else float((1 - confidence) ** (1 / units))


def guaranteed_threshold(unit_scores: ArrayLike, coverage: float = 0.95, confidence: float | None = None) -> float:
    """The highest threshold that keeps the promise.

    Parameters
    ----------
    unit_scores
        `(n,)` the lowest score of a secret in each calibration unit.
    coverage
        c, such as 0.95.
    confidence
        γ; None for the guarantee on average over calibrations.

    Raises
    ------
    TooFewUnitsError
        If no threshold promises so much with so few units.
    ValueError
        If there is no unit, a score that is not a number, or a probability outside (0, 1).

    Examples
    --------
    >>> guaranteed_threshold([0.9, 0.7, 0.8, 0.4, 0.6, 0.5, 0.3, 0.2, 0.95], coverage=0.8)
    0.3
    """
    _check(coverage, confidence)
    scores = np.sort(np.asarray(unit_scores, dtype=np.float64))
    if scores.ndim != 1 or not len(scores) or not np.isfinite(scores).all():
        raise ValueError(f"expected a list of finite scores, one for each unit, got shape {scores.shape}")
    place = _place(len(scores), coverage, confidence)
    if place < 1:
        raise TooFewUnitsError(
            f"{len(scores)} units cannot promise {coverage:.0%}; it takes {units_needed(coverage, confidence)}, "
            f"and these allow {best_coverage(len(scores), confidence):.1%}"
        )
    return float(scores[place - 1])


def lowest_of_units(scores: Sequence[ArrayLike], secrets: Sequence[ArrayLike], units: Sequence[object]) -> dict:
    """Unit → the lowest score of a secret in it; units without a secret are not there.

    Parameters
    ----------
    scores, secrets
        Per document `(T,)` scores, and whether each word is a secret.
    units
        The unit of each document: its own number, or its owner.

    Examples
    --------
    >>> lowest_of_units([[0.9, 0.1, 0.4], [0.7, 0.2]], [[True, False, True], [True, False]], ["owner", "owner"])
    {'owner': 0.4}
    """
    lowest: dict[object, float] = {}
    for one, marks, unit in zip(scores, secrets, units, strict=True):
        held = np.asarray(one)[np.asarray(marks, dtype=bool)]
        if len(held):
            lowest[unit] = min(lowest.get(unit, math.inf), float(held.min()))
    return lowest


def _place(units: int, coverage: float, confidence: float | None) -> int:
    if confidence is None:
        return math.floor((1 - coverage) * (units + 1) + 1e-9)
    chances = stats.binom.cdf(np.arange(units), units, 1 - coverage)
    return int((chances <= 1 - confidence + 1e-12).sum())


def _check(coverage: float, confidence: float | None) -> None:
    if not 0 < coverage < 1 or not (confidence is None or 0 < confidence < 1):
        raise ValueError(f"coverage and confidence are between 0 and 1, got {coverage} and {confidence}")
