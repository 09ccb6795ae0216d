"""Numbers on pages: as many digits as the interval allows, shares as %, whole counts, and never −0."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustnlp.reproduce.measured_text import Measured
from trustnlp.reproduce.units import KINDS


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Measured(0.3416, "share of texts", 0.28, 0.4), "34 % (28 to 40)"),
        (Measured(34.16, "%", 28, 40), "34 % (28 to 40)"),
        (Measured(8.08, "points", 5.2, 11.1), "8 points (5 to 11)"),
        (Measured(-0.02948, "difference of shares", -0.05, -0.01), "−3 points (−5 to −1)"),
        (Measured(14.68, "points", 8.4, 20.9), "15 points (8 to 21)"),
        (Measured(-0.3789, "points", -2.125, 1.367), "−0.4 points (−2.1 to 1.4)"),  # half-width 1.7: a digit more
        (Measured(33.94, "points", 9.4, 58.5), "30 points (10 to 60)"),  # half-width 25: tens
        (Measured(-0.0004, "points", -0.3, 0.2), "0.0 points (−0.3 to 0.2)"),  # never −0
        (Measured(-0.3, "points", -4, 4), "0 points (−4 to 4)"),
        (Measured(0.5, "points", 0.5, 0.5), "0.5 points"),  # no chance in it
        (Measured(0.8194, "share of decoys"), "81.9 %"),
        (Measured(0.5, "share"), "50 %"),
        (Measured(0.99996, "share"), "99.996 %"),  # not all of them
        (Measured(0.00004, "share"), "0.004 %"),
        (Measured(1, "share", 1, 1), "100 %"),
        (Measured(67349, "count of texts"), "67,349"),
        (Measured(9.0, "count"), "9"),
        (Measured(17.44, "count of texts", 15, 20), "17 (15 to 20)"),
        (Measured(17.44, "number of texts", 17.2, 17.7), "17.4 (17.2 to 17.7)"),
        (Measured(12221, "rank"), "12,221"),
        (Measured(1692.88, "seconds"), "1693"),
        (Measured(638.4, "seconds"), "638"),
        (Measured(1.0204, "effect size"), "1.02"),
        (Measured(3.63e-38, "p-value"), "3.63×10⁻³⁸"),
        (Measured(0.0032, "p-value"), "0.0032"),
        (Measured(9.4e-7, "distance"), "9.4×10⁻⁷"),
        (Measured(2.5e8, "none"), "2.5×10⁸"),
        (Measured(1.5387, "effect size", 1.521, 1.556, 0.005), "1.539 (1.521 to 1.556)"),
        (Measured(1.5387, "effect size", 1.5387, 1.5387, 0.005), "1.539"),  # a digit more than the printed one
        (Measured(82.6741, "%", 82.669, 82.679, 0.05), "82.67 % (82.67 to 82.68)"),  # not finer than that, either
        (Measured(0.832, "share", 0.832, 0.832, 0.0005), "83.20 %"),
        (Measured(0.0, "none"), "0"),
    ],
    ids=str,
)
def test_numbers_are_written_for_people(number: Measured, text: str) -> None:
    assert number.full() == text


def test_an_interval_that_is_not_known_is_a_dash() -> None:
    assert Measured(0.4, "share").interval() == "–"
    assert Measured(0.4, "share", 0.4, 0.4).interval() == "(exact)"


def test_without_its_sign_a_number_turns_its_interval() -> None:
    assert Measured(-0.08, "difference", -0.11, -0.05).magnitude().full() == "8 points (5 to 11)"
    assert Measured(-0.4, "points", -2.1, 1.4).magnitude().full() == "0.4 points (−1.4 to 2.1)"
    assert Measured(0.4, "points", -1.0, 2.1).magnitude().full() == "0.4 points (−1.0 to 2.1)"


values = st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-6)


@given(values, st.floats(1e-6, 1e5), st.sampled_from(sorted(KINDS)))
def test_no_digit_is_finer_than_a_twentieth_of_the_half_width(value: float, half: float, unit: str) -> None:
    number = Measured(value, unit, value - half, value + half)
    shown = number.full()
    assert not re.search(r"(?<![\d.,])[-−]0(?:\.0+)?(?![\d.×])", shown)
    assert 10.0 ** -max(number.decimals, -12) >= number.half_width / 20 * (1 - 1e-9)
    assert abs(_value(number.mean()) - number.printed) <= max(number.half_width, abs(number.printed) * 0.01, 0.5)


@given(values, st.sampled_from(sorted(KINDS)))
def test_a_number_without_chance_has_three_significant_digits_at_most(value: float, unit: str) -> None:
    shown = Measured(value, unit).mean()
    assert math.isclose(_value(shown), value * KINDS[unit].factor, rel_tol=0.006, abs_tol=0.51 * KINDS[unit].whole)
    decimals = re.sub(r"[^\d.]", "", shown.partition("×")[0]).strip("0").replace(".", "").lstrip("0")
    assert (
        len(decimals) <= 3
        or float(value * KINDS[unit].factor).is_integer()
        or abs(_value(shown)) >= 100
        or "%" in shown
    )


def _value(shown: str) -> float:
    raised = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
    digits = re.match(r"([-−\d.,]+)(?:×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?", shown)
    assert digits
    return float(digits[1].replace(",", "").replace("−", "-")) * 10.0 ** int((digits[2] or "0").translate(raised))
