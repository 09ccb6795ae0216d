"""Table 4 as counts, by enumeration and by hand, and the paper's own numbers with and without their slips."""

from __future__ import annotations

import copy
import itertools
import math
from typing import Any

import pytest
from all_printed import all_printed
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from trustnlp.studies.aec.checks import (
    at_error_rate,
    checks_of,
    leads,
    least_p_value,
    precision_table,
)


@pytest.fixture(scope="module")
def printed() -> dict[str, Any]:
    return all_printed("aec")


def fisher(more: int, fewer: int, n: int) -> float:
    """scipy's test; 1 for empty lists."""
    return float(fisher_exact([[more, n - more], [fewer, n - fewer]]).pvalue) if n else 1.0


@pytest.mark.parametrize("k", [1, 3, 5])
def test_the_least_p_value_by_trying_all_that_two_lists_may_share(k: int) -> None:
    for one, other in itertools.product(range(k + 1), repeat=2):
        tried = [
            fisher(one - errors, other - errors, k - errors - correct)
            for errors in range(min(one, other) + 1)
            for correct in range(min(k - one, k - other) + 1)
        ]
        assert least_p_value(one, other, k) == pytest.approx(min(tried))


@given(hits=st.integers(1, 40), misses=st.integers(1, 40), errors=st.integers(1, 9), correct=st.integers(1, 9))
def test_precision_moves_as_if_errors_and_correct_ones_were_copied(
    hits: int, misses: int, errors: int, correct: int
) -> None:
    """`errors` copies of each error and `correct` of each correct prediction of a balanced set."""
    share = errors / (errors + correct)
    expected = errors * hits / (errors * hits + correct * misses)
    assert at_error_rate(hits / (hits + misses), share) == pytest.approx(expected)


def test_table_4_as_counts(printed: dict[str, Any]) -> None:
    table = precision_table(printed)
    assert table.loc["uncertainty", "errors"].tolist() == [8, 15, 23, 30, 37]
    assert table.loc["aec", "errors"].tolist() == [7, 16, 25, 33, 38]
    assert table.loc["uncertainty", "added"].tolist() == [8, 7, 8, 7, 7]
    assert table.loc["aec", "added"].tolist() == [7, 9, 9, 8, 5]
    # Wilson (1927) by its formula, for 38 of 50; odds 38 : 12, times the odds 4,655 : 7,009.
    assert table.loc[("aec", 50), ["low", "high"]].tolist() == pytest.approx([0.6258732, 0.8570261], abs=1e-7)
    odds = 38 / 12 * 4655 / 7009
    assert table.loc[("aec", 50), "stream"] == pytest.approx(odds / (1 + odds))


def test_leads_in_tweets(printed: dict[str, Any]) -> None:
    lead = leads(printed)
    assert lead["tweets"].tolist() == [-1, 1, 2, 3, 1]
    cells = [(8, 7, 10), (16, 15, 20), (25, 23, 30), (33, 30, 40), (38, 37, 50)]
    assert lead["p_apart"].tolist() == pytest.approx([fisher(*cell) for cell in cells])
    # One more error: one tweet against one, if all others are shared. Two: two of C(4, 2) = 6 ways.
    assert lead["p_least"].tolist() == pytest.approx([1, 1, 1 / 3, 1 / 10, 1])


def test_the_checks_of_the_paper(printed: dict[str, Any]) -> None:
    checks = checks_of(printed)
    assert checks["printed.table2.sum_margin"] == checks["printed.table3.sum_margin"] == 0.5
    assert checks["printed.table3.accuracy_margin"] == pytest.approx(0.005 - (100 * 7009 / 11664 - 60.09))
    assert checks["printed.table3.above_majority"] == pytest.approx(-100 * 357 / 11664)
    assert [checks[f"printed.{key}"] for key in ("balanced", "split.train", "split.test")] == [9310, 7448, 1862]
    assert checks["printed.split.missing"] == 30
    # The farthest cell is .83 of 40: 33 are 82.5 %.
    assert checks["printed.table4.grid_margin"] == pytest.approx(0.5)
    assert checks["printed.table4.beyond_chance"] == pytest.approx(-0.05)
    assert checks["printed.table4.aec.last_step_above_half"] == 0
    assert checks["printed.emotions.excess"] == 2 and checks["printed.table6.undescribed"] == 3


def test_every_check_reacts_to_its_number(printed: dict[str, Any]) -> None:
    mended = copy.deepcopy(printed)
    mended["table2"]["neutral"] += 1
    mended["table3"] |= {"correct": 7509, "incorrect": 4155, "accuracy": 64.4}
    mended["test_of_table4"] = 1662
    mended["emotions"]["said"] = 10
    mended["table6"]["lexical"] = ["thanks"]
    # All of the first ten there and none of the next: only the longer list is asked, as the paper's sentence does.
    mended["table4"] = {"top": [10, 20], "uncertainty": [0.0, 0.1], "aec": [1.0, 0.5]}
    checks = checks_of(mended)
    assert checks["printed.table2.sum_margin"] == -0.5 and checks["printed.table3.accuracy_margin"] < 0
    assert checks["printed.table3.above_majority"] > 0
    assert checks["printed.split.test"] == 1662 and checks["printed.split.missing"] == 0
    assert checks["printed.emotions.excess"] == checks["printed.table6.undescribed"] == 0
    # Two errors and ten others shared: eight of eight against none.
    assert checks["printed.table4.beyond_chance"] == pytest.approx(0.05 - 2 / math.comb(16, 8))
    mended["table4"]["aec"] = [0.9, 0.4]  # nine, then eight
    assert checks_of(mended)["printed.table4.aec.last_step_above_half"] == -6
