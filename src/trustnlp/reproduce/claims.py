"""The claims ledger: sentences and table cells of a paper, made checkable.

`claims.yaml` lists claims one by one and, for whole tables, as grids with one claim per cell. `load_claims` checks
the file against its schema, expands the grids and returns one flat list of claims.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from trustnlp.reproduce.ledger_tables import filled
from trustnlp.reproduce.metric_series import Metrics
from trustnlp.reproduce.printed_orders import Order, read_order
from trustnlp.reproduce.project import chapter_dir, nearest, shown
from trustnlp.reproduce.schemas import SchemaError, load_yaml, validate
from trustnlp.reproduce.shared_quantities import Shared, read_shared


class Verdict(StrEnum):
    """The nine verdicts, in the order in which pages count them."""

    REPRODUCED = "reproduced"
    CLOSE = "close"
    DIRECTION = "direction only"
    NOT_REPRODUCED = "not reproduced"
    UNDETERMINED = "undetermined"
    UNTESTABLE = "not testable here"
    NOT_MEASURED = "not measured"
    INCONSISTENT = "inconsistent in the paper"
    DIFFERS = "paper and its released files differ"


class Evidence(StrEnum):
    """What a verdict rests on, in the order in which pages show it."""

    REAL = "real data"
    RELEASED = "released files"
    PRINT = "print only"
    MADE_UP = "made-up data"
    NONE = "not tried"


LETTERS = dict(zip("RCDNUXMIF", Verdict, strict=True))


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
class Cap:
    """What a claim can be given at best and at worst, unless the run met the paper's conditions.

    `unless` lists, for each condition (or parameter) of a record, the values that lift the cap; all must be met.
    """

    name: str
    unless: Mapping[str, tuple[Any, ...]]
    why: str
    at_best: Verdict | None = None
    at_worst: Verdict | None = None


@dataclass(frozen=True)
class Claim:
    """One checkable claim.

    `value` and `rounding` are the paper's number and half a unit of its last printed digit (kind "value"; also an
    untestable or inconsistent number); `quote` is what the paper says where it gives no number. `record` is
    "NOTEBOOK.paper", `key` a metric of it.
    `tolerance` is the largest difference that counts as reproduced, and the largest half width of an interval that can
    tell: the rounding, unless the ledger argues for more. `reference` is the line both sides must stand on the same
    side of for "direction only". `not_measured` says why there is no measurement yet, and what would make one;
    `lacking` what we lack to make one, and what would make it for whoever has that.
    `ours` marks a question that the paper has no sentence on. `evidence` is stated where it cannot be derived.
    `order` has the orderings of printed numbers that the claim asserts.
    `same_cell_as` is the claim that counts for a printed cell which this one judges once more.
    `headline` is the place among the claims a reader takes home (from 0), `says` its wording there, `reads` a template
    of what our number means.
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
    caps: tuple[Cap, ...] = ()
    not_measured: str | None = None
    lacking: str | None = None
    ours: bool = False
    evidence: Evidence | None = None
    same_cell_as: str | None = None
    reason: str | None = None
    cell: Cell | None = None
    headline: int | None = None
    says: str | None = None
    reads: str | None = None
    order: tuple[Order, ...] = ()


@dataclass(frozen=True)
class Ledger:
    """A chapter's paper and its claims, grids expanded, in the order of the file.

    `data` says in a few words what data the records rest on, `shared` which metrics two records both have.
    """

    paper: Paper
    claims: tuple[Claim, ...]
    data: str | None = None
    shared: tuple[Shared, ...] = ()


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


def printed_values(chapter: str, notebook: str, *, tables: bool = False) -> Metrics:
    """The paper's numbers by the metric they are held against, as `Metrics` whose one part is `value`.

    Parameters
    ----------
    notebook
        Only claims that this notebook measures.
    tables
        Only cells of tables (the ledger's grids).

    Raises
    ------
    UserError
        As for `load_claims`.
    """
    return Metrics(
        {
            claim.key: {"value": claim.value}
            for claim in load_claims(chapter).claims
            if claim.record == f"{notebook}.paper" and claim.key and claim.value is not None
            if claim.cell or not tables
        }
    )


