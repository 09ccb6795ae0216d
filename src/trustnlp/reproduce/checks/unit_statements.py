"""Units that code says beside keys of metrics, compared with those of the committed records.

    record.metric(f"{space}.gap", gaps, interval="t", unit="points")
    record.metrics({f"{arm}.gap": gaps[arm] for arm in arms}, prefix=space, interval="t", unit="points")

A call says a unit where both stand there: the key as text, an f-string (whose fields stand for any text) or a name that
was bound to one of these on a line above, the unit as text or such a name. So does a tuple of a key, anything, and a
unit, from which notebooks record in a loop. Of a call that records many, keys written in the call speak, or else its
prefix. Of several statements that fit a key the most special speaks.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any

from trustnlp.files.user_text import read_text
from trustnlp.reproduce.code.definitions import parsed
from trustnlp.reproduce.project import chapter_dir, shown
from trustnlp.reproduce.records.units import FILE, KINDS, NONE, units_of

_STUDIES = Path(__file__).parents[2] / "studies"


@dataclass(frozen=True)
class Statement:
    """A key, with `*` for what is filled in, and the unit that is said beside it; None where it is not said there."""

    place: str
    key: str
    unit: str | None

    @property
    def weight(self) -> int:
        """How special it is: the letters that a key must have to fit."""
        return len(self.key.replace("*", ""))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(".*".join(map(re.escape, self.key.split("*"))))

    def fits(self, key: str) -> bool:
        """Whether it speaks of a key."""
        return key.startswith(self.key.partition("*")[0]) and self._pattern.fullmatch(key) is not None


Speakers = dict[str, list[Statement]]
ByKey = dict[str, dict[str, str]]


def contradicted_units(chapter: str, records: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """One line for each unit of a chapter's code or table that is of another kind than in its records, by notebook."""
    speakers, units, listed = said_of(chapter, records)
    return [
        *contradictions(speakers, units, listed),
        *(
            f"chapters/{chapter}/{FILE}: '{key}' of {name} has the unit '{said}', and '{units[name][key]}' in the "
            "committed record; mend the table, or run `trustnlp records units`"
            for name, table in listed.items()
            for key, said in table.items()
            if not alike(said, units[name][key])
        ),
    ]


def said_of(chapter: str, records: Mapping[str, Mapping[str, Any]]) -> tuple[Speakers, ByKey, ByKey]:
    """By notebook: what it and its studies state, the units of its record, and those of the chapter's table."""
    shared = [said for path in sorted((_STUDIES / chapter).rglob("*.py")) for said in statements(path)]
    speakers, units, listed = {}, {}, {}
    for name, record in records.items():
        source, table = chapter_dir(chapter) / f"{name}.py", units_of(chapter, name)
        speakers[name] = [*(statements(source) if source.is_file() else ()), *shared]
        units[name] = {key: metric["unit"] for key, metric in record["metrics"].items()}
        listed[name] = {key: unit for key in units[name] if table and (unit := table.unit_of(key)) is not None}
    return speakers, units, listed


def contradictions(
    speakers: Mapping[str, Sequence[Statement]],
    units: Mapping[str, Mapping[str, str]],
    listed: Mapping[str, Collection[str]],
) -> list[str]:
    """One line for each statement that a record contradicts: in no key that it speaks of, or in one of them.

    Parameters
    ----------
    speakers
        Statements that may speak of a notebook's keys: its own, and of what several notebooks use.
    units
        The unit of each metric, by notebook and key.
    listed
        Keys whose unit a table says: they may have been recorded by another call than the one that fits them.
    """
    contradicting: dict[str, None] = {}
    spoken_of: dict[Statement, dict[str, str]] = {}
    for notebook, by_key in units.items():
        for key, unit in by_key.items():
            fitting = most_special(speakers[notebook], key)
            for speaker in fitting:
                spoken_of.setdefault(speaker, {})[f"{notebook}: {key}"] = unit
            is_certain = fitting and key not in listed[notebook]
            if is_certain and all(speaker.unit and not alike(speaker.unit, unit) for speaker in fitting):
                contradicting[_told(fitting[0], f"{notebook}: {key}", unit)] = None
    for speaker, keys in spoken_of.items():
        if speaker.unit and not any(alike(speaker.unit, unit) for unit in keys.values()):
            contradicting[_told(speaker, *next(iter(keys.items())))] = None
    return list(contradicting)


