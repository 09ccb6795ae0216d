"""Printed numbers on their grids: by enumeration, on numbers made from counts, and the paper's own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.reproduce.claims.ledger_tables import printed_tables, table_names
from trustnlp.studies.moxie.checks import checks_of, count_behind, joint_range, sizes_behind


@pytest.fixture(scope="module")
def printed() -> dict[str, Any]:
    return printed_tables("moxie", *table_names("moxie"))


@pytest.mark.parametrize("n", [79, 809, 872, 1821])
def test_all_printed_numbers_by_enumeration(n: int) -> None:
    possible = {round(100 * count / n, 2): count for count in range(n + 1)}
    for hundredths in range(0, 10_001, 7):
        value = hundredths / 100
        ties = any(abs(abs(100 * count / n - value) - 0.005) < 1e-9 for count in range(n + 1))
        if not ties:
            assert count_behind(value, n) == possible.get(value)


def test_the_grids_of_the_paper() -> None:
    assert count_behind(94.38, 872) == 823 == 872 - 49
    assert count_behind(89.74, 1821) is None
    assert [round(100 * count / 1821, 2) for count in (1634, 1635)] == [89.73, 89.79]
    assert count_behind(78.48, 79) == 62 and count_behind(63.26, 2749) == 1739 and count_behind(12.36, 809) == 100
    assert count_behind(67.0, 100, decimals=1) == 67 and count_behind(67.0, 3, decimals=0) == 2


def test_sizes_that_allow_two_accuracies() -> None:
    sizes = sizes_behind([65.16, 75.88], 2000)
    assert sizes[0] == 597 and 1000 not in sizes
    for n in range(1, 2001):
        shares = {round(100 * count / n, 2) for count in range(n + 1)}
        assert (n in sizes) == ({65.16, 75.88} <= shares)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_both_right_lies_in_the_range_of_the_two_accuracies(answers: list[tuple[bool, bool]]) -> None:
    first, second, both = (
        100 * sum(rights) / len(answers)
        for rights in ([a for a, _ in answers], [b for _, b in answers], [a and b for a, b in answers])
    )
    low, high = joint_range(first, second)
    assert low - 1e-9 <= both <= high + 1e-9
    assert joint_range(67.0, 90.0) == (57.0, 67.0) and joint_range(30.0, 40.0) == (0.0, 30.0)


def test_the_checks_of_the_printed_tables(printed: dict[str, Any]) -> None:
    checks = {key: value for key, value, _ in checks_of(printed)}
    assert checks["printed.table2.fitting"] == 7 and checks["printed.table7.fitting"] == 8
    assert checks["printed.table2.off_grid"] == pytest.approx(89.74 - 100 * 1634 / 1821 - 0.005)
    assert 0 < checks["printed.table7.on_grid"] < 0.005
    assert checks["printed.errors_margin"] == pytest.approx(0.5 - 0.0064)
    # All but "will" are counts of the words of their tag: 15 of 2,749 verbs are 0.546 %.
    assert checks["printed.table9.fitting"] == 9
    assert checks["printed.table9.margin"] == pytest.approx(0.005 - (100 * 15 / 2749 - 0.54))
    assert checks["printed.table9.missing_occurrence"] == pytest.approx(0.64)
    assert (checks["printed.set.sizes"], checks["printed.set.least_size"]) == (24, 597)
    assert (checks["printed.table6.gay.joint_least"], checks["printed.table6.gay.joint_most"]) == (54, 61)
    assert checks["printed.score_range_excess"] == 2 and checks["printed.swapped"] == 80


def test_every_check_has_its_own_key_and_reacts_to_its_number(printed: dict[str, Any]) -> None:
    keys = [key for key, _, _ in checks_of(printed)]
    assert len(set(keys)) == len(keys) and all(key.startswith("printed.") for key in keys)
    mended = {
        **printed,
        "table2": {**printed["table2"], "roberta-large": [82.37, 89.73]},
        "score": {"slope": 2, "intercept": -1},
        "e2": {"median_size": 10.0, "median_accuracy": 90.0, "most": 10},
        "set": {"accuracies": [65.16, 75.88], "most": 500},
    }
    checks = {key: value for key, value, _ in checks_of(mended)}
    assert checks["printed.table2.off_grid"] < 0 and checks["printed.table2.fitting"] == 8
    assert checks["printed.score_range_excess"] == 0 and checks["printed.swapped"] == 0
    assert checks["printed.set.sizes"] == 0 and "printed.set.least_size" not in checks


def test_bad_input_is_explained() -> None:
    rows = [(101.0, 10, "between 0 and 100, got 101"), (50.0, 0, "at least one text"), (50.0, 20_000, "several counts")]
    assert_refused(count_behind, rows)
    assert_refused(lambda: count_behind(50.0, 10, decimals=-1), [("not negative, got -1",)])
    assert_refused(
        sizes_behind, [([], 10, "expected printed percentages"), ([50.0], 0, "1 up"), ([-1.0], 10, "got -1")]
    )
    assert_refused(joint_range, [(-1.0, 50.0, "between 0 and 100"), (50.0, 100.5, "got 50.0 and 100.5")])
