"""Drawn numbers of labels against every possible draw, counted one by one."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.studies.aec.checks.drawn_counts import draw_test


def slow_share(drawn: tuple[int, ...], there: tuple[int, ...]) -> float:
    """Draw balls of three colours in every way, and count those as far from the expected numbers as the given."""
    colours = [label for label, count in enumerate(there) for _ in range(count)]
    n, size = sum(drawn), sum(there)

    def distance(counts: tuple[int, ...]) -> float:
        return sum(
            (count - n * most / size) ** 2 * size / (n * most) for count, most in zip(counts, there, strict=True)
        )

    draws = [tuple(map(found.count, range(3))) for found in itertools.combinations(colours, n)]
    return sum(distance(counts) >= distance(drawn) - 1e-9 for counts in draws) / len(draws)


@given(st.data())
def test_the_exact_share_is_that_of_all_draws(data: st.DataObject) -> None:
    there = data.draw(st.tuples(*[st.integers(1, 4)] * 3))
    drawn = tuple(data.draw(st.integers(0, most)) for most in there)
    if 0 < sum(drawn) < sum(there):
        assert draw_test(drawn, there).p_exact == pytest.approx(slow_share(drawn, there), abs=1e-12)


def test_a_draw_worked_out_by_hand() -> None:
    found = draw_test((2, 0, 0), (2, 1, 1))
    # Of the six pairs one is the first two; expected are 1, 1/2 and 1/2; (1 + 1/2 + 1/2) · 3 / 2.
    assert found.expected == (1.0, 0.5, 0.5)
    assert found.statistic == pytest.approx(3.0)
    assert found.p_asymptotic == pytest.approx(math.exp(-1.5))
    # The pair of the last two is as far: (1 + 1/2 + 1/2) · 3 / 2.
    assert found.p_exact == pytest.approx(2 / 6)


def test_the_printed_numbers_against_the_published_ones() -> None:
    found = draw_test((7366, 2451, 1847), (9178, 3099, 2363))
    assert found.expected == pytest.approx((7312.308, 2469.039, 1882.652), abs=1e-3)
    assert found.statistic == pytest.approx(5.9087, abs=1e-4)
    assert found.p_asymptotic == pytest.approx(math.exp(-found.statistic / 2))
    assert found.p_exact == pytest.approx(found.p_asymptotic, abs=5e-4)


def test_the_expected_numbers_are_no_surprise_and_others_are() -> None:
    assert draw_test((500, 300, 200), (1000, 600, 400)).p_exact == pytest.approx(1.0)
    assert draw_test((600, 250, 150), (1000, 600, 400)).p_exact < 1e-12


def test_what_cannot_have_been_drawn_is_refused() -> None:
    rows = [
        ((1, 2), (3, 4), r"three labels, got \(1, 2\)"),
        ((4, 1, 1), (3, 4, 5), r"at most all there are, got \(4, 1, 1\)"),
        ((1, -1, 1), (3, 4, 5), r"got \(1, -1, 1\)"),
        ((1, 0, 1), (3, 0, 5), r"a part of \(3, 0, 5\)"),
        ((0, 0, 0), (3, 4, 5), r"got \(0, 0, 0\)"),
        ((3, 4, 5), (3, 4, 5), "a part of"),
    ]
    assert_refused(draw_test, rows)
