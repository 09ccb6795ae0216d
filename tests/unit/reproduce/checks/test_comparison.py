"""A run beside the paper and the record: agrees, differs, or cannot be compared; never a verdict."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, ClassVar

import made_records
import pytest

from trustnlp.reproduce.checks import comparison
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records.recording import Record, write_record

PARAMETERS = {"scale": 1.0, "n": 5, "device": "cpu"}


def compared(record: Record, given: dict[str, Any]) -> comparison.Comparison:
    found = comparison.compare_run(record, given)
    assert found is not None
    return found


class Entry:
    verify: ClassVar = {"n": 2}
    verify_except = ("over_all",)

    def resolve(self, profile: str, overrides: dict[str, Any]) -> dict[str, Any]:
        return {**PARAMETERS, **overrides}


@pytest.fixture
def chapter(tmp_path, monkeypatch):
    cell = SimpleNamespace(title="Table 3")
    claims = [
        SimpleNamespace(record="one.paper", key="a", value=1.5, rounding=0.05, quote=None, where="§4", cell=cell),
        SimpleNamespace(record="one.paper", key="b", value=None, rounding=0, quote="more", where="Figure 2", cell=None),
    ]
    monkeypatch.setattr(comparison, "committed", lambda slug, name: tmp_path / f"{name}.paper.json")
    monkeypatch.setattr(comparison, "load_params", lambda slug: SimpleNamespace(notebook=lambda name: Entry()))
    monkeypatch.setattr(comparison, "load_claims", lambda slug: SimpleNamespace(claims=claims))
    comparison._loaded.cache_clear()
    comparison.claims_by_key.cache_clear()
    return tmp_path


def measured(a: float = 1.0, profile: str = "paper", data: str = "minilm") -> Record:
    record = Record("toy", "one", profile=profile, seeds=[0, 1], repeats={"": "float64", "clock": "timed"})
    record.metric("a", a, unit="points")
    record.metric("b", [0.4, 0.6], interval="t")
    record.metric("over_all", a)
    record.metric("clock", 7 * a)
    record.uses(data)
    return record


@pytest.fixture
def committed(chapter) -> None:
    record = measured()
    record._parameters = dict(PARAMETERS)
    write_record(chapter / "one.paper.json", made_records.whole(record))


@pytest.mark.parametrize(
    ("record", "changed", "answers", "told"),
    [
        (measured(), {}, ["agrees", "agrees", "agrees", "–"], "results/one.paper.json: 3 of 3 agree"),
        (measured(2.0), {"device": "cuda"}, ["differs", "agrees", "differs", "–"], "1 of 3 agree"),
        (measured(), {"n": 2}, ["agrees", "agrees", "–", "–"], "2 of 2 agree"),  # the short form of verify
        (measured(), {"scale": 3.0}, ["not comparable"] * 4, "one.paper.json: other parameters (scale)"),
        (measured(data="wefe_weat_lists"), {}, ["not comparable"] * 4, "json: other or made-up data, not minilm"),
    ],
)
def test_a_run_agrees_differs_or_is_not_comparable(committed, record, changed, answers, told: str) -> None:
    """Clocks are never compared, nor what the short form alters; another device is the same question."""
    found = compared(record, PARAMETERS | changed)
    assert {row.key: row.answer for row in found.rows} == dict(zip(record.measurements, answers, strict=True))
    assert found.summary().endswith(told)


def test_without_a_record_the_run_stands_beside_the_paper_alone(chapter) -> None:
    found = compared(measured(), PARAMETERS)
    one, other = found.rows[:2]
    assert (one.paper, one.record, one.run, other.paper, other.record) == ("1.5", "–", "1 points", "more", "–")
    assert found.summary() == "There is no committed record to compare this run with"


def test_a_section_has_the_metrics_of_its_table(committed) -> None:
    found = compared(measured(), PARAMETERS)
    keys = {place: [row.key for row in found.at(frozenset({place})).rows] for place in ("Table 3", "Figure 2")}
    assert keys == {"Table 3": ["a"], "Figure 2": ["b"]}
    assert "this run" in found.html("Table 3") and "<details" not in found.html("Table 3")


def test_outside_the_book_there_is_nothing_to_compare_with(monkeypatch) -> None:
    def absent(slug: str) -> None:
        raise UserError("unknown chapter")

    monkeypatch.setattr(comparison, "load_params", absent)
    assert comparison.compare_run(measured(), PARAMETERS) is None


def test_the_last_cell_of_each_section_of_a_table_is_known(tmp_path) -> None:
    cells = [
        ("markdown", "# Tables 1 to 4"),
        ("code", "setup"),
        ("markdown", "## Table 3\n\nwords"),
        ("code", ["last\n", "line"]),
        ("markdown", "## What else"),
        ("code", "other"),
        ("markdown", "## Figure 2"),
        ("code", "first"),
        ("markdown", "more words"),
        ("code", "drawn"),
        ("code", "record.save()"),
    ]
    twin = tmp_path / "one.ipynb"
    twin.write_text(json.dumps({"cells": [{"cell_type": kind, "source": source} for kind, source in cells]}))
    ends = comparison._section_ends(twin)
    assert ends == {"setup": "Tables 1 to 4", "last\nline": "Table 3", "drawn": "Figure 2"}
