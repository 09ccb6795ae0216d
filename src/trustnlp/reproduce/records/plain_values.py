"""Limits on a file of the book before its schema is asked: plain values, in a size that any code can handle.

YAML and JSON allow more than that: dates, whole numbers of thousands of digits, text that no encoding can write, lists
that hold themselves. Each of these would break something far from the file.
"""

from __future__ import annotations

from typing import Any

MOST_LEVELS = 40
MOST_VALUES = 5_000_000
_LARGEST = 2**63


def unfit(document: Any) -> str | None:
    """Why a parsed document cannot be used, with the place in it; None where all its values are plain.

    >>> unfit({"seeds": [0, 10**20]})
    'seeds[1]: a whole number of 21 digits; expected at most 19'
    """
    waiting: list[tuple[Any, str, int]] = [(document, "", 0)]
    seen = 0
    while waiting:
        value, place, level = waiting.pop()
        seen += 1
        if level > MOST_LEVELS:
            return f"{_short(place)}: nested deeper than {MOST_LEVELS} levels"
        if seen > MOST_VALUES:
            return f"more than {MOST_VALUES:,} values (do its anchors repeat each other?)"
        if isinstance(value, dict):
            for key, item in value.items():
                if problem := _wrong(key):
                    return f"{_short(place) or 'top level'}: a key is {problem}"
                waiting.append((item, f"{place}.{key}".lstrip("."), level + 1))
        elif isinstance(value, list):
            waiting += [(item, f"{place}[{index}]", level + 1) for index, item in enumerate(value)]
        elif problem := _wrong(value):
            return f"{_short(place) or 'top level'}: {problem}"
    return None


def _wrong(value: Any) -> str | None:
    if value is None or isinstance(value, bool | float):
        return None
    if isinstance(value, int):
        if -_LARGEST <= value < _LARGEST:
            return None
        # Counting by bits: Python refuses to write numbers of more than a few thousand digits.
        return f"a whole number of {int(value.bit_length() * 0.30103) + 1:,} digits; expected at most 19"
    if isinstance(value, str):
        if "\0" in value:
            return "text with a NUL character"
        try:
            value.encode()
        except UnicodeEncodeError:
            return "text with half a character (a lone surrogate)"
        return None
    return f"a value of the type {type(value).__name__}; put text such as a date in quotes"


def _short(place: str) -> str:
    return place if len(place) <= 80 else f"{place[:40]} … {place[-30:]}"
