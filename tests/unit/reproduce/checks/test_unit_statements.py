"""A unit that code says beside a key is of the kind that the committed record says, or is told by file and key."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trustnlp.reproduce.checks.unit_statements import Statement, contradictions, most_special, said_of, statements
from trustnlp.reproduce.claims.ledger_lints import lints
from trustnlp.reproduce.project import chapter_dir, chapters
from trustnlp.reproduce.records.recording import load_record
from trustnlp.tools.cli import app

CODE = """
record.metric("size", 4, unit="count of texts")
record.metric(f"{name}.gap", gaps, interval="t", unit="points")
record.metric(f"{first}.{second}", 1.0)
KIND, key = "share of pairs", "found"
record.metric(key, 0.5, unit=KIND)
key = f"a.{x}.f1"
record.metric(key, 0.5, unit="%")
record.metric(key="named", values=0.5, unit="rank")
record.metric(key + "x", 0.5, unit="rank")
over_seeds("cost.seconds", runs, unit="seconds")
checks = [("sum.margin", 3 - 2, "points"), ("title", "points"), ("other", 1, "words")]
for key in checks:
    record.metric(key, 0.5, unit="cosine")
log("words", unit="words")
record.metrics({"one": 1, f"{x}.two": 2, name: 3, **more}, prefix="many", unit="points")
record.metrics({f"each.{x}": x for x in xs}) or record.metrics(frame, interval="t", unit="nats")
record.metrics(frame, prefix=f"frame.{x}", interval="t", unit="nats")
"""


def test_statements_are_keys_with_the_unit_beside_them(tmp_path: Path) -> None:
    (tmp_path / "lab.py").write_text(CODE)
    told = statements(tmp_path / "lab.py")
    assert {one.key: one.unit for one in told} == {
        "size": "count of texts",
        "*.gap": "points",
        "*.*": None,
        "found": "share of pairs",
        "a.*.f1": "%",
        "named": "rank",
        "cost.seconds": "seconds",
        "sum.margin": "points",
        **dict.fromkeys(("many.one", "many.*.two", "many.*"), "points"), "each.*": None, "frame.*.*": "nats",
    }  # fmt: skip
    assert told[0].place.endswith("lab.py:2")


@pytest.mark.parametrize(
    ("told", "units", "listed", "wrong"),
    [
        ([("a.gap", "points")], {"a.gap": "points"}, (), ""),
        ([("a.gap", "share of texts")], {"a.gap": "share of pairs"}, (), ""),  # of one kind
        ([("a.gap", "share of texts")], {"a.gap": "points"}, (), "'a.gap' is recorded with the unit 'share of texts'"),
        ([("a.gap", "%")], {"a.gap": "points"}, ("a.gap",), "lab: a.gap has 'points'"),  # a table says it, too
        ([("*.gap", "%")], {"a.gap": "points", "b.gap": "points"}, (), "'*.gap' is recorded with the unit '%'"),
        ([("*.gap", "%")], {"a.gap": "%", "b.gap": "points"}, (), "lab: b.gap has 'points'"),
        ([("*.gap", "%")], {"a.gap": "%", "b.gap": "points"}, ("b.gap",), ""),  # another call may have recorded it
        ([("*.gap", "%"), ("b.gap", "points")], {"a.gap": "%", "b.gap": "points"}, (), ""),  # the more special speaks
        ([("*.gap", "%"), ("b.gap", None)], {"a.gap": "%", "b.gap": "points"}, (), ""),
        ([("a.gap", "pts")], {"a.gap": "points"}, (), "the unit 'pts'"),
        ([("c.gap", "%")], {"a.gap": "points"}, (), ""),  # in no record yet
    ],
)
def test_a_contradiction_is_told_by_file_and_key(told, units, listed, wrong: str) -> None:
    speakers = {"lab": [Statement("lab.py:1", key, unit) for key, unit in told]}
    lines = contradictions(speakers, {"lab": units}, {"lab": listed})
    assert all(line.startswith("lab.py:1: ") for line in lines)
    assert bool(lines) is bool(wrong) and all(wrong in line for line in lines)


@pytest.mark.parametrize("slug", chapters())
def test_each_unit_in_code_that_turns_is_noticed(slug: str) -> None:
    """Over every statement that some committed record hears."""
    paths = (chapter_dir(slug) / "results").glob("*.paper.json")
    speakers, units, listed = said_of(slug, {p.name.removesuffix(".paper.json"): load_record(p) for p in paths})
    assert contradictions(speakers, units, listed) == []
    heard = {s: None for name in units for key in units[name] for s in most_special(speakers[name], key) if s.unit}
    for statement in heard:
        turned = replace(statement, unit="nats" if statement.unit != "nats" else "points")
        changed = {name: [turned if s == statement else s for s in stated] for name, stated in speakers.items()}
        fitting = {name: {key: unit for key, unit in units[name].items() if statement.fits(key)} for name in units}
        lines = contradictions(changed, fitting, listed)
        assert any(line.startswith(statement.place) for line in lines), statement


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one chapter, to be doctored."""
    (tmp_path / "_config.yml").write_text("")
    folder = tmp_path / "chapters" / "_template"
    shutil.copytree(chapter_dir("_template"), folder)
    monkeypatch.setenv("TRUSTNLP_ROOT", str(tmp_path))
    return folder


def test_the_check_of_verdicts_tells_a_unit_that_code_or_table_turns(copied: Path) -> None:
    assert lints("_template") == []
    source = copied / "reproduction.py"
    text = source.read_text()
    source.write_text(re.sub(r'("king.queen_cosine".*unit=)"cosine"', r'\1"points"', text))
    [fault] = lints("_template")
    assert re.search(r"chapters/_template/reproduction\.py:\d+: 'king\.queen_cosine' .* 'points'", fault)
    done = CliRunner().invoke(app, ["verdicts", "--check"])
    assert done.exit_code == 1 and "king.queen_cosine" in done.output
    source.write_text(text)
    (copied / "units.yaml").write_text("reproduction:\n  king.queen_cosine: distance\n")
    [fault] = lints("_template")
    assert "chapters/_template/units.yaml: 'king.queen_cosine' of reproduction has the unit 'distance'" in fault
