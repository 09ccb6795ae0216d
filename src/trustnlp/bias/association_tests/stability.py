"""How far an effect size depends on the choice of words: a bootstrap over the stimuli.

The permutation test asks whether the given words are split by chance; it takes the words themselves as fixed. Here X,
Y, A and B are each resampled with replacement, as if other words of the same kind had been chosen. Not in Azarpanah
and Farhadloo (2021).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.bias.association_tests.association import directed, distances, shrunk_precisions
from trustnlp.bias.association_tests.measures import Measure
from trustnlp.bias.association_tests.statistics import OVER_A_SET, Statistic, associations
from trustnlp.bias.association_tests.stimuli import Stimuli
from trustnlp.bias.association_tests.word_sets import WordSets, resolve
from trustnlp.data.words.weat_stimuli import WeatTest

# Resampled distances held at once: some 16 MB.
_NUMBERS_AT_ONCE = 1 << 21


def bootstrap_effect_sizes(
    vectors: Any,
    test: int | str | WeatTest | WordSets = 6,
    *,
    resamples: int = 2000,
    rng: np.random.Generator,
    measure: Measure = "cosine",
    statistic: Statistic = "mean",
    precision: tuple[ArrayLike, ArrayLike] | None = None,
    pooled: bool = False,
    ddof: int = 1,
    max_missing: float = 0.2,
    lower: bool = False,
    subwords: bool = False,
) -> NDArray[np.float64]:
    """`(resamples,)` signed effect sizes under resampled words. Quantiles of it are percentile intervals of `d`.

    A resample of one word only, repeated in X and Y, has no spread; it is drawn again. Distances are computed once; a
    resample selects rows and columns, and the precision matrices of `mahalanobis` are kept.

    Parameters
    ----------
    vectors, test, measure, statistic, precision, pooled, ddof, max_missing, lower, subwords
        As for `weat`.
    resamples, rng
        Number of resamples and their generator.

    Raises
    ------
    ValueError
        If `weat` would raise it; fewer than one resample; or all targets have the same score, so that `d` is undefined.
    """
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, got {resamples}")
    stimuli = Stimuli(vectors, resolve(test), max_missing, lower=lower, subwords=subwords)
    if measure == "mahalanobis" and precision is None:
        precision = shrunk_precisions(stimuli, pooled)
    to_A, to_B = distances(stimuli, measure, precision, "published")
    n_x, n_y, n_a, n_b = stimuli.sizes
    once = associations(to_A, to_B, statistic)
    if np.ptp(once) <= 1e-14 * np.abs(once).max():
        raise ValueError("all targets have the same score, so the effect size is undefined (0 / 0)")
    block = max(1, _NUMBERS_AT_ONCE // ((n_x + n_y) * (n_a * n_b if statistic == "eq2" else max(n_a, n_b))))
    done: list[NDArray[np.float64]] = []
    missing = resamples
    while missing > 0:
        count = min(block, missing)
        scores = _resampled_scores(to_A, to_B, statistic, count, rng)
        targets = np.concatenate(
            [rng.integers(n_x, size=(count, n_x)), n_x + rng.integers(n_y, size=(count, n_y))], axis=1
        )
        drawn = directed(np.take_along_axis(scores, targets, axis=1), measure, statistic, "published")
        spread = drawn.std(axis=1, ddof=ddof)
        usable = spread > 1e-14 * np.abs(drawn).max(axis=1)
        difference = drawn[:, :n_x].mean(axis=1) - drawn[:, n_x:].mean(axis=1)
        done.append(difference[usable] / spread[usable])
        missing -= int(usable.sum())
    return np.concatenate(done)


def _resampled_scores(
    to_A: NDArray[np.float64], to_B: NDArray[np.float64], statistic: Statistic, count: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """`(count, T)` scores of all targets under resampled attributes."""
    columns = [rng.integers(D.shape[1], size=(count, D.shape[1])) for D in (to_A, to_B)]
    if statistic == "mean":
        # A mean over drawn columns is a product with how often each was drawn.
        of_A, of_B = (
            _times_drawn(drawn, D.shape[1]) @ D.T / D.shape[1] for D, drawn in zip((to_A, to_B), columns, strict=True)
        )
        means: NDArray[np.float64] = of_A - of_B
        return means
    A, B = (D[:, drawn].transpose(1, 0, 2) for D, drawn in zip((to_A, to_B), columns, strict=True))
    if statistic == "eq2":
        gaps: NDArray[np.float64] = np.abs(A[:, :, :, None] - B[:, :, None, :]).min(axis=(2, 3))
        return gaps
    over = OVER_A_SET[statistic]
    return over(A, axis=2) - over(B, axis=2)


def _times_drawn(drawn: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """`(count, n)` how often each of `n` columns occurs in each row of `drawn` `(count, n)`."""
    flat = drawn + n * np.arange(len(drawn))[:, None]
    return np.bincount(flat.ravel(), minlength=n * len(drawn)).reshape(len(drawn), n).astype(np.float64)
