"""Which metrics a notebook's code can record, as far as its text says."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from trustnlp.reproduce.checks import recorded_keys
from trustnlp.reproduce.checks.recorded_keys import Keys, keys_of, not_recorded
from trustnlp.reproduce.code.reach import package_at
from trustnlp.reproduce.notebooks.notebook_slice import Cell

PACKAGE = {
    "__init__.py": "",
    "a/__init__.py": "",
    "a/one.py": """
        def numbers():
            return {f"made.{kind}": 1 for kind in "xy"}
        def others():
            return {"other": 1}
        def note(record, kind):
            record.metric(f"noted.{kind}", 1)
    """,
}
START = """
from trustnlp.a.one import note, numbers, others
from trustnlp.reproduce import Record
record = Record("c", "n", profile="paper")
"""
LOOP = "for key, value in numbers().items():\n    record.metric(key, value)"


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Notebooks by name, to be filled in."""
    root = tmp_path / "trustnlp"
    for name, text in PACKAGE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(textwrap.dedent(text), encoding="utf-8")
    cells: dict[str, str] = {}
    monkeypatch.setattr(recorded_keys, "package_at", lambda: package_at(root))
    monkeypatch.setattr(
        recorded_keys, "cells_of", lambda _, name: [Cell(ast.parse(START).body), Cell(ast.parse(cells[name]).body)]
    )
    return cells


@pytest.mark.parametrize(
    ("key", "source", "target"),
    [
        ("a.x", "record.metric('a.x', 1)", "record.metric('a.x', 2)"),
        ("a.x", "record.metric('a.x', 1)", "record.metric(key='a.x', values=2)"),
        ("a.x", "record.metric('a.x', 1)", "for k in 'xy':\n    record.metric(f'a.{k}', 1)"),
        ("a.x", "record.metric('a.x', 1)", "for k in 'xy':\n    record.metric('a.' + k, 1)"),
        ("a.x", "record.metric('a.x', 1)", "for k in ['a.x', 'a.y']:\n    record.metric(k, 1)"),
        ("noted.x", "note(record, 'x')", "note(record, 'x')"),
        ("made.x", LOOP, LOOP),
        ("made.x", LOOP, "made = numbers()\nfor k in made:\n    record.metric(k, made[k])"),
    ],
)
def test_a_notebook_that_can_record_a_key_is_found(keys: dict[str, str], key: str, source: str, target: str) -> None:
    keys.update(one=source, two=target)
    assert not_recorded(key, keys_of("c", "one"), keys_of("c", "two")) is None


@pytest.mark.parametrize(
    ("key", "source", "target", "told"),
    [
        ("a.x", "record.metric('a.x', 1)", "record.metric('own', 1)", "never records"),
        ("a.x", "record.metric('a.x', 1)", "print('a.x')", "never records"),
        ("a.x", "record.metric('a.x', 1)", "'a.x'\nrecord.metric('a.xx', 1)", "never records"),
        ("a.x", "record.metric('a.x', 1)", "for k in 'xy':\n    record.metric(f'b.{k}', 1)", "never records"),
        ("a.x", "record.metric('a.x', 1)", LOOP, "nothing in it names the key"),
        ("made.x", LOOP, LOOP.replace("numbers", "others"), "none of what made it (trustnlp.a.one:numbers)"),
        ("noted.x", "note(record, 'x')", "record.metric('own', 1)", "never records"),
    ],
)
def test_a_notebook_that_cannot_is_told_why(
    keys: dict[str, str], key: str, source: str, target: str, told: str
) -> None:
    keys.update(one=source, two=target)
    assert told in str(not_recorded(key, keys_of("c", "one"), keys_of("c", "two")))


def test_a_key_is_matched_as_a_whole() -> None:
    target = Keys(recorded={r"a\.[^ ]+"})
    assert not_recorded("a.x", Keys(), target) is None and not_recorded("b.a.x", Keys(), target)
