"""Tables and figures by key pattern show what the committed record and the ledger hold, and say so."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from trustnlp.reproduce import Record
from trustnlp.reproduce.claims.ledgers import load_claims
from trustnlp.reproduce.project import UserError
from trustnlp.reproduce.records.recording import load_record
from trustnlp.reproduce.runs.params import committed

STRATEGIES = ("least_confidence", "aec")


@pytest.fixture
def record() -> Record:
    """A smoke run of a notebook with a committed record."""
    return Record("aec", "reproduction", profile="smoke", seeds=[0, 1])


@pytest.fixture
def outputs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, dict[str, Any]]]:
    """What is displayed, with its metadata."""
    shown: list[tuple[Any, dict[str, Any]]] = []

    def display(what: Any, *, metadata: dict[str, Any], raw: bool = False) -> None:
        shown.append((what, metadata["trustnlp"]))

    monkeypatch.setattr("IPython.display.display", display)
    return shown


def test_a_frame_holds_the_record_in_the_scale_of_a_page(record: Record) -> None:
    frame = record.frame("cnn.{strategy}.p{k:d}", strategy=STRATEGIES)
    metrics = load_record(committed("aec", "reproduction"))["metrics"]
    claims = {claim.key: claim for claim in load_claims("aec").claims if claim.record == "reproduction.paper"}
    assert list(dict.fromkeys(frame["strategy"])) == list(STRATEGIES)
    assert list(frame["k"][:5]) == [10, 20, 30, 40, 50] and frame["ours"][0] == "71 % (61 to 80)"
    for _, row in frame.iterrows():
        metric, claim = metrics[row["key"]], claims[row["key"]]
        measured = [metric["mean"], metric["low"], metric["high"], claim.value]
        assert list(row[["mean", "low", "high", "paper"]]) == pytest.approx([100 * number for number in measured])
        assert row["verdict"] == claim.expect.value


def test_a_grid_has_the_papers_value_ours_and_the_sign(record: Record, outputs: list[Any]) -> None:
    names = {"least_confidence": "uncertainty"}
    record.table("cnn.{strategy}.p{k:d}", strategy=STRATEGIES, rows="k", columns="strategy", names=names)
    [(grid, said)] = outputs
    assert said == {"source": "record"}
    assert list(grid.columns) == [(s, part) for s in ("uncertainty", "aec") for part in ("paper", "ours")]
    assert list(grid.index) == ["10", "20", "30", "40", "50"]
    frame = record.frame("cnn.aec.p{k:d}")
    assert grid[("aec", "paper")].tolist() == frame["printed"].tolist()
    assert all(cell.startswith(ours) for cell, ours in zip(grid[("aec", "ours")], frame["ours"], strict=True))


def test_a_list_names_each_metric_and_leaves_out_empty_columns(record: Record, outputs: list[Any]) -> None:
    record.table({"rules that fit": "data.sst.rules_fitting"})
    [(table, _)] = outputs
    assert list(table.columns) == ["ours", "unit"]
    assert table.loc["rules that fit", "unit"] == "count of rules"


def test_a_missing_cell_is_empty(record: Record, outputs: list[Any]) -> None:
    record.table("{base}.{of}", base=("cnn", "minilm"), of=("accuracy", "macro_f1"), rows="base", columns="of")
    [(grid, _)] = outputs
    assert grid[("accuracy", "paper")]["minilm"] == ""
    assert ("macro f1", "paper") not in grid.columns


@pytest.mark.parametrize(
    ("pattern", "how", "message"),
    [
        ("nothing.{like}.this", {}, "no metric fits"),
        ("cnn.lead.p{k:d}.{x}", {}, "no metric fits"),
        ("cnn.{of}", {"of": ("accuracy", "domain_gap"), "columns": "of"}, "several units"),
        ("{base}.{of}", {"of": ("accuracy",), "rows": "of", "columns": "of"}, "one cell would hold both"),
        ({"a": "cnn.acuracy"}, {}, "cnn.accuracy"),
        ("cnn.aec.{n}", {}, "column 'n' of its own"),
    ],
)
def test_what_cannot_be_shown_is_named(record: Record, pattern: Any, how: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        record.table(pattern, **how)


def test_a_figure_opens_its_alternative_text_with_its_title(record: Record, outputs: list[Any]) -> None:
    record.plot("cnn.{strategy}.p{k:d}", strategy=STRATEGIES, x="k", color="strategy", title="AEC leads")
    [(picture, said)] = outputs
    assert said["source"] == "record" and said["alt"].startswith("AEC leads. ") and "paper" in said["alt"]
    assert "image/svg+xml" in picture


def test_a_run_without_a_committed_record_shows_its_own(outputs: list[Any]) -> None:
    record = Record("aec", "toy", profile="smoke", seeds=[0, 1])
    record.metric("a.x1", [0.2, 0.4], interval="t", unit="share of texts")
    record.table("a.x{k:d}")
    [(table, said)] = outputs
    assert said["source"] == "run"
    assert table["ours"].tolist() == [record.frame("a.x1")["ours"][0]]


def test_what_rests_on_print_says_so(record: Record, outputs: list[Any]) -> None:
    record.show(pd.DataFrame(), printed=True)
    assert outputs[0][1] == {"source": "run", "of": "print"}
