"""Noise for private release: Laplace per coordinate, Laplace by Euclidean length, Gaussian.

PrivEmb (Feyisetan and Kasiviswanathan 2021), §3, Claim 3 and footnote 1: the density proportional to exp(-‖z‖₂/scale)
is drawn as a uniform direction times a length from the Gamma distribution with shape `dim` (Wu et al. 2017).

The numbers that carry the guarantee in their tails, Laplace and Gaussian values and Gamma lengths, are drawn in float64
and rounded to `dtype` at the end. Drawn in float32 on the CPU, torch's Gaussian never leaves ±5.77 standard deviations:
values beyond the reach of another input's noise would give the input away with a probability far above a usual δ
(8e-5 for inputs two standard deviations apart; in float64 3e-11). Directions are drawn in `dtype`, four times as fast:
in float32, caps around the axes of probability below `dim · 1e-8` are out of reach. Ask for float64 where that matters.

Deviation, shared with every sampler that adds floating-point numbers: the last digits of a sum of rounded numbers can
tell inputs apart (Mironov 2012). The guarantees hold for the real-number noise that these samplers approximate.

And for noise that nobody can compute: torch's generators are made for simulation. A seed gives the one of the CPU, a
Mersenne Twister, one of only 2**32 starting states. Who knows some of its numbers, such as a published projection drawn
from it, finds the state within minutes and takes the noise off. Without a generator the whole state comes from the
operating system (`trustnlp.privacy.randomness`).
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from trustnlp.privacy.guarantee import check_generator

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
        Source of randomness; the result is on its device. None: the operating system's randomness, on the CPU.
    dtype
        float32 or float64.

    Raises
    ------
    ValueError
        The scale is not positive and finite, or the shape is empty.
    TypeError
        Any other dtype: half precision cannot hold the tails.
    """
    source = _checked(shape, scale, generator, dtype)
    uniform = torch.empty(shape, dtype=torch.float64, device=source.device).uniform_(-1, 1, generator=source)
    # uniform_ includes its lower end, where the logarithm would be infinite.
    lengths = uniform.abs().clamp_(max=_LARGEST_BELOW_ONE).neg_().log1p_().mul_(-scale)
    return lengths.copysign_(uniform).to(dtype)


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
        As for `laplace`; `n` and `dim` are at least 1.
    """
    source = _checked((n, dim), scale, generator, dtype)
    noise = torch.empty(n, dim, dtype=dtype, device=source.device).normal_(generator=source)
    lengths = torch.linalg.vector_norm(noise, dim=1, keepdim=True)
    # A float32 Gaussian is exactly 0 once in 2**24 draws; a vector of zeros has no direction.
    while bool((zero := lengths[:, 0] == 0).any()):
        noise[zero] = torch.empty_like(noise[zero]).normal_(generator=source)
        lengths = torch.linalg.vector_norm(noise, dim=1, keepdim=True)
    # torch.distributions.Gamma draws from the global generator; this is the sampler beneath it, which takes one.
    shape_parameter = torch.full((n, 1), float(dim), dtype=torch.float64, device=source.device)
    wanted = torch._standard_gamma(shape_parameter, generator=source).mul_(scale)
    return noise.mul_(wanted.div_(lengths).to(dtype))


def gaussian(
    shape: tuple[int, ...],
    sigma: float,
    *,
    generator: torch.Generator | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Independent Gaussian noise with standard deviation `sigma`. Parameters and errors as for `laplace`."""
    source = _checked(shape, sigma, generator, dtype)
    noise = torch.empty(shape, dtype=torch.float64, device=source.device).normal_(generator=source)
    return noise.mul_(sigma).to(dtype)


def _checked(
    shape: tuple[int, ...], scale: float, generator: torch.Generator | None, dtype: torch.dtype
) -> torch.Generator:
    if any(size < 1 for size in shape):
        raise ValueError(f"noise needs at least one number in each dimension, got the shape {tuple(shape)}")
    if not (scale > 0 and math.isfinite(scale)):
        raise ValueError(f"the scale of noise is positive and finite, got {scale}")
    if dtype not in (torch.float32, torch.float64):
        raise TypeError(f"noise is drawn as float32 or float64 (half precision cannot hold its tails), got {dtype}")
    return check_generator(generator, generator.device if generator is not None else torch.device("cpu"))
