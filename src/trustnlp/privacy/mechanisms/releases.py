"""Release vectors privately, in one call. Feyisetan and Kasiviswanathan (2021), Algorithm 1, and alternatives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.accounting.guarantee import check_delta, check_epsilon, check_vectors
from trustnlp.privacy.accounting.stated_guarantee import StatedGuarantee, stated
from trustnlp.privacy.mechanisms.additive_noise import Mechanism
from trustnlp.privacy.mechanisms.pairs import as_matrix
from trustnlp.privacy.mechanisms.projection import (
    ExactRelease,
    OrthonormalRelease,
    PlainRelease,
    PrincipalRelease,
    ProjectedRelease,
    gaussian_projection,
    principal_rows,
    row_digests,
    target_dimension,
)  # fmt: skip
from trustnlp.privacy.noise.randomness import check_whole, seeded_generators, why_refused

Method = Literal["orthonormal", "projected", "plain", "exact", "principal"]
LARGEST_DELTA = 0.1


@dataclass(frozen=True, eq=False)
class Release:
    """Vectors that may be published, and what may be said of them.

    Attributes
    ----------
    vectors
        `(n, m)` in the order given: a tensor for a tensor, an array for everything else.
    guarantee
        For each row, with the pairs of inputs that it covers.
    projection
        `(m, d)` float64, public: what a distance in `vectors` is compared with. None for `plain`.
    """

    vectors: Tensor | NDArray[Any]
    guarantee: StatedGuarantee
    projection: Tensor | None


def release(
    vectors: Any,
    *,
    epsilon: float,
    method: Method = "orthonormal",
    beta: float | None = None,
    delta: float | None = None,
    m: int | None = None,
    vocabulary: Any = None,
    insecure_seed: int | None = None,
    **refused: Any,
) -> Release:
    """Noisy copies of vectors that bound what each tells of its original, per unit of Euclidean distance.

    >>> import numpy as np
    >>> private = np.random.default_rng(0).normal(size=(5, 300)).astype(np.float32)
    >>> released = release(private, epsilon=10.0)
    >>> released.vectors.shape, released.vectors.dtype
    ((5, 54), dtype('float32'))
    >>> print(released.guarantee.claim)
    (10, 0)-differential privacy, per unit of distance, L2 sensitivity 2.35702, for all pairs of inputs

    What is promised, for the pairs that `guarantee.covers` names: no released row is more than `exp(ε · distance)`
    times as likely from one vector as from another. What is not: that a vector cannot be guessed (at a large
    ε·distance it can), that ε means the same for other vectors (it depends on their scale), or that rows keep it
    together: whoever holds k released rows of the same text knows k times as much, see
    `trustnlp.privacy.accounting.composition`.

    Coordinates beyond 2³⁰ times the noise's scale are cut off, which is felt from ε of some 1e8 on. Noise comes from a
    cryptographic source and the sum is rounded to a grid that depends on ε only; see
    `trustnlp.privacy.noise.secure_random` and `trustnlp.privacy.noise.grid`. Errors are for the owner of the vectors:
    whether one is raised can depend on them.

    Parameters
    ----------
    vectors
        `(n, d)` of float32 or float64, in a tensor, an array, a data frame, a list of lists, `WordVectors` or gensim's
        `KeyedVectors` (their order).
    epsilon
        Bound on the privacy loss per unit of distance: at distance 2, a released row is at most `exp(2ε)` times as
        likely from one vector as from the other. It depends on the scale of the vectors.
    method
        `orthonormal` keeps random directions, and its guarantee holds for all pairs of vectors. `projected` is PrivEmb
        (M2), whose guarantee holds for pairs given before its matrix is drawn. `plain` adds noise in all d dimensions
        (M1), `exact` and `principal` use a public vocabulary. See `trustnlp.privacy.mechanisms.projection`.
    beta, delta
        For `projected`, 0.9 and 1e-6 if not given; they also set the default of `m` for the others that have one.
    m
        Number of dimensions to release, if not that of `target_dimension` rounded up.
    vocabulary
        `(V, d)` **public** vectors, for `exact` (where `vectors` must be among them) and `principal`. What is released
        depends on them, so a vocabulary made of the private vectors alone is refused.
    insecure_seed
        For experiments that publish nothing: makes the release repeatable, and the noise easy to take off. A seed is
        found by trying; a few rows whose originals are known give away all others; two releases with one seed have
        equal noise.

    Raises
    ------
    TypeError
        If given vectors of half precision, whole numbers, masked or something else; a number that is none; `seed`,
        `random_state` or another source of randomness: a release that can be repeated can be undone.
    ValueError
        If given a parameter out of range, β so small that the projection would add dimensions, vectors that are empty,
        of different lengths or not finite, a vocabulary that is missing or not used; a δ above `LARGEST_DELTA`, with
        which a guarantee says little.
    """
    if refused:
        raise TypeError(why_refused("release", next(iter(refused))))
    check_epsilon(epsilon)
    if method not in get_args(Method):
        raise ValueError(f"method is one of {', '.join(get_args(Method))}, got {method!r}")
    # What is published must not lead back to the original through autograd.
    rows = _tensor(vectors, "vectors").detach()
    for_projection, for_noise = seeded_generators(insecure_seed, rows.device)
    mechanism = _mechanism(method, epsilon, beta, delta, m, rows, vocabulary, for_projection)
    released = mechanism(rows, generator=for_noise)
    projection = getattr(mechanism, "projection", None)
    if isinstance(vectors, Tensor):
        public = None if projection is None else projection.to(vectors.device)
        return Release(released, stated(mechanism), public)
    return Release(released.numpy(), stated(mechanism), projection)


def _mechanism(
    method: Method,
    epsilon: float,
    beta: float | None,
    delta: float | None,
    m: int | None,
    rows: Tensor,
    vocabulary: Any,
    generator: torch.Generator | None,
) -> Mechanism:
    d = rows.shape[1]
    if method == "plain" and (beta, delta, m) != (None, None, None):
        surplus = "leave m out" if m is not None else "so beta and delta change nothing; leave them out"
        raise ValueError(f"method 'plain' releases all dimensions; {surplus}")
    if method != "projected" and m is not None and (beta, delta) != (None, None):
        raise ValueError(f"method {method!r} is given m, so beta and delta change nothing; leave them out")
    beta, delta = 0.9 if beta is None else beta, 1e-6 if delta is None else delta
    if method == "projected" and check_delta(delta) > LARGEST_DELTA:
        raise ValueError(
            f"delta = {delta:g} lets the promise fail outright for one row in {1 / delta:.3g}; take {LARGEST_DELTA:g} "
            "at most, and less than 1 / n for n rows"
        )
    if vocabulary is not None and method not in ("exact", "principal"):
        raise ValueError(f"method {method!r} uses no vocabulary; leave it out, or choose 'exact' or 'principal'")
    if method == "plain":
        return PlainRelease(epsilon)
    size = math.ceil(target_dimension(d, beta, delta)) if m is None else check_whole(m, "m")
    if method == "orthonormal":
        return OrthonormalRelease.draw(d, size, epsilon=epsilon, generator=generator)
    if method == "projected":
        return ProjectedRelease.draw(d, epsilon=epsilon, delta=delta, beta=beta, generator=generator, m=size)
    if vocabulary is None:
        raise ValueError(f"method {method!r} needs vocabulary=, the public vectors that its matrix is checked against")
    public = _tensor(vocabulary, "vocabulary").to(rows.device)
    if public.shape[1] != d:
        raise ValueError(f"the vocabulary has {public.shape[1]} dimensions, the vectors have {d}")
    if not set(row_digests(public)) - set(row_digests(rows)):
        raise ValueError(
            "the vocabulary holds the vectors to release and no others, and what is released depends on it; give a "
            "public vocabulary, made without them"
        )
    if method == "exact":
        return ExactRelease(epsilon, public, gaussian_projection(d, size, generator=generator))
    return PrincipalRelease(epsilon, principal_rows(public, size))


def _tensor(values: Any, name: str) -> Tensor:
    """Anything `release` takes as a checked tensor `(n, d)`."""
    if isinstance(values, Tensor):
        return check_vectors(values)
    if isinstance(values, WordVectors):
        return torch.from_numpy(values.matrix.copy())
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} are masked, and the mask would be lost; fill it or leave these rows out")
    # A pandas data frame and gensim's KeyedVectors, without importing either.
    values = values.to_numpy() if hasattr(values, "to_numpy") else getattr(values, "vectors", values)
    if isinstance(values, np.ndarray):
        values = values.astype(values.dtype.newbyteorder("="), copy=False)  # of another machine's order of bytes
        if values.dtype not in (np.float32, np.float64):
            raise TypeError(f"{name} are float32 or float64 (noise overflows half precision), got {values.dtype}")
        return check_vectors(torch.from_numpy(np.array(values, order="C")))
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise TypeError(
            f"{name} are a tensor, an array, a data frame, a list of lists, WordVectors or KeyedVectors, got "
            f"{type(values).__name__}"
        )
    return check_vectors(torch.from_numpy(as_matrix(values, name)))
