"""Headings of a notebook, and the tables and figures of a paper that a heading or a claim names."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAMED = re.compile(r"\b(Table|Figure|Fig)s?\.?\s+(\d+(?:(?:\s*(?:,|–|-|and|or|to)\s*)+\d+)*)", re.IGNORECASE)
_FENCE = re.compile(r"\s*(```|:::|~~~)")
_RANGE = re.compile(r"(\d+)\s*(?:–|-|to)\s*(\d+)")


def named_places(text: str) -> frozenset[str]:
    """Names such as "Table 3", one for each table and figure that a text names.

    >>> sorted(named_places("Figures 1 to 3 and 5, and Table 4 as counts"))
    ['Figure 1', 'Figure 2', 'Figure 3', 'Figure 5', 'Table 4']
    """
    names = set()
    for kind, numbers in _NAMED.findall(text):
        name = "Table" if kind.lower() == "table" else "Figure"
        named = {int(number) for number in re.findall(r"\d+", numbers)}
        for first, last in _RANGE.findall(numbers):
            named |= set(range(int(first), int(last) + 1))
        names |= {f"{name} {number}" for number in named}
    return frozenset(names)


def headings(text: str) -> Iterator[tuple[int, str]]:
    """Level and text of each heading of a Markdown cell; what stands in a fence is none."""
    fenced = False
    for line in text.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and (match := re.match(r"(#{1,6})\s+(.*\S)", line)):
            yield len(match[1]), match[2]
