"""Stand-ins carry exactly the truth that was planted in them."""

from __future__ import annotations

import math

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
    """Word by word, as the definition reads, in Python floats."""

    def dot(p: list[float], q: list[float]) -> float:
        return math.fsum(u * v for u, v in zip(p, q, strict=True))

    def cosine(v: str, w: str) -> float:
        p, q = [float(x) for x in vectors[v]], [float(x) for x in vectors[w]]
        return dot(p, q) / math.sqrt(dot(p, p) * dot(q, q))

    def association(word: str) -> float:
        return sum(cosine(word, a) for a in test.A) / len(test.A) - sum(cosine(word, b) for b in test.B) / len(test.B)

    x, y = ([association(word) for word in words] for words in (test.X, test.Y))
    mean = sum(x + y) / len(x + y)
    deviation = math.sqrt(sum((s - mean) ** 2 for s in x + y) / (len(x + y) - 1))
    return (sum(x) / len(x) - sum(y) / len(y)) / deviation


@given(
    st.integers(2, 9),
    st.integers(2, 9),
    st.integers(2, 9),
    st.integers(2, 9),
    st.floats(-0.99, 0.99),
    st.integers(4, 40),
    st.integers(0, 2**32 - 1),
)
def test_the_planted_effect_is_there(x: int, y: int, a: int, b: int, share: float, dim: int, seed: int) -> None:
    test = make_test(x, y, a, b)
    planted = share * math.sqrt((x + y - 1) * (x + y) / (x * y))
    vectors = planted_vectors(test, planted, dim=dim, rng=np.random.default_rng(seed))
    assert vectors.words == test.words
    assert slow_effect_size(vectors, test) == pytest.approx(planted, abs=2e-5)


def test_mean_median_and_extremes_differ_and_lengths_vary() -> None:
    test = make_test(8, 8, 8, 7)
    vectors = planted_vectors(test, 1.2, dim=50, rng=np.random.default_rng(0))
    unit = {word: vectors.unit[row] for row, word in enumerate(vectors.words)}
    cosines = np.array([[unit[w] @ unit[a] for a in test.A] for w in test.X])
    assert (cosines.max(1) - cosines.min(1) > 0.05).all()
    assert np.abs(np.median(cosines, 1) - cosines.mean(1)).max() > 0.005
    lengths = np.linalg.norm(vectors.matrix, axis=1)
    assert lengths.std() > 0.1


def test_same_seed_same_vectors_other_seed_others() -> None:
    test = make_test(4, 4, 4, 4)
    for make in (
        lambda rng: planted_vectors(test, 0.5, dim=8, rng=rng),
        lambda rng: null_vectors(test, dim=8, rng=rng),
    ):
        one, two, three = (make(np.random.default_rng(seed)) for seed in (1, 1, 2))
        np.testing.assert_array_equal(one.matrix, two.matrix)
        assert not np.array_equal(one.matrix, three.matrix)
        assert one.name.startswith("stand-in")


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
