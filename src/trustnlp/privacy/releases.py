"""Release vectors privately, in one call. Feyisetan and Kasiviswanathan (2021), Algorithm 1, and three alternatives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, get_args, overload

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.guarantee import Guarantee, check_epsilon, check_vectors
from trustnlp.privacy.mechanisms import Mechanism
from trustnlp.privacy.projection import (
    ExactRelease,
    PlainRelease,
    PrincipalRelease,
    ProjectedRelease,
    gaussian_projection,
    target_dimension,
)  # fmt: skip
from trustnlp.privacy.randomness import fresh_generator, mixed_generator

Method = Literal["projected", "plain", "exact", "principal"]
_Values = TypeVar("_Values", Tensor, NDArray[Any])


@dataclass(frozen=True, eq=False)
class Release(Generic[_Values]):
    """Vectors that may be published, and what may be said of them.

    Attributes
    ----------
    vectors
        `(n, m)` in the order given: a tensor for a tensor, an array for everything else.
    guarantee
        For each row.
    projection
        `(m, d)` float64, public: what a distance in `vectors` is compared with. None for `plain`.
    """

    vectors: _Values
    guarantee: Guarantee
    projection: Tensor | None


@overload
def release(
    vectors: Tensor, *, epsilon: float, method: Method = ..., beta: float = ..., delta: float = ...,
    m: int | None = ..., vocabulary: Tensor | NDArray[Any] | WordVectors | None = ..., seed: int | None = ...,
) -> Release[Tensor]: ...  # fmt: skip
@overload
def release(
    vectors: NDArray[Any] | Sequence[Sequence[float]] | WordVectors, *, epsilon: float, method: Method = ...,
    beta: float = ..., delta: float = ..., m: int | None = ...,
    vocabulary: Tensor | NDArray[Any] | WordVectors | None = ..., seed: int | None = ...,
) -> Release[NDArray[Any]]: ...  # fmt: skip


def release(
    vectors: Tensor | NDArray[Any] | Sequence[Sequence[float]] | WordVectors,
    *,
    epsilon: float,
    method: Method = "projected",
    beta: float = 0.9,
    delta: float = 1e-6,
    m: int | None = None,
    vocabulary: Tensor | NDArray[Any] | WordVectors | None = None,
    seed: int | None = None,
) -> Release[Any]:
    """Noisy copies of vectors that bound what each tells of its original, per unit of Euclidean distance.

    >>> import numpy as np
    >>> private = np.random.default_rng(0).normal(size=(5, 300)).astype(np.float32)
    >>> released = release(private, epsilon=10.0, seed=1)
    >>> released.vectors.shape, released.vectors.dtype
    ((5, 54), dtype('float32'))
    >>> print(released.guarantee)
    (10, 1e-06)-differential privacy, per unit of distance, L2 sensitivity 1.9

    The guarantee is for one row. Whoever holds k released rows of the same text knows k times as much: see
    `trustnlp.privacy.accounting`.

    Made for studies. Against a determined adversary the noise needs a cryptographic generator, which torch has not.
    Projection and noise have a generator each; see `trustnlp.privacy.randomness` for what that does and does not give.

    Parameters
    ----------
    vectors
        `(n, d)` of float32 or float64, in a tensor, an array, a list of lists or `WordVectors` (their order).
    epsilon
        Bound on the privacy loss per unit of distance: at distance 2, a released row is at most `exp(2ε)` times as
        likely from one vector as from the other. It depends on the scale of the vectors.
    method
        `projected` is PrivEmb (M2), `plain` adds noise in all d dimensions (M1), `exact` and `principal` use a public
        vocabulary for a guarantee without δ. See `trustnlp.privacy.projection`.
    beta, delta
        For `projected`; they also set the default of `m` for `exact` and `principal`.
    m
        Number of dimensions to release, if not that of `target_dimension` rounded up.
    vocabulary
        `(V, d)` **public** vectors, for `exact` (where `vectors` must be among them) and `principal`.
    seed
        Makes the release repeatable: same seed, same bits on one kind of machine. **Keep it secret**, and **publish one
        release per seed**: equal seeds draw equal noise, so the difference of two releases, of other vectors or at
        another ε, is free of it. None takes fresh randomness from the operating system, which no seed of 32 bits
        can repeat; see `trustnlp.privacy.randomness`.

    Raises
    ------
    TypeError
        Vectors of half precision, whole numbers or something else.
    ValueError
        A parameter out of range, β so small that the projection would add dimensions, vectors that are empty, of
        different lengths or not finite, a vocabulary that is missing or not used.
    """
    check_epsilon(epsilon)
    if method not in get_args(Method):
        raise ValueError(f"method is one of {', '.join(get_args(Method))}, got {method!r}")
    # What is published must not lead back to the original through autograd.
    rows = _tensor(vectors, "vectors").detach()
    # The projection is published: drawn from the noise's generator, it would give the noise away.
    for_projection, for_noise = (_generator(seed, place, rows.device) for place in (0, 1))
    mechanism = _mechanism(method, epsilon, beta, delta, m, rows.shape[1], vocabulary, for_projection)
    released = mechanism(rows, generator=for_noise)
    projection = getattr(mechanism, "projection", None)
    if isinstance(vectors, Tensor):
        return Release(released, mechanism.guarantee, projection)
    return Release(released.numpy(), mechanism.guarantee, projection)


def _mechanism(
    method: Method,
    epsilon: float,
    beta: float,
    delta: float,
    m: int | None,
    d: int,
    vocabulary: Tensor | NDArray[Any] | WordVectors | None,
    generator: torch.Generator,
) -> Mechanism:
    if method in ("projected", "plain"):
        if vocabulary is not None:
            raise ValueError(f"method {method!r} uses no vocabulary; leave it out, or choose 'exact' or 'principal'")
        if method == "projected":
            return ProjectedRelease.draw(d, epsilon=epsilon, delta=delta, beta=beta, generator=generator, m=m)
        if m is not None:
            raise ValueError("method 'plain' releases all dimensions; leave m out, or choose another method")
        return PlainRelease(epsilon)
    if vocabulary is None:
        raise ValueError(f"method {method!r} needs vocabulary=, the public vectors that its matrix is checked against")
    public = _tensor(vocabulary, "vocabulary").to(generator.device)
    if public.shape[1] != d:
        raise ValueError(f"the vocabulary has {public.shape[1]} dimensions, the vectors have {d}")
    kept = math.ceil(target_dimension(d, beta, delta)) if m is None else m
    if method == "exact":
        return ExactRelease(epsilon, public, gaussian_projection(d, kept, generator=generator))
    return PrincipalRelease.for_vocabulary(epsilon, public, kept)


def _generator(seed: int | None, place: int, device: torch.device) -> torch.Generator:
    if seed is None:
        return fresh_generator(device)
    return mixed_generator([abs(seed), int(seed < 0), place], device)


def _tensor(values: Tensor | NDArray[Any] | Sequence[Sequence[float]] | WordVectors, name: str) -> Tensor:
    """Anything `release` takes as a checked tensor `(n, d)`."""
    if isinstance(values, Tensor):
        return check_vectors(values)
    if isinstance(values, WordVectors):
        return torch.from_numpy(values.matrix.copy())
    if isinstance(values, np.ndarray):
        if values.dtype not in (np.float32, np.float64):
            raise TypeError(f"{name} are float32 or float64 (noise overflows half precision), got {values.dtype}")
        return check_vectors(torch.from_numpy(np.array(values, order="C")))
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise TypeError(f"{name} are a tensor, an array, a list of lists or WordVectors, got {type(values).__name__}")
    rows = [np.asarray(row, dtype=np.float64) for row in values]
    shapes = sorted({row.shape for row in rows})
    if len(shapes) > 1:
        raise ValueError(f"{name} of different lengths: {', '.join(str(shape) for shape in shapes[:5])}")
    return check_vectors(torch.from_numpy(np.array(rows, dtype=np.float64)))
