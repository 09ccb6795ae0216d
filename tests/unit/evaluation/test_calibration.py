"""Calibration on scores whose meaning is known, weights against their formulas, bins against counting one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from refusals import assert_refused
from scipy.special import expit, logit

from trustnlp.evaluation.calibration import calibrate, expected_calibration_error, reliability, weight_of

METHODS = ("isotonic", "platt")


def overconfident(n: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]:
    """Scores whose log-odds are three times too large and shifted, the truth, and the probabilities meant."""
    rng = np.random.default_rng(seed)
    meant = rng.uniform(0.02, 0.98, n)
    return expit(3 * logit(meant) + 1), rng.random(n) < meant, meant


@pytest.mark.parametrize("method", METHODS)
def test_overconfident_scores_are_mended(method):
    scores, same, _ = overconfident(4000, 0)
    new, truth, meant = overconfident(4000, 1)
    mended = calibrate(scores, same, method)(new)
    assert expected_calibration_error(new, truth) > 0.1
    assert expected_calibration_error(mended, truth) < 0.03
    assert np.abs(mended - meant).mean() < 0.04


@pytest.mark.parametrize("method", METHODS)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=30), st.floats(0, 1), st.floats(0, 1))
def test_a_map_is_finite_in_log_odds_whatever_it_learnt_on(method, pairs, one, other):
    scores, same = np.array([p for p, _ in pairs]), np.array([truth for _, truth in pairs])
    if same.all() or not same.any():
        return
    mapped = calibrate(scores, same, method)([one, other])
    assert np.isfinite(weight_of(mapped, "log_odds")).all()
    if method == "isotonic":
        assert (mapped[0] - mapped[1]) * (one - other) >= 0
        assert 1 / (len(pairs) + 2) <= mapped.min() and mapped.max() <= 1 - 1 / (len(pairs) + 2)


def test_a_steep_curve_stays_off_the_ends():
    mapped = calibrate([0.25, 0.125], [False, True], "platt")([0.0, 1.0])
    assert (mapped > 0).all() and (mapped < 1).all() and np.isfinite(weight_of(mapped, "log_odds")).all()


def test_isotonic_by_hand():
    mapped = calibrate([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0, 1, 0, 1, 1, 1])([0.0, 0.2, 0.3, 0.9])
    assert mapped == pytest.approx([1 / 8, 1 / 2, 1 / 2, 7 / 8])


def test_platt_on_separable_pairs_gives_the_smoothed_shares():
    # Two scores only: the curve goes through (n₊+1)/(n₊+2) and 1/(n₋+2) exactly.
    mapped = calibrate([0.2] * 3 + [0.9] * 8, [False] * 3 + [True] * 8, "platt")([0.2, 0.9])
    assert mapped == pytest.approx([1 / 5, 9 / 10], abs=1e-3)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40), st.integers(1, 12))
def test_bins_against_counting_one_by_one(pairs, bins):
    table = reliability([p for p, _ in pairs], [truth for _, truth in pairs], bins)
    borders = np.linspace(0, 1, bins + 1)
    gap, rows = 0.0, 0
    for number, (low, high) in enumerate(itertools.pairwise(borders)):
        inside = [(p, t) for p, t in pairs if low <= p < high or (number == bins - 1 and p == 1)]
        if not inside:
            continue
        row = table.iloc[rows]
        rows += 1
        promise, share = np.mean([p for p, _ in inside]), np.mean([t for _, t in inside])
        assert row.tolist() == pytest.approx([low, high, promise, share, len(inside)])
        gap += abs(promise - share) * len(inside)
    assert rows == len(table)
    error = expected_calibration_error([p for p, _ in pairs], [truth for _, truth in pairs], bins)
    assert error == pytest.approx(gap / len(pairs))


def test_weights():
    assert weight_of([0, 0.25, 0.5, 1]).tolist() == [-1, -0.5, 0, 1]
    assert weight_of([0.5, 0.75], "log_odds") == pytest.approx([0, np.log(3)])
    assert weight_of([1e-9, 0.2], "log_odds") == pytest.approx(-weight_of([1 - 1e-9, 0.8], "log_odds"), rel=1e-6)


def test_bad_input():
    assert_refused(
        lambda call: call(),
        [
            (lambda: calibrate([0.2, 0.4], [True, True]), "both kinds, all 2 are same"),
            (lambda: calibrate([0.2, 0.4], [True]), "one truth for each"),
            (lambda: calibrate([0.2, 1.4], [True, False]), "between 0 and 1"),
            (lambda: calibrate([0.2, 0.4], [True, False], "linear"), "isotonic, platt"),  # type: ignore[arg-type]
            (lambda: reliability([0.2], [True], 0), "at least one bin"),
            (lambda: weight_of([0.5, 1.0], "log_odds"), "calibrate or clip"),
            (lambda: weight_of([0.5], "odds"), "linear, log_odds"),  # type: ignore[arg-type]
        ],
    )
