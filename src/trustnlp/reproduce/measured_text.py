"""Measured numbers as people read them: shares as %, as many digits as the interval allows, `34 % (28 to 40)`.

The mean stands to the place of the first significant digit of its interval's half-width, of the second where the first
is 1. A number without chance has three significant digits at most, beside a printed one a digit more than that one;
counts are whole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from trustnlp.reproduce.units import Kind, kind_of

_MOST_DIGITS = 4  # significant ones, however narrow the interval is
_DIGITS = 3  # of a number without an interval
_TINY, _HUGE = 1e-4, 1e7
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Measured:
    """A number with its unit, in the unit's own scale; `rounding` is half a unit of a printed number beside it."""

    value: float
    unit: str | None
    low: float | None = None
    high: float | None = None
    rounding: float = 0.0

    @property
    def kind(self) -> Kind:
        """The kind of its unit."""
        return kind_of(self.unit)

    @property
    def random(self) -> bool:
        """Whether it has an interval of some width, beyond the last digits of floating point."""
        if self.low is None or self.high is None:
            return False
        return self.high - self.low > 1e-9 * max(1.0, abs(self.value))

    @property
    def printed(self) -> float:
        """The number in the scale of the page: 34 for a share of 0.34."""
        return self.value * self.kind.factor

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
        return Measured(-self.value, self.unit, low, high, self.rounding)

    def mean(self) -> str:
        """The number with its sign for %, points or nothing.

        >>> Measured(0.3416, "share of texts", 0.28, 0.4).mean(), Measured(-0.0004, "points", -0.3, 0.2).mean()
        ('34 %', '0.0 points')
        """
        text = self._text(self.printed)
        return f"{text} point" if self.kind.sign == " points" and text in ("1", "−1") else f"{text}{self.kind.sign}"

    def interval(self) -> str:
        """The interval in brackets: `(28 to 40)`; `(exact)` without chance, a dash where it is not known."""
        if self.low is None or self.high is None:
            return "–"
        if not self.random:
            return "(exact)"
        low, high = (self._text(end * self.kind.factor) for end in (self.low, self.high))
        return f"({low} to {high})"

    def full(self) -> str:
        """Number and interval: `34 % (28 to 40)`."""
        return f"{self.mean()} {self.interval()}" if self.random else self.mean()

    @property
    def decimals(self) -> int:
        """Decimals of the page's number; below zero it is rounded to tens or hundreds."""
        value, kind = abs(self.printed), self.kind
        exponent = math.floor(math.log10(value)) if value else 0
        beside = round(-math.log10(2 * self.rounding * kind.factor)) + 1 if self.rounding else None
        if self.random:
            found = min(_place(self.half_width), max(0, _MOST_DIGITS - 1 - exponent))
        elif beside is not None:
            found = beside
        elif float(value).is_integer():
            found = 0
        else:
            found = max(0, _DIGITS - 1 - exponent)
        if beside is not None:
            found = min(found, max(beside, 0))
        return min(found, 0) if kind.whole else found

    def _text(self, number: float) -> str:
        decimals = self.decimals
        if not self.random and self.kind.sign == " %":
            # What is nearly all, or hardly any, is not said to be all or none.
            while round(number, decimals) in (0, 100) and number not in (0, 100) and decimals < _MOST_DIGITS:
                decimals += 1
        tiny = 0 < abs(number) < _TINY and decimals > -math.log10(_TINY)
        if tiny or (abs(number) >= _HUGE and not self.kind.whole):
            exponent = math.floor(math.log10(abs(number)))
            text, _, power = f"{number:.{min(max(0, exponent + decimals), _DIGITS - 1)}e}".partition("e")
            text = text if self.random or "." not in text else text.rstrip("0").rstrip(".")
            return f"{text}×10{str(int(power)).translate(_RAISED)}".replace("-", "−")
        text = f"{round(number, decimals):,.{max(decimals, 0)}f}"
        if abs(number) < 10_000:
            text = text.replace(",", "")
        if not self.random and not self.rounding and "." in text:
            text = text.rstrip("0").rstrip(".")
        if float(text.replace(",", "")) == 0:
            text = text.lstrip("-")  # never −0
        return text.replace("-", "−")


def _place(half_width: float) -> int:
    """Decimals to the place of the first significant digit, of the second where the first is 1.

    >>> [_place(width) for width in (0.06, 0.18, 2.0, 1.96, 14.0, 40.0)]
    [2, 2, 0, 0, 0, -1]
    """
    first, _, exponent = f"{half_width:.1e}".partition("e")
    return -int(exponent) + (first[0] == "1")
