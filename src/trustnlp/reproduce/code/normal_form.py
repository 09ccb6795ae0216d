"""Code as text that says what it does and nothing else, the same under every version of Python.

Positions, comments, docstrings, the words of error messages and annotations that nothing reads at run time are left
out. A name that stands for a definition of the package becomes a number in a list of references, so that the text does
not change when that definition moves or is called otherwise; a name of another library becomes its full path.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Sequence
from dataclasses import replace

from trustnlp.reproduce.code.definitions import Function, bound_by, imported, is_for_type_checkers, parameters_of, words
from trustnlp.reproduce.code.messages import last_name, only_hands_over, only_logs, only_reads
from trustnlp.reproduce.code.name_lookup import ModuleNames
from trustnlp.reproduce.code.scopes import Scope, scope_of, unnamed_in
from trustnlp.reproduce.code.targets import REFUSALS, Form, Target

# Decorators that look at no annotation of what they decorate, by the last part of their name.
_BLIND_DECORATORS = words(
    "abstractmethod cache cached_property classmethod contextmanager final inference_mode jit lru_cache "
    "njit no_grad overload override property runtime_checkable setter staticmethod wraps"
)
# Bases and decorators of a class that look at the annotations of its fields only for what is a field.
_BLIND_CLASSES = words("ABC Enum Generic IntEnum Mapping Module NamedTuple Protocol Sequence StrEnum dataclass")
# What is asked of these is asked of whatever names there are: the whole file counts.
# The record's methods that keep numbers.
RECORDING = frozenset(("metric", "metrics"))
_DYNAMIC_CALLS = frozenset(("__import__", "eval", "exec", "globals", "locals", "vars"))
_DYNAMIC_PARTS = frozenset(("__globals__", "f_globals", "f_locals"))
_OF_THE_FILE = frozenset(("__doc__", "__file__", "__name__", "__package__", "__path__", "__spec__"))
_ERRORS = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
)
_AT_LEVEL = "at_level"  # of trustnlp.data.logger_levels
_SKIPPED = frozenset(("ctx", "kind", "lineno", "type_comment", "type_ignores"))


def form_of(
    statements: Sequence[ast.stmt], names: ModuleNames, *, own: str = "", docstrings: bool = False, flat: bool = False
) -> Form:
    """The normal form of what binds one name, `own`; with `flat`, of statements whose names are their own."""
    writer = _Writer(names, own, docstrings)
    if flat:
        writer.scopes.append(scope_of(statements, ()))
    text = "".join(writer.written(statement) for statement in statements)
    return Form(text, tuple(writer.references), frozenset(writer.strings), writer.dynamic)


class _Writer:
    """Writes code and collects what it refers to."""

    def __init__(self, names: ModuleNames, own: str, docstrings: bool) -> None:
        self.names, self.own, self.docstrings = names, own, docstrings
        self.scopes: list[Scope] = []
        self.references: dict[Target, int] = {}
        self.strings: set[str] = set()
        self.dynamic = False
        self.in_message = False
        self.in_annotation = self.blind = False
        self.caught = 0  # of how many statements that may catch an error this is a part

    # Names ---------------------------------------------------------------------------------------------------------

    def binder(self, name: str) -> tuple[int, Scope] | None:
        """The innermost scope that binds a name where it is read, with its depth: that of a class only in its body."""
        for depth, scope in reversed(list(enumerate(self.scopes))):
            if name in scope.names and not (scope.is_class and scope is not self.scopes[-1]):
                return depth, scope
        return None

    def looked_up(self, name: str) -> Target | None:
        """The definition that a name stands for; None for a variable or a name of Python's own."""
        bound = self.binder(name)
        if bound is None:
            return self.names.of_global(name)
        imports = bound[1].imports
        return self.names.of_import(imports[name]) if name in imports else None

    def is_local(self, name: str) -> bool:
        return self.binder(name) is not None

    def referred(self, target: Target) -> str:
        if target.kind in ("unit", "module", "data"):
            return f"@{self.references.setdefault(target, len(self.references))}"
        return f"{target.kind}:{target.what}"

    def path(self, node: ast.expr) -> tuple[str, str] | None:
        """A dotted name that begins with something imported or defined: what it refers to, and the rest of it."""
        rest: list[str] = []
        while isinstance(node, ast.Attribute):
            rest.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        target = self.looked_up(node.id)
        if target is None:
            return None
        while target.kind == "module" and rest:
            if rest[-1] in _OF_THE_FILE:
                return "module's", ".".join(reversed(rest))
            target = self.names.of_attribute(target.what, rest.pop())
        # A class in an annotation that nobody looks at has no effect, whichever it is; an alias may stand for more.
        unread = self.in_annotation and self.blind and target.kind == "unit" and self.names.is_class(target.what)
        return "a class" if unread else self.referred(target), ".".join(reversed(rest))

    # Nodes ---------------------------------------------------------------------------------------------------------

    def written(self, node: ast.AST | None) -> str:
        if node is None:
            return "-"
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        return method(node) if method else self.plain(node)

    def plain(self, node: ast.AST, *, without: Iterable[str] = ()) -> str:
        """A node with all that it holds, but fields that are empty or say nothing."""
        parts = [type(node).__name__]
        for name in node._fields:
            value = getattr(node, name, None)
            if value is None or value == [] or name in _SKIPPED or name in without:
                continue
            if isinstance(value, list):
                value = "[" + ",".join(self.written(i) if not isinstance(i, str) else i for i in value) + "]"
            elif isinstance(value, ast.AST):
                value = self.written(value)
            parts.append(f"{name}={value}")
        return f"({' '.join(parts)})"

    def block(self, body: Sequence[ast.stmt]) -> str:
        return "".join(map(self.written, body))

    def _expr(self, node: ast.Expr) -> str:
        # A docstring, or words in the place of a comment.
        if isinstance(node.value, ast.Constant) and not self.docstrings:
            return ""
        logs = only_logs(node.value, lambda name: not self.is_local(name) and self.names.is_logger(name))
        return "" if logs or self.only_refuses(node.value) else self.plain(node)

    def only_refuses(self, node: ast.expr) -> bool:
        """Whether a call can do nothing but raise (`REFUSALS`), what nobody around it catches, of what it is handed."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or self.caught:
            return False
        target = self.looked_up(node.func.id)
        read = all(map(only_hands_over, [*node.args, *(keyword.value for keyword in node.keywords)]))
        return read and target is not None and target.kind == "unit" and target.what in REFUSALS

    def _with(self, node: ast.With) -> str:
        quiet = [
            isinstance(item.context_expr, ast.Call)
            and item.optional_vars is None
            and self.path(item.context_expr.func) == (f"frame:{_AT_LEVEL}", "")
            for item in node.items
        ]
        return self.block(node.body) if all(quiet) else self.catching(node)

    def catching(self, node: ast.AST) -> str:
        """A statement that may catch an error: whether a check is called in it may decide what it does."""
        self.caught += 1
        text = self.plain(node)
        self.caught -= 1
        return text

    _try = _trystar = catching

    def _pass(self, node: ast.Pass) -> str:
        return ""

    def _if(self, node: ast.If) -> str:
        return self.block(node.orelse) if is_for_type_checkers(node) else self.plain(node)

    def _name(self, node: ast.Name) -> str:
        if not isinstance(node.ctx, ast.Load) and not self.scopes:
            return "self" if node.id == self.own else "other"
        path = self.path(node)
        if path:
            return path[0]
        if not self.is_local(node.id):
            # By another name it is called as well.
            self.dynamic |= node.id in _DYNAMIC_CALLS - {"vars"}
            if node.id in ("__file__", "__package__", "__spec__"):
                self.strings.add(node.id)
            if node.id in ("__file__", "__name__", "__package__", "__spec__"):
                return "module's name"
        elif isinstance(node.ctx, ast.Load) and self.scopes[-1].is_class and node.id in self.scopes[-1].names:
            # Until the body of a class binds it, a name is that of the module.
            target = self.names.of_global(node.id)
            return f"({self.variable(node.id)} or {self.referred(target)})" if target else self.variable(node.id)
        return self.variable(node.id)

    def variable(self, name: str) -> str:
        """A variable of a function by its number: another name for it changes nothing."""
        bound = self.binder(name)
        if bound is None or name not in bound[1].unnamed:
            return f"'{name}'"
        return f"'{bound[0]}.{bound[1].number(name)}'"

    def _attribute(self, node: ast.Attribute) -> str:
        path = self.path(node)
        self.dynamic |= node.attr in _DYNAMIC_PARTS or (path or ("",))[0] == "external:sys.modules"
        self.dynamic |= node.attr == "modules" and path == ("external:sys", "modules")
        if path:
            return f"{path[0]}.{path[1]}" if path[1] else path[0]
        return f"{self.written(node.value)}.{node.attr}"

    def _constant(self, node: ast.Constant) -> str:
        if isinstance(node.value, str):
            if self.in_message:
                return "words"
            if self.in_annotation:
                try:
                    return self.written(ast.parse(node.value, mode="eval").body)
                except SyntaxError:
                    return repr(node.value)
            self.strings.add(node.value)
            target = self.names.of_text(node.value)
            if target is not None:
                return f"text of {self.referred(target)}"
        return f"{type(node.value).__name__} {node.value!r}"

    def _joinedstr(self, node: ast.JoinedStr) -> str:
        parts: list[str] = []
        words = ""
        for value in [*node.values, None]:
            if isinstance(value, ast.Constant):
                words += str(value.value)
                continue
            if words and not self.in_message:
                self.strings.add(words)
                parts.append(repr(words))
            words = ""
            if value is not None and not (self.in_message and only_reads(value)):
                parts.append(self.written(value))
        return f"(f {' '.join(parts)})"

    def _call(self, node: ast.Call) -> str:
        called = self.path(node.func)
        if called and called[0] == "frame:results_of":
            # Where trainings are kept changes none of their numbers: the folder says which code made them.
            return "(kept)"
        name = node.func.id if isinstance(node.func, ast.Name) and not called else ""
        last = name or (node.func.attr if isinstance(node.func, ast.Attribute) else "")
        if (name in _DYNAMIC_CALLS and not self.is_local(name) and not (name == "vars" and node.args)) or (
            last in ("import_module", "__import__") and not all(isinstance(a, ast.Constant) for a in node.args)
        ):
            self.dynamic = True
        if last in RECORDING:
            # The unit is a word for a number: records keep theirs, and `trustnlp records units` says them anew.
            node = ast.Call(node.func, node.args, [keyword for keyword in node.keywords if keyword.arg != "unit"])
        return self.plain(node)

    def _global(self, node: ast.Global) -> str:
        targets = [self.names.of_global(name) for name in node.names]
        return f"(Global {' '.join(self.referred(target) if target else 'other' for target in targets)})"

    def _raise(self, node: ast.Raise) -> str:
        self.in_message = True
        text = self.plain(node)
        self.in_message = False
        return text

    def _assert(self, node: ast.Assert) -> str:
        return f"(Assert {self.written(node.test)})"

    def _import(self, node: ast.Import | ast.ImportFrom) -> str:
        parts = []
        for name, origin in imported(node):
            target = self.names.of_import(origin) if name != "*" else Target("external", f"{origin.module}.*")
            # A module that is only on the way to a name counts by that name.
            parts.append("import" if target.kind in ("module", "frame") else self.referred(target))
            if self.scopes and name not in self.scopes[-1].imports:  # bound to something else as well
                parts.append(f"{self.referred(target)} as {name}")
        return f"(import {' '.join(parts)})"

    _importfrom = _import

    # Scopes --------------------------------------------------------------------------------------------------------

    def _functiondef(self, node: Function) -> str:
        name = self.defined(node.name)
        decorators = "".join(map(self.written, node.decorator_list))
        blind = all(last_name(decorator) in _BLIND_DECORATORS for decorator in node.decorator_list)
        arguments = self.arguments(node.args, annotated=not blind)
        returns = "" if blind or node.returns is None else self.annotation(node.returns, blind=False)
        self.scopes.append(self.scope(node))
        body = self.block(node.body)
        self.scopes.pop()
        return f"({type(node).__name__} {name} {decorators} {arguments} {returns} {body})"

    _asyncfunctiondef = _functiondef

    def _lambda(self, node: ast.Lambda) -> str:
        arguments = self.arguments(node.args, annotated=False)
        self.scopes.append(self.scope(node))
        body = self.written(node.body)
        self.scopes.pop()
        return f"(Lambda {arguments} {body})"

    def scope(self, node: Function | ast.Lambda) -> Scope:
        parameters = parameters_of(node.args)
        body = node.body if isinstance(node.body, list) else [node.body]
        return replace(scope_of(body, parameters), unnamed=unnamed_in(node, parameters))

    def arguments(self, node: ast.arguments, *, annotated: bool) -> str:
        """Names, kinds and defaults of parameters."""
        parts = []
        for kind in ("posonlyargs", "args", "vararg", "kwonlyargs", "kwarg"):
            held = getattr(node, kind)
            for argument in held if isinstance(held, list) else [held] if held else []:
                annotation = self.annotation(argument.annotation, blind=False) if annotated else ""
                parts.append(f"{kind}:{argument.arg}{annotation}")
        defaults = [self.written(value) for value in [*node.defaults, *node.kw_defaults]]
        return f"[{' '.join(parts)}|{len(node.defaults)}|{' '.join(defaults)}]"

    def annotation(self, node: ast.expr | None, *, blind: bool) -> str:
        if node is None:
            return ""
        before = self.in_annotation, self.blind
        self.in_annotation, self.blind = True, blind
        text = f":{self.written(node)}"
        self.in_annotation, self.blind = before
        return text

    def _classdef(self, node: ast.ClassDef) -> str:
        name = self.defined(node.name)
        outside = [self.written(part) for part in (*node.decorator_list, *node.bases, *node.keywords)]
        self.scopes.append(scope_of(node.body, (), is_class=True))
        blind = all(last_name(part) in _BLIND_CLASSES | _ERRORS for part in (*node.decorator_list, *node.bases))
        body = []
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign):
                value = self.written(statement.value)
                annotation = self.annotation(statement.annotation, blind=blind)
                target = statement.target
                field = target.id if isinstance(target, ast.Name) else self.written(target)
                body.append(f"(field {field}{annotation} {value})")
            else:
                body.append(self.written(statement))
        self.scopes.pop()
        return f"(ClassDef {name} {' '.join(outside)} {' '.join(body)})"

    def defined(self, name: str) -> str:
        return "self" if name == self.own and not self.scopes else name

    def _annassign(self, node: ast.AnnAssign) -> str:
        # As without its annotation, which nobody reads of a variable.
        value = "" if node.value is None else f" value={self.written(node.value)}"
        return f"(Assign targets=[{self.written(node.target)}]{value})"

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> str:
        first, *others = node.generators
        outermost = self.written(first.iter)  # looked up outside, as Python does
        names = frozenset(bound_by(*(generator.target for generator in node.generators)))
        self.scopes.append(Scope(names, unnamed=unnamed_in(node)))
        told = [self.written(first.target), *map(self.written, first.ifs), *map(self.written, others)]
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        told += map(self.written, parts)
        self.scopes.pop()
        return f"({type(node).__name__} {outermost} {first.is_async} {' '.join(told)})"

    _listcomp = _setcomp = _dictcomp = _generatorexp = comprehension
