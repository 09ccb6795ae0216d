"""PrivEmb and its neighbours: project a vector, then add noise.

Feyisetan and Kasiviswanathan (2021), §3, Algorithm 1. All mechanisms release `w = Wx + κ` with density of κ
proportional to `exp(−ε‖z‖ / Δ)`, and all speak of the Euclidean distance of the vectors (`Relation.METRIC`). What
differs is the matrix W and why Δ bounds `‖Wx − Wx′‖ / ‖x − x′‖` (Claim 3):

| class | W | Δ | guarantee |
|---|---|---|---|
| `PlainRelease` (M1) | identity | 1 | (ε, 0), every vector |
| `ProjectedRelease` (M2, PrivEmb) | Φ `(m, d)`, entries `N(0, 1/m)` | 1 + β | (ε, δ), pairs given before Φ is drawn |
| `OrthonormalRelease` | m random orthonormal rows, times √(d/m) | √(d/m) | (ε, 0), every vector |
| `ExactRelease` | Φ as drawn | its largest ratio over a public vocabulary | (ε, 0), the vocabulary's vectors only |
| `PrincipalRelease` | orthonormal rows | 1 | (ε, 0), every vector |

The paper has the first two; the others are this book's. Product and noise are computed in float64, whatever the type of
the vectors: rounding the sum is post-processing, rounding `Wx` (float32, or TF32 on a GPU) before the noise would not
be. The sum is rounded to a grid that depends on ε and Δ only (`trustnlp.privacy.noise.grid`).
"""

from __future__ import annotations

import hashlib
import math
from typing import Literal, get_args

import numpy as np
import torch
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import (
    L2Sensitivity,
    Relation,
    check_beta,
    check_delta,
    check_epsilon,
    check_vectors,
)
from trustnlp.privacy.accounting.stated_guarantee import ALL_PAIRS, VOCABULARY, StatedGuarantee
from trustnlp.privacy.mechanisms.additive_noise import MultivariateLaplace
from trustnlp.privacy.mechanisms.lipschitz import extreme_ratios, union_bound
from trustnlp.privacy.noise.randomness import source_of

WidthLog = Literal["log2", "log"]


def target_dimension(d: int, beta: float, delta: float, *, width_log: WidthLog = "log2") -> float:
    """`m = (√log d + √ln(1/δ))² / β²` of Lemma 4 and §5, where `√log d` stands for the Gaussian width.

    The paper says neither the constant nor the base. With constant 1, base 2 for the width and base e for δ, and the
    paper's δ = 1e-6 and d = 300, β = 0.93, 0.66, 0.468 of Appendix A give 50.14, 99.56, 198.01, where it has 50, 100
    and 200. Rounding to the nearest gives 50, 100, 198. Rounding up, as `ProjectedRelease.draw` does because the lemma
    asks for at least so many, gives 51, 100, 199. Nothing gives 200; to have the paper's dimensions, pass them.

    Parameters
    ----------
    d
        Dimension of the vectors.
    beta
        Distortion, in (0, 1): the larger, the fewer dimensions.
    delta
        In (0, 1).
    width_log
        Logarithm under the root of the width, `log2` or natural (`log`: 43.1, 85.6, 170.2 for those β).

    Raises
    ------
    ValueError
        If a parameter is out of range, or m exceeds d: then projecting would add dimensions. The message names the
        smallest β that fits.

    Examples
    --------
    >>> round(target_dimension(300, 0.93, 1e-6), 2)
    50.14
    """
    if d < 1:
        raise ValueError(f"vectors have at least 1 dimension, got {d}")
    if width_log not in get_args(WidthLog):
        raise ValueError(f"width_log is one of {', '.join(get_args(WidthLog))}, got {width_log!r}")
    check_beta(beta)
    width = math.sqrt(math.log2(d) if width_log == "log2" else math.log(d))
    root = width + math.sqrt(-math.log(check_delta(delta)))
    if root > beta * math.sqrt(d):
        smallest = math.ceil(root / math.sqrt(d) * 1e4) / 1e4
        advice = f"take beta of at least {smallest:g}" if smallest < 1 else "no beta below 1 is large enough"
        raise ValueError(
            f"beta = {beta:g} and delta = {delta:g} ask for {(root / beta) ** 2:.1f} dimensions, but the vectors have "
            f"{d}; {advice}, or release them unprojected"
        )
    return (root / beta) ** 2


