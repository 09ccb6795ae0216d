"""The p-value of a widely used library's WEAT, re-implemented to compare its rules with a permutation test.

wefe 1.0.1 (`wefe/metrics/WEAT.py`, method `_calc_p_value`) fills both target groups with words drawn *with* replacement
from their union. That is a bootstrap under the null hypothesis: words repeat, so the spread differs from that of the
permutation test which Caliskan et al. (2017) define. Its two-sided rule counts `|drawn| > observed` with the observed
value's own sign, so exchanging X and Y changes the answer. Both rules are kept here as they are.

Deviations: wefe recomputes every cosine in every draw; associations are computed once here, which changes the speed and
not the distribution. wefe skips repeated draws, which are rare.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def p_value_with_replacement(
    scores: ArrayLike, n_x: int, *, draws: int, rng: np.random.Generator, two_sided: bool = False
) -> float:
    """Share of draws, the observed one added to both counts, that exceed the observed statistic.

    Parameters
    ----------
    scores
        Associations of the target words, those of X first: `(|X| + |Y|,)`.
    n_x
        Size of X.
    draws
        Number of draws.
    rng
        Source of the draws.
    two_sided
        Compare the absolute value of each draw with the signed observation, as the library does.
    """
    s = np.asarray(scores, dtype=np.float64)
    drawn = s[rng.integers(len(s), size=(draws, len(s)))]
    statistic = drawn[:, :n_x].sum(axis=1) - drawn[:, n_x:].sum(axis=1)
    observed = s[:n_x].sum() - s[n_x:].sum()
    exceeding = (np.abs(statistic) if two_sided else statistic) > observed
    return float((exceeding.sum() + 1) / (draws + 1))
