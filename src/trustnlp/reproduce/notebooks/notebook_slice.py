"""The statements of a notebook on which its record depends: all but what provably only shows or computes for nobody.

A statement goes if it is pure (`effects.py`) and binds no name that is needed. All others stay, whole: those that speak
to the record (`record.metric(…)` is a method that is not known to be pure; what `record.show(…)` shows counts for
nothing), those that set something no name shows
(`torch.manual_seed(0)`), and whatever nobody can tell. Needed is each name that a kept statement reads; the order of
statements plays no part.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trustnlp.reproduce.code.definitions import bound_by, walk
from trustnlp.reproduce.code.effects import ANYTHING, Scope
from trustnlp.reproduce.code.name_lookup import CellNames
from trustnlp.reproduce.code.normal_form import RECORDING
from trustnlp.reproduce.code.reach import Package
from trustnlp.reproduce.code.targets import is_ours

# With these any variable may be read by a text; `vars()` hands over the parameters and what the reached code names.
_READ_ALL, _DYNAMIC = frozenset(("eval", "exec", "globals")), frozenset(("vars", "locals"))


@dataclass
class CodeCell:
    """The statements of one code cell, and whether it holds the parameters."""

    statements: list[ast.stmt]
    is_parameters: bool = False


class _WithoutUnits(ast.NodeTransformer):
    """A unit is a word for a number: records keep theirs, and `trustnlp records units` says them anew."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in RECORDING:
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != "unit"]
        return node


def without_units(tree: ast.Module) -> ast.Module:
    """The same code with no unit in its calls of `record.metric` and `record.metrics`; changed in place."""
    return _WithoutUnits().visit(tree)  # type: ignore[no-any-return]


def sliced(cells: Sequence[CodeCell], package: Package, named: Iterable[str] = ()) -> list[ast.stmt]:
    """The kept statements in their order; `named` are names that are needed though no statement says so."""
    every = [statement for cell in cells for statement in cell.statements]
    scope = Scope(CellNames(package, every), every)
    parameters = {name for cell in cells if cell.is_parameters for name in bound_by(*cell.statements)}
    concerns = [_concerns(statement, scope) for statement in every]
    needed = {ANYTHING, *named}
    while True:
        kept = [statement for statement, names in zip(every, concerns, strict=True) if names & needed]
        loaded = {n.id for s in kept for n in walk(s) if isinstance(n, ast.Name)}
        more = needed | loaded
        more |= parameters if loaded & _DYNAMIC else set()
        more |= set(scope.bindings) if loaded & _READ_ALL else set()
        if more == needed:
            return kept
        needed = more


def _concerns(statement: ast.stmt, scope: Scope) -> set[str]:
    """The names for whose sake a statement is kept; `ANYTHING` where it is in any case."""
    if scope.only_shows(statement):
        return set()
    bound = set(bound_by(statement))
    if isinstance(statement, ast.Import | ast.ImportFrom):
        foreign_star = any(a.name == "*" for a in statement.names) and not is_ours(
            getattr(statement, "module", "") or ""
        )
        # What a name stands for is looked up where it is used, unless it stands for something else as well.
        return {ANYTHING} if foreign_star else bound & scope.bindings.keys()
    return bound | scope.changed(statement)
