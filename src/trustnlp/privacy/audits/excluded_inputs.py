"""Which inputs a released number excludes by its last digits. Mironov (2012), §4.

A floating-point sum x + z of a vector and its noise is a rounded number, and so is z. For a given x, some sums have no
z: close to 0, numbers lie closer together than the terms of the sum. Every such coordinate excludes x with certainty,
however much noise there is; the guarantee for real numbers does not count this.

The attack on a release: of all vectors of the public vocabulary, keep those that no coordinate excludes, and guess the
nearest of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import check_vectors

Sum = Callable[[Tensor, Tensor], Tensor]
"""What a mechanism releases for vectors and noise, coordinate by coordinate."""

_COORDINATES_AT_ONCE = 16


def plain_sum(vectors: Tensor, noise: Tensor) -> Tensor:
    """The sum in the precision of the noise, brought to that of the vectors."""
    return (vectors.to(noise.dtype) + noise).to(vectors.dtype)


def possible(
    released: Tensor, candidates: Tensor, *, total: Sum = plain_sum, noise_dtype: torch.dtype = torch.float64
) -> Tensor:
    """`(V,)` bool: for which candidates each coordinate of the release has a floating-point noise that gives it.

    Parameters
    ----------
    released
        `(d,)` float32 or float64.
    candidates
        `(V, d)` vectors that may have been released, of the same dtype.
    total
        How the mechanism adds; must not decrease as the noise grows.
    noise_dtype
        Precision of the noise before it is added.

    Raises
    ------
    TypeError, ValueError
        If given vectors that are not floating-point or not finite, or of another dtype or dimension than the release.
    """
    check_vectors(released[None])
    if check_vectors(candidates).dtype != released.dtype or candidates.shape[1:] != released.shape:
        raise ValueError(
            f"candidates are as the release, {released.dtype} of {len(released)} dimensions, got {candidates.dtype} of "
            f"{candidates.shape[1]}"
        )
    left = torch.arange(len(candidates), device=candidates.device)
    for part in torch.arange(len(released), device=candidates.device).split(_COORDINATES_AT_ONCE):
        values, wanted = candidates[left[:, None], part], released[part]
        # If any noise gives the release, then the number next to the difference or one of its neighbours does.
        nearest = (wanted.double() - values.double()).to(noise_dtype)
        explained = total(values, nearest) == wanted
        for side in (-math.inf, math.inf):
            explained |= total(values, torch.nextafter(nearest, torch.full_like(nearest, side))) == wanted
        left = left[explained.all(dim=1)]
    mask = torch.zeros(len(candidates), dtype=torch.bool, device=candidates.device)
    mask[left] = True
    return mask


def guess(released: Tensor, candidates: Tensor, kept: Tensor) -> int:
    """Row of the candidate `(V, d)` nearest to the release `(d,)` among those `kept` `(V,)`; among all if none is."""
    distances = (released.double() - candidates.double()).square().sum(dim=1)
    return int(torch.where(kept | ~kept.any(), distances, math.inf).argmin())