def parse_claims(document: Any, chapter: str, source: Path | str) -> Ledger:
    """Turn a ledger's content into claims; `source` names the file in errors, which are those of `load_claims`."""
    validate(document, "claims", source)
    where = shown(source) if isinstance(source, Path) else source
    document = filled(document, where)
    paper = Paper(**document["paper"])
    caps = {name: _cap(name, entry) for name, entry in document.get("caps", {}).items()}
    claims: list[Claim] = []
    orders: dict[str, Any] = {}
    for index, entry in enumerate(document.get("claims", ())):
        orders[entry["id"]] = entry.get("order")
        claims.append(_claim(entry, chapter, paper, caps, f"{where}: claims[{index}] (id {entry['id']})"))
    for index, grid in enumerate(document.get("grids", ())):
        place = f"{where}: grids[{index}] (id {grid['id']})"
        for entry, cell in _expand(grid, place):
            orders[entry["id"]] = entry.get("order")
            claims.append(_claim(entry, chapter, paper, caps, f"{place} cell {cell.column}, row {cell.row}", cell))
    seen: set[str] = set()
    for claim in claims:
        if claim.id in seen:
            raise SchemaError(f"{where}: id '{claim.id}' stands twice; ids are anchors and must be unique")
        seen.add(claim.id)
    _check_cells(claims, where)
    known = {claim.id: (claim.value, claim.rounding) for claim in claims if claim.value is not None}
    tables = document.get("printed", {})

    def ordered(claim: Claim) -> Claim:
        place = f"{where}: {claim.id}"
        return replace(claim, order=tuple(read_order(told, tables, known, place) for told in orders[claim.id]))

    claims = [ordered(claim) if orders.get(claim.id) else claim for claim in claims]
    told = _with_headlines(claims, document.get("headlines", ()), where)
    return Ledger(paper, told, document.get("data"), read_shared(document.get("shared", ())))


def _check_cells(claims: Sequence[Claim], where: str) -> None:
    """Every claim on a printed cell that another claim counts for names a claim that counts, on the same number."""
    known = {claim.id: claim for claim in claims}
    for claim in claims:
        if claim.same_cell_as is None:
            continue
        place = f"{where}: {claim.id}: same_cell_as '{claim.same_cell_as}'"
        counting = known.get(claim.same_cell_as)
        if counting is None:
            raise SchemaError(f"{place}: no such claim{nearest(claim.same_cell_as, known)}")
        if counting.same_cell_as is not None:
            raise SchemaError(f"{place}: it does not count itself; name '{counting.same_cell_as}', which does")
        if claim.value is not None and counting.value is not None and claim.value != counting.value:
            raise SchemaError(f"{place}: the printed numbers are {claim.value:g} and {counting.value:g}, not one cell")


def _with_headlines(claims: list[Claim], headlines: Sequence[Mapping[str, Any]], where: str) -> tuple[Claim, ...]:
    """The claims, those that readers take home marked as such."""
    entries = {entry["claim"]: (place, entry) for place, entry in enumerate(headlines)}
    known = [claim.id for claim in claims]
    for name in entries:
        if name not in known:
            raise SchemaError(f"{where}: headlines: no claim '{name}'{nearest(name, known)}")
    if len(entries) < len(headlines):
        raise SchemaError(f"{where}: headlines: a claim stands twice")

    def marked(claim: Claim) -> Claim:
        place, entry = entries[claim.id]
        return replace(claim, headline=place, says=entry.get("says"), reads=entry.get("reads"))

    return tuple(marked(claim) if claim.id in entries else claim for claim in claims)


def _cap(name: str, entry: Mapping[str, Any]) -> Cap:
    unless = {condition: tuple(values) for condition, values in entry["unless"].items()}
    ends = {end: Verdict(entry[end]) for end in ("at_best", "at_worst") if end in entry}
    return Cap(name, unless, entry["why"], **ends)


