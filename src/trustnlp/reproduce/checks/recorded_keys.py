"""Whether a notebook's code can record a metric of some key, as far as its text says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from trustnlp.reproduce.checks.standing import cells_of
from trustnlp.reproduce.code.code_closure import reach_of
from trustnlp.reproduce.code.reach import Package, package_at

_CELLS = "the notebook's cells"
_ANY = "[^ ]+"


@dataclass
class Keys:
    """The keys that the kept code of a notebook records or spells out, as patterns.

    Attributes
    ----------
    recorded
        Patterns of the keys in calls of `record.metric`, in the notebook and in the definitions that it reaches.
    computed
        Whether there is a call whose key its text does not tell (`record.metric(key, …)`).
    spelled
        Definition → patterns of the texts in it; a key may be made in one place and recorded in another.
    """

    recorded: set[str] = field(default_factory=set)
    computed: bool = False
    spelled: dict[str, set[str]] = field(default_factory=dict)


def keys_of(chapter: str, notebook: str) -> Keys:
    """What the notebook's kept code says about its keys."""
    package = package_at()
    kept, _, reached = reach_of(cells_of(chapter, notebook), package)
    found = Keys()
    places = [(_CELLS, kept), *((t.what, _statements(package, t.what)) for t in reached if t.kind == "unit")]
    for place, code in places:
        nodes = [node for statement in code for node in ast.walk(statement)]
        told = {pattern for node in nodes if isinstance(node, ast.expr) and (pattern := _pattern(node))}
        found.spelled[place] = told
        for key in _recorded(nodes):
            pattern = _pattern(key) if key is not None else None
            if pattern:
                found.recorded.add(pattern)
            else:
                found.computed = True
    return found


def not_recorded(key: str, source: Keys, target: Keys) -> str | None:
    """Why a notebook cannot have recorded a metric that another one did; None where it can."""
    if _matches(key, target.recorded):
        return None
    if not target.computed:
        return f"its code never records '{key}'"
    # The key is computed: by something that spells it out, in the cells or in what made it for the other record.
    makers = {place for place, told in source.spelled.items() if place != _CELLS and _matches(key, told)}
    if _matches(key, target.spelled[_CELLS]) or makers & target.spelled.keys():
        return None
    told = (
        f"it reaches none of what made it ({', '.join(sorted(makers)[:3])})"
        if makers
        else "nothing in it names the key"
    )
    return f"its text does not tell whether it records '{key}', and {told}"


def _statements(package: Package, label: str) -> list[ast.stmt]:
    module, _, name = label.partition(":")
    held = package.module(module)
    return held.statements.get(name, []) if held else []


def _recorded(nodes: Iterable[ast.AST]) -> Iterator[ast.expr | None]:
    """The key of each call of a method `metric`; None where the method is handed on."""
    called = set()
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "metric":
            called.add(node.func)
            yield node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "key"), None)
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr == "metric" and node not in called:
            yield None


def _pattern(node: ast.expr) -> str | None:
    """A text as a regular expression, what it is filled with being anything; None if it is no key, or says no word."""
    if not isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp):
        return None
    parts = [_part(part) for part in _parts(node)]
    said = "".join(part for part in parts if part != _ANY)
    return "".join(parts) if re.search("[a-z]", said, re.I) and not re.search(r"\s", said) else None


def _part(node: ast.expr) -> str:
    return re.escape(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else _ANY


def _parts(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.JoinedStr):
        return node.values
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_parts(node.left), *_parts(node.right)]
    return [node]


def _matches(key: str, patterns: Iterable[str]) -> bool:
    return any(re.fullmatch(pattern, key) for pattern in patterns)
