"""Which names of outside a piece of code reads, calls and may change, with all functions that it holds."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from trustnlp.reproduce.code.bound_values import made_in
from trustnlp.reproduce.code.chance import DRAWING_METHODS, declared_integers, is_seeded
from trustnlp.reproduce.code.definitions import MUTATORS, bound_by, imported, parameters_of, words
from trustnlp.reproduce.code.pure_names import METHODS, NEW, UNKNOWN, writes

# Methods that change nothing of what they are called on. Whatever else is called may.
READERS = words(
    "abs agg apply astype copy count describe endswith format get groupby head idxmax idxmin index items join keys "
    "lower max mean median min nunique pivot_table removeprefix removesuffix rename rename_axis replace rsplit "
    "round series set_axis set_index shift sort_index sort_values split startswith std strip sum tail title to_frame "
    "tolist transpose unstack upper values"
)
# Tables read variables by their names: `table.query('a > @least')`.
_NAMED_IN_TEXT = re.compile(r"@(\w+)")


@dataclass
class Reading:
    """What code does with names that it does not bind itself.

    Attributes
    ----------
    paths
        Dotted names that are read, such as `np.pi`; `f(x)` where a call is handed one name and nothing else; `<m.f>`
        where a function imports by itself, `<m.*>` of a whole module; `<chance>` where something is drawn with no seed.
    called
        Those that are called, each with how many arguments it has in their places; `*` for what is computed first.
    named
        Those that are read for anything but to be called: whoever gets them may call them.
    unseeded
        Those that are called with no seed, or may be.
    changed
        Names of what a method or an assignment changes; `set_on` those of which a part is set.
    perhaps_changed
        Names of what a method is called on that may change it, `*` for anything that is read.
    rebound
        Names that a function inside binds outside of itself.
    changes_any
        Whether something may change that has no name of outside: a parameter, a part of something read.
    remembers
        Whether a function may keep something from call to call: a default, a variable around an inner function.
    whole
        Names whose very object comes to stand elsewhere: in a collection, under another name, as a result.
    parts
        Names that are gone through, or of which a part is taken.
    handed
        What is called, and a name that it is handed; `within` also those deeper in what it is handed.
    results_changed
        What gave an object of which something is changed then.
    thrown
        What is called whose value nobody keeps: they are called for what they do.
    """

    paths: set[str] = field(default_factory=set)
    called: set[tuple[str, int]] = field(default_factory=set)
    named: set[str] = field(default_factory=set)
    unseeded: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    perhaps_changed: set[str] = field(default_factory=set)
    set_on: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)
    changes_any: bool = False
    remembers: bool = False
    whole: set[str] = field(default_factory=set)
    parts: set[str] = field(default_factory=set)
    handed: set[tuple[str, str]] = field(default_factory=set)
    within: set[tuple[str, str]] = field(default_factory=set)
    results_changed: set[str] = field(default_factory=set)
    thrown: set[tuple[str, int]] = field(default_factory=set)

    def take_in(self, other: Reading) -> None:
        """Join what another piece of code does."""
        for name, mine in vars(self).items():
            if isinstance(mine, set):
                mine |= getattr(other, name)
        self.changes_any |= other.changes_any
        self.remembers |= other.remembers


def reading_of(*nodes: ast.AST, typed: bool = False) -> Reading:
    """What code does, as if all of its functions were called; `typed` says that somebody checks its annotations."""
    reader = _Reader()
    for node in nodes:
        reader.integers = declared_integers(node) if typed else set()
        reader.made = made_in(node)
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
        self.integers: set[str] = set()
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
            self.name(node.id)

    def visit_Constant(self, node: ast.Constant) -> None:
        for name in _NAMED_IN_TEXT.findall(node.value) if isinstance(node.value, str) else ():
            self.visit_Name(ast.Name(name, ast.Load()))

    def name(self, path: str) -> None:
        for names in (self.found.paths, self.found.named, self.found.unseeded):
            names.add(path)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.changes(node.value, by_hand=True)
        elif node.attr in MUTATORS:  # handed on, as in `map(rows.append, …)`
            self.changes(node.value)
            if self.is_own(holder(node) or ""):
                self.found.changes_any = self.found.remembers = True
        if node.attr in DRAWING_METHODS:
            self.found.paths.add("<chance>")
        path = self.dotted(node)
        if path is None:
            self.visit(node.value)
        else:
            self.name(path)

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
        elif self.made.get(name) and isinstance(node, ast.Name):
            self.found.results_changed.add(self.made[name])
        elif self.is_own(name):
            self.found.changes_any |= name not in self.made or not isinstance(node, ast.Name)
        else:
            self.found.changed.add(name)
            if by_hand:
                self.found.set_on.add(name)

    def visit_Call(self, node: ast.Call) -> None:
        path, method = self.dotted(node.func), getattr(node.func, "attr", "")
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        handed = [part for argument in arguments for part in ast.walk(argument) if isinstance(part, ast.Name)]
        of = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        crowded = bool(of) and len(node.args) > METHODS.get(method, len(node.args))
        hidden = any(keyword.arg is None for keyword in node.keywords)
        by_class = method in MUTATORS and getattr(of[0], "id", "") in NEW
        if writes(node) or crowded or by_class or (path == "next" and set(handed) & set(arguments)):
            for part in [*of, *handed]:
                self.changes(part)
        for part in of:
            self.take_part(part)
        if of and (hidden or method not in READERS):
            if hidden or method in MUTATORS or method.startswith("__"):
                self.changes(*of)
            else:
                name = holder(node.func)
                self.found.perhaps_changed.add("*" if name is None or self.is_own(name) else name)
        within = {(path or "*", part) for part in handed if not self.is_own(part.id)}
        self.found.within |= {(called, part.id) for called, part in within}
        self.found.handed |= {(called, part.id) for called, part in within if part in arguments}
        told = {part.value for part in arguments if isinstance(part, ast.Constant)}
        if (method in DRAWING_METHODS and not is_seeded(node, self.integers)) or told & DRAWING_METHODS:
            self.found.paths.add("<chance>")
        if path is None:
            self.found.called |= set() if of else {("*", 0)}
            self.found.perhaps_changed |= set() if of else {"*"}
            self.visit(of[0] if of else node.func)
        else:
            self.found.called.add((path, len(node.args) + hidden * UNKNOWN))
            self.found.unseeded |= set() if is_seeded(node, self.integers) else {path}
            only = node.args[0] if len(arguments) == len(node.args) == 1 else None
            if isinstance(only, ast.Name) and not self.is_own(only.id):
                self.found.paths.add(f"{path}({only.id})")
                self.found.named.add(only.id)
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
        self.function(parameters_of(node.args), {}, node.body)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
        self.defaults(node.args)
        outer = [name for part in ast.walk(node) if isinstance(part, ast.Global) for name in part.names]
        self.found.rebound.update(outer)
        self.found.paths.update(outer)
        own = [*parameters_of(node.args), *bound_by(*node.body)]
        made = {name: by for name, by in made_in(node).items() if name not in parameters_of(node.args)}
        self.function([name for name in own if name not in outer], made, *node.body)

    def function(self, own: list[str], made: dict[str, str], *body: ast.AST) -> None:
        """What a function does; what was made around it lasts longer than its call."""
        before, outside, self.made, self.found = self.made, self.found, made, Reading()
        self.within(own, *body)
        inner = self.scopes and (self.found.changes_any or "*" in self.found.perhaps_changed)
        self.found.remembers |= bool(inner)
        outside.take_in(self.found)
        self.made, self.found = before, outside

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.found.changes_any = self.found.remembers = True

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def defaults(self, arguments: ast.arguments) -> None:
        for default in [*arguments.defaults, *arguments.kw_defaults]:
            if default is not None:
                self.visit(default)
                self.found.remembers |= not isinstance(default, ast.Constant)

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
