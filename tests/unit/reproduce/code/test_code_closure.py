# ruff: noqa: E501 - each case is one row: the files, the cell, and what is edited
"""Which edits put a record in doubt: planted in a small package, for every way in which code can reach other code."""

from __future__ import annotations

import ast
import inspect
import textwrap
from importlib import import_module
from pathlib import Path

import pytest

from trustnlp.reproduce.code.code_closure import TOGETHER, changes, evidence_of
from trustnlp.reproduce.code.definitions import MUTATORS
from trustnlp.reproduce.code.normal_form import RECORDING
from trustnlp.reproduce.code.reach import PACKAGE, package_at
from trustnlp.reproduce.code.targets import REFUSALS, in_frame
from trustnlp.reproduce.notebooks.notebook_slice import CodeCell, sliced

HEAD = "from trustnlp.reproduce import Record\nrecord = Record('a', 'b', profile='smoke')\n"


def write(root: Path, files: dict[str, str]) -> Path:
    package = root / "trustnlp"
    for name, text in {"__init__.py": "", "a/__init__.py": "", **files}.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return package


def found(package: Path, *cells: str, parameters: str = "") -> dict[str, str]:
    every = [
        CodeCell(ast.parse(parameters).body, True),
        *(CodeCell(ast.parse(textwrap.dedent(cell)).body) for cell in cells),
    ]
    return evidence_of([CodeCell(ast.parse(HEAD).body), *every], package_at(package))[0]


def doubted(root: Path, files: dict[str, str], cell: str, edits: dict[str, tuple[str, str]]) -> list[str]:
    """What is named as changed when some text of some files is replaced."""
    before = found(write(root / "before", files), cell)
    edited = dict(files)
    for name, (old, new) in edits.items():
        assert edited[name].count(old) == 1, (name, old)
        edited[name] = edited[name].replace(old, new)
    return changes(before, found(write(root / "after", edited), cell))


