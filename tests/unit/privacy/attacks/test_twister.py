"""The Mersenne Twister as equations, against numpy's and torch's."""

import numpy as np
import pytest
import torch
from refusals import assert_refused

from trustnlp.privacy.attacks.gf2 import ContradictionError, UnderdeterminedError
from trustnlp.privacy.attacks.twister import generator_at, state_before


def outputs(seed: int, n: int) -> np.ndarray:
    return np.random.RandomState(seed).randint(0, 1 << 32, n, dtype=np.uint32)


def test_torch_draws_what_numpy_draws_from_the_same_state() -> None:
    words = np.random.RandomState(5).get_state()[1]
    drawn = torch.empty(2_000, dtype=torch.float64).uniform_(generator=generator_at(words)).numpy()
    high, low = outputs(5, 4_000).astype(np.uint64).reshape(-1, 2).T
    assert np.array_equal(drawn, (high % (1 << 21) * 2.0**32 + low) * 2.0**-53)


@pytest.mark.parametrize("start", [0, 1, 700], ids=lambda start: f"from {start}")
def test_the_state_is_found_from_most_bits_of_later_numbers(start: int) -> None:
    numbers = outputs(1, 4_000)
    places = np.arange(start, start + 1_300)
    masks = np.full(len(places), 0xFFFFFFF8, dtype=np.uint32)
    state = state_before(places, masks, numbers[places])
    wanted = np.random.RandomState(1).get_state()[1]
    # The low 31 bits of the first word are never used.
    assert np.array_equal(state[1:], wanted[1:]) and state[0] >> 31 == wanted[0] >> 31


def test_few_bits_foreign_numbers_and_bad_lengths_are_refused() -> None:
    places, full = np.arange(700), np.full(700, 0xFFFFFFFF, dtype=np.uint32)
    foreign = np.random.default_rng(0).integers(0, 1 << 32, 700, dtype=np.uint32)
    assert_refused(
        state_before,
        [
            (places[:600], full[:600], foreign[:600], UnderdeterminedError, "737 too few are known"),
            (places, full, foreign, ContradictionError, "kept for a check contradict"),
            (places[::-1], full, foreign, ValueError, "expected ascending places"),
            (places, full[:3], foreign, ValueError, "expected ascending places and as many masks"),
        ],
    )
