"""Mechanisms that do not keep what they claim, for audits to convict. Never release anything with them.

Each takes the ε it claims (per unit of Euclidean distance) and returns a release from `(n, d)` to `(n, d)`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import check_epsilon
from trustnlp.privacy.noise import samplers as noise

Release = Callable[..., Tensor]


def added(draw: Callable[..., Tensor]) -> Release:
    """The plain sum of vectors `(n, d)` and noise `draw(n, d, generator=…, dtype=…)`."""

    def release(vectors: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        return vectors + draw(*vectors.shape, generator=generator, dtype=vectors.dtype)

    return release


def half_noise(epsilon: float) -> Release:
    """Multivariate Laplace noise of half the length that ε needs; its true ε is twice the claim."""
    return added(partial(noise.multivariate_laplace, scale=1 / (2 * check_epsilon(epsilon))))


def forgotten_dimension(epsilon: float) -> Release:
    """A uniform direction with a length drawn as in one dimension, Gamma(1, 1/ε) for Gamma(d, 1/ε).

    The density has a pole at the input for d above 1, so no ε is kept.
    """
    scale = 1 / check_epsilon(epsilon)

    def draw(n: int, d: int, **options: Any) -> Tensor:
        directions = torch.nn.functional.normalize(noise.gaussian((n, d), 1.0, **options))
        return directions * noise.laplace((n, 1), scale, **options).abs()

    return added(draw)


def shared_noise(epsilon: float) -> Release:
    """One Laplace value of scale 1/ε added to every coordinate of a row: differences of coordinates are not hidden."""
    scale = 1 / check_epsilon(epsilon)
    return added(lambda n, d, **options: noise.laplace((n, 1), scale, **options))
