"""Counts behind a printed F1, against trying all counts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.evaluation.printed_numbers import pair_counts_behind


def printed_as(hits: int, errors: int, decimals: int, rounding: str) -> set[int]:
    """In units of the last decimal; both neighbours where the number lies half-way."""
    units = Fraction(200 * hits, 2 * hits + errors) * 10**decimals
    whole = units.numerator // units.denominator
    if rounding == "down":
        return {whole}
    rest = units - whole
    return {whole + above for above in (0, 1) if abs(rest - above) <= Fraction(1, 2)}


def test_the_numbers_of_table_6_and_7() -> None:
    assert pair_counts_behind(97.33, 2, 200)[0] == (73, 4)
    assert pair_counts_behind(97.43, 2, 200) == []
    assert pair_counts_behind(97.43, 2, 260) == [(246, 13)]
    assert pair_counts_behind(97.43, 2, 200, "down")[0] == (19, 1)
    assert pair_counts_behind("97.44", 2, 20) == [(19, 1)]


@given(st.integers(0, 100), st.integers(0, 2), st.integers(0, 40), st.sampled_from(["nearest", "down"]))
def test_all_and_only_the_counts_that_print_so(percent: int, decimals: int, most_pairs: int, rounding: str) -> None:
    expected = [
        (hits, errors)
        for hits in range(most_pairs + 1)
        for errors in range(most_pairs + 1 - hits)
        if hits + errors and percent * 10**decimals in printed_as(hits, errors, decimals, rounding)
    ]
    assert pair_counts_behind(percent, decimals, most_pairs, rounding) == sorted(
        expected, key=lambda counts: (sum(counts), counts)
    )


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 3), st.sampled_from(["nearest", "down"]))
def test_counts_are_found_again_from_what_they_print(hits: int, errors: int, decimals: int, rounding: str) -> None:
    if hits + errors:
        for units in printed_as(hits, errors, decimals, rounding):
            text = f"{units // 10**decimals}.{units % 10**decimals:0{decimals}d}" if decimals else str(units)
            assert (hits, errors) in pair_counts_behind(text, decimals, hits + errors, rounding)


def test_ties_may_have_been_rounded_either_way() -> None:
    """F1 = 2/32 is 6.25 %."""
    assert (1, 30) in pair_counts_behind(6.2, 1, 31) and (1, 30) in pair_counts_behind(6.3, 1, 31)
    assert (1, 30) not in pair_counts_behind(6.3, 1, 31, "down")


def test_what_is_no_percentage_is_refused() -> None:
    assert_refused(
        lambda given: pair_counts_behind(given, 2, 10),
        [(given, "printed F1") for given in [-1, 100.1, "nan", "inf", "many", 97.333]],
    )


def test_no_decimals_no_pairs_and_no_rounding_are_refused() -> None:
    with pytest.raises(ValueError, match="decimals is not negative"):
        pair_counts_behind(97, -1, 10)
    with pytest.raises(ValueError, match="pairs is not negative"):
        pair_counts_behind(97, 0, -1)
    with pytest.raises(ValueError, match="nearest or down"):
        pair_counts_behind(97, 0, 1, "up")
