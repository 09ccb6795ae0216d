"""Four measures of how near a target word is to an attribute word.

Azarpanah and Farhadloo (2021), §2: cosine, Euclidean, Manhattan and Mahalanobis between every target `w` and every
attribute `a`.

Orientation. The paper calls cosine a similarity (large is near) and the others distances (large is far), and takes
the minimum and the maximum of each as it is. So `min` over cosines picks the *farthest* attribute word and `min` over
distances the *nearest*. Table 4 confirms that no sign was changed: only with `orientation="published"` do the Min and
Max columns of word2vec come out (with cosine turned into a distance the two would be exchanged). The mean, the median
and Eq. 2 do not depend on the orientation but for a sign, which the paper's absolute values remove.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError, cholesky
from scipy.spatial.distance import cdist

Measure = Literal["cosine", "euclidean", "manhattan", "mahalanobis"]
Orientation = Literal["published", "distance", "similarity"]

MEASURES: tuple[Measure, ...] = get_args(Measure)
ORIENTATIONS: tuple[Orientation, ...] = get_args(Orientation)


def distance_matrix(
    targets: ArrayLike,
    attributes: ArrayLike,
    measure: Measure,
    *,
    precision: ArrayLike | None = None,
    orientation: Orientation = "published",
) -> NDArray[np.float64]:
    """The measure between every target and every attribute vector.

    Parameters
    ----------
    targets
        `(T, d)`.
    attributes
        `(A, d)`, all of one attribute set.
    measure
        `mahalanobis` is `√((w - a)ᵀ Σ⁻¹ (w - a))`, with Σ the covariance of *this* attribute set.
    precision
        `(d, d)` the Σ⁻¹ of the attribute set; needed for `mahalanobis` only.
    orientation
        `published`: cosine as similarity, the others as distances, as in the paper. `distance`: cosine becomes
        `1 - cosine`. `similarity`: the distances change sign.

    Returns
    -------
    ndarray
        `(T, A)` in float64 (scores in float32 can miss the tie of the observed split with itself).

    Raises
    ------
    ValueError
        If given shapes that do not fit, vectors with NaN or infinity, a zero vector under cosine, an unknown name, or a
        precision matrix that is missing, asymmetric or not positive definite.

    Examples
    --------
    >>> distance_matrix([[3.0, 4.0]], [[0.0, 4.0], [3.0, 0.0]], "euclidean")
    array([[3., 4.]])
    >>> distance_matrix([[3.0, 4.0]], [[0.0, 4.0], [3.0, 0.0]], "cosine")
    array([[0.8, 0.6]])
    """
    check_choice("measure", measure, MEASURES)
    check_choice("orientation", orientation, ORIENTATIONS)
    T, A = _vectors(targets, "target"), _vectors(attributes, "attribute")
    if T.shape[1] != A.shape[1]:
        raise ValueError(f"targets have {T.shape[1]} dimensions and attributes {A.shape[1]}; use one embedding")
    if measure == "cosine":
        cosines: NDArray[np.float64] = _unit(T, "target") @ _unit(A, "attribute").T
        return 1 - cosines if orientation == "distance" else cosines
    if measure == "euclidean":
        distances: NDArray[np.float64] = cdist(T, A)
    elif measure == "manhattan":
        distances = cdist(T, A, "cityblock")
    else:
        distances = _mahalanobis(T, A, precision)
    return -distances if orientation == "similarity" else distances


def _mahalanobis(T: NDArray[np.float64], A: NDArray[np.float64], precision: ArrayLike | None) -> NDArray[np.float64]:
    """With `Σ⁻¹ = Uᵀ U` it is the Euclidean distance of `U w` and `U a`: cheaper and more exact than the form."""
    if precision is None:
        raise ValueError(
            "mahalanobis needs precision=, the inverse covariance of the attribute set; see "
            "trustnlp.bias.association_tests.covariance"
        )
    P = np.asarray(precision, dtype=np.float64)
    d = T.shape[1]
    if P.shape != (d, d):
        raise ValueError(f"the precision matrix of {d}-dimensional vectors has shape ({d}, {d}), got {P.shape}")
    if not np.isfinite(P).all() or not np.allclose(P, P.T, rtol=1e-6, atol=1e-9 * np.abs(P).max()):
        raise ValueError(
            "the precision matrix is not finite or not symmetric; see trustnlp.bias.association_tests.covariance"
        )
    try:
        U = cholesky(P)
    except LinAlgError:
        raise ValueError(
            "the precision matrix is not positive definite, so some distances would be imaginary; it comes from a "
            "singular covariance: use a shrunk or sparse estimate (trustnlp.bias.association_tests.covariance)"
        ) from None
    distances: NDArray[np.float64] = cdist(T @ U.T, A @ U.T)
    return distances


def _vectors(rows: ArrayLike, what: str) -> NDArray[np.float64]:
    matrix = np.asarray(rows, dtype=np.float64)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(f"{what} vectors need shape (n, d) with at least one row, got {matrix.shape}")
    bad = np.flatnonzero(~np.isfinite(matrix).all(axis=1))
    if len(bad):
        raise ValueError(f"{what} vectors: NaN or infinity in row {bad[0]} ({len(bad)} of {len(matrix)} rows)")
    return matrix


def _unit(matrix: NDArray[np.float64], what: str) -> NDArray[np.float64]:
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not lengths.all():
        row = int(np.flatnonzero(lengths == 0)[0])
        raise ValueError(f"{what} vectors: row {row} is zero, its cosine is undefined; leave the word out")
    unit: NDArray[np.float64] = matrix / lengths
    return unit


def check_choice(what: str, given: str, known: tuple[str, ...]) -> None:
    """ValueError unless `given` is one of the `known` names of a measure, a statistic and so on."""
    if given not in known:
        raise ValueError(f"unknown {what} {given!r}; choose one of {', '.join(known)}")
