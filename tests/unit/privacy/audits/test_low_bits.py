"""The places of last set bits, and whom they give away."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from trustnlp.privacy.audits.auditing import audit
from trustnlp.privacy.audits.low_bits import common_grid, lowest_bits, lowest_set_bits
from trustnlp.privacy.noise.samplers import multivariate_laplace


@given(st.floats(allow_nan=False, allow_infinity=False, width=64).filter(bool))
def test_a_number_is_an_odd_multiple_of_its_lowest_bit(value: float) -> None:
    [place] = lowest_set_bits(np.array([value]))
    multiple = Fraction(value) / Fraction(2) ** int(place)
    assert multiple.denominator == 1
    assert multiple.numerator % 2 == 1 or place == 64


def test_the_common_grid_is_the_coarsest() -> None:
    assert common_grid(np.array([[0.75, -2.0], [0.0, 1.5]])) == 0.25
    assert common_grid(np.array([3 * 2.0**-1074])) == 2.0**-1074


def leaking(vectors: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
    """The sum of a vector and right noise, as floating-point numbers add."""
    n, dim = vectors.shape
    return vectors + multivariate_laplace(n, dim, 1.0, generator=generator, dtype=vectors.dtype)


def on_a_grid(vectors: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
    n, dim = vectors.shape
    noise = multivariate_laplace(n, dim, 1.0, generator=generator, dtype=torch.float64)
    return (((vectors.double() + noise) * 2**20).round() / 2**20).to(vectors.dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_sum_that_is_not_rounded_to_a_grid_is_caught_and_a_rounded_one_is_not(dtype: torch.dtype) -> None:
    pair = torch.zeros(4, dtype=dtype), torch.full((4,), 0.49, dtype=dtype)
    options = {"draws": 4000, "alpha": 0.01, "generator": torch.Generator().manual_seed(0)}
    assert audit(lowest_bits(leaking), *pair, **options).epsilon > 3  # 1 is claimed
    assert audit(lowest_bits(on_a_grid), *pair, **options).epsilon < 1
    assert audit(leaking, *pair, **options).epsilon < 1, "the values alone do not show it"
