"""Where the numbers of a release come from: a cryptographic source, or a generator for experiments.

`source_of(None)` is `SecureSource`, for releases. `source_of(generator)` is `SimulatedSource`: repeatable, as an
experiment needs it, and **no protection**: torch's generators are made for simulation, the noise they draw can be
computed from a few released rows whose originals are known, and a small seed can be found by trying.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np
import torch
from torch import Tensor

from trustnlp.privacy.noise import secure_random

Shape = tuple[int, ...]


@dataclass(frozen=True)
class SecureSource:
    """Noise from `privacy.noise.secure_random`, drawn on the CPU and moved to `device`; in float64 unless said."""

    device: torch.device

    def signed(self, shape: Shape) -> Tensor:
        """Uniform in [-1, 1]."""
        return secure_random.signs_and_uniforms(math.prod(shape)).view(shape).to(self.device)

    def uniform(self, shape: Shape, dtype: torch.dtype = torch.float64) -> Tensor:
        """Uniform in [0, 1]."""
        return secure_random.uniforms(math.prod(shape)).view(shape).to(device=self.device, dtype=dtype)

    def normal(self, shape: Shape, dtype: torch.dtype = torch.float64) -> Tensor:
        """Standard Gaussian."""
        return secure_random.normals(math.prod(shape)).view(shape).to(device=self.device, dtype=dtype)

    def gamma(self, shape: float, n: int) -> Tensor:
        """`(n, 1)` of the Gamma distribution with `shape` of at least 1."""
        return secure_random.gammas(shape, n).view(n, 1).to(self.device)

    def bernoulli(self, probability: float, shape: Shape) -> Tensor:
        """Booleans, true with a probability that may be tiny."""
        # Uniform numbers here are fine near 0.
        return self.uniform(shape) <= probability

    def integers(self, low: int, high: int, shape: Shape) -> Tensor:
        """int64, all values from `low` to `high - 1` equally likely."""
        # Among few values, as here, the excess of one over another is below 2⁻⁵⁰.
        return self.uniform(shape).mul_(high - low).add_(low).floor_().clamp_(max=high - 1).long()


@dataclass(frozen=True)
class SimulatedSource:
    """Noise from a torch generator, on its device: for experiments that are to be repeated."""

    generator: torch.Generator

    @property
    def device(self) -> torch.device:
        return self.generator.device

    def signed(self, shape: Shape) -> Tensor:
        return self._empty(shape).uniform_(-1, 1, generator=self.generator)

    def uniform(self, shape: Shape, dtype: torch.dtype = torch.float64) -> Tensor:
        return self._empty(shape, dtype).uniform_(generator=self.generator)

    def normal(self, shape: Shape, dtype: torch.dtype = torch.float64) -> Tensor:
        return self._empty(shape, dtype).normal_(generator=self.generator)

    def gamma(self, shape: float, n: int) -> Tensor:
        # torch.distributions.Gamma draws from the global generator; this is the sampler beneath it, which takes one.
        return torch._standard_gamma(self._empty((n, 1)).fill_(shape), generator=self.generator)

    def bernoulli(self, probability: float, shape: Shape) -> Tensor:
        return 1 - self.uniform(shape) <= probability

    def integers(self, low: int, high: int, shape: Shape) -> Tensor:
        return torch.randint(low, high, shape, generator=self.generator, device=self.device)

    def _empty(self, shape: Shape, dtype: torch.dtype = torch.float64) -> Tensor:
        return torch.empty(shape, dtype=dtype, device=self.device)


Source = SecureSource | SimulatedSource


def source_of(generator: torch.Generator | None, device: torch.device | None = None) -> Source:
    """`SecureSource` for None. Without a device the numbers are on the generator's, or on the CPU.

    Raises
    ------
    ValueError
        If the generator is on another device.
    """
    if generator is None:
        return SecureSource(torch.device("cpu") if device is None else device)
    return SimulatedSource(generator if device is None else check_generator(generator, device))


def check_generator(generator: torch.Generator | None, device: torch.device) -> torch.Generator:
    """The generator itself, or `fresh_generator` for None: for experiments. ValueError when it is on another device."""
    if generator is None:
        return fresh_generator(device)
    if generator.device.type != device.type:
        raise ValueError(f"the generator is on {generator.device}, the vectors on {device}; make it there")
    return generator


def fresh_generator(device: torch.device | str = "cpu") -> torch.Generator:
    """A generator with an arbitrary seed, for experiments: 32 bits of it are random, so no small δ can be claimed."""
    generator = torch.Generator(device=device)
    generator.seed()
    return generator


def mixed_generator(words: Sequence[int], device: torch.device | str = "cpu") -> torch.Generator:
    """The generator that belongs to a tuple of whole numbers from 0 upwards: the same one for the same numbers."""
    [mixed] = np.random.SeedSequence(words).generate_state(1, np.uint64)
    return torch.Generator(device=device).manual_seed(int(mixed >> np.uint64(1)))


def seeded_generators(
    insecure_seed: int | None, device: torch.device | str = "cpu"
) -> tuple[torch.Generator | None, torch.Generator | None]:
    """Two generators that belong to a seed of an experiment; without a seed None twice, the cryptographic source.

    Two, since of one generator the numbers that are published would give the others away.

    Raises
    ------
    TypeError
        If the seed is no whole number.
    """
    if insecure_seed is None:
        return None, None
    seed = check_whole(insecure_seed, "insecure_seed")
    first, second = (mixed_generator([abs(seed), int(seed < 0), place], device) for place in (0, 1))
    return first, second


def check_whole(value: int, name: str) -> int:
    """The value as an int. TypeError for what is no whole number."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name} is a whole number, got {value!r}")
    return int(value)


def why_refused(function: str, name: str) -> str:
    """The message for who gives a release a keyword that it does not take, such as a seed."""
    if name in ("seed", "random_state", "rng", "generator"):
        return (
            f"{function} takes no {name}: noise that can be repeated can be taken off. For an experiment that "
            "publishes nothing, give insecure_seed="
        )
    return f"{function}() got an unexpected keyword argument {name!r}"
