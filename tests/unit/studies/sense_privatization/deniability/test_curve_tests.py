"""Intervals over words of what is said of curves, on curves whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest

from trustnlp.studies.sense_privatization.deniability import (
    Curves,
    apart_both_ways,
    calibrated_epsilon,
    least_step,
    resampled,
)

EPSILONS = np.array([1.0, 10.0, 100.0, 1000.0])


def curves(kept: object) -> Curves:
    values = np.array(kept, dtype=float)
    return Curves(EPSILONS, values, 1 - values)


def test_all_words_come_first_and_then_their_bootstraps() -> None:
    chosen = resampled(5, 3, np.random.default_rng(0))
    assert chosen[0].tolist() == [0, 1, 2, 3, 4]
    assert len(chosen) == 4 and all(len(take) == 5 and take.min() >= 0 and take.max() < 5 for take in chosen)


def test_a_step_that_some_words_take_back_is_not_certain() -> None:
    rng = np.random.default_rng(1)
    steady = np.array([0.1, 0.4, 0.7, 0.9])[:, None] + 0.01 * rng.standard_normal((4, 200))
    chosen = resampled(200, 300, np.random.default_rng(0))
    margin, (low, high) = least_step(steady, chosen, falls=False)
    assert margin == pytest.approx(0.2 + 0.005, abs=0.01) and low > 0.15 and high < 0.25
    unsure = np.array([0.1, 0.1, 0.7, 0.9])[:, None] + 0.3 * rng.standard_normal((4, 200))
    margin, (low, high) = least_step(unsure, chosen, falls=False)
    assert low <= margin <= high and low < 0 < high
    assert least_step(1 - steady, chosen, falls=True)[0] == pytest.approx(least_step(steady, chosen, falls=False)[0])


def test_the_calibrated_epsilon_has_an_interval_and_may_be_missing() -> None:
    kept = np.repeat([[0.0], [0.2], [0.8], [1.0]], 40, axis=1)
    chosen = resampled(40, 50, np.random.default_rng(0))
    epsilon, interval = calibrated_epsilon(curves(kept), 0.9, chosen)
    assert epsilon == pytest.approx(10**1.5) and interval == pytest.approx((epsilon, epsilon))
    assert np.isnan(calibrated_epsilon(curves(kept / 10), 0.9, chosen)[0])


def test_a_shifted_curve_has_one_shape_and_another_has_not_whichever_grid_is_asked() -> None:
    # A tenth of the ε: the same curve one step of the grid earlier.
    one = curves(np.repeat([[0.0], [0.1], [0.9], [1.0]], 3, axis=1))
    two = curves(np.repeat([[0.1], [0.9], [1.0], [1.0]], 3, axis=1))
    chosen = resampled(3, 2, np.random.default_rng(0))
    assert apart_both_ways(two, one, chosen) == pytest.approx(np.zeros(3), abs=1e-12)
    steep = curves(np.repeat([[0.0], [0.5], [0.6], [1.0]], 3, axis=1))
    there, back = apart_both_ways(one, steep, chosen)[0], apart_both_ways(steep, one, chosen)[0]
    assert there == pytest.approx(back) and there > 0.2
