# ruff: noqa: E501 - each case is one row: the files, the cell, and what is edited
"""Which edits put a record in doubt: planted in a small package, for every way in which code can reach other code."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from trustnlp.reproduce.code.code_closure import TOGETHER, changes, evidence_of
from trustnlp.reproduce.code.reach import PACKAGE, package_at
from trustnlp.reproduce.notebooks.notebook_slice import Cell, sliced

HEAD = "from trustnlp.reproduce import Record\nrecord = Record('a', 'b', profile='smoke')\n"


def write(root: Path, files: dict[str, str]) -> Path:
    package = root / "trustnlp"
    for name, text in {"__init__.py": "", "a/__init__.py": "", **files}.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return package


def found(package: Path, *cells: str, parameters: str = "") -> dict[str, str]:
    every = [Cell(ast.parse(parameters).body, True), *(Cell(ast.parse(textwrap.dedent(cell)).body) for cell in cells)]
    return evidence_of([Cell(ast.parse(HEAD).body), *every], package_at(package))[0]


def doubted(root: Path, files: dict[str, str], cell: str, edits: dict[str, tuple[str, str]]) -> list[str]:
    """What is named as changed when some text of some files is replaced."""
    before = found(write(root / "before", files), cell)
    edited = dict(files)
    for name, (old, new) in edits.items():
        assert edited[name].count(old) == 1, (name, old)
        edited[name] = edited[name].replace(old, new)
    return changes(before, found(write(root / "after", edited), cell))


ONE = "from trustnlp.a.one import f\nrecord.metric('x', f(3))"
# Case: files, cell, the file that is edited, old and new text. Each changes what the notebook records.
CHANGES = {
    "a function": ({"a/one.py": "def f(x):\n    return x + 1"}, ONE, "x + 1", "x - 1"),
    "a constant": ({"a/one.py": "K = 1\ndef f(x):\n    return x + K"}, ONE, "K = 1", "K = 2"),
    "a constant by another": ({"a/one.py": "J = 1\nK = J * 2\ndef f(x):\n    return x + K"}, ONE, "J = 1", "J = 2"),
    "an alias of an import": (
        {"a/one.py": "from trustnlp.a.two import g as h\ndef f(x):\n    return h(x)", "a/two.py": "def g(x):\n    return x + 1"},
        ONE, "x + 1", "x + 2",
    ),
    "an alias by assignment": ({"a/one.py": "def g(x):\n    return x + 1\nf = g"}, ONE, "x + 1", "x + 2"),
    "a module's attribute": (
        {"a/one.py": "import trustnlp.a.two\ndef f(x):\n    return trustnlp.a.two.g(x)", "a/two.py": "def g(x):\n    return x + 1"},
        ONE, "x + 1", "x + 2",
    ),
    "a module taken from its package": (
        {"a/one.py": "from trustnlp.a import two\ndef f(x):\n    return two.g(x)", "a/two.py": "def g(x):\n    return x + 1"},
        ONE, "x + 1", "x + 2",
    ),
    "an import in a function": (
        {"a/one.py": "def f(x):\n    from trustnlp.a.two import g\n    return g(x)", "a/two.py": "def g(x):\n    return x + 1"},
        ONE, "x + 1", "x + 2",
    ),
    "a name that its package gives on": (
        {"b/__init__.py": "from trustnlp.a.two import g", "a/two.py": "def g(x):\n    return x + 1", "a/one.py": "from trustnlp.b import g as f"},
        ONE, "x + 1", "x + 2",
    ),
    "a lazy package": (
        {
            "b/__init__.py": "def __getattr__(name):\n    from trustnlp.a.two import g\n    return g",
            "a/two.py": "def g(x):\n    return x + 1",
        },
        "from trustnlp.b import g\nrecord.metric('x', g(3))", "x + 1", "x + 2",
    ),
    "a lazy table of modules": (
        {
            "b/__init__.py": "from importlib import import_module\n_WHERE = {'g': 'trustnlp.a.two'}\ndef __getattr__(name):\n    return getattr(import_module(_WHERE[name]), name)",
            "a/two.py": "def g(x):\n    return x + 1",
        },
        "from trustnlp.b import g\nrecord.metric('x', g(3))", "x + 1", "x + 2",
    ),
    "a star import": (
        {"a/one.py": "from trustnlp.a.two import *\ndef f(x):\n    return g(x)", "a/two.py": "def g(x):\n    return x + 1"},
        ONE, "x + 1", "x + 2",
    ),
    "a star import in the notebook": (
        {"a/one.py": "def f(x):\n    return x + 1"}, "from trustnlp.a.one import *\nrecord.metric('x', f(3))", "x + 1", "x + 2",
    ),
    "a default": ({"a/one.py": "K = 1\ndef f(x, k=K):\n    return x + k"}, ONE, "K = 1", "K = 2"),
    "a keyword's default": ({"a/one.py": "def f(x, *, k=1):\n    return x + k"}, ONE, "k=1", "k=2"),
    "a decorator": (
        {"a/one.py": "def twice(g):\n    return lambda x: 2 * g(x)\n@twice\ndef f(x):\n    return x"}, ONE, "2 * g", "3 * g",
    ),
    "a class attribute": ({"a/one.py": "class C:\n    K = 1\ndef f(x):\n    return x + C.K"}, ONE, "K = 1", "K = 2"),
    "a method of an object": (
        {"a/one.py": "class C:\n    def m(self, x):\n        return x + 1\ndef f(x):\n    return C().m(x)"}, ONE, "x + 1", "x + 2",
    ),
    "a base's method": (
        {"a/two.py": "class B:\n    def m(self, x):\n        return x + 1", "a/one.py": "from trustnlp.a.two import B\nclass C(B):\n    pass\ndef f(x):\n    return C().m(x)"},
        ONE, "x + 1", "x + 2",
    ),
    "a subclass that a table names": (
        {"a/one.py": "class B:\n    def m(self, x):\n        return x\nclass C(B):\n    def m(self, x):\n        return x + 1\nKINDS = {'c': C}\ndef f(x):\n    return KINDS['c']().m(x)"},
        ONE, "x + 1", "x + 2",
    ),
    "the order of a data class's fields": (
        {"a/one.py": "from dataclasses import dataclass\n@dataclass\nclass C:\n    a: int\n    b: int\ndef f(x):\n    return C(x, 1).a"},
        ONE, "    a: int\n    b: int", "    b: int\n    a: int",
    ),
    "a data class's field that belongs to the class": (
        {"a/one.py": "from dataclasses import dataclass\nfrom typing import ClassVar\n@dataclass\nclass C:\n    a: int = 1\n    b: int = 2\ndef f(x):\n    return C(x).b"},
        ONE, "a: int", "a: ClassVar[int]",
    ),
    "an annotation that a decorator may read": (
        {"a/one.py": "from functools import singledispatch\ndef f(x):\n    return g(x)\n@singledispatch\ndef g(x):\n    return 1\n@g.register\ndef _int(x: int):\n    return 2"},
        ONE, "x: int", "x: str",
    ),
    "a function that is registered": (
        {"a/one.py": "from functools import singledispatch\n@singledispatch\ndef f(x):\n    return 1\n@f.register(int)\ndef _int(x):\n    return 2"},
        ONE, "return 2", "return 3",
    ),
    "a function in a registry filled by a loop": (
        {"a/one.py": "def g(x):\n    return x + 1\nT = {}\nfor name in ['g']:\n    T[name] = g\ndef f(x):\n    return T['g'](x)"},
        ONE, "x + 1", "x + 2",
    ),
    "a function noted by a decorator of the package": (
        {"a/two.py": "T = {}\ndef note(g):\n    T[g.__name__] = g\n    return g\n", "a/one.py": "from trustnlp.a.two import T, note\n@note\ndef g(x):\n    return x + 1\ndef f(x):\n    return T['g'](x)\n"},
        ONE, "x + 1", "x + 2",
    ),
    "a function noted by a call of a call": (
        {"a/two.py": "T = {}\ndef keep(g):\n    T['g'] = g\ndef note(g):\n    keep(g)\n    return g\n", "a/one.py": "from trustnlp.a.two import T, note\ndef g(x):\n    return x + 1\n_KEPT = note(g)\ndef f(x):\n    return T['g'](x)\n"},
        ONE, "x + 1", "x + 2",
    ),
    "an enum": (
        {"a/one.py": "import enum\nclass E(enum.Enum):\n    A = 1\n    B = 2\ndef f(x):\n    return E.A.value"}, ONE, "A = 1", "A = 3",
    ),
    "a table that is filled later": ({"a/one.py": "T = {}\nT['x'] = 1\ndef f(x):\n    return T['x']"}, ONE, "= 1", "= 2"),
    "a table that is updated": ({"a/one.py": "T = {}\nT.update(x=1)\ndef f(x):\n    return T['x']"}, ONE, "x=1", "x=2"),
    "an augmented constant": ({"a/one.py": "K = 1\nK += 1\ndef f(x):\n    return x + K"}, ONE, "+= 1", "+= 2"),
    "a partial function": (
        {"a/one.py": "from functools import partial\ndef g(x, k):\n    return x + k\nf = partial(g, k=1)"}, ONE, "k=1", "k=2",
    ),
    "a table of functions": (
        {"a/one.py": "def g(x):\n    return x + 1\nTABLE = {'g': g}\ndef f(x):\n    return TABLE['g'](x)"}, ONE, "x + 1", "x + 2",
    ),
    "a function in a comprehension": (
        {"a/one.py": "def g(x):\n    return x + 1\ndef f(x):\n    return sum(g(y) for y in range(x))"}, ONE, "y in range(x)", "y in range(x + 1)",
    ),
    "a global in a comprehension of a class": (
        {"a/one.py": "K = 2\nclass C:\n    rows = [K for _ in range(3)]\ndef f(x):\n    return C.rows[0]"}, ONE, "K = 2", "K = 3",
    ),
    "a name that a nested function uses": (
        {"a/one.py": "K = 1\ndef f(x):\n    def g():\n        return K\n    return x + g()"}, ONE, "K = 1", "K = 2",
    ),
    "a method that has a global's name": (
        {"a/one.py": "def m(x):\n    return x + 1\nclass C:\n    def m(self, x):\n        return m(x)\ndef f(x):\n    return C().m(x)"},
        ONE, "x + 1", "x + 2",
    ),
    "a conditional import": (
        {"a/one.py": "try:\n    from trustnlp.a.two import f\nexcept ImportError:\n    f = None", "a/two.py": "def f(x):\n    return x + 1"},
        ONE, "x + 1", "x + 2",
    ),
    "what is set in another branch": (
        {"a/one.py": "import sys\nif sys.platform == 'linux':\n    K = 1\nelse:\n    K = 2\ndef f(x):\n    return K"}, ONE, "K = 2", "K = 3",
    ),
    "a method put into another module's class": (
        {"a/one.py": "from trustnlp.a import two\ntwo.K = 5\ndef f(x):\n    return two.g(x)", "a/two.py": "K = 1\ndef g(x):\n    return x + K"},
        ONE, "K = 5", "K = 6",
    ),
    "what a module that is only imported sets elsewhere": (
        {"a/one.py": "from trustnlp.a import three, two\ndef f(x):\n    return two.g(x)", "a/three.py": "from trustnlp.a import two\ntwo.K = 5", "a/two.py": "K = 1\ndef g(x):\n    return x + K"},
        ONE, "K = 5", "K = 6",
    ),
    "a module that is asked by a computed name": (
        {"a/one.py": "from trustnlp.a import two\ndef f(x):\n    return getattr(two, 'g' + '')(x)", "a/two.py": "def g(x):\n    return x + 1"},
        ONE, "x + 1", "x + 2",
    ),
    "a name asked of globals()": (
        {"a/one.py": "def _g1(x):\n    return x + 1\ndef f(x):\n    return globals()[f'_g{1}'](x)"}, ONE, "x + 1", "x + 2",
    ),
    "a module named in a text": (
        {"a/one.py": "from importlib import import_module\ndef f(x):\n    return import_module('trustnlp.a.two').g(x)", "a/two.py": "def g(x):\n    return x + 1"},
        ONE, "x + 1", "x + 2",
    ),
    "a data file": (
        {"a/one.py": "from pathlib import Path\ndef f(x):\n    return (Path(__file__).parent / 'words.toml').read_text()", "a/words.toml": "x = 1"},
        ONE, "x = 1", "x = 2",
    ),
    "a data file by a computed name": (
        {"a/one.py": "from pathlib import Path\ndef f(x):\n    return (Path(__file__).parent / f'{x}s.json').read_text()", "a/3s.json": "[1]"},
        ONE, "[1]", "[2]",
    ),
    "a data file whose reader is given its name": (
        {"a/two.py": "from importlib import resources\ndef read(name):\n    return resources.files('trustnlp.a').joinpath(name)", "a/one.py": "from trustnlp.a.two import read\ndef f(x):\n    return read('words.toml')", "a/words.toml": "x = 1"},
        ONE, "x = 1", "x = 2",
    ),
    "the type of an error that steers": (
        {"a/one.py": "def g(x):\n    raise ValueError('no')\ndef f(x):\n    try:\n        return g(x)\n    except ValueError:\n        return 1"},
        ONE, "raise ValueError", "raise KeyError",
    ),
    "a call in a message": (
        {"a/one.py": "def g(x):\n    x.append(1)\n    return x\ndef f(x):\n    raise ValueError(f'no {g(x)}')"}, ONE, "append(1)", "append(2)",
    ),
    "an error's text that is a value": (
        {"a/one.py": "def f(x):\n    error = ValueError('four')\n    return len(str(error))"}, ONE, "four", "eleven",
    ),
    "what looks like a logger": (
        {"a/one.py": "class Log:\n    def info(self, x):\n        self.total = x\nlog = Log()\ndef f(x):\n    log.info(x + 1)\n    return log.total"},
        ONE, "info(x + 1)", "info(x + 2)",
    ),
    "a logger that is given": (
        {"a/one.py": "def g(x, log):\n    log.info(x + 1)\n    return log\ndef f(x):\n    return g(x, [])"}, ONE, "info(x + 1)", "info(x + 2)",
    ),
    "what a logger is told, made by a call": (
        {"a/one.py": "import logging\nlog = logging.getLogger('a')\ndef f(x):\n    log.info('%s', x.append(1))\n    return x"},
        ONE, "append(1)", "append(2)",
    ),
    "a docstring that code reads": ({"a/one.py": 'def f(x):\n    """One."""\n    return len(f.__doc__)'}, ONE, "One", "Eleven"),
    "which of two like functions is called": (
        {"a/one.py": "def g(x):\n    return x + A\ndef h(x):\n    return x + B\nA = 1\nB = 2\ndef f(x):\n    return g(x) - 2 * h(x)"},
        ONE, "g(x) - 2 * h(x)", "h(x) - 2 * g(x)",
    ),
    "functions that call each other": (
        {"a/one.py": "def g(x):\n    return f(x - 1)\ndef f(x):\n    return 0 if x < 1 else g(x) + 1"}, ONE, "x - 1", "x - 2",
    ),
}  # fmt: skip


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
            first: int = g(x)  # twice
            if first < 0:
                raise ValueError(f"expected more than {x}, got {len(str(first))}: give more")
            assert first, "words"
            style.GREY
            log.info("seen %s", len(str(first)))
            return first + Held(held).n
    ''',
    "a/two.py": "def g(x):\n    return 2 * x\ndef other(x):\n    return x\n",
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


def test_no_class_but_the_record_has_a_method_named_metric() -> None:
    """The form leaves `unit=` out of every call of that name."""
    trees = (ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py") if "reproduce" not in path.parts)
    classes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert not [c.name for c in classes for node in c.body if getattr(node, "name", "") == "metric"]


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
    "a key": ("record.metric('x', 1)", "'x'", "'y'"),
    "a deviation": ("record.deviation('less', keys=['x'])", "less", "more"),
    "a function that is given the record": ("note(record, f(1))", "f(1)", "f(2)"),
    "a function of the notebook": ("def g(x):\n    return f(x)\nrecord.metric('x', g(1))", "f(x)", "f(-x)"),
    "a global of such a function, set later": ("def g():\n    return k\nk = 1\nh = g\nrecord.metric('x', h())", "k = 1", "k = 2"),
    "a method of the record by another name": ("say = record.metric\nsay('x', f(1))", "f(1)", "f(2)"),
    "a function that records": ("def g(x):\n    record.metric('x', x)\ng(f(1))", "f(1)", "f(2)"),
    "a loop": ("for i in [1, 2]:\n    y = f(i)\n    record.metric(f'x{i}', y)", "[1, 2]", "[1, 3]"),
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
    "a name unpacked": ("y, z = f(1), f(2)\nrecord.metric('x', z)", "f(2)", "f(3)"),
    "a lambda": ("k = 1\ng = lambda x: f(x) + k\nrecord.metric('x', g(1))", "k = 1", "k = 2"),
    "a walrus": ("record.metric('x', (y := f(1)))\nrecord.metric('z', y)", "f(1)", "f(2)"),
}  # fmt: skip
SHOWN = {
    "a table": ("y = f(1)\nrecord.metric('x', y)\nshown(y)", "shown(y)", "shown(-y)"),
    "what is made for it": ("z = shown(1)\nrecord.metric('x', f(1))\nz", "shown(1)", "shown(2)"),
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
    cells = [Cell(ast.parse(HEAD + START).body), Cell(ast.parse(cell).body)]
    kept = ast.unparse(ast.Module(sliced(cells, package_at(package)), []))
    assert "real |=" not in kept or "real = {" in kept


@pytest.mark.parametrize("case", KEPT)
def test_statements_on_which_the_record_depends_count(tmp_path: Path, case: str) -> None:
    text, old, new = KEPT[case]
    assert text.count(old) == 1
    package = write(tmp_path, TWO)
    # Statement by statement, so that none is the last of a cell by chance; and all in one cell.
    assert changes(found(package, START, text, "1"), found(package, START, text.replace(old, new), "1"))
    assert changes(found(package, START, f"{text}\n1"), found(package, START, f"{text.replace(old, new)}\n1"))


@pytest.mark.parametrize("case", KEPT)
def test_a_slice_is_python(tmp_path: Path, case: str) -> None:
    cells = [Cell(ast.parse(HEAD + START).body), Cell(ast.parse(KEPT[case][0]).body)]
    ast.parse(ast.unparse(ast.Module(sliced(cells, package_at(write(tmp_path, TWO))), [])))


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
