"""The tables and figures of a paper that a heading, or a claim, names."""

from __future__ import annotations

import re

_NAMED = re.compile(r"\b(Table|Figure|Fig)s?\.?\s+(\d+(?:(?:\s*(?:,|–|-|and|or|to)\s*)+\d+)*)", re.IGNORECASE)
_RANGE = re.compile(r"(\d+)\s*(?:–|-|to)\s*(\d+)")


def places(text: str) -> frozenset[str]:
    """Names such as "Table 3", one for each table and figure that a text names.

    >>> sorted(places("Figures 1 to 3 and 5, and Table 4 as counts"))
    ['Figure 1', 'Figure 2', 'Figure 3', 'Figure 5', 'Table 4']
    """
    found = set()
    for kind, numbers in _NAMED.findall(text):
        name = "Table" if kind.lower() == "table" else "Figure"
        named = {int(number) for number in re.findall(r"\d+", numbers)}
        for first, last in _RANGE.findall(numbers):
            named |= set(range(int(first), int(last) + 1))
        found |= {f"{name} {number}" for number in named}
    return frozenset(found)