def most_special(told: Iterable[Statement], key: str) -> list[Statement]:
    """Those that speak of a key, if there is none with more letters of it."""
    fitting = [statement for statement in told if statement.fits(key)]
    most = max((statement.weight for statement in fitting), default=0)
    return [statement for statement in fitting if statement.weight == most]


def alike(unit: str, other: str | None) -> bool:
    """Whether two units are of one kind."""
    return unit.partition(" of ")[0] == (other or NONE).partition(" of ")[0]


def _told(statement: Statement, key: str, unit: str | None) -> str:
    said = f"{statement.place}: '{statement.key}' is recorded with the unit '{statement.unit}'"
    return f"{said}, and {key} has '{unit}' in the committed record; mend the call, or run the notebook"


def statements(path: Path) -> list[Statement]:
    """The statements of a file about units, in the order of its lines."""
    nodes = list(ast.walk(parsed(read_text(path), shown(path))))
    reader = _Reader(nodes)
    told = [node for node in nodes if isinstance(node, ast.Call | ast.Tuple)]
    said = [(node.lineno, pair) for node in told for pair in reader.said(node)]
    return [Statement(f"{shown(path)}:{line}", *pair) for line, pair in sorted(said, key=itemgetter(0))]


class _Reader:
    """Finds keys and units beside each other in one file."""

    def __init__(self, nodes: Iterable[ast.AST]) -> None:
        self.bound: dict[str, list[tuple[int, ast.expr | None]]] = {}
        for node in nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.bound.setdefault(name, []).append((node.lineno, value))
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                    for target, value in zip(names, values, strict=False):
                        if isinstance(target, ast.Name):
                            self.bound.setdefault(target.id, []).append((node.lineno, value))
                case ast.Name(id=name, ctx=ast.Store(), lineno=line) | ast.arg(arg=name, lineno=line):
                    self.bound.setdefault(name, []).append((line, None))

    def said(self, node: ast.Call | ast.Tuple) -> list[tuple[str, str | None]]:
        """Keys and units of a call or a tuple; None for the unit where a call records a metric without saying one."""
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "metrics":
            return self._of_many(node)
        pair = self._of_one(node)
        return [] if pair is None else [pair]

    def _of_many(self, node: ast.Call) -> list[tuple[str, str | None]]:
        named = {word.arg: word.value for word in node.keywords}
        first = f"{self._filled(named['prefix'])}." if "prefix" in named else ""
        match [*node.args, *(named[name] for name in ("values",) if name in named)]:
            case [ast.Dict(keys=keys), *_]:
                ends = ["*" if key is None else self._filled(key) for key in keys]
            case [ast.DictComp(key=key), *_]:
                ends = [self._filled(key)]
            case _:
                ends = ["*"]
        unit = self.text(named["unit"]) if "unit" in named else None
        return [(first + end, unit) for end in ends if (first + end).strip("*")]

    def _filled(self, node: ast.expr) -> str:
        text = self.text(node)
        return "*" if text is None else text

    def _of_one(self, node: ast.Call | ast.Tuple) -> tuple[str, str | None] | None:
        named = {word.arg: word.value for word in node.keywords} if isinstance(node, ast.Call) else {}
        parts = [*([named["key"]] if "key" in named else []), *(node.args if isinstance(node, ast.Call) else node.elts)]
        key = next((text for part in parts if (text := self.text(part)) is not None), "")
        if not key.strip("*"):
            return None
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "metric":
            return key, self.text(named["unit"]) if "unit" in named else None
        last = named.get("unit", parts[-1] if len(parts) > 2 else None)
        unit = None if last is None else self.text(last)
        return None if unit is None or unit.partition(" of ")[0] not in KINDS else (key, unit)

    def text(self, node: ast.expr) -> str | None:
        """A text, with `*` for what is filled in; of a name, the text that it was bound to last."""
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.JoinedStr(values=values):
                return "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in values)
            case ast.Name(id=name):
                above = [(line, value) for line, value in self.bound.get(name, ()) if line < node.lineno]
                # An assignment is there twice, as a whole and as the name that it binds.
                _, value = max(above, key=lambda one: (one[0], one[1] is not None), default=(0, None))
                return None if value is None else self.text(value)
        return None
