"""Definitions of a module of the package: functions, classes and constants, and from where it takes its other names.

One *definition* is all that binds one name at the top of a module: a function, a class, an assignment with what is put
into its value there (`TABLE["x"] = f`, `TABLE.update(…)`), or a whole `try` or `if` that binds the name. What else a
module does when it is imported (a call, a loop, a function that registers itself, an attribute of another module that
is set) are its *effects*; they count for all that it defines, and for whoever imports it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from trustnlp.reproduce.colab import imports_of
from trustnlp.reproduce.project import UserError

EFFECTS = "<effects>"


_HOLD_NOTHING = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)


def children(node: ast.AST) -> tuple[ast.AST, ...]:
    """The nodes directly within a node, but signs; found once, since code is gone through again and again."""
    kept: tuple[ast.AST, ...] | None = node.__dict__.get("_children")
    if kept is None:
        inner = (child for child in ast.iter_child_nodes(node) if not isinstance(child, _HOLD_NOTHING))
        kept = node.__dict__["_children"] = tuple(inner)
    return kept


def walk(node: ast.AST) -> list[ast.AST]:
    """A node with all within it, as `ast.walk` has them, but signs."""
    nodes = [node]
    for each in nodes:  # which grows meanwhile
        nodes += children(each)
    return nodes


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set of names."""
    return frozenset(text.split())


# Methods that change what they are called on; a name that says so in words is enough.
MUTATORS = words(
    "add append appendleft clear discard extend extendleft fill_ insert load_state_dict pop popitem "
    "popleft register remove reverse setdefault setflags sort sort_index_ update write writelines"
)
_COMPOUND = (ast.If, ast.Try, ast.TryStar, ast.With)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


@dataclass(frozen=True)
class Import:
    """Where a name comes from: a module, and what of it (None: the module itself)."""

    module: str
    name: str | None


@dataclass
class Module:
    """One file, taken apart.

    Attributes
    ----------
    statements
        Name → the statements that bind it, in order; `EFFECTS` → what happens besides.
    imports
        Name → where it comes from.
    stars
        Modules of which all names are taken.
    keeps_docstrings
        Whether some code reads docstrings (`__doc__`), which then count.
    all_imports
        What it imports anywhere, as `imports_of` tells it.
    """

    name: str
    path: Path
    is_package: bool = False
    statements: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, Import] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    keeps_docstrings: bool = False
    all_imports: set[tuple[str, str]] = field(default_factory=set)


def syntax_tree(text: str, place: str) -> ast.Module:
    """The syntax tree of a file or cell.

    Raises
    ------
    UserError
        If it is no plain Python.
    """
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise UserError(
            f"{' '.join(place.split())}, line {error.lineno}: {error.msg}; only what is plain Python (no %magic, no "
            "!command) can be searched for what it uses"
        ) from None


def read_module(name: str, path: Path) -> Module:
    """Take a file apart."""
    text = path.read_text(encoding="utf-8")
    module = Module(name, path, path.name == "__init__.py", keeps_docstrings="__doc__" in text or "getdoc" in text)
    tree = syntax_tree(text, path.name)
    module.all_imports = imports_of(tree)
    for statement in tree.body:
        _sort_in(module, statement)
    return module


def _sort_in(module: Module, statement: ast.stmt) -> None:
    if isinstance(statement, ast.Import | ast.ImportFrom):
        for name, origin in imported(statement, module.name, module.is_package):
            if name == "*":
                module.stars.append(origin.module)
            else:
                module.imports[name] = origin
        return
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return
    if isinstance(statement, ast.If) and is_for_type_checkers(statement):
        for other in statement.orelse:
            _sort_in(module, other)
        return
    if isinstance(statement, ast.If) and ast.unparse(statement.test) == "__name__ == '__main__'":
        return  # nobody imports it
    names = bound_by(statement)
    if isinstance(statement, _COMPOUND):
        # What happens in a compound besides binding may change anything.
        if any(map(_is_effect, inner_statements(statement))) or not names:
            names = [*names, EFFECTS]
    elif isinstance(statement, Definition):
        if any(_registers(decorator) for decorator in statement.decorator_list):
            names = [*names, EFFECTS]
    elif not _only_binds(statement):
        names = [*names, *(_own_target(module, statement) or [EFFECTS])]
    for name in names:
        if name != "__all__":
            module.statements.setdefault(name, []).append(statement)


def _is_effect(statement: ast.stmt) -> bool:
    harmless = Definition | ast.Import | ast.ImportFrom | ast.Raise | ast.Pass | ast.If | ast.Try
    in_words = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return not (isinstance(statement, harmless) or in_words or _only_binds(statement))


