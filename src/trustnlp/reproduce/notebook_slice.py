"""The statements of a notebook on which its record depends: a backward slice from all that speaks to the record.

From the last statement to the first, one is kept that

- speaks to the record: names it in any way but to read or show it (`record.metric(…)`, `corpus_for(record)`);
- binds a name that is needed further down, or may change an object that is;
- sets something that no name shows (`torch.manual_seed(0)`, an attribute of a module).

Tables, figures and prints go, with all that only they need. Whether a call may change what it is given is asked
of the package's functions (`argument_changes.py`); generators of random numbers are changed by whoever has one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from trustnlp.reproduce.argument_changes import Changes, stateful_source
from trustnlp.reproduce.definitions import MUTATORS, bound_by, inner_statements, root_name
from trustnlp.reproduce.name_lookup import CellNames
from trustnlp.reproduce.reach import Package
from trustnlp.reproduce.targets import Target

# What only shows, wherever it comes from.
_SHOWS = frozenset(("display", "print", "show"))
# Functions of other libraries that set something nobody names.
_SETS = re.compile(
    r"(^|_)(seed|set|use|enable|disable|deterministic|filterwarnings|simplefilter|update|fit|train|eval|to)(_|$)"
)
# What a run loaded (`uses`) is held against today's files by their hashes, so the call is no part of the code.
_READ_OF_RECORD = frozenset(
    ("metrics", "arrays", "profile", "seeds", "chapter", "notebook", "save", "uses", "uses_encoder")
)
_DYNAMIC = frozenset(("vars", "globals", "locals"))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_LATE = (ast.Lambda, ast.GeneratorExp)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_CONTROL = (ast.Break, ast.Continue, ast.Raise, ast.Return)


@dataclass
class Cell:
    """The statements of one code cell, and whether it holds the parameters."""

    statements: list[ast.stmt]
    is_parameters: bool = False


class _WithoutUnits(ast.NodeTransformer):
    """A unit is a word for a number: records keep theirs, and `trustnlp records units` says them anew."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "metric":
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != "unit"]
        return node


def without_units(tree: ast.Module) -> ast.Module:
    """The same code with no unit in its calls of `record.metric`; changed in place."""
    return _WithoutUnits().visit(tree)  # type: ignore[no-any-return]


def sliced(cells: Sequence[Cell], package: Package, named: Iterable[str] = ()) -> list[ast.stmt]:
    """The kept statements in their order; `named` are names that are needed though no statement says so."""
    every = [statement for cell in cells for statement in cell.statements]
    slicer = _Slicer(every, CellNames(package, every), set(named))
    slicer.parameters = {name for cell in cells if cell.is_parameters for name in bound_by(*cell.statements)}
    shown = {id(cell.statements[-1]) for cell in cells if cell.statements}
    while True:
        before = len(slicer.always)
        kept = slicer.run(every, shown)
        if len(slicer.always) == before:
            return kept