ONE = "from trustnlp.a.one import f\nrecord.metric('x', f(3))"
# Case: the code of a file, and what is edited; each edit changes what the notebook records.
IN_ONE_FILE = {
    "a function": ("def f(x):\n    return x + 1", "x + 1", "x - 1"),
    "a constant by another": ("J = 1\nK = J * 2\ndef f(x):\n    return x + K", "J = 1", "J = 2"),
    "an alias by assignment": ("def g(x):\n    return x + 1\nf = g", "x + 1", "x + 2"),
    "a default": ("K = 1\ndef f(x, k=K):\n    return x + k", "K = 1", "K = 2"),
    "a keyword's default": ("def f(x, *, k=1):\n    return x + k", "k=1", "k=2"),
    "a decorator": ("def twice(g):\n    return lambda x: 2 * g(x)\n@twice\ndef f(x):\n    return x", "2 * g", "3 * g"),
    "a class attribute": ("class C:\n    K = 1\ndef f(x):\n    return x + C.K", "K = 1", "K = 2"),
    "a method of an object": ("class C:\n    def m(self, x):\n        return x + 1\ndef f(x):\n    return C().m(x)", "x + 1", "x + 2"),
    "a subclass that a table names": (
        "class B:\n    def m(self, x):\n        return x\nclass C(B):\n    def m(self, x):\n        return x + 1\nKINDS = {'c': C}\ndef f(x):\n    return KINDS['c']().m(x)",
        "x + 1", "x + 2",
    ),
    "the order of a data class's fields": (
        "from dataclasses import dataclass\n@dataclass\nclass C:\n    a: int\n    b: int\ndef f(x):\n    return C(x, 1).a", "    a: int\n    b: int", "    b: int\n    a: int",
    ),
    "a data class's field that belongs to the class": (
        "from dataclasses import dataclass\nfrom typing import ClassVar\n@dataclass\nclass C:\n    a: int = 1\n    b: int = 2\ndef f(x):\n    return C(x).b",
        "a: int", "a: ClassVar[int]",
    ),
    "an annotation that a decorator may read": (
        "from functools import singledispatch\ndef f(x):\n    return g(x)\n@singledispatch\ndef g(x):\n    return 1\n@g.register\ndef _int(x: int):\n    return 2",
        "x: int", "x: str",
    ),
    "a function that is registered": (
        "from functools import singledispatch\n@singledispatch\ndef f(x):\n    return 1\n@f.register(int)\ndef _int(x):\n    return 2", "return 2", "return 3",
    ),
    "a function in a registry filled by a loop": (
        "def g(x):\n    return x + 1\nT = {}\nfor name in ['g']:\n    T[name] = g\ndef f(x):\n    return T['g'](x)", "x + 1", "x + 2",
    ),
    "a table that is filled later": ("T = {}\nT['x'] = 1\ndef f(x):\n    return T['x']", "= 1", "= 2"),
    "a table that is updated": ("T = {}\nT.update(x=1)\ndef f(x):\n    return T['x']", "x=1", "x=2"),
    "an augmented constant": ("K = 1\nK += 1\ndef f(x):\n    return x + K", "+= 1", "+= 2"),
    "a partial function": ("from functools import partial\ndef g(x, k):\n    return x + k\nf = partial(g, k=1)", "k=1", "k=2"),
    "a global in a comprehension of a class": (
        "K = 2\nclass C:\n    rows = [K for _ in range(3)]\ndef f(x):\n    return C.rows[0]", "K = 2", "K = 3",
    ),
    "a name that a nested function uses": ("K = 1\ndef f(x):\n    def g():\n        return K\n    return x + g()", "K = 1", "K = 2"),
    "a method that has a global's name": (
        "def m(x):\n    return x + 1\nclass C:\n    def m(self, x):\n        return m(x)\ndef f(x):\n    return C().m(x)", "x + 1", "x + 2",
    ),
    "what is set in another branch": (
        "import sys\nif sys.platform == 'linux':\n    K = 1\nelse:\n    K = 2\ndef f(x):\n    return K", "K = 2", "K = 3",
    ),
    "a name asked of globals()": ("def _g1(x):\n    return x + 1\ndef f(x):\n    return globals()[f'_g{1}'](x)", "x + 1", "x + 2"),
    "the type of an error that steers": (
        "def g(x):\n    raise ValueError('no')\ndef f(x):\n    try:\n        return g(x)\n    except ValueError:\n        return 1", "raise ValueError", "raise KeyError",
    ),
    "a call in a message": ("def g(x):\n    x.append(1)\n    return x\ndef f(x):\n    raise ValueError(f'no {g(x)}')", "append(1)", "append(2)"),
    "an error's text that is a value": ("def f(x):\n    error = ValueError('four')\n    return len(str(error))", "four", "eleven"),
    "what looks like a logger": (
        "class Log:\n    def info(self, x):\n        self.total = x\nlog = Log()\ndef f(x):\n    log.info(x + 1)\n    return log.total", "info(x + 1)", "info(x + 2)",
    ),
    "a logger that is given": ("def g(x, log):\n    log.info(x + 1)\n    return log\ndef f(x):\n    return g(x, [])", "info(x + 1)", "info(x + 2)"),
    "a check of another name": (
        "def check_one_order(x):\n    x.append(1)\ndef f(x):\n    check_one_order(x)\n    return x", "append(1)", "append(2)",
    ),
    "what a logger is told, made by a call": (
        "import logging\nlog = logging.getLogger('a')\ndef f(x):\n    log.info('%s', x.append(1))\n    return x", "append(1)", "append(2)",
    ),
    "a docstring that code reads": ('def f(x):\n    """One."""\n    return len(f.__doc__)', "One", "Eleven"),
    "which of two like functions is called": (
        "def g(x):\n    return x + A\ndef h(x):\n    return x + B\nA = 1\nB = 2\ndef f(x):\n    return g(x) - 2 * h(x)", "g(x) - 2 * h(x)", "h(x) - 2 * g(x)",
    ),
    "functions that call each other": ("def g(x):\n    return f(x - 1)\ndef f(x):\n    return 0 if x < 1 else g(x) + 1", "x - 1", "x - 2"),
    "a class takes a constant of its own name": ("LIMIT = 5\nclass C:\n    LIMIT = LIMIT\ndef f(x):\n    return C.LIMIT", "LIMIT = 5", "LIMIT = 6"),
    "a field's default of its own name": ("limit = 5\nclass C:\n    limit: int = limit\ndef f(x):\n    return C.limit", "limit = 5", "limit = 6"),
    "a class in a function takes one": ("limit = 5\ndef f(x):\n    class C:\n        limit = limit\n    return C.limit", "limit = 5", "limit = 6"),
    "a default of the method's own name": (
        "def by(x):\n    return x\nclass C:\n    def by(self, by=by):\n        return by(2)\ndef f(x):\n    return C().by()", "return x\nclass", "return -x\nclass",
    ),
    "an annotated part of another object": (
        "def f(x):\n    v = set\n    w = dict\n    class C:\n        v.part: int = 1\n    return v, w",
        "v = set\n    w = dict\n    class C:\n        v.part: int = 1\n    return v, w", "w = set\n    v = dict\n    class C:\n        v.part: int = 1\n    return w, v",
    ),
    "which import is overwritten": (
        "def f(x):\n    from math import floor as g, floor as h\n    g = None\n    return str(h)", "g = None", "h = None",
    ),
    "which import takes a variable's name": (
        "def f(x):\n    g = h = 1\n    from math import floor as g\n    return str(g), str(h)", "floor as g", "floor as h",
    ),
    "a name bound within a lambda alone": ("K = 1\ndef f(x):\n    v = [(lambda: (K := 5))() for _ in [1]]\n    return K", "K = 1", "K = 2"),
    "names of the file by a text": ("import sys\nK1 = 1\ndef f(x):\n    return getattr(sys.modules[__name__], f'K{x - 2}')", "K1 = 1", "K1 = 2"),
    "globals of a function": ("K1 = 1\ndef f(x):\n    return f.__globals__[f'K{x - 2}']", "K1 = 1", "K1 = 2"),
    "code from a text by another name": ("K1 = 1\ndef f(x):\n    run = eval\n    return run(f'K{x - 2}')", "K1 = 1", "K1 = 2"),
}  # fmt: skip
# How `f` reaches a function of another file, which is edited.
IN_ANOTHER_FILE = {
    "an alias of an import": "from trustnlp.a.two import g as h\ndef f(x):\n    return h(x)",
    "a module's attribute": "import trustnlp.a.two\ndef f(x):\n    return trustnlp.a.two.g(x)",
    "a module taken from its package": "from trustnlp.a import two\ndef f(x):\n    return two.g(x)",
    "an import in a function": "def f(x):\n    from trustnlp.a.two import g\n    return g(x)",
    "a star import": "from trustnlp.a.two import *\ndef f(x):\n    return g(x)",
    "a module that is asked by a computed name": "from trustnlp.a import two\ndef f(x):\n    return getattr(two, 'g' + '')(x)",
    "a module named in a text": "from importlib import import_module\ndef f(x):\n    return import_module('trustnlp.a.two').g(x)",
}  # fmt: skip
G = "def g(x):\n    return x + 1"
# Case: files, cell, old and new text.
CHANGES = {
    **{case: ({"a/one.py": code}, ONE, old, new) for case, (code, old, new) in IN_ONE_FILE.items()},
    **{case: ({"a/one.py": code, "a/two.py": G}, ONE, "x + 1", "x + 2") for case, code in IN_ANOTHER_FILE.items()},
    "a name that its package gives on": (
        {"b/__init__.py": "from trustnlp.a.two import g", "a/two.py": G, "a/one.py": "from trustnlp.b import g as f"}, ONE, "x + 1", "x + 2",
    ),
    "a lazy table of modules": (
        {"b/__init__.py": "from importlib import import_module\n_WHERE = {'g': 'trustnlp.a.two'}\ndef __getattr__(name):\n    return getattr(import_module(_WHERE[name]), name)", "a/two.py": G},
        "from trustnlp.b import g\nrecord.metric('x', g(3))", "x + 1", "x + 2",
    ),
    "a star import in the notebook": (
        {"a/one.py": "def f(x):\n    return x + 1"}, "from trustnlp.a.one import *\nrecord.metric('x', f(3))", "x + 1", "x + 2",
    ),
    "a function noted by a decorator of the package": (
        {"a/two.py": "T = {}\ndef note(g):\n    T[g.__name__] = g\n    return g\n", "a/one.py": "from trustnlp.a.two import T, note\n@note\ndef g(x):\n    return x + 1\ndef f(x):\n    return T['g'](x)\n"},
        ONE, "x + 1", "x + 2",
    ),
    "a function noted by a call of a call": (
        {"a/two.py": "T = {}\ndef keep(g):\n    T['g'] = g\ndef note(g):\n    keep(g)\n    return g\n", "a/one.py": "from trustnlp.a.two import T, note\ndef g(x):\n    return x + 1\n_KEPT = note(g)\ndef f(x):\n    return T['g'](x)\n"},
        ONE, "x + 1", "x + 2",
    ),
    "a conditional import": (
        {"a/one.py": "try:\n    from trustnlp.a.two import f\nexcept ImportError:\n    f = None", "a/two.py": "def f(x):\n    return x + 1"}, ONE, "x + 1", "x + 2",
    ),
    "a method put into another module's class": (
        {"a/one.py": "from trustnlp.a import two\ntwo.K = 5\ndef f(x):\n    return two.g(x)", "a/two.py": "K = 1\ndef g(x):\n    return x + K"}, ONE, "K = 5", "K = 6",
    ),
    "what a module that is only imported sets elsewhere": (
        {"a/one.py": "from trustnlp.a import three, two\ndef f(x):\n    return two.g(x)", "a/three.py": "from trustnlp.a import two\ntwo.K = 5", "a/two.py": "K = 1\ndef g(x):\n    return x + K"},
        ONE, "K = 5", "K = 6",
    ),
    "a check whose words act": (
        {"a/one.py": "from trustnlp.files.same_rows import check_lists\ndef f(x):\n    check_lists(x=x.append(1))\n    return x", "files/__init__.py": "", "files/same_rows.py": "def check_lists(x): ..."},
        ONE, "append(1)", "append(2)",
    ),
    "a data file": (
        {"a/one.py": "from pathlib import Path\ndef f(x):\n    return (Path(__file__).parent / 'words.toml').read_text()", "a/words.toml": "x = 1"}, ONE, "x = 1", "x = 2",
    ),
    "a data file by a computed name": (
        {"a/one.py": "from pathlib import Path\ndef f(x):\n    return (Path(__file__).parent / f'{x}s.json').read_text()", "a/3s.json": "[1]"}, ONE, "[1]", "[2]",
    ),
    "a data file whose reader is given its name": (
        {"a/two.py": "from importlib import resources\ndef read(name):\n    return resources.files('trustnlp.a').joinpath(name)", "a/one.py": "from trustnlp.a.two import read\ndef f(x):\n    return read('words.toml')", "a/words.toml": "x = 1"},
        ONE, "x = 1", "x = 2",
    ),
}  # fmt: skip


