"""A printed number changed in memory, and what may catch it: the paper's text, verdicts, orderings, records.

The text net asks whether a number stands where the numbers of its row stand: in the shortest stretch of the paper's
numbers that holds them all. So 82.76 for 82.67 is caught although 82.76 may stand somewhere else. A table that a record
stands on is held by its hash there.
"""

from __future__ import annotations

import copy
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from trustnlp.reproduce.claims.ledger_tables import is_reference
from trustnlp.reproduce.claims.ledgers import Claim, Ledger, parse_claims
from trustnlp.reproduce.claims.verdicts import judge
from trustnlp.reproduce.project import UserError

Path = tuple[str | int, ...]
_NUMBER = re.compile(r"\d[\d,]*\.?\d*|\.\d+")


@dataclass(frozen=True)
class PrintedNumber:
    """One number as it stands in a ledger: a name for people, the path to it, its value, and the numbers of its row."""

    name: str
    path: Path
    value: float
    row: tuple[float, ...]


def printed_numbers(document: Mapping[str, Any]) -> Iterator[PrintedNumber]:
    """All numbers of the paper that a ledger spells out: under `printed`, in claims and in cells of grids."""
    yield from _of_tables(document.get("printed", {}), ("printed",))
    for place, claim in enumerate(document.get("claims", ())):
        value = claim.get("paper", {}).get("value")
        if _is_number(value):
            yield PrintedNumber(claim["id"], ("claims", place, "paper", "value"), value, (value,))
    for place, grid in enumerate(document.get("grids", ())):
        for row, cells in grid["paper"].items():
            numbers = tuple(cell for cell in cells if _is_number(cell))
            for column, value in enumerate(cells):
                if _is_number(value):
                    name = f"{grid['id']}-{grid['columns'][column]['id']}-{row}"
                    yield PrintedNumber(name, ("grids", place, "paper", row, column), value, numbers)


def _of_tables(value: Any, path: Path) -> Iterator[PrintedNumber]:
    entries = list(value.items() if isinstance(value, dict) else enumerate(value))
    row = tuple(entry for _, entry in entries if _is_number(entry))
    for key, entry in entries:
        if _is_number(entry):
            yield PrintedNumber("=" + "/".join(map(str, (*path[1:], key))), (*path, key), entry, row)
        elif isinstance(entry, dict | list):
            yield from _of_tables(entry, (*path, key))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def changes(value: float) -> list[float]:
    """The number with its last digit one up and one down, and with two neighbouring digits exchanged.

    >>> changes(82.67), changes(7), changes(1.0)
    ([82.66, 82.68, 82.76], [6, 8], [0.1, 0.9, 1.1])
    """
    text = repr(abs(value))
    decimals = len(text.partition(".")[2])
    unit = 10**-decimals
    found = {abs(abs(value) - unit), abs(value) + unit}
    digits = [place for place, sign in enumerate(text) if sign.isdigit()]
    for left, right in list(pairwise(digits))[::-1]:
        if text[left] != text[right]:
            signs = list(text)
            signs[left], signs[right] = signs[right], signs[left]
            found.add(float("".join(signs)))
            break
    rounded = sorted({round(number, decimals + 1) for number in found} - {abs(value)})
    sign = -1 if value < 0 else 1
    return [sign * (int(number) if isinstance(value, int) else number) for number in rounded]


