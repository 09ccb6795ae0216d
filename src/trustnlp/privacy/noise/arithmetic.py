"""A proof about noise as a computer draws it: for independent Laplace noise from the cryptographic source.

A mechanism's (ε, δ) is that of its law, for real numbers. The noise drawn is -ln u for one of 2⁶³ numbers u, rounded at
each step, and the sum is rounded to a grid of at least 2⁻²¹ scales. Let U be the real uniform number that u stands for.
In units of the scale, up to a noise of size z, the sum is off from that of -ln U by at most

    s = 2⁻⁶³ eᶻ + 2⁻⁵² + z (2⁻⁵² + 2⁻⁵³) + 2⁻⁵³ (x + z):

U falls between neighbours of u, which are sparse far out; u is rounded twice to float64; the logarithm is right to a
unit in its last place, its product with the scale and the sum with an input of size x to half a one. So a value of the
grid has the probability of its cell h with both ends moved by s at most, which is the law's probability times a factor
within 1 ± r, r = 2 s e^(h + s) / h, since the density changes by a factor of eʷ at most over a width w. Two inputs lose
ln((1 + r) / (1 - r)) more a number than the law says, but for noise beyond z.

Beyond a noise of 42 ln 2 = 29 scales, a probability of 2⁻⁴², neighbours lie further apart than the grid: there are
values that one input can give and the other cannot, and nothing less than a δ covers that. For multivariate Laplace and
Gaussian noise, made of several such numbers, no bound is proven here, and none may be read into a δ of 0.
"""

from __future__ import annotations

import math

_CELL = 2.0**-21


def laplace_slack(numbers: int, *, largest: float, apart: float, beyond: float = 20.0) -> tuple[float, float]:
    """The most that floating point adds to (ε, δ) of `Laplace` for rows of so many numbers; the head has the proof.

    Parameters
    ----------
    largest
        No coordinate of an input exceeds so many scales of the noise.
    apart
        Nor do two inputs differ by more in one.
    beyond
        Noise beyond so many scales is counted as δ. A larger one moves the cost from δ to ε.

    Raises
    ------
    ValueError
        If nothing can be said: noise of that size is sparser than the grid, or inputs so large that the sum is.

    Examples
    --------
    >>> epsilon, delta = laplace_slack(54, largest=100, apart=1)
    >>> round(epsilon, 4), f"{delta:.1g}"
    (0.0238, '3e-07')
    """
    if numbers < 1 or not (largest >= 0 and apart >= 0 and beyond > apart):
        raise ValueError("needs one number or more, sizes of at least 0, and a tail beyond the distance of two inputs")
    off = moved(beyond, largest)
    share = 2 * off * math.exp(_CELL + off) / _CELL
    if not share < 1:
        raise ValueError(f"noise of {beyond:g} scales on inputs of {largest:g} is sparser than its grid: no proof")
    tail = numbers * math.exp(apart + 4 * _CELL - beyond)
    return numbers * (math.log1p(share) - math.log1p(-share)), min(1.0, tail)


def moved(size: float, largest: float) -> float:
    """s of the head: how far a sum with noise of this `size` is from that of real numbers, in scales."""
    return 2.0**-63 * math.exp(size) + 2.0**-52 + size * 1.5 * 2.0**-52 + 2.0**-53 * (largest + size)
