"""Numbers on pages: as many digits as the interval allows, shares as %, whole counts, and never −0."""

import math
import random
import re
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from trustnlp.reproduce.pages.measured_text import Measured
from trustnlp.reproduce.records.numerals import number_text
from trustnlp.reproduce.records.units import KINDS


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Measured(0.3416, "share of texts", 0.28, 0.4), "34 % (28 to 40)"),
        (Measured(-0.02948, "difference of shares", -0.05, -0.01), "−3 points (−5 to −1)"),
        (Measured(-0.3789, "points", -2.125, 1.367), "−0.4 points (−2.1 to 1.4)"),  # half-width 1.7: a digit more
        (Measured(33.94, "points", 9.4, 58.5), "30 points (10 to 60)"),  # half-width 25: tens
        (Measured(-0.0004, "points", -0.3, 0.2), "0.0 points (−0.3 to 0.2)"),  # never −0
        (Measured(0.5, "points", 0.5, 0.5), "0.5 points"),  # no chance in it
        (Measured(0.99996, "share"), "99.996 %"),  # not all of them
        (Measured(0.00004, "share"), "0.004 %"),
        (Measured(1, "share", 1, 1), "100 %"),
        (Measured(67349, "count of texts"), "67,349"),
        (Measured(17.44, "count of texts", 15, 20), "17 (15 to 20)"),
        (Measured(3.63e-38, "p-value"), "3.63×10⁻³⁸"),
        (Measured(1.5387, "effect size", 1.521, 1.556, 0.005), "1.539 (1.521 to 1.556)"),
        (Measured(1.5387, "effect size", 1.5387, 1.5387, 0.005), "1.539"),  # a digit more than the printed one
        (Measured(82.6741, "%", 82.669, 82.679, 0.05), "82.67 % (82.67 to 82.68)"),  # not finer than that, either
        (Measured(0.832, "share", 0.832, 0.832, 0.0005), "83.2 %"),  # no nought that it does not need
        (Measured(0.83201, "share", 0.83201, 0.83201, 0.0005), "83.20 %"),
        (Measured(0.0, "none"), "0"),
        # A mean of counts or ranks is no count.
        (Measured(1.6, "rank", 1.0, 2.2), "1.6 (1.0 to 2.2)"),
        (Measured(0.2, "count", 0.0, 0.755), "0.2 (0 to 0.8)"),
        (Measured(12_345_678.4, "count", 12_300_000, 12_400_000), "12,350,000 (12,300,000 to 12,400,000)"),
        # Half away from zero, in decimal.
        (Measured(2.5, "points", 0.5, 4.5), "3 points (1 to 5)"),
        (Measured(25, "points", 5, 45), "30 points (10 to 50)"),
        # All is 100 %, none is 0 %, and nothing else is either of them.
        (Measured(1.0, "share", 1.0, 1.0, 0.00005), "100 %"),
        (Measured(1 - 1e-16, "share", rounding=0.005), "100 %"),
        (Measured(1.0, "share", 0.9995, 1.0), "100 % (99.95 to 100)"),
        (Measured(0.97, "probability", 0.6, 0.998), "97 % (60 to 99.8)"),
        # No p-value is 0.
        (Measured(3.6e-38, "p-value", 3.6e-38, 3.6e-38, 0.005), "< 0.001"),
        (Measured(0.0, "p-value"), "< 0.001"),
        (Measured(0.0, "p-value", 0.0, 0.02), "< 0.001 (< 0.001 to 0.020)"),
        (Measured(0.00004, "p-value of pairs", 0.00001, 0.0008), "< 0.0001 (< 0.0001 to 0.0008)"),
        # What is not nought is not printed so, where its sign matters.
        (Measured(0.004, "ε", 0.0, 0.9), "0.004 (0 to 0.9)"),
        (Measured(0.0004, "share", 0.0, 0.05), "0.04 % (0 to 5)"),
        (Measured(0.003, "seconds", rounding=0.5), "0.003"),
        (Measured(4.48, "points", 0.0105, 8.95), "4 points (0.01 to 9)"),
        (Measured(1e-17, "points", rounding=0.05), "0 points"),
        # No interval is printed as a point, nor one of a small quantity as nought.
        (Measured(1538.7, "seconds", 1538.4, 1539.0), "1538.7 (1538.4 to 1539.0)"),
        (Measured(82.6741, "%", 82.6739, 82.6743, 0.05), "82.6741 % (82.6739 to 82.6743)"),
        (Measured(2e-10, "seconds", 1e-10, 3e-10), "2.0×10⁻¹⁰ (1.0×10⁻¹⁰ to 3.0×10⁻¹⁰)"),
        (Measured(9.6e-8, "distance", 9.2e-8, 1e-7), "9.6×10⁻⁸ (9.2×10⁻⁸ to 1.00×10⁻⁷)"),
    ],
    ids=str,
)
def test_numbers_are_written_for_people_and_say_nothing_untrue(number: Measured, text: str) -> None:
    assert number.full() == text


def test_an_interval_that_is_not_known_is_a_dash() -> None:
    assert Measured(0.4, "share").interval() == "–" and Measured(0.4, "share", 0.4, 0.4).interval() == "(exact)"


