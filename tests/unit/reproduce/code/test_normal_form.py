"""Pairs of modules that differ in what they do, where names are bound in the rarer ways: no pair may share a form."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from trustnlp.reproduce.code.code_closure import changes, evidence_of
from trustnlp.reproduce.code.reach import PACKAGE, package_at
from trustnlp.reproduce.code.targets import in_frame
from trustnlp.reproduce.notebooks.notebook_slice import Cell

CELL = "from trustnlp.reproduce import Record\nfrom trustnlp.one import f\n"
CELL += "Record('a', 'b', profile='x').metric('x', f(3))"
TWO_IMPORTS = "def f(x):\n    from math import floor as g, floor as h\n    {} = None\n    return str(h)\n"
# Case: one module and the text in it that another has in its place
PAIRS = {
    "a class takes a constant of its own name": (
        "LIMIT = 5\nclass C:\n    LIMIT = LIMIT\ndef f(x):\n    return C.LIMIT\n", "LIMIT = 5", "LIMIT = 6",
    ),
    "a field's default of its own name": (
        "limit = 5\nclass C:\n    limit: int = limit\ndef f(x):\n    return C.limit\n", "limit = 5", "limit = 6",
    ),
    "a class in a function takes one": (
        "limit = 5\ndef f(x):\n    class C:\n        limit = limit\n    return C.limit\n", "limit = 5", "limit = 6",
    ),
    "a default of the method's own name": (
        "def by(x):\n    return x\nclass C:\n    def by(self, by=by):\n        return by(2)\n"
        "def f(x):\n    return C().by()\n",
        "return x\nclass", "return -x\nclass",
    ),
    "an annotated part of another object": (
        "def f(x):\n    v = set\n    w = dict\n    class C:\n        v.part: int = 1\n    return v, w\n",
        "v = set\n    w = dict\n    class C:\n        v.part: int = 1\n    return v, w",
        "w = set\n    v = dict\n    class C:\n        v.part: int = 1\n    return w, v",
    ),
    "which import is overwritten": (TWO_IMPORTS.format("g"), "g = None", "h = None"),
    "which import takes a variable's name": (
        "def f(x):\n    g = h = 1\n    from math import floor as g\n    return str(g), str(h)\n",
        "floor as g", "floor as h",
    ),
    "a name bound within a lambda alone": (
        "K = 1\ndef f(x):\n    v = [(lambda: (K := 5))() for _ in [1]]\n    return K\n", "K = 1", "K = 2",
    ),
    "names of the file by a text": (
        "import sys\nK1 = 1\ndef f(x):\n    return getattr(sys.modules[__name__], f'K{x - 2}')\n", "K1 = 1", "K1 = 2",
    ),
    "globals of a function": ("K1 = 1\ndef f(x):\n    return f.__globals__[f'K{x - 2}']\n", "K1 = 1", "K1 = 2"),
    "code from a text by another name": (
        "K1 = 1\ndef f(x):\n    run = eval\n    return run(f'K{x - 2}')\n", "K1 = 1", "K1 = 2",
    ),
}  # fmt: skip


def _stands_on(root: Path, code: str) -> dict[str, str]:
    package = root / "trustnlp"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text(code)
    return evidence_of([Cell(ast.parse(CELL).body)], package_at(package))[0]


@pytest.mark.parametrize("case", PAIRS)
def test_what_differs_in_what_it_does_has_another_form(tmp_path: Path, case: str) -> None:
    code, old, new = PAIRS[case]
    assert code.count(old) == 1
    assert changes(_stands_on(tmp_path / "one", code), _stands_on(tmp_path / "other", code.replace(old, new)))


def test_no_constant_of_the_package_is_bound_twice() -> None:
    """In which order definitions stand is no part of their form: one that depends on it would not be told."""
    package = package_at()
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        module = package.module(".".join(parts).removesuffix(".__init__"))
        for name, statements in module.statements.items() if module and not in_frame(module.name) else ():
            plain = [s for s in statements if isinstance(s, ast.Assign | ast.AnnAssign | ast.AugAssign)]
            bindings = [s for s in plain if name in _bound(s)]
            assert len(bindings) < 2, f"{path}: {name}"


def _bound(statement: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