def _only_binds(statement: ast.stmt) -> bool:
    """Whether a statement is an assignment to nothing but names."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    parts = [part for target in targets for part in walk(target) if isinstance(getattr(part, "ctx", None), ast.Store)]
    return all(isinstance(part, ast.Name | ast.Tuple | ast.List | ast.Starred) for part in parts)


def _registers(decorator: ast.expr) -> bool:
    """Whether a decorator may note the function somewhere: a method of something, such as `@table.register`."""
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Attribute) and (called.attr.startswith("regist") or called.attr in MUTATORS)


def _own_target(module: Module, statement: ast.stmt) -> list[str]:
    """The module's own name whose value a statement changes, if it does that and nothing else."""
    if isinstance(statement, ast.Assign):
        roots = [root_name(target) for target in statement.targets]
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        roots = [root_name(statement.target)]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = statement.value.func
        roots = [root_name(called.value) if isinstance(called, ast.Attribute) and called.attr in MUTATORS else None]
    else:
        return []
    return [root for root in roots if root in module.statements] if all(r in module.statements for r in roots) else []


def imported(
    statement: ast.Import | ast.ImportFrom, importer: str = "", is_package: bool = False
) -> Iterator[tuple[str, Import]]:
    """The names that an import binds, and where each comes from."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            top = alias.name.partition(".")[0]
            yield (alias.asname, Import(alias.name, None)) if alias.asname else (top, Import(top, None))
        return
    source = statement.module or ""
    if statement.level:
        above = importer.split(".")[: len(importer.split(".")) - statement.level + is_package]
        source = ".".join([*above, source] if source else above)
    for alias in statement.names:
        yield alias.asname or alias.name, Import(source, alias.name)


def is_for_type_checkers(statement: ast.If) -> bool:
    """Whether an `if` holds what only type checkers read."""
    return ast.unparse(statement.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def root_name(node: ast.AST) -> str | None:
    """`x` of `x`, `x.a[0].b` and `*x`, None of anything else."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def inner_statements(statement: ast.stmt) -> Iterator[ast.stmt]:
    """The statements within a compound, however deep, but not those of functions and classes in it."""
    for child in children(statement):
        if isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from inner_statements(child)  # type: ignore[arg-type]
        elif isinstance(child, ast.stmt):
            yield child
            if not isinstance(child, Definition):
                yield from inner_statements(child)


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# The commonest nodes, which bind nothing themselves.
_ONLY_HOLD = (ast.Attribute, ast.Constant, ast.Call, ast.Expr, ast.Assign, ast.Subscript, ast.BinOp, ast.keyword)


def bound_by(*nodes: ast.AST, imports: bool = True) -> list[str]:
    """Names that code binds in the scope it stands in, each once, in order; `imports`: those that it imports, too."""
    names: dict[str, None] = {}
    outer: set[str] = set()
    todo = list(reversed(nodes))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                names[node.id] = None
        elif isinstance(node, _ONLY_HOLD):
            todo += reversed(children(node))
        elif isinstance(node, Definition):
            names[node.name] = None
            todo += node.decorator_list
            todo += [*node.bases, *node.keywords] if isinstance(node, ast.ClassDef) else _defaults(node.args)
            continue
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update((name, None) for name, _ in imported(node) if name != "*" and imports)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            names[node.name] = None
        elif isinstance(node, ast.MatchMapping) and node.rest:
            names[node.rest] = None
        elif isinstance(node, ast.Global | ast.Nonlocal):
            outer.update(node.names)
        elif isinstance(node, ast.Lambda):
            todo += _defaults(node.args)
            continue
        elif isinstance(node, COMPREHENSIONS):
            names.update((name, None) for name in _bound_in_passing(node))
            continue
        todo += reversed(children(node))
    return [name for name in names if name not in outer]


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [default for default in (*arguments.defaults, *arguments.kw_defaults) if default]


def _bound_in_passing(comprehension: ast.AST) -> Iterator[str]:
    """Names that `:=` binds in a comprehension: they are those of the function around it, but within a `lambda`."""
    for node in children(comprehension):
        if isinstance(node, ast.NamedExpr):
            yield node.target.id
        if not isinstance(node, ast.Lambda):
            yield from _bound_in_passing(node)


def parameters_of(arguments: ast.arguments) -> list[str]:
    """Names of a function's parameters."""
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [extra for extra in (arguments.vararg, arguments.kwarg) if extra]
    return [argument.arg for argument in every]


def called_on_import(statement: ast.stmt) -> list[str]:
    """Names of functions that defining something calls: its decorators, and what an assigned value calls."""
    if isinstance(statement, Definition):
        nodes: list[ast.AST] = list(statement.decorator_list)
        called = [node.func if isinstance(node, ast.Call) else node for node in nodes]
    else:
        called = [node.func for node in walk(statement) if isinstance(node, ast.Call)]
    return [node.id for node in called if isinstance(node, ast.Name)]


def writes_outside(statement: ast.stmt) -> bool:
    """Whether a function changes what is not its own: a global name, or a part of one."""
    for function in walk(statement):
        if not isinstance(function, Function):
            continue
        own = {a.arg for a in walk(function) if isinstance(a, ast.arg)}
        own |= {n.id for n in walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for node in walk(function):
            if isinstance(node, ast.Global):
                return True
            if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
                root = root_name(node)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
                root = root_name(node.func.value)
            else:
                continue
            if root is not None and root not in own:
                return True
    return False
