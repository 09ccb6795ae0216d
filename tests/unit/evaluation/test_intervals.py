"""Intervals for the mean of runs and for a share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused
from scipy import stats

from trustnlp.evaluation.intervals import bootstrap_interval, clopper_pearson, t_interval, wilson_interval


def test_t_interval_equals_scipy() -> None:
    values = np.random.default_rng(0).normal(size=12)
    assert t_interval(values, level=0.9) == pytest.approx(tuple(stats.ttest_1samp(values, 0).confidence_interval(0.9)))


def test_bootstrap_interval_is_that_of_a_loop() -> None:
    values = np.array([0.2, 0.5, 0.1, 0.9, 0.4])
    low, high = bootstrap_interval(values, rng=np.random.default_rng(0), resamples=20_000)
    rng = np.random.default_rng(99)
    means = [rng.choice(values, size=len(values)).mean() for _ in range(20_000)]
    assert (low, high) == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.01)
    assert values.min() <= low < values.mean() < high <= values.max()


def test_bootstrap_interval_follows_its_generator() -> None:
    values = np.random.default_rng(0).exponential(size=8)
    one, same, other = (bootstrap_interval(values, rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert one == same != other


def test_equal_values_have_an_interval_of_no_width() -> None:
    assert t_interval([0.5, 0.5, 0.5]) == (0.5, 0.5)
    assert bootstrap_interval([0.5, 0.5], rng=np.random.default_rng(0)) == (0.5, 0.5)


@given(trials=st.integers(1, 400), share=st.floats(0, 1), alpha=st.floats(1e-6, 0.5))
def test_intervals_of_a_share_are_scipys(trials: int, share: float, alpha: float) -> None:
    hits = round(share * trials)
    exact, wilson = (stats.binomtest(hits, trials).proportion_ci(1 - alpha, method) for method in ("exact", "wilson"))
    assert clopper_pearson(hits, trials, alpha / 2) == pytest.approx(tuple(exact), rel=1e-6, abs=1e-9)
    assert wilson_interval(hits, trials, alpha) == pytest.approx(tuple(wilson), abs=1e-9)


def test_published_intervals_of_a_share_and_that_of_no_trial() -> None:
    """2 of 20 at 95 %: 1.23 % to 31.70 % (exact) and 2.79 % to 30.10 % (Wilson), as in every table of limits."""
    assert clopper_pearson(2, 20, 0.025) == pytest.approx((0.01235, 0.31698), abs=5e-5)
    assert wilson_interval(2, 20) == pytest.approx((0.02787, 0.30103), abs=5e-5)
    assert [end.tolist() for end in wilson_interval(np.array([0]), np.array([0]))] == [[0], [1]]


def test_bad_input_is_explained() -> None:
    bad = [
        ([1.0], 0.95, "at least two"),
        ([[1.0, 2.0]], 0.95, "at least two"),
        ([1.0, float("nan")], 0.95, "finite"),
        ([1.0, 2.0], 95, "between 0 and 1"),
    ]
    assert_refused(t_interval, bad)
    assert_refused(
        lambda values, level, resamples=100: bootstrap_interval(
            values, rng=np.random.default_rng(0), level=level, resamples=resamples
        ),
        [*bad, ([1.0, 2.0], 0.95, 0, "at least 1")],
    )
    assert_refused(clopper_pearson, [(3, 2, 0.05, "0 < alpha < 1"), (1, 2, 1.0, "0 < alpha < 1")])
