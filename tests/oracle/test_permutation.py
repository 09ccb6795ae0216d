"""The fast permutation tests against the obvious loop, against each other and against random draws."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import assert_refused
from scipy import stats

from trustnlp.bias.association_tests import tail_counts
from trustnlp.bias.association_tests.permutation import permutation_test

TOLERANCE = 1e-12


def loop_p_value(scores: np.ndarray, n_first: int, alternative: str) -> float:
    """One split after the other, by difference of means."""

    def difference(first: tuple[int, ...]) -> float:
        rest = [i for i in range(len(scores)) if i not in first]
        return float(np.mean(scores[list(first)]) - np.mean(scores[rest]))

    seen = difference(tuple(range(n_first)))
    side = {"greater": lambda x: x, "absolute": abs, "observed": lambda x: x if seen >= 0 else -x}[alternative]
    slack = TOLERANCE * np.abs(scores).sum()
    splits = list(itertools.combinations(range(len(scores)), n_first))
    return sum(side(difference(split)) >= side(seen) - slack for split in splits) / len(splits)


def random_scores(rng: np.random.Generator, n: int, kind: int) -> np.ndarray:
    """Smooth, many ties, one outlier, or a large common offset."""
    draws = (rng.standard_normal(n), rng.integers(-2, 3, n).astype(float), rng.standard_cauchy(n), 1e3 + rng.random(n))
    return draws[kind % len(draws)]


@pytest.mark.parametrize("alternative", ["greater", "absolute", "observed"])
@pytest.mark.parametrize("sizes", [(1, 1), (1, 6), (4, 4), (5, 5), (3, 6), (7, 2)])
def test_all_exact_methods_equal_the_loop(alternative: str, sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(sizes)
    for kind in range(8):
        scores = random_scores(rng, sum(sizes), kind)
        expected = loop_p_value(scores, sizes[0], alternative)
        listed = permutation_test(scores, sizes[0], alternative=alternative)
        assert listed.method == "enumeration"
        assert listed.p_value == listed.p_low == listed.p_high == pytest.approx(expected, abs=1e-12)
        exact = permutation_test(scores, sizes[0], alternative=alternative, method="exact")
        assert exact.p_value == exact.p_low == pytest.approx(expected, abs=1e-12)
        grid = permutation_test(scores, sizes[0], alternative=alternative, method="grid")
        assert grid.p_low - 1e-12 <= expected <= grid.p_high + 1e-12
        assert grid.p_value == grid.p_high


@given(
    st.integers(6, 13), st.integers(6, 13), st.integers(0, 3), st.sampled_from(["greater", "absolute", "observed"]),
    st.sampled_from([0.0, 0.0, -2.0, -1.0, 1.0, 2.0]), st.integers(0, 2**32 - 1),
)  # fmt: skip
@settings(max_examples=100)
def test_grid_bounds_hold_the_exact_value(n: int, m: int, kind: int, alternative: str, shift: float, seed: int) -> None:
    scores = random_scores(np.random.default_rng(seed), n + m, kind)
    scores[:n] += shift  # far tails as well
    exact = permutation_test(scores, n, alternative=alternative, method="exact")
    grid = permutation_test(scores, n, alternative=alternative, method="grid", rtol=1e-2)
    assert grid.p_low <= exact.p_value <= grid.p_high
    # A tail of a handful of splits cannot be divided into hundredths, and no rounding separates ties (the kind 1).
    if exact.p_value * exact.n_partitions > 1000 and kind != 1:
        assert grid.p_high - grid.p_low <= 0.01 * grid.p_low


@pytest.mark.parametrize(("sizes", "shift"), [((8, 8), 0.3), ((25, 24), -0.2)])
def test_random_draws_agree_within_their_own_error(sizes: tuple[int, int], shift: float) -> None:
    rng = np.random.default_rng(sizes)
    scores = rng.standard_normal(sum(sizes))
    scores[: sizes[0]] += shift
    for alternative in ("greater", "absolute"):
        p = permutation_test(scores, sizes[0], alternative=alternative).p_value
        draws = 40_000
        sampled = permutation_test(
            scores, sizes[0], alternative=alternative, method="monte-carlo", draws=draws, rng=np.random.default_rng(1)
        )
        assert abs(sampled.p_value - p) < 4.5 * math.sqrt(p * (1 - p) / draws) + 2e-3 * p + 1 / draws


@pytest.mark.parametrize("n", [6, 8, 16, 18, 25, 32])
def test_the_most_extreme_split_has_the_smallest_possible_p_value(n: int) -> None:
    scores = np.concatenate([1 + np.arange(n) / n, -np.arange(n) / n])
    smallest = 1 / math.comb(2 * n, n)
    assert permutation_test(scores, n, alternative="greater").p_value == pytest.approx(smallest, rel=1e-12)
    assert permutation_test(scores, n, alternative="absolute").p_value == pytest.approx(2 * smallest, rel=1e-12)
    grid = permutation_test(scores, n, alternative="greater", method="grid")
    assert grid.p_low * math.comb(2 * n, n) == pytest.approx(1)
    assert grid.p_value >= smallest


def test_counts_beyond_64_bits_are_bounded_too() -> None:
    """80 + 80 words: C(160, 80) is about 9e46. The normal approximation is good to a per cent there."""
    rng = np.random.default_rng(5)
    scores = rng.standard_normal(160)
    scores[:80] += 0.25
    grid = permutation_test(scores, 80, alternative="greater", rtol=1e-2)
    assert grid.method == "grid"
    assert grid.p_high - grid.p_low <= 0.011 * grid.p_high
    centred = scores - scores.mean()
    spread = math.sqrt(80 * 80 / 160 * centred.var(ddof=1))
    assert grid.p_value == pytest.approx(stats.norm.sf(centred[:80].sum() / spread), rel=0.03)


def test_float_and_integer_counts_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(6).standard_normal(28)
    integer = permutation_test(scores, 14, method="grid", rtol=1e-2)
    monkeypatch.setattr(tail_counts, "_INT64", 0)
    floating = permutation_test(scores, 14, method="grid", rtol=1e-2)
    assert floating.p_low <= integer.p_low * (1 + 1e-9) and floating.p_high >= integer.p_high * (1 - 1e-9)
    assert floating.p_high == pytest.approx(integer.p_high, rel=1e-6)


@pytest.mark.parametrize("sizes", [(1, 80), (2, 90), (3, 60), (70, 2), (4, 40)])
def test_very_unequal_sizes_need_no_more_than_their_own_splits(sizes: tuple[int, int]) -> None:
    scores = np.random.default_rng(sizes).standard_normal(sum(sizes))
    few = min(sizes)
    sums = np.array([sum(split) for split in itertools.combinations(scores - scores.mean(), few)])
    seen = (scores - scores.mean())[: sizes[0]].sum()
    expected = np.mean((sums if few == sizes[0] else -sums) >= seen - 1e-10)
    for method in ("auto", "exact"):
        found = permutation_test(scores, sizes[0], alternative="greater", method=method)
        assert found.p_value == pytest.approx(expected)
    grid = permutation_test(scores, sizes[0], alternative="greater", method="grid")
    assert grid.p_low - 1e-12 <= expected <= grid.p_high + 1e-12


def test_threads_and_blocks_do_not_change_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(7).standard_normal(24)
    plain = permutation_test(scores, 12, method="exact")
    monkeypatch.setattr(tail_counts, "_WORTH_THREADS", 0)
    monkeypatch.setattr(tail_counts, "_BLOCK", 7)
    assert permutation_test(scores, 12, method="exact") == plain


def test_no_difference_at_all_gives_p_of_one() -> None:
    scores = np.array([1.0, -1.0, 2.0, -2.0, 1.0, -1.0, 2.0, -2.0])
    for method in ("enumeration", "exact", "grid"):
        assert permutation_test(scores, 4, alternative="absolute", method=method).p_value == 1
        assert permutation_test(np.ones(8), 4, method=method).p_value == 1


def test_bad_input_is_explained() -> None:
    assert_refused(
        lambda arguments: permutation_test(**arguments),
        [
            ({"scores": [1.0, np.nan], "n_first": 1}, "finite"),
            ({"scores": [[1.0, 2.0]], "n_first": 1}, "list of finite"),
            ({"scores": [1.0, 2.0], "n_first": 0}, "both sets need a word"),
            ({"scores": [1.0, 2.0], "n_first": 2}, "both sets need a word"),
            ({"scores": [1.0, 2.0], "n_first": 1, "alternative": "less"}, "greater, absolute, observed"),
            ({"scores": [1.0, 2.0], "n_first": 1, "method": "fast"}, "unknown method 'fast'"),
            ({"scores": [1.0, 2.0], "n_first": 1, "method": "monte-carlo"}, "rng=numpy.random.default_rng"),
            ({"scores": np.arange(40.0), "n_first": 20, "method": "enumeration"}, "too many to list"),
            ({"scores": np.arange(80.0) % 7, "n_first": 40, "method": "exact"}, "method='grid'"),
        ],
    )