class PaperNumbers:
    """The numbers of a paper's text in their order, and where each stands; a share also as a percentage."""

    def __init__(self, text: str) -> None:
        joined = re.sub(r"(\d),\s?(\d{3})\b", r"\1\2", text)
        parts = (part.rstrip(".") for match in _NUMBER.finditer(joined) for part in match[0].split(","))
        self._places: dict[float, list[int]] = defaultdict(list)
        for place, part in enumerate(part for part in parts if part):
            self._places[float(part)].append(place)

    def places(self, value: float) -> list[int]:
        """Where a number or its magnitude stands."""
        shares = self._places.get(round(abs(value) * 100, 7), []) if abs(value) < 1 else []
        return self._places.get(abs(value), []) + shares

    def stretch(self, row: Sequence[float]) -> tuple[int, int] | None:
        """The shortest stretch that holds a row, as far as its numbers stand in the text; None where none does."""
        there = [places for value in set(row) if (places := self.places(value))]
        if not there:
            return None
        start = min(there, key=len)
        spans = []
        for middle in start:
            near = [min(places, key=lambda place, middle=middle: abs(place - middle)) for places in there]
            spans.append((max(near) - min(near), min(near), max(near)))
        _, first, last = min(spans)
        return first, last

    def holds(self, value: float, row: Sequence[float]) -> bool:
        """Whether a number stands in the stretch of a row; of a row of one number, anywhere."""
        places = self.places(value)
        if len(set(row)) < 2 or not places:
            return bool(places)
        stretch = self.stretch(row)
        return stretch is not None and any(stretch[0] <= place <= stretch[1] for place in places)


@dataclass
class Nets:
    """What may catch a change in one chapter. `paper` is None without its text."""

    document: dict[str, Any]
    ledger: Ledger
    records: Mapping[str, Mapping[str, Any] | None]
    paper: PaperNumbers | None

    def __post_init__(self) -> None:
        sources = {name for record in self.records.values() if record for name in record["sources"]}
        self._hashed = {name.partition(": printed ")[2] for name in sources}

    def catch(self, number: PrintedNumber, changed: float) -> bool:
        """Whether one of the nets turns red if this number is another one."""
        if self.paper and self.paper.holds(number.value, number.row) and not self.paper.holds(changed, number.row):
            return True
        if self._stands_in_a_record(number):
            return True
        document = {name: copy.copy(part) for name, part in self.document.items()}
        part = document[str(number.path[0])] = copy.deepcopy(document[str(number.path[0])])
        for step in number.path[1:-1]:
            part = part[step]
        part[number.path[-1]] = changed
        return self._judged_otherwise(document, number)

    def _stands_in_a_record(self, number: PrintedNumber) -> bool:
        if number.path[0] == "printed":
            return number.path[1] in self._hashed
        entry = self.document[str(number.path[0])][number.path[1]]
        record = entry.get("record") or entry.get("measure", {}).get("record", "")
        return f"values of {record.removesuffix('.paper')}" in self._hashed

    def _judged_otherwise(self, document: dict[str, Any], number: PrintedNumber) -> bool:
        if number.path[0] != "printed":
            entries = [document[str(number.path[0])][number.path[1]]]
            rest = {"claims": [], "grids": [], str(number.path[0]): entries}
            if any("#" in str(entry.get("order", "")) for entry in entries):
                rest = {}
            document = {**document, "headlines": [], **rest}
        elif not refers(self.document, number.name):
            return False
        try:
            ledger = parse_claims(document, "changed", "changed")
        except UserError:
            return True
        before = {claim.id: claim for claim in self.ledger.claims}
        return any(self._red(before[claim.id], claim) for claim in ledger.claims)

    def _red(self, before: Claim, claim: Claim) -> bool:
        if (claim.value, claim.reference, claim.order) == (before.value, before.reference, before.order):
            return False
        if claim.kind != "inconsistent" and any(order.against > 0 for order in claim.order):
            return True
        return judge(claim, self.records.get(claim.record or "")).verdict is not claim.expect


def refers(entry: Any, reference: str) -> bool:
    """Whether a text anywhere in a ledger is, or holds, a reference to a printed number."""
    if isinstance(entry, dict):
        return any(refers(part, reference) for part in entry.values())
    if isinstance(entry, list):
        return any(refers(part, reference) for part in entry)
    return isinstance(entry, str) and (is_reference(entry) or "{=" in entry) and reference in entry
