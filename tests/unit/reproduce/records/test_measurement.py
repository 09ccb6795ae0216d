"""Units bound intervals, stored numbers are computed again, and the longest name says how exactly one repeats."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.reproduce.records.measurement import EXACTNESS, RecordError, bounds, covers, exactness, problem, summary

BOUNDS = {"% of words": (0, 100), "share": (0, 1), "probability": (0, 1), "count of words": (0, math.inf)}
UNITS = [*BOUNDS, "points", "difference of shares", "rank", "none", None]


def test_the_kind_of_a_unit_bounds_its_values() -> None:
    assert {unit: bounds(unit) for unit in UNITS} == dict.fromkeys(UNITS, (-math.inf, math.inf)) | BOUNDS
    with pytest.raises(RecordError, match="the unit 'second' is of no known kind; did you mean 'seconds'"):
        bounds("second")


@st.composite
def measured(draw: st.DrawFn) -> tuple[list[float], str | None, Any]:
    unit = draw(st.sampled_from(UNITS))
    low, high = (max(end, -1e6) if end < 0 else min(end, 1e6) for end in bounds(unit))
    values = draw(st.lists(st.floats(low, high), min_size=1, max_size=8))
    kinds: list[Any] = ["t", "bootstrap", tuple(sorted(draw(st.tuples(st.floats(-2e6, 2e6), st.floats(-2e6, 2e6)))))]
    kind = draw(st.sampled_from(kinds + (["deterministic"] if len(values) == 1 else [])))
    inside = not isinstance(kind, tuple) or (kind[0] <= high and kind[1] >= low)
    return values, unit, kind if inside else "t"


@given(measured())
def test_no_interval_leaves_its_unit_and_what_is_kept_is_sound(
    case: tuple[list[float], str | None, Any],
) -> None:
    values, unit, kind = case
    kept = summary(values, kind, unit=unit, seeds=[0, 1])
    smallest, largest = bounds(unit)
    if kept["low"] is None:
        assert kept["high"] is None and len(values) == 1 and kind in ("t", "bootstrap")
    else:
        assert smallest <= kept["low"] <= kept["high"] <= largest
        if kind in ("t", "deterministic"):
            assert kept["low"] <= kept["mean"] + 1e-9 * abs(kept["mean"])
            assert kept["high"] >= kept["mean"] - 1e-9 * abs(kept["mean"])
    assert problem(kept, [0, 1]) is None


@given(measured(), st.sampled_from(["mean", "low", "high", "n"]), st.floats(0.001, 10))
def test_whatever_follows_from_the_values_cannot_be_changed(
    case: tuple[list[float], str | None, Any], field: str, more: float
) -> None:
    kept = summary(case[0], case[2], unit=case[1], seeds=[0, 1])
    given_ends = kept["interval"] == "given" and field in ("low", "high")
    if kept[field] is None or given_ends:
        return  # nothing says what a given interval must be, but the digest of the record
    forged = kept | {field: kept[field] + more * max(1.0, abs(kept[field]))}
    assert problem(forged, [0, 1]) is not None


def test_a_bootstrap_is_repeated_from_the_runs_own_seeds() -> None:
    kept = summary([0.1, 0.5, 0.2, 0.9, 0.4], "bootstrap", unit=None, seeds=[3, 4])
    assert problem(kept, [3, 4]) is None
    assert "but the values give" in (problem(kept, [4, 3]) or "")


def test_what_cannot_be_is_refused() -> None:
    assert_refused(
        lambda values, interval, unit: summary(values, interval, unit=unit, seeds=[0]),
        [
            ([101.0], "deterministic", "%", "101 is not possible in the unit '%' \\(0 to 100\\); mend one of the two"),
            ([1.0, 2.0], "deterministic", None, "2 values cannot be deterministic"),
            ([1.0], (2.0, 1.0), None, "low ≤ high"),
            ([99.0], (120.0, 130.0), "%", "interval \\(120, 130\\): no value in it is possible in the unit '%'"),
            ([0.0], (-3.0, -2.0), "seconds", "interval \\(-3, -2\\): no value in it is possible"),
            ([1.0], (math.nan, 1.0), None, "low ≤ high"),
            ([1.0], "normal", None, "expected deterministic, t, bootstrap"),
        ],
        RecordError,
    )


def test_the_longest_name_that_fits_says_how_exactly_a_metric_repeats() -> None:
    repeats = {"": "float32", "data": "exact", "data.seconds": "timed", "dat": "float64"}
    told = {key: exactness(repeats, key) for key in ("x", "data", "data.n", "data.seconds.all", "database", "dat.x")}
    assert told == {
        "x": "float32", "data": "exact", "data.n": "exact", "data.seconds.all": "timed", "database": "float32",
        "dat.x": "float64",
    }  # fmt: skip
    assert exactness({}, "x") == "float64" and set(repeats.values()) == set(EXACTNESS)


names = st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=4).map(".".join)


@given(names, names)
def test_a_name_covers_what_begins_with_its_names(prefix: str, key: str) -> None:
    parts = prefix.split(".")
    assert covers(prefix, key) is (key.split(".")[: len(parts)] == parts)