CHECKED = "from contextlib import suppress\nfrom trustnlp.files.same_rows import check_lists\ndef f(x):\n    y = []\n    it = iter([1])\n"
# What a check may do to a number after all: each call, in the place of `pass`, makes the function give another.
ACTING_CHECKS = {
    "its error is caught": "    try:\n        {}\n    except ValueError:\n        return 2\n    return 1",
    "its error is passed over": "    with suppress(ValueError):\n        {}\n        return 1\n    return 2",
    "its error is dropped at the end": "    try:\n        {}\n    finally:\n        return 2",
    "it maps": "    {}\n    return y|check_lists(a=list(map(y.append, [1])))",
    "it sorts by what acts": "    {}\n    return y|check_lists(a=sorted([1], key=y.append))",
    "a name of Python's own is another's": "    list = y.append\n    {}\n    return y|check_lists(a=list(1))",
    "a method may act": "    {}\n    return y|check_lists(a=x.get())",
    "a part may act": "    {}\n    return y|check_lists(a=x.part)",
    "an item may be made": "    {}\n    return y|check_lists(a=x[1])",
    "an iterator is used up": "    {}\n    return list(it)|check_lists(a=list(it))",
    "an iterator is unpacked": "    {}\n    return list(it)|check_lists(*it)",
    "an iterator is gone through": "    {}\n    return list(it)|check_lists(a=[i for i in it])",
}  # fmt: skip


