"""Which whole numbers of pairs can stand behind a printed F1?

F1 = 2 TP / (2 TP + e), with TP pairs found and e errors, false alarms and misses together. With few pairs few numbers
with two decimals are such a fraction. The F1 of 97.33 % that xER prints for a graph of 49 mentions (Vadrevu et al.
2021, Table 6) is 146 / 150; a printed number that no counts of a plausible size give was not computed so, or not
rounded so. The arithmetic is exact.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Literal


def pair_counts_behind(
    f1: float | str, decimals: int, most_pairs: int, rounding: Literal["nearest", "down"] = "nearest"
) -> list[tuple[int, int]]:
    """All (true positives, errors) whose F1, in percent, is printed as `f1`; fewest pairs first.

    Parameters
    ----------
    f1
        As printed, in percent.
    decimals
        Decimals it is printed with; "97.3" with two decimals is 97.30.
    most_pairs
        Bound on the true positives and errors together: all pairs that share a cluster in truth or were found to.
    rounding
        To the `nearest` number, where a tie may go either way, or `down`, by cutting digits off.

    Returns
    -------
    list of (int, int)
        Empty where no counts up to `most_pairs` give the number. No pairs at all have no F1 here.

    Raises
    ------
    ValueError
        Not a percentage with at most `decimals` decimals, fewer than 0 decimals or pairs, or another rounding.

    >>> pair_counts_behind(97.33, 2, 100)
    [(73, 4), (91, 5)]
    """
    low, high, closed = _range(f1, decimals, rounding)
    if most_pairs < 0:
        raise ValueError(f"a number of pairs is not negative, got most_pairs={most_pairs}")
    found = []
    if high > 1 or (high == 1 and closed):
        found += [(hits, 0) for hits in range(1, most_pairs + 1)]
    for errors in range(1, most_pairs + 1) if low < 1 else ():
        fewest, most = _ceiling(_hits(low, errors)), most_pairs - errors
        if high < 1:
            limit = _hits(high, errors)
            most = min(most, limit.numerator // limit.denominator if closed else _ceiling(limit) - 1)
        found += [(hits, errors) for hits in range(fewest, most + 1)]
    return sorted(found, key=lambda counts: (sum(counts), counts))


def _range(f1: float | str, decimals: int, rounding: str) -> tuple[Fraction, Fraction, bool]:
    """Lowest and highest F1, 0 to 1, that is printed so, and whether the highest still is."""
    if decimals < 0:
        raise ValueError(f"a number of decimals is not negative, got {decimals}")
    try:
        printed = Fraction(Decimal(str(f1)))
    except (InvalidOperation, ValueError, OverflowError):
        raise ValueError(f"a printed F1 is a number, got {f1!r}") from None
    unit = Fraction(1, 10**decimals)
    if not 0 <= printed <= 100 or printed % unit:
        raise ValueError(f"a printed F1 is a percentage with at most {decimals} decimals, got {f1}")
    if rounding == "nearest":
        return max(printed - unit / 2, Fraction(0)) / 100, (printed + unit / 2) / 100, True
    if rounding == "down":
        return printed / 100, (printed + unit) / 100, False
    raise ValueError(f"rounding is nearest or down, got {rounding!r}")


def _hits(f1: Fraction, errors: int) -> Fraction:
    """True positives, perhaps a fraction, that give this F1 below 1 with these errors."""
    return f1 * errors / (2 * (1 - f1))


def _ceiling(number: Fraction) -> int:
    return -(-number.numerator // number.denominator)
