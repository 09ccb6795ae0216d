"""Metrics that leave a record or move to another: what goes with them, what is logged, and what is refused."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import made_records
import pytest

from trustnlp.reproduce.checks.recorded_keys import Keys
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records import record_edits
from trustnlp.reproduce.records.recording import Record, load_record, write_record


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Two committed records of a chapter; call it with provenance to change the second."""
    claims = SimpleNamespace(claims=[SimpleNamespace(id="c1", record="one.paper", key="a.claimed")])
    params = SimpleNamespace(notebooks={"one": None, "two": None})
    monkeypatch.setattr(record_edits, "committed", lambda _, notebook: tmp_path / f"{notebook}.json")
    monkeypatch.setattr(record_edits, "load_claims", lambda _: claims)
    monkeypatch.setattr(record_edits, "load_params", lambda _: params)
    monkeypatch.setattr(record_edits, "keys_of", lambda *_: Keys(recorded={"a\\.[^ ]+"}))

    def make(seeds: tuple[int, ...] = (0, 1), parameters: dict[str, Any] | None = None, **provenance: Any) -> None:
        one = Record("c", "one", profile="paper", seeds=(0, 1), parameters={"n": 3}, repeats={"": "float32"})
        for key in ("a.x", "a.y", "a.claimed", "b"):
            one.metric(key, [1.0, 2.0], interval="t")
        one.deviation("Only b.", keys=["b"])
        one.deviation("All of a.", keys=["a"])
        two = Record("c", "two", profile="paper", seeds=seeds, parameters=parameters or {"n": 3})
        two.metric("own", 1.0)
        write_record(tmp_path / "one.json", made_records.whole(one))
        write_record(tmp_path / "two.json", made_records.whole(two, **provenance))

    make()
    make.read = lambda name: load_record(tmp_path / f"{name}.json")  # type: ignore[attr-defined]
    return make


def test_what_is_dropped_goes_with_its_deviation_and_is_logged(records: Any) -> None:
    assert record_edits.drop(["b"], "c/one") == ["b"]
    found = records.read("one")
    assert set(found["metrics"]) == {"a.x", "a.y", "a.claimed"}
    assert [item["text"] for item in found["deviations"]] == ["All of a."]
    [entry] = found["log"]
    assert entry["what"] == "dropped b" and entry["date"] and "commit" in entry


def test_a_claim_keeps_its_metric(records: Any) -> None:
    with pytest.raises(UserError, match=r"claims rest on what would go: c1"):
        record_edits.drop(["a"], "c/one")
    assert "log" not in records.read("one")


@pytest.mark.parametrize("keys", [["c"], ["a.xx"], []])
def test_an_unknown_key_is_refused(records: Any, keys: list[str]) -> None:
    with pytest.raises(UserError, match=r"has no metric|which metrics"):
        record_edits.drop(keys, "c/one")


def test_what_moves_keeps_its_values_deviations_and_exactness(records: Any) -> None:
    before = records.read("one")["metrics"]["a.x"]
    assert record_edits.move(["a.x"], "c/one", "two") == ["a.x"]
    one, two = records.read("one"), records.read("two")
    assert "a.x" not in one["metrics"] and two["metrics"]["a.x"] == before
    assert two["repeats"] == {"": "float64", "a.x": "float32"}
    assert [(item["text"], item["keys"]) for item in two["deviations"]] == [("All of a.", ["a.x"])]
    assert one["log"][0]["what"] == "moved to c/two: a.x" and "from c/one: a.x" in two["log"][0]["what"]


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"seeds": (0, 2)}, "seeds"),
        ({"parameters": {"n": 4}}, "parameter 'n'"),
        ({"environment": {"python": "3.12"}}, "other versions: python"),
        ({"device": "cuda"}, "device"),
        ({"precision": "float16"}, "precision"),
    ],
)
def test_a_metric_that_would_be_false_elsewhere_stays(records: Any, other: dict[str, Any], told: str) -> None:
    records(**other)
    with pytest.raises(UserError, match=told):
        record_edits.move(["a.x"], "c/one", "c/two")
    assert "a.x" in records.read("one")["metrics"] and "log" not in records.read("two")


def test_a_log_is_part_of_what_nobody_may_edit(records: Any, tmp_path: Path) -> None:
    record_edits.drop(["b"], "c/one")
    path = tmp_path / "one.json"
    path.write_text(path.read_text().replace("dropped b", "dropped c"))
    with pytest.raises(Exception, match="edited after the run"):
        load_record(path)


def test_a_metric_that_the_other_notebook_never_records_stays(records: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_edits, "keys_of", lambda *_: Keys(recorded={"own"}))
    with pytest.raises(UserError, match=r"c/two cannot take a\.x: its code never records 'a\.x'. Run c/two"):
        record_edits.move(["a.x"], "c/one", "c/two")
    assert "a.x" in records.read("one")["metrics"] and "log" not in records.read("two")
