"""Printed numbers on their grids: by enumeration, on numbers made from counts, and the paper's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from all_printed import all_printed
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.studies.moxie.checks import checks_of, count_behind, joint_range, sizes_behind


@pytest.fixture(scope="module")
def printed() -> dict[str, Any]:
    return all_printed("moxie")


def test_all_printed_numbers_by_enumeration() -> None:
    n = 1821
    possible = {round(100 * count / n, 2): count for count in range(n + 1)}
    values = [hundredths / 100 for hundredths in range(0, 10_001, 7)]
    assert [count_behind(value, n) for value in values] == [possible.get(value) for value in values]


def test_sizes_that_allow_two_accuracies() -> None:
    sizes = sizes_behind([65.16, 75.88], 2000)
    for n in range(1, 2001):
        shares = {round(100 * count / n, 2) for count in range(n + 1)}
        assert (n in sizes) == ({65.16, 75.88} <= shares)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_both_right_lies_in_the_range_of_the_two_accuracies(answers: list[tuple[bool, bool]]) -> None:
    first, second = 100 * np.mean(answers, axis=0)
    both = 100 * np.all(answers, axis=1).mean()
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


def test_bad_input_is_explained() -> None:
    assert_refused(count_behind, [(101.0, 10, "between 0 and 100, got 101"), (50.0, 20_000, "several counts")])
    assert_refused(sizes_behind, [([], 10, "expected printed percentages"), ([50.0], 0, "1 up")])
    assert_refused(joint_range, [(50.0, 100.5, "got 50.0 and 100.5")])
