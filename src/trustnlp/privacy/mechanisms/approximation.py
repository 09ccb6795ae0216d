"""How well private vectors keep distances and inner products: the errors, and PrivEmb's bounds on them (§4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import check_beta, check_delta, check_epsilon, check_vectors
from trustnlp.privacy.mechanisms.additive_noise import Mechanism


@dataclass(frozen=True)
class ApproximationErrors:
    """Absolute errors of one release, `(n, k)`: row `i`, column `j` are the i-th first and the j-th second vector."""

    distance: Tensor
    inner_product: Tensor


def approximation_errors(
    mechanism: Mechanism, first: Tensor, second: Tensor, *, generator: torch.Generator | None = None
) -> ApproximationErrors:
    """PrivEmb §5.1 and §5.2: release both sets once and compare every cross pair with the original pair.

    `| ‖w_i − w_j‖ − ‖x_i − x_j‖ |` and `| ⟨w_i, w_j⟩ − ⟨x_i, x_j⟩ |`. Each vector is released once, so pairs that share
    a vector share its noise, as in the paper's 100 × 100 pairs.

    Parameters
    ----------
    mechanism
        From `(n, d)` to `(n, m)`.
    first, second
        `(n, d)` and `(k, d)`.

    Raises
    ------
    ValueError
        If the two sets differ in their number of dimensions, or hold no finite vectors.
    """
    check_vectors(first)
    check_vectors(second)
    if first.shape[1] != second.shape[1]:
        raise ValueError(f"both sets need the same number of dimensions, got {first.shape[1]} and {second.shape[1]}")
    released = mechanism(torch.cat([first, second]), generator=generator).double()
    private_first, private_second = released[: len(first)], released[len(first) :]
    first, second = first.double(), second.double()
    return ApproximationErrors(
        distance=(torch.cdist(private_first, private_second) - torch.cdist(first, second)).abs(),
        inner_product=(private_first @ private_second.T - first @ second.T).abs(),
    )


@dataclass(frozen=True)
class DistanceBound:
    """The two terms of Proposition 7: what the projection may do to a distance, and what the noise may do."""

    projection: float
    noise: float

    @property
    def total(self) -> float:
        """The bound itself."""
        return self.projection + self.noise


def distance_bound(vectors: int, m: int, *, epsilon: float, beta: float, delta: float, tau: float) -> DistanceBound:
    """PrivEmb Proposition 7: `2βτ + 4 m ln(2nm/δ)/ε`, which no pair exceeds with probability at least 1 − δ.

    Parameters
    ----------
    vectors
        Number of released vectors, the paper's `n`.
    m
        Projected dimension.
    tau
        Largest Euclidean length of an original vector.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """
    return DistanceBound(projection=2 * beta * tau, noise=2 * _noise_length(vectors, m, epsilon, beta, delta, tau))


def inner_product_bound(vectors: int, m: int, *, epsilon: float, beta: float, delta: float, tau: float) -> float:
    """PrivEmb Proposition 8: `βτ² + 8τ m ln(2nm/δ)/ε + (2m ln(2nm/δ))²/ε²`. Parameters as for `distance_bound`.

    >>> round(inner_product_bound(10, 50, epsilon=100.0, beta=0.5, delta=0.05, tau=1.0), 1)
    138.2
    """
    length = _noise_length(vectors, m, epsilon, beta, delta, tau)
    return beta * tau**2 + 4 * tau * length + length**2


def noise_length_bound(m: int, gamma: float, *, epsilon: float, beta: float) -> float:
    """PrivEmb Claim 6: the noise is no longer than `m ln(m/γ)(1+β)/ε` with probability at least 1 − γ.

    The length follows Gamma(m, (1+β)/ε); its exact tail is `scipy.stats.gamma(m, scale=(1 + beta) / epsilon).sf`.
    ValueError when a parameter is out of range.

    >>> round(noise_length_bound(50, 0.05, epsilon=10.0, beta=0.93), 1)
    66.7
    """
    _check(1, m, epsilon, beta, gamma)
    return m * math.log(m / gamma) * (1 + beta) / epsilon


def _noise_length(vectors: int, m: int, epsilon: float, beta: float, delta: float, tau: float) -> float:
    """`2 m ln(2nm/δ)/ε`, for parameters in range."""
    _check(vectors, m, epsilon, beta, delta)
    if not (tau > 0 and math.isfinite(tau)):
        raise ValueError(f"tau, the length of the longest vector, is positive and finite, got {tau}")
    return 2 * m * math.log(2 * vectors * m / delta) / epsilon


def _check(vectors: int, m: int, epsilon: float, beta: float, delta: float) -> None:
    check_epsilon(epsilon)
    check_delta(delta)
    check_beta(beta)
    if vectors < 1 or m < 1:
        raise ValueError(f"the bound needs at least one vector and one dimension, got n = {vectors}, m = {m}")
