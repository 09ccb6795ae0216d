"""Intervals for the mean of runs."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import assert_refused
from scipy import stats

from trustnlp.evaluation.intervals import bootstrap_interval, t_interval


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
    one, same, other = (
        bootstrap_interval(values, rng=np.random.default_rng(seed), resamples=500) for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other


def test_equal_values_have_an_interval_of_no_width() -> None:
    assert t_interval([0.5, 0.5, 0.5]) == (0.5, 0.5)
    assert bootstrap_interval([0.5, 0.5], rng=np.random.default_rng(0)) == (0.5, 0.5)


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
