"""Goodness of fit of the stated law of noise: its length and its direction apart, in any dimension.

An audit of two inputs proves a loss without knowing the mechanism, and in many dimensions it needs more draws than
anybody has. Whoever states the law of the noise can be held to it with few draws: release minus input is the noise.

The three laws have one form. In the norm of the law the length of `(d,)` noise is independent of its direction:

=======================  ======  ==================================  ================================
family                   norm    length                              direction
=======================  ======  ==================================  ================================
`multivariate_laplace`   L2      Gamma(d, scale), PrivEmb Claim 3    uniform on the Euclidean sphere
`gaussian`               L2      scale · χ with d degrees            uniform on the Euclidean sphere
`laplace`                L1      Gamma(d, scale)                     that of d independent Laplace values
=======================  ======  ==================================  ================================

**Length.** The total length of n rows follows Gamma(n d, scale) (for Gaussian noise the total square χ² with n d
degrees): the best test there is of a scale, and exact. A Kolmogorov–Smirnov test of the lengths sees another shape.

**Direction.** Each direction gets a length of its own law, newly drawn by us. If directions are right, the result is
noise of the law with scale 1, whatever the lengths were, and is transformed to n independent standard normal rows Z.
Exact tests of that: the mean row; the factor R of Z = QR, whose squared diagonal follows χ² with n, n-1, … degrees and
whose other values are standard normal (Bartlett 1933), which sees a coordinate without noise, coordinates that share
noise, and any other linear dependence; a Kolmogorov–Smirnov test of all values of Z, which sees another shape.

All six p-values are exact for any n, so false alarms are rare by construction: a level is divided among them. A law
that fits says nothing about dependence between rows (see `repeats`) or of the length on the direction, nor about last
digits (`low_bits`). A law that does not fit refutes what was stated, and not ε: noise that is too long is private.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from trustnlp.privacy.audits.distinguish import Floats64

Family = Literal["multivariate_laplace", "laplace", "gaussian"]


@dataclass(frozen=True)
class NoiseLaw:
    """The law that a mechanism claims for its noise: `scale` is that of `Laplace.scale`, or the σ of a Gaussian.

    Raises
    ------
    ValueError
        If given an unknown family, or a scale that is not positive and finite.
    """

    family: Family
    scale: float

    def __post_init__(self) -> None:
        if self.family not in get_args(Family):
            raise ValueError(f"the law is one of {', '.join(get_args(Family))}, got {self.family!r}")
        if not (self.scale > 0 and math.isfinite(self.scale)):
            raise ValueError(f"the scale of noise is positive and finite, got {self.scale}")

    def lengths(self, noise: Floats64) -> Floats64:
        """`(n,)` lengths of `(n, d)` noise in the norm of the law, in units of the scale."""
        lengths: Floats64 = np.abs(noise).sum(axis=1) if self.family == "laplace" else np.linalg.norm(noise, axis=1)
        return lengths / self.scale

    def log_peak(self, dim: int) -> float:
        """Logarithm of the density at 0, the largest there is, of `dim` values in units of the scale."""
        if self.family == "laplace":
            return -dim * math.log(2)
        if self.family == "gaussian":
            return -dim / 2 * math.log(2 * math.pi)
        # The surface of the sphere times the integral of r^(d-1) exp(-r).
        surface = math.log(2) + dim / 2 * math.log(math.pi) - math.lgamma(dim / 2)
        return -surface - math.lgamma(dim)


@dataclass(frozen=True)
class Fit:
    """One exact test: which, its p-value, and what was seen."""

    name: str
    p_value: float
    seen: str


def length_fit(noise: Floats64, law: NoiseLaw) -> list[Fit]:
    """Two tests of the lengths of `(n, d)` noise: their total, and the shape of their law.

    Raises
    ------
    ValueError
        If given noise that is not `(n, d)` and finite.
    """
    n, dim = _checked(noise, 1)
    lengths = law.lengths(noise)
    if law.family == "gaussian":
        # The square of χ with d degrees is twice a Gamma variable with shape d/2.
        shape, powers = dim / 2, lengths**2 / 2
        ratio = math.sqrt(powers.mean() / shape)
    else:
        shape, powers = float(dim), lengths
        ratio = powers.mean() / shape
    total = float(powers.sum())
    p_value = float(_two_sided(special.gammainc(n * shape, total), special.gammaincc(n * shape, total)))
    uniform = special.gammainc(shape, powers)
    return [
        Fit("total length", p_value, f"{ratio:.3g} times the stated length"),
        _kolmogorov("law of the length", uniform),
    ]


def direction_fit(noise: Floats64, law: NoiseLaw, *, rng: np.random.Generator) -> list[Fit]:
    """Four tests of the directions of `(n, d)` noise; `rng` draws the lengths that replace those of the noise.

    Raises
    ------
    ValueError
        If given noise that is not `(n, d)` and finite, or fewer rows than `2 d`.
    """
    n, dim = _checked(noise, 2)
    rows = _normal_rows(noise, law, rng)
    away = rows.mean(axis=0) * math.sqrt(n)
    factor = np.linalg.qr(rows, mode="r")
    squares = np.diagonal(factor) ** 2
    degrees = n - np.arange(dim)
    one_by_one = _two_sided(special.chdtr(degrees, squares), special.chdtrc(degrees, squares))
    worst = int(one_by_one.argmin())
    others = factor[np.triu(np.ones((dim, dim), dtype=bool), 1)]
    dependence = float(special.chdtrc(len(others), others @ others)) if dim > 1 else 1.0
    return [
        Fit("mean direction", float(special.chdtrc(dim, away @ away)), f"largest along axis {np.abs(away).argmax()}"),
        Fit(
            "spread by coordinate",
            min(1.0, dim * float(one_by_one[worst])),
            f"coordinate {worst} given those before it has {math.sqrt(squares[worst] / (n - worst)):.3g} times the "
            "stated spread",
        ),
        Fit("dependence of coordinates", dependence, f"{len(others)} pairs of coordinates"),
        _kolmogorov("law of the coordinates", special.ndtr(rows.ravel())),
    ]


def together(fits: list[Fit]) -> Fit:
    """The test with the smallest p-value, corrected for having been chosen (Bonferroni)."""
    worst = min(fits, key=lambda fit: fit.p_value)
    return Fit(worst.name, min(1.0, len(fits) * worst.p_value), worst.seen)


def _normal_rows(noise: Floats64, law: NoiseLaw, rng: np.random.Generator) -> Floats64:
    """`(n, d)` independent standard normal values, if the directions of the noise are those of the law."""
    n, dim = noise.shape
    lengths = law.lengths(noise)[:, None] * law.scale
    # A row of zeros, as rounding makes of small noise, has no direction: any will do, and the length is another test.
    drawn = rng.laplace(size=(n, dim)) if law.family == "laplace" else rng.standard_normal((n, dim))
    noise = np.where(lengths > 0, noise, drawn)
    lengths = np.where(lengths > 0, lengths, law.lengths(drawn)[:, None] * law.scale)
    if law.family == "laplace":
        laplace = noise / lengths * rng.gamma(dim, size=(n, 1))
        # Φ⁻¹ of the lower tail exp(-|z|)/2, which is taken from its logarithm, since far out it is 0.
        quantiles: Floats64 = np.copysign(special.ndtri_exp(-np.abs(laplace) - math.log(2)), laplace)
        return quantiles
    return noise / lengths * np.sqrt(rng.chisquare(dim, size=(n, 1)))


def _two_sided(below: ArrayLike, above: ArrayLike) -> Floats64:
    """p-values from the probabilities of less and of more than what was seen."""
    p_values: Floats64 = np.minimum(1.0, 2 * np.minimum(below, above))
    return p_values


def _kolmogorov(name: str, uniform: Floats64) -> Fit:
    """Kolmogorov–Smirnov with the law of its statistic for n values, not the limit for many."""
    ordered = np.sort(uniform)
    n = len(ordered)
    steps = np.arange(n + 1) / n
    above, below = steps[1:] - ordered, ordered - steps[:-1]
    at = int(np.maximum(above, below).argmax())
    largest = max(float(above[at]), float(below[at]))
    seen = f"the share below the {ordered[at]:.0%} point is off by {100 * largest:.2g} points"
    return Fit(name, float(stats.kstwo.sf(largest, n)), seen)


def _checked(noise: Floats64, rows_per_dim: int) -> tuple[int, int]:
    if noise.ndim != 2 or 0 in noise.shape:
        raise ValueError(f"noise has the shape (n, d), got {noise.shape}")
    if not np.isfinite(noise).all():
        raise ValueError("the noise holds NaN or infinity; find out where the mechanism overflows")
    n, dim = noise.shape
    least = 2 * dim if rows_per_dim == 2 else 1
    if n < least:
        raise ValueError(f"{n} rows are too few for directions in {dim} dimensions: it takes at least {least}")
    return n, dim