def gaussian_projection(d: int, m: int, *, generator: torch.Generator | None = None) -> Tensor:
    """Φ `(m, d)` in float64 with independent entries `N(0, 1/m)`, equation (1), on the generator's device.

    Without a generator the entries come from the cryptographic source. Φ is public, but δ is a probability over its
    draw: a generator of 32 random bits could not give one below 2⁻³².

    Raises
    ------
    ValueError
        If m lies outside 1..d.
    """
    _check_dimension(m, d)
    return source_of(generator).normal((m, d)) / math.sqrt(m)


class _LinearRelease:
    """`Wx + κ` for each row x: the guarantee, the matrix `(m, d)` in float64, or None for the identity."""

    guarantee: StatedGuarantee
    projection: Tensor | None

    def __init__(
        self, epsilon: float, projection: Tensor | None, constant: float, delta: float = 0.0, covers: str = ALL_PAIRS
    ) -> None:
        self._noise = MultivariateLaplace(epsilon, L2Sensitivity(constant, Relation.METRIC))
        self.guarantee = StatedGuarantee(float(epsilon), delta, self._noise.sensitivity, covers)
        self.projection = None if projection is None else _frozen(projection)

    @property
    def scale(self) -> float:
        """Δ/ε; the noise of a vector of m dimensions has mean length `m · scale`."""
        return self._noise.scale

    def __call__(self, vectors: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        """`(n, m)` for rows `(n, d)`, with fresh noise on each; dtype and device are kept.

        Raises
        ------
        TypeError
            If not a tensor of float32 or float64.
        ValueError
            If not `(n, d)` and finite, or the generator is on another device; for `ExactRelease` also a row that is not
            in its vocabulary. Whether it is raised depends on the vectors: show it to their owner only.
        """
        self._check(check_vectors(vectors))
        images = vectors.double()
        if self.projection is not None:
            images = images @ self.projection.to(vectors.device).T
        # A float32 overflow becomes the largest number, whatever the vectors are, as in `grid.noisy_on_grid`.
        largest = torch.finfo(vectors.dtype).max
        return self._noise(images, generator=generator).clamp(-largest, largest).to(vectors.dtype)

    def _check(self, vectors: Tensor) -> None:
        if self.projection is not None:
            _fitting(vectors, self.projection)


class PlainRelease(_LinearRelease):
    """M1, Feyisetan et al. (2020): `x + κ`, density of κ proportional to `exp(−ε‖z‖)`. (ε, 0) for every vector.

    >>> release = PlainRelease(epsilon=10.0)
    >>> release(torch.zeros(2, 300), generator=torch.Generator().manual_seed(0)).shape
    torch.Size([2, 300])

    Raises
    ------
    ValueError
        If ε is not positive and finite.
    """

    def __init__(self, epsilon: float) -> None:
        super().__init__(epsilon, None, 1.0)


class ProjectedRelease(_LinearRelease):
    """M2, PrivEmb (Algorithm 1): `Φx + κ`, density of κ proportional to `exp(−ε‖z‖ / (1 + β))`.

    The guarantee is the paper's (Proposition 5): (ε, δ) for a pair of vectors given before Φ is drawn. δ is the
    probability, over that draw, that the pair is stretched by more than 1 + β. Φ is public and drawn once, and some
    pairs are stretched more for good, up to its spectral norm: 3.3 for 54 × 300, where 1 + β = 1.9. What they lose, and
    all others at most, the guarantee says too. `lipschitz.union_bound` gives a δ that is proven for a finite
    vocabulary; `ExactRelease` and `OrthonormalRelease` remove the question.

    >>> generator = torch.Generator().manual_seed(0)
    >>> mechanism = ProjectedRelease.draw(300, epsilon=10.0, delta=1e-6, beta=0.9, generator=generator)
    >>> mechanism(torch.zeros(2, 300), generator=generator).shape
    torch.Size([2, 54])
    >>> print(mechanism.guarantee.claim)  # doctest: +ELLIPSIS
    (10, 1e-06)-differential privacy, per unit of distance, L2 sensitivity 1.9, for each pair of inputs given before ...

    Parameters
    ----------
    epsilon, delta, beta
        As in Algorithm 1; β in (0, 1).
    projection
        Φ `(m, d)`, entries drawn from `N(0, 1/m)` independently of the vectors.

    Raises
    ------
    ValueError
        If a parameter is out of range, or Φ has so few rows that δ is too small a claim even for a single pair.
    """

    def __init__(self, epsilon: float, delta: float, beta: float, projection: Tensor) -> None:
        longest = float(torch.linalg.matrix_norm(_frozen(projection), ord=2)) * (1 + 1e-9)
        for_all = check_epsilon(epsilon) * longest / (1 + check_beta(beta))
        covers = (
            f"each pair of inputs given before the matrix was drawn (with probability {1 - check_delta(delta):.9g} of "
            f"the draw). For all pairs, now that it is drawn: ({for_all:.4g}, 0)"
        )
        super().__init__(epsilon, projection, 1 + beta, delta, covers)
        self.beta = beta
        if (chance := union_bound(1, m := len(projection), beta)) > delta:
            raise ValueError(
                f"with m = {m} rows a single pair is stretched beyond 1 + β with probability {chance:.2g}, more than "
                f"delta = {delta:g}; take more rows, or a larger beta or delta"
            )

    @classmethod
    def draw(
        cls,
        d: int,
        *,
        epsilon: float,
        delta: float,
        beta: float,
        generator: torch.Generator | None = None,
        m: int | None = None,
    ) -> ProjectedRelease:
        """With a fresh Φ; m defaults to `target_dimension` rounded up."""
        rows = math.ceil(target_dimension(d, beta, delta)) if m is None else m
        return cls(epsilon, delta, beta, gaussian_projection(d, rows, generator=generator))


class OrthonormalRelease(_LinearRelease):
    """`Wx + κ` with m random orthonormal rows times √(d/m): (ε, 0) for every pair of vectors, no public data needed.

    Distances keep their length on average over the draw, as with Φ. Δ is √(d/m), the spectral norm of W whatever is
    drawn: for 54 of 300 dimensions 2.36, a quarter more noise than M2 has, whose 1 + β = 1.9 not all pairs keep.

    >>> mechanism = OrthonormalRelease.draw(300, 54, epsilon=10.0)
    >>> mechanism(torch.zeros(2, 300)).shape, round(mechanism.guarantee.sensitivity.value, 2)
    (torch.Size([2, 54]), 2.36)

    Raises
    ------
    ValueError
        If ε is out of range.
    """

    def __init__(self, epsilon: float, projection: Tensor) -> None:
        norm = float(torch.linalg.matrix_norm(check_vectors(projection).double(), ord=2))
        super().__init__(epsilon, projection, norm * (1 + 1e-9))  # a hair more, as the norm itself is rounded

    @classmethod
    def draw(cls, d: int, m: int, *, epsilon: float, generator: torch.Generator | None = None) -> OrthonormalRelease:
        """With fresh rows, in all directions equally likely; ValueError also for m outside 1..d."""
        rows = torch.linalg.qr(gaussian_projection(d, m, generator=generator).T).Q.T
        return cls(epsilon, rows * math.sqrt(d / m))


class ExactRelease(_LinearRelease):
    """`Φx + κ` for the vectors of a public vocabulary, with Φ's own largest ratio over all its pairs in place of 1 + β.

    Pure: (ε, 0), as nothing is left to chance. It says nothing of other vectors, so a row that is not in the
    vocabulary, digit for digit, is refused. Φ must be drawn before the vectors to release are looked at, and the
    vocabulary must be public: Δ depends on it.

    >>> vocabulary = torch.eye(4)
    >>> mechanism = ExactRelease(10.0, vocabulary, gaussian_projection(4, 2))
    >>> mechanism.guarantee.delta
    0.0

    Parameters
    ----------
    epsilon
        Per unit of distance.
    vocabulary
        `(V, d)`, at least two distinct vectors. All pairs are compared.
    projection
        Φ `(m, d)`.

    Raises
    ------
    ValueError
        If ε is out of range, the shapes do not fit, or Φ maps the whole vocabulary to one point.
    """

    def __init__(self, epsilon: float, vocabulary: Tensor, projection: Tensor) -> None:
        check_epsilon(epsilon)
        matrix = _frozen(projection).cpu()
        public = _fitting(check_vectors(vocabulary).detach().cpu().double(), matrix)
        largest = extreme_ratios(public.numpy(), (public @ matrix.T).numpy()).largest
        super().__init__(epsilon, projection, largest, covers=VOCABULARY)
        self._known = frozenset(row_digests(public))

    def _check(self, vectors: Tensor) -> None:
        super()._check(vectors)
        if unknown := [row for row, digest in enumerate(row_digests(vectors)) if digest not in self._known]:
            raise ValueError(
                f"row {unknown[0]} and {len(unknown) - 1} more are not vectors of the public vocabulary, for which "
                "alone the guarantee holds; use ProjectedRelease, PrincipalRelease or PlainRelease for others"
            )


class PrincipalRelease(_LinearRelease):
    """`Wx + κ` where W `(m, d)` has orthonormal rows, such as the principal directions of a public vocabulary.

    `‖Wx − Wx′‖ ≤ ‖x − x′‖` for every pair of vectors, in the vocabulary or not: (ε, 0), and less noise than M1 and M2
    at the same m. The paper (§1.1) rules principal components out by a lower bound for *private* ones; the directions
    of a public vocabulary need no privacy.

    Raises
    ------
    ValueError
        If ε is out of range, or W stretches some vector: its spectral norm exceeds 1.
    """

    def __init__(self, epsilon: float, projection: Tensor) -> None:
        super().__init__(epsilon, projection, 1.0)
        if (norm := float(torch.linalg.matrix_norm(_frozen(projection), ord=2))) > 1 + 1e-9:
            raise ValueError(f"the projection stretches vectors up to {norm:.9g} times; orthonormalise it in float64")


def principal_rows(vocabulary: Tensor, m: int) -> Tensor:
    """`(m, d)` float64 orthonormal rows: the directions in which the vectors `(V, d)` vary most, most first.

    The sign is such that the largest coordinate is positive, so that machines agree.

    Raises
    ------
    ValueError
        If m lies outside 1..d.
    """
    _check_dimension(m, check_vectors(vocabulary).shape[1])
    values = vocabulary.double()
    centred = values - values.mean(dim=0)
    rows: Tensor = torch.linalg.eigh(centred.T @ centred).eigenvectors.T.flip(0)[:m]
    return rows * rows.gather(1, rows.abs().argmax(dim=1, keepdim=True)).sign()


def _check_dimension(m: int, d: int) -> None:
    if not 1 <= m <= d:
        raise ValueError(f"a projection of {d} dimensions keeps between 1 and {d} of them, got {m}")


def _fitting(vectors: Tensor, projection: Tensor) -> Tensor:
    if (d := projection.shape[1]) != vectors.shape[1]:
        raise ValueError(f"the projection is made for {d} dimensions, the vectors have {vectors.shape[1]}")
    return vectors


def _frozen(projection: Tensor) -> Tensor:
    return check_vectors(projection).detach().double().clone()


def row_digests(rows: Tensor) -> list[bytes]:
    """A digest of each row `(n, d)`; equal rows, float32 or float64, have equal ones."""
    # Adding 0 makes 0.0 of -0.0.
    values = np.ascontiguousarray(rows.detach().cpu().double().numpy() + 0.0)
    return [hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in values]