@pytest.mark.parametrize("case", ACTING_CHECKS)
def test_a_check_that_may_change_a_number_counts(tmp_path: Path, case: str) -> None:
    body, _, call = ACTING_CHECKS[case].partition("|")
    files = {
        "a/one.py": CHECKED + body.format("pass"),
        "files/__init__.py": "",
        "files/same_rows.py": "def check_lists(**x): ...",
    }
    assert doubted(tmp_path, files, ONE, {"a/one.py": ("pass", call or "check_lists(a=x)")})


@pytest.mark.parametrize("case", CHANGES)
def test_what_changes_a_number_puts_its_record_in_doubt(tmp_path: Path, case: str) -> None:
    files, cell, old, new = CHANGES[case]
    [name] = [name for name, text in files.items() if text.count(old) == 1]
    assert doubted(tmp_path, files, cell, {name: (old, new)}), "the change went unseen"


FILES = {
    "a/one.py": '''
        """What it is."""
        from __future__ import annotations
        from dataclasses import dataclass
        from trustnlp.a.two import g
        from trustnlp.files.same_rows import check_one_order
        import logging
        from trustnlp.plots import style

        log = logging.getLogger("a")

        @dataclass(frozen=True)
        class Held:
            """Some."""
            part: Other  # its type
            n: int = 1

        class Other:
            pass

        def unused(x):
            return x + 10

        def f(x: int, held: Other | None = None) -> float:
            """Add one."""
            check_one_order(given=x)
            first: int = g(x)  # twice
            if first < 0:
                raise ValueError(f"expected more than {x}, got {len(str(first))}: give more")
            assert first, "words"
            style.GREY
            log.info("seen %s", len(str(first)))
            return first + Held(held).n
    ''',
    "a/two.py": "def g(x):\n    return 2 * x\ndef other(x):\n    return x\n",
    "files/__init__.py": "",
    "files/same_rows.py": "def check_one_order(**columns):\n    if not columns:\n        raise ValueError\n",
    "plots/__init__.py": "",
    "plots/style.py": "GREY = '#777'\n",
    "reproduce/__init__.py": "Record = 1\n",
}
IDLE = {
    "a comment": ("a/one.py", "# twice", "# doubled"),
    "a docstring": ("a/one.py", "Add one.", "Add two."),
    "a module's docstring": ("a/one.py", "What it is.", "What it was."),
    "a class's docstring": ("a/one.py", "Some.", "Any."),
    "the text of an error": ("a/one.py", "give more", "please give more"),
    "what an error tells": ("a/one.py", "{len(str(first))}", "{sorted(str(first))}"),
    "what a logger is told": ("a/one.py", "seen %s", "seen once: %s"),
    "what a check looks at": ("a/one.py", "given=x", "given=[x], **{f'{k}': v for k, v in x.items()}"),
    "whether a check is called": ("a/one.py", "check_one_order(given=x)", "pass"),
    "what a check refuses": ("files/same_rows.py", "not columns", "columns"),
    "what an assertion says": ("a/one.py", '"words"', '"more words"'),
    "a parameter's annotation": ("a/one.py", "x: int", "x: float"),
    "a returned type": ("a/one.py", "-> float", "-> int"),
    "a variable's annotation": ("a/one.py", "first: int", "first: float"),
    "a class that only annotations name": ("a/one.py", "    pass", "    x = 1"),
    "what is not reached": ("a/one.py", "x + 10", "x + 11"),
    "what is not reached in a file that is": ("a/two.py", "return x\n", "return -x\n"),
    "a grey": ("plots/style.py", "#777", "#888"),
    "the frame": ("reproduce/__init__.py", "Record = 1", "Record = 2"),
    "blank lines": ("a/two.py", "def other", "\n\n\ndef other"),
}


