"""The last digits of releases: whether they tell inputs apart, and the grid that all of them lie on.

Mironov (2012), "On significance of the least significant bits for differential privacy": a floating-point sum x + z can
only be a number that rounding makes of x and some z, and which numbers those are depends on x. With x = 0 a small
release has digits far below those that any release of x = 1 can have. What must hold is that releases lie on one grid
which does not depend on the input, such as the multiples of a power of two.

`lowest_bits` turns a mechanism into one that releases only the place of the last set bit of every coordinate. That is a
function of the release, so the loss between its inputs is at most the mechanism's: `auditing.audit` of it is a valid
lower bound as ever, and no new statistic is needed. It sees leaks that are in the place of the last bit. That a set of
numbers of equal last places has holes, as the values of a logarithm of a uniform number have, it does not see.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from trustnlp.privacy.audits.auditing import BlackBox
from trustnlp.privacy.audits.distinguish import Floats64

_OF_ZERO = 64.0


def lowest_set_bits(values: Floats64) -> Floats64:
    """The exponent k of the lowest set bit 2ᵏ of every number, exactly; 64 for zero and for multiples of 2⁶⁴.

    >>> import numpy as np
    >>> lowest_set_bits(np.array([1.0, 3.0, 6.0, -0.75, 0.0]))
    array([ 0.,  0.,  1., -2., 64.])
    """
    fraction, exponent = np.frexp(values)
    whole = np.ldexp(np.abs(fraction), 53).astype(np.int64)
    lowest = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    return np.where(values == 0, _OF_ZERO, np.minimum(lowest + exponent - 53, _OF_ZERO))


def common_grid(values: Floats64) -> float:
    """The largest power of two, up to 2⁶⁴, of which all values are multiples.

    >>> import numpy as np
    >>> common_grid(np.array([0.5, -3.25, 0.0]))
    0.25
    """
    return float(np.ldexp(1.0, int(lowest_set_bits(values).min())))


def lowest_bits(mechanism: BlackBox) -> BlackBox:
    """The mechanism as seen by someone who reads `(n, m)` last places in its releases, and nothing else."""

    def release(vectors: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
        released = mechanism(vectors, generator=generator).detach().to(device="cpu", dtype=torch.float64)
        return torch.from_numpy(lowest_set_bits(released.numpy()))

    return release
