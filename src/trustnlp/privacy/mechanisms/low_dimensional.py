"""Releases of a text's vector that keep a stated ε because little is released: a few directions, or one label.

Feyisetan and Kasiviswanathan (2021, "PrivEmb") project before they add noise; the noise that a whole vector needs grows
with its dimension. Here the projection is joined with a bound. `ClippedRelease` centres, projects to m directions,
shortens what is longer than a radius, and adds noise made for that radius in the norm it was measured in. The guarantee
is LOCAL: it holds for any two vectors, whatever encoder made them.

`randomised_response` is Warner's (1965) for more than two answers (Kairouz, Bonawitz and Ramage 2016): who knows the
task can classify on the device and send the label, true or not (`LabelRelease`).

Directions, centre, radius and classifier are public, so they must not be made from the vectors that are to be
protected. Made from a server's own texts they are free.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from trustnlp.privacy.accounting.guarantee import (
    Guarantee,
    L1Sensitivity,
    Relation,
    check_epsilon,
    check_vectors,
    clip_l1,
    clip_l2,
)  # fmt: skip
from trustnlp.privacy.mechanisms.additive_noise import Gaussian, Laplace
from trustnlp.privacy.noise.randomness import source_of


class ClippedRelease:
    """`clip(W (x − centre)) + noise` for each row x. (ε, δ) for any two vectors.

    With δ = 0 rows are clipped in L1 and get independent Laplace noise; with δ > 0 they are clipped in L2 and get
    Gaussian noise (Balle and Wang 2018, Theorem 8). Everything up to the noise is computed in float64, as in
    `trustnlp.privacy.mechanisms.projection`.

    >>> release = ClippedRelease(torch.eye(2, 5), torch.zeros(5), radius=1.0, epsilon=4.0)
    >>> release(torch.ones(3, 5), generator=torch.Generator().manual_seed(0)).shape
    torch.Size([3, 2])
    >>> print(release.guarantee)
    (4, 0)-differential privacy, any two inputs, L1 sensitivity 2

    Parameters
    ----------
    directions
        W `(m, k)`, one direction a row. They need not be orthonormal: lengths are bounded after the projection.
    centre
        `(k,)`, subtracted first, so that what is common to all vectors takes no part of the radius.
    radius
        Longest row that is released as it is, in L1 or L2.
    epsilon, delta
        Privacy of one row.

    Raises
    ------
    TypeError
        If given directions that are no tensor of float32 or float64.
    ValueError
        If ε, δ or the radius is out of range, or shapes do not fit. When called: as
        `trustnlp.privacy.mechanisms.additive_noise`.
    """

    def __init__(
        self, directions: Tensor, centre: Tensor, radius: float, *, epsilon: float, delta: float = 0.0
    ) -> None:
        self.directions = check_vectors(directions).detach().double().clone()
        if centre.shape != (directions.shape[1],) or not bool(torch.isfinite(centre).all()):
            shape = tuple(centre.shape)
            raise ValueError(f"the centre is a finite value for each of {directions.shape[1]} coordinates, got {shape}")
        self.centre, self.radius = centre.detach().double().clone(), radius
        # Clipping one row tells the sensitivity, and refuses a radius that cannot be.
        self._noise: Laplace | Gaussian
        if delta == 0:
            self._noise = Laplace(epsilon, clip_l1(self.directions[:1], radius)[1])
        else:
            self._noise = Gaussian(epsilon, delta, clip_l2(self.directions[:1], radius)[1])

    @classmethod
    def fitted(
        cls, known: Tensor, directions: Tensor, *, quantile: float, epsilon: float, delta: float = 0.0
    ) -> ClippedRelease:
        """With the mean of public vectors `(n, k)` as centre, and a `quantile` of their projected lengths as radius.

        Raises
        ------
        ValueError
            If the quantile lies outside (0, 1], or so many vectors are projected to the centre that the radius is 0.
        """
        if not 0 < quantile <= 1:
            raise ValueError(f"the quantile of the lengths lies above 0 and is at most 1, got {quantile}")
        values = check_vectors(known).double()
        centre = values.mean(dim=0)
        lengths = torch.linalg.vector_norm((values - centre) @ directions.double().T, ord=2 if delta else 1, dim=1)
        return cls(directions, centre, float(lengths.quantile(quantile)), epsilon=epsilon, delta=delta)

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of releasing one row."""
        return self._noise.guarantee

    def clipped(self, vectors: Tensor) -> Tensor:
        """`(n, m)` float64: what gets the noise. It must not leave the device."""
        check_vectors(vectors)
        if vectors.shape[1] != len(self.centre):
            raise ValueError(f"the directions are made for {len(self.centre)} coordinates, got {vectors.shape[1]}")
        values = (vectors.double() - self.centre.to(vectors.device)) @ self.directions.to(vectors.device).T
        clip = clip_l1 if self.guarantee.delta == 0 else clip_l2
        return clip(values, self.radius)[0]

    def __call__(self, vectors: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        """`(n, m)` for rows `(n, k)`, with fresh noise on each, in their dtype."""
        return self._noise(self.clipped(vectors), generator=generator).to(vectors.dtype)


class ResponseChances(NamedTuple):
    """Of `randomised_response`: the probability of the true label, and of each other one."""

    true: float
    other: float


def response_chances(epsilon: float, classes: int) -> ResponseChances:
    """e^ε / (e^ε + c − 1) and 1 / (e^ε + c − 1): their ratio is e^ε exactly, and c of them add up to 1.

    Raises
    ------
    ValueError
        If ε is not positive and finite, or there are fewer than two classes.

    Examples
    --------
    >>> [round(chance, 3) for chance in response_chances(1.0, 3)]
    [0.576, 0.212]
    """
    if classes < 2:
        raise ValueError(f"a label that is to be hidden has at least 2 values, got {classes}")
    shrunk = math.exp(-check_epsilon(epsilon))  # e^ε overflows
    return ResponseChances(1 / (1 + (classes - 1) * shrunk), shrunk / (1 + (classes - 1) * shrunk))


def randomised_response(
    labels: Tensor, epsilon: float, classes: int, *, generator: torch.Generator | None = None
) -> Tensor:
    """Each label `(n,)` as it is, or one of the others, all equally likely. (ε, 0) for each of them.

    Where ε exceeds about 43 (with a generator 36), another label is rarer than uniform numbers can tell, and never
    drawn.

    >>> randomised_response(torch.tensor([0, 1, 2]), 50.0, 3, generator=torch.Generator().manual_seed(0))
    tensor([0, 1, 2])

    Raises
    ------
    TypeError
        If given labels that are no int64 tensor.
    ValueError
        If `response_chances` would raise it; labels that are not `(n,)` or lie outside 0..classes-1; a generator on
        another device.
    """
    chances = response_chances(epsilon, classes)
    if not isinstance(labels, Tensor) or labels.dtype != torch.int64:
        kind = labels.dtype if isinstance(labels, Tensor) else type(labels).__name__
        raise TypeError(f"labels are an int64 tensor of shape (n,), got {kind}")
    if labels.ndim != 1 or len(labels) == 0 or int(labels.min()) < 0 or int(labels.max()) >= classes:
        raise ValueError(f"labels are (n,) numbers from 0 to {classes - 1}, got shape {tuple(labels.shape)}: {labels}")
    source = source_of(generator, labels.device)
    changed = source.bernoulli((classes - 1) * chances.other, tuple(labels.shape))
    steps = source.integers(1, classes, tuple(labels.shape))
    return torch.where(changed, (labels + steps) % classes, labels)


@dataclass(frozen=True, eq=False)
class LabelRelease:
    """Classify on the device and send the label by randomised response, one-hot `(n, c)`. (ε, 0) for any two vectors.

    Attributes
    ----------
    weight, bias
        Linear classifier, `(c, k)` and `(c,)`.

    Raises
    ------
    ValueError
        If ε is not positive and finite, shapes do not fit, or there is a single class.
    """

    weight: Tensor
    bias: Tensor
    epsilon: float

    def __post_init__(self) -> None:
        response_chances(self.epsilon, len(self.bias))
        if self.weight.ndim != 2 or len(self.weight) != len(self.bias):
            raise ValueError(
                f"a classifier has weights (c, k) and biases (c,), got {tuple(self.weight.shape)} and "
                f"{tuple(self.bias.shape)}"
            )

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of releasing one row; two labels, as one-hot vectors, lie 2 apart in L1."""
        return Guarantee(self.epsilon, 0.0, L1Sensitivity(2.0, Relation.LOCAL))

    def __call__(self, vectors: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        weight, bias = self.weight.to(vectors.dtype), self.bias.to(vectors.dtype)
        labels = functional.linear(check_vectors(vectors), weight, bias).argmax(dim=1)
        answers = randomised_response(labels, self.epsilon, len(self.bias), generator=generator)
        return functional.one_hot(answers, len(self.bias)).to(vectors.dtype)


def discriminant_directions(weight: Tensor) -> Tensor:
    """`(c − 1, k)` float64 orthonormal rows that span all a linear classifier `(c, k)` looks at.

    Scores matter by their differences, hence the mean of the classes' weights is taken out first.

    Raises
    ------
    ValueError
        If there are fewer than two classes, more classes than coordinates, or weights whose differences span fewer
        directions.
    """
    classes, width = check_vectors(weight).shape
    if not 2 <= classes <= width:
        raise ValueError(f"a classifier has 2 to {width} classes on {width} coordinates, got {classes}")
    values = weight.detach().double()
    _, sizes, rows = torch.linalg.svd(values - values.mean(dim=0), full_matrices=False)
    if float(sizes[classes - 2]) <= 1e-9 * float(sizes[0]):
        raise ValueError("two classes have the same weights, or they differ in too few directions; train longer")
    leading: Tensor = rows[: classes - 1]
    # The sign is free; the largest coordinate is made positive, so that machines agree.
    return leading * leading.gather(1, leading.abs().argmax(dim=1, keepdim=True)).sign()