@dataclass
class _Slicer:
    every: list[ast.stmt]
    names: CellNames
    always: set[str]
    parameters: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.changes = Changes(self.names)
        self.functions = {
            node.name: node for s in self.every for node in [s, *_inner(s)] if isinstance(node, _FUNCTIONS)
        }
        self.variables = set(bound_by(*self.every)) - self.names.imports.keys()
        self.records = self._records()
        self.groups = _Groups()
        self.stateful: set[str] = set()
        for statement in (inner for s in self.every for inner in [s, *_inner(s)]):
            self._note_sharing(statement)

    # Facts about the whole notebook ----------------------------------------------------------------------------------

    def _records(self) -> set[str]:
        """Names of records, and of functions that speak to one."""
        found = {
            name
            for s in self.every
            for node in [s, *_inner(s)]
            if isinstance(node, ast.Assign) and self._makes_record(node.value)
            for name in bound_by(node)
        }
        while True:
            more = {name for name, node in self.functions.items() if self._speaks(node, found)}
            more |= {
                name
                for s in self.every
                for node in [s, *_inner(s)]
                if isinstance(node, ast.Assign) and self._speaks(node.value, found, alias=True)
                for name in bound_by(node)
            }
            if more <= found:
                return found
            found |= more

    def _makes_record(self, value: ast.expr) -> bool:
        return isinstance(value, ast.Call) and self.target(value.func) == Target("frame", "Record")

    def target(self, node: ast.expr) -> Target | None:
        """What a dotted name stands for in the notebook, None for a variable or a name of Python's own."""
        rest: list[str] = []
        while isinstance(node, ast.Attribute):
            rest.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id in self.variables:
            return None
        found = self.names.of_global(node.id)
        while found is not None and found.kind == "module" and rest:
            found = self.names.of_attribute(found.what, rest.pop())
        return found

    def _speaks(self, node: ast.AST, records: set[str], *, alias: bool = False) -> bool:
        """Whether code names a record, other than to read it or to hand it to what only shows.

        With `alias`: whether it is a record, or a method of one.
        """
        if alias:
            return root_name(node) in records and not (isinstance(node, ast.Attribute) and node.attr in _READ_OF_RECORD)
        if isinstance(node, ast.Name):
            return node.id in records
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in _READ_OF_RECORD:
            return False
        if isinstance(node, ast.Call):
            target = self.target(node.func)
            if (target is not None and target.kind == "frame") or _called(node) in _SHOWS:
                arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
                return any(self._speaks(a, records) for a in arguments if not isinstance(a, ast.Name))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Name):
            return False
        return any(self._speaks(child, records) for child in ast.iter_child_nodes(node))

    def _note_sharing(self, statement: ast.stmt) -> None:
        """Which names may mean the same object, or hold one another, and which hold a state that is used up."""
        if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign) and statement.value is not None:
            bound, value = bound_by(statement), statement.value
        elif isinstance(statement, ast.For | ast.AsyncFor):
            bound, value = bound_by(statement.target), statement.iter
        elif isinstance(statement, ast.With | ast.AsyncWith):
            for item in statement.items:
                if item.optional_vars is not None:
                    self.groups.join([*bound_by(item.optional_vars), *_loaded(item.context_expr)])
            return
        else:
            return
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        bound = [*bound, *filter(None, map(root_name, targets))]
        if not isinstance(statement, ast.For) and stateful_source(value):
            self.stateful.update(bound)
        self.groups.join([*bound, *(self._shared(value))])

    def _shared(self, value: ast.expr) -> Iterator[str]:
        """Names of variables that a value may share something with; what a library computes is its own."""
        if isinstance(value, ast.Call):
            target = self.target(value.func)
            outside = target.kind == "external" if target else _called(value) in self.changes.fresh
            if outside and _called(value) not in ("partial", "ref", "asarray", "from_numpy"):
                return
            if isinstance(value.func, ast.Attribute) and target is None and value.func.attr not in self.changes.methods:
                return
        if isinstance(value, ast.Name):
            yield value.id
        for child in ast.iter_child_nodes(value):
            if isinstance(child, ast.expr):
                yield from self._shared(child)
            elif isinstance(child, ast.keyword):
                yield from self._shared(child.value)
            elif isinstance(child, ast.comprehension):
                yield from self._shared(child.iter)

    # The slice -----------------------------------------------------------------------------------------------------

    def run(self, statements: Sequence[ast.stmt], shown: set[int]) -> list[ast.stmt]:
        """One pass from the end; what functions need that are called late is added to `always`."""
        needed = set(self.always)
        kept: list[ast.stmt] = []
        for statement in reversed(statements):
            part = self.kept(statement, needed, id(statement) in shown)
            if part is not None:
                if isinstance(statement, ast.Assign) and all(
                    isinstance(t, ast.Name | ast.Tuple) for t in statement.targets
                ):
                    needed -= set(bound_by(statement)) - self.always
                self.need(part, needed)
                kept.append(part)
        return kept[::-1]

    def need(self, part: ast.stmt, needed: set[str]) -> None:
        """Add the names that a statement reads; those that functions read, which run later, are needed always."""
        names = set(_loaded(part))
        for node in ast.walk(part):
            if isinstance(node, (*_LATE, *_FUNCTIONS)):
                self.always |= set(_loaded(node)) & self.variables
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _DYNAMIC:
                self.always |= self.parameters
            elif isinstance(node, ast.AugAssign):
                names |= {root_name(node.target) or ""}  # what is added to is read
        needed |= names & self.variables
        needed |= self.always

    def kept(self, statement: ast.stmt, needed: set[str], shown: bool) -> ast.stmt | None:
        """The part of a statement that is needed."""
        if isinstance(
            statement, ast.For | ast.While | ast.If | ast.With | ast.Try | ast.Match | ast.AsyncFor | ast.AsyncWith
        ):
            return self._kept_compound(statement, needed)
        if isinstance(statement, ast.Import | ast.ImportFrom | ast.Assert):
            return None
        if isinstance(statement, _FUNCTIONS):
            return statement if statement.name in needed else None
        if set(bound_by(statement)) & needed or self._speaks(statement, self.records):
            return statement
        changed = self.changed_by(statement)
        if any(self.groups.share(name, needed) for name in changed) or self._sets_hidden(statement, shown):
            return statement
        return None

    def _kept_compound(self, statement: ast.stmt, needed: set[str]) -> ast.stmt | None:
        """What is needed of a block that may run many times, in any order: a fixed point."""
        inside = set(needed)
        while True:
            copy = self._with_kept_blocks(statement, inside)
            bare = set(bound_by(statement)) & inside - {b for s in _inner(statement) for b in bound_by(s)}
            if copy is None and not bare:
                return None
            copy = copy or statement
            before = len(inside)
            self.need(copy, inside)
            if len(inside) == before:
                return copy

    def _with_kept_blocks(self, statement: ast.AST, needed: set[str]) -> ast.stmt | None:
        fields = {name: getattr(statement, name) for name in statement._fields}
        found = False
        for block in _BLOCKS:
            if not isinstance(fields.get(block), list):
                continue
            parts = []
            for inner in fields[block]:
                if isinstance(inner, ast.ExceptHandler | ast.match_case):
                    part = self._with_kept_blocks(inner, needed)
                    found |= part is not None
                    parts.append(part or _emptied(inner))
                else:
                    part = self.kept(inner, needed, False)
                    found |= part is not None
                    # What leaves or skips the rest of a block decides what else of it happens.
                    parts += [part] if part is not None else [inner] if _leaves(inner) else []
            fields[block] = parts or ([ast.Pass()] if block == "body" else [])
        return ast.copy_location(type(statement)(**fields), statement) if found else None  # type: ignore[return-value]

    def changed_by(self, statement: ast.AST) -> set[str]:
        """Variables whose object a statement may change."""
        found: set[str] = set()
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
                found.add(root_name(node) or "")
            elif isinstance(node, ast.AugAssign):
                found.add(root_name(node.target) or "")
            elif isinstance(node, ast.Name) and node.id in self.stateful and isinstance(node.ctx, ast.Load):
                found.add(node.id)
            elif isinstance(node, ast.Call):
                found |= self._changed_by_call(node)
        return found & self.variables

    def _changed_by_call(self, node: ast.Call) -> set[str]:
        found: set[str] = set()
        target, called = self.target(node.func), _called(node)
        given = {name for a in [*node.args, *(k.value for k in node.keywords)] for name in _loaded(a)}
        if isinstance(node.func, ast.Attribute) and target is None:
            root = root_name(node.func)
            if root and (called in MUTATORS or self.changes.method_changes_itself(called)):
                found.add(root)
            if self.changes.method_changes_given(called):
                found |= given
        elif isinstance(node.func, ast.Name) and called in self.functions:
            body = self.functions[called]
            parameters = set(bound_by(body)) | {a.arg for a in ast.walk(body) if isinstance(a, ast.arg)}
            inner = self.changed_by_body(body)
            found |= inner - parameters
            found |= given if inner & parameters else set()
        elif target is not None and target.kind == "unit":
            found |= given if self.changes.changes_given(target) else set()
        elif called in self.changes.changing:
            found |= given
        return found

    def changed_by_body(self, body: ast.AST) -> set[str]:
        """As `changed_by`, for a function of the notebook, whose parameters count as variables."""
        self.variables, before = (
            self.variables | {a.arg for a in ast.walk(body) if isinstance(a, ast.arg)},
            self.variables,
        )
        functions, self.functions = self.functions, {k: v for k, v in self.functions.items() if v is not body}
        try:
            return self.changed_by(body)
        finally:
            self.variables, self.functions = before, functions

    def _sets_hidden(self, statement: ast.stmt, shown: bool) -> bool:
        """Whether a statement sets what no variable holds: an attribute of a module, a library's state."""
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
                root = root_name(node)
                if root and root not in self.variables:
                    return True
        if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
            return False
        called, target = _called(statement.value), self.target(statement.value.func)
        if called in _SHOWS or (target is not None and target.kind == "frame"):
            return False
        # A call whose value is neither kept nor shown is made for what it does.
        return bool(_SETS.search(called)) if shown else root_name(statement.value.func) not in self.variables


def _leaves(statement: ast.stmt) -> bool:
    """Whether a statement may leave, or skip the rest of, the block that it stands in."""
    if isinstance(statement, _FUNCTIONS):
        return False
    return isinstance(statement, _CONTROL) or any(map(_leaves, inner_statements(statement)))


def _emptied(node: ast.AST) -> ast.AST:
    return type(node)(**{name: [ast.Pass()] if name == "body" else getattr(node, name) for name in node._fields})


def _called(node: ast.Call) -> str:
    """The last part of the name that is called."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _loaded(node: ast.AST) -> Iterator[str]:
    return (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def _inner(statement: ast.stmt) -> Iterator[ast.stmt]:
    return (node for node in ast.walk(statement) if isinstance(node, ast.stmt) and node is not statement)


class _Groups:
    """Names that may mean the same object, or one that another holds (union-find)."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def top(self, name: str) -> str:
        while name in self._above:
            name = self._above[name]
        return name

    def join(self, names: Iterable[str]) -> None:
        tops = list(dict.fromkeys(map(self.top, names)))
        for other in tops[1:]:
            self._above[other] = tops[0]

    def share(self, name: str, others: Iterable[str]) -> bool:
        top = self.top(name)
        return any(self.top(other) == top for other in others)
