"""The claims ledger: sentences and table cells of a paper, made checkable.

`claims.yaml` lists claims one by one and, for whole tables, as grids with one claim per cell. `load_claims` checks
the file against its schema, expands the grids and returns one flat list of claims.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from trustnlp.reproduce.project import chapter_dir, nearest, shown
from trustnlp.reproduce.schemas import SchemaError, load_yaml, validate


class Verdict(StrEnum):
    """The seven verdicts, in the order in which pages count them."""

    REPRODUCED = "reproduced"
    CLOSE = "close"
    DIRECTION = "direction only"
    NOT_REPRODUCED = "not reproduced"
    UNDETERMINED = "undetermined"
    UNTESTABLE = "not testable here"
    INCONSISTENT = "inconsistent in the paper"


LETTERS = dict(zip("RCDNUXI", Verdict, strict=True))


@dataclass(frozen=True)
class Paper:
    """The work that is judged; `key` is its key in book/references.bib."""

    key: str
    title: str
    authors: str
    venue: str
    year: int
    url: str


@dataclass(frozen=True)
class Cell:
    """Where in a grid a claim stands: ids name it, labels head its row and column."""

    grid: str
    title: str
    row: str
    row_label: str
    column: str
    column_label: str


@dataclass(frozen=True)
class Claim:
    """One checkable claim.

    `value` and `rounding` are the paper's number and half a unit of its last printed digit (kind "value"; also an
    untestable or inconsistent number); `quote` is what the paper says where it gives no number. `record` is
    "NOTEBOOK.paper", `key` a metric of it.
    `tolerance` is the largest difference that counts as reproduced: the rounding, unless the ledger argues for more.
    `reference` is the line both sides must stand on the same side of for "direction only". `at_best` caps the
    verdict.
    """

    chapter: str
    paper: Paper
    id: str
    where: str
    text: str
    kind: str
    expect: Verdict
    value: float | None = None
    rounding: float = 0.0
    quote: str | None = None
    record: str | None = None
    key: str | None = None
    absolute: bool = False
    tolerance: float = 0.0
    tolerance_why: str | None = None
    reference: float | None = None
    at_best: Verdict | None = None
    at_best_why: str | None = None
    reason: str | None = None
    cell: Cell | None = None


@dataclass(frozen=True)
class Ledger:
    """A chapter's paper and its claims, grids expanded, in the order of the file."""

    paper: Paper
    claims: tuple[Claim, ...]


def load_claims(chapter: str) -> Ledger:
    """Read the ledger of a chapter.

    Raises
    ------
    UserError
        Unknown chapter (nearest suggested); or, as `SchemaError`, a ledger that does not follow its schema, an id that
        stands twice, a grid with ragged rows, a cell without an expectation, an unknown placeholder, or a claim that
        wants to be judged by a smoke run.
    """
    path = chapter_dir(chapter) / "claims.yaml"
    return parse_claims(load_yaml(path, "claims"), chapter, path)


def parse_claims(document: Any, chapter: str, source: Path | str) -> Ledger:
    """Turn a ledger's content into claims; `source` names the file in errors, which are those of `load_claims`."""
    validate(document, "claims", source)
    where = shown(source) if isinstance(source, Path) else source
    paper = Paper(**document["paper"])
    claims: list[Claim] = []
    for index, entry in enumerate(document.get("claims", ())):
        claims.append(_claim(entry, chapter, paper, f"{where}: claims[{index}] (id {entry['id']})"))
    for index, grid in enumerate(document.get("grids", ())):
        place = f"{where}: grids[{index}] (id {grid['id']})"
        for entry, cell in _expand(grid, place):
            claims.append(_claim(entry, chapter, paper, f"{place} cell {cell.column}, row {cell.row}", cell))
    seen: set[str] = set()
    for claim in claims:
        if claim.id in seen:
            raise SchemaError(f"{where}: id '{claim.id}' stands twice; ids are anchors and must be unique")
        seen.add(claim.id)
    return Ledger(paper, tuple(claims))


