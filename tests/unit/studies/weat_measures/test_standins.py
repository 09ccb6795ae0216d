"""Stand-ins carry exactly the truth that was planted in them."""

from __future__ import annotations

import math
from functools import partial
from statistics import mean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustnlp.data.words.weat_stimuli import WeatTest
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.weat_measures.standins import null_vectors, planted_vectors


def make_test(x: int, y: int, a: int, b: int) -> WeatTest:
    sets = [tuple(f"{name}{i}" for i in range(count)) for name, count in zip("xyab", (x, y, a, b), strict=True)]
    return WeatTest(0, "toy", sets[0], sets[1], sets[2], sets[3], ("x", "y", "a", "b"))


def slow_effect_size(vectors: WordVectors, test: WeatTest) -> float:
    """Word by word, as the definition reads, in float64."""

    def cosine(v: str, w: str) -> float:
        p, q = (np.asarray(vectors[word], dtype=np.float64) for word in (v, w))
        return float(p @ q / math.sqrt((p @ p) * (q @ q)))

    def association(word: str) -> float:
        return mean(cosine(word, a) for a in test.A) - mean(cosine(word, b) for b in test.B)

    x, y = ([association(word) for word in words] for words in (test.X, test.Y))
    return (mean(x) - mean(y)) / stdev(x + y)


SIZE = st.integers(2, 9)


@given(SIZE, SIZE, SIZE, SIZE, st.floats(-0.99, 0.99), st.integers(4, 40), st.integers(0, 2**32 - 1))
def test_the_planted_effect_is_there(x: int, y: int, a: int, b: int, share: float, dim: int, seed: int) -> None:
    test = make_test(x, y, a, b)
    planted = share * math.sqrt((x + y - 1) * (x + y) / (x * y))
    vectors = planted_vectors(test, planted, dim=dim, rng=np.random.default_rng(seed))
    assert vectors.words == test.words
    assert slow_effect_size(vectors, test) == pytest.approx(planted, abs=2e-5)


def test_mean_median_and_extremes_differ_and_lengths_vary() -> None:
    test = make_test(8, 8, 8, 7)
    vectors = planted_vectors(test, 1.2, dim=50, rng=np.random.default_rng(0))
    cosines = vectors.restrict(test.X).unit @ vectors.restrict(test.A).unit.T
    assert (np.ptp(cosines, axis=1) > 0.05).all()
    assert np.abs(np.median(cosines, axis=1) - cosines.mean(axis=1)).max() > 0.005
    assert np.linalg.norm(vectors.matrix, axis=1).std() > 0.1


@pytest.mark.parametrize("make", [partial(planted_vectors, effect_size=0.5), null_vectors])
def test_same_seed_same_vectors_other_seed_others(make) -> None:
    one, two, three = (make(make_test(4, 4, 4, 4), dim=8, rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.matrix, two.matrix)
    assert not np.array_equal(one.matrix, three.matrix) and one.name.startswith("stand-in")


def test_null_vectors_are_isotropic_and_lean_nowhere() -> None:
    test = make_test(8, 8, 8, 8)
    rng = np.random.default_rng(0)
    draws = [null_vectors(test, dim=10, rng=rng) for _ in range(400)]
    rows = np.concatenate([vectors.matrix for vectors in draws])
    # 12,800 rows: the standard error of a covariance entry is below 0.013.
    np.testing.assert_allclose(np.cov(rows.T), np.eye(10), atol=0.06)
    effects = [slow_effect_size(vectors, test) for vectors in draws[:100]]
    # Under exchangeability an effect size has mean 0 and variance (1/n + 1/n), here 1/4.
    assert abs(np.mean(effects)) < 4 * 0.5 / 10
    assert np.std(effects) == pytest.approx(0.5, abs=0.15)


@pytest.mark.parametrize("effect", [math.sqrt(15 / 4), math.nan])
def test_what_cannot_be_planted_is_refused(effect: float) -> None:
    with pytest.raises(ValueError, match=r"every effect size lies within ±1.9365"):
        planted_vectors(make_test(8, 8, 8, 8), effect, dim=10, rng=np.random.default_rng(0))
