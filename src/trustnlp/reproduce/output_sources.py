"""Where each output of a notebook comes from: the committed record, this run, or a lesson's planted world.

Nobody says it of an output: it follows from the code. Names are followed through the cells in their order. What
`evidence(record)` and `evidence_arrays(record)` give is of the record (where there is one), and so is what is computed
from that, from literals and parameters, and from the paper's printed numbers, by whatever function. Everything else is
of the run: what a function of the package gives that was handed nothing of the record, and what both had a part in.
An output is called *record* only if that is proven so.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Any

from trustnlp.reproduce.colab import module_file

RECORD, RUN, LESSON = "record", "run", "lesson"
PRINT = "print"
# What an executed notebook shows and a page does not: `metadata.trustnlp.only` of such an output.
EXECUTED = "executed notebook"
Source = dict[str, str]
# The notebooks that teach on a world whose truth is planted.
LESSONS = frozenset({"method"})

_PACKAGE = Path(__file__).parents[1]
_EVIDENCE = "trustnlp.reproduce.page_evidence."
_RECORD_CLASS = ("trustnlp.reproduce.Record", "trustnlp.reproduce.records.Record")
_SILENT_METHODS = frozenset({"metric", "array", "deviation", "condition", "uses", "uses_encoder"})
# What the paper prints is no result of any run: the ledger, and what else a chapter's folder holds.
_PRINTED = (
    "trustnlp.reproduce.claims.",
    "trustnlp.reproduce.ledger_tables.",
    "trustnlp.reproduce.project.chapter_dir",
)
# Libraries whose functions know nothing but what they are given; those below them read files, clocks or chance.
_PURE = frozenset(
    {"numpy", "pandas", "math", "itertools", "functools", "collections", "operator", "statistics", "string", "re"}
    | {"textwrap", "html", "yaml", "matplotlib", "seaborn", "IPython", "networkx"}
)
_IMPURE = ("numpy.random", "numpy.load", "numpy.from", "numpy.gen", "pandas.read_")
_PLOTS = "trustnlp.plots."
_IMPURE_BUILTINS = frozenset(
    {"open", "input", "vars", "globals", "locals", "eval", "exec", "__import__", "compile", "id"}
)


class _Of(IntEnum):
    """What a value rests on; of two, the larger one."""

    NEUTRAL = 0  # literals, parameters
    PRINTED = 1  # what the paper prints, and what follows from it
    RECORD = 2
    RUN = 3


@dataclass(frozen=True)
class CellSource:
    """Source of a code cell's result (the value of its last line), and of all else that it displays or prints."""

    result: Source
    shown: Source


def mark_outputs(notebook: Any, *, committed: bool, lesson: bool) -> None:
    """Write into each output of an executed notebook where it comes from, as `metadata.trustnlp.source`.

    An output of the run that rests on nothing but what the paper prints says so, too (`metadata.trustnlp.of`). Printed
    text has no metadata of its own: its source stands in the cell's. An output that says where it comes from keeps its
    word.

    Parameters
    ----------
    notebook
        As nbformat reads it; changed in place.
    committed
        Whether `evidence(record)` gave the committed record to this run.
    lesson
        Whether what this run computed is a lesson's.
    """
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    found = cell_sources(["".join(cell["source"]) for cell in cells], committed=committed, lesson=lesson)
    for cell, source in zip(cells, found, strict=True):
        for output in cell.get("outputs", []):
            own = source.result if output["output_type"] == "execute_result" else source.shown
            said = _marked(cell, output).setdefault("metadata", {}).setdefault("trustnlp", {})
            if "source" not in said:
                said |= own


def source_of(cell: Mapping[str, Any], output: Mapping[str, Any]) -> Source:
    """What `mark_outputs` wrote of an output; empty where nobody marked it."""
    said = _marked(cell, output).get("metadata", {}).get("trustnlp", {})
    return {name: said[name] for name in ("source", "of") if name in said}


def _marked(cell: Any, output: Any) -> Any:
    """Whose metadata holds an output's source."""
    return output if output["output_type"] in ("display_data", "execute_result") else cell


