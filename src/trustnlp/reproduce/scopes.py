"""Scopes of code: which names a function, a class or a block binds, and which of them it imports."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from trustnlp.reproduce.definitions import Import, bound_by, imported


@dataclass
class Scope:
    """The names of a scope, with the origin of those that it imports."""

    names: frozenset[str] = frozenset()
    imports: dict[str, Import] = field(default_factory=dict)
    is_class: bool = False


def scope_of(body: Iterable[ast.AST], parameters: Iterable[str], *, is_class: bool = False) -> Scope:
    """The scope of a body with these parameters; functions and classes in it have their own."""
    body = list(body)
    imports: dict[str, Import] = {}
    bound = {*parameters, *bound_by(*body)}
    todo = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.update((name, origin) for name, origin in imported(node))
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            todo += ast.iter_child_nodes(node)
    return Scope(frozenset(bound), imports, is_class)
