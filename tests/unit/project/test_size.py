"""`make size`: what counts as a line of code, and limits that only the CHANGELOG raises."""

import re
import tomllib
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]
LIMITS = tomllib.loads((ROOT / ".ci" / "size.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def size() -> ModuleType:
    loader = SourceFileLoader("size", str(ROOT / ".ci" / "size"))
    module = module_from_spec(ModuleSpec("size", loader, origin=loader.path))
    module.__file__ = loader.path
    loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", 0),
        ("# only a comment\n\n", 0),
        ('"""A docstring\n\nof three lines."""\nx = 1  # one\n', 1),
        ('def f():\n    """Doc."""\n    return """two\nlines"""\n', 3),
        ("x = [\n    1,\n\n    # no line of code\n    2,\n]\n", 4),
        ('class C:\n    """Doc."""\n\n    a: int = 1\n', 2),
    ],
)
def test_a_line_counts_that_holds_code(size: ModuleType, text: str, lines: int) -> None:
    assert size.code_lines(text) == lines


def test_ledgers_and_data_do_not_count(size: ModuleType, tmp_path: Path) -> None:
    kinds = [("claims.yaml", "a: 1\n", 0), ("params.yaml", "a: 1\n\n# no\nb: 2\n", 2), ("words.toml", "a = 1\n", 0)]
    for name, text, lines in kinds:
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert size.lines_of(tmp_path / name) == lines, name


def test_too_many_lines_fail(
    size: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert size.main() == 0, capsys.readouterr().err
    over = {part: row["limit"] + (part == "src") for part, row in LIMITS.items()}
    monkeypatch.setattr(size, "measured", lambda: over)
    assert size.main() == 1
    assert "too many lines in src" in capsys.readouterr().err


def test_a_limit_is_what_the_changelog_says() -> None:
    said = dict(re.findall(r"Size: `(\w+)` may have ([\d,]+) lines", (ROOT / "CHANGELOG.md").read_text("utf-8"))[::-1])
    for part, row in LIMITS.items():
        assert row["limit"] <= int(said[part].replace(",", "")), part
