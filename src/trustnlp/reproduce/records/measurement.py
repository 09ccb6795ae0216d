"""One measured number: its values, their mean, a 95 % interval that can be computed again, and how exactly it repeats.

>>> summary([1.0, 3.0], "t", unit="%", seeds=[0, 1])["low"]  # a share of texts cannot fall below 0 %
0.0
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records.units import kind_of

Exactness = Literal["exact", "float64", "float32", "timed"]
# How exactly another machine repeats a number, from counts and fractions to clocks.
EXACTNESS: tuple[Exactness, ...] = ("exact", "float64", "float32", "timed")


class RecordError(ValueError):
    """A notebook recorded something that cannot stand in a record. The message says what to do."""


def bounds(unit: str | None) -> tuple[float, float]:
    """Smallest and largest value possible in a unit, by its kind.

    Raises
    ------
    RecordError
        If given a unit of no known kind.

    >>> bounds("share of pairs"), bounds("points")
    ((0.0, 1.0), (-inf, inf))
    """
    try:
        kind = kind_of(unit)
    except UserError as error:
        raise RecordError(str(error)) from None
    return float(kind.low), float(kind.high)


def summary(
    values: Sequence[float], interval: str | tuple[float, float], *, unit: str | None, seeds: Sequence[int]
) -> dict[str, Any]:
    """A metric's entry in a record; `interval` as for `Record.metric`. Ends stay within the bounds of the unit.

    Raises
    ------
    RecordError
        If given a unit of no known kind, values that it does not allow, several values called deterministic, an unknown
        kind of interval, a turned one.
    """
    smallest, largest = bounds(unit)
    outside = [value for value in values if not smallest - 1e-9 <= value <= largest + 1e-9]
    if outside:
        raise RecordError(
            f"{outside[0]:g} is not possible in the unit '{unit}' ({smallest:g} to {largest:g}); mend one of the two"
        )
    kind, low, high = _interval(values, interval, seeds)
    if low is not None and high is not None and kind != "deterministic":
        if low > largest or high < smallest:
            raise RecordError(f"interval ({low:g}, {high:g}): no value in it is possible in the unit '{unit}'")
        low, high = max(low, smallest), min(high, largest)
    return {
        "values": list(values),
        "mean": math.fsum(values) / len(values),
        "low": low,
        "high": high,
        "n": len(values),
        "interval": kind,
        "unit": unit,
    }


def _interval(
    values: Sequence[float], interval: str | tuple[float, float], seeds: Sequence[int]
) -> tuple[str, float | None, float | None]:
    if not isinstance(interval, str):
        if len(interval) != 2 or not all(map(math.isfinite, interval)) or interval[0] > interval[1]:
            raise RecordError(f"interval {interval!r}: expected (low, high) with low ≤ high")
        return "given", float(interval[0]), float(interval[1])
    if interval not in ("deterministic", "t", "bootstrap"):
        raise RecordError(f"interval '{interval}': expected deterministic, t, bootstrap or (low, high)")
    if interval == "deterministic":
        if len(values) > 1:
            raise RecordError(
                f"{len(values)} values cannot be deterministic; "
                'say interval="t" or interval="bootstrap", or record one value'
            )
        return interval, values[0], values[0]
    if len(values) == 1:
        return interval, None, None
    # Here, not above: what only lists chapters should not wait for numpy and scipy.
    import numpy as np

    from trustnlp.evaluation.intervals import bootstrap_interval, t_interval

    if interval == "t":
        return interval, *t_interval(values)
    # The run's own seeds, so that the same run gives the same interval.
    return interval, *bootstrap_interval(values, rng=np.random.default_rng(list(seeds)))


def problem(metric: Mapping[str, Any], seeds: Sequence[int]) -> str | None:
    """Why a stored metric does not follow from its values, or None: mean and interval are computed again."""
    values, kind = metric["values"], metric["interval"]
    if metric["n"] != len(values):
        return f"n is {metric['n']}, but there are {len(values)} values"
    given = (metric["low"], metric["high"])
    if (given[0] is None) != (given[1] is None):
        return "the interval has only one end"
    if kind == "given" and given[0] is None:
        return "the interval is said to be given, but is not there"
    try:
        again = summary(values, given if kind == "given" else kind, unit=metric["unit"], seeds=seeds)
    except RecordError as error:
        return str(error)
    for name in ("mean", "low", "high"):
        if not _same(metric[name], again[name]):
            return f"{name} is {metric[name]}, but the values give {again[name]}"
    return None


def _same(stored: float | None, again: float | None) -> bool:
    if stored is None or again is None:
        return stored is again
    return math.isclose(stored, again, rel_tol=1e-9, abs_tol=1e-12)


def covers(prefix: str, key: str) -> bool:
    """Whether the key is `prefix` or begins with its names; "weat1" covers "weat1.d", not "weat10.d"; "" covers all."""
    return not prefix or f"{key}.".startswith(f"{prefix.rstrip('.')}.")


def exactness(repeats: Mapping[str, str], key: str) -> str:
    """How exactly a metric repeats: what the longest prefix of its key says.

    >>> exactness({"": "float32", "data": "exact"}, "data.train")
    'exact'
    """
    fitting = [prefix for prefix in repeats if covers(prefix, key)]
    return repeats[max(fitting, key=len)] if fitting else "float64"
