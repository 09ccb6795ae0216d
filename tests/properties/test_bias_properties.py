"""What must hold of every association test, whatever the words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from trustnlp.bias import weat
from trustnlp.bias.association_tests.permutation import permutation_test
from trustnlp.bias.association_tests.statistics import STATISTICS, effect_size

numbers = st.floats(-5, 5, allow_subnormal=False).map(lambda x: round(x, 3))
score_lists = arrays.arrays(np.float64, st.integers(2, 6).map(lambda n: 2 * n), elements=numbers)
any_lists = st.tuples(arrays.arrays(np.float64, st.integers(3, 11), elements=numbers), st.integers(1, 10))
seeds = st.integers(0, 2**32 - 1)


def four_sets(seed: int, dim: int = 6, n: int = 4) -> tuple[dict[str, np.ndarray], list[list[str]]]:
    rng = np.random.default_rng(seed)
    sets = [[f"{name}{i}" for i in range(n)] for name in "xyab"]
    return {word: rng.standard_normal(dim) for words in sets for word in words}, sets


@given(score_lists)
def test_exchanging_the_targets_flips_the_sign_and_the_tail(scores: np.ndarray) -> None:
    n = len(scores) // 2
    exchanged = np.roll(scores, n)
    assume(np.ptp(scores) > 0)
    assert effect_size(exchanged, n) == pytest.approx(-effect_size(scores, n), abs=1e-9)
    up, down = (permutation_test(s, n, alternative="greater").p_value for s in (scores, exchanged))
    # Both tails hold the observed split, so together they exceed 1 by its ties.
    assert up + down >= 1
    absolute = permutation_test(scores, n, alternative="absolute").p_value
    assert absolute == permutation_test(exchanged, n, alternative="absolute").p_value
    assert absolute == pytest.approx(min(1.0, 2 * min(up, down)))


@given(any_lists, st.integers(-1000, 1000), st.sampled_from([0.5, 1.0, 4.0]))
def test_neither_a_constant_nor_a_unit_changes_the_outcome(
    case: tuple[np.ndarray, int], constant: int, unit: float
) -> None:
    scores, n = case
    assume(n < len(scores) and np.ptp(scores) > 0)
    moved = unit * scores + constant
    assert effect_size(moved, n) == pytest.approx(effect_size(scores, n), abs=1e-7)
    for alternative in ("greater", "absolute"):
        p = permutation_test(scores, n, alternative=alternative).p_value
        assert permutation_test(moved, n, alternative=alternative).p_value == pytest.approx(p)


@given(seeds, st.floats(0.01, 100))
def test_cosine_ignores_lengths_and_the_distances_a_common_scale(seed: int, scale: float) -> None:
    v, sets = four_sets(seed)
    rng = np.random.default_rng(seed)
    lengths = {word: rng.uniform(0.1, 10) * vector for word, vector in v.items()}
    assert weat(lengths, sets).effect_size == pytest.approx(weat(v, sets).effect_size, rel=1e-9)
    scaled = {word: scale * vector for word, vector in v.items()}
    for measure in ("euclidean", "manhattan", "mahalanobis"):
        d = weat(v, sets, measure=measure).effect_size
        assert weat(scaled, sets, measure=measure).effect_size == pytest.approx(d, rel=1e-6)


@given(seeds, st.sampled_from(["euclidean", "manhattan", "mahalanobis"]))
def test_distances_do_not_depend_on_the_origin(seed: int, measure: str) -> None:
    v, sets = four_sets(seed)
    shift = np.random.default_rng(seed).standard_normal(6)
    moved = {word: vector + shift for word, vector in v.items()}
    assert weat(moved, sets, measure=measure).effect_size == pytest.approx(
        weat(v, sets, measure=measure).effect_size, rel=1e-6, abs=1e-9
    )


@given(seeds, st.sampled_from(STATISTICS), st.sampled_from(["cosine", "euclidean", "manhattan"]))
def test_exchanging_targets_or_attributes_flips_the_signed_test(seed: int, statistic: str, measure: str) -> None:
    v, (X, Y, A, B) = four_sets(seed)

    def d(*sets: list[str]) -> float:
        return weat(v, sets, measure=measure, statistic=statistic, alternative="greater").effect_size

    assert d(Y, X, A, B) == pytest.approx(-d(X, Y, A, B), abs=1e-9)
    # Eq. 2 takes the absolute value of every difference: it cannot see which attribute set is which.
    flip = 1 if statistic == "eq2" else -1
    assert d(X, Y, B, A) == pytest.approx(flip * d(X, Y, A, B), abs=1e-9)
    assert abs(d(X, Y, A, B)) < 2
