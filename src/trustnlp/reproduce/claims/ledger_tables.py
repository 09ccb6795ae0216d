"""The numbers a paper prints, each once: `printed` in a chapter's `claims.yaml`, by table.

A claim or a grid's cell that judges such a number refers to it: `=table4/majority/ag/0` is entry 0 of the list
`printed.table4.majority.ag`. A text may hold some: `"{=table7/dpnr/3/0:.2f} for {=table7/dpnr/4/0:.2f}"`. Notebooks
and studies ask for tables by name, `printed_tables("dpnr", "table4")`: a record stands on those tables and no others.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from trustnlp.reproduce.project import UserError, chapter_dir, nearest
from trustnlp.reproduce.schemas import SchemaError, load_yaml

_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_WITHIN = re.compile(r"\{(=[^{}:]+)(?::\.(\d)f)?\}")


def printed_tables(chapter: str, *tables: str) -> dict[str, Any]:
    """Tables of the paper by name, as the ledger has them; a key that is a number is one (`table7["dpnr"][3]`).

    Raises
    ------
    UserError
        If given an unknown chapter, no table asked for, or none of that name (nearest suggested); a malformed ledger.
    """
    known = _tables(chapter)
    if not tables:
        raise UserError(f"name the tables of {chapter} to read; its ledger prints {', '.join(known) or 'none'}")
    for table in tables:
        if table not in known:
            raise UserError(f"chapters/{chapter}/claims.yaml: no printed '{table}'{nearest(table, known)}")
    return {table: with_numbers(known[table]) for table in tables}


def _tables(chapter: str) -> dict[str, Any]:
    tables: dict[str, Any] = load_yaml(chapter_dir(chapter) / "claims.yaml", "claims").get("printed", {})
    return tables


def with_numbers(value: Any) -> Any:
    """The same with keys that are numbers as numbers: the ledger's reader keeps all keys as they were typed."""
    if isinstance(value, dict):
        return {_key(key): with_numbers(entry) for key, entry in value.items()}
    return [with_numbers(entry) for entry in value] if isinstance(value, list) else value


def _key(key: str) -> str | int | float:
    if not _NUMBER.fullmatch(key):
        return key
    return float(key) if "." in key else int(key)


def read_by(code: str | ast.AST, function: str = "printed_tables") -> set[tuple[str, str]]:
    """The chapters and tables that a program's (or syntax tree's) calls of `printed_tables` name.

    Parameters
    ----------
    function
        `printed_values` for the chapters and notebooks that calls of `trustnlp.reproduce.claims.ledgers.printed_values`
        name.

    Raises
    ------
    ValueError
        If given a call whose chapter or table is no literal, or the function by another name: what it reads could not
        be told.
    """
    tree = ast.parse(code) if isinstance(code, str) else code
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and _names(n.func, function)]
    called = {id(call.func) for call in calls}
    for node in ast.walk(tree):
        renamed = isinstance(node, ast.alias) and node.name == function and node.asname not in (None, function)
        if renamed or (_names(node, function) and id(node) not in called):
            raise ValueError(f"{function} is imported and called by its own name only, so that what it reads is told")
    reads: set[tuple[str, str]] = set()
    for call in calls:
        names = [name.value for name in call.args if isinstance(name, ast.Constant) and isinstance(name.value, str)]
        if len(names) < max(2, len(call.args)) or any(keyword.arg != "tables" for keyword in call.keywords):
            raise ValueError(f"line {call.lineno}: {function}(…) takes its chapter and what it reads as plain texts")
        reads |= {(names[0], table) for table in names[1:]}
    return reads


def _names(node: ast.AST, function: str) -> bool:
    return (isinstance(node, ast.Name) and node.id == function) or (
        isinstance(node, ast.Attribute) and node.attr == function
    )


def filled(document: Mapping[str, Any], where: str) -> dict[str, Any]:
    """A ledger with numbers in the place of all references to `printed`.

    Raises
    ------
    SchemaError
        If given a reference to what is not there, or is no number.
    """
    tables = document.get("printed", {})

    def fill(value: Any, place: str) -> Any:
        if isinstance(value, dict):  # the sides of an order stay references: they are read where it is judged
            return {key: entry if key == "order" else fill(entry, f"{place}.{key}") for key, entry in value.items()}
        if isinstance(value, list):
            return [fill(entry, f"{place}[{index}]") for index, entry in enumerate(value)]
        if isinstance(value, str) and is_reference(value):
            return number_at(tables, value, f"{where}: {place}")
        if isinstance(value, str) and "{=" in value:
            return _WITHIN.sub(lambda match: _digits(tables, match[1], match[2], f"{where}: {place}"), value)
        return value

    parts = {name: fill(document[name], name) for name in ("claims", "grids") if name in document}
    return {**document, **parts}


def is_reference(text: str) -> bool:
    """Whether a text of the ledger stands for a printed number."""
    return len(text) > 1 and text.startswith("=") and not text.startswith("= ")


def number_at(tables: Mapping[str, Any], reference: str, place: str) -> float:
    """The number that `=TABLE/KEY/…` stands for.

    Raises
    ------
    SchemaError
        If `filled` would raise it.
    """
    value: Any = tables
    for step in reference[1:].split("/"):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            hint = nearest(step, value) if isinstance(value, dict) else ""
            raise SchemaError(f"{place}: '{reference}': there is no '{step}' under 'printed'{hint}")
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SchemaError(f"{place}: '{reference}' is {type(value).__name__}; expected the place of one number")
    return value


def numbers(value: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """All numbers of the tables, each with the reference that stands for it."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from numbers(entry, f"{path}/{key}" if path else f"={key}")
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from numbers(entry, f"{path}/{index}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def _digits(tables: Mapping[str, Any], reference: str, decimals: str | None, place: str) -> str:
    """A number as printed; YAML drops the zeros of 100.00, which `{=…:.2f}` brings back."""
    value = number_at(tables, reference, place)
    return (repr(value) if decimals is None else f"{value:.{decimals}f}").replace("-", "−")


def decimals_at(tables: Mapping[str, Any], reference: str) -> int:
    """With how many decimals the numbers around a printed one stand."""
    block = reference.rsplit("/", 2)[0]
    around = [number for path, number in numbers(tables) if path.startswith(f"{block}/") and isinstance(number, float)]
    return max((len(repr(number).partition(".")[2]) for number in around), default=1)
