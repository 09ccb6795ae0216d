"""A fresh generator has the entropy of its whole state, not of a 32-bit seed."""

import torch

from trustnlp.privacy import randomness
from trustnlp.privacy.randomness import fresh_generator


def words(generator: torch.Generator) -> torch.Tensor:
    start = randomness._HEADER_BYTES
    return generator.get_state()[start : start + 8 * randomness._WORDS].view(torch.int64)


def test_the_words_of_the_state_are_where_we_write_them() -> None:
    # The Mersenne Twister's first word is its seed; the next follow by its recurrence.
    state = words(torch.Generator().manual_seed(1234))
    assert state[0] == 1234
    previous, expected = 1234, []
    for place in range(1, 624):
        previous = (1812433253 * (previous ^ (previous >> 30)) + place) & 0xFFFFFFFF
        expected.append(previous)
    assert state[1:].tolist() == expected


def test_no_seed_leads_to_the_state() -> None:
    generator = fresh_generator()
    seeded = torch.Generator().manual_seed(generator.initial_seed())
    assert not torch.equal(words(generator), words(seeded))
    assert words(generator).unique().numel() > 600
    assert int(words(generator).max()) < 2**32


def test_two_fresh_generators_differ_and_draw_well() -> None:
    first, second = (torch.rand(20_000, generator=fresh_generator(), dtype=torch.float64) for _ in range(2))
    assert not torch.equal(first, second)
    assert abs(first.mean().item() - 0.5) < 0.02
