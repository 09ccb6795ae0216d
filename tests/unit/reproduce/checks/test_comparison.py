"""A run beside the paper and the record: agrees, differs, or cannot be compared; never a verdict."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import made_records
import pytest

from trustnlp.reproduce.checks import comparison
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records.recording import Record, load_record, write_record

PARAMETERS = {"scale": 1.0, "n": 5, "device": "cpu"}


def compare_run(record: Record, given: dict[str, Any]) -> comparison.Comparison | None:
    return comparison.compare_run(record, given, load_record)


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


def commit(folder) -> None:
    record = measured()
    record._parameters = dict(PARAMETERS)
    write_record(folder / "one.paper.json", made_records.whole(record))


def answers(record: Record, given: dict[str, Any]) -> dict[str, str]:
    found = compare_run(record, given)
    assert found is not None
    return {row.key: row.answer for row in found.rows}


def test_the_same_numbers_agree_and_clocks_are_not_compared(chapter) -> None:
    commit(chapter)
    assert answers(measured(), PARAMETERS) == {"a": "agrees", "b": "agrees", "over_all": "agrees", "clock": "–"}
    found = compare_run(measured(), PARAMETERS)
    assert found is not None
    assert found.summary() == "This run beside results/one.paper.json: 3 of 3 agree"


def test_another_number_differs_and_another_device_is_the_same_question(chapter) -> None:
    commit(chapter)
    told = answers(measured(2.0), {**PARAMETERS, "device": "cuda"})
    assert told == {"a": "differs", "b": "agrees", "over_all": "differs", "clock": "–"}


def test_the_short_form_of_verify_is_compared_but_for_what_it_alters(chapter) -> None:
    commit(chapter)
    assert answers(measured(), {**PARAMETERS, "n": 2}) == {"a": "agrees", "b": "agrees", "over_all": "–", "clock": "–"}


@pytest.mark.parametrize(
    ("record", "given", "why"),
    [
        (measured(), {**PARAMETERS, "scale": 3.0}, "other parameters (scale)"),
        (measured(data="wefe_weat_lists"), PARAMETERS, "other or made-up data, not minilm"),
    ],
)
def test_other_parameters_and_other_data_are_not_comparable(chapter, record, given, why) -> None:
    commit(chapter)
    assert set(answers(record, given).values()) == {"not comparable"}
    found = compare_run(record, given)
    assert found is not None
    assert why in found.summary()
    assert "agree" not in found.summary()


def test_without_a_record_the_run_stands_beside_the_paper_alone(chapter) -> None:
    found = compare_run(measured(), PARAMETERS)
    assert found is not None
    assert [(row.paper, row.record, row.run) for row in found.rows[:2]] == [
        ("1.5", "–", "1 points"),
        ("more", "–", found.rows[1].run),
    ]
    assert found.summary() == "There is no committed record to compare this run with"


def test_a_section_has_the_metrics_of_its_table(chapter) -> None:
    commit(chapter)
    found = compare_run(measured(), PARAMETERS)
    assert found is not None
    assert [row.key for row in found.at(frozenset({"Table 3"})).rows] == ["a"]
    assert [row.key for row in found.at(frozenset({"Figure 2"})).rows] == ["b"]
    assert "this run" in found.html("Table 3")
    assert "<details" not in found.html("Table 3")


def test_outside_the_book_there_is_nothing_to_compare_with(monkeypatch) -> None:
    def absent(slug: str) -> None:
        raise UserError("unknown chapter")

    monkeypatch.setattr(comparison, "load_params", absent)
    assert compare_run(measured(), PARAMETERS) is None


def test_the_last_cell_of_each_section_of_a_table_is_known(tmp_path) -> None:
    twin = tmp_path / "one.ipynb"
    cells = [
        {"cell_type": "markdown", "source": "# Tables 1 to 4"},
        {"cell_type": "code", "source": "setup"},
        {"cell_type": "markdown", "source": "## Table 3\n\nwords"},
        {"cell_type": "code", "source": "first"},
        {"cell_type": "markdown", "source": "more words"},
        {"cell_type": "code", "source": ["last\n", "line"]},
        {"cell_type": "markdown", "source": "## What else"},
        {"cell_type": "code", "source": "other"},
        {"cell_type": "markdown", "source": "## Figure 2"},
        {"cell_type": "code", "source": "drawn"},
        {"cell_type": "code", "source": "record.save()"},
    ]
    import json

    twin.write_text(json.dumps({"cells": cells}))
    ends = comparison._section_ends(twin)
    assert ends == {"setup": "Tables 1 to 4", "last\nline": "Table 3", "drawn": "Figure 2"}
