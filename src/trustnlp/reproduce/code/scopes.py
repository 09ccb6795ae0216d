"""Scopes of code: which names a function, a class or a block binds, and which of them it imports."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from trustnlp.reproduce.code.definitions import Definition, Import, bound_by, children, imported, walk, words

# Calls that may read variables by their names.
_READ_BY_NAME = words("dir eval evaluate exec execute globals locals objmode query sql vars")


@dataclass
class Scope:
    """The names of a scope, with the origin of those that it imports and binds to nothing else.

    unnamed
        Variables whose names nothing reads, so that any others would do.
    """

    names: frozenset[str] = frozenset()
    imports: dict[str, Import] = field(default_factory=dict)
    is_class: bool = False
    unnamed: frozenset[str] = frozenset()
    _numbers: dict[str, int] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """The number of an unnamed variable: how many others of the scope were asked for before it."""
        return self._numbers.setdefault(name, len(self._numbers))


def scope_of(body: Iterable[ast.AST], parameters: Iterable[str], *, is_class: bool = False) -> Scope:
    """The scope of a body with these parameters; functions and classes in it have their own."""
    body = list(body)
    imports: dict[str, Import] = {}
    bound = {*parameters, *bound_by(*body)}
    variables = {*parameters, *bound_by(*body, imports=False)}
    todo = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name, origin in imported(node):
                if imports.setdefault(name, origin) != origin:  # which of the two it is, nobody can tell
                    variables.add(name)
        elif not isinstance(node, Definition | ast.expr):
            todo += children(node)
    lasting = {name: origin for name, origin in imports.items() if name not in variables}
    return Scope(frozenset(bound), lasting, is_class)


def unnamed_in(function: ast.AST, parameters: Iterable[str] = ()) -> frozenset[str]:
    """The variables of a function, or comprehension, that are no parameters and whose names nothing reads.

    Functions, classes, imports and caught errors keep their names, as do variables that an inner function writes to.
    """
    called = {node.func for node in walk(function) if isinstance(node, ast.Call)}
    names = {c.id if isinstance(c, ast.Name) else c.attr for c in called if isinstance(c, ast.Name | ast.Attribute)}
    if names & _READ_BY_NAME:
        return frozenset()
    named = set(parameters)
    variables = set()
    for node in walk(function):
        if isinstance(node, ast.Name):
            variables.add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            named.update(node.names)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            named.update(name for name, _ in imported(node))
        else:
            held = (getattr(node, part, None) for part in ("name", "rest", "arg"))
            named.update(name for name in held if isinstance(name, str) and not isinstance(node, ast.keyword))
    return frozenset(variables - named)
