"""Small programs at random, run beside changed ones: what differs in what it does differs in its normal form."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from trustnlp.reproduce.code.normal_form import form_of
from trustnlp.reproduce.code.targets import Target

SEED, PROGRAMS, CHANGES_OF_EACH = 41, 150, 8
NAMES = "abcde"
LIMITS = {name: 100 + place for place, name in enumerate(NAMES)}  # each name is one of the module, too


# The module around a program: it defines `LIMITS`, and nothing else.
MODULE: Any = SimpleNamespace(
    of_global=lambda name: Target("unit", f"m:{name}") if name in LIMITS else None,
    of_import=lambda origin: Target("external", f"{origin.module}.{origin.name}"),
    of_attribute=lambda module, name: Target("external", f"{module}.{name}"),
    of_text=lambda text: None,
    is_logger=lambda name: False,
)


class _Programs:
    """Functions `f(a, n)` made of all that binds names."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def name(self) -> str:
        return self.rng.choice(NAMES)

    def value(self, depth: int = 2, passing: bool = True) -> str:
        """An expression; `passing`: `:=` may stand in it, as it may not in what a comprehension runs over."""
        x, y, z = self.name, (lambda: self.inner(depth, passing)), (lambda: self.inner(depth, False))
        one, other = self.rng.sample(NAMES, 2)
        made = [
            lambda: x(),
            lambda: x(),
            lambda: str(self.rng.randrange(5)),
            lambda: f"({y()} - {y()})",
            lambda: f"sum([{z()} * {x()} for {x()} in ({x()}, {z()})])",
            lambda: f"len([{x()} for {x()} in range(3) for {x()} in range({x()} % 4) if {z()}])",
            lambda: f"sum({{{x()}: {x()} for {x()}, {x()} in [({z()}, {x()})]}})",
            lambda: f"(lambda {x()}={z()}: {y()})()",
            lambda: f"len(f'{{{x()}}}{{{x()}:>{{{x()} % 9}}}}')",
            lambda: f"max((lambda: {x()})() for {x()} in [{z()}, 3])",
            lambda: f"({x()} := {y()})" if passing else x(),
            lambda: f"[({one} := {x()}) for {other} in (1, {z()})][-1]" if passing else x(),
        ]
        return self.rng.choice(made)()

    def inner(self, depth: int, passing: bool) -> str:
        return self.value(depth - 1, passing) if depth else self.name()

    def block(self, depth: int, inner: bool) -> list[str]:
        return [
            line for _ in range(self.rng.randint(1, 3 if depth else 2)) for line in self.statement(depth - 1, inner)
        ]

    def statement(self, depth: int, inner: bool) -> list[str]:
        x, y = self.name, self.value
        simple: list[Callable[[], list[str]]] = [
            lambda: [f"{x()} = {y()}"],
            lambda: [f"{x()} = {x()} = {y()}"],
            lambda: [f"{x()} += {y()}"],
            lambda: [f"{x()}, *{x()} = {y()}, {y()}", f"{x()} = len(str({x()}))"],
            lambda: [f"{x()} = ({y()} for {x()} in [{y()}])", f"{x()} = {y(1)}", f"{x()} = sum({x()})"],
            lambda: [f"{x()}: int = {y()}"],
            lambda: [f"del {x()}"],
            lambda: [f"from math import floor as {x()}, ceil as {x()}", f"{x()} = {x()}(2.5)"],
            lambda: [f"return {x()}, {y()}"],
        ]
        deep: list[Callable[[], list[str]]] = [
            lambda: [f"if {y()}:", *self.inside(depth, inner), "else:", *self.inside(depth, inner)],
            lambda: [f"for {x()} in range({x()} % 3):", *self.inside(depth, inner)],
            lambda: ["try:", *self.inside(depth, inner), f"except Exception as {x()}:", f"    {x()} = 7"],
            lambda: [f"match [{y()}, {y()}]:", f"    case [{x()}, *{x()}]:", *self.inside(depth, inner, 8)],
            lambda: [
                f"match {{1: {y()}, 2: {y()}}}:",
                f"    case {{1: {x()}, **{x()}}}:",
                f"        {x()} = len(str({x()}))",
            ],
            lambda: [
                f"def {x()}({x()}, v={y()}):",
                *([f"    nonlocal {x()}"] if inner and self.rng.random() < 0.5 else []),
                *self.inside(depth, True),
                f"    return {y()}", f"{x()} = {x()}({y()})",
            ],
            lambda: ["class C:", *self.inside(depth, False), f"    {x()} = {x()}", f"{x()} = C.{x()}"],
            lambda: ["class C: pass", f"class D:\n    C.{x()}: int = {y()}", f"{x()} = C.{x()}"],
            lambda: [f"@lambda {x()}: {y()}", f"def {x()}(): pass"],
        ]  # fmt: skip
        return self.rng.choice(simple + deep if depth > 0 else simple)()

    def inside(self, depth: int, inner: bool, by: int = 4) -> list[str]:
        return [" " * by + line for part in self.block(depth, inner) for line in part.split("\n")]

    def program(self, bound_first: float = 0.8, blocks: int = 2) -> ast.Module | None:
        given = [name for name in NAMES if self.rng.random() < bound_first]
        bound = [f"{name} = {self.rng.choice(('n', 'a', '2', '3'))}" for name in given]
        inside = [line for _ in range(blocks) for line in self.block(3, True)]
        lines = [*bound, *inside, f"return {', '.join(NAMES)}"]
        body = [f"    {line}" for part in lines for line in part.split("\n")]
        return _compiled("\n".join(["def f(a, n):", *body]))


