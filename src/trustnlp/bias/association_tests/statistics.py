"""From distances to one score per target word, and from scores to an effect size.

Azarpanah and Farhadloo (2021), §2: Eq. 1 with four descriptive statistics, Eq. 2, and the effect size `d`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.bias.association_tests.measures import check_choice

Statistic = Literal["mean", "median", "min", "max", "eq2"]
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)

OVER_A_SET: dict[str, Callable[..., NDArray[np.float64]]] = {
    "mean": np.mean,
    "median": np.median,
    "min": np.min,
    "max": np.max,
}


def associations(to_A: ArrayLike, to_B: ArrayLike, statistic: Statistic) -> NDArray[np.float64]:
    """`s(w, A, B)` of every target word.

    Eq. 1: `f` over A of `s(w, a)` minus `f` over B of `s(w, b)`, with `f` the mean, median, minimum or maximum.
    Eq. 2: the smallest `|s(w, a) - s(w, b)|` over all pairs of an attribute of A and one of B; it is never negative
    and does not say which set is nearer.

    Parameters
    ----------
    to_A, to_B
        `(T, A)` and `(T, B)` from `distance_matrix`.
    statistic
        One of `STATISTICS`.

    Returns
    -------
    ndarray
        `(T,)` in float64.

    Raises
    ------
    ValueError
        If given shapes that do not fit, or an unknown statistic.

    Examples
    --------
    >>> associations([[0.9, 0.7], [0.2, 0.4]], [[0.1, 0.3], [0.6, 0.8]], "mean")
    array([ 0.6, -0.4])
    """
    check_choice("statistic", statistic, STATISTICS)
    a, b = np.asarray(to_A, dtype=np.float64), np.asarray(to_B, dtype=np.float64)
    if a.ndim != 2 or b.ndim != 2 or len(a) != len(b) or 0 in a.shape + b.shape:
        raise ValueError(f"expected distances (T, A) and (T, B) of the same targets, got {a.shape} and {b.shape}")
    if statistic == "eq2":
        gaps: NDArray[np.float64] = np.abs(a[:, :, None] - b[:, None, :]).min(axis=(1, 2))
        return gaps
    over = OVER_A_SET[statistic]
    return over(a, axis=1) - over(b, axis=1)


def effect_size(scores: ArrayLike, n_first: int, *, ddof: int = 1) -> float:
    """Signed `d = (mean over X - mean over Y) / standard deviation over X ∪ Y` (§2).

    The paper prints `|d|`. With `ddof=1` (the sample's standard deviation) its numbers come out, as do those of
    Caliskan et al. (2017); some libraries use `ddof=0`, which makes `d` larger by `√(N / (N-1))`. With equal sizes
    `|d| < 2`.

    Parameters
    ----------
    scores
        `(N,)` with those of X first.
    n_first
        Size of X.

    Raises
    ------
    ValueError
        If given an empty set, scores that are not finite, or scores that are all equal, for which `d` is undefined.

    Examples
    --------
    >>> round(effect_size([0.6, 0.4, -0.5, -0.3], 2), 2)
    1.69
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not 1 <= n_first < len(values) or len(values) <= ddof:
        raise ValueError(f"expected the scores of two non-empty sets, got shape {values.shape} with {n_first} in X")
    if not np.isfinite(values).all():
        raise ValueError("scores hold NaN or infinity; look for them in the vectors")
    spread = float(values.std(ddof=ddof))
    if spread <= 1e-14 * float(np.abs(values).max()):
        raise ValueError("all targets have the same score, so the effect size is undefined (0 / 0)")
    return float(values[:n_first].mean() - values[n_first:].mean()) / spread
