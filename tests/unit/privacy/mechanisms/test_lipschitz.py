"""Extremes over all pairs against the obvious float64 computation; bounds against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.privacy.mechanisms import pairs
from trustnlp.privacy.mechanisms.lipschitz import (
    PairRatios,
    extreme_ratios,
    smallest_dimension,
    union_bound,
)


def gaps(rows: np.ndarray) -> np.ndarray:
    """All distances in float64, from the differences."""
    return np.array([np.linalg.norm(rows[i + 1 :] - rows[i], axis=1) for i in range(len(rows))], dtype=object)


def all_ratios(vectors: np.ndarray, images: np.ndarray) -> np.ndarray:
    ratios = [top / bottom for top, bottom in zip(gaps(images)[:-1], gaps(vectors)[:-1], strict=True)]
    return np.concatenate(ratios)


def near_copies(rng: np.random.Generator, v: int, d: int, distance: float) -> np.ndarray:
    """Vectors with a common offset; the second half lies at `distance` from the first half."""
    half = rng.standard_normal((v // 2, d)) + 3
    return np.concatenate([half, half + distance * rng.standard_normal(half.shape) / math.sqrt(d)])


@given(
    seed=st.integers(0, 10**6),
    v=st.integers(2, 40),
    d=st.integers(1, 6),
    m=st.integers(1, 5),
    block=st.integers(1, 17),
    offset=st.sampled_from([0.0, 1.0, 1000.0]),
    closest=st.sampled_from([1.0, 1e-3, 1e-6]),
)
def test_the_result_equals_the_loop_over_pairs(
    seed: int, v: int, d: int, m: int, block: int, offset: float, closest: float
) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((v, d)) + offset
    vectors[-1] = vectors[0] + closest * rng.standard_normal(d)
    images = vectors @ rng.standard_normal((d, m))
    ratios = all_ratios(vectors, images)
    threshold = float(np.median(ratios)) * 1.000001
    found = extreme_ratios(vectors, images, threshold=threshold, block=block)
    assert found.largest == pytest.approx(ratios.max(), rel=1e-9)
    if np.abs(ratios / threshold - 1).min() > 1e-9:
        assert found.above == (ratios > threshold).sum()


@pytest.mark.parametrize("distance", [1e-2, 1e-4, 1e-7])
def test_the_extremes_are_found_among_pairs_that_float32_cannot_separate(distance: float) -> None:
    rng = np.random.default_rng(1)
    vectors = near_copies(rng, 120, 50, distance)
    images = vectors @ rng.standard_normal((50, 8))
    # Only a copy is moved, by 4 times its distance: the largest ratio is that of this pair.
    step = images[60 + 7] - images[7]
    images[60 + 7] += 4 * step
    ratios = all_ratios(vectors, images)
    found = extreme_ratios(vectors, images, threshold=2.0, block=32)
    assert found.largest == pytest.approx(ratios.max(), rel=1e-6)
    assert found.above == (ratios > 2.0).sum()


def test_the_result_does_not_depend_on_threads_or_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    vectors = near_copies(rng, 300, 20, 1e-3)
    images = vectors @ rng.standard_normal((20, 5))
    one = extreme_ratios(vectors, images, threshold=1.0)
    monkeypatch.setattr(pairs, "thread_count", lambda: 4)
    assert all(extreme_ratios(vectors, images, threshold=1.0, block=block) == one for block in (7, 32, 300, 5000))


@pytest.mark.parametrize(("unit", "image_unit"), [(1e-150, 1e150), (1e150, 1e-150), (1e-30, 1.0)])
def test_units_far_from_one_do_not_overflow(unit: float, image_unit: float) -> None:
    rng = np.random.default_rng(5)
    vectors = rng.standard_normal((40, 5))
    images = vectors @ rng.standard_normal((5, 3))
    plain = extreme_ratios(vectors, images, threshold=1.0)
    scaled = extreme_ratios(vectors * unit, images * image_unit, threshold=image_unit / unit)
    assert scaled.largest / (image_unit / unit) == pytest.approx(plain.largest, rel=1e-12)
    assert scaled.above == plain.above


def test_a_ratio_that_float32_cannot_hold() -> None:
    vectors = np.array([[0.0, 0.0], [1e-25, 0.0], [1.0, 0.0], [0.0, 1.0]])
    images = np.array([[0.0], [1.0], [0.5], [0.3]])
    found = extreme_ratios(vectors, images, threshold=1e24)
    assert found.largest == pytest.approx(1e25, rel=1e-12)
    assert found.above == 1


def test_repeated_vectors_count_once_and_must_have_one_image() -> None:
    vectors = np.array([[0.0, 1.0], [1.0, 1.0], [-0.0, 1.0], [3.0, 0.0], [1.0, 1.0]])
    images = vectors[:, :1] * 2
    assert extreme_ratios(vectors, images, threshold=1.0) == PairRatios(2.0, 3)
    images[4] += 0.1
    with pytest.raises(ValueError, match="rows 1 and 4 are the same vector but have different images"):
        extreme_ratios(vectors, images)


def test_a_map_to_one_point_has_ratio_zero() -> None:
    found = extreme_ratios(np.eye(3), np.full((3, 2), 0.1), threshold=0.0)
    assert (found.largest, found.above) == (0, 0)
    assert extreme_ratios(np.eye(3), np.eye(3)).above is None


def test_inputs_that_have_no_ratios() -> None:
    assert_refused(
        extreme_ratios,
        [
            (np.eye(3), np.eye(2), "every vector needs one image: 3 vectors, 2 images"),
            (np.ones((3, 2)), np.ones((3, 1)), "at least two distinct vectors"),
            (np.full((2, 2), np.nan), np.eye(2), "vectors are a matrix of finite numbers"),
            (np.eye(2), np.ones(2), "images are a matrix of finite numbers"),
            ([[1.0, 2.0], [3.0]], np.eye(2), "all of the same length"),
            (np.eye(3) * 1e-160, np.eye(3), "squares that float64 cannot hold; change their unit"),
            (np.eye(3) * 1e160, np.eye(3), "squares that float64 cannot hold; change their unit"),
        ],
    )
    with pytest.raises(ValueError, match="at least one row, got block=0"):
        extreme_ratios(np.eye(3), np.eye(3), block=0)


def test_bounds_that_do_not_hold() -> None:
    assert_refused(union_bound, [(0, 2, 0.5, "at least 1, got 0 and 2"), (1, 2, 0.0, "beta is positive and finite")])
    assert_refused(smallest_dimension, [(1, 0.5, 0, "strictly between 0 and 1, got 0")])


def test_bounds_at_two_dimensions_are_exponentials() -> None:
    assert union_bound(10, 2, 0.9) == pytest.approx(10 * math.exp(-(1.9**2)), rel=1e-12)
    assert union_bound(10**6, 2, 0.1) == 1


@given(count=st.integers(1, 10**9), beta=st.floats(0.05, 0.99), delta=st.floats(1e-12, 0.2))
def test_the_smallest_dimension_is_the_first_that_is_enough(count: int, beta: float, delta: float) -> None:
    m = smallest_dimension(count, beta, delta)
    assert union_bound(count, m, beta) <= delta
    assert m == 1 or union_bound(count, m - 1, beta) > delta
