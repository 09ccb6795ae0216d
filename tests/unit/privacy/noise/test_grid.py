"""Releases lie on a grid that depends on the scale alone, and no value of an input changes that."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from trustnlp.privacy.accounting.guarantee import L1Sensitivity, L2Sensitivity, Relation
from trustnlp.privacy.mechanisms.additive_noise import Gaussian, Laplace, MultivariateLaplace
from trustnlp.privacy.noise.grid import grid_of, noisy_on_grid

MECHANISMS = [
    Laplace(3.0, L1Sensitivity(1.0, Relation.METRIC)),
    MultivariateLaplace(0.7, L2Sensitivity(1.9, Relation.METRIC)),
    Gaussian(1.0, 1e-6, L2Sensitivity(2.0, Relation.LOCAL)),
]


@given(st.floats(1e-250, 1e250))
def test_the_grid_is_a_power_of_two_just_below_a_millionth_of_the_scale(scale: float) -> None:
    step = grid_of(scale)
    assert np.frexp(step)[0] == 0.5
    assert step * 2**20 <= scale < step * 2**21


@pytest.mark.parametrize("scale", [1e-300, 1e300, 5e-324])
def test_a_scale_without_room_for_a_grid_is_refused(scale: float) -> None:
    with pytest.raises(ValueError, match="leaves no room for its grid in float64"):
        grid_of(scale)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: type(mechanism).__name__)
@pytest.mark.parametrize("source", [None, torch.Generator()], ids=["secure", "simulated"])
@pytest.mark.parametrize("value", [0.0, 1 / 3, -1e-9, 12345.678, 1e6])
def test_every_release_lies_on_the_grid(mechanism: Laplace, source: torch.Generator | None, value: float) -> None:
    scale = mechanism.sigma if isinstance(mechanism, Gaussian) else mechanism.scale
    vectors = torch.full((500, 8), value, dtype=torch.float64)
    steps = mechanism(vectors, generator=source) / grid_of(scale)
    assert torch.equal(steps, steps.round())
    # Both parities: the grid is not coarser than it says.
    assert 0.4 < float((steps % 2).mean()) < 0.6


def test_float32_is_the_float64_release_rounded_once_more() -> None:
    vectors, noise = torch.rand(50, 4), torch.randn(50, 4, dtype=torch.float64)
    wide = noisy_on_grid(vectors.double(), noise, 1.0)
    assert torch.equal(noisy_on_grid(vectors, noise, 1.0), wide.float())


def test_values_beyond_the_limit_are_cut_off_and_the_input_is_left_alone() -> None:
    vectors = torch.tensor([[1e300, -1e300, 5.0]], dtype=torch.float64)
    before = vectors.clone()
    assert noisy_on_grid(vectors, torch.zeros(1, 3, dtype=torch.float64), 1.0).tolist() == [[2.0**30, -(2.0**30), 5.0]]
    assert torch.equal(vectors, before)
