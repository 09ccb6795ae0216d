"""Which functions of the package may change the objects that they are given, as far as their code says.

A function changes what it is given where it stores into a parameter (`x.a = …`, `x[0] += …`), calls a method on it
that changes its object, gives it to a function that does, or draws random numbers from it.
"""

from __future__ import annotations

import ast
import builtins
import re
from typing import cast

from trustnlp.reproduce.definitions import MUTATORS, parameters_of, root_name, words
from trustnlp.reproduce.name_lookup import CellNames
from trustnlp.reproduce.reach import Package
from trustnlp.reproduce.targets import TOP, Target, in_frame

_GENERATORS = re.compile(r"rng|generator|random|draw|source")
_STATEFUL_MAKERS = words(
    "default_rng Generator RandomState Random manual_seed mixed_generator generator iter map filter zip "
    "enumerate open reversed SeedSequence"
)
_CHANGING = words(
    "setattr delattr next shuffle heappush heappop heapify copyto put put_along_axis insort fill_diagonal"
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def stateful_source(value: ast.AST) -> bool:
    """Whether a value is something that is used up or moves on as it is used: a generator, an iterator, a file."""
    if isinstance(value, ast.GeneratorExp):
        return True
    if isinstance(value, ast.Call):
        called = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        return called in _STATEFUL_MAKERS or (any(map(stateful_source, value.args)) and called == "partial")
    return isinstance(value, ast.List | ast.Tuple | ast.Dict | ast.ListComp | ast.DictComp | ast.IfExp) and any(
        map(stateful_source, ast.iter_child_nodes(value))
    )


class Changes:
    """What calls do to what they are given, looked up by name."""

    changing = _CHANGING
    fresh = frozenset(
        name for name in vars(builtins) if name not in ("iter", "map", "filter", "zip", "vars", "dict", "list")
    )

    def __init__(self, names: CellNames) -> None:
        self.package = cast(Package, names.package)  # which the names of a notebook come from

    def changes_given(self, target: Target) -> bool:
        """Whether a function or class of the package may change an argument."""
        return _changes(self.package, target)

    @property
    def methods(self) -> dict[str, list[ast.FunctionDef]]:
        """Every method of the package's classes, by name."""
        notes = self.package.notes
        if "methods" not in notes:
            notes["methods"] = _methods(self.package)
        return cast("dict[str, list[ast.FunctionDef]]", notes["methods"])

    def method_changes_itself(self, name: str) -> bool:
        """Whether a method of this name changes its object, in any class of the package."""
        return self._any_stores(name, itself=True)

    def method_changes_given(self, name: str) -> bool:
        """Whether a method of this name changes an argument, in any class of the package."""
        return self._any_stores(name, itself=False)

    def _any_stores(self, name: str, *, itself: bool) -> bool:
        key = ("stores", name, itself)
        if key not in self.package.notes:
            own = {"self", "cls"}
            self.package.notes[key] = any(
                _stores_into(m, own if itself else set(parameters_of(m.args)) - own) for m in self.methods.get(name, [])
            )
        return bool(self.package.notes[key])


def _changes(package: Package, target: Target) -> bool:
    key = ("changes", target)
    if key not in package.notes:
        package.notes[key] = False  # while it is looked at: a call of itself changes no more than the rest of it
        module, _, name = target.what.partition(":")
        held = package.module(module)
        package.notes[key] = held is not None and any(
            _function_changes(package, module, node)
            for statement in held.statements.get(name, ())
            for node in ast.walk(statement)
            if isinstance(node, _FUNCTIONS)
        )
    return bool(package.notes[key])


def _function_changes(package: Package, module: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    given = set(parameters_of(node.args)) - {"self", "cls"}
    return _stores_into(node, given) or _hands_on(package, module, node, given)


def _hands_on(package: Package, module: str, node: ast.AST, given: set[str]) -> bool:
    """Whether a function gives one of its parameters to a function of the package that changes it."""
    for call in (part for part in ast.walk(node) if isinstance(part, ast.Call)):
        handed = {n for a in [*call.args, *(k.value for k in call.keywords)] if (n := root_name(a))}
        if handed & given and isinstance(call.func, ast.Name):
            target = package.defined(module, call.func.id)
            if target is not None and target.kind == "unit" and _changes(package, target):
                return True
    return False


def _stores_into(node: ast.AST, given: set[str]) -> bool:
    """Whether code stores into one of some names, or into what it took from one."""
    given = set(given)
    for part in ast.walk(node):  # names for what is within a parameter; in order of appearance, level by level
        if isinstance(part, ast.Assign) and root_name(part.value) in given:
            given |= {t.id for t in part.targets if isinstance(t, ast.Name)}
        elif isinstance(part, ast.For | ast.comprehension) and root_name(part.iter) in given:
            given |= {n.id for n in ast.walk(part.target) if isinstance(n, ast.Name)}
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute | ast.Subscript) and isinstance(part.ctx, ast.Store | ast.Del):
            if root_name(part) in given:
                return True
        elif isinstance(part, ast.AugAssign) and root_name(part.target) in given:
            return True
        elif isinstance(part, ast.Call):
            if isinstance(part.func, ast.Attribute) and part.func.attr in MUTATORS and root_name(part.func) in given:
                return True
            called = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
            handed = [*part.args, *(keyword.value for keyword in part.keywords)]
            if called in _CHANGING and any(root_name(value) in given for value in handed):
                return True
            if any(_GENERATORS.search(name) for name in given if name in map(root_name, [part.func, *handed])):
                return True
    return False


def _methods(package: Package) -> dict[str, list[ast.FunctionDef]]:
    found: dict[str, list[ast.FunctionDef]] = {}
    for path in sorted(package.root.rglob("*.py")):
        place = path.relative_to(package.root).with_suffix("").parts
        name = ".".join([TOP, *place]).removesuffix(".__init__")
        if in_frame(name) or "class " not in path.read_text(encoding="utf-8"):
            continue
        module = package.module(name)
        for statements in module.statements.values() if module else ():
            for node in (n for s in statements if isinstance(s, ast.ClassDef) for n in s.body):
                if isinstance(node, ast.FunctionDef):
                    found.setdefault(node.name, []).append(node)
    return found
