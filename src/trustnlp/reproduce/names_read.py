"""Which names of outside a piece of code reads, calls and may change, with all functions that it holds."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field

from trustnlp.reproduce.definitions import MUTATORS, bound_by, imported, parameters_of, words

# Methods that change nothing of what they are called on. Whatever else is called may.
READERS = words(
    "abs agg apply astype copy count describe endswith format get groupby head idxmax idxmin index items join keys "
    "lower max mean median min nunique pivot_table removeprefix removesuffix rename rename_axis replace rsplit "
    "round series set_axis set_index shift sort_index sort_values split startswith std strip sum tail title to_frame "
    "tolist transpose unstack upper values"
)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_NEW = (ast.List, ast.Dict, ast.Set, *_COMPREHENSIONS)


@dataclass
class Reading:
    """What code does with names that it does not bind itself.

    Attributes
    ----------
    paths
        Dotted names that are read, such as `np.pi`; `f(x)` where a call is handed one name and nothing else; `<m.f>`
        where a function imports by itself, `<m.*>` of a whole module.
    called
        Those that are called; with `()` at their end if they are handed nothing.
    changed
        Names of what a method or an assignment may change; `set_on` those of which a part is set.
    rebound
        Names that a function inside binds outside of itself.
    changes_any
        Whether something may change that has no name of outside: a parameter, a part of something read.
    """

    paths: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    set_on: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)
    changes_any: bool = False

    def take_in(self, other: Reading) -> None:
        """Join what another piece of code does."""
        for name in ("paths", "called", "changed", "set_on", "rebound"):
            getattr(self, name).update(getattr(other, name))
        self.changes_any |= other.changes_any


def reading_of(*nodes: ast.AST) -> Reading:
    """What code does, as if all of its functions were called."""
    reader = _Reader()
    for node in nodes:
        reader.visit(node)
    return reader.found


class _Reader(ast.NodeVisitor):
    def __init__(self) -> None:
        self.found = Reading()
        self.scopes: list[frozenset[str]] = []
        self.new: set[str] = set()  # names within that stand for something made there

    def is_own(self, name: str) -> bool:
        return any(name in scope for scope in self.scopes)

    def dotted(self, node: ast.AST) -> str | None:
        """`x.a.b` where `x` is of outside."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or self.is_own(node.id):
            return None
        return ".".join([node.id, *reversed(parts)])

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and not self.is_own(node.id):
            self.found.paths.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.changes(node.value, by_hand=True)
        elif node.attr in MUTATORS:  # handed on, as in `map(rows.append, …)`
            self.changes(node.value)
        path = self.dotted(node)
        if path is None:
            self.visit(node.value)
        else:
            self.found.paths.add(path)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.changes(node.value, by_hand=True)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.changes(node.target)
        if isinstance(node.target, ast.Name) and not self.is_own(node.target.id):
            self.found.paths.add(node.target.id)
        self.generic_visit(node)

    def changes(self, node: ast.AST, *, by_hand: bool = False) -> None:
        direct = node.id if isinstance(node, ast.Name) else None
        while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred | ast.Call):
            node = node.func if isinstance(node, ast.Call) else node.value
        if isinstance(node, ast.Constant | ast.JoinedStr):
            return
        if not isinstance(node, ast.Name):
            self.found.changes_any = True
        elif self.is_own(node.id):
            self.found.changes_any |= direct not in self.new
        else:
            self.found.changed.add(node.id)
            if by_hand:
                self.found.set_on.add(node.id)

    def visit_Call(self, node: ast.Call) -> None:
        path = self.dotted(node.func)
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, ast.Attribute) and node.func.attr not in READERS:
            self.changes(node.func.value)
        if path is None:
            self.found.changes_any |= not isinstance(node.func, ast.Attribute)
            self.visit(node.func)
        else:
            self.found.called.add(path if arguments else f"{path}()")
            only = self.dotted(node.args[0]) if len(arguments) == len(node.args) == 1 else None
            if only is not None:
                self.found.paths.add(f"{path}({only})")
                return
            self.found.paths.add(path)
        for argument in arguments:
            self.visit(argument)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for _, origin in imported(node):
            self.found.paths.add(f"<{origin.module}.{origin.name or '*'}>")

    visit_ImportFrom = visit_Import

    # What has names of its own -------------------------------------------------------------------------------------

    def within(self, names: list[str], *body: ast.AST) -> None:
        self.scopes.append(frozenset(names))
        for node in body:
            self.visit(node)
        self.scopes.pop()

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.defaults(node.args)
        self.within(parameters_of(node.args), node.body)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
        self.defaults(node.args)
        outer = [name for part in ast.walk(node) if isinstance(part, ast.Global) for name in part.names]
        self.found.rebound.update(outer)
        self.found.paths.update(outer)
        own = [*parameters_of(node.args), *bound_by(*node.body)]
        before, self.new = self.new, (self.new - set(own)) | (_made(node) - set(parameters_of(node.args)))
        self.within([name for name in own if name not in outer], *node.body)
        self.new = before

    visit_AsyncFunctionDef = visit_FunctionDef

    def defaults(self, arguments: ast.arguments) -> None:
        for default in [*arguments.defaults, *arguments.kw_defaults]:
            if default is not None:
                self.visit(default)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(part)
        functions = [line for line in node.body if isinstance(line, ast.FunctionDef | ast.AsyncFunctionDef)]
        self.within(bound_by(*node.body), *(line for line in node.body if line not in functions))
        for function in functions:  # which do not see the names of their class
            self.visit(function)

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        first, *others = node.generators
        self.visit(first.iter)
        made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        targets = bound_by(*(generator.target for generator in node.generators))
        self.within(targets, *first.ifs, *others, *made)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = comprehension

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)


def _made(function: ast.AST) -> set[str]:
    """Which names of a function only ever stand for a list, dictionary or set that it makes itself."""
    made, bound = Counter[str](), Counter[str]()
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value):
                made[name] += isinstance(value, _NEW)
            case ast.AugAssign(target=ast.Name(id=name)):
                made[name] += 1  # which changes what is there
            case ast.Name(id=name, ctx=ast.Store()):
                bound[name] += 1
    return {name for name in made if made[name] == bound[name]}
