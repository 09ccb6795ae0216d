"""Assertions beside a sentence: what it says of a sign, a size or a count still holds, or the build fails.

    TARGET above X          TARGET below X          TARGET between A B
    TARGET clearly above X  (the whole interval is; there must be one, over five values at least where seeds differ)
    3 of 9 PATTERN above 0  (exactly three of the nine that the pattern names; `*` stands for any text)

A target is a claim, or `RECORD:KEY` for a metric, with its chapter before a slash where it is another one. Numbers are
those of the page: per cent for a share, points for a difference of shares.
"""

from __future__ import annotations

import fnmatch
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trustnlp.reproduce.claims.verdicts import MIN_VALUES, Judgement
from trustnlp.reproduce.pages.measured_text import Measured
from trustnlp.reproduce.pages.tables import measured
from trustnlp.reproduce.project import UserError, nearest

_NUMBER = r"[-−]?\d+(?:\.\d+)?"
_FORM = re.compile(
    rf"(?:(?P<count>\d+) of (?:(?P<total>\d+) )?)?(?P<target>\S+) (?P<clearly>clearly )?"
    rf"(?:(?P<side>above|below) (?P<line>{_NUMBER})|between (?P<low>{_NUMBER}) (?P<high>{_NUMBER}))"
)


@dataclass(frozen=True)
class Assertion:
    """One number that must lie strictly between `low` and `high`, or exactly `count` of those that a pattern names."""

    text: str
    target: str
    low: float
    high: float
    clearly: bool = False
    count: int | None = None
    total: int | None = None

    def holds_for(self, number: Measured) -> bool:
        """Whether one number lies where it should, as measured and as the page shows it."""
        ends = [number.value]
        if self.clearly and number.low is not None and number.high is not None:
            ends = [number.low, number.high]
        values = [number.rounded, *(end * number.kind.factor for end in ends)]
        return self.low < min(values) and max(values) < self.high


def assertion_of(text: str) -> Assertion:
    """An assertion as pages write it.

    Raises
    ------
    UserError
        If it has another form, or its bounds are turned.

    >>> assertion_of("3 of 9 f1-*-husband above 0").count
    3
    """
    match = _FORM.fullmatch(" ".join(text.split()))
    if match is None:
        raise UserError(
            f"'{text}': expected TARGET above X, TARGET below X, TARGET between A B, or N of PATTERN and one of these"
        )
    number = {name: float(match[name].replace("−", "-")) for name in ("line", "low", "high") if match[name]}
    low = number.get("low", number["line"] if match["side"] == "above" else -math.inf)
    high = number.get("high", number["line"] if match["side"] == "below" else math.inf)
    if low >= high:
        raise UserError(f"'{text}': {low:g} is not below {high:g}")
    count, total = (int(match[name]) if match[name] else None for name in ("count", "total"))
    return Assertion(text, match["target"], low, high, bool(match["clearly"]), count, total)


def chosen(assertion: Assertion, known: Mapping[str, Measured]) -> dict[str, Measured]:
    """The numbers that an assertion speaks of, by name.

    Raises
    ------
    UserError
        If there is none, or another number of them than it says.
    """
    if assertion.count is None:
        if assertion.target not in known:
            raise UserError(f"there is no number '{assertion.target}'{nearest(assertion.target, known)}")
        return {assertion.target: known[assertion.target]}
    named = {name: number for name, number in known.items() if fnmatch.fnmatchcase(name, assertion.target)}
    if not named or (assertion.total is not None and len(named) != assertion.total):
        raise UserError(f"'{assertion.text}': {len(named)} numbers are named so, expected {assertion.total or 'some'}")
    return named


def failure(assertion: Assertion, found: Mapping[str, Measured]) -> str | None:
    """Why an assertion no longer holds, by name and value; None where it does."""
    if assertion.clearly:
        unclear = [f"{name} {why}" for name, number in found.items() if (why := _no_interval(number))]
        if unclear:
            return f"'{assertion.text}' cannot be said: {'; '.join(unclear)}; record more seeds, or leave 'clearly' out"
    right = {name for name, number in found.items() if assertion.holds_for(number)}
    wanted = len(found) if assertion.count is None else assertion.count
    if len(right) == wanted:
        return None
    values = ", ".join(f"{name} is {number.full()}" for name, number in found.items())
    counted = "" if assertion.count is None else f"{len(right)} of {len(found)}: "
    return f"'{assertion.text}' no longer holds ({counted}{values}); mend the sentence that says so"


def _no_interval(number: Measured) -> str | None:
    """Why nothing can be said of a whole interval, or None."""
    if number.n is not None and number.n < MIN_VALUES:
        return f"rests on {number.n} of the {MIN_VALUES} values that an interval needs"
    return "has no interval" if number.low is None or number.high is None else None


def numbers_of(sources: Mapping[str, Judgement | Mapping[str, Any]], prefix: str = "") -> dict[str, Measured]:
    """The numbers of metrics or of judged claims, by name; a claim without one is left out.

    `prefix` is put before each name: metrics are called `RECORD:KEY`.
    """
    return {f"{prefix}{name}": number for name, source in sources.items() if (number := measured(source)) is not None}
