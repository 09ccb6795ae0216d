"""A metric carries a unit of a known kind, and the tables of the chapters say every one that a call does not."""

import copy
import json

import pytest

from trustnlp.reproduce.project import UserError, chapter_dir, chapters
from trustnlp.reproduce.records.measurement import RecordError
from trustnlp.reproduce.records.record_edits import rewrite_units, with_units
from trustnlp.reproduce.records.recording import Record, check_digest, load_record
from trustnlp.reproduce.records.units import Units, units_of
from trustnlp.reproduce.schemas import SchemaError

PATHS = [path for slug in chapters() for path in sorted((chapter_dir(slug) / "results").glob("*.paper.json"))]


def test_patterns_are_tried_from_the_top_and_braces_stand_for_words() -> None:
    table = Units({"{a,b}.*.f1": "%", "*.f1": "points", "data.*": "count of texts"}, "here")
    assert [table.unit_of(key) for key in ("a.x.f1", "b.x.y.f1", "c.f1", "data.n", "data")] == [
        "%", "%", "points", "count of texts", None,
    ]  # fmt: skip


@pytest.mark.parametrize("unit", ["tweets", "", "share pairs"])
def test_an_unknown_kind_is_refused_wherever_it_is_said(unit: str) -> None:
    with pytest.raises(UserError, match="no known kind"):
        Units({"a": unit}, "here")
    with pytest.raises(RecordError, match="no known kind"):
        Record("no_chapter", "x", profile="smoke").metric("a", 1.0, unit=unit)


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder = tmp_path / "chapters" / "one"
    (folder / "results").mkdir(parents=True)
    (tmp_path / "_config.yml").write_text("")
    (folder / "claims.yaml").write_text("")
    (folder / "units.yaml").write_text('lab:\n  "*.gap": difference of shares\n  size: count of texts\n')
    monkeypatch.setenv("TRUSTNLP_ROOT", str(tmp_path))
    return tmp_path


def test_a_table_says_the_units_that_calls_do_not(project, tmp_path) -> None:
    record = Record("one", "lab", profile="smoke")
    record.metrics({"a.gap": -0.1, "size": 4})
    record.metric("took", 1.5, unit="seconds")
    assert [m["unit"] for m in record.measurements.values()] == ["difference of shares", "count of texts", "seconds"]
    with pytest.raises(RecordError, match=r"'b\.gap' has the unit 'difference of shares' in units\.yaml and 'points'"):
        record.metric("b.gap", 1.0, unit="points")
    record.save(tmp_path / "part.json")
    record.metric("other", 1.0)
    with pytest.raises(RecordError, match=r"1 metrics have no unit, such as 'other'.*chapters/one/units"):
        record.save(tmp_path / "part.json")


@pytest.mark.parametrize("text", ["lab: [a]", "lab: {a: 1}", "lab: {a: tweets}"])
def test_a_faulty_table_is_told_with_its_file(project, text) -> None:
    (project / "chapters/one/units.yaml").write_text(text)
    with pytest.raises(UserError, match=r"chapters/one/units\.yaml: "):
        units_of("one", "lab")


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parts[-3]}/{path.stem}")
def test_committed_units_are_those_that_the_chapter_says(path) -> None:
    record = load_record(path)
    table = units_of(record["chapter"], record["notebook"])
    assert table is not None
    units = {key: metric["unit"] for key, metric in record["metrics"].items()}
    assert None not in units.values()
    said = {key: table.unit_of(key) for key in units}
    assert not {key: unit for key, unit in said.items() if unit not in (None, units[key])}
    unused = set(table.patterns) - {table.pattern_of(key) for key in units}
    assert not unused, "patterns that no metric of the committed record fits first"


def test_records_units_touches_no_value_and_is_logged_once() -> None:
    record = load_record(chapter_dir("xer") / "results" / "critique.paper.json")
    old = copy.deepcopy(record)
    for metric in old["metrics"].values():
        metric["unit"] = None if metric["unit"] in ("score", "none") else metric["unit"]
    changed = with_units(old, "c0ffee")
    assert changed["metrics"] == record["metrics"]
    [entry] = changed["log"][len(record.get("log", [])) :]
    assert entry["commit"] == "c0ffee" and "values touched: 0" in entry["what"]
    check_digest(changed, "record")
    assert with_units(changed, "c0ffee") == changed


def test_records_units_are_all_written_or_none_and_no_edited_record_is_washed(project) -> None:
    record = {**load_record(PATHS[0]), "chapter": "one", "notebook": "lab"}
    (project / "chapters/one/results/a.paper.json").write_text(json.dumps(record))
    with pytest.raises(SchemaError, match="edited after the run"):
        rewrite_units(["one"])
