"""The names that code binds, with the values they are bound to."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from trustnlp.reproduce.code.definitions import Function, children, imported, root_name
from trustnlp.reproduce.code.pure_names import OWN_CHANGES

Kind = Literal["whole", "part", "again", "added"]


class Bound(NamedTuple):
    """A value that a name is bound to (None: one that cannot be told), a part of it, or more of the same."""

    value: ast.expr | None
    kind: Kind = "whole"


IMPORTED = Bound(None, "part")


def nodes_of(code: Iterable[ast.AST], *, deep: bool = False) -> Iterator[ast.AST]:
    """All of some code; the bodies of functions, which run when they are called, only if `deep`."""
    todo = list(code)
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, Function) and not deep:
            todo += [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
        else:
            todo += children(node)


def bindings_of(node: ast.AST) -> Iterator[tuple[str, Bound]]:
    """The names that a node itself binds, or puts something into, with the values."""
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from _told_apart(target, node.value)
    elif isinstance(node, ast.AugAssign):
        yield root_name(node.target) or "", Bound(node.value, "again" if isinstance(node.target, ast.Name) else "added")
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in OWN_CHANGES:
        yield from ((root_name(node.func) or "", Bound(value, "added")) for value in node.args)
    elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        yield from _told_apart(node.target, node.iter, "part")
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield from _told_apart(node.optional_vars, node.context_expr, "part")
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((name, IMPORTED) for name, _ in imported(node))
    else:
        field = {ast.arg: "arg", ast.MatchMapping: "rest"}.get(type(node), "name")
        name = None if isinstance(node, ast.alias) else getattr(node, field, None)
        if isinstance(name, str):  # functions, classes, parameters, errors, patterns
            yield name, Bound(None)


def _told_apart(target: ast.expr, value: ast.expr, kind: Kind = "whole") -> Iterator[tuple[str, Bound]]:
    if isinstance(target, ast.Tuple | ast.List):
        each = value.elts if isinstance(value, ast.Tuple | ast.List) and kind == "whole" else []
        same = len(each) == len(target.elts) and not any(isinstance(e, ast.Starred) for e in [*each, *target.elts])
        for number, part in enumerate(target.elts):
            yield from _told_apart(part, each[number], "whole") if same else _told_apart(part, value, "part")
    elif isinstance(target, ast.Name):
        yield target.id, Bound(value, kind)
    elif isinstance(target, ast.Starred):
        yield from _told_apart(target.value, value, "part")
    else:
        yield root_name(target) or "", Bound(value, "added")
