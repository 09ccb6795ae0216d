"""Numbers for noise that protects people: from the operating system's cryptographic generator.

torch, numpy and Python draw from generators made for simulation. Who knows some of their output computes the rest: the
state of a Mersenne Twister follows from some 20,000 bits of it by linear algebra
(`trustnlp.privacy.attacks.state_recovery` does so in seconds). A cryptographic key stream has no such shortcut.

The stream is `os.urandom`, or AES-256 in counter mode under a fresh key from `os.urandom` where the optional package
`cryptography` is installed; that is several times as fast. Nothing can be repeated: there is no seed. All numbers are
float64, on the CPU.

A uniform number is made of 63 random bits, rounded to float64. So values of a tail exist down to a probability of
2⁻⁶³, and where they are sparser than the grid to which every mechanism rounds (`trustnlp.privacy.noise.grid`), the
tail's probability is below 2⁻⁴². Beyond there is nothing: a Laplace value ends at 44 scales, a Gaussian one at 9.4
standard deviations. A guarantee that is printed as (ε, 0) is that of real numbers: what this arithmetic adds to it is
proven, for Laplace noise, in `trustnlp.privacy.noise.arithmetic`, and is larger than these tails.
"""

from __future__ import annotations

import importlib
import math
import os
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

try:
    ciphers: Any = importlib.import_module("cryptography.hazmat.primitives.ciphers")
except ImportError:
    ciphers = None

# Numbers made at once: few enough that all steps stay in the processor's cache.
_BLOCK = 1 << 16


def key_stream() -> Callable[[int], bytearray]:
    """`read(n)`: the next n bytes of a stream that nobody can foretell."""
    if ciphers is None:
        return lambda n: bytearray(os.urandom(n))
    algorithm, mode = ciphers.algorithms.AES(os.urandom(32)), ciphers.modes.CTR(os.urandom(16))
    encrypt = ciphers.Cipher(algorithm, mode).encryptor()

    def read(n: int) -> bytearray:
        # Before version 43 of cryptography the buffer had to be larger by a block less one byte.
        stream = bytearray(n + 15)
        encrypt.update_into(bytes(n), stream)
        del stream[n:]
        return stream

    return read


def signs_and_uniforms(n: int) -> Tensor:
    """`(n,)` numbers: a random sign times a number uniform in (0, 1]."""
    return _filled(n, 1, lambda words: _shares(words).copysign_(words))


def uniforms(n: int) -> Tensor:
    """`(n,)` numbers uniform in (0, 1]."""
    return signs_and_uniforms(n).abs_()


def normals(n: int) -> Tensor:
    """`(n,)` standard Gaussian numbers, two at a time (Box and Muller 1958)."""
    return _filled(n, 2, _box_muller)


def gammas(shape: float, n: int) -> Tensor:
    """`(n,)` numbers of the Gamma distribution with `shape` of at least 1, by rejection (Marsaglia and Tsang 2000).

    Raises
    ------
    ValueError
        If the shape is below 1, where the method does not hold.
    """
    if not 1 <= shape < math.inf:
        raise ValueError(f"the shape of a Gamma distribution is at least 1 here and finite, got {shape}")
    offset = shape - 1 / 3
    drawn = torch.empty(n, dtype=torch.float64)
    missing = torch.arange(n)
    while len(missing):
        normal = normals(len(missing))
        cube = normal.div(math.sqrt(9 * offset)).add_(1).pow_(3)
        bound = 0.5 * normal.square() + offset * (1 - cube + cube.log())
        # The logarithm of a negative cube is NaN, and no comparison with NaN holds.
        taken = uniforms(len(missing)).log_() < bound
        drawn[missing[taken]] = offset * cube[taken]
        missing = missing[~taken]
    return drawn


def _shares(words: Tensor) -> Tensor:
    """Of 2⁶³, in (0, 1]: the magnitude of each word, 63 bits and a half so that 0 is none of them."""
    return words.abs().add_(0.5).mul_(2.0**-63)


def _box_muller(words: Tensor) -> Tensor:
    half = len(words) // 2
    radius = _shares(words[:half]).log_().mul_(-2).sqrt_()
    angle = words[half:].mul_(math.pi * 2.0**-63)
    return torch.cat([radius * angle.cos(), radius * angle.sin()])


def _filled(n: int, multiple: int, transform: Callable[[Tensor], Tensor]) -> Tensor:
    """`(n,)` numbers that `transform` makes of as many random whole numbers in [-2⁶³, 2⁶³), given as float64."""
    read = key_stream()
    result = torch.empty(n, dtype=torch.float64)
    for start in range(0, n, _BLOCK):
        wanted = min(_BLOCK, n - start)
        padded = -(-wanted // multiple) * multiple
        words = torch.frombuffer(read(8 * padded), dtype=torch.int64).double()
        result[start : start + wanted] = transform(words)[:wanted]
    return result