@pytest.mark.parametrize("case", IDLE)
def test_what_changes_no_number_doubts_nothing(tmp_path: Path, case: str) -> None:
    name, old, new = IDLE[case]
    assert doubted(tmp_path, FILES, ONE, {name: (old, new)}) == []


def test_a_check_that_counts_for_nothing_only_refuses() -> None:
    for unit in REFUSALS:
        module, _, name = unit.partition(":")
        check = ast.parse(inspect.getsource(getattr(import_module(module), name)))
        bound = {node.id for node in ast.walk(check) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for node in ast.walk(check):
            assert not isinstance(node, ast.Return | ast.Yield | ast.Global | ast.Nonlocal | ast.Delete)
            if isinstance(node, ast.Attribute | ast.Subscript):
                assert isinstance(node.ctx, ast.Load), "it sets a part of something"
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in MUTATORS | {"setdefault"}
            ):
                assert isinstance(node.func.value, ast.Name) and node.func.value.id in bound


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


def test_no_class_but_the_record_has_a_method_named_metric_or_metrics() -> None:
    """The form leaves `unit=` out of every call of these names."""
    trees = (ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py") if "reproduce" not in path.parts)
    classes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert not [c.name for c in classes for node in c.body if getattr(node, "name", "") in RECORDING]


def test_a_move_and_new_names_need_no_run(tmp_path: Path) -> None:
    files = {
        "a/one.py": "from trustnlp.a.two import g, K\ndef f(x):\n    return g(x) + K\n",
        "a/two.py": "K = 1\nclass C:\n    part = K\ndef g(x):\n    return C.part if x else g(x - 1)\n",
        "a/words.toml": "x = 1",
    }
    moved = {
        "b/__init__.py": "",
        "b/three.py": "from trustnlp.b import deep\ndef better(x):\n    return deep.helper(x) + deep.LIMIT\n",
        "b/deep.py": "from trustnlp.b.four import Kept, LIMIT\ndef helper(x):\n    return Kept.part if x else helper(x - 1)\n",
        "b/four.py": "LIMIT = 1\nclass Kept:\n    part = LIMIT\n",
    }
    before = found(write(tmp_path / "before", files), ONE)
    now = found(write(tmp_path / "after", moved), "from trustnlp.b.three import better as h\nrecord.metric('x', h(3))")
    assert changes(before, now) == []
    assert before[TOGETHER] == now[TOGETHER] and set(before) != set(now)


@pytest.mark.parametrize("data", ["words.json", "words.yaml", "words.toml"])
def test_line_ends_of_another_system_need_no_run(tmp_path: Path, data: str) -> None:
    code = f"from pathlib import Path\ndef f(x):\n    return (Path(__file__).parent / '{data}').read_text()\n"
    files = {"a/one.py": code, f"a/{data}": 'x = """1\n2"""\n'}
    before, after = found(write(tmp_path / "before", files), ONE), write(tmp_path / "after", files)
    for path in after.rglob("*.*"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert changes(before, found(after, ONE)) == []
    assert changes(before, found(write(tmp_path / "other", files | {f"a/{data}": "x = 2"}), ONE)) != []


NAMED = "def f(x):\n    first = x + 1\n    second = [a * b for a, b in zip([x], [first])]\n    def inner(y):\n        third = y - first\n        return third\n    return inner(first) - second[0]\n"
OTHERWISE = {
    "other names": (NAMED.replace("first", "one").replace("third", "it").replace("a * b for a, b", "c * d for c, d"), True),
    "names exchanged with each other": (NAMED.replace("first", "_").replace("second", "first").replace("_", "second"), True),
    "one name for two": (NAMED.replace("third", "first"), False),  # another variable now, and unbound
    "the values exchanged": (NAMED.replace("inner(first) - second[0]", "inner(second[0]) - first"), False),
    "factors exchanged": (NAMED.replace("a * b for", "b * a for"), False),
    "an outer variable in the place of an inner one": (NAMED.replace("return third", "return first"), False),
    "a parameter": (NAMED.replace("(y)", "(z)").replace("= y", "= z"), False),  # callers may name it
    "names that are read": (NAMED.replace("second[0]", "locals()['second'][0]"), False),
}  # fmt: skip


@pytest.mark.parametrize("case", OTHERWISE)
def test_the_name_of_a_variable_says_nothing_and_which_it_is_says_all(tmp_path: Path, case: str) -> None:
    code, same = OTHERWISE[case]
    assert code != NAMED
    assert (doubted(tmp_path, {"a/one.py": NAMED}, ONE, {"a/one.py": (NAMED, code)}) == []) == same


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n    old = x\n    def g():\n        nonlocal old\n        old = 2\n    g()\n    return old\n",
        "def f(x):\n    old = x\n    return eval('old')\n",
        "def f(x):\n    try:\n        return 1 / x\n    except ValueError as old:\n        return len(str(old))\n",
        "def f(x):\n    class C:\n        old = x\n    return C.__dict__['new' if x else 'x']\n",
        "def f(x):\n    old = x\n    return f'{old=}'\n",
    ],
)
def test_a_variable_that_may_be_read_by_its_name_keeps_it(tmp_path: Path, code: str) -> None:
    edit = {"a/one.py": (code, code.replace("old", "new"))}
    assert doubted(tmp_path, {"a/one.py": code}, ONE, edit)


