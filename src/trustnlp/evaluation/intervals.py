"""Intervals: for the mean of a few runs, and for a probability by a count of hits."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

Floats = NDArray[np.float64]


def t_interval(values: ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """Student's t interval for the mean of independent, roughly normal values, such as one metric over seeds.

    >>> [round(end, 2) for end in t_interval([81.0, 82.0, 83.0])]
    [79.52, 84.48]

    Parameters
    ----------
    values
        `(n,)` with `n` at least 2.
    level
        Probability with which the interval covers the true mean, between 0 and 1.

    Raises
    ------
    ValueError
        If there are fewer than two values, a value that is not finite, or a level outside (0, 1).
    """
    sample = _sample(values, level)
    half = stats.t.ppf((1 + level) / 2, len(sample) - 1) * sample.std(ddof=1) / np.sqrt(len(sample))
    return float(sample.mean() - half), float(sample.mean() + half)


def bootstrap_interval(
    values: ArrayLike, *, rng: np.random.Generator, level: float = 0.95, resamples: int = 10_000
) -> tuple[float, float]:
    """Percentile bootstrap interval for the mean: no normality assumed.

    The values are drawn `resamples` times with replacement; the interval holds the middle `level` of the means.
    With few values it is too short (its ends cannot leave the range of the values), which is why runs over
    seeds use the t interval unless their metric is far from normal.

    Parameters
    ----------
    values
        `(n,)` with `n` at least 2.
    rng
        Source of the draws: the same generator state gives the same interval.
    level, resamples
        Coverage aimed at, and how many resampled means it is read from.

    Raises
    ------
    ValueError
        If `t_interval` would raise it, or fewer than one resample.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = bootstrap_interval([0.71, 0.74, 0.69, 0.73], rng=np.random.default_rng(0))
    >>> round(low, 2), round(high, 2)
    (0.7, 0.74)
    """
    sample = _sample(values, level)
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, got {resamples}")
    means = sample[rng.integers(len(sample), size=(resamples, len(sample)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def wilson_interval(hits: ArrayLike, trials: ArrayLike, alpha: float = 0.05) -> tuple[Floats, Floats]:
    """Wilson's (1927) intervals of shares, each wrong with a probability of about `alpha`; 0 to 1 without a trial.

    >>> [round(float(end), 2) for end in wilson_interval(37, 50)]
    [0.6, 0.84]
    """
    counts, totals, z = np.asarray(hits), np.asarray(trials), -special.ndtri(alpha / 2)
    share = counts / np.maximum(totals, 1)
    middle = (counts + z**2 / 2) / (totals + z**2)
    half = z * np.sqrt(totals * share * (1 - share) + z**2 / 4) / (totals + z**2)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


def clopper_pearson(hits: int, draws: int, alpha: float) -> tuple[float, float]:
    """Bounds of a probability, each of them wrong with probability at most `alpha`: Clopper and Pearson (1934).

    >>> [round(end, 3) for end in clopper_pearson(2, 20, 0.025)]
    [0.012, 0.317]

    Raises
    ------
    ValueError
        If given hits outside 0..draws, no draw, or α outside (0, 1).
    """
    if not 0 <= hits <= draws or draws < 1 or not 0 < alpha < 1:
        raise ValueError(f"needs 0 ≤ hits ≤ draws, draws ≥ 1 and 0 < alpha < 1, got {hits}, {draws}, {alpha}")
    low = 0.0 if hits == 0 else float(special.betaincinv(hits, draws - hits + 1, alpha))
    high = 1.0 if hits == draws else float(special.betaincinv(hits + 1, draws - hits, 1 - alpha))
    return low, high


def _sample(values: ArrayLike, level: float) -> NDArray[np.float64]:
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or len(sample) < 2:
        raise ValueError(f"an interval needs a list of at least two values, got shape {sample.shape}")
    if not np.isfinite(sample).all():
        raise ValueError("an interval needs finite values; find out where NaN or infinity comes from")
    if not 0 < level < 1:
        raise ValueError(f"the level of an interval lies between 0 and 1, got {level}")
    return sample
