"""Gaussian widths against closed forms and the loop over all pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from trustnlp.privacy.mechanisms.width import difference_width, gaussian_width, orthogonal_width


def near_copies(rng: np.random.Generator, v: int, d: int, distance: float) -> np.ndarray:
    """Vectors with a common offset; the second half lies at `distance` from the first half."""
    half = rng.standard_normal((v // 2, d)) + 3
    return np.concatenate([half, half + distance * rng.standard_normal(half.shape) / math.sqrt(d)])


def test_widths_of_sets_that_are_known() -> None:
    generator = torch.Generator().manual_seed(0)
    for points, expected in (
        (np.array([[1.0], [-1.0]]), math.sqrt(2 / math.pi)),
        (np.eye(2), 1 / math.sqrt(math.pi)),
        (3 * np.eye(3), 3 * 1.5 / math.sqrt(math.pi)),
        (np.array([[5.0, 1.0]]), 0.0),
    ):
        mean, error = gaussian_width(points, draws=20_000, generator=generator)
        assert abs(mean - expected) < 4 * error < 0.2


@pytest.mark.parametrize("distance", [1.0, 1e-7])
def test_difference_widths_equal_the_loop_over_pairs(distance: float) -> None:
    rng = np.random.default_rng(7)
    vectors = near_copies(rng, 60, 12, distance)
    directions = torch.randn((12, 40), dtype=torch.float64, generator=torch.Generator().manual_seed(1)).numpy()
    steps = np.array([vectors[i] - vectors[j] for i in range(60) for j in range(60) if i != j])
    suprema = (steps / np.linalg.norm(steps, axis=1, keepdims=True) @ directions).max(axis=0)
    mean, error = difference_width(vectors, draws=40, generator=torch.Generator().manual_seed(1), block=16)
    assert mean == pytest.approx(suprema.mean(), rel=5e-4)
    assert error == pytest.approx(suprema.std(ddof=1) / math.sqrt(40), rel=1e-2)


def test_widths_follow_the_generator() -> None:
    points = np.random.default_rng(8).standard_normal((20, 5))
    for width in (gaussian_width, difference_width):
        first, again, other = (width(points, draws=5, generator=torch.Generator().manual_seed(s)) for s in (1, 1, 2))
        assert first == again != other
        assert width(points, draws=5) != width(points, draws=5)
        with pytest.raises(ValueError, match="at least two draws, got 1"):
            width(points, draws=1)
    with pytest.raises(ValueError, match="at least two distinct vectors"):
        difference_width(np.ones((3, 2)), draws=5)


def test_orthogonal_width_is_the_mean_of_the_largest_normal_number() -> None:
    assert orthogonal_width(1) == pytest.approx(0.0, abs=1e-9)
    assert orthogonal_width(3) == pytest.approx(1.5 / math.sqrt(math.pi), rel=1e-9)
    drawn = torch.randn(20_000, 100, generator=torch.Generator().manual_seed(0)).max(dim=1).values.mean()
    assert orthogonal_width(100) == pytest.approx(drawn.item(), abs=0.02)
    assert 0.8 < orthogonal_width(10**6) ** 2 / (2 * math.log(10**6)) < 1
    with pytest.raises(ValueError, match="at least one point"):
        orthogonal_width(0)
