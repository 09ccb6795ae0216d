"""What the names of a notebook rest on: the committed record, what the paper prints, or this run.

Names are followed through the cells in their order. What cannot be told is of the run.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from trustnlp.reproduce.code.definitions import bound_by, imported, words
from trustnlp.reproduce.code.names_read import READERS, Reading, reading_of
from trustnlp.reproduce.code.pure_code import Of, of_builtin, of_import
from trustnlp.reproduce.code.pure_names import DRAWING, FUNCTIONS

_EVIDENCE = (
    "trustnlp.reproduce.pages.page_evidence.evidence",
    "trustnlp.reproduce.pages.page_evidence.evidence_arrays",
)
_RECORD_CLASS = ("trustnlp.reproduce.Record", "trustnlp.reproduce.records.recording.Record")
_SILENT_METHODS = words("metric array deviation condition uses uses_encoder")
# Who asks for these may read and set names that stand nowhere in the code.
_NAMESPACES = words("__builtins__ __import__ compile delattr eval exec get_ipython globals locals setattr vars")
_SHOWING = ("IPython", "matplotlib", "seaborn", "trustnlp.plots.display", "trustnlp.plots.show")


@dataclass(eq=False)
class _Value:
    """What a name stands for.

    Attributes
    ----------
    late
        What the functions in it do, whenever they are called: they read names as these are then.
    shares
        Values that may hold the same objects: what changes one changes the other.
    fixed
        Whether it is a literal of constants, of which imported functions change nothing.
    """

    of: Of
    path: str = ""
    late: list[Reading] = field(default_factory=list)
    shares: list[_Value] = field(default_factory=list)
    fixed: bool = False
    immutable: bool = False
    is_record: bool = False
    is_namespace: bool = False

    def rests_on(self, of: Of, least: Of = Of.NEUTRAL) -> None:
        """From now on it rests on this, too, as all does that shares something with it and rests on `least`."""
        todo = [self] if self.of >= least else []
        seen = {id(self)}
        while todo:
            value = todo.pop()
            value.of = max(value.of, of)
            for other in value.shares:
                if id(other) not in seen and other.of >= least:
                    seen.add(id(other))
                    todo.append(other)


class Flow:
    """What the names of a notebook rest on, statement after statement.

    A statement is taken as a whole: what it binds or may change rests on all that it reads, and so on all that the
    functions read which it names.
    """

    def __init__(self, evidence: Of) -> None:
        self.evidence = evidence
        self.env: dict[str, _Value] = {}
        self.lost = False  # whether anything may stand for anything by now

    def cell(self, code: str) -> tuple[Of, Of]:
        """What the value of the last line rests on, and what all that is displayed on the way does."""
        try:
            body = ast.parse(code).body
        except SyntaxError:  # a magic: it may have done anything to anything
            self.lost = True
            body = []
        result, shown = Of.NEUTRAL, Of.NEUTRAL
        for line in body:
            result, displayed = self.statement(line)
            shown = max(shown, displayed)
        if self.lost:
            return Of.RUN, Of.RUN
        return (result if body and isinstance(body[-1], ast.Expr) else Of.NEUTRAL), shown

    def statement(self, line: ast.stmt) -> tuple[Of, Of]:
        """Follow one statement; what its value rests on, and what it may display."""
        if isinstance(line, ast.Import | ast.ImportFrom):
            self._imports(line)
            return Of.NEUTRAL, Of.NEUTRAL
        if isinstance(line, ast.FunctionDef) and not line.decorator_list:
            defaults = reading_of(*filter(None, [*line.args.defaults, *line.args.kw_defaults]))
            self.env[line.name] = self._value(defaults, late=[reading_of(line)])
            return Of.NEUTRAL, Of.NEUTRAL
        if parts := _one_by_one(line):
            return max(map(self.statement, parts), key=lambda found: (found[1], found[0]))
        if isinstance(line, ast.Delete):
            for name in bound_by(line):
                self.env.pop(name, None)
        reading, late = self._with_functions(self._without_own(reading_of(line), line))
        of = Of.RUN if isinstance(line, ast.ClassDef) else self._of(reading)
        self._change(reading, of)
        self._bind(line, of, reading, late)
        return of, of if self._displays(reading) else Of.NEUTRAL

    def _imports(self, line: ast.Import | ast.ImportFrom) -> None:
        for name, origin in imported(line):
            path = f"{origin.module}.{origin.name}" if origin.name else origin.module
            self.lost |= name == "*" or path.startswith(("__main__", "builtins"))
            self.env[name] = _Value(Of.NEUTRAL, path)

    def _without_own(self, reading: Reading, line: ast.stmt) -> Reading:
        """What a statement does with names of before: not with those that it binds itself before it reads them."""
        own = {name for name in bound_by(line) if name not in self.env}
        if isinstance(line, ast.For):
            own |= _bound_before_read(line)
        reading.changes_any |= bool(own & reading.changed)
        for path in [path for path in reading.paths if _roots([path]) & own]:
            reading.paths.remove(path)
            reading.paths |= {part for part in path.rstrip(")").split("(") if part.partition(".")[0] not in own}
        reading.changed -= own
        return reading

    def _with_functions(self, reading: Reading) -> tuple[Reading, list[Reading]]:
        """What code does with all that the functions do which it names; and these functions."""
        whole, todo = Reading(), [reading]
        late: list[Reading] = []
        while todo:
            one = todo.pop()
            whole.take_in(one)
            for name in _roots(one.paths):
                for inner in self.env[name].late if name in self.env else ():
                    if not any(inner is known for known in late):
                        late.append(inner)
                        todo.append(inner)
        return whole, late

    # What names rest on --------------------------------------------------------------------------------------------

    def _of(self, reading: Reading) -> Of:
        return max((self._of_path(path, reading) for path in reading.paths), default=Of.NEUTRAL)

    def _of_path(self, path: str, reading: Reading) -> Of:
        if path.startswith("<"):
            return of_import(path[1:-1])
        path, _, argument = path.partition("(")
        if argument:
            return self._of_call(path, argument.rstrip(")"), reading)
        value = self.env.get(path.partition(".")[0])
        if value is None:
            known = of_builtin(path.partition(".")[0])
            return Of.RUN if known is None else known
        imported = self._imported(path)
        if imported is None:
            return value.of
        return max(value.of, of_import(imported, seeded=path not in reading.unseeded))

    def _of_call(self, path: str, argument: str, reading: Reading) -> Of:
        if self._imported(path) in _EVIDENCE and argument in self.env and self.env[argument].is_record:
            return self.evidence
        return max(self._of_path(path, reading), self._of_path(argument, reading))

    def _imported(self, path: str) -> str | None:
        """The whole name of what is imported, None of all else."""
        root, dot, rest = path.partition(".")
        value = self.env.get(root)
        return f"{value.path}{dot}{rest}" if value is not None and value.path else None

    # What changes --------------------------------------------------------------------------------------------------

    def _change(self, reading: Reading, of: Of) -> None:
        """Whatever a statement may change rests on all of it."""
        anything = reading.changes_any or any(self.env[name].late for name in reading.changed if name in self.env)
        anything |= not all(map(self._is_foreign, reading.results_changed))
        anything |= any(name not in self.env and of_builtin(name) is not None for name in reading.changed)
        handed_on = any(self._may_change(*call) for call in reading.called)
        unknown = {path for path, arguments in reading.called if self._is_unknown(path, arguments)}
        doing = {path for path, arguments in reading.thrown if self._may_change(path, arguments)}
        done_to = {name for path, name in reading.handed if path in doing} | (reading.whole if doing else set())
        done_to |= {name for path, name in reading.within if path in unknown}
        called = [self.env[name] for name in _roots(path for path, _ in reading.called) if name in self.env]
        inside = anything and any(value.late for value in called)
        perhaps = reading.perhaps_changed
        aliased = self._aliased(reading)
        whole = reading.whole | {name for path, name in reading.handed if not self._is_foreign(path)}
        for name in sorted(_roots(reading.paths) | reading.changed):
            value = self.env.get(name)
            touched = name in reading.changed or (inside if value is None else anything and name in whole)
            touched |= value is not None and any(self._remembers(late, anything) for late in value.late)
            if value is None:
                self.lost |= name in _NAMESPACES and (name != "vars" or touched)
            elif value.path:
                outside = of is Of.RUN and not value.path.startswith("os")
                self.lost |= name in reading.set_on and (outside or value.path.startswith(("trustnlp", "sys")))
            elif value.immutable:
                continue
            elif value.is_record:
                value.is_record = name not in reading.set_on
            elif touched or (not value.fixed and (name in done_to or (anything and name in aliased))):
                self.lost |= value.is_namespace and touched
                value.rests_on(of)
            elif anything or handed_on or perhaps & {name, "*"}:
                # Numbers of the record are of the run as soon as this cannot be ruled out.
                value.of = max(value.of, of if name in perhaps and not value.fixed else value.of)
                value.rests_on(of, least=Of.RECORD)
        for name in reading.rebound:
            self.env.setdefault(name, _Value(of)).rests_on(of)

    def _is_foreign(self, path: str) -> bool:
        """Whether what is called is no function of the notebook."""
        root = path.partition(".")[0]
        return self._imported(path) is not None or (root not in self.env and of_builtin(root) is Of.NEUTRAL)

    def _remembers(self, late: Reading, anything: bool) -> bool:
        changing = anything or late.changes_any or "*" in late.perhaps_changed
        return late.remembers and (changing or any(self._is_unknown(*call) for call in late.called))

    def _aliased(self, reading: Reading) -> set[str]:
        """Names whose objects, or parts of them, may be in what code makes: a function of the package makes its own."""
        unlike = [p for p, _ in reading.within if (self._imported(p) or "").startswith("trustnlp.") or p in self.env]
        held = reading.parts | {name for path, name in reading.within if path not in unlike}
        return reading.whole | {name for name in held if name not in self.env or not self.env[name].fixed}

    def _is_unknown(self, path: str, arguments: int) -> bool:
        """Whether what is called is neither of the package nor known to change nothing."""
        return self._may_change(path, arguments) and not (self._imported(path) or "").startswith("trustnlp.")

    def _may_change(self, path: str, arguments: int) -> bool:
        """Whether a call may change what it is handed."""
        root, _, rest = path.partition(".")
        value = self.env.get(root)
        if value is None:
            return of_builtin(root) is not Of.NEUTRAL or (bool(rest) and rest not in READERS)
        whole = self._imported(path)
        if whole is None:
            silent = value.is_record and rest in _SILENT_METHODS
            return not (silent or value.late if not rest or silent else rest.rpartition(".")[2] in READERS)
        return not (
            whole in _EVIDENCE
            or whole in _RECORD_CLASS
            or whole.startswith(DRAWING)
            or (whole != "functools.reduce" and arguments <= FUNCTIONS.get(whole, -1))
        )

    def _bind(self, line: ast.stmt, of: Of, reading: Reading, late: list[Reading]) -> None:
        """Give what a statement binds its value; one that may be left out or come again adds to what was there."""
        value = getattr(line, "value", None)
        lazy = any(isinstance(node, ast.Lambda | ast.GeneratorExp) for node in ast.walk(line))
        called = self._imported(ast.unparse(value.func)) if isinstance(value, ast.Call) else None
        made = self._value(reading, late=[*late, reading] if lazy else late, of=of, aliased=self._aliased(reading))
        made.fixed = of is Of.PRINTED or (isinstance(value, ast.expr) and _is_fixed(value))
        made.immutable = (
            of is Of.NEUTRAL and isinstance(value, ast.Constant | ast.JoinedStr) and isinstance(line, ast.Assign)
        )
        made.is_record = called in _RECORD_CLASS
        if made.is_record:
            made.shares.clear()
        # An imported function is taken to leave the notebook's names alone.
        made.is_namespace &= called is None or called.startswith("builtins")
        for name in bound_by(line):
            if not isinstance(line, ast.Assign | ast.AnnAssign) and name in self.env:
                made.of = max(made.of, self.env[name].of)
                made.late += self.env[name].late
                self.env[name].shares.append(made)
                made.shares.append(self.env[name])
            self.env[name] = made

    def _value(
        self, reading: Reading, *, late: list[Reading], of: Of | None = None, aliased: Collection[str] = ()
    ) -> _Value:
        """A new value, which shares objects with whatever it was made of."""
        made = _Value(self._of(reading) if of is None else of, late=late)
        of_this_run = made.of is Of.RUN
        for name in _roots(reading.paths):
            value = self.env.get(name)
            constants = value is not None and value.fixed and value.of is Of.NEUTRAL and name not in aliased
            lone = value is None or value.path or value.is_record or value.immutable or constants
            if value is not None and not (lone or (of_this_run and value.of < Of.RECORD and name not in aliased)):
                made.shares.append(value)
                value.shares.append(made)
            made.is_namespace |= name == "vars" if value is None else value.is_namespace and name in aliased
        return made

    def _displays(self, reading: Reading) -> bool:
        handed = (path for path in reading.named if path.partition(".")[0] not in self.env or self._imported(path))
        return any(map(self._may_display, [*(path for path, _ in reading.called), *handed]))

    def _may_display(self, path: str) -> bool:
        root, _, rest = path.partition(".")
        value = self.env.get(root)
        if value is None:
            return path == "print" or of_builtin(root) is not Of.NEUTRAL
        whole = self._imported(path)
        if whole is None:
            # A method of something that is not the run's displays nothing by itself.
            return not (
                (rest and value.of is not Of.RUN) or (value.is_record and rest in _SILENT_METHODS) or value.late
            )
        return whole.startswith(_SHOWING) or (
            whole not in _EVIDENCE and whole not in _RECORD_CLASS and of_import(whole) is Of.RUN
        )


def _roots(paths: Iterable[str]) -> set[str]:
    """The names that dotted names begin with."""
    return {part.partition(".")[0] for path in paths for part in path.rstrip(")").split("(")}


def _bound_before_read(loop: ast.For) -> set[str]:
    """The names that a loop gives a value, whatever happens in it, before it reads them."""
    first: dict[str, bool] = dict.fromkeys(_roots(reading_of(loop.iter).paths), False)
    todo: list[tuple[ast.AST, bool]] = [(loop.target, True), *((line, True) for line in loop.body)]
    while todo:
        node, surely = todo.pop(0)
        if isinstance(node, ast.Name):
            first.setdefault(node.id, surely and isinstance(node.ctx, ast.Store))
            continue
        surely &= not isinstance(node, ast.If | ast.Try | ast.While | ast.Match | ast.With | ast.IfExp | ast.BoolOp)
        parts = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Assign):  # the value before the target
            parts = [node.value, *node.targets]
        if isinstance(node, ast.AnnAssign):
            parts = [*([node.value] if node.value else []), node.target]
        if isinstance(node, ast.For):
            parts = [node.iter, node.target, *node.body, *node.orelse]
        todo = [(part, surely) for part in parts] + todo
    return {name for name, bound in first.items() if bound}


def _one_by_one(line: ast.stmt) -> list[ast.stmt]:
    """`a, b = x, y` as two assignments, where neither value reads what the other is given."""
    match line:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            plain = len(names) == len(values) and all(isinstance(name, ast.Name) for name in names)
            if plain and not set(bound_by(line)) & _roots(reading_of(*values).paths):
                return [ast.Assign([name], value) for name, value in zip(names, values, strict=True)]
    return []


def _is_fixed(value: ast.expr) -> bool:
    """Whether an expression is a constant, or a collection of constants that is not there to be filled."""
    if isinstance(value, ast.List | ast.Tuple | ast.Set):
        return bool(value.elts) and all(isinstance(part, ast.Constant | ast.UnaryOp) for part in value.elts)
    if isinstance(value, ast.Dict):
        return bool(value.keys) and all(isinstance(part, ast.Constant | ast.UnaryOp) for part in value.values)
    return isinstance(value, ast.Constant | ast.UnaryOp | ast.JoinedStr)
