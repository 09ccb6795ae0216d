"""Extremes over all pairs against the obvious float64 computation; bounds against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused
from scipy.stats import chi2

from trustnlp.privacy.mechanisms import lipschitz, pairs
from trustnlp.privacy.mechanisms.lipschitz import (
    extreme_ratios,
    ratio_histogram,
    smallest_dimension,
    union_bound,
)
from trustnlp.privacy.mechanisms.projection import target_dimension
from trustnlp.privacy.mechanisms.width import gaussian_width


def gaps(rows: np.ndarray) -> np.ndarray:
    """All distances in float64, from the differences."""
    return np.array([np.linalg.norm(rows[i + 1 :] - rows[i], axis=1) for i in range(len(rows))], dtype=object)


def all_ratios(vectors: np.ndarray, images: np.ndarray) -> tuple[np.ndarray, list[tuple[int, int]]]:
    ratios = [top / bottom for top, bottom in zip(gaps(images)[:-1], gaps(vectors)[:-1], strict=True)]
    order = [(i, j) for i in range(len(vectors)) for j in range(i + 1, len(vectors))]
    return np.concatenate(ratios), order


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
def test_every_field_equals_the_loop_over_pairs(
    seed: int, v: int, d: int, m: int, block: int, offset: float, closest: float
) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((v, d)) + offset
    vectors[-1] = vectors[0] + closest * rng.standard_normal(d)
    images = vectors @ rng.standard_normal((d, m))
    ratios, order = all_ratios(vectors, images)
    threshold = float(np.median(ratios)) * 1.000001
    found = extreme_ratios(vectors, images, threshold=threshold, block=block)
    assert found.largest == pytest.approx(ratios.max(), rel=1e-9)
    assert found.smallest == pytest.approx(ratios.min(), rel=1e-9)
    assert ratios[order.index(found.largest_pair)] == pytest.approx(ratios.max(), rel=1e-9)
    assert ratios[order.index(found.smallest_pair)] == pytest.approx(ratios.min(), rel=1e-9)
    assert (found.pairs, found.repeats) == (len(ratios), 0)
    if np.abs(ratios / threshold - 1).min() > 1e-9:
        assert found.above == (ratios > threshold).sum()
        assert found.share_above == found.above / len(ratios)


@pytest.mark.parametrize("distance", [1e-2, 1e-4, 1e-7])
def test_the_extremes_are_found_among_pairs_that_float32_cannot_separate(distance: float) -> None:
    rng = np.random.default_rng(1)
    vectors = near_copies(rng, 120, 50, distance)
    images = vectors @ rng.standard_normal((50, 8))
    # Only a copy is moved, by 4 times its distance: the largest ratio is that of this pair.
    step = images[60 + 7] - images[7]
    images[60 + 7] += 4 * step
    ratios, order = all_ratios(vectors, images)
    found = extreme_ratios(vectors, images, threshold=2.0, block=32)
    assert order[int(ratios.argmax())] == (7, 67) == found.largest_pair
    assert found.largest == pytest.approx(ratios.max(), rel=1e-6)
    assert found.smallest == pytest.approx(ratios.min(), rel=1e-6)
    assert found.above == (ratios > 2.0).sum()


def test_a_projection_of_a_real_size_and_how_few_pairs_need_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    vectors = rng.standard_normal((1500, 300)) * rng.uniform(0.5, 6, (1500, 1))
    images = vectors @ rng.standard_normal((300, 54)) / math.sqrt(54)
    examined = []
    exact = pairs.Pairs.exact
    monkeypatch.setattr(pairs.Pairs, "exact", lambda self, i, j: examined.append(len(i)) or exact(self, i, j))
    found = extreme_ratios(vectors, images, threshold=1.05, block=256)
    ratios, order = all_ratios(vectors, images)
    assert found.largest == pytest.approx(ratios.max(), rel=1e-12)
    assert found.smallest == pytest.approx(ratios.min(), rel=1e-12)
    assert found.largest_pair == order[int(ratios.argmax())]
    assert found.smallest_pair == order[int(ratios.argmin())]
    assert found.above == (ratios > 1.05).sum() > 100_000
    assert sum(examined) < 0.01 * len(ratios)


def test_the_result_does_not_depend_on_threads_or_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    vectors = near_copies(rng, 300, 20, 1e-3)
    images = vectors @ rng.standard_normal((20, 5))
    one = extreme_ratios(vectors, images, threshold=1.0)
    monkeypatch.setattr(pairs, "thread_count", lambda: 4)
    assert all(extreme_ratios(vectors, images, threshold=1.0, block=block) == one for block in (7, 32, 300, 5000))


@given(seed=st.integers(0, 10**6), d=st.integers(1, 40), spread=st.sampled_from([1e-6, 1e-2, 1.0]))
def test_the_error_bound_of_a_distance_holds(seed: int, d: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    rows = 5 + np.exp(rng.normal(size=(30, 1))) * (1 + spread * rng.standard_normal((30, d)))
    measured = pairs.Distances(rows)
    part = slice(0, 30)
    squared, slack = measured.squared(part, part)
    first, second = np.triu_indices(30, 1)
    assert np.abs(squared[first, second] - measured.exact(first, second)).max() <= slack
    true = np.linalg.norm(rows[first] - rows[second], axis=1)
    assert np.ldexp(np.sqrt(measured.exact(first, second)), measured.exponent) == pytest.approx(true, rel=1e-12)


def test_an_isometry_has_ratio_one_everywhere() -> None:
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((50, 6))
    turned = vectors @ np.linalg.qr(rng.standard_normal((6, 6)))[0]
    found = extreme_ratios(vectors, 3 * turned, block=16)
    assert (found.largest, found.smallest) == pytest.approx((3, 3), rel=1e-12)


@pytest.mark.parametrize(("unit", "image_unit"), [(1e-150, 1e150), (1e150, 1e-150), (1e-30, 1.0)])
def test_units_far_from_one_do_not_overflow(unit: float, image_unit: float) -> None:
    rng = np.random.default_rng(5)
    vectors = rng.standard_normal((40, 5))
    images = vectors @ rng.standard_normal((5, 3))
    plain = extreme_ratios(vectors, images, threshold=1.0)
    scaled = extreme_ratios(vectors * unit, images * image_unit, threshold=image_unit / unit)
    assert scaled.largest / (image_unit / unit) == pytest.approx(plain.largest, rel=1e-12)
    assert (scaled.largest_pair, scaled.above) == (plain.largest_pair, plain.above)


def test_units_whose_squares_leave_float64_are_refused() -> None:
    assert_refused(
        lambda unit: extreme_ratios(np.eye(3) * unit, np.eye(3)),
        [(unit, "squares that float64 cannot hold; change their unit") for unit in [1e-160, 1e160]],
    )


def test_a_ratio_that_float32_cannot_hold() -> None:
    vectors = np.array([[0.0, 0.0], [1e-25, 0.0], [1.0, 0.0], [0.0, 1.0]])
    images = np.array([[0.0], [1.0], [0.5], [0.3]])
    found = extreme_ratios(vectors, images, threshold=1e24)
    assert found.largest == pytest.approx(1e25, rel=1e-12)
    assert (found.largest_pair, found.above) == ((0, 1), 1)


def test_repeated_vectors_count_once_and_must_have_one_image() -> None:
    vectors = np.array([[0.0, 1.0], [1.0, 1.0], [-0.0, 1.0], [3.0, 0.0], [1.0, 1.0]])
    images = vectors[:, :1] * 2
    found = extreme_ratios(vectors, images)
    assert (found.pairs, found.repeats, found.largest_pair) == (3, 2, (0, 1))
    assert found.largest == 2
    images[4] += 0.1
    with pytest.raises(ValueError, match="rows 1 and 4 are the same vector but have different images"):
        extreme_ratios(vectors, images)


def test_a_map_to_one_point_has_ratio_zero() -> None:
    found = extreme_ratios(np.eye(3), np.full((3, 2), 0.1), threshold=0.0)
    assert (found.largest, found.smallest, found.above) == (0, 0, 0)


def test_the_histogram_counts_every_pair() -> None:
    rng = np.random.default_rng(6)
    vectors = near_copies(rng, 200, 30, 1e-5)
    images = vectors @ rng.standard_normal((30, 10)) / math.sqrt(10)
    ratios, _ = all_ratios(vectors, images)
    edges = np.linspace(0.5, 1.5, 11)
    counts = ratio_histogram(vectors, images, edges, block=64)
    expected = np.histogram(ratios, np.concatenate([[0], edges, [np.inf]]))[0]
    assert counts.sum() == len(ratios)
    # Pairs nearer to an edge than the stated 0.05 % may be counted beside it.
    unsure = (np.abs(ratios[:, None] / edges - 1) < 5e-4).any(axis=1).sum()
    assert np.abs(counts - expected).sum() <= 2 * unsure < 0.05 * len(ratios)
    assert counts[0] > 0 and counts[-1] > 0


def test_inputs_that_have_no_ratios() -> None:
    assert_refused(
        extreme_ratios,
        [
            (np.eye(3), np.eye(2), "every vector needs one image: 3 vectors, 2 images"),
            (np.ones((3, 2)), np.ones((3, 1)), "at least two distinct vectors"),
            (np.full((2, 2), np.nan), np.eye(2), "vectors are a matrix of finite numbers"),
            (np.eye(2), np.ones(2), "images are a matrix of finite numbers"),
            ([[1.0, 2.0], [3.0]], np.eye(2), "all of the same length"),
        ],
    )


def test_edges_must_increase_from_zero() -> None:
    assert_refused(
        lambda edges: ratio_histogram(np.eye(3), np.eye(3), edges),
        [(edges, "edges are increasing numbers") for edges in [[], [1.0, 1.0], [-1.0, 1.0], [[0.0, 1.0]]]],
    )


def test_bounds_at_two_dimensions_are_exponentials() -> None:
    assert union_bound(10, 2, 0.9) == pytest.approx(10 * math.exp(-(1.9**2)), rel=1e-12)
    assert union_bound(10**6, 2, 0.1) == 1


@given(
    count=st.integers(1, 10**9),
    beta=st.floats(0.05, 0.99),
    delta=st.floats(1e-12, 0.2),
)
def test_the_smallest_dimension_is_the_first_that_is_enough(count: int, beta: float, delta: float) -> None:
    m = smallest_dimension(count, beta, delta)
    assert union_bound(count, m, beta) <= delta
    assert m == 1 or union_bound(count, m - 1, beta) > delta


def test_definition_1_asks_for_one_pair_and_lemma_4_for_all() -> None:
    beta, delta = 0.9, 1e-6
    assert chi2.sf(17 * 1.9**2, 17) <= delta < chi2.sf(16 * 1.9**2, 16)
    assert smallest_dimension(1, beta, delta) == 17 < 54 == math.ceil(target_dimension(300, beta, delta))
    # Each pair is bad in at most a share δ of the draws; some pair is bad in far more of them.
    delta, rng = 0.05, np.random.default_rng(0)
    m = smallest_dimension(1, beta, delta)
    vectors = rng.standard_normal((12, 12))
    lines = np.array([a - b for i, a in enumerate(vectors) for b in vectors[:i]])
    lines /= np.linalg.norm(lines, axis=1, keepdims=True)
    maps = rng.standard_normal((4000, m, 12)) / math.sqrt(m)
    bad = np.linalg.norm(maps @ lines.T, axis=1) > 1 + beta
    assert bad.mean() == pytest.approx(union_bound(1, m, beta), rel=0.1)
    assert bad.mean(axis=0).max() <= delta + 4 * math.sqrt(delta / 4000)
    assert bad.any(axis=1).mean() > 5 * delta


def test_a_stretch_does_not_change_with_the_length_of_the_vectors_but_a_width_does() -> None:
    rng = np.random.default_rng(1)
    vectors, projection = rng.standard_normal((30, 8)), rng.standard_normal((3, 8))
    for factor in (1e-6, 1e3):
        scaled = factor * vectors
        before, after = (extreme_ratios(rows, rows @ projection.T) for rows in (vectors, scaled))
        assert after.largest == pytest.approx(before.largest, rel=1e-9)
        widths = [
            gaussian_width(rows, draws=4, generator=torch.Generator().manual_seed(0))[0] for rows in (vectors, scaled)
        ]
        assert widths[1] == pytest.approx(factor * widths[0], rel=1e-9)


def test_the_union_bound_holds_for_drawn_projections() -> None:
    rng = np.random.default_rng(9)
    vectors = rng.standard_normal((8, 25))
    m, beta, draws = 6, 0.7, 200
    failures = 0
    for _ in range(draws):
        projection = rng.standard_normal((m, 25)) / math.sqrt(m)
        failures += extreme_ratios(vectors, vectors @ projection.T).largest > 1 + beta
    bound = union_bound(8 * 7 // 2, m, beta)
    assert 0.05 < failures / draws < bound < 1


def test_bounds_need_a_distortion() -> None:
    for bound in (lambda beta: union_bound(1, 2, beta), lambda beta: smallest_dimension(1, beta, 0.1)):
        assert_refused(bound, [(beta, "beta is positive and finite") for beta in (0.0, -1.0, math.nan, math.inf)])


def test_bounds_need_pairs_dimensions_and_a_probability() -> None:
    with pytest.raises(ValueError, match="at least 1, got 0 and 2"):
        union_bound(0, 2, 0.5)
    with pytest.raises(ValueError, match="at least 1, got 1 and 0"):
        union_bound(1, 0, 0.5)
    with pytest.raises(ValueError, match="strictly between 0 and 1, got 0"):
        smallest_dimension(1, 0.5, 0)
    with pytest.raises(ValueError, match="at least one row, got block=0"):
        extreme_ratios(np.eye(3), np.eye(3), block=0)
    assert lipschitz.PairRatios(1, 1, (0, 1), (0, 1), 3, 0, None).share_above is None
