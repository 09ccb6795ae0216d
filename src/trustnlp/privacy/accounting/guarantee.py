"""The guarantee of a private release: neighbouring relation, sensitivity with its norm, ε and δ.

Mechanisms take a sensitivity of the norm their noise is made for: `Laplace` an `L1Sensitivity`, `MultivariateLaplace`
and `Gaussian` an `L2Sensitivity`. They are different types, so clipping in one norm and adding the noise of the other,
the error of more than one published text mechanism (Habernal 2021), fails before anything is released.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

import torch
from torch import Tensor


class Relation(enum.Enum):
    """Which pairs of inputs the guarantee speaks of."""

    LOCAL = "any two inputs"
    """Local differential privacy: ε bounds the loss for every pair of inputs, however far apart."""
    METRIC = "per unit of distance"
    """Lipschitz (metric) privacy, PrivEmb Definition 1: the loss is at most ε times the distance of the two inputs."""


@dataclass(frozen=True)
class Sensitivity:
    """How far two released values can lie apart before noise is added. Use `L1Sensitivity` or `L2Sensitivity`.

    Under `Relation.LOCAL`, `value` is the largest distance between the values of any two inputs; under
    `Relation.METRIC` it is the Lipschitz constant of the released function (PrivEmb, Definition 2), inputs and values
    both measured in the norm of the class.

    Raises
    ------
    ValueError
        If the value is not positive and finite.
    """

    norm: ClassVar[str]
    value: float
    relation: Relation

    def __post_init__(self) -> None:
        if not isinstance(self.relation, Relation):
            raise TypeError(f"the relation is Relation.LOCAL or Relation.METRIC, got {self.relation!r}")
        if not 0 < check_number(self.value, "a sensitivity") < math.inf:
            raise ValueError(f"a sensitivity is positive and finite, got {self.value}")


@dataclass(frozen=True)
class L1Sensitivity(Sensitivity):
    """Sensitivity measured by the sum of absolute differences (Manhattan)."""

    norm = "L1"


@dataclass(frozen=True)
class L2Sensitivity(Sensitivity):
    """Sensitivity measured by the Euclidean length of the difference."""

    norm = "L2"


@dataclass(frozen=True)
class Guarantee:
    """(ε, δ) under a neighbouring relation.

    >>> print(Guarantee(2.0, 0.0, L1Sensitivity(1.0, Relation.LOCAL)))
    (2, 0)-differential privacy, any two inputs, L1 sensitivity 1

    Parameters
    ----------
    epsilon
        Bound on the privacy loss: in nats under LOCAL, in nats per unit of distance under METRIC.
    delta
        Probability with which the bound may fail; 0 is pure privacy.
    sensitivity
        The sensitivity the noise was scaled to, with its norm and relation.

    Raises
    ------
    ValueError
        If ε is not positive and finite, or δ lies outside [0, 1).
    """

    epsilon: float
    delta: float
    sensitivity: Sensitivity

    def __post_init__(self) -> None:
        check_epsilon(self.epsilon)
        if self.delta != 0:
            check_delta(self.delta)

    @property
    def relation(self) -> Relation:
        """The neighbouring relation, that of the sensitivity."""
        return self.sensitivity.relation

    def loss_bound(self, distance: float) -> float:
        """Largest privacy loss (nats) between two inputs at `distance`, in the norm of the sensitivity."""
        return self.epsilon * distance if self.relation is Relation.METRIC else self.epsilon

    def __str__(self) -> str:
        return (
            f"({self.epsilon:g}, {self.delta:g})-differential privacy, {self.relation.value}, "
            f"{self.sensitivity.norm} sensitivity {self.sensitivity.value:g}"
        )


def check_number(value: float, name: str) -> float:
    """The value as a float. TypeError for text, an array, a truth value or anything else that is no single number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} is one number, got {type(value).__name__}: {value!r:.40}")
    return float(value)


def check_epsilon(epsilon: float) -> float:
    """ε itself. ValueError unless it is positive and finite."""
    if not 0 < check_number(epsilon, "epsilon") < math.inf:
        raise ValueError(f"epsilon is positive and finite (smaller is more private), got {epsilon}")
    return float(epsilon)


def check_delta(delta: float) -> float:
    """δ itself. ValueError unless it lies strictly between 0 and 1."""
    if not 0 < check_number(delta, "delta") < 1:
        raise ValueError(f"delta is a probability strictly between 0 and 1, got {delta}")
    return float(delta)


def check_beta(beta: float) -> float:
    """β itself. ValueError unless it lies strictly between 0 and 1."""
    if not 0 < check_number(beta, "beta") < 1:
        raise ValueError(f"beta lies strictly between 0 and 1 (larger means fewer dimensions), got {beta}")
    return float(beta)


def check_vectors(vectors: Tensor) -> Tensor:
    """The vectors themselves, `(n, d)`.

    Raises
    ------
    TypeError
        If not a dense tensor of floating-point numbers of at least 32 bits (half precision overflows under noise).
    ValueError
        If not two-dimensional, empty, or a value is NaN or infinite.
    """
    if not isinstance(vectors, Tensor):
        raise TypeError(f"vectors are a torch.Tensor of shape (n, d), got {type(vectors).__name__}")
    if vectors.dtype not in (torch.float32, torch.float64):
        raise TypeError(f"vectors are float32 or float64 (noise overflows half precision), got {vectors.dtype}")
    if vectors.layout != torch.strided or vectors.is_meta:
        kind = "one without values (meta)" if vectors.is_meta else "a sparse one; call .to_dense()"
        raise TypeError(f"vectors are a dense tensor, got {kind}")
    if vectors.ndim != 2 or 0 in vectors.shape:
        raise ValueError(f"vectors have shape (n, d) with at least one row and column, got {tuple(vectors.shape)}")
    if not bool(torch.isfinite(vectors).all()):
        raise ValueError("a vector holds NaN or infinity; leave its word out, or find out where it comes from")
    return vectors


def clip_l1(vectors: Tensor, radius: float) -> tuple[Tensor, L1Sensitivity]:
    """Scale rows `(n, d)` of L1 length above `radius` down to it; any two results lie within `2 · radius` in L1."""
    return _clip(vectors, radius, order=1), L1Sensitivity(2 * radius, Relation.LOCAL)


def clip_l2(vectors: Tensor, radius: float) -> tuple[Tensor, L2Sensitivity]:
    """Scale rows `(n, d)` of Euclidean length above `radius` down to it; any two results lie within `2 · radius`."""
    return _clip(vectors, radius, order=2), L2Sensitivity(2 * radius, Relation.LOCAL)


def _clip(vectors: Tensor, radius: float, order: int) -> Tensor:
    check_vectors(vectors)
    if not (radius > 0 and math.isfinite(radius)):
        raise ValueError(f"the clipping radius is positive and finite, got {radius}")
    # In float64, where squares of float32 values neither overflow nor vanish; a hair inside, as rounding may lengthen.
    values = vectors.double()
    lengths = torch.linalg.vector_norm(values, ord=order, dim=1, keepdim=True)
    shortened = (values * (radius * (1 - 2 * torch.finfo(vectors.dtype).eps) / lengths)).to(vectors.dtype)
    # Rows inside the radius stay as they are, to the last bit.
    return torch.where(lengths > radius, shortened, vectors)
