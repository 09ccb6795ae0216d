"""What a page draws: the committed record where there is one, else the run itself."""

import json

import pytest

from trustnlp.reproduce.records import page_evidence as module
from trustnlp.reproduce.records.page_evidence import evidence, evidence_arrays
from trustnlp.reproduce.records.recording import Record


@pytest.fixture
def chapter(tmp_path, monkeypatch):
    place = tmp_path / "toy" / "results" / "method.paper.json"
    monkeypatch.setattr(module, "committed", lambda slug, notebook: place)
    monkeypatch.setattr(module, "committed_record", lambda path: json.loads(path.read_text()))
    place.parent.mkdir(parents=True)
    return tmp_path / "toy"


def run(profile):
    record = Record("toy", "method", profile=profile, seeds=[0, 1])
    record.metric("accuracy", [0.4, 0.6], interval="t")
    return record


def test_a_smoke_run_shows_the_committed_record(chapter):
    (chapter / "results" / "method.paper.json").write_text('{"metrics": {"accuracy": {"mean": 0.9}}}')
    assert evidence(run("smoke")) == {"accuracy": {"mean": 0.9}}


def test_without_a_record_and_in_a_paper_run_it_shows_itself(chapter):
    assert evidence(run("smoke"))["accuracy"]["values"] == [0.4, 0.6]
    (chapter / "results" / "method.paper.json").write_text('{"metrics": {"accuracy": {"mean": 0.9}}}')
    assert evidence(run("paper"))["accuracy"]["mean"] == 0.5


def test_arrays_come_from_the_same_place_and_are_copies(chapter):
    record = run("smoke")
    record.array("curve", [1.0, 2.0])
    evidence_arrays(record)["curve"].append(3.0)
    evidence(record)["accuracy"]["mean"] = 7.0
    assert evidence_arrays(record) == {"curve": [1.0, 2.0]} and record.measurements["accuracy"]["mean"] == 0.5
    (chapter / "results" / "method.paper.json").write_text('{"metrics": {}, "arrays": {"curve": [9.0]}}')
    assert evidence_arrays(record) == {"curve": [9.0]}


def test_a_part_of_a_paper_run_shows_the_committed_record(chapter, monkeypatch):
    """A verification with one seed has not enough to draw, and is no record."""
    monkeypatch.setenv(module.PART_VARIABLE, "1")
    assert evidence(run("paper"))["accuracy"]["values"] == [0.4, 0.6]
    (chapter / "results" / "method.paper.json").write_text('{"metrics": {"accuracy": {"mean": 0.9}}}')
    assert evidence(run("paper")) == {"accuracy": {"mean": 0.9}}
