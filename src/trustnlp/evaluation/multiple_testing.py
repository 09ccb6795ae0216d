"""p-values of many tests at once: what is left after correcting for how many were tried."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import false_discovery_control


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Holm (1979): p-values adjusted so that rejecting those ≤ α makes any false rejection at most α probable.

    The i-th smallest of `n` p-values is multiplied by `n - i + 1`, made non-decreasing and cut at 1. Valid
    under any dependence between the tests.

    Parameters
    ----------
    p_values
        `(n,)`, each between 0 and 1.

    Returns
    -------
    ndarray
        `(n,)` in the order given.

    Raises
    ------
    ValueError
        If there are no p-values, another shape, or a value that is NaN or outside [0, 1].

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = _checked(p_values)
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    """Benjamini and Hochberg (1995): p-values adjusted so that among those ≤ α the expected share of false ones
    is at most α.

    Valid for independent tests and for some kinds of positive dependence. Parameters, result and errors as for
    `holm`.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    array([0.03, 0.04, 0.04])
    """
    adjusted: NDArray[np.float64] = false_discovery_control(_checked(p_values), method="bh")
    return adjusted


def _checked(p_values: ArrayLike) -> NDArray[np.float64]:
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not len(p):
        raise ValueError(f"expected a list of p-values, got shape {p.shape}")
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("a p-value is NaN or outside [0, 1]")
    return p
