"""Tables of bad input: one test for all that a function refuses, which reports every row that fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def assert_refused(
    attempt: Callable[..., object], rows: Iterable[tuple[Any, ...]], error: type[Exception] = ValueError
) -> None:
    """Call `attempt` with each row and fail with a list of all rows that were not refused as they say.

    Parameters
    ----------
    attempt
        What is tried with the arguments of a row.
    rows
        Tuples ``(*arguments, message)``: `message` is a regular expression to be found in the error's text. A row
        that expects another type of error than the others has it before the message.
    error
        The type of error that rows without a type of their own expect.
    """
    __tracebackhide__ = True
    table = list(rows)
    if not table:
        pytest.fail("a table of bad input without rows checks nothing")
    wrong = []
    for number, (*arguments, message) in enumerate(table, start=1):
        expected = error
        if arguments and isinstance(arguments[-1], type) and issubclass(arguments[-1], Exception):
            expected = arguments.pop()
        given = _what_is_wrong(attempt, arguments, expected, message)
        if given:
            row = ", ".join(_short(argument) for argument in arguments)
            wrong.append(f"row {number} ({row}): expected {expected.__name__} with {message!r}, {given}")
    if wrong:
        pytest.fail(f"{len(wrong)} of {len(table)} rows are not refused as they say\n" + "\n".join(wrong))


def _what_is_wrong(
    attempt: Callable[..., object], arguments: list[Any], expected: type[Exception], message: str
) -> str | None:
    try:
        attempt(*arguments)
    except expected as caught:
        return None if re.search(message, str(caught)) else f"got {str(caught)!r}"
    except Exception as caught:
        return f"got {type(caught).__name__}: {caught}"
    return "got no error"


def _short(argument: object, most: int = 200) -> str:
    text = " ".join(repr(argument).split())
    return text if len(text) <= most else text[:most] + " …"
