"""Import closures: what counts as code, what is followed, and whose keys an edit changes."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import trustnlp
from trustnlp.reproduce.notebooks import twins
from trustnlp.reproduce.notebooks.sources import closure, code_hash, combined
from trustnlp.reproduce.project import UserError, chapters

PACKAGE = Path(trustnlp.__file__).parent

CODE = '''\
"""What it is."""

from os import sep  # why


class A:
    """Doc."""

    def f(self, x):
        """Doc
        over lines.
        """
        # a comment
        return x + 1  # another


TEXT = """line

 # no comment
last"""
'''


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("  # a comment", "  # quite another comment", False),
        ('"""Doc."""', '"""Other\n\n    words # and more.\n    """', False),
        ('"""What it is."""\n', "", False),
        ("x + 1", "x + 2", True),
        (" # no comment", " # a comment", True),  # a hash sign in text
        ("line\n\n", "line \n\n", True),
    ],
)
def test_what_a_run_could_notice_counts_and_what_is_for_readers_does_not(old: str, new: str, counts: bool) -> None:
    assert CODE.count(old) == 1
    assert (code_hash(CODE.replace(old, new)) != code_hash(CODE)) is counts


# What is followed --------------------------------------------------------------------------------------------------


FILES = {
    "__init__.py": "",
    "a/__init__.py": "",
    "a/one.py": "from trustnlp.b import two\n",
    "a/table.toml": "x = 1\n",
    "a/registry.toml": "x = 1\n",
    "a/notes.md": "x\n",
    "a/deep/__init__.py": "from trustnlp.c import six\n",
    "a/deep/five.py": "",
    "b/__init__.py": "",
    "b/two.py": """
import os
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from trustnlp.c import four
else:
    import trustnlp.c.seven
def f():
    from trustnlp.b.three import g
""",
    "b/three.py": "import numpy\n",
    "c/__init__.py": "",
    "c/four.py": "",
    "c/six.py": "",
    "c/seven.py": "from trustnlp.a import one\n",
    "reproduce/__init__.py": "from trustnlp.reproduce.records.recording import Record\n",
    "reproduce/records/__init__.py": "",
    "reproduce/records/recording.py": "from trustnlp.c import four\n",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A small package in the place of `trustnlp`."""
    root = tmp_path / "trustnlp"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def changes(before: dict[str, str], now: dict[str, str]) -> list[str]:
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def edit(path: Path, text: str) -> None:
    """Write so that a cache that looks at the time of a change sees it, however coarse the clock is."""
    before = path.stat().st_mtime_ns
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(before + 10**9, before + 10**9))


def test_imports_are_followed_into_functions_and_not_for_type_checkers(package: Path) -> None:
    found = closure(["import numpy as np\nfrom trustnlp.a import one"], package=package)
    assert set(found) == {
        "a/__init__.py", "a/table.toml", "a/one.py", "b/__init__.py", "b/two.py", "b/three.py",
        "c/__init__.py", "c/seven.py",
    }  # fmt: skip
    assert list(found) == sorted(found)


@pytest.mark.parametrize(
    ("cell", "files"),
    [
        ("import trustnlp.b.three as t", {"b/__init__.py", "b/three.py"}),
        ("from trustnlp.b.three import g as h", {"b/__init__.py", "b/three.py"}),
        ("def f():\n    import trustnlp.b.three", {"b/__init__.py", "b/three.py"}),
        ("try:\n    import trustnlp.b.three\nexcept ImportError:\n    pass", {"b/__init__.py", "b/three.py"}),
        (
            "from trustnlp.a.deep.five import x",
            {"a/__init__.py", "a/table.toml", "a/deep/__init__.py", "a/deep/five.py", "c/__init__.py", "c/six.py"},
        ),
        ("import trustnlp", {"__init__.py"}),
        ("import trustnlpx", set()),
    ],
)
def test_every_form_of_import(package: Path, cell: str, files: set[str]) -> None:
    assert set(closure([cell], package=package)) == files


@pytest.mark.parametrize(
    ("name", "text", "counts"),
    [
        ("b/three.py", "import numpy  # the array library\n", False),
        ("a/__init__.py", "x = 1\n", True),
        ("a/table.toml", "x = 2\n", True),
        ("a/registry.toml", "x = 2\n", False),
        ("c/four.py", "x = 1\n", False),
        ("c/seven.py", "x = 1\n", True),
    ],
)
def test_an_edit_changes_the_closures_that_hold_the_file_and_no_other(
    package: Path, name: str, text: str, counts: bool
) -> None:
    code = ["from trustnlp.a import one"]
    before = closure(code, package=package)
    edit(package / name, text)
    now = closure(code, package=package)
    assert changes(before, now) == ([name] if counts else [])
    assert (combined(before) != combined(now)) is counts


def test_a_data_file_that_a_module_names_counts_with_that_module_alone(package: Path) -> None:
    edit(package / "a" / "one.py", 'x = "words.toml"\n')
    (package / "a" / "words.toml").write_text("x = 1\n", encoding="utf-8")
    (package / "a" / "two.py").write_text("", encoding="utf-8")
    with_words, without = (closure([f"from trustnlp.a import {name}"], package=package) for name in ("one", "two"))
    assert "a/words.toml" in with_words and "a/words.toml" not in without
    assert "a/table.toml" in with_words and "a/table.toml" in without


def test_code_that_cannot_be_read_is_told_in_one_line(package: Path) -> None:
    (package / "b" / "three.py").write_text("x = (\n")
    for cell, told in [
        ("x = (", r"code cell 'x = \(', line 1: [^\n]*$"),
        ("import os\n%matplotlib inline", r"line 2: invalid syntax; only what is plain Python \(no %magic, no !com"),
        ("import trustnlp.b.three", r"^three\.py, line 1: "),
    ]:
        with pytest.raises(UserError, match=told):
            closure([cell], package=package)


# The book ----------------------------------------------------------------------------------------------------------


@cache
def notebooks() -> dict[str, list[str]]:
    """Imports of each notebook of the book; its closure knows no more of the cells."""
    found = {}
    for source in (source for slug in chapters() for source in twins.sources(slug)):
        imports = [
            n for n in ast.walk(ast.parse(source.read_text("utf-8"))) if isinstance(n, ast.Import | ast.ImportFrom)
        ]
        found[f"{source.parent.name}/{source.stem}"] = [ast.unparse(n) for n in imports if "trustnlp" in ast.unparse(n)]
    return found


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(
        shutil.copytree(PACKAGE, tmp_path_factory.mktemp("copy") / "trustnlp", ignore=shutil.ignore_patterns("*.pyc"))
    )


@cache
def closures(package: Path) -> dict[str, dict[str, str]]:
    return {notebook: closure(code, package=package) for notebook, code in notebooks().items()}


def rerun(package: Path, name: str) -> set[str]:
    """Notebooks whose key changes with one line of code in a file of the package, which is put back."""

    text, before = (package / name).read_text(encoding="utf-8"), closures(package)
    edit(package / name, text + "\n_EDITED = True\n")
    now = closures.__wrapped__(package)
    edit(package / name, text)
    assert all(changes(before[notebook], now[notebook]) in ([], [name]) for notebook in now)
    return {notebook for notebook in now if combined(before[notebook]) != combined(now[notebook])}


def test_an_edit_runs_the_notebooks_that_reach_the_file_and_no_others(copied: Path) -> None:
    assert {name.partition("/")[0] for name in rerun(copied, "studies/privemb/attacks.py")} == {"privemb"}
    again = rerun(copied, "bias/association_tests/statistics.py")
    named = {
        n for n, code in notebooks().items() if any("trustnlp.bias.association_tests.statistics" in c for c in code)
    }
    assert "weat_measures/critique" in again and named <= again < set(notebooks())
    recording = {name for name, code in notebooks().items() if any("trustnlp.reproduce" in each for each in code)}
    assert rerun(copied, "reproduce/records/recording.py") == recording and len(recording) > 60
    assert rerun(copied, "reproduce/runs/runner.py") == set(), "what runs notebooks decides no number"


def test_all_that_an_import_loads_of_the_package_is_in_its_closure() -> None:
    """A fresh interpreter is the oracle; imports inside functions come on top."""
    code = "import sys, trustnlp.reproduce.pages.tables"
    told = "print(*(name for name in sys.modules if name.startswith('trustnlp.')))"
    done = subprocess.run([sys.executable, "-c", f"{code}; {told}"], capture_output=True, text=True, check=True)
    loaded = {module.removeprefix("trustnlp.").replace(".", "/") for module in done.stdout.split()}
    found = {name.removesuffix(".py").removesuffix("__init__").rstrip("/") for name in closure([code])}
    assert loaded <= found and "data/registry" in loaded


def test_nothing_of_the_package_can_hide_from_the_closure() -> None:
    """Relative imports and modules imported by a computed name would not be followed."""
    # The user's own module; libraries of others; old addresses
    computed = {"cli_privacy.py", "warm_kernels.py", "chinese_words.py", "moved.py"}
    for path in PACKAGE.rglob("*.py"):
        assert (path.parent / "__init__.py").is_file(), f"{path.parent} is no package"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            relative = isinstance(node, ast.ImportFrom) and node.level
            assert not relative, f"{path}, line {node.lineno}: write the import from trustnlp on"
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
                named = node.args[0]
                plain = isinstance(named, ast.Constant) and not str(named.value).startswith("trustnlp")
                assert plain or path.name in computed, f"{path}, line {node.lineno}: import it plainly"
