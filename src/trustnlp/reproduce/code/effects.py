"""Side effects of code besides the names it binds, as far as its text says; what is unknown may change anything.

An expression is *pure* where all that it calls is: named in `pure_names.py`, of `plots` or the frame, or a function of
the package whose own body is. A method of an unknown name, a computed call, `getattr`, an iterator that is read: any of
these may change anything. What is left is a change of an object that a variable alone holds (`rows = []`,
`rows.append(x)`); it concerns whoever needs that variable.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import cast

from trustnlp.reproduce.code.bound_values import IMPORTED, Bound, bindings_of, nodes_of
from trustnlp.reproduce.code.definitions import Function, children, parameters_of, root_name, walk, words
from trustnlp.reproduce.code.name_lookup import ModuleNames
from trustnlp.reproduce.code.pure_names import (
    BUILTINS,
    CALLING,
    DRAWING,
    FUNCTIONS,
    LAZY,
    METHODS,
    NEW,
    OWN_CHANGES,
    writes,
)
from trustnlp.reproduce.code.reach import Package
from trustnlp.reproduce.code.targets import TOP, Target, in_frame

ANYTHING = "*"
_LITERALS = (ast.Constant, ast.JoinedStr, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp)
_MAY_HOLD_CODE = (ast.Lambda, ast.Name, ast.Attribute, ast.Subscript, ast.IfExp, ast.List, ast.Tuple, ast.Dict)
_UNKNOWN = (ast.Global, ast.Nonlocal, ast.Await, ast.AsyncFor, ast.AsyncWith)
_ITERATORS = re.compile(r"\b(Iterator|Iterable|Generator|IO|TextIO|BinaryIO)\b")
# What a run loaded (`uses`) is held against today's files by their hashes, so the call is no part of the code;
# the others are functions of the frame that only read a record.
SHOWING = words("show table plot")
_OF_RECORD = SHOWING | words("save uses uses_encoder evidence evidence_arrays frame")
_RECORD = Target("frame", "Record")
_BASES = words("ABC Enum Exception Generic IntEnum NamedTuple Protocol StrEnum ValueError object")
_PROPERTIES = words("cached_property property")
_DECORATORS = _PROPERTIES | words(
    "abstractmethod cache classmethod contextmanager dataclass final lru_cache staticmethod"
)
_MAKERS = words("__init__ __new__ __post_init__")


class Scope:
    """The variables of a function, or of a notebook, and what its statements may change."""

    def __init__(
        self, names: ModuleNames, body: Iterable[ast.AST], parameters: Iterable[str] = (), outer: Scope | None = None
    ) -> None:
        self.names, self.package, self.outer = names, cast(Package, names.package), outer
        imports = getattr(names, "imports", {})
        nodes = list(nodes_of(body, deep=True))
        self.functions = {node.name: node for node in nodes if isinstance(node, Function)}
        self.bindings: dict[str, list[Bound]] = {name: [Bound(None)] for name in parameters}
        for name, bound in (found for node in nodes for found in bindings_of(node)):
            if bound is not IMPORTED or name not in imports:
                self.bindings.setdefault(name, []).append(bound)
        # What is only put into something binds no name.
        self.bindings = {n: held for n, held in self.bindings.items() if any(b.kind != "added" for b in held)}
        for name in self.bindings.keys() & imports.keys():
            self.bindings[name].append(IMPORTED)
        self._read_already: dict[str, set[str]] = {}
        self.lazy: set[str] = set()
        while more := {n for n, held in self.bindings.items() if any(map(self._is_lazy, held))} - self.lazy:
            self.lazy |= more
        self._read_already = {}  # now that it is known what is lazy

    # Facts about variables -----------------------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        """Whether a name is a variable, here or of the scope around."""
        return name in self.bindings or (self.outer is not None and self.outer.has(name))

    def owns(self, name: str) -> bool:
        """Whether a variable is bound to nothing but what is made there and then, or to a figure."""
        held = [bound for bound in self.bindings.get(name, ()) if bound.kind in ("whole", "part")]
        return bool(held) and (self._draws(name) or all(map(self._is_new, held)))

    def _is_new(self, bound: Bound) -> bool:
        value = bound.value
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            return bound.kind == "whole" and value.func.id in NEW and not self.has(value.func.id)
        return bound.kind == "whole" and isinstance(value, _LITERALS)

    def _draws(self, name: str, above: frozenset[str] = frozenset()) -> bool:
        """Whether a variable is only bound to what a library that draws gives, or what is asked of that."""
        held = [bound.value for bound in self.bindings.get(name, ())]
        return bool(held) and name not in above and all(self._is_drawn(value, above | {name}) for value in held)

    def _is_drawn(self, value: ast.expr | None, above: frozenset[str] = frozenset()) -> bool:
        while isinstance(value, ast.Attribute | ast.Subscript | ast.Call):
            target = self.target(value.func) if isinstance(value, ast.Call) else None
            if target is not None:
                return target.what.startswith(DRAWING)
            value = value.func if isinstance(value, ast.Call) else value.value
        return isinstance(value, ast.Name) and self._draws(value.id, above)

    def _is_lazy(self, bound: Bound) -> bool:
        """Whether what is bound may be, or hold, what is used up as it is read: an iterator, a generator, a file."""
        value, part = bound.value, bound.kind == "part"
        if isinstance(value, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            parts = [value.key, value.value] if isinstance(value, ast.DictComp) else [value.elt]
            return (isinstance(value, ast.GeneratorExp) and not part) or any(self._is_lazy(Bound(v)) for v in parts)
        if isinstance(value, ast.Call):
            return self._gives_lazy(value, part)
        if isinstance(value, ast.Name):
            return value.id in self.lazy
        if value is None or isinstance(value, ast.Constant | ast.JoinedStr | ast.Compare | ast.Lambda):
            return False  # also a parameter: whoever gives an iterator to a function changes it
        return any(self._is_lazy(Bound(c, bound.kind)) for c in children(value) if isinstance(c, ast.expr))

    def _gives_lazy(self, call: ast.Call, part: bool) -> bool:
        target, name = self.target(call.func), _last(call.func)
        if any(isinstance(node, ast.Name) and node.id in self.lazy for node in walk(call)):
            return True
        functions = [self.functions[name]] if target is None and name in self.functions else []
        if target is not None and target.kind != "external":
            kept = target.kind == "unit" and any(self._is_lazy(Bound(a)) for a in [*call.args, *_values(call)])
            return kept or any(map(_gives_iterator, self._definition(target)))
        if target is None and name not in METHODS:
            functions += [method for _, method in self.methods.get(name, ())]
        if functions:
            return any(map(_gives_iterator, functions))
        unknown = ANYTHING in self._runs(call.func, len(call.args)) and not self._is_drawn(call)
        return unknown or (name in LAZY and not part)

    # What code changes ---------------------------------------------------------------------------------------------

    def changed(self, *code: ast.AST) -> set[str]:
        """The variables whose own objects code may change; `ANYTHING` for what else it may do."""
        names: set[str] = set()
        for node in nodes_of(code):
            if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
                names.add(_holder(node.value))
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                names.add(node.target.id)
            elif isinstance(node, ast.Name | ast.Attribute):
                names |= self._named(node)
            elif isinstance(node, ast.Call):
                names |= self._called(node)
            elif isinstance(node, _UNKNOWN) or not _is_plainly_made(node):
                names.add(ANYTHING)
        return {name if self.owns(name) else ANYTHING for name in names}

    def _named(self, node: ast.Name | ast.Attribute) -> set[str]:
        """The effects of naming something: a function that is named counts as called, whoever gets it."""
        target = self.target(node)
        if target is not None:
            is_code = any(isinstance(s, Function | ast.ClassDef) for s in self._definition(target))
            return {ANYTHING} if is_code and not self._is_pure(target, 0) else set()
        if isinstance(node, ast.Name):
            return self._read(node.id) if isinstance(node.ctx, ast.Load) else set()
        if node.attr in OWN_CHANGES:
            return {_holder(node.value)}
        computed = [
            (m, f) for m, f in self.methods.get(node.attr, ()) if _PROPERTIES & set(map(_last, f.decorator_list))
        ]
        return set() if all(self._function_is_pure(*method) for method in computed) else {ANYTHING}

    def _read(self, name: str) -> set[str]:
        """The effects of reading a variable: an iterator moves on, a function or a method may be called."""
        if name not in self.bindings:
            return {ANYTHING} if self.outer is not None and self.outer._read(name) else set()
        if name in self.lazy or name in self.functions:
            return {ANYTHING} if name in self.lazy else self._runs(ast.Name(name, ast.Load()), 0)
        if name not in self._read_already:
            self._read_already[name] = set()
            held = [bound.value for bound in self.bindings[name] if isinstance(bound.value, _MAY_HOLD_CODE)]
            self._read_already[name] = self.changed(*filter(None, held))
        return self._read_already[name]

    def _called(self, call: ast.Call) -> set[str]:
        target, names = self.target(call.func), self._runs(call.func, len(call.args))
        handed = [keyword.value for keyword in call.keywords if keyword.arg == "key"]
        for function in [*handed, *(call.args[:1] if _last(call.func) in CALLING else ())]:
            names |= self._runs_given(function)
        if target is not None and _is_of_frame(target):
            records = target.what not in _OF_RECORD and any(map(self._may_be_record, [*call.args, *_values(call)]))
            return names | ({ANYTHING} if records else set())
        # What `**` holds cannot be told.
        hides = (target is None or target.kind == "external") and any(keyword.arg is None for keyword in call.keywords)
        return names | ({ANYTHING} if writes(call) or hides else set())

    def _runs_given(self, node: ast.expr) -> set[str]:
        """The effects of calling what was handed over to be called."""
        if isinstance(node, ast.Constant | ast.Lambda):
            # What a lambda does is seen with the rest of the code.
            return {ANYTHING} if isinstance(node, ast.Constant) and node.value in OWN_CHANGES else set()
        if isinstance(node, ast.Dict | ast.List | ast.Tuple):
            return set().union(*map(self._runs_given, node.values if isinstance(node, ast.Dict) else node.elts))
        return self._runs(node, 0)

    def _runs(self, function: ast.expr, arguments: int) -> set[str]:
        """The effects of calling something."""
        target = self.target(function)
        if target is not None:
            return set() if self._is_pure(target, arguments) else {ANYTHING}
        if isinstance(function, ast.Name):
            own = self.functions.get(function.id)
            if own is not None and len(self.bindings[function.id]) == 1:
                return set() if self._function_is_pure(self, own) else {ANYTHING}
            return set() if function.id in BUILTINS and not self.has(function.id) else {ANYTHING}
        if not isinstance(function, ast.Attribute):
            return {ANYTHING}
        name, of = function.attr, function.value
        if name in _OF_RECORD and self._is_record(of):
            return set()
        if self._is_drawn(of):
            return set(filter(None, [root_name(of)]))
        if name in OWN_CHANGES and root_name(of) != "self":
            return {_holder(of)}
        methods = self.methods.get(name, ())
        known = bool(methods) or arguments <= METHODS.get(name, -1)
        return set() if known and all(self._function_is_pure(*method) for method in methods) else {ANYTHING}

    def only_shows(self, statement: ast.AST) -> bool:
        """Whether a statement is a call such as `record.show(…)`: what it shows was made of evidence, for a reader."""
        call = statement.value if isinstance(statement, ast.Expr) else None
        function = call.func if isinstance(call, ast.Call) else None
        return isinstance(function, ast.Attribute) and function.attr in SHOWING and self._is_record(function.value)

    def _is_record(self, node: ast.expr) -> bool:
        held = self.bindings.get(node.id, ()) if isinstance(node, ast.Name) else ()
        if not held and self.outer is not None and isinstance(node, ast.Name):
            return self.outer._is_record(node)
        return bool(held) and all(isinstance(b.value, ast.Call) and self.target(b.value.func) == _RECORD for b in held)

    def _may_be_record(self, node: ast.expr) -> bool:
        return self._is_record(node) or (isinstance(node, ast.Name) and node.id == "record")

    def target(self, node: ast.expr) -> Target | None:
        """The definition under a dotted name; None for a variable, a name of Python's own, and what is computed."""
        rest: list[str] = []
        while isinstance(node, ast.Attribute):
            rest.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or self.has(node.id):
            return None
        found = self.names.of_global(node.id)
        while found is not None and found.kind == "module" and rest:
            found = self.names.of_attribute(found.what, rest.pop())
        return found and Target(found.kind, ".".join([found.what, *reversed(rest)]))

    # The package's functions ---------------------------------------------------------------------------------------

    def _is_pure(self, target: Target, arguments: int) -> bool:
        if target.kind == "external":
            return target.what.startswith(DRAWING) or arguments <= FUNCTIONS.get(target.what, -1)
        module = target.what.partition(":")[0]
        statements = self._definition(target)
        return _is_of_frame(target) or (bool(statements) and all(
            self._class_is_pure(module, s) if isinstance(s, ast.ClassDef)
            else isinstance(s, Function) and self._function_is_pure(module, s)
            for s in statements
        ))  # fmt: skip

    def _definition(self, target: Target) -> list[ast.stmt]:
        """The statements that define something of the package, or a method of one of its classes."""
        module, _, name = target.what.partition(":")
        name, _, method = name.partition(".")
        held = self.package.module(module) if target.kind == "unit" else None
        statements = held.statements.get(name, []) if held else []
        if not method:
            return statements
        return [m for s in statements for m in getattr(s, "body", []) if getattr(m, "name", "") == method]

    def _class_is_pure(self, module: str, node: ast.ClassDef) -> bool:
        """Whether making one of a class changes nothing but the one that is made."""
        makers = [m for m in node.body if isinstance(m, Function) and m.name in _MAKERS]
        return _is_plainly_made(node) and all(self._function_is_pure(module, maker) for maker in makers)

    def _function_is_pure(self, where: str | Scope, node: Function) -> bool:
        """Whether a call of a function, of a module or a scope, changes nothing; not if it may call itself."""
        notes = self.package.notes
        if ("pure", node) not in notes:
            notes["pure", node] = False
            names, outer = (ModuleNames(self.package, where), None) if isinstance(where, str) else (where.names, where)
            scope = Scope(names, node.body, parameters_of(node.args), outer)
            if node.name in _MAKERS:
                scope.bindings["self"] = [Bound(ast.Dict([], []))]  # it is new, and nobody else has it
            notes["pure", node] = _is_plainly_made(node) and ANYTHING not in scope.changed(*node.body)
        return bool(notes["pure", node])

    @property
    def methods(self) -> dict[str, list[tuple[str, Function]]]:
        """Every method of the package's classes by name, each with its module."""
        notes = self.package.notes
        if "methods" not in notes:
            notes["methods"] = _methods(self.package)
        return cast("dict[str, list[tuple[str, Function]]]", notes["methods"])


