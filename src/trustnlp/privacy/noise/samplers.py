"""Noise for private release: Laplace per coordinate, Laplace by Euclidean length, Gaussian.

PrivEmb (Feyisetan and Kasiviswanathan 2021), §3, Claim 3 and footnote 1: the density proportional to exp(-‖z‖₂/scale)
is drawn as a uniform direction times a length from the Gamma distribution with shape `dim` (Wu et al. 2017).

Without a generator the numbers come from a cryptographic source (`trustnlp.privacy.noise.secure_random`). A torch
generator is for experiments that are to be repeated; who knows some of its numbers computes the rest and takes the
noise off.

The numbers that carry the guarantee in their tails, Laplace and Gaussian values and Gamma lengths, are drawn in float64
and rounded to `dtype` at the end. Drawn in float32 on the CPU, torch's Gaussian never leaves ±5.77 standard deviations:
values beyond the reach of another input's noise would give the input away with a probability far above a usual δ
(8e-5 for inputs two standard deviations apart; in float64 3e-11). A generator's directions are drawn in `dtype`, four
times as fast: in float32, caps around the axes of probability below `dim · 1e-8` are out of reach.

A sum of a vector and this noise is not a release yet: its last digits tell inputs apart (Mironov 2012). The mechanisms
round it (`trustnlp.privacy.noise.grid`).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from trustnlp.privacy.noise.randomness import Source, source_of

_LARGEST_BELOW_ONE = 1 - 2**-53


def laplace(
    shape: tuple[int, ...],
    scale: float,
    *,
    generator: torch.Generator | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Independent Laplace noise, density proportional to exp(-|z|/scale) in each coordinate.

    Parameters
    ----------
    shape
        Shape of the result.
    scale
        Mean absolute value of a coordinate.
    generator
        For experiments only: makes the noise repeatable, and computable for others. The result is on its device.
        None: the cryptographic source, on the CPU.
    dtype
        float32 or float64.

    Raises
    ------
    ValueError
        If the scale is not positive and finite, or the shape is empty.
    TypeError
        If given any other dtype: half precision cannot hold the tails.
    """
    source = _checked(shape, scale, generator, dtype)
    signed = source.signed(shape)
    if generator is None:
        # Its magnitudes are fine near 0, where the logarithm is large, and never 0.
        lengths = signed.abs().log_().mul_(-scale)
    else:
        # torch's are fine near 1, and its lower end is included, where the logarithm would be infinite.
        lengths = signed.abs().clamp_(max=_LARGEST_BELOW_ONE).neg_().log1p_().mul_(-scale)
    return lengths.copysign_(signed).to(dtype)


def multivariate_laplace(
    n: int,
    dim: int,
    scale: float,
    *,
    generator: torch.Generator | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """`(n, dim)` noise vectors, density proportional to exp(-‖z‖₂/scale). PrivEmb, Claim 3 and footnote 1.

    The length of a vector follows Gamma(`dim`, `scale`): its mean is `dim · scale`, so noise for a fixed privacy grows
    with the dimension. In one dimension this is `laplace`.

    Raises
    ------
    ValueError, TypeError
        If `laplace` would raise it, or `n` or `dim` is below 1.
    """
    source = _checked((n, dim), scale, generator, dtype)
    noise = source.normal((n, dim), torch.float64 if generator is None else dtype)
    lengths = torch.linalg.vector_norm(noise, dim=1, keepdim=True)
    # A float32 Gaussian is exactly 0 once in 2**24 draws; a vector of zeros has no direction.
    while bool((zero := lengths[:, 0] == 0).any()):
        noise[zero] = source.normal((int(zero.sum()), dim), noise.dtype)
        lengths = torch.linalg.vector_norm(noise, dim=1, keepdim=True)
    wanted = source.gamma(float(dim), n).mul_(scale)
    return noise.mul_(wanted.div_(lengths).to(noise.dtype)).to(dtype)


def gaussian(
    shape: tuple[int, ...],
    sigma: float,
    *,
    generator: torch.Generator | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Independent Gaussian noise with standard deviation `sigma`. Parameters and errors as for `laplace`."""
    source = _checked(shape, sigma, generator, dtype)
    return source.normal(shape).mul_(sigma).to(dtype)


def _checked(shape: tuple[int, ...], scale: float, generator: torch.Generator | None, dtype: torch.dtype) -> Source:
    if any(size < 1 for size in shape):
        raise ValueError(f"noise needs at least one number in each dimension, got the shape {tuple(shape)}")
    if not (scale > 0 and math.isfinite(scale)):
        raise ValueError(f"the scale of noise is positive and finite, got {scale}")
    if dtype not in (torch.float32, torch.float64):
        raise TypeError(f"noise is drawn as float32 or float64 (half precision cannot hold its tails), got {dtype}")
    return source_of(generator)
