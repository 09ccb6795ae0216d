"""Measured numbers as people read them: shares as %, as many digits as the interval allows, `34 % (28 to 40)`.

Mean and ends stand to the place of the first significant digit of the interval's half-width, of the second where the
first is 1; so does a mean of counts or ranks. A number without chance has three significant digits at most, beside a
printed one a digit more than that one, and no noughts that it does not need; a count is whole. Halves go away from 0.

What is not nought is not printed as nought: a number without chance, an end, and the mean of an interval that lies on
one side of 0 have one significant digit at least. What is not all is not printed as 100 %, and a p-value is never 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal

from trustnlp.reproduce.records.numerals import (
    HUGE,
    NOISE,
    TINY,
    decimal_of,
    first_digit,
    power_of_ten,
    rounded,
    without_noughts,
)
from trustnlp.reproduce.records.units import KINDS, Kind, kind_of

_DIGITS = 3  # of a number without an interval
_NOUGHT = Decimal("1e-12")
_ALL = Decimal(100)


@dataclass(frozen=True)
class Measured:
    """A number with its unit, in the unit's own scale.

    `rounding` is half a unit of a printed number beside it. `n` is over how many repetitions an interval was computed,
    None where it is known otherwise or there is no chance.
    """

    value: float
    unit: str | None
    low: float | None = None
    high: float | None = None
    rounding: float = 0.0
    n: int | None = None

    @property
    def kind(self) -> Kind:
        """The kind of its unit."""
        return kind_of(self.unit)

    @property
    def random(self) -> bool:
        """Whether it has an interval of some width, beyond the last digits of floating point."""
        if self.low is None or self.high is None:
            return False
        return self.high - self.low > max(float(NOISE) * max(abs(self.low), abs(self.high)), 1e-12)

    @property
    def rounded(self) -> float:
        """The same with the digits that the page shows."""
        return 0.0 if self._is_noise else float(self._rounded(self._exact(self.value), is_end=False))

    @property
    def half_width(self) -> float:
        """Half of the interval, in the scale of the page; 0 without one."""
        if self.low is None or self.high is None:
            return 0.0
        return (self.high - self.low) / 2 * self.kind.factor

    def magnitude(self) -> Measured:
        """The same without its sign; the interval turns with it.

        >>> Measured(-0.08, "difference of shares", -0.11, -0.05).magnitude().full()
        '8 points (5 to 11)'
        """
        if self.value >= 0:
            return self
        low, high = (None if end is None else -end for end in (self.high, self.low))
        return replace(self, value=-self.value, low=low, high=high)

    def mean(self) -> str:
        """The number with its sign for %, points or nothing.

        >>> Measured(0.3416, "share of texts", 0.28, 0.4).mean(), Measured(-0.0004, "points", -0.3, 0.2).mean()
        ('34 %', '0.0 points')
        """
        text = self._text(self.value)
        return f"{text} point" if self.kind.sign == " points" and text in ("1", "−1") else f"{text}{self.kind.sign}"

    def interval(self) -> str:
        """The interval in brackets: `(28 to 40)`; `(exact)` without chance, a dash where it is not known."""
        if self.low is None or self.high is None:
            return "–"
        if not self.random:
            return "(exact)"
        return f"({self._text(self.low, is_end=True)} to {self._text(self.high, is_end=True)})"

    def full(self) -> str:
        """Number and interval: `34 % (28 to 40)`."""
        return f"{self.mean()} {self.interval()}" if self.random else self.mean()

    @property
    def decimals(self) -> int:
        """Decimals of the page's number; below zero it is rounded to tens or hundreds."""
        beside = None
        if self.rounding:
            beside = max(0, round(-math.log10(2 * self.rounding * self.kind.factor)) + 1)
        if self.random:
            place = _place(self.half_width)
            # No finer than beside a printed number, unless nothing of the interval would be left.
            if beside is None or len({rounded(number, beside) for number in self._all_exact}) == 1:
                return place
            return min(place, beside)
        [exact] = self._all_exact
        if beside is not None:
            return beside
        if exact == exact.to_integral_value() and not self._is_huge:
            return 0
        place = _DIGITS - 1 - exact.adjusted()
        return place if self._is_huge else max(0, place)

    @property
    def _all_exact(self) -> list[Decimal]:
        """The mean, and the ends of an interval of some width, before they are rounded."""
        ends = (self.low, self.high) if self.random else ()
        return [self._exact(number) for number in (self.value, *ends) if number is not None]

    def _exact(self, number: float) -> Decimal:
        exact = decimal_of(number, self.kind.factor)
        return _ALL if self.kind.sign == " %" and abs(exact - _ALL) < NOISE else exact

    @property
    def _is_p_value(self) -> bool:
        return self.kind is KINDS["p-value"]

    @property
    def _largest(self) -> Decimal:
        """The largest magnitude of mean and ends."""
        return max(map(abs, self._all_exact))

    @property
    def _is_huge(self) -> bool:
        return not self.kind.whole and self._largest >= HUGE

    @property
    def _is_noise(self) -> bool:
        """Whether no number of it is larger than what floating point leaves of a nought."""
        return not self._is_p_value and self._largest < _NOUGHT

    def _text(self, number: float, *, is_end: bool = False) -> str:
        """Mean or end, in the unit's own scale, as the page prints it."""
        if self._is_noise:
            return "0"
        shown = self._rounded(self._exact(number), is_end=is_end)
        if not shown and self._is_p_value:
            return f"< {Decimal(1).scaleb(-self.decimals if self.decimals > 0 else -_DIGITS):f}"
        # Mean and ends are written alike, but for one that has no digit at their place.
        own_place = 0 < abs(shown) < TINY and -int(shown.as_tuple().exponent) > self.decimals
        is_tiny = self._largest < TINY
        if shown and (is_tiny or self._is_huge or own_place):
            return power_of_ten(shown)
        text = f"{shown:,f}" if abs(shown) >= 10_000 else f"{shown:f}"
        return "0" if is_tiny else text.replace("-", "−")

    def _rounded(self, exact: Decimal, *, is_end: bool) -> Decimal:
        """A number at the place of all, or at its own first digit where nought, or all, would be untrue."""
        shown = rounded(exact, self.decimals)
        if self.kind.sign == " %" and shown == _ALL:
            return _ALL - first_digit(_ALL - exact)
        if not shown and not self._is_p_value and (is_end or not self._is_around_nought):
            shown = first_digit(exact)
        if not self.random and abs(shown - exact) <= NOISE * abs(exact):
            shown = without_noughts(shown)
        return shown

    @property
    def _is_around_nought(self) -> bool:
        """Whether the interval tells no sign, or floating point alone tells one."""
        if self.random:
            return min(self._all_exact) < 0 < max(self._all_exact)
        return self.kind.low < 0 and abs(self._all_exact[0]) < NOISE


def _place(half_width: float) -> int:
    """Decimals to the place of the first significant digit, of the second where the first is 1.

    >>> [_place(width) for width in (0.06, 0.18, 2.0, 1.96, 14.0, 40.0)]
    [2, 2, 0, 0, 0, -1]
    """
    first, _, exponent = f"{half_width:.1e}".partition("e")
    return -int(exponent) + (first[0] == "1")
