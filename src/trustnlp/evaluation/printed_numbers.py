"""Can the numbers of a table all be true? Checks that need nothing but what is printed and the sizes of the data.

An accuracy over `n` texts is a count divided by `n`; averaged over `r` runs it is a count divided by `n·r`. When `n·r`
is small, few numbers with two decimals are such a fraction, so a printed number can tell on which texts, and over how
many runs, it was taken (known as the GRIM test). The accuracy on all texts lies between those of two groups, and is
their mean weighted by the groups' sizes. Few positive answers bound F1. And F1 is 2 TP / (2 TP + e), with TP true
positives and e errors: of few pairs, few F1 with two decimals are possible.

The checks say what does not fit together, never why: a slip of the pen does it as well as another split.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction

_SLIP = 1e-9  # of float64; no two percentages over fewer than 10,000 texts are as close


def count_gap(printed: float, n: int, *, runs: int = 1) -> float:
    """Distance, in points, from a printed percentage to the nearest one that `runs` runs over `n` texts can average to.

    At most the rounding of the number (half a unit of its last digit) where it can be such an average of exact
    percentages, at most twice that where each run was rounded before averaging.

    >>> round(count_gap(57.04, 1457), 4), round(count_gap(69.44, 127, runs=5), 3), round(count_gap(69.44, 144), 4)
    (0.005, 0.009, 0.0044)

    Raises
    ------
    ValueError
        If not a percentage, or no texts or runs.
    """
    _check_percent(printed)
    if n < 1 or runs < 1:
        raise ValueError(f"a count needs at least one text and one run, got n={n} and runs={runs}")
    exact = printed / 100 * n * runs
    return min(abs(100 * count / (n * runs) - printed) for count in (math.floor(exact), math.ceil(exact)))


def count_behind(printed: float, n: int, *, decimals: int = 2) -> int | None:
    """How many of `n` a printed percentage is; None where no count is printed so, to the nearest number.

    >>> count_behind(91.97, 872), count_behind(89.74, 1821)
    (802, None)

    Raises
    ------
    ValueError
        If not a percentage, nothing to count, or a printed number that several counts would give.
    """
    rounding = rounding_of(decimals)
    if count_gap(printed, n) > rounding + _SLIP:
        return None
    nearest = round(printed / 100 * n)
    if n > 1 and Fraction(100, n) <= Fraction(1, 10**decimals):
        raise ValueError(f"of {n:,} several counts are printed as one percentage with {decimals} decimals")
    return nearest


def sizes_behind(printed: Sequence[float], most: int, *, decimals: int = 2) -> list[int]:
    """All numbers of contexts, up to `most`, of which every printed percentage is a count.

    >>> sizes_behind([65.16, 75.88], 800)
    [597, 709]

    Raises
    ------
    ValueError
        If there are no percentages, or one that is none; `most` below 1.
    """
    if not printed or most < 1:
        raise ValueError(f"expected printed percentages and sizes from 1 up, got {list(printed)} and {most}")
    limit = rounding_of(decimals) + _SLIP
    return [n for n in range(1, most + 1) if all(count_gap(value, n) <= limit for value in printed)]


def joint_range(first: float, second: float) -> tuple[float, float]:
    """Least and most accuracy on both of two questions, of the accuracy on each, all in per cent of the same contexts.

    >>> joint_range(67.0, 90.0)
    (57.0, 67.0)

    Raises
    ------
    ValueError
        If there are not two percentages.
    """
    if not (0 <= first <= 100 and 0 <= second <= 100):
        raise ValueError(f"a percentage lies between 0 and 100, got {first} and {second}")
    return max(0.0, first + second - 100), min(first, second)


def rounding_of(decimals: int) -> float:
    """Half a unit of the last of so many decimals.

    Raises
    ------
    ValueError
        If there are fewer than none.
    """
    if decimals < 0:
        raise ValueError(f"a number of decimals is not negative, got {decimals}")
    return float(Fraction(1, 2 * 10**decimals))


def overall_range(
    first: float,
    difference: float,
    second_share: float,
    *,
    rounding: float = 0.005,
    share_rounding: float = 0.0,
) -> tuple[float, float]:
    """Lowest and highest accuracy on all texts that two printed groups allow: `first + second_share · difference`.

    Parameters
    ----------
    first
        Accuracy on the first group, in percent.
    difference
        What the second group's accuracy adds to it, in points.
    second_share
        Share of texts in the second group, 0 to 1.
    rounding
        Half a unit of the last digit of both numbers.
    share_rounding
        The same of the share; 0 for one that was counted.

    Raises
    ------
    ValueError
        If `first` or the second group's accuracy is no percentage, a share outside 0 to 1, or a negative rounding.

    Examples
    --------
    >>> [round(end, 3) for end in overall_range(0.90, -0.02, 0.25)]
    [0.889, 0.901]
    """
    _check_percent(first)
    _check_percent(first + difference)
    if not 0 <= second_share <= 1:
        raise ValueError(f"a share lies between 0 and 1, got {second_share}")
    if rounding < 0 or share_rounding < 0:
        raise ValueError(f"a rounding is not negative, got {rounding} and {share_rounding}")
    corners = [
        first + near + min(max(share, 0.0), 1.0) * (difference + far)
        for near in (-rounding, rounding)
        for far in (-rounding, rounding)
        for share in (second_share - share_rounding, second_share + share_rounding)
    ]
    return min(corners), max(corners)


def range_gap(one: tuple[float, float], other: tuple[float, float]) -> float:
    """How far two ranges `(low, high)` lie apart; negative by as much as they overlap.

    >>> range_gap((1.0, 2.0), (5.0, 6.0)), range_gap((5.0, 6.0), (1.0, 5.5))
    (3.0, -0.5)
    """
    return max(one[0] - other[1], other[0] - one[1])


def pair_counts_behind(f1: float | str, decimals: int, most_pairs: int) -> list[tuple[int, int]]:
    """All (true positives, errors) whose F1, in percent, is printed as `f1`; fewest pairs first. Exact arithmetic.

    Parameters
    ----------
    f1
        As printed, in percent: rounded to the nearest number, where a tie may go either way.
    decimals
        Decimals it is printed with; "97.3" with two decimals is 97.30.
    most_pairs
        Bound on the true positives and errors together: all pairs that share a cluster in truth or were found to.

    Returns
    -------
    list of (int, int)
        Empty where no counts up to `most_pairs` give the number. No pairs at all have no F1 here.

    Raises
    ------
    ValueError
        If not a percentage with at most `decimals` decimals, or fewer than 0 decimals or pairs.

    >>> pair_counts_behind(97.33, 2, 100)
    [(73, 4), (91, 5)]
    """
    low, high = _range(f1, decimals)
    if most_pairs < 0:
        raise ValueError(f"a number of pairs is not negative, got most_pairs={most_pairs}")
    found = []
    if high >= 1:
        found += [(hits, 0) for hits in range(1, most_pairs + 1)]
    for errors in range(1, most_pairs + 1) if low < 1 else ():
        fewest, most = math.ceil(_hits(low, errors)), most_pairs - errors
        if high < 1:
            most = min(most, math.floor(_hits(high, errors)))
        found += [(hits, errors) for hits in range(fewest, most + 1)]
    return sorted(found, key=lambda counts: (sum(counts), counts))


def _check_percent(value: float) -> None:
    if not 0 <= value <= 100:
        raise ValueError(f"a percentage lies between 0 and 100, got {value}")


def _range(f1: float | str, decimals: int) -> tuple[Fraction, Fraction]:
    """Lowest and highest F1, 0 to 1, that is printed so."""
    if decimals < 0:
        raise ValueError(f"a number of decimals is not negative, got {decimals}")
    try:
        printed = Fraction(Decimal(str(f1)))
    except (InvalidOperation, ValueError, OverflowError):
        raise ValueError(f"a printed F1 is a number, got {f1!r}") from None
    unit = Fraction(1, 10**decimals)
    if not 0 <= printed <= 100 or printed % unit:
        raise ValueError(f"a printed F1 is a percentage with at most {decimals} decimals, got {f1}")
    return max(printed - unit / 2, Fraction(0)) / 100, (printed + unit / 2) / 100


def _hits(f1: Fraction, errors: int) -> Fraction:
    """True positives, perhaps a fraction, that give this F1 below 1 with these errors."""
    return f1 * errors / (2 * (1 - f1))
