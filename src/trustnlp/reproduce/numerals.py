"""Numbers and intervals as pages write them."""

import math


def interval_text(low: float, high: float, rounding: float = 0.0) -> str:
    """An interval with one digit more than the paper prints: `[1.521, 1.558]`."""
    ends = (number_text(end, rounding, extra_digits=1) for end in (low, high))
    return f"[{', '.join(ends)}]"


def number_text(value: float, rounding: float = 0.0, *, extra_digits: int = 0) -> str:
    """A number as the paper would print it, with a true minus sign.

    `rounding` is half a unit of the paper's last digit; without it, whole numbers are printed whole and others with
    four significant digits. `extra_digits` are decimals beyond the paper's: ours are shown with one, so that a reader
    sees which way the rounding fell.

    >>> number_text(1.5387, 0.005), number_text(1.5387, 0.005, extra_digits=1), number_text(0.000078)
    ('1.54', '1.539', '7.8×10⁻⁵')
    """
    if rounding:
        decimals = max(0, extra_digits - math.floor(math.log10(2 * rounding) + 1e-9))
        text = f"{value:.{decimals}f}"
        if float(text) == 0:  # no "-0.00"
            text = text.lstrip("-")
    elif float(value).is_integer() and abs(value) < 1e6:
        text = str(int(value))
    else:
        text, _, exponent = f"{value:.4g}".partition("e")
        if exponent:
            text += f"×10{str(int(exponent)).translate(_RAISED)}"
    return text.replace("-", "−")


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
