"""Inverse covariance of an attribute set, which the Mahalanobis distance needs.

Azarpanah and Farhadloo (2021), §3: the covariance of a set of some words in hundreds of dimensions is singular. The
paper first adds synonyms to each attribute set, then estimates a sparse inverse covariance (graphical lasso) whose
penalty is chosen by 3-fold cross-validation.

Deviations. The synonyms are not published: `enlarge` adds near neighbours in the same vectors instead. The solver and
its settings are not published either; here it is scikit-learn's graphical lasso, set as follows.

* The samples are divided by their root mean square first (and the result is scaled back). This changes nothing in the
  problem, as penalties are relative to the largest covariance, but coordinate descent then converges: on word2vec it
  fails at most penalties below a quarter of the largest covariance without it.
* The penalties are an explicit grid, scanned from strong to weak until the cross-validated likelihood falls.
  `GraphicalLassoCV` would append the penalty 0, whose estimate does not exist with fewer samples than dimensions.
* With few samples the solver breaks down or does not converge below some penalty. Such a fit is never used: the scan
  ends there, and the result says so (`stopped`), as a weaker penalty might have been better. On word2vec in 300
  dimensions this happens with fewer than about a hundred samples. Without any usable penalty there is an error.
* Every third sample is in the same fold, so that a word's neighbours, which stand together, are spread over the folds.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Literal, Protocol, get_args, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.covariance import empirical_covariance, graphical_lasso, ledoit_wolf, log_likelihood

from trustnlp.bias.association_tests.measures import check_choice

Estimator = Literal["ledoit_wolf", "graphical_lasso"]
ESTIMATORS: tuple[Estimator, ...] = get_args(Estimator)

# Relative to the largest covariance between two dimensions, at which everything off the diagonal vanishes.
PENALTIES = (0.6, 0.45, 0.34, 0.26, 0.2, 0.15, 0.11, 0.08, 0.06)
# The inner regressions must be solved far more exactly than the duality gap asked for, or the outer iteration wanders.
_GAP, _INNER_GAP, _ITERATIONS = 1e-3, 1e-7, 100


class CovarianceError(ValueError):
    """The covariance of these vectors cannot be estimated."""


@runtime_checkable
class HasNeighbours(Protocol):
    """Vectors that know what is near, such as `trustnlp.embeddings.static.WordVectors`."""

    def __contains__(self, word: object) -> bool: ...
    def __getitem__(self, word: str) -> NDArray[np.float32]: ...
    def nearest(self, query: ArrayLike, k: int, exclude: Sequence[str] = ()) -> list[tuple[str, float]]: ...


def enlarge(words: Sequence[str], vectors: HasNeighbours, k: int) -> list[str]:
    """The known `words`, followed by the `k` nearest neighbours (cosine) of each that are not among them yet.

    Stands in for the unpublished synonyms of §3: neighbours are often, but not always, synonyms (antonyms are near
    as well). Different words share neighbours, so fewer than `k` words are added for each.

    Raises
    ------
    ValueError
        If none of the words is known, or `k` is negative.
    """
    known = [word for word in dict.fromkeys(words) if word in vectors]
    if not known or k < 0:
        raise ValueError(f"expected k ≥ 0 and known words to enlarge, got k={k} and {len(known)} of {len(words)} known")
    near = [name for word in known if k for name, _ in vectors.nearest(vectors[word], k, exclude=known)]
    return list(dict.fromkeys([*known, *near]))


def fit_precision(samples: ArrayLike, estimator: Estimator = "ledoit_wolf") -> NDArray[np.float64]:
    """`(d, d)` the inverse covariance of `samples` `(n, d)` by the estimator named, symmetric and positive definite.

    `ledoit_wolf` shrinks the sample covariance towards a multiple of the identity and takes milliseconds;
    `graphical_lasso` is the paper's and takes several seconds for some hundred words in 300 dimensions.

    Raises
    ------
    CovarianceError
        If there are fewer than two samples (graphical lasso: six), samples that are not finite or all equal, or no
        convergence.
    ValueError
        If given an unknown estimator.
    """
    check_choice("estimator", estimator, ESTIMATORS)
    return shrunk_precision(samples) if estimator == "ledoit_wolf" else sparse_precision(samples)


def shrunk_precision(samples: ArrayLike) -> NDArray[np.float64]:
    """Ledoit and Wolf (2004): invertible for any number of samples. Parameters and errors as for `fit_precision`."""
    scaled, scale = _scaled(samples, at_least=2)
    covariance, _ = ledoit_wolf(scaled, assume_centered=True)
    try:
        precision = np.linalg.inv(covariance) / scale**2
        np.linalg.cholesky(precision)
    except np.linalg.LinAlgError:
        raise CovarianceError(
            f"the covariance of {len(scaled)} samples in {scaled.shape[1]} dimensions is singular even when shrunk; "
            "a dimension is constant or the samples lie on a line: add words"
        ) from None
    symmetric: NDArray[np.float64] = (precision + precision.T) / 2
    return symmetric


def sparse_precision(
    samples: ArrayLike, *, penalties: Sequence[float] = PENALTIES, folds: int = 3
) -> NDArray[np.float64]:
    """Graphical lasso with a cross-validated penalty (§3; Friedman, Hastie and Tibshirani, 2008).

    Parameters
    ----------
    samples
        `(n, d)`.
    penalties
        Relative to the largest covariance, from strong to weak.
    folds
        The paper's k = 3.

    Raises
    ------
    CovarianceError
        If `fit_precision` would raise it.
    ValueError
        If given penalties that are not descending numbers between 0 and 1, or fewer than two folds.
    """
    grid = list(penalties)
    if not grid or folds < 2 or grid != sorted(grid, reverse=True) or not 0 < grid[-1] <= grid[0] <= 1:
        raise ValueError(f"expected penalties from strong to weak within (0, 1] and folds ≥ 2, got {grid}, {folds}")
    scaled, scale = _scaled(samples, at_least=2 * folds)
    covariance = np.abs(empirical_covariance(scaled))
    largest = float((covariance - np.diag(np.diag(covariance))).max())
    member = np.arange(len(scaled)) % folds
    splits = [
        (empirical_covariance(scaled[member != fold]), empirical_covariance(scaled[member == fold]))
        for fold in range(folds)
    ]
    scores: dict[float, float] = {}
    for penalty in grid:
        scores[penalty] = _cross_validated(splits, penalty * largest)
        if np.isnan(scores[penalty]) or scores[penalty] < max(scores.values()):
            break  # the likelihood has one peak; weaker penalties only cost time
    for penalty in sorted((p for p in scores if np.isfinite(scores[p])), key=lambda p: -scores[p]):
        precision = _glasso(empirical_covariance(scaled), penalty * largest)
        if precision is not None:  # else the best by cross-validation breaks down on all samples: the next best
            return precision / scale**2
    raise CovarianceError(
        f"graphical lasso converged at none of the penalties {grid} on {len(scaled)} samples in {scaled.shape[1]} "
        "dimensions; enlarge the attribute set by more neighbours or use the estimator 'ledoit_wolf'"
    )


def _cross_validated(splits: list[tuple[NDArray[np.float64], NDArray[np.float64]]], penalty: float) -> float:
    """Mean log-likelihood of the held-out covariances; NaN when the solver fails on a fold."""
    likelihoods = []
    for train, held_out in splits:
        precision = _glasso(train, penalty)
        if precision is None:
            return float("nan")
        likelihoods.append(log_likelihood(held_out, precision))
    return float(np.mean(likelihoods))


def _glasso(covariance: NDArray[np.float64], penalty: float) -> NDArray[np.float64] | None:
    """The precision matrix, or None where the solver does not converge or breaks down."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a ConvergenceWarning, or a numerical one, means: not this penalty
        try:
            _, precision = graphical_lasso(covariance, penalty, tol=_GAP, enet_tol=_INNER_GAP, max_iter=_ITERATIONS)
            # The columns are solved one by one; the lower and upper half agree up to the duality gap.
            precision = (precision + precision.T) / 2
            np.linalg.cholesky(precision)
        except (FloatingPointError, np.linalg.LinAlgError, Warning):
            return None
    result: NDArray[np.float64] = precision
    return result


def _scaled(samples: ArrayLike, at_least: int) -> tuple[NDArray[np.float64], float]:
    """Centred samples divided by their root mean square, and that number."""
    X = np.asarray(samples, dtype=np.float64)
    if X.ndim != 2 or len(X) < at_least or not X.shape[1]:
        raise CovarianceError(f"a covariance needs samples (n, d) with n ≥ {at_least}, got shape {X.shape}; add words")
    if not np.isfinite(X).all():
        raise CovarianceError("the samples hold NaN or infinity; look for them in the vectors")
    centred = X - X.mean(axis=0)
    scale = float(np.sqrt(np.mean(centred**2)))
    if scale <= 1e-12 * float(np.abs(X).max()):
        raise CovarianceError("all samples are equal: their covariance is zero and has no inverse")
    return centred / scale, scale
