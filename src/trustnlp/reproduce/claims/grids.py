"""Tables of a paper as a ledger writes them, `grids`: each cell becomes an entry like those of `claims`."""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from typing import Any

from trustnlp.reproduce.claims.claim_types import LETTERS, GridCell
from trustnlp.reproduce.project import nearest
from trustnlp.reproduce.schemas import SchemaError


def expanded(grid: Mapping[str, Any], place: str) -> Iterator[tuple[dict[str, Any], GridCell]]:
    """The cells of a grid, row by row, each as an entry like those of `claims`.

    Raises
    ------
    SchemaError
        If given ragged rows, a cell without an expectation or one too many, an unknown placeholder.
    """
    columns, expected = grid["columns"], grid.get("expect")
    for name in ("expect", "reason"):
        by_row = grid.get(name)
        for row in by_row if isinstance(by_row, dict) else ():
            if row not in grid["paper"]:
                raise SchemaError(f"{place}: {name} has row {row}, but paper has not{nearest(row, grid['paper'])}")
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
) -> tuple[dict[str, Any], GridCell]:
    """One cell as an entry like those of `claims`.

    A cell expected X is untestable where the grid says why, of all cells or by row; where it does not, the record has
    to, or the grid says what is `lacking`. Of `not_measured` a cell is only if it is expected to be. What a column says
    of whose question it is, and of its evidence, goes before what the grid says.
    """
    fields = {"row": row, **column}

    def fill(name: str, default: str = "") -> str:
        return _fill(grid.get(name, default), fields, f"{place}: {name}")

    reason = grid.get("reason")
    if isinstance(reason, dict):  # of some rows
        reason = reason.get(row)
    kind = "untestable" if letter == "X" and reason is not None else grid["kind"]
    entry: dict[str, Any] = {
        "id": f"{grid['id']}-{column['id']}-{row}",
        "where": fill("where"),
        "text": fill("text"),
        "kind": kind,
        "paper": {"text": value} if isinstance(value, str) else {"value": value, "rounding": grid.get("rounding", 0.0)},
    }
    if kind in ("untestable", "inconsistent", "differs"):
        if reason is None:
            raise SchemaError(f"{place}: reason has no row {row}; give one, or one reason for the whole grid")
        entry["reason"] = _fill(reason, fields, f"{place}: reason")
    entry |= {name: column.get(name, grid.get(name)) for name in ("ours", "evidence") if name in {**grid, **column}}
    if "same_cell_as" in grid and (same := fill("same_cell_as")) != entry["id"]:
        entry["same_cell_as"] = same
    if kind != "untestable":
        entry["measure"] = {"record": grid["record"], "key": fill("key"), "absolute": grid.get("absolute", False)}
        if "exists_where" in grid:
            entry["measure"]["exists_where"] = fill("exists_where")
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
        orders = grid["order"].get(row, []) if isinstance(grid["order"], dict) else grid["order"]
        entry["order"] = _filled_sides(orders, fields, f"{place}: order")
    cell = GridCell(
        grid["id"], grid.get("title", grid["id"]), row, fill("row_label", "{row}"), column["id"], column["label"]
    )
    return entry, cell


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
