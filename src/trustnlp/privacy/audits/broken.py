"""Mechanisms that do not keep what they claim, for audits to convict. Never release anything with them.

Each takes the ε it claims (per unit of Euclidean distance) and returns a release from `(n, d)` to `(n, d)`.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import check_epsilon
from trustnlp.privacy.noise import samplers as noise

Release = Callable[..., Tensor]


def half_noise(epsilon: float) -> Release:
    """Multivariate Laplace noise of half the length that ε needs; its true ε is twice the claim."""
    scale = 1 / (2 * check_epsilon(epsilon))

    def release(vectors: Tensor, *, generator: torch.Generator) -> Tensor:
        n, d = vectors.shape
        return vectors + noise.multivariate_laplace(n, d, scale, generator=generator, dtype=vectors.dtype)

    return release


def forgotten_dimension(epsilon: float) -> Release:
    """A uniform direction with a length drawn as in one dimension, Gamma(1, 1/ε) for Gamma(d, 1/ε).

    The density has a pole at the input for d above 1, so no ε is kept.
    """
    scale = 1 / check_epsilon(epsilon)

    def release(vectors: Tensor, *, generator: torch.Generator) -> Tensor:
        n, d = vectors.shape
        directions = torch.nn.functional.normalize(
            noise.gaussian((n, d), 1.0, generator=generator, dtype=vectors.dtype)
        )
        lengths = noise.laplace((n, 1), scale, generator=generator, dtype=vectors.dtype).abs()
        return vectors + directions * lengths

    return release


def shared_noise(epsilon: float) -> Release:
    """One Laplace value of scale 1/ε added to every coordinate of a row: differences of coordinates are not hidden."""
    scale = 1 / check_epsilon(epsilon)

    def release(vectors: Tensor, *, generator: torch.Generator) -> Tensor:
        return vectors + noise.laplace((len(vectors), 1), scale, generator=generator, dtype=vectors.dtype)

    return release
