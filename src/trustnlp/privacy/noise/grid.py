"""Round a release to a grid that depends on the scale of its noise and on nothing else.

A sum `x + z` of floating-point numbers carries the last digits of x: noise has no value that would give some of the
sums, so a released number excludes inputs (Mironov 2012, "On significance of the least significant bits for
differential privacy"). On a grid much coarser than the spacing of the noise every input can give every number, with
the probability of a cell of the continuous law. Rounding is post-processing: the guarantee of the law stays.

Values are first limited to ±2³⁰ scales. Limiting each coordinate brings no two inputs further apart, so it costs
neither guarantee; without it a large value would swallow the noise. Everything is then a multiple of the grid below
2⁵², which float64 holds exactly. No step asks for the values, so none fails, or takes another path, because of them.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

GRID_BITS = 20
LIMIT_BITS = 30
_SMALLEST_SCALE = 2.0**-900
_LARGEST_SCALE = 2.0**900


def grid_of(scale: float) -> float:
    """The step of the grid: the largest power of two that is at most `scale` · 2⁻²⁰.

    Raises
    ------
    ValueError
        If the scale is so small or so large that float64 cannot hold the grid or the limit.

    Examples
    --------
    >>> grid_of(1.0) == 2.0**-20, grid_of(3.0) == 2.0**-19
    (True, True)
    """
    if not _SMALLEST_SCALE < scale < _LARGEST_SCALE:
        raise ValueError(f"noise of scale {scale:g} leaves no room for its grid in float64; choose another epsilon")
    return math.ldexp(1.0, math.frexp(scale)[1] - 1 - GRID_BITS)


def noisy_on_grid(vectors: Tensor, noise: Tensor, scale: float) -> Tensor:
    """`(n, d)` of the dtype of `vectors`: limited values plus `noise` (float64), on the grid of `scale`.

    float32 keeps fewer digits than some of these numbers have; rounding once more to float32, and its largest number in
    place of an overflow, is post-processing too. Gradients pass as through a plain sum.

    Raises
    ------
    ValueError
        If `grid_of` would raise it.
    """
    step = grid_of(scale)
    largest = torch.finfo(vectors.dtype).max
    limit = math.ldexp(step, GRID_BITS + LIMIT_BITS)
    values = vectors.detach().double().clamp(-limit, limit).add_(noise)
    released = values.mul_(1 / step).round_().mul_(step).clamp_(-largest, largest).to(vectors.dtype)
    # The difference is 0 to the last bit; it carries the gradient.
    return released + (vectors - vectors.detach()) if vectors.requires_grad else released