def _compiled(code: str) -> ast.Module | None:
    try:
        compile(code, "made", "exec")
    except SyntaxError:
        return None
    return ast.parse(code)


def _done(tree: ast.Module, **limits: int) -> list[str] | None:
    """What a program gives, or how it fails, for some arguments; nothing where that is another thing each time."""
    space: dict[str, Any] = LIMITS | limits
    exec(compile(ast.unparse(tree), "made", "exec"), space)
    found = []
    for a, n in ((1, 2), (3, 0), (-2, 5)):
        try:
            given = repr(space["f"](a, n))
        except Exception as error:
            given = type(error).__name__
        if " at 0x" in given:
            return None
        found.append(given)
    return found


def _form(tree: ast.Module) -> tuple[str, tuple[Target, ...]]:
    form = form_of(tree.body, MODULE, own="f")
    return form.text, form.references


_PLACES = ("id", "name", "rest", "arg", "asname")


def _names_in(tree: ast.Module) -> list[tuple[ast.AST, str]]:
    return [
        (node, part)
        for node in ast.walk(tree.body[0])
        for part in _PLACES
        if getattr(node, part, None) in LIMITS and not isinstance(node, ast.keyword)
    ]


def _with_another_name_somewhere(tree: ast.Module, rng: random.Random) -> ast.Module | None:
    changed = copy.deepcopy(tree)
    places = _names_in(changed)
    for node, part in rng.sample(places, min(len(places), rng.choice((1, 1, 2, 4)))):
        setattr(node, part, rng.choice(NAMES))
    return _compiled(ast.unparse(changed))


def _with_names_exchanged(tree: ast.Module, rng: random.Random) -> ast.Module | None:
    """Two names exchanged in some statement of the function, or in a run of them."""
    changed = copy.deepcopy(tree)
    one, other = rng.sample(NAMES, 2)
    function = changed.body[0]
    assert isinstance(function, ast.FunctionDef)
    start = rng.randrange(len(function.body))
    part = ast.Module(function.body[start : start + rng.randint(1, 3)], [])
    for statement in part.body:
        for node, place in _names_in(ast.Module([statement], [])):
            if (held := getattr(node, place)) in (one, other):
                setattr(node, place, other if held == one else one)
    return _compiled(ast.unparse(changed))


def _free_names(tree: ast.Module) -> list[str]:
    """Variables that may be called anything: no parameter, function, caught error, part of a pattern or of a class."""
    told = {getattr(node, part) for node, part in _names_in(tree) if part != "id"} | {"a"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Nonlocal):
            told |= {*node.names}
        elif isinstance(node, ast.ClassDef):
            told |= {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
        elif isinstance(node, ast.Attribute):
            told.add(node.attr)
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return sorted(stored - told - _taken_from_the_module(tree))


def _taken_from_the_module(tree: ast.Module) -> set[str]:
    """Names that are of the module somewhere in the program."""
    return {target.what.removeprefix("m:") for target in form_of(tree.body, MODULE, own="f").references}


def test_programs_that_differ_in_what_they_do_differ_in_their_form() -> None:
    rng = random.Random(SEED)
    made, compared, alike = _Programs(rng), 0, 0
    for _ in range(PROGRAMS):
        tree = made.program()
        done = tree and _done(tree)
        if tree is None or done is None:
            continue
        form = _form(tree)
        for change in range(CHANGES_OF_EACH):
            other = (_with_another_name_somewhere, _with_names_exchanged)[change % 2](tree, rng)
            given = other and _done(other)
            if other is None or given is None:
                continue
            compared += 1
            if form == _form(other):
                alike += 1
                assert done == given, f"{ast.unparse(tree)}\n\n{ast.unparse(other)}"
    assert compared > 400 and alike > 40, (compared, alike)


def test_another_name_of_a_variable_leaves_the_form() -> None:
    rng = random.Random(SEED + 1)
    made, renamed = _Programs(rng), 0
    for _ in range(PROGRAMS):
        tree = made.program()
        for name in _free_names(tree) if tree is not None else []:
            other = copy.deepcopy(tree)
            assert other is not None and tree is not None
            for node, part in _names_in(other):
                if getattr(node, part) == name:
                    setattr(node, part, "another")
            renamed += 1
            assert _form(tree) == _form(other), f"{name}\n{ast.unparse(tree)}"
            assert _done(tree) == _done(other), f"{name}\n{ast.unparse(tree)}"
    assert renamed > 50, renamed


def test_a_program_refers_to_all_of_the_module_on_which_it_depends() -> None:
    rng = random.Random(SEED + 2)
    made, dependent = _Programs(rng), 0
    for _ in range(PROGRAMS * 3):
        tree = made.program(0.1, 1)
        done = tree and _done(tree)
        for name in NAMES if tree is not None and done is not None else ():
            assert tree is not None
            if _done(tree, **{name: 3}) != done:
                dependent += 1
                assert Target("unit", f"m:{name}") in _form(tree)[1], f"{name}\n{ast.unparse(tree)}"
    assert dependent > 10, dependent
