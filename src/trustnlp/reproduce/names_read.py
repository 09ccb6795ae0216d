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
        Names of what a method or an assignment changes; `set_on` those of which a part is set.
    perhaps_changed
        Names of what a method is called on that may change it, `*` for anything that is read.
    rebound
        Names that a function inside binds outside of itself.
    changes_any
        Whether something may change that has no name of outside: a parameter, a part of something read.
    whole
        Names whose very object comes to stand elsewhere: in a collection, under another name, as a result.
    parts
        Names that are gone through, or of which a part is taken.
    handed
        What is called, and a name that it is handed.
    results_changed
        What gave an object of which something is changed then.
    thrown
        Those of `called` whose value nobody keeps: they are called for what they do.
    """

    paths: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    perhaps_changed: set[str] = field(default_factory=set)
    set_on: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)
    changes_any: bool = False
    whole: set[str] = field(default_factory=set)
    parts: set[str] = field(default_factory=set)
    handed: set[tuple[str, str]] = field(default_factory=set)
    results_changed: set[str] = field(default_factory=set)
    thrown: set[str] = field(default_factory=set)

    def take_in(self, other: Reading) -> None:
        """Join what another piece of code does."""
        for name, mine in vars(self).items():
            if isinstance(mine, set):
                mine |= getattr(other, name)
        self.changes_any |= other.changes_any


def reading_of(*nodes: ast.AST) -> Reading:
    """What code does, as if all of its functions were called."""
    reader = _Reader()
    for node in nodes:
        reader.made = _made(node)
        reader.visit(node)
    return reader.found


def holder(node: ast.AST) -> str | None:
    """The name of what an expression is a part of, or was got from by its methods."""
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def same_objects(node: ast.AST) -> set[str]:
    """The names whose very object code puts elsewhere: what it binds or gives, and what its collections hold."""
    match node:
        case ast.IfExp(body=one, orelse=other):
            parts: list[ast.expr | None] = [one, other]
        case ast.BoolOp(values=several) | ast.List(elts=several) | ast.Tuple(elts=several) | ast.Dict(values=several):
            parts = [*several]
        case ast.Assign(value=one) | ast.AnnAssign(value=one) | ast.NamedExpr(value=one) | ast.Lambda(body=one):
            parts = [one]
        case ast.Return(value=one) | ast.Yield(value=one):
            parts = [one]
        case _:
            return set()
    names = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    return names.union(*(same_objects(part) for part in parts if part is not None))


class _Reader(ast.NodeVisitor):
    def __init__(self) -> None:
        self.found = Reading()
        self.scopes: list[frozenset[str]] = []
        self.made: dict[str, str] = {}  # names that only stand for what is made there, by `[]` or a function

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
        self.take_part(node.value)
        if not isinstance(node.ctx, ast.Load):
            self.changes(node.value, by_hand=True)
        self.generic_visit(node)

    def take_part(self, node: ast.AST) -> None:
        name = holder(node)
        if name is not None and not self.is_own(name):
            self.found.parts.add(name)

    def visit(self, node: ast.AST) -> None:
        for name in same_objects(node):
            if not self.is_own(name):
                self.found.whole.add(name)
        super().visit(node)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.take_part(node.iter)
        self.generic_visit(node)

    visit_AsyncFor = visit_For  # noqa: N815

    def visit_Expr(self, node: ast.Expr) -> None:
        before, self.found.called = self.found.called, set()
        self.generic_visit(node)
        self.found.thrown |= self.found.called
        self.found.called |= before

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.changes(node.target)
        if isinstance(node.target, ast.Name) and not self.is_own(node.target.id):
            self.found.paths.add(node.target.id)
        self.generic_visit(node)

    def changes(self, node: ast.AST, *, by_hand: bool = False) -> None:
        name = holder(node)
        if isinstance(node, ast.Constant | ast.JoinedStr):
            return
        if name is None:
            self.found.changes_any = True
        elif self.made.get(name):
            self.found.results_changed.add(self.made[name])
        elif self.is_own(name):
            self.found.changes_any |= name not in self.made or not isinstance(node, ast.Name)
        else:
            self.found.changed.add(name)
            if by_hand:
                self.found.set_on.add(name)

    def visit_Call(self, node: ast.Call) -> None:
        path = self.dotted(node.func)
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, ast.Attribute) and node.func.attr not in READERS:
            if node.func.attr in MUTATORS or node.func.attr.startswith("__"):
                self.changes(node.func.value)
            else:
                name = holder(node.func)
                self.found.perhaps_changed.add("*" if name is None or self.is_own(name) else name)
        for argument in arguments:
            if isinstance(argument, ast.Name) and not self.is_own(argument.id):
                self.found.handed.add((path or "", argument.id))
        if path is None:
            if not isinstance(node.func, ast.Attribute):
                self.found.perhaps_changed.add("*")
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

    visit_ImportFrom = visit_Import  # noqa: N815

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
        before = self.made
        made = {name: by for name, by in _made(node).items() if name not in parameters_of(node.args)}
        self.made = {name: by for name, by in before.items() if name not in own} | made
        self.within([name for name in own if name not in outer], *node.body)
        self.made = before

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

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
        self.take_part(first.iter)
        self.visit(first.iter)
        made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        targets = bound_by(*(generator.target for generator in node.generators))
        self.within(targets, *first.ifs, *others, *made)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = comprehension  # noqa: N815

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)


def _made(code: ast.AST) -> dict[str, str]:
    """The names that code only ever binds to what it makes there: a collection (``), or what a function gives."""
    if isinstance(code, ast.Assign | ast.AnnAssign | ast.Expr):
        return {}
    made: dict[str, set[str]] = {}
    times, bound = Counter[str](), Counter[str]()
    for node in ast.walk(code):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=value)
            ):
                by = "" if isinstance(value, _NEW) else _name_of_function(value)
                if by is not None:
                    made.setdefault(name, set()).add(by)
                    times[name] += 1
            case ast.AugAssign(target=ast.Name(id=name)):
                times[name] += 1  # which changes what is there
            case ast.Name(id=name, ctx=ast.Store()):
                bound[name] += 1
    return {name: min(by) for name, by in made.items() if len(by) == 1 and times[name] == bound[name]}


def _name_of_function(value: ast.expr | None) -> str | None:
    """Of a call of something with a dotted name."""
    node: ast.AST | None = value.func if isinstance(value, ast.Call) else None
    while isinstance(node, ast.Attribute):
        node = node.value
    return ast.unparse(value.func) if isinstance(node, ast.Name) and isinstance(value, ast.Call) else None