def _claim(
    entry: Mapping[str, Any],
    chapter: str,
    paper: Paper,
    known: Mapping[str, Cap],
    place: str,
    cell: Cell | None = None,
) -> Claim:
    """One entry of the list `claims`, or one expanded cell of a grid."""
    printed, measure = entry.get("paper", {}), entry.get("measure", {})
    tolerance, reference = entry.get("tolerance", {}), entry.get("direction", {}).get("reference")
    record = measure.get("record")
    if record and record.endswith(".smoke"):
        raise SchemaError(
            f"{place}: record '{record}': a smoke run says nothing about the paper; expected '{record[:-6]}.paper'"
        )
    named = entry.get("caps", ())
    for name in named:
        if name not in known:
            raise SchemaError(
                f"{place}: unknown cap '{name}'{nearest(name, known)} (caps: {', '.join(known) or 'none'})"
            )
    caps = tuple(known[name] for name in named)
    if entry["kind"] == "value" and reference is None and any(cap.at_best is Verdict.DIRECTION for cap in caps):
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
        caps=caps,
        not_measured=entry.get("not_measured"),
        lacking=entry.get("lacking"),
        ours=entry.get("ours", False),
        evidence=Evidence(entry["evidence"]) if "evidence" in entry else None,
        same_cell_as=entry.get("same_cell_as"),
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
    """One cell as an entry like those of `claims`.

    A cell expected X is untestable where the grid says why; where it does not, the record has to, or the grid says what
    is `lacking`. Of `not_measured` a cell is only if it is expected to be. What a column says of whose question it is,
    and of its evidence, goes before what the grid says.
    """
    fields = {"row": row, **column}

    def fill(name: str, default: str = "") -> str:
        return _fill(grid.get(name, default), fields, f"{place}: {name}")

    kind = "untestable" if letter == "X" and "reason" in grid else grid["kind"]
    entry: dict[str, Any] = {
        "id": f"{grid['id']}-{column['id']}-{row}",
        "where": fill("where"),
        "text": fill("text"),
        "kind": kind,
        "paper": {"text": value} if isinstance(value, str) else {"value": value, "rounding": grid.get("rounding", 0.0)},
    }
    if kind in ("untestable", "inconsistent", "differs"):
        entry["reason"] = fill("reason")
    entry |= {name: column.get(name, grid.get(name)) for name in ("ours", "evidence") if name in {**grid, **column}}
    if same := _same_cell(grid, column, row, fill):
        entry["same_cell_as"] = same
    if kind != "untestable":
        entry["measure"] = {"record": grid["record"], "key": fill("key"), "absolute": grid.get("absolute", False)}
        entry |= {name: grid[name] for name in ("tolerance", "direction", "caps") if name in grid}
        if letter == "M":
            if "not_measured" not in grid:
                raise SchemaError(f"{place}: expect is M, but the grid has no 'not_measured' that says why")
            entry["not_measured"] = fill("not_measured")
        if letter == "X" and "lacking" in grid:
            entry["lacking"] = fill("lacking")
    if letter:
        entry["expect"] = LETTERS[letter]
    if "order" in grid:
        told = grid["order"].get(row, []) if isinstance(grid["order"], dict) else grid["order"]
        entry["order"] = _filled_sides(told, fields, f"{place}: order")
    cell = Cell(
        grid["id"], grid.get("title", grid["id"]), row, fill("row_label", "{row}"), column["id"], column["label"]
    )
    return entry, cell


def _same_cell(grid: Mapping[str, Any], column: Mapping[str, Any], row: str, fill: Callable[[str], str]) -> str | None:
    """Id of the claim that counts for a cell's printed number, if it is another one.

    A grid whose rows or columns judge one number names it by a template; a grid of other numbers lists single cells.
    """
    own = f"{grid['id']}-{column['id']}-{row}"
    same = grid.get("same_cell_as", {})
    named = same.get(own) if isinstance(same, dict) else fill("same_cell_as")
    return None if named == own else named


def _filled_sides(order: Any, fields: Mapping[str, Any], place: str) -> Any:
    """An order with a cell's fields in the references of its sides."""
    if isinstance(order, list):
        return [_filled_sides(part, fields, place) for part in order]
    return _fill(order, fields, place) if isinstance(order, str) else order


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
