"""Logistic regression on many subsets of the same rows at once, along a path of L2 penalties.

Cross-validation fits the same features again and again, with a few rows left out each time. Here all these fits are the
columns of one matrix: an iteration is two matrix products for all of them, and the penalties are walked from the
strongest to the weakest, each fit starting where the last one ended.

The step. Let `Z` be the features with a column of ones, and let `c` be 1/4 for two classes and 1/2 for more. The
Hessian of the loss over any subset of the rows is at most `c ZᵀZ` (Böhning and Lindsay, 1988; Böhning, 1992), so with
`H = c ZᵀZ + diag(λ, ..., λ, 0)` the step `W - H⁻¹ G` never increases the objective of any subset.
One factorisation serves all columns. Nesterov's momentum with the restart of O'Donoghue and Candès (2015) is added.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

Floats32 = NDArray[np.float32]

_MOST_ITERATIONS = 5_000


def fit_path(
    X: Floats32, y: NDArray[np.int64], subsets: NDArray[np.bool_], penalties: Sequence[float], tolerance: float = 1e-6
) -> Iterator[Floats32]:
    """Weights of every subset's logistic regression, one penalty after the other.

    The objective of subset `f` is `Σ_{i in f} loss(y_i, x_i W + b) + λ/2 ‖W‖²`: the log loss, the intercept not
    penalised (scikit-learn's `LogisticRegression` with `C = 1/λ`).

    Parameters
    ----------
    X
        `(n, d)` features, best centred and of scale about 1: the arithmetic is in float32.
    y
        `(n,)` labels `0..k-1`, each of them in every subset.
    subsets
        `(n, F)` which rows each fit sees.
    penalties
        `λ`, positive. Descending order makes the warm starts good ones.
    tolerance
        A fit is done when `Gᵀ H⁻¹ G` is at most this much per row.

    Yields
    ------
    ndarray
        For each penalty, `(d + 1, F, c)`: the weights and, last, the intercept; `c` is 1 for two classes (the score of
        class 1) and `k` otherwise.

    Raises
    ------
    RuntimeError
        If a fit did not converge.
    """
    n, d = X.shape
    k = int(y.max()) + 1
    width = 1 if k == 2 else k
    Z = np.concatenate([X, np.ones((n, 1), dtype=np.float32)], axis=1).astype(np.float32, copy=False)
    gram = (0.25 if k == 2 else 0.5) * (Z.T @ Z).astype(np.float64)
    target = y[:, None].astype(np.float32) if k == 2 else np.eye(k, dtype=np.float32)[y]
    ridge = np.append(np.ones(d), 0.0)
    weights = np.zeros((d + 1, subsets.shape[1], width), dtype=np.float32)
    for penalty in penalties:
        step = cho_solve(cho_factor(gram + penalty * np.diag(ridge)), np.eye(d + 1)).astype(np.float32)
        shrink = (penalty * ridge).astype(np.float32)[:, None, None]
        _descend(Z, target, subsets, shrink, step, tolerance, weights)
        yield weights.copy()


def predict(X: Floats32, weights: Floats32) -> NDArray[np.int64]:
    """The predicted labels `(n, F)` of every fit of `weights` `(d + 1, F, c)`."""
    _, fits, width = weights.shape
    scores = (X @ weights[:-1].reshape(X.shape[1], -1) + weights[-1].reshape(1, -1)).reshape(len(X), fits, width)
    labels: NDArray[np.int64] = (scores[..., 0] > 0).astype(np.int64) if width == 1 else scores.argmax(axis=2)
    return labels


def _descend(
    Z: Floats32,
    target: Floats32,
    subsets: NDArray[np.bool_],
    shrink: Floats32,
    step: Floats32,
    tolerance: float,
    weights: Floats32,
) -> None:
    """Bring `weights` `(d + 1, F, c)` to the optimum, in place. Fits that are done leave the matrix products."""
    active = np.arange(weights.shape[1])
    # Rows outside every active fit are rare (none in cross-validation), so rows stay and are masked.
    inside = subsets.astype(np.float32)[:, :, None]
    rows = subsets.sum(axis=0)
    point, ahead, momentum = weights.copy(), weights.copy(), np.ones(len(active))
    for _ in range(_MOST_ITERATIONS):
        gradient = _gradient(Z, target, inside, ahead) + shrink * ahead
        move = (step @ gradient.reshape(len(step), -1)).reshape(gradient.shape)
        new = ahead - move
        done = np.einsum("dfc,dfc->f", gradient, move) <= tolerance * rows
        uphill = np.einsum("dfc,dfc->f", gradient, new - point) > 0
        momentum[uphill] = 1.0
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        beta = np.where(uphill, 0.0, (momentum - 1) / following).astype(np.float32)
        ahead = new + beta[None, :, None] * (new - point)
        point, momentum = new, following
        if done.any():
            weights[:, active[done]] = new[:, done]
            left = ~done
            active, rows, momentum, inside = active[left], rows[left], momentum[left], inside[:, left]
            point, ahead = point[:, left], ahead[:, left]
        if not len(active):
            return
    raise RuntimeError(
        f"logistic regression: {len(active)} of {weights.shape[1]} fits did not converge in {_MOST_ITERATIONS} "
        "iterations; is a class missing from a subset, or the scale of the features extreme?"
    )


def _gradient(Z: Floats32, target: Floats32, inside: Floats32, weights: Floats32) -> Floats32:
    """The gradient `(d + 1, F, c)` of the summed log loss of every fit."""
    _, fits, width = weights.shape
    scores = (Z @ weights.reshape(len(weights), -1)).reshape(len(Z), fits, width)
    if width == 1:
        chances = expit(scores, out=scores)
    else:
        scores -= scores.max(axis=2, keepdims=True)
        chances = np.exp(scores, out=scores)
        chances /= chances.sum(axis=2, keepdims=True)
    chances -= target[:, None, :]
    chances *= inside
    gradient: Floats32 = (Z.T @ chances.reshape(len(Z), -1)).reshape(weights.shape)
    return gradient
