"""Sources of randomness: none without a stated generator can be repeated, and seeds are mixed as they always were."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from trustnlp.privacy.noise import secure_random
from trustnlp.privacy.noise.randomness import SecureSource, SimulatedSource, check_generator, mixed_generator, source_of

CPU = torch.device("cpu")


def test_without_a_generator_the_source_is_the_secure_one() -> None:
    assert isinstance(source_of(None), SecureSource)
    assert isinstance(source_of(torch.Generator()), SimulatedSource)
    elsewhere: Any = SimpleNamespace(device=torch.device("cuda"))
    with pytest.raises(ValueError, match="the generator is on cuda, the vectors on cpu"):
        source_of(elsewhere, CPU)


@pytest.mark.parametrize("source", [source_of(None), source_of(mixed_generator([1]))], ids=["secure", "simulated"])
def test_shapes_ranges_and_types(source: SecureSource | SimulatedSource) -> None:
    assert source.device == CPU
    signed, uniform = source.signed((300, 7)), source.uniform((300, 7))
    assert signed.shape == uniform.shape == (300, 7)
    assert signed.dtype == uniform.dtype == source.normal((2,)).dtype == torch.float64
    assert signed.min() < -0.9 and signed.max() > 0.9 and signed.abs().max() <= 1
    assert 0 <= uniform.min() < 0.1 and 0.9 < uniform.max() <= 1
    assert source.uniform((2,), torch.float32).dtype == source.normal((2,), torch.float32).dtype == torch.float32
    assert source.gamma(3.0, 5).shape == (5, 1)
    whole = source.integers(1, 4, (600,))
    assert whole.dtype == torch.int64
    assert whole.unique().tolist() == [1, 2, 3]
    often, never, always = (source.bernoulli(p, (4000,)) for p in (0.3, 0.0, 1.0))
    assert abs(float(often.double().mean()) - 0.3) < 0.035  # 4.8 standard deviations
    assert not never.any() and always.all()


def test_rare_events_of_the_secure_source_have_their_probability(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compared at the end where uniform numbers are 2⁻⁵³ apart, an event of probability e⁻⁴⁰ would never happen."""
    words = torch.tensor([0, 1, 1 << 6, 1 << 40, -(1 << 5)], dtype=torch.int64)
    monkeypatch.setattr(secure_random, "key_stream", lambda: lambda n: bytearray(words.numpy().tobytes()))
    assert source_of(None).bernoulli(math.exp(-40), (5,)).tolist() == [True, True, False, False, True]


def test_generators_of_experiments() -> None:
    first, second = (check_generator(None, CPU) for _ in range(2))
    assert first.initial_seed() != second.initial_seed()
    given = torch.Generator()
    assert check_generator(given, CPU) is given
    one, again, other = (torch.rand(3, generator=mixed_generator(words)) for words in ([1, 2], [1, 2], [2, 1]))
    assert torch.equal(one, again) and not torch.equal(one, other)
