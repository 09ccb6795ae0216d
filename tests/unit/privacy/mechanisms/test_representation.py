"""DPNR's privacy layer: scaling, the noise variants and what they guarantee, word dropout."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.privacy.mechanisms.representation import drop_words, noise_layer, normalise


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_rows_are_scaled_each_by_its_own_range() -> None:
    vectors = torch.tensor([[1.0, 3.0, 2.0], [-4.0, 4.0, 0.0]])
    torch.testing.assert_close(normalise(vectors), torch.tensor([[0.0, 1.0, 0.5], [0.0, 1.0, 0.5]]))


@given(st.floats(0.1, 10), st.floats(-5, 5), st.integers(0, 100))
def test_scaling_forgets_shift_and_scale(scale: float, shift: float, seed: int) -> None:
    vectors = torch.randn(3, 7, generator=generator(seed), dtype=torch.float64)
    torch.testing.assert_close(normalise(vectors * scale + shift), normalise(vectors))


def test_rows_that_cannot_be_scaled_are_named() -> None:
    assert_refused(
        normalise,
        [
            (torch.tensor([[0.0, 1.0], [2.0, 2.0]]), r"representations \[1\] of 2 are constant or not finite"),
            (torch.tensor([[0.0, math.nan]]), r"representations \[0\] of 1 are constant or not finite"),
            (torch.zeros(3), "shape"),
        ],
    )


@pytest.mark.parametrize(("variant", "scale"), [("released", 2.0), ("as_written", 2.0), ("calibrated", 2.0 * 50)])
def test_size_of_the_noise(variant: Any, scale: float) -> None:
    vectors = torch.rand(4000, 50, generator=generator())
    noise = noise_layer(variant, 0.5, 50)(vectors, generator=generator(1)) - vectors
    # Mean absolute value of Laplace noise is its scale; `released` has 4,000 independent values.
    assert float(noise.abs().mean()) == pytest.approx(scale, rel=0.06)


def test_released_noise_is_one_value_a_text_and_as_written_is_not() -> None:
    vectors = normalise(torch.rand(20, 50, generator=generator(), dtype=torch.float64))
    shared = noise_layer("released", 1.0, 50)(vectors, generator=generator(1)) - vectors
    torch.testing.assert_close(shared, shared[:, :1].expand_as(shared))
    own = noise_layer("as_written", 1.0, 50)(vectors, generator=generator(1)) - vectors
    assert own.std(dim=1).min() > 0.5
    assert torch.equal(noise_layer("none", 1.0, 50)(vectors, generator=generator()), vectors)


@pytest.mark.parametrize(("variant", "epsilon"), [("as_written", 0.5 * 50), ("calibrated", 0.5)])
def test_guarantee_of_the_vector(variant: Any, epsilon: float) -> None:
    layer: Any = noise_layer(variant, 0.5, 50)
    assert layer.guarantee.epsilon == epsilon
    assert layer.guarantee.sensitivity.value == 50


def test_unknown_variants_and_wrong_numbers() -> None:
    assert_refused(
        noise_layer,
        [
            ("relesed", 1.0, 5, "unknown noise variant 'relesed'; choose from released, as_written"),
            ("released", 1.0, 0, "at least 1 coordinate"),
        ],
    )
    assert_refused(
        drop_words,
        [
            (torch.ones(2, 3), -0.1, "share of word pieces"),
            (torch.ones(3), 0.5, "shape"),
        ],
    )


def test_word_dropout_keeps_the_first_position_and_padding_out() -> None:
    attended = torch.ones(2000, 12, dtype=torch.bool)
    attended[:, 10:] = False
    kept = drop_words(attended, 0.3, generator=generator())
    assert bool(kept[:, 0].all())
    assert not bool(kept[:, 10:].any())
    assert float(kept[:, 1:10].float().mean()) == pytest.approx(0.7, abs=0.015)
    assert torch.equal(kept, drop_words(attended, 0.3, generator=generator()))
    assert not torch.equal(kept, drop_words(attended, 0.3, generator=generator(1)))
    assert drop_words(attended, 0.0) is attended