def _holder(node: ast.expr) -> str:
    """The variable whose own object something is; what lies deeper may belong to anything."""
    return node.id if isinstance(node, ast.Name) else ANYTHING


def _is_of_frame(target: Target) -> bool:
    return target.kind == "frame" and target.what.partition(".")[0] != _RECORD.what


def _last(node: ast.expr) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _values(call: ast.Call) -> list[ast.expr]:
    return [keyword.value for keyword in call.keywords]


def _is_plainly_made(node: ast.AST) -> bool:
    """Whether defining a function or class does no more than that."""
    if not isinstance(node, Function | ast.ClassDef):
        return True
    bases = {_last(base) for base in node.bases} if isinstance(node, ast.ClassDef) else set()
    return set(map(_last, node.decorator_list)) <= _DECORATORS and bases <= _BASES and not getattr(node, "keywords", ())


def _gives_iterator(node: ast.AST) -> bool:
    """Whether a function, or a class, gives something that is used up as it is read, as far as it says."""
    if isinstance(node, ast.ClassDef):
        return any(isinstance(m, Function) and m.name == "__next__" for m in node.body)
    if not isinstance(node, Function):
        return True
    says_so = node.returns is not None and _ITERATORS.search(ast.unparse(node.returns))
    return bool(says_so) or any(isinstance(part, ast.Yield | ast.YieldFrom) for part in nodes_of(node.body))


def _methods(package: Package) -> dict[str, list[tuple[str, Function]]]:
    methods: dict[str, list[tuple[str, Function]]] = {}
    for path in sorted(package.root.rglob("*.py")):
        name = ".".join([TOP, *path.relative_to(package.root).with_suffix("").parts]).removesuffix(".__init__")
        module = None if in_frame(name) else package.module(name)
        for statements in module.statements.values() if module else ():
            for node in (n for s in statements if isinstance(s, ast.ClassDef) for n in s.body):
                if isinstance(node, Function):
                    methods.setdefault(node.name, []).append((name, node))
    return methods
