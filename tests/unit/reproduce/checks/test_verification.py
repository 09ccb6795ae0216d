"""How near a number must come again, by how exactly it repeats; and how often sound numbers fail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustnlp.reproduce.checks.agreement import FALSE_ALARMS, allowed, compare
from trustnlp.reproduce.checks.verification import _kept_deviations
from trustnlp.reproduce.records.measurement import covers, summary

SEEDS = [0, 1, 2, 3, 4]
VALUES = [1.0, 1.1, 0.9, 1.05, 0.95]


def run(seeds: list[int] = SEEDS, repeats: str = "float64", **metrics: Any) -> dict[str, Any]:
    """A record with `metrics` as values (t over the seeds), or as one number (deterministic)."""
    values = {
        key: (value, "t") if isinstance(value, list) else ([value], "deterministic") for key, value in metrics.items()
    }
    made = {key: summary(*each, unit=None, seeds=seeds) for key, each in values.items()}
    return {"metrics": made, "seeds": seeds, "repeats": {"": repeats}, "parameters": {"seeds": seeds}}


def shifted(by: float) -> list[float]:
    return [value + by for value in VALUES]


@pytest.mark.parametrize(
    ("repeats", "old", "new", "agree"),
    [
        # one number without chance
        ("exact", 1.0, 1.0 + 1e-13, True),
        ("exact", 1.0, 1.0 + 1e-11, False),
        ("float64", 1.0, 1.0 + 5e-7, True),
        ("float64", 1.0, 1.0 + 5e-6, False),
        ("float64", 0.0, 5e-10, True),
        ("float32", 1.0, 1.0 + 5e-4, True),
        ("float32", 1.0, 1.0 + 5e-3, False),
        ("float32", 0.0, 1e-3, True),
        ("timed", 1.0, 100.0, True),
        # one value for each seed: exact numbers are compared seed by seed, so an exchange is seen
        ("exact", VALUES, VALUES[::-1], False),
        ("float64", VALUES, shifted(5e-6), False),
        ("float64", VALUES, VALUES[::-1], False),
        ("float32", VALUES, VALUES[::-1], True),
        ("float32", VALUES, shifted(0.05), True),
        ("float32", VALUES, shifted(0.5), False),
        # a random number of one seed has no standard deviation: it must stay
        ("float32", [1.0], [1.0 + 5e-4], True),
        ("float32", [1.0], [1.01], False),
    ],
)
def test_the_rule_of_each_exactness(repeats: str, old: Any, new: Any, agree: bool) -> None:
    seeds = SEEDS[: len(old)] if isinstance(old, list) else SEEDS
    differences = compare(run(seeds, repeats, a=old), run(seeds, repeats, a=new))
    assert (differences == []) is agree


def test_seeds_are_matched_by_name_where_fewer_are_run_again() -> None:
    old = run(a=VALUES)
    assert compare(old, run([3, 1], a=[VALUES[3], VALUES[1]])) == []
    [line] = compare(old, run([3, 1], a=[VALUES[1], VALUES[1]]))
    assert line == "a: seed 3: now 1.1, committed 1.05 (float64)"


def test_seeds_that_the_record_never_had_are_compared_by_the_interval() -> None:
    assert compare(run(a=VALUES), run([7], a=[1.1])) == []
    [line] = compare(run(a=VALUES), run([7], a=[3.0]))
    assert line.startswith("a: now 3, committed 1, allowed ")


def test_values_of_seeds_scatter_alike_whatever_interval_was_given() -> None:
    """A band that also holds other chance, such as that of the documents, does not say how seeds differ."""
    old, new = run(repeats="float32", a=VALUES), run([0], repeats="float32", a=[1.1])
    old["metrics"]["a"] = summary(VALUES, (0.5, 1.5), unit=None, seeds=SEEDS)
    new["metrics"]["a"] = summary([1.1], (0.6, 1.6), unit=None, seeds=[0])
    assert compare(old, new) == []
    new["metrics"]["a"] = summary([3.0], (2.5, 3.5), unit=None, seeds=[0])
    assert len(compare(old, new)) == 1
    new["metrics"]["a"] = summary([1.1], (0.6, 1.6), unit=None, seeds=[0])
    old["metrics"]["a"] = summary([*VALUES, *VALUES], (0.5, 1.5), unit=None, seeds=SEEDS)  # not one per seed
    assert len(compare(old, new)) == 1


def test_values_that_are_not_one_for_each_seed_are_compared_one_by_one_under_the_same_seeds() -> None:
    """Ten pairs of words under five seeds: which seed a value belongs to is not known, but the order is the same."""
    old = run(a=[*VALUES, *VALUES])
    assert compare(old, run(a=[*VALUES, *VALUES])) == []
    assert compare(old, run(a=[*VALUES[::-1], *VALUES]))
    assert compare(old, run([7], a=[*VALUES[::-1], *VALUES])) == [], "under other seeds the interval decides"


def test_metrics_that_one_of_two_records_lacks_are_differences_both_ways() -> None:
    one, two = run(a=1.0), run(a=1.0, b=2.0)
    assert compare(one, two) == ["b: is not in the committed record"]
    assert compare(two, one) == ["b: is in the committed record only"]
    part = run(a=1.0) | {"parameters": {"seeds": [0]}}
    assert compare(two, part) == [], "a part need not have all, but what it has must be there"
    timed = {"repeats": {"": "float64", "b": "timed"}}
    assert compare(one | timed, two | timed) == ["b: is not in the committed record"], "clocks are missed too"
    other = run(a=1.0)
    other["metrics"]["a"]["unit"] = "share"
    assert compare(one, other) == ["a: its unit is now share, committed None"]


def test_what_a_part_alters_is_left_out_by_its_first_names() -> None:
    old, new = run(**{"all.a": 1.0, "all.b": 1.0, "alles": 1.0}), run(**{"all.a": 2.0, "alles": 2.0, "all.c": 1.0})
    assert [line.partition(":")[0] for line in compare(old, new, ["all"])] == ["alles"]
    assert compare(old, new, ["all", "alles"]) == []


def test_a_notebook_that_now_asks_less_of_itself_differs() -> None:
    """Else code that broke a number could call it a clock."""
    [line] = compare(run(a=1.0), run(repeats="timed", a=2.0))
    assert line == "repeats: now {'': 'timed'}, committed {'': 'float64'}"


def test_what_is_said_of_metrics_that_were_not_run_is_no_difference() -> None:
    """A verification of one task says nothing of the others."""
    old, new = run(a=1.0, b=2.0), run(a=1.0)
    old["repeats"] = {"": "float64", "b": "exact"}
    new["parameters"] = {"seeds": [0]}
    assert compare(old, new) == []
    old["repeats"] = {"": "exact", "b": "exact"}
    assert [line.split(":")[0] for line in compare(old, new)] == ["repeats"]


def test_sound_trainings_fail_a_notebook_once_in_a_hundred_times() -> None:
    """Known truth: old and new values come from one normal law; a notebook fails if any of its metrics does."""
    generator = np.random.default_rng(11)
    runs, metrics, n, again = 3000, 20, 5, 2
    old = generator.normal(size=(runs, metrics, n))
    new = generator.normal(size=(runs, metrics, again)).mean(axis=2)
    # t · √(1/n + 1/m), taken from the code once as it is the same for all; a mean of 1 has a slack of 1e-3.
    low, high = allowed(
        summary(old[0, 0].tolist(), "t", unit=None, seeds=SEEDS) | {"mean": 1.0}, again, "float32", metrics
    )
    half = ((high - low) / 2 - 1e-3) / old[0, 0].std(ddof=1) * old.std(axis=2, ddof=1)
    rate = (np.abs(new - old.mean(axis=2)) > half).any(axis=1).mean()
    assert 0.4 * FALSE_ALARMS < rate < 1.5 * FALSE_ALARMS, rate


def test_numbers_that_moved_are_found() -> None:
    """A shift of five standard deviations of one among twenty metrics, seen by two of five seeds."""
    generator = np.random.default_rng(12)
    found = 0
    for _ in range(40):
        values = generator.normal(size=5)
        old = run(repeats="float32", **{f"m{i}": list(map(float, generator.normal(size=5))) for i in range(19)})
        old["metrics"]["moved"] = run(x=list(map(float, values)))["metrics"]["x"]
        new = run([0, 1], "float32", moved=[10.0 * values.std() + values.mean()] * 2)
        found += bool(compare(old, new | {"parameters": {}}))
    assert found >= 36


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=8), st.integers(1, 8), st.integers(1, 50))
def test_more_metrics_and_fewer_seeds_allow_more(values: list[float], n: int, chances: int) -> None:
    before = summary(values, "t", unit=None, seeds=range(len(values)))
    low, high = allowed(before, n, "float32", chances)
    assert low <= before["mean"] <= high
    wider = [allowed(before, n, "float32", chances + 1)]
    if n > 1:
        wider.append(allowed(before, n - 1, "float32", chances))
    for other_low, other_high in wider:
        assert other_low <= low + 1e-9 and other_high >= high - 1e-9


def test_a_share_that_no_seed_moved_may_move_by_a_text_in_another_training() -> None:
    for repeats, value, agrees in (("float32", 0.2, True), ("float32", 5.0, False), ("float64", 0.2, False)):
        old, new = run(repeats=repeats, a=[0.0] * 5), run(repeats=repeats, a=[value] * 5)
        old["metrics"]["a"]["unit"] = new["metrics"]["a"]["unit"] = "%"
        assert (compare(old, new) == []) is agrees


KEYS = st.lists(st.sampled_from(["a", "a.b", "a.c", "b", "b.d", "c"]), max_size=4, unique=True)


@given(old=KEYS, new=KEYS)
def test_a_stamp_after_a_partial_run_takes_no_deviation_from_any_metric(old: list[str], new: list[str]) -> None:
    """Replacing the keys by those of the reduced run took a deviation from 177 claims of four records."""

    def concerned(keys: list[str]) -> set[str]:
        return {key for key in ["a.b", "a.c", "b.d", "c"] if not keys or any(covers(prefix, key) for prefix in keys)}

    items = [{"text": "Other text than the paper's.", "keys": old, "lacks": False}]
    [kept] = _kept_deviations(items, [{**items[0], "keys": new}], whole=False)
    assert concerned(old) <= concerned(kept["keys"])
    assert kept["keys"] or not old, "what concerned some metrics does not come to concern all"
    [whole] = _kept_deviations(items, [{**items[0], "keys": new}], whole=True)
    assert whole["keys"] == new, "a run of the whole says which metrics a deviation concerns"
    assert _kept_deviations(items, [], whole=False) == items