def _claim(entry: Mapping[str, Any], chapter: str, paper: Paper, place: str, cell: Cell | None = None) -> Claim:
    """One entry of the list `claims`, or one expanded cell of a grid."""
    printed, measure = entry.get("paper", {}), entry.get("measure", {})
    tolerance, reference = entry.get("tolerance", {}), entry.get("direction", {}).get("reference")
    record = measure.get("record")
    if record and record.endswith(".smoke"):
        raise SchemaError(
            f"{place}: record '{record}': a smoke run says nothing about the paper; expected '{record[:-6]}.paper'"
        )
    at_best = Verdict(entry["at_best"]) if "at_best" in entry else None
    if entry["kind"] == "value" and at_best is Verdict.DIRECTION and reference is None:
        raise SchemaError(f"{place}: 'at_best: direction only' needs 'direction: {{reference: ...}}' to be tested by")
    rounding = float(printed.get("rounding", 0.0))
    return Claim(
        chapter=chapter,
        paper=paper,
        id=entry["id"],
        where=entry["where"],
        text=entry["text"],
        kind=entry["kind"],
        expect=Verdict(entry.get("expect", Verdict.UNTESTABLE)),
        value=printed.get("value"),
        rounding=rounding,
        quote=printed.get("text"),
        record=record,
        key=measure.get("key"),
        absolute=measure.get("absolute", False),
        tolerance=tolerance.get("absolute", rounding),
        tolerance_why=tolerance.get("why"),
        reference=reference,
        at_best=at_best,
        at_best_why=entry.get("why"),
        reason=entry.get("reason"),
        cell=cell,
    )


def _expand(grid: Mapping[str, Any], place: str) -> Iterator[tuple[dict[str, Any], Cell]]:
    """The cells of a grid, row by row, each as an entry like those of `claims`."""
    columns, expected = grid["columns"], grid.get("expect")
    if expected is not None:
        for row in expected:
            if row not in grid["paper"]:
                raise SchemaError(f"{place}: expect has row {row}, but paper has not{nearest(row, grid['paper'])}")
    for row, printed in grid["paper"].items():
        letters = [None] * len(columns) if expected is None else expected.get(row)
        for name, cells in (("paper", printed), ("expect", letters)):
            if cells is None:
                raise SchemaError(f"{place}: expect has no row {row}; give one letter for each number of the paper's")
            if len(cells) != len(columns):
                raise SchemaError(f"{place}: {name} row {row} has {len(cells)} cells for {len(columns)} columns")
        for column, value, letter in zip(columns, printed, letters, strict=True):
            here = f"{place}: row {row}, column {column['id']}"
            if value is None and letter is not None:
                raise SchemaError(f"{here}: expect is {letter}, but paper is null; there is nothing to judge")
            if value is None:
                continue
            if letter is None and expected is not None:
                raise SchemaError(f"{here}: paper is {value}, but expect is missing; give one of {', '.join(LETTERS)}")
            yield _cell(grid, column, row, value, letter, here)


def _cell(
    grid: Mapping[str, Any], column: Mapping[str, Any], row: str, value: Any, letter: str | None, place: str
) -> tuple[dict[str, Any], Cell]:
    """One cell as an entry like those of `claims`. A cell expected X is untestable, whatever the grid's kind."""
    fields = {"row": row, **column}

    def fill(name: str, default: str = "") -> str:
        return _fill(grid.get(name, default), fields, f"{place}: {name}")

    kind = "untestable" if letter == "X" else grid["kind"]
    entry: dict[str, Any] = {
        "id": f"{grid['id']}-{column['id']}-{row}",
        "where": fill("where"),
        "text": fill("text"),
        "kind": kind,
        "paper": {"text": value} if isinstance(value, str) else {"value": value, "rounding": grid.get("rounding", 0.0)},
    }
    if kind in ("untestable", "inconsistent"):
        if "reason" not in grid:
            raise SchemaError(f"{place}: expect is X, but the grid has no 'reason' that says why it cannot be tested")
        entry["reason"] = fill("reason")
    if kind != "untestable":
        entry["measure"] = {"record": grid["record"], "key": fill("key"), "absolute": grid.get("absolute", False)}
        entry |= {name: grid[name] for name in ("tolerance", "direction", "at_best", "why") if name in grid}
    if letter:
        entry["expect"] = LETTERS[letter]
    cell = Cell(
        grid["id"], grid.get("title", grid["id"]), row, fill("row_label", "{row}"), column["id"], column["label"]
    )
    return entry, cell


def _fill(template: str, fields: Mapping[str, Any], place: str) -> str:
    """Put a cell's row and column fields into a template; plain `{name}` only, `{{` and `}}` for braces."""
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as error:
        raise SchemaError(f"{place}: '{template}': {error}; write {{{{ and }}}} for plain braces") from None
    text = ""
    for literal, name, _, _ in parts:
        text += literal
        if name is None:
            continue
        if name not in fields:
            hint = nearest(name, fields) or f"; known are {', '.join(fields)}"
            raise SchemaError(f"{place}: unknown placeholder {{{name}}}{hint} ({{{{ for a plain brace)")
        text += str(fields[name])
    return text
