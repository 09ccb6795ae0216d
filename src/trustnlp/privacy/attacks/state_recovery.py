"""Take the noise off a release whose generator was a Mersenne Twister, or was started from a small seed.

Noise of `noise.multivariate_laplace` is a Gaussian vector brought to a random length. torch makes Gaussian numbers in
pairs (Box and Muller 1958): eight places apart stand a radius times the cosine and times the sine of one angle, 2πu.
The length of the row changes the radius, not the angle. Whoever knows a row without its noise knows the angles of its
pairs, so the leading bits of the uniform numbers u, which are bits of the generator's output. Some 20,000 of them give
its state (`trustnlp.privacy.attacks.twister`), and the state gives the noise of every row.

The attack concerns torch's CPU generator in float64. It says nothing against the mechanism: with numbers of a
cryptographic source (`trustnlp.privacy.noise.secure_random`), there is no state to compute.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.privacy.attacks.gf2 import ContradictionError
from trustnlp.privacy.attacks.twister import Numbers, generator_at, state_before
from trustnlp.privacy.noise.randomness import seeded_generators
from trustnlp.privacy.noise.samplers import multivariate_laplace

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

# torch transforms uniform numbers sixteen at a time; the first eight are radii, the others angles.
_BLOCK, _HALF = 16, 8
_UNIFORM_BITS, _HIGH_BITS = 53, 21
_ROUNDING = 2.0**-44


def take_noise_off(released: Tensor, known: Tensor, originals: Tensor, *, scale: float, grid: float = 0.0) -> Tensor:
    """`(n, m)` float64: the released rows without their noise, up to their rounding.

    Parameters
    ----------
    released
        `(n, m)` of `PlainRelease` or `ProjectedRelease`, all rows of one call in their order.
    known
        `(k,)` ascending int64: rows whose originals the attacker has.
    originals
        `(k, m)` float64: these rows before the noise, under the public projection if there is one.
    scale
        Of the noise, public.
    grid
        Step to which the sum was rounded before it was cast to the dtype of `released`; 0 for none.

    Raises
    ------
    trustnlp.privacy.attacks.gf2.UnderdeterminedError
        If too few rows are known.
    trustnlp.privacy.attacks.gf2.ContradictionError
        If the noise was not drawn from a Mersenne Twister in the way described above.
    ValueError
        If the shapes do not fit.
    """
    n, m = released.shape
    if originals.shape != (len(known), m) or len(known) == 0 or n * m < _BLOCK:
        raise ValueError(
            f"expected at least one known row and as many originals of {m} dimensions, got {len(known)} rows and "
            f"{tuple(originals.shape)}"
        )
    sums = released[known].double()
    exact = originals.double()
    spacing = np.spacing(released[known].abs().numpy()).astype(np.float64)
    error = (spacing + grid) / 2 + _ROUNDING * (exact.abs() + sums.abs()).amax(dim=1, keepdim=True).numpy()
    bits = _known_bits((sums - exact).numpy(), error, known.numpy(), n)
    noise = multivariate_laplace(n, m, scale, generator=generator_at(state_before(*bits)), dtype=torch.float64)
    wrong = ((sums - exact - noise[known]).abs().numpy() > error + _ROUNDING * noise[known].abs().numpy()).any(axis=1)
    if wrong.any():
        raise ContradictionError(
            f"the state that was found explains the angles and not the noise of {wrong.sum()} of {len(known)} known "
            f"rows; is {scale:g} the scale, and are these all rows of one call?"
        )
    return released.double() - noise


def find_seed(projection: Tensor, seeds: Iterable[int]) -> int | None:
    """The seed of `release(…, insecure_seed=seed)` from its public projection `(m, d)`; None if it is none of `seeds`.

    Raises
    ------
    ValueError
        If the projection is smaller than the first block of random numbers.
    """
    if projection.numel() < _BLOCK:
        raise ValueError(f"a projection of {tuple(projection.shape)} is too small, it takes {_BLOCK} numbers")
    wanted = projection.flatten()[:_BLOCK].cpu() * math.sqrt(len(projection))
    for seed in seeds:
        generator, _ = seeded_generators(seed)
        # A block depends on no number after it.
        first = torch.randn(_BLOCK, dtype=torch.float64, generator=generator)
        if torch.allclose(first, wanted, rtol=1e-9, atol=0):
            return seed
    return None


def _known_bits(noise: Floats, error: Floats, rows: Places, n: int) -> tuple[Places, Numbers, Numbers]:
    """Which 32-bit numbers of the generator's output have known bits, the masks of these bits, and their values.

    `noise` `(k, m)` of the known `rows` of n is right within `error`.
    """
    m = noise.shape[1]
    place = rows[:, None] * m + np.arange(m - _HALF if m > _HALF else 0)
    # An incomplete last block makes torch draw the last sixteen numbers again.
    usable = (place % _BLOCK < _HALF) & (place // _BLOCK < (n * m - (_BLOCK if n * m % _BLOCK else 0)) // _BLOCK)
    cosine, sine = noise[:, :-_HALF][usable], noise[:, _HALF:][usable]
    radius = np.hypot(cosine, sine)
    off = np.hypot(error[:, :-_HALF][usable], error[:, _HALF:][usable])
    clear = off < 0.1 * radius
    share = np.arctan2(sine, cosine)[clear] / (2 * math.pi) % 1
    # The arc sine of 0.1 is less than 1.01 times as large.
    away = 1.01 * off[clear] / radius[clear] / (2 * math.pi) + 2.0**-50
    whole = 2.0**_UNIFORM_BITS
    low, high = (np.floor((share + side * away) * whole) for side in (-1, 1))
    inside = (low >= 0) & (high < whole)
    low, high = low[inside].astype(np.uint64), high[inside].astype(np.uint64)
    # Bits count only from the top down to the first in which the two ends of the interval differ.
    agreed = _UNIFORM_BITS - np.frexp((low ^ high).astype(np.float64))[1]
    output = 2 * (place[usable][clear][inside] + _HALF)
    # A uniform number is made of the low 21 bits of one number and the 32 of the next.
    places = np.stack([output, output + 1], axis=1)
    masks = np.stack([_top(agreed, _HIGH_BITS), _top(agreed - _HIGH_BITS, 32)], axis=1)
    values = np.stack([low >> np.uint64(32), low & np.uint64(0xFFFFFFFF)], axis=1).astype(np.uint32)
    known = masks > 0
    return places[known], masks[known], values[known]


def _top(count: NDArray[np.signedinteger], width: int) -> Numbers:
    """Masks of the `count` highest of `width` bits, none for a negative count."""
    below = (width - np.clip(count, 0, width)).astype(np.uint64)
    masks: Numbers = (((1 << width) - 1) >> below << below).astype(np.uint32)
    return masks
