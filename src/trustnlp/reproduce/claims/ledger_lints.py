"""Faults of a ledger, whatever the verdicts: orderings, shared quantities, numbers, words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from trustnlp.reproduce.claims.ledger_tables import numbers
from trustnlp.reproduce.claims.ledgers import Claim, load_claims
from trustnlp.reproduce.claims.shared_quantities import disagreements
from trustnlp.reproduce.notebooks.paper_places import named_places
from trustnlp.reproduce.project import chapter_dir
from trustnlp.reproduce.records.recording import load_record
from trustnlp.reproduce.schemas import load_yaml

_TABLE = re.compile(r"(Table|Fig)\w*\.? ?(\d+)")
_FEWEST_DIGITS = 3  # two numbers with fewer are the same by chance


def lints(chapter: str) -> list[str]:
    """One line for each fault of a chapter's ledger.

    Raises
    ------
    UserError
        If given an unknown chapter, or a malformed ledger or record.
    """
    folder = chapter_dir(chapter)
    ledger = load_claims(chapter)
    paths = sorted((folder / "results").glob("*.paper.json"))
    records = {path.name.removesuffix(".paper.json"): load_record(path) for path in paths}
    faults = [
        *contradictions(ledger.claims),
        *unsaid(ledger.claims),
        *disagreements(ledger.shared, records),
        *printed_twice(load_yaml(folder / "claims.yaml", "claims")),
    ]
    return [f"{chapter}: {line}" for line in faults]


def contradictions(claims: Iterable[Claim]) -> list[str]:
    """One line for each ordering that a claim asserts and its ledger's printed numbers contradict."""
    return [
        f"{claim.id}: the paper's own numbers are the other way round than {order.text}; enter the claim as kind "
        "'inconsistent', or leave the cell out and say where it is entered"
        for claim in claims
        if claim.kind != "inconsistent"
        for order in claim.order
        if order.against > 0
    ]


def unsaid(claims: Iterable[Claim]) -> list[str]:
    """One line for each claim that is said to be the paper's, with no number or words of it, nor a table or figure.

    A sentence may leave them to its cells, each of which is looked at.
    """
    return [
        f"{claim.id}: nothing here is the paper's: give its words as 'paper: {{text: ...}}', or mark it 'ours: true'"
        for claim in claims
        if not claim.ours
        and claim.kind != "cells"
        and claim.value is None
        and claim.quote is None
        and not named_places(claim.where)
    ]


def printed_twice(document: Mapping[str, Any]) -> list[str]:
    """One line for each number that is typed where one under `printed` could be referred to.

    Looked for are numbers of three digits and more: of a claim, a cell or a line that decides the direction, if a table
    under `printed` that is named like its place has the same one.
    """
    tables = document.get("printed", {})
    references: dict[tuple[str | None, float], str] = {}
    for reference, value in numbers(tables):
        named = re.match(r"=(table|figure)(\d+)", reference)
        for place in {named and named[2], None}:
            references.setdefault((place, abs(value)), reference)
    return [
        f"{name}: {value} stands under 'printed' too; write {references[place, abs(value)]}"
        for name, place, value in _typed(document)
        if digits_of(value) >= _FEWEST_DIGITS and (place, abs(value)) in references
    ]


def _typed(document: Mapping[str, Any]) -> Iterator[tuple[str, str | None, float]]:
    """Numbers that claims and grids spell out: id, number of the table they stand in (None for lines), value."""
    for entry in (*document.get("claims", ()), *document.get("grids", ())):
        where = _TABLE.search(entry["where"])
        place = where[2] if where else ""
        cells = [entry.get("paper", {}).get("value")] if "columns" not in entry else []
        if "columns" in entry:
            cells = [cell for row in entry["paper"].values() for cell in row]
        yield from ((entry["id"], place, cell) for cell in cells if isinstance(cell, int | float))
        line = entry.get("direction", {}).get("reference")
        if isinstance(line, int | float):
            yield entry["id"], None, line


def digits_of(value: float) -> int:
    """Significant digits of a number as it is typed.

    >>> digits_of(82.67), digits_of(0.05), digits_of(100.0)
    (4, 1, 1)
    """
    return len(repr(abs(value)).removesuffix(".0").replace(".", "").strip("0"))