def test_the_definitions_that_changed_are_named_and_no_others(tmp_path: Path) -> None:
    files = {
        "a/one.py": "from trustnlp.a.two import g\ndef f(x):\n    return g(x) + 1\n",
        "a/two.py": "K = 1\ndef g(x):\n    return x + K\n",
    }
    assert doubted(tmp_path / "1", files, ONE, {"a/two.py": ("K = 1", "K = 2")}) == ["trustnlp.a.two:K"]
    both = doubted(tmp_path / "2", files, ONE, {"a/two.py": ("K = 1", "K = 2"), "a/one.py": ("+ 1", "+ 2")})
    assert both == ["trustnlp.a.one:f", "trustnlp.a.two:K"]
    new = doubted(
        tmp_path / "3", files, ONE, {"a/two.py": ("return x + K", "return x + h(K)\ndef h(x):\n    return x")}
    )
    assert new == ["trustnlp.a.two:g", "trustnlp.a.two:h"]


# The notebook -------------------------------------------------------------------------------------------------------

TWO = {
    "a/one.py": (
        "def f(x):\n    return x + 1\ndef shown(x):\n    return x + 2\ndef fill(rows):\n    rows.append(1)\n"
        "def note(record, x):\n    record.metric('n', x)\nclass Box:\n    def __init__(self):\n        self.x = 0\n"
        "    def put(self, x):\n        self.x = x\n"
    )
}
START = "from trustnlp.a.one import Box, f, fill, note, shown\nfrom trustnlp.a import one\nimport numpy as np\nimport torch\n"
KEPT = {  # what is kept: old and new text of the notebook
    "what is recorded": ("y = f(1)\nrecord.metric('x', y)", "f(1)", "f(2)"),
    "what is recorded with others": ("y = {'x': f(1)}\nrecord.metrics(y)", "f(1)", "f(2)"),
    "a number in a call that records many": ("record.metrics({'x': 1, 'y': 0.5}, prefix='z')", "0.5", "0.6"),
    "the prefix of many": ("record.metrics({'x': 1}, prefix='z')", "'z'", "'y'"),
    "a part of a mapping that is recorded": ("rows = {}\nrows['a'] = f(1)\nrecord.metrics(rows)", "] = f(1)", "] = f(2)"),
    "a deviation": ("record.deviation('less', keys=['x'])", "less", "more"),
    "a function that is given the record": ("note(record, f(1))", "f(1)", "f(2)"),
    "a global of such a function, set later": ("def g():\n    return k\nk = 1\nh = g\nrecord.metric('x', h())", "k = 1", "k = 2"),
    "a method of the record by another name": ("say = record.metric\nsay('x', f(1))", "f(1)", "f(2)"),
    "a function that records": ("def g(x):\n    record.metric('x', x)\ng(f(1))", "f(1)", "f(2)"),
    "what skips the rest of a loop": (
        "for i in [1, 2]:\n    if f(i) > 2:\n        continue\n    record.metric(f'x{i}', i)", "> 2", "> 3",
    ),
    "what ends a loop": ("for i in [1, 2]:\n    for j in [1]:\n        record.metric(f'x{i}', i)\n    if f(i) > 2:\n        break", "> 2", "> 3"),
    "an error that a handler meets": (
        "y = 1\ntry:\n    if f(1) > 2:\n        raise ValueError\n    y = 2\nexcept ValueError:\n    pass\nrecord.metric('x', y)", "> 2", "> 3",
    ),
    "a condition": ("y = 1\nif f(1) > 1:\n    y = 2\nrecord.metric('x', y)", "f(1) > 1", "f(1) > 2"),
    "a list that is filled": ("rows = []\nrows.append(f(1))\nrecord.metric('x', rows)", "append(f(1))", "append(f(2))"),
    "a list that a function fills": ("rows = []\nfor i in range(3):\n    fill(rows)\nrecord.metric('x', rows)", "range(3)", "range(4)"),
    "a list by another name": ("rows = []\nothers = rows\nothers.append(1)\nrecord.metric('x', rows)", "append(1)", "append(2)"),
    "a part that is set": ("rows = {}\nrows['a'] = f(1)\nrecord.metric('x', rows['a'])", "] = f(1)", "] = f(2)"),
    "an object's method that changes it": ("box = Box()\nbox.put(f(1))\nrecord.metric('x', box.x)", "put(f(1))", "put(f(2))"),
    "a seed": ("torch.manual_seed(0)\nrecord.metric('x', f(1))", "seed(0)", "seed(1)"),
    "an attribute of a module": ("one.K = 1\nrecord.metric('x', f(1))", "K = 1", "K = 2"),
    "a draw that only a shown table makes": (
        "rng = np.random.default_rng(0)\ntable = shown(rng)\nrecord.metric('x', f(rng.normal()))", "shown(rng)", "f(rng)",
    ),
    "an augmented name": ("y = 1\ny += f(1)\nrecord.metric('x', y)", "+= f(1)", "+= f(2)"),
    "a name bound by `with`": ("with open('a') as file:\n    y = file.read()\nrecord.metric('x', y)", "open('a')", "open('b')"),
    "a lambda": ("k = 1\ng = lambda x: f(x) + k\nrecord.metric('x', g(1))", "k = 1", "k = 2"),
    "a walrus": ("record.metric('x', (y := f(1)))\nrecord.metric('z', y)", "f(1)", "f(2)"),
}  # fmt: skip
SHOWN = {
    "a table": ("y = f(1)\nrecord.metric('x', y)\nshown(y)", "shown(y)", "shown(-y)"),
    "a print": ("print(f(1))\nrecord.metric('x', f(1))", "print(f(1))", "print(f(2))"),
    "a figure from the record": (
        "from trustnlp.reproduce.records.page_evidence import evidence\nrecord.metric('x', f(1))\nnumbers = evidence(record)\nshown(numbers)",
        "shown(numbers)", "shown(2)",
    ),
    "an assertion": ("record.metric('x', f(1))\nassert f(1) > 0", "> 0", "> 1"),
    "the record itself": ("record.metric('x', f(1))\nrecord.save()\nrecord", "\nrecord.save()\nrecord", "\nrecord"),
}  # fmt: skip