def test_without_its_sign_a_number_turns_its_interval() -> None:
    assert Measured(-0.08, "difference", -0.11, -0.05).magnitude().full() == "8 points (5 to 11)"
    assert Measured(-0.4, "points", -2.1, 1.4).magnitude().full() == "0.4 points (−1.4 to 2.1)"
    assert Measured(0.4, "points", -1.0, 2.1).magnitude().full() == "0.4 points (−1.0 to 2.1)"


values = st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-6)
halves = st.one_of(st.floats(1e-6, 1e5), st.sampled_from([0.02, 0.5, 0.95, 2.5, 30.0]))
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
units = st.sampled_from(sorted(KINDS))
NUMBER = re.compile(r"([-−]?\d[\d,]*)(?:\.(\d+))?(?:×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?")


@given(values, st.floats(1e-6, 1e5), units)
def test_no_digit_is_finer_than_a_twentieth_of_the_half_width(value: float, half: float, unit: str) -> None:
    number = Measured(value, unit, value - half, value + half)
    shown = number.full()
    assert not _has_minus_nought(shown)
    assert 10.0 ** -max(number.decimals, -12) >= number.half_width / 20 * (1 - 1e-9)
    exact = value * number.kind.factor
    if "<" not in shown:
        assert abs(_value(number.mean()) - exact) <= max(number.half_width, abs(exact) * 0.01, 0.5)


@given(values, units)
def test_a_number_without_chance_has_three_significant_digits_at_most(value: float, unit: str) -> None:
    shown, exact = Measured(value, unit).mean(), value * KINDS[unit].factor
    if "<" in shown:
        return
    assert math.isclose(_value(shown), exact, rel_tol=0.006, abs_tol=0.51 * KINDS[unit].whole)
    digits = re.sub(r"[^\d.]", "", shown.partition("×")[0]).strip("0").replace(".", "").lstrip("0")
    assert len(digits) <= 3 or exact.is_integer() or abs(_value(shown)) >= 100 or "%" in shown


@given(values, halves, st.floats(0, 1), units)
def test_the_printed_mean_lies_between_the_printed_ends(value: float, half: float, part: float, unit: str) -> None:
    number = Measured(value, unit, value - half * part, value + half * (1 - part))
    assume(number.random and number.low is not None and number.high is not None)
    low, high = number.interval()[1:-1].split(" to ")
    if "<" in number.full():
        assert unit == "p-value"
        return
    assert _value(low) <= _value(number.mean()) <= _value(high) and low != high
    assert not _has_minus_nought(number.full())
    for end, text in ((number.low, low), (number.high, high)):
        assert (_value(text) == 0) is (end == 0), "an end that is not 0 says on which side of it it is"


@given(values, st.none() | halves, st.sampled_from([0.0, 0.5, 0.05, 0.0005]), units)
def test_what_is_printed_is_within_half_a_unit_of_its_last_place(
    value: float, half: float | None, rounding: float, unit: str
) -> None:
    low, high = (None, None) if half is None else (value - half, value + half)
    number = Measured(value, unit, low, high, rounding)
    ends = () if not number.random else number.interval()[1:-1].split(" to ")
    for exact, text in zip((value, low, high), (number.mean(), *ends), strict=False):
        assert exact is not None
        exact *= number.kind.factor
        below = text.startswith("< ")
        assert not below or (abs(exact) <= _value(text[2:]) and unit == "p-value")
        assert below or abs(_value(text) - exact) <= _unit(text, number) / 2 + 1e-9 * abs(exact)


def test_halves_go_away_from_nought_as_decimal_says() -> None:
    draw = random.Random(41)
    for _ in range(1000):
        decimals = draw.randint(0, 4)
        unit = Decimal(1).scaleb(-decimals)
        mean = (draw.randint(-99_999, 99_999) + draw.choice([Decimal("0.5"), Decimal(draw.randint(0, 9)) / 10])) * unit
        low, high = mean - 4 * unit, mean + 4 * unit
        number = Measured(float(mean), "score", float(low), float(high))
        texts = (number.mean(), *number.interval()[1:-1].split(" to "))
        for exact, text in zip((mean, low, high), texts, strict=True):
            wanted = exact.quantize(unit, ROUND_HALF_UP) or abs(exact.quantize(unit))
            assert number_text(float(exact), float(unit) / 2) == f"{wanted:f}".replace("-", "−")
            if wanted:
                assert text.replace(",", "") == f"{wanted:f}".replace("-", "−")


def _has_minus_nought(shown: str) -> bool:
    return re.search(r"(?<![\d.,])[-−]0(?:\.0+)?(?![\d.×])", shown) is not None


def _unit(shown: str, number: Measured) -> float:
    """One unit of the last digit that is printed; of a whole number, of its last digit that is no nought."""
    match = NUMBER.match(shown)
    assert match
    if match[1] == "0" and match[2] is None:
        return 10.0**-number.decimals
    whole = match[1].replace(",", "")
    zeros = len(whole) - len(whole.rstrip("0")) if match[2] is None else -len(match[2])
    return 10.0 ** (zeros + int((match[3] or "0").translate(RAISED)))


def _value(shown: str) -> float:
    digits = re.match(r"([-−\d.,]+)(?:×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?", shown)
    assert digits
    return float(digits[1].replace(",", "").replace("−", "-")) * 10.0 ** int((digits[2] or "0").translate(RAISED))
