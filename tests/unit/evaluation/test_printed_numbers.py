"""Checks of printed numbers against themselves: by enumeration, and on tables made from known counts."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from all_printed import all_printed
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.evaluation.printed_numbers import (
    count_behind,
    count_gap,
    joint_range,
    overall_range,
    pair_counts_behind,
    range_gap,
    sizes_behind,
)
from trustnlp.reproduce.claims.ledgers import load_claims


@pytest.mark.parametrize(("printed", "n", "runs"), [(33.4, 6, 1), (78.75, 1457, 1), (0.0, 9, 2), (100.0, 9, 2)])
def test_the_gap_is_that_of_the_nearest_of_all_counts(printed: float, n: int, runs: int) -> None:
    every = [abs(100 * count / (n * runs) - printed) for count in range(n * runs + 1)]
    assert count_gap(printed, n, runs=runs) == pytest.approx(min(every), abs=1e-12)


def test_a_number_that_no_count_gives_is_told() -> None:
    # 48 and 49 of 149 are 32.21 and 32.89 percent.
    assert count_gap(32.55, 149) == pytest.approx(32.55 - 100 * 48 / 149)
    assert count_gap(32.55, 149, runs=2) < 0.005


def test_the_overall_accuracy_of_a_real_split_is_in_range() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        n_first, n_second = rng.integers(20, 400, size=2)
        right_first, right_second = rng.integers(0, n_first + 1), rng.integers(0, n_second + 1)
        first, second = 100 * right_first / n_first, 100 * right_second / n_second
        share = n_second / (n_first + n_second)
        overall = 100 * (right_first + right_second) / (n_first + n_second)
        low, high = overall_range(round(first, 2), round(second - first, 2), share)
        assert low - 1e-9 <= overall <= high + 1e-9


def test_without_rounding_the_range_is_the_weighted_mean() -> None:
    assert overall_range(80, -20, 0.25, rounding=0) == (75.0, 75.0)
    assert overall_range(80, -20, 0.25, rounding=0, share_rounding=0.05) == pytest.approx((74.0, 76.0))


def test_ranges_apart_and_overlapping() -> None:
    for one, other in itertools.permutations([(0.0, 1.0), (3.0, 4.0)]):
        assert range_gap(one, other) == 2.0
    assert range_gap((0.0, 5.0), (2.0, 3.0)) == -3.0


def test_bad_input() -> None:
    assert_refused(
        lambda call: call(),
        [
            (lambda: count_gap(101, 3), "percentage"),
            (lambda: count_gap(10, 0), "at least one text"),
            (lambda: overall_range(50, 10, 1.5), "share"),
            (lambda: overall_range(50, 10, 0.5, rounding=-1), "negative"),
        ],
    )


ARMS = ("non_private", "adversarial", "dpnr")


@pytest.fixture(scope="module")
def tables() -> dict[str, Any]:
    return all_printed("dpnr")


def test_claims_of_dpnr_refer_to_the_cells_that_they_are_about(tables: dict[str, Any]) -> None:
    values = {claim.id: claim.value for claim in load_claims("dpnr").claims if claim.value is not None}
    expected: dict[str, float] = {}
    for prefix, corpus in (("t2", "ag"), ("t2-blog", "blog")):
        second, third = tables["table2"], tables["table3"]
        expected |= {
            f"{prefix}-released-{e}": v for e, v in zip(second["epsilons"], second["dpnr"][corpus], strict=True)
        }
        expected[f"{prefix}-non-private"] = second["non_private"][corpus]
        rates = zip(third["rates"], third["dpnr"][corpus], strict=True)
        expected |= {f"{prefix.replace('2', '3')}-released-{rate}": value for rate, value in rates}
    for arm, (entity, index) in itertools.product(ARMS, itertools.product((3, 4, 5), (0, 1))):
        column = "released" if arm == "dpnr" else arm
        expected[f"t5-{column}-{('absent', 'present')[index]}-{entity}"] = tables["table5"][arm][entity][index]
        expected[f"{('t7', 't7-gap')[index]}-{column}-{entity}"] = tables["table7"][arm][entity][index]
    for arm, (group, index) in itertools.product(ARMS, itertools.product(("gender", "age"), (0, 1))):
        column = "released" if arm == "dpnr" else arm
        expected[f"{('t6-blog', 't6-blog-gap')[index]}-{column}-{group}"] = tables["table6"]["blog"][group][arm][index]
    for prefix, corpus in (("t4", "ag"), ("t4-blog", "blog")):
        fourth = {arm: tables["table4"][arm][corpus] for arm in ("majority", *ARMS)}
        names = ("majority-main", "majority-privacy", "adversarial-main", "adversarial-privacy")
        names += ("released-accuracy", "privacy-released-paper")
        cells = (*fourth["majority"], *fourth["adversarial"], *fourth["dpnr"])
        expected |= {f"{prefix}-{name}": cell for name, cell in zip(names, cells, strict=True)}
        expected[f"{prefix}-non-private-privacy"] = fourth["non_private"][1]
    assert {name: values.get(name) for name in expected} == expected


# ---- the counts behind a printed F1, against trying all counts ----


def printed_as(hits: int, errors: int, decimals: int) -> set[int]:
    """In units of the last decimal; both neighbours where the number lies half-way."""
    units = Fraction(200 * hits, 2 * hits + errors) * 10**decimals
    whole = units.numerator // units.denominator
    rest = units - whole
    return {whole + above for above in (0, 1) if abs(rest - above) <= Fraction(1, 2)}


def test_the_numbers_of_table_6_and_7() -> None:
    assert pair_counts_behind(97.33, 2, 200)[0] == (73, 4)
    assert pair_counts_behind(97.43, 2, 200) == []
    assert pair_counts_behind(97.43, 2, 260) == [(246, 13)]
    assert pair_counts_behind("97.44", 2, 20) == [(19, 1)]


@given(st.integers(0, 100), st.integers(0, 2), st.integers(0, 40))
def test_all_and_only_the_counts_that_print_so(percent: int, decimals: int, most_pairs: int) -> None:
    expected = [
        (hits, errors)
        for hits in range(most_pairs + 1)
        for errors in range(most_pairs + 1 - hits)
        if hits + errors and percent * 10**decimals in printed_as(hits, errors, decimals)
    ]
    assert pair_counts_behind(percent, decimals, most_pairs) == sorted(expected, key=lambda c: (sum(c), c))


def test_ties_may_have_been_rounded_either_way() -> None:
    """F1 = 2/32 is 6.25 %."""
    assert (1, 30) in pair_counts_behind(6.2, 1, 31) and (1, 30) in pair_counts_behind(6.3, 1, 31)


def test_what_no_counts_can_stand_behind_is_refused() -> None:
    assert_refused(
        lambda printed, decimals=2, most=10: pair_counts_behind(printed, decimals, most),
        [
            *((printed, "printed F1") for printed in (100.1, "nan", "many", 97.333)),
            (97, -1, "decimals is not negative"),
            (97, 0, -1, "pairs is not negative"),
        ],
    )


def test_all_printed_numbers_by_enumeration() -> None:
    n = 1821
    possible = {round(100 * count / n, 2): count for count in range(n + 1)}
    values = [hundredths / 100 for hundredths in range(0, 10_001, 7)]
    assert [count_behind(value, n) for value in values] == [possible.get(value) for value in values]
    assert [count_behind(100 * round(count / 50, 2), 50, decimals=0) for count in range(51)] == list(range(51))
    refused = [(101.0, 10, "between 0 and 100, got 101"), (50.0, 20_000, "several counts")]
    assert_refused(count_behind, refused)


def test_sizes_that_allow_two_accuracies() -> None:
    sizes = sizes_behind([65.16, 75.88], 2000)
    for n in range(1, 2001):
        shares = {round(100 * count / n, 2) for count in range(n + 1)}
        assert (n in sizes) == ({65.16, 75.88} <= shares)
    assert_refused(sizes_behind, [([], 10, "expected printed percentages"), ([50.0], 0, "1 up")])


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_both_right_lies_in_the_range_of_the_two_accuracies(answers: list[tuple[bool, bool]]) -> None:
    first, second = 100 * np.mean(answers, axis=0)
    both = 100 * np.all(answers, axis=1).mean()
    low, high = joint_range(first, second)
    assert low - 1e-9 <= both <= high + 1e-9
    assert joint_range(67.0, 90.0) == (57.0, 67.0) and joint_range(30.0, 40.0) == (0.0, 30.0)
    refused = [(50.0, 100.5, "got 50.0 and 100.5")]
    assert_refused(joint_range, refused)