def test_a_kept_statement_brings_all_that_it_reads(tmp_path: Path) -> None:
    """`a |= b` reads `a`; it is kept since it may change what the record holds."""
    package = write(tmp_path, TWO)
    cell = "k = f(1)\nreal = {'a': k}\nreal |= {'b': k}\nrecord.metric('x', k)"
    cells = [CodeCell(ast.parse(HEAD + START).body), CodeCell(ast.parse(cell).body)]
    kept = ast.unparse(ast.Module(sliced(cells, package_at(package)), []))
    assert "real |=" not in kept or "real = {" in kept


@pytest.mark.parametrize("case", KEPT)
def test_statements_on_which_the_record_depends_count(tmp_path: Path, case: str) -> None:
    text, old, new = KEPT[case]
    assert text.count(old) == 1
    package = write(tmp_path, TWO)
    assert changes(found(package, START, text, "1"), found(package, START, text.replace(old, new), "1"))


@pytest.mark.parametrize("case", SHOWN)
def test_statements_that_only_show_do_not_count(tmp_path: Path, case: str) -> None:
    text, old, new = SHOWN[case]
    assert text.count(old) == 1
    package = write(tmp_path, TWO)
    before, now = found(package, START, text), found(package, START, text.replace(old, new))
    assert changes(before, now) == []


def test_all_parameters_count_where_all_variables_are_handed_over(tmp_path: Path) -> None:
    package = write(tmp_path, {"a/one.py": "def f(given):\n    return given['size'] + given['more']\n"})
    cell = "from trustnlp.a.one import f\nmore = 1\nother = 2\nrecord.metric('x', f(vars()))"
    before = found(package, cell, parameters="size = 1")
    assert changes(before, found(package, cell, parameters="size = 2"))
    assert changes(before, found(package, cell.replace("more = 1", "more = 3"), parameters="size = 1"))
    assert not changes(before, found(package, cell.replace("other = 2", "other = 3"), parameters="size = 1"))
