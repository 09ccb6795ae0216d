"""Directions, shares and their nulls against scikit-learn's PCA, loops over words, and planted truth."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.decomposition import PCA

from trustnlp.bias.gender_direction.direct_bias import isotropic_floor, mean_direct_bias, signed_scores
from trustnlp.bias.gender_direction.direction_nulls import (
    random_pair_shares,
    random_side_means,
    shares_of_repairings,
    words_of_like_frequency,
)
from trustnlp.bias.gender_direction.pair_directions import (
    ESTIMATES,
    direction_of_rows,
    gender_direction,
    held_out_margins,
)
from trustnlp.embeddings.static import WordVectors

PAIRS = [(f"f{i}", f"m{i}") for i in range(7)]


def planted(rng: np.random.Generator, *, lean: float, noise: float, dim: int = 40) -> tuple[WordVectors, np.ndarray]:
    """Pairs that differ by `2 lean` along a known axis, beside a topic of their own and noise; 300 other words."""
    axis = np.linalg.qr(rng.standard_normal((dim, 1)))[0][:, 0]
    topics = rng.standard_normal((7, dim))
    rows = [topics[i] + side * lean * axis + noise * rng.standard_normal(dim) for i in range(7) for side in (1, -1)]
    words = [word for pair in PAIRS for word in pair]
    others = rng.standard_normal((300, dim))
    return WordVectors(words + [f"w{i}" for i in range(300)], np.concatenate([rows, others]), "planted"), axis


@pytest.mark.parametrize("unit", [True, False])
def test_direction_is_scikit_learns_first_component_of_the_centred_points(unit: bool) -> None:
    vectors, _ = planted(np.random.default_rng(0), lean=1.0, noise=1.0)
    points = []
    for pair in PAIRS:
        f, m = (np.float64(vectors[w]) / (np.linalg.norm(np.float64(vectors[w])) if unit else 1) for w in pair)
        points += [f - (f + m) / 2, m - (f + m) / 2]
    fitted = PCA().fit(np.array(points))
    direction = gender_direction(vectors, PAIRS, unit=unit)
    assert abs(direction.g @ fitted.components_[0]) == pytest.approx(1, abs=1e-9)
    np.testing.assert_allclose(direction.shares, fitted.explained_variance_ratio_[:7], atol=1e-9)
    assert direction.gap == pytest.approx(fitted.explained_variance_ratio_[0] - fitted.explained_variance_ratio_[1])


@pytest.mark.parametrize("estimate", ESTIMATES)
def test_a_planted_direction_is_found_with_its_sign(estimate: str) -> None:
    for seed in range(5):
        vectors, axis = planted(np.random.default_rng(seed), lean=3.0, noise=0.1)
        direction = gender_direction(vectors, PAIRS, estimate=estimate)
        assert direction.g @ axis > 0.9
        turned = gender_direction(vectors, [(m, f) for f, m in PAIRS], estimate=estimate)
        np.testing.assert_allclose(turned.g, -direction.g, atol=1e-6)
        assert all(margin > 0 for margin in held_out_margins(vectors, PAIRS, estimate=estimate).values())


def test_planted_scores_come_out() -> None:
    rng = np.random.default_rng(0)
    _, axis = planted(rng, lean=30.0, noise=0.0)
    cosines = np.array([-0.6, -0.1, 0.0, 0.4])
    off = rng.standard_normal((4, 40))
    off -= (off @ axis)[:, None] * axis
    rows = cosines[:, None] * axis + np.sqrt(1 - cosines**2)[:, None] * off / np.linalg.norm(off, axis=1, keepdims=True)
    words = WordVectors(["a", "b", "c", "d"], rows * [[1], [5], [0.1], [2]], "professions")
    scores = signed_scores(words, ["a", "b", "c", "d"], axis)
    np.testing.assert_allclose(scores, cosines, atol=1e-6)
    assert mean_direct_bias(scores) == pytest.approx(np.abs(cosines).mean(), abs=1e-6)
    assert mean_direct_bias(scores, 2) == pytest.approx((cosines**2).mean(), abs=1e-6)


def test_a_repeated_pair_predicts_itself_unless_it_is_left_out_twice() -> None:
    vectors, _ = planted(np.random.default_rng(2), lean=0.0, noise=1.0)
    once = held_out_margins(vectors, PAIRS)
    assert held_out_margins(vectors, [*PAIRS, PAIRS[0]]) == once
    seen = gender_direction(vectors, PAIRS).g
    assert np.mean([np.subtract(*signed_scores(vectors, p, seen)) for p in PAIRS]) > np.mean(list(once.values()))


def test_repairings_are_a_loop_over_all_orders() -> None:
    rng = np.random.default_rng(3)
    female, male = rng.standard_normal((5, 9)), rng.standard_normal((5, 9))
    fast = shares_of_repairings(female, male)
    slow = [direction_of_rows(female, male[list(order)]).shares for order in itertools.permutations(range(5))]
    assert fast.shape == (120, 5)
    np.testing.assert_allclose(fast, np.array(slow), atol=1e-9)
    np.testing.assert_allclose(fast[0], direction_of_rows(female, male).shares, atol=1e-9)


@pytest.mark.parametrize("unit", [True, False])
def test_random_pairs_are_a_loop_over_the_words_drawn(unit: bool) -> None:
    vectors, _ = planted(np.random.default_rng(4), lean=2.0, noise=0.5)
    shares, directions = random_pair_shares(vectors, PAIRS, 20, rng=np.random.default_rng(5), unit=unit)
    means = random_side_means(vectors, PAIRS, 20, rng=np.random.default_rng(5), unit=unit)
    words = [word for pair in PAIRS for word in pair]
    rows = words_of_like_frequency(vectors, words, 20, rng=np.random.default_rng(5))
    for row, share, g, mean in zip(rows, shares, directions, means, strict=True):
        drawn = [vectors.words[i] for i in row]
        slow = gender_direction(vectors, [(drawn[i], drawn[i + 1]) for i in range(0, 14, 2)], unit=unit)
        np.testing.assert_allclose(share, slow.shares, atol=1e-6)
        assert abs(g @ slow.g) == pytest.approx(1, abs=1e-5)
        np.testing.assert_allclose(
            mean, [signed_scores(vectors, drawn[side::2], slow.g).mean() for side in (0, 1)], atol=1e-5
        )


def test_sides_lie_outside_the_null_where_gender_is_planted_and_anywhere_in_it_for_other_words() -> None:
    vectors, _ = planted(np.random.default_rng(8), lean=3.0, noise=1.0)

    def ranks(pairs: list[tuple[str, str]]) -> tuple[float, float]:
        null = random_side_means(vectors, pairs, 200, rng=np.random.default_rng(0))
        assert (null[:, 0] > null[:, 1]).mean() > 0.9  # by the rule of the sign, without gender
        g = gender_direction(vectors, pairs).g
        female, male = (signed_scores(vectors, [pair[side] for pair in pairs], g).mean() for side in (0, 1))
        return float(np.mean(null[:, 0] >= female)), float(np.mean(null[:, 1] <= male))

    assert max(ranks(PAIRS)) < 0.01
    others = np.random.default_rng(0).permuted(np.tile(np.arange(300), (40, 1)), axis=1)[:, :14]
    found = np.array([ranks([(f"w{i}", f"w{j}") for i, j in row.reshape(7, 2)]) for row in others])
    assert (np.abs(found.mean(axis=0) - 0.5) < 0.15).all() and (found < 0.1).mean() < 0.25


def test_a_repeated_pair_is_repeated_in_its_null() -> None:
    vectors, _ = planted(np.random.default_rng(7), lean=0.0, noise=1.0)
    shares, _ = random_pair_shares(vectors, [*PAIRS[:3], PAIRS[0]], 30, rng=np.random.default_rng(0))
    assert (shares[:, 3] < 1e-9).all() and (shares[:, 2] > 1e-3).all()


def test_floor_is_the_mean_over_random_directions() -> None:
    rng = np.random.default_rng(6)
    for dim, c in ((3, 1.0), (50, 1.0), (50, 2.0), (100, 0.5)):
        points = rng.standard_normal((50_000, dim))
        cosines = np.abs(points[:, 0]) / np.linalg.norm(points, axis=1)
        assert isotropic_floor(dim, c) == pytest.approx((cosines**c).mean(), rel=0.02)
    assert isotropic_floor(50, 0) == pytest.approx(1)
    assert isotropic_floor(100) == pytest.approx(0.8 / 10, rel=0.01)
