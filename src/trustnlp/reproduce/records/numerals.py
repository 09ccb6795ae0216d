"""Numbers and intervals as pages write them: rounded in decimal, half away from zero, with a true minus sign."""

import math
from decimal import ROUND_HALF_UP, Context, Decimal

TINY, HUGE = Decimal("1e-4"), Decimal("1e7")  # below and from here on a power of ten is written
NOISE = Decimal("1e-9")  # of floating point, in sums and differences of numbers near 1
_DIGITS = 4
# Room for the digits of any float at any place: nothing but `quantize` rounds.
_DECIMAL = Context(prec=1000, rounding=ROUND_HALF_UP)
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def decimal_of(value: float, factor: float = 1.0) -> Decimal:
    """A float as the decimal number that it is written as, times a factor: 28.5 for 0.285 and 100."""
    return _DECIMAL.multiply(Decimal(repr(float(value))), Decimal(repr(float(factor))))


def rounded(number: Decimal, decimals: int) -> Decimal:
    """The nearest number with so many decimals, half away from zero; below zero to tens or hundreds.

    >>> [str(rounded(Decimal(text), 0)) for text in ("2.5", "-2.5", "0.5", "-0.2")]
    ['3', '-3', '1', '0']
    """
    nearest = number.quantize(Decimal(1).scaleb(-decimals), context=_DECIMAL)
    return nearest if nearest else abs(nearest)  # never −0


def without_noughts(number: Decimal) -> Decimal:
    """The same number without noughts at its end."""
    return _DECIMAL.normalize(number)


def first_digit(number: Decimal) -> Decimal:
    """A number with one significant digit; 0 without decimals."""
    return rounded(number, -number.adjusted()) if number else Decimal(0)


def power_of_ten(number: Decimal) -> str:
    """All digits of a number before a power of ten: `7.8×10⁻⁵`."""
    exponent = number.adjusted()
    return f"{number.scaleb(-exponent, _DECIMAL):f}×10{str(exponent).translate(_RAISED)}".replace("-", "−")


def interval_text(low: float, high: float, rounding: float = 0.0) -> str:
    """An interval with one digit more than the paper prints: `[1.521, 1.558]`."""
    ends = (number_text(end, rounding, extra_digits=1) for end in (low, high))
    return f"[{', '.join(ends)}]"


def number_text(value: float, rounding: float = 0.0, *, extra_digits: int = 0, factor: float = 1.0) -> str:
    """A number, times `factor`, as the paper would print it, with a true minus sign.

    `rounding` is half a unit of the paper's last digit; without it, whole numbers are printed whole and others with
    four significant digits. `extra_digits` are decimals beyond the paper's: ours are shown with one, so that a reader
    sees which way the rounding fell, and have one significant digit at least.

    >>> number_text(1.5387, 0.005), number_text(1.5387, 0.005, extra_digits=1), number_text(0.000078)
    ('1.54', '1.539', '7.8×10⁻⁵')
    """
    number = decimal_of(value, factor)
    if rounding:
        shown = rounded(number, max(0, extra_digits - math.floor(math.log10(2 * rounding * factor) + 1e-9)))
        if extra_digits and not shown and abs(number) > NOISE:
            shown = first_digit(number)
        if 0 < abs(shown) < TINY and rounding > TINY:
            return power_of_ten(shown)
        text = f"{shown:f}"
    elif not number or (number == number.to_integral_value() and abs(number) < 1_000_000):
        text = f"{rounded(number, 0):f}"
    else:
        number = without_noughts(rounded(number, _DIGITS - 1 - number.adjusted()))
        if not TINY <= abs(number) < HUGE:
            return power_of_ten(number)
        text = f"{number:f}"
    return text.replace("-", "−")
