"""Mechanisms: add noise to vectors that makes a stated guarantee true.

Laplace (Dwork et al. 2006) for an L1 sensitivity; for an L2 sensitivity the multivariate Laplace mechanism (PrivEmb,
Claim 3) and the Gaussian one with its analytic calibration (Balle and Wang 2018, Theorem 8). Each row of `(n, d)` is
one input, released on its own: a mechanism protects a row, not the set of rows.

What a mechanism does not do: bound its input. A LOCAL sensitivity is a promise about the vectors that the caller keeps,
best with `clip_l1` or `clip_l2`.

Called without a generator, the noise comes from a cryptographic source. A generator makes it repeatable, for
experiments, and computable for others (`trustnlp.privacy.noise.randomness`). Either way the sum is rounded to a grid
that depends on the noise's scale only, and coordinates beyond 2³⁰ scales are cut off (`trustnlp.privacy.noise.grid`).
(ε, δ) is that of the law, for real numbers; `trustnlp.privacy.noise.arithmetic` says what floating point adds.

>>> import torch
>>> from trustnlp.privacy.accounting.guarantee import clip_l2
>>> clipped, sensitivity = clip_l2(torch.ones(2, 3), radius=1.0)
>>> mechanism = MultivariateLaplace(epsilon=4.0, sensitivity=sensitivity)
>>> mechanism(clipped, generator=torch.Generator().manual_seed(0)).shape
torch.Size([2, 3])
>>> print(mechanism.guarantee)
(4, 0)-differential privacy, any two inputs, L2 sensitivity 2
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import torch
from scipy.optimize import brentq
from scipy.special import log_ndtr
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import (
    Guarantee,
    L1Sensitivity,
    L2Sensitivity,
    Relation,
    Sensitivity,
    check_delta,
    check_epsilon,
    check_vectors,
)
from trustnlp.privacy.noise import samplers as laws
from trustnlp.privacy.noise.grid import noisy_on_grid
from trustnlp.privacy.noise.randomness import check_generator


class Mechanism(Protocol):
    """The methods of a mechanism that a release calls."""

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of releasing one row."""

    def __call__(self, vectors: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        """`(n, d)` rows with fresh noise on each; their dtype and device are kept."""


class _AdditiveNoise(ABC):
    """Noise made for a sensitivity of the norm `made_for`, on the grid of its scale."""

    made_for: ClassVar[type[Sensitivity]]
    epsilon: float
    sensitivity: Sensitivity

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)
        if not isinstance(self.sensitivity, self.made_for):
            mechanism, norm = type(self).__name__, type(self.sensitivity).__name__
            raise TypeError(
                f"{mechanism} noise is made for an {self.made_for.__name__}, got {norm}: noise of one norm does not "
                f"protect what is bounded in another. Clip in the right norm, or choose the mechanism made for {norm}"
            )

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of releasing one row."""
        return Guarantee(self.epsilon, 0.0, self.sensitivity)

    @property
    def scale(self) -> float:
        """Of the noise: the sensitivity over ε."""
        return self.sensitivity.value / self.epsilon

    @abstractmethod
    def _noise(self, shape: tuple[int, ...], generator: torch.Generator | None) -> Tensor:
        """Of this shape, float64."""

    def __call__(self, vectors: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        """`(n, d)` rows with fresh noise on each; their dtype and device are kept."""
        check_vectors(vectors)
        if generator is not None:
            check_generator(generator, vectors.device)
        return noisy_on_grid(vectors, self._noise(tuple(vectors.shape), generator).to(vectors.device), self.scale)


@dataclass(frozen=True)
class Laplace(_AdditiveNoise):
    """Independent Laplace noise of scale Δ₁/ε on each coordinate; Δ₁ is the L1 sensitivity of the whole vector.

    The scale is the mean absolute value of the noise in one coordinate.

    Parameters
    ----------
    epsilon
        Privacy of one row: per unit of L1 distance when the sensitivity is METRIC.
    sensitivity
        In L1. With an L2 sensitivity use `MultivariateLaplace`: this noise would be too small by up to √d.

    Raises
    ------
    TypeError
        If the sensitivity is not an `L1Sensitivity`.
    ValueError
        If ε is not positive and finite; when called, as `MultivariateLaplace`.
    """

    epsilon: float
    sensitivity: L1Sensitivity

    made_for = L1Sensitivity

    def _noise(self, shape: tuple[int, ...], generator: torch.Generator | None) -> Tensor:
        return laws.laplace(shape, self.scale, generator=generator, dtype=torch.float64)


@dataclass(frozen=True)
class MultivariateLaplace(_AdditiveNoise):
    """Noise with density proportional to exp(-ε‖z‖₂/Δ₂). PrivEmb, Claim 3.

    Its length has the Gamma distribution with mean `d · scale`.

    Parameters
    ----------
    epsilon
        Privacy of one row: per unit of Euclidean distance when the sensitivity is METRIC.
    sensitivity
        In L2.

    Raises
    ------
    TypeError
        If the sensitivity is not an `L2Sensitivity`.
    ValueError
        If ε is not positive and finite. When called: the vectors are not `(n, d)` and finite, or the generator is on
        another device.
    """

    epsilon: float
    sensitivity: L2Sensitivity

    made_for = L2Sensitivity

    def _noise(self, shape: tuple[int, ...], generator: torch.Generator | None) -> Tensor:
        n, dim = shape
        return laws.multivariate_laplace(n, dim, self.scale, generator=generator, dtype=torch.float64)


@dataclass(frozen=True)
class Gaussian(_AdditiveNoise):
    """Gaussian noise of the smallest σ that gives (ε, δ). Balle and Wang (2018), Theorem 8.

    The classic σ = Δ√(2 ln(1.25/δ))/ε is larger, and is proven for ε < 1 only.

    Parameters
    ----------
    epsilon, delta
        Privacy of one row.
    sensitivity
        In L2, LOCAL. There is no METRIC guarantee: the privacy loss between inputs at distance s is normal with mean
        s²/2σ², which exceeds ε·s for s large enough, and then with a probability above δ.

    Raises
    ------
    TypeError
        If the sensitivity is not an `L2Sensitivity`.
    ValueError
        If ε or δ is out of range, or the sensitivity is METRIC; when called, as `MultivariateLaplace`.
    """

    epsilon: float
    delta: float
    sensitivity: L2Sensitivity

    made_for = L2Sensitivity

    def __post_init__(self) -> None:
        super().__post_init__()
        check_delta(self.delta)
        if self.sensitivity.relation is not Relation.LOCAL:
            raise ValueError(
                "Gaussian noise has no guarantee per unit of distance: its privacy loss grows with the square of the "
                "distance, so no ε·distance bounds it. Clip (clip_l2) for a LOCAL one, or use MultivariateLaplace"
            )

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon, self.delta, self.sensitivity)

    @cached_property
    def sigma(self) -> float:
        """Standard deviation of the noise in each coordinate."""
        return self.sensitivity.value * gaussian_sigma(self.epsilon, self.delta)

    @property
    def scale(self) -> float:
        return self.sigma

    def _noise(self, shape: tuple[int, ...], generator: torch.Generator | None) -> Tensor:
        return laws.gaussian(shape, self.sigma, generator=generator, dtype=torch.float64)


def gaussian_log_delta(epsilon: float, sigma: float) -> float:
    """ln δ of Gaussian noise of `sigma` sensitivities at ε. Balle and Wang (2018), Theorem 8.

    δ = Φ(1/2σ - εσ) - e^ε Φ(-1/2σ - εσ), in logarithms: e^ε overflows from ε = 710 on, and δ underflows.

    Raises
    ------
    ValueError
        If σ is not positive and finite, or ε is negative or not finite.

    Examples
    --------
    >>> import math
    >>> f"{math.exp(gaussian_log_delta(1.0, 3.73)):.1g}"
    '1e-05'
    """
    if not (sigma > 0 and math.isfinite(sigma) and epsilon >= 0 and math.isfinite(epsilon)):
        raise ValueError(f"σ is positive and ε at least 0, both finite; got σ = {sigma} and ε = {epsilon}")
    minuend = float(log_ndtr(1 / (2 * sigma) - epsilon * sigma))
    log_ratio = epsilon + float(log_ndtr(-1 / (2 * sigma) - epsilon * sigma)) - minuend
    # At noise so large that rounding makes the two terms equal, δ is below what float64 can tell from 0.
    return minuend + math.log(-math.expm1(log_ratio)) if log_ratio < 0 else -math.inf


def gaussian_sigma(epsilon: float, delta: float) -> float:
    """Smallest σ, in units of the sensitivity, at which Gaussian noise is (ε, δ)-private.

    Balle and Wang (2018), Theorem 8. The equation is solved by Brent's method in ln σ in place of the bisection of
    their Algorithm 1, to a relative precision of 1e-6 in δ (1e-11 unless ε and δ are both tiny).

    Raises
    ------
    ValueError
        If ε is not positive and finite, δ not strictly between 0 and 1, or float64 cannot resolve the equation: both
        are tiny, or ε is above about 1e10.

    Examples
    --------
    >>> round(gaussian_sigma(1.0, 1e-5), 2)
    3.73
    """
    check_epsilon(epsilon)
    log_target = math.log(check_delta(delta))

    def excess(log_sigma: float) -> float:
        # δ falls from 1 to 0 as σ grows; the floor keeps the end of the bracket finite.
        return max(gaussian_log_delta(epsilon, math.exp(log_sigma)), -1e6) - log_target

    low = high = 0.0
    while excess(low) < 0:
        low -= 1
    while excess(high) > 0:
        high += 1
    sigma = math.exp(brentq(excess, low, high, xtol=1e-13, rtol=1e-13)) * (1 + 1e-12) if low < high else math.exp(low)
    if abs(math.expm1(gaussian_log_delta(epsilon, sigma) - log_target)) > 1e-6:
        advice = "raise δ" if epsilon < 1 else "lower ε"
        raise ValueError(f"float64 cannot resolve Gaussian noise for ε = {epsilon:g} and δ = {delta:g}; {advice}")
    return sigma