def cell_sources(cells: Iterable[str], *, committed: bool, lesson: bool) -> list[CellSource]:
    """Sources of the outputs of code cells, in their order.

    >>> code = ["from trustnlp.reproduce.page_evidence import evidence", "n = evidence(record)", "n", "n, measured()"]
    >>> [cell.result["source"] for cell in cell_sources(code, committed=True, lesson=False)]
    ['run', 'run', 'record', 'run']
    """
    flow = _Flow(_Of.RECORD if committed else _Of.RUN)
    run: Source = {"source": LESSON if lesson else RUN}
    said = {_Of.RECORD: {"source": RECORD}, _Of.PRINTED: {**run, "of": PRINT}}
    found = [flow.cell(code) for code in cells]
    return [CellSource(said.get(result, run), said.get(shown, run)) for result, shown in found]


@dataclass
class _Flow:
    """What the names of a notebook rest on, cell after cell."""

    evidence: _Of
    env: dict[str, _Of] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    literal: set[str] = field(default_factory=set)
    records: set[str] = field(default_factory=set)
    parts: dict[str, str] = field(default_factory=dict)
    inside: tuple[str, ...] = ()

    def cell(self, code: str) -> tuple[_Of, _Of]:
        """What the value of the last line rests on, and what all that is displayed on the way does."""
        try:
            body = ast.parse(code).body
        except SyntaxError:  # a magic: it may have done anything to anything
            self.env = dict.fromkeys(self.env, _Of.RUN)
            return _Of.RUN, _Of.RUN
        shown = self.block(body)
        last = body[-1] if body else None
        return (self.value(last.value) if isinstance(last, ast.Expr) else _Of.NEUTRAL), shown

    def block(self, body: Sequence[ast.stmt], within: _Of = _Of.NEUTRAL) -> _Of:
        return max((self.statement(line, within) for line in body), default=_Of.NEUTRAL)

    def statement(self, line: ast.stmt, within: _Of) -> _Of:
        """Follow one statement; what it may display rests on the answer. `within`: what decides whether it is run."""
        match line:
            case ast.Import() | ast.ImportFrom():
                self._imports(line)
            case ast.FunctionDef():
                self.functions[line.name] = line
                self.env.pop(line.name, None)
            case ast.ClassDef():
                self.env[line.name] = _Of.RUN
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(target, value, within)
                return self._displayed(value, within)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                self._assign(target, value, within)
                return self._displayed(value, within)
            case ast.AugAssign(target=target, value=value):
                self._join(target, max(self.value(value), within))
                return self._displayed(value, within)
            case ast.Expr(value=value):
                self._mutated(value)
                return self._displayed(value, within)
            case ast.For(target=target, iter=source, body=body, orelse=other):
                label = max(self.value(source), within)
                for _ in range(2):  # what the first round leaves reaches the second
                    self._bind(target, label)
                    shown = self.block([*body, *other], label)
                return max(shown, self._displayed(source, within))
            case ast.While(test=test, body=body, orelse=other):
                for _ in range(2):
                    shown = self.block([*body, *other], max(self.value(test), within))
                return shown
            case ast.If(test=test, body=body, orelse=other):
                return self.block([*body, *other], max(self.value(test), within))
            case ast.With(items=items, body=body):
                for item in items:
                    if item.optional_vars is not None:
                        self._bind(item.optional_vars, self.value(item.context_expr))
                shown = max((self._displayed(item.context_expr, within) for item in items), default=_Of.NEUTRAL)
                return max(shown, self.block(body, within))
            case ast.Try(body=body, handlers=handlers, orelse=other, finalbody=final):
                return self.block([*body, *(s for h in handlers for s in h.body), *other, *final], within)
            case ast.Assert(test=test):
                return self._displayed(test, within)
            case ast.Pass() | ast.Delete() | ast.Global() | ast.Raise():
                pass
            case _:
                return _Of.RUN
        return _Of.NEUTRAL

    def _imports(self, line: ast.Import | ast.ImportFrom) -> None:
        for name in line.names:
            bound = name.asname or name.name.partition(".")[0]
            if isinstance(line, ast.ImportFrom):
                self.paths[bound] = f"{line.module}.{name.name}"
            else:
                self.paths[bound] = name.name if name.asname else bound
            self.env.pop(bound, None)
            self.functions.pop(bound, None)

    def _assign(self, target: ast.expr, value: ast.expr, within: _Of) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for one, its in zip(target.elts, value.elts, strict=True):
                self._assign(one, its, within)
            return
        label = max(self.value(value), within)
        if isinstance(target, ast.Name):
            fixed = not any(isinstance(node, ast.Call | ast.Name) for node in ast.walk(value))
            empty = isinstance(value, ast.List | ast.Dict | ast.Set) and not ast.unparse(value).strip("[]{}")
            (self.literal.add if fixed and not empty else self.literal.discard)(target.id)
            if isinstance(value, ast.Call) and self._path(value.func) in _RECORD_CLASS:
                self.records.add(target.id)
        self._bind(target, label)
        if isinstance(target, ast.Name) and (whole := _holder(value)) not in (None, target.id):
            self.parts[target.id] = str(whole)

    def _bind(self, target: ast.expr, label: _Of) -> None:
        match target:
            case ast.Name(id=name):
                self.env[name] = label
                self.parts.pop(name, None)
                self.functions.pop(name, None)
                self.paths.pop(name, None)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self._bind(part, label)
            case ast.Starred(value=part):
                self._bind(part, label)
            case _:
                self._join(target, label)

    def _join(self, target: ast.expr, label: _Of) -> None:
        """A part of something changes: the whole rests on it, too, and so does what it was taken from."""
        name = _holder(target)
        seen: set[str] = set()
        while name in self.env and name not in seen:
            seen.add(name)
            self.env[name] = max(self.env[name], label)
            name = self.parts.get(name)

    def _mutated(self, value: ast.expr) -> None:
        """A call whose value nobody keeps was made for what it does: to the object, or to what it is handed."""
        if isinstance(value, ast.Call) and not self._is_silent(value):
            label = self.value(value)
            if isinstance(value.func, ast.Attribute):
                self._join(value.func.value, label)
            for argument in [*value.args, *(keyword.value for keyword in value.keywords)]:
                # Nobody writes into a parameter, or into what the paper prints.
                read_only = isinstance(argument, ast.Name) and argument.id in self.literal
                if not read_only and self.value(argument) is not _Of.PRINTED:
                    self._join(argument, label)

    def _is_silent(self, call: ast.Call) -> bool:
        """Whether a call only puts something into the record."""
        match call.func:
            case ast.Attribute(value=ast.Name(id=name), attr=method):
                return name in self.records and method in _SILENT_METHODS
        return False

    def _displayed(self, value: ast.expr, within: _Of) -> _Of:
        """What an expression may display on the way rests on, whatever becomes of its value."""
        calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)]
        if any(self._may_display(call) for call in calls if not self._is_silent(call)):
            return max(self.value(value), within)
        return _Of.NEUTRAL

    def _may_display(self, call: ast.Call) -> bool:
        path = self._path(call.func)
        if path is None:
            # A method of something that is neither the run's nor a library's displays nothing by itself.
            return not (isinstance(call.func, ast.Attribute) and self.value(call.func.value) < _Of.RUN)
        if path.startswith("builtins."):
            return path == "builtins.print"
        shows = path.startswith(("IPython", "trustnlp.plots.show", "trustnlp.plots.display"))
        silent = path.startswith((_EVIDENCE, *_PRINTED, _PLOTS)) or path in _RECORD_CLASS or _is_pure(path)
        return shows or not silent

    def value(self, node: ast.AST | None, local: Mapping[str, _Of] | None = None) -> _Of:
        """What the value of an expression rests on; `local` names are those of comprehensions and lambdas."""
        local = local or {}
        match node:
            case None | ast.Constant():
                return _Of.NEUTRAL
            case ast.Name(id=name):
                return local[name] if name in local else self._name(name)
            case ast.Call():
                return self._call(node, local)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node, local)
            case ast.Lambda(args=arguments, body=body):
                return self.value(body, {**local, **dict.fromkeys(_parameters(arguments), _Of.NEUTRAL)})
            case ast.Attribute() if _root(node) not in local and self._path(node) is not None:
                return _Of.NEUTRAL  # a constant or a function of a module
            case ast.NamedExpr(target=target, value=value):
                label = self.value(value, local)
                self._bind(target, label)
                return label
        return max((self.value(child, local) for child in ast.iter_child_nodes(node)), default=_Of.NEUTRAL)

    def _name(self, name: str) -> _Of:
        if name in self.functions:
            return self._function(name, _Of.NEUTRAL)
        if name in self.env:
            return self.env[name]
        known = name in self.paths or (hasattr(builtins, name) and name not in _IMPURE_BUILTINS)
        return _Of.NEUTRAL if known else _Of.RUN

    def _function(self, name: str, given: _Of) -> _Of:
        """What a function of the notebook returns or draws, if what it is handed rests on `given`."""
        if name in self.inside:
            return given
        function = self.functions[name]
        inner = _Flow(
            self.evidence, dict(self.env), dict(self.paths), dict(self.functions), set(), set(self.records), {}
        )
        inner.inside = (*self.inside, name)
        inner.env |= dict.fromkeys(_parameters(function.args), given)
        shown = inner.block([line for line in function.body if not isinstance(line, ast.Return)])
        returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return | ast.Yield)]
        return max([shown, *map(inner.value, returned)])

    def _call(self, call: ast.Call, local: Mapping[str, _Of]) -> _Of:
        path = None if _root(call.func) in local else self._path(call.func)
        if path is not None and path.startswith(_EVIDENCE):
            return self.evidence
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        plain = [argument for argument in arguments if not isinstance(argument, ast.Lambda)]
        label = max((self.value(argument, local) for argument in plain), default=_Of.NEUTRAL)
        if isinstance(call.func, ast.Name) and call.func.id in self.functions:
            label = max(label, self._function(call.func.id, label))
        elif path is None:
            label = max(label, self.value(call.func, local))
        for argument in arguments:
            if isinstance(argument, ast.Lambda):
                given = dict.fromkeys(_parameters(argument.args), label)
                label = max(label, self.value(argument.body, {**local, **given}))
        if path is None:
            return label
        if path == "numpy.random.default_rng" and arguments:
            return label  # the same draws, whoever runs it
        if path.removeprefix("builtins.") in _IMPURE_BUILTINS or any(map(path.startswith, _IMPURE)):
            return _Of.RUN
        if path.startswith(_PRINTED):
            return max(label, _Of.PRINTED)
        # A function of the package that is handed nothing may load, train or draw: what it gives is the run's, unless
        # it only says how something is called.
        knows_only_this = path.startswith(_PLOTS) or _is_pure(path) or _gives_text(path)
        return _Of.RUN if label is _Of.NEUTRAL and not knows_only_this else label

    def _comprehension(self, node: Any, local: Mapping[str, _Of]) -> _Of:
        inner, label = dict(local), _Of.NEUTRAL
        for generator in node.generators:
            label = max(label, self.value(generator.iter, inner))
            inner |= {name.id: label for name in ast.walk(generator.target) if isinstance(name, ast.Name)}
            label = max([label, *(self.value(test, inner) for test in generator.ifs)])
        made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return max([label, *(self.value(part, inner) for part in made)])

    def _path(self, node: ast.expr) -> str | None:
        """Dotted name of what is imported or built in, None for all else."""
        if isinstance(node, ast.Attribute):
            above = self._path(node.value)
            # A method of a constant, such as `NAMES.index`, is the constant's.
            constant = isinstance(node.value, ast.Attribute | ast.Name) and _last(node.value).isupper()
            return None if above is None or constant else f"{above}.{node.attr}"
        if isinstance(node, ast.Name) and node.id not in self.env and node.id not in self.functions:
            if node.id in self.paths:
                return self.paths[node.id]
            return f"builtins.{node.id}" if hasattr(builtins, node.id) else None
        return None


def _last(node: ast.Attribute | ast.Name) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id


def _root(node: ast.expr) -> str | None:
    """The name that a dotted name begins with."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _holder(node: ast.expr) -> str | None:
    """The name of what an expression is a part of, or was got from by its methods."""
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def _is_pure(path: str) -> bool:
    root = path.partition(".")[0]
    return (root in _PURE or root == "builtins") and not any(map(path.startswith, _IMPURE))


@cache
def _gives_text(path: str) -> bool:
    """Whether a function of the package is declared to return text."""
    module, _, name = path.rpartition(".")
    file = module_file(module, _PACKAGE) if module.startswith("trustnlp.") else None
    if file is None or not file.is_file():
        return False
    body = ast.parse(file.read_text("utf-8")).body
    made = next((line for line in body if isinstance(line, ast.FunctionDef) and line.name == name), None)
    return made is not None and isinstance(made.returns, ast.Name) and made.returns.id == "str"


def _parameters(arguments: ast.arguments) -> list[str]:
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [argument.arg for argument in [*named, arguments.vararg, arguments.kwarg] if argument is not None]
