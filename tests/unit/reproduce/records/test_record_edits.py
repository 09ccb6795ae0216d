"""Metrics that leave a record: what goes with them, what is logged, and what is refused."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import made_records
import pytest
from nbformat import write as write_notebook
from nbformat.v4 import new_code_cell, new_notebook

from trustnlp.reproduce.checks import standing
from trustnlp.reproduce.code.code_closure import evidence_of
from trustnlp.reproduce.code.reach import PACKAGE, package_at
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records import record_edits
from trustnlp.reproduce.records.recording import Record, digest, load_record, write_record


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The committed record of a chapter."""
    notebook = SimpleNamespace(parameters={"seeds": None})
    claims = SimpleNamespace(claims=[SimpleNamespace(id="c1", record="one.paper", key="a.claimed")])
    monkeypatch.setattr(record_edits, "committed", lambda _, notebook: tmp_path / f"{notebook}.json")
    monkeypatch.setattr(record_edits, "load_claims", lambda _: claims)
    monkeypatch.setattr(record_edits, "load_params", lambda _: SimpleNamespace(notebooks={"one": notebook}))
    record = Record("c", "one", profile="paper", seeds=(0, 1), repeats={"": "float64", "b": "exact"})
    for key in ("a.x", "a.claimed", "b"):
        record.metric(key, [1.0, 2.0], interval="t")
    record.array("curve", [1.0, 2.0])
    record.deviation("Only b.", keys=["b"])
    record.deviation("All of a.", keys=["a"])
    made = {**made_records.whole(record), "parameters": {"seeds": [0, 1], "pairs": ["x+y"]}}
    write_record(tmp_path / "one.json", {**made, "digest": digest(made)})
    return tmp_path / "one.json"


def test_what_is_dropped_goes_with_its_deviation_and_is_logged_beyond_editing(path: Path) -> None:
    assert record_edits.drop(["b", "curve"], "c/one") == ["b", "curve"]
    found = load_record(path)
    assert set(found["metrics"]) == {"a.x", "a.claimed"} and not found["arrays"]
    assert [item["text"] for item in found["deviations"]] == ["All of a."] and found["repeats"] == {"": "float64"}
    assert found["parameters"] == {"seeds": [0, 1]}  # no other is declared
    [entry] = found["log"]
    assert entry["what"] == "dropped b, curve, parameter pairs" and entry["date"] and "commit" in entry
    path.write_text(path.read_text().replace("dropped b,", "dropped c,"))
    with pytest.raises(Exception, match="edited after the run"):
        load_record(path)


NOTEBOOK = """from trustnlp.reproduce import Record
record = Record('c', '{}', profile='paper', seeds=[{}])
record.metric('b', 1)"""


def _notebook(folder: Path, name: str, seed: int = 0) -> dict[str, str]:
    """Write a notebook; returns the sources of its record."""
    write_notebook(new_notebook(cells=[new_code_cell(NOTEBOOK.format(name, seed))]), folder / f"{name}.ipynb")
    found, _ = evidence_of(standing.cells_of("c", name, folder), package_at(PACKAGE))
    return {f"chapters/c/{name}.py": found.pop("cells"), **found}


@pytest.mark.parametrize("seed", [0, 1])
def test_a_record_follows_its_notebook_to_a_new_name(path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """It stands where the statements are the same but for the name, and is in doubt where they are not."""
    folder = path.parent
    made = {**load_record(path), "sources": _notebook(folder, "one")}
    write_record(path, {**made, "digest": digest(made)})
    monkeypatch.setattr(standing, "chapter_dir", lambda _: folder)
    today = _notebook(folder, "two", seed)
    before = load_record(path)
    with pytest.raises(UserError, match="c has no notebook 'tow' that keeps a record"):
        record_edits.rename("c/one", "tow")
    notebooks = {"one": SimpleNamespace(lesson=False), "two": SimpleNamespace(lesson=False)}
    monkeypatch.setattr(record_edits, "load_params", lambda _: SimpleNamespace(notebooks=notebooks))
    with pytest.raises(UserError, match="c/one is still there"):
        record_edits.rename("c/one", "two")
    notebooks["one"] = SimpleNamespace(lesson=True)
    record_edits.rename("c/one", "two")
    found = load_record(path.with_name("two.json"))
    assert not path.exists() and found["notebook"] == "two" and found["log"][-1]["what"] == "renamed from one"
    assert {name for name in before if before[name] != found.get(name)} <= {"notebook", "sources", "digest"}
    assert "chapters/c/one.py" not in found["sources"] and (found["sources"] == today) == (seed == 0)
    assert found["sources"]["chapters/c/two.py"] != _notebook(folder, "two", 2)["chapters/c/two.py"]
    with pytest.raises(UserError, match="c/one has no paper record"):
        record_edits.rename("c/one", "two")


@pytest.mark.parametrize(
    ("keys", "target", "told"),
    [
        (["a"], "c/one", "claims rest on what would go: c1; give"),
        (["c"], "c/one", "c/one has no metric 'c'"),
        ([], "c/one", "which metrics"),
        (["a"], "c/onee", "no notebook 'c/onee'; did you mean 'one'"),
    ],
)
def test_what_cannot_go_is_told_and_nothing_changes(path: Path, keys: list[str], target: str, told: str) -> None:
    before = path.read_bytes()
    with pytest.raises(UserError, match=told):
        record_edits.drop(keys, target)
    assert path.read_bytes() == before
