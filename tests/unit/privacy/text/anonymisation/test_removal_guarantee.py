"""A threshold with a promise: kept in simulation, and refused where it cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.privacy.text.anonymisation.removal_guarantee import (
    TooFewUnitsError,
    best_coverage,
    guaranteed_threshold,
    lowest_of_units,
    units_needed,
)


@pytest.mark.parametrize(("units", "coverage"), [(19, 0.95), (60, 0.95), (30, 0.8)])
def test_the_promise_on_average_is_kept_and_not_wasted(units: int, coverage: float) -> None:
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=(4000, units + 1))
    kept = [row[-1] >= guaranteed_threshold(row[:-1], coverage) for row in drawn]
    assert coverage - 0.015 < np.mean(kept) < coverage + 1 / (units + 1) + 0.015


def test_the_promise_with_confidence_is_kept() -> None:
    """Uniform scores: a threshold t covers the share 1 - t of all units."""
    rng = np.random.default_rng(1)
    covered = [1 - guaranteed_threshold(rng.random(100), 0.95, 0.9) for _ in range(2000)]
    assert np.mean(np.array(covered) >= 0.95) >= 0.89


@given(st.integers(1, 200), st.sampled_from([0.8, 0.9, 0.95]), st.sampled_from([None, 0.9]))
def test_as_many_units_as_needed_are_enough_and_one_fewer_is_not(
    units: int, coverage: float, confidence: float | None
) -> None:
    scores = np.arange(units, dtype=float)
    if units >= units_needed(coverage, confidence):
        assert guaranteed_threshold(scores, coverage, confidence) in scores
    else:
        with pytest.raises(TooFewUnitsError, match="it takes"):
            guaranteed_threshold(scores, coverage, confidence)
    assert (best_coverage(units, confidence) >= coverage - 1e-9) == (units >= units_needed(coverage, confidence))


def test_a_unit_is_as_good_as_its_lowest_secret() -> None:
    scores = [np.array([0.1, 0.9]), np.array([0.2]), np.array([0.7]), np.array([0.3, 0.05])]
    secrets = [np.array([True, True]), np.array([False]), np.array([True]), np.array([True, False])]
    assert lowest_of_units(scores, secrets, ["A", "A", "B", "A"]) == {"A": 0.1, "B": 0.7}
    assert lowest_of_units(scores, secrets, [0, 1, 2, 3]) == {0: 0.1, 2: 0.7, 3: 0.3}  # no secret, no unit


def test_bad_input() -> None:
    assert_refused(
        guaranteed_threshold,
        [
            ([], 0.5, "finite scores"),
            (np.zeros(6), 0.95, TooFewUnitsError, r"6 units .* takes 19, and these allow 85.7%"),
            ([0.5], 1.0, "between 0 and 1"),
        ],
    )
