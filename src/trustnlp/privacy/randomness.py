"""Random generators fit for a release: seeded by the operating system, in full.

torch's CPU generator (Mersenne Twister) uses 32 bits of any seed it is given, `Generator.seed()` included. Whoever
holds other numbers from the same generator, such as a published projection, can try all 2³² seeds in minutes and
subtract the noise. `fresh_generator` fills the whole state instead, so there is nothing to try.

Deviation: the Mersenne Twister is no cryptographic generator. Its state can be computed from some 20,000 bits of its
raw output; the releases of this package publish sums of noise and data, and a projection with a generator of its own.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
import torch

_WORDS = 624
_HEADER_BYTES = 24  # seed, counter, flag and position, before the words of the state


def fresh_generator(device: torch.device | str = "cpu") -> torch.Generator:
    """A generator that nobody can repeat. On a GPU (Philox) all 64 bits of its seed count, and it is seeded plainly."""
    generator = torch.Generator(device=device)
    generator.seed()
    if generator.device.type != "cpu":
        return generator
    state = generator.get_state()
    # Each of the 624 words of 32 bits is stored in eight bytes.
    words = torch.frombuffer(bytearray(os.urandom(4 * _WORDS)), dtype=torch.int32).to(torch.int64) & 0xFFFFFFFF
    state[_HEADER_BYTES : _HEADER_BYTES + 8 * _WORDS] = words.view(torch.uint8)
    return generator.set_state(state)


def mixed_generator(words: Sequence[int], device: torch.device | str = "cpu") -> torch.Generator:
    """The generator that belongs to a tuple of whole numbers from 0 upwards: the same one for the same numbers."""
    [mixed] = np.random.SeedSequence(words).generate_state(1, np.uint64)
    return torch.Generator(device=device).manual_seed(int(mixed >> np.uint64(1)))
