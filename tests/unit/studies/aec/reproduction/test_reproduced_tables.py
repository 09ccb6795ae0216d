"""Tables 1 and 2 counted by hand, units of all metrics, and tables and figures read from metrics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from made_experiments import made_corpus

from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet
from trustnlp.reproduce import Record
from trustnlp.reproduce.records.measurement import summary
from trustnlp.reproduce.records.metric_series import Metrics
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES, Tweets
from trustnlp.studies.aec.reproduction import reproduced_tables as tables

PRINTED: dict[str, Any] = {
    "table1": {"negative": 1, "neutral": 1, "positive": 1},
    "table2": {"negative": 30, "neutral": 20, "positive": 10},
    "table4": {"top": [10, 50], "uncertainty": [0.8, 0.74], "aec": [0.7, 0.76]},
}


def metrics(values: dict[str, list[float]]) -> Metrics:
    return Metrics({key: summary(each, "t", unit=None, seeds=[0, 1]) for key, each in values.items()})


def test_rules_that_give_the_printed_counts_are_counted() -> None:
    def parts(*texts: str) -> SentenceSet:
        train = Sentences(texts, np.array([0, 1, 2, 2][: len(texts)]))
        return SentenceSet("t", LABEL_NAMES, train, Sentences(("z",), np.array([0])), Sentences(("y",), np.array([1])))

    found = tables.review_numbers(parts("a b", "c d", "e f", "e f"), parts("a b", "c d", "e f"), (1, 1, 1))
    assert [found[f"data.sst.{label}"] for label in LABEL_NAMES] == [1, 1, 1]
    # "none" and "held out" keep the repeat, the seven others drop it.
    assert found["data.sst.rules_tried"] == 9 and found["data.sst.rules_fitting"] == 7
    # As many texts, with other labels.
    assert tables.review_numbers(parts("a b", "c d", "e f"), parts("a"), (2, 1, 0))["data.sst.rules_fitting"] == 0


def test_a_random_draw_has_the_counts_of_what_is_drawn_from() -> None:
    n = 300
    tweets = Tweets(tuple(map(str, range(n))), np.repeat([0, 1, 2], [180, 80, 40]), np.arange(n), np.ones(n))
    rows = [list(tables.drawn_numbers(tweets, 60, seed).values()) for seed in range(200)]
    assert {sum(row) for row in rows} == {60}
    np.testing.assert_allclose(np.mean(rows, axis=0), [36, 16, 8], atol=1)
    assert (
        tables.drawn_numbers(tweets, 60, 3)
        == tables.drawn_numbers(tweets, 60, 3)
        != tables.drawn_numbers(tweets, 60, 4)
    )
    assert tables.drawn_numbers(tweets, n, 0) == {
        "data.airline.drawn.negative": 180,
        "data.airline.drawn.neutral": 80,
        "data.airline.drawn.positive": 40,
    }


def test_printed_counts_are_tested_against_rows_and_against_texts() -> None:
    # Of 400 rows the last hundred, all negative, repeat one text.
    texts = (*map(str, range(300)), *("0" for _ in range(100)))
    labels = np.repeat([0, 1, 2, 0], [100, 100, 100, 100])
    tweets = Tweets(texts, labels, np.arange(400), np.ones(400))
    even = tables.drawing_numbers(tweets, (50, 50, 50))
    assert even["data.airline.p_value"] == pytest.approx(1) and even["data.airline.p_value_rows"] < 0.01
    assert even["data.airline.stratified_excess"] == pytest.approx(50 / 0.8 - 200)


def test_counts_are_recorded_with_their_units() -> None:
    record = Record("aec", "reproduction", profile="smoke")
    tables.text_counts(record, made_corpus(), (90, 80, 40), PRINTED)
    kept = record.metrics
    assert kept["data.sst.negative"]["unit"] == "count of sentences" and kept["data.sst.rules_tried"]["mean"] == 9
    assert {each["interval"] for each in kept.values()} == {"deterministic"} and len(kept) == 8


def ranked() -> Metrics:
    values = {f"{base}.{at}.p{k}": [0.6, 0.7] for base in ("cnn", "minilm") for at in ("least_confidence", "aec")
              for k in (10, 20, 30, 40, 50)}  # fmt: skip
    for base, accuracy in (("cnn", 55.0), ("minilm", 60.0)):
        values |= {f"{base}.{name}": [accuracy, accuracy + 2] for name in ("accuracy", "above_majority", "macro_f1")}
        values |= {f"{base}.sst_accuracy": [70.0, 70.0], f"{base}.domain_gap": [15.0, 13.0]}
        values |= {f"{base}.{at}.auc": [0.5, 0.7] for at in ("least_confidence", "aec")}
    return metrics(values)


def test_tables_show_means() -> None:
    bases = tables.base_table(ranked())
    assert bases.loc["cnn", "accuracy"] == 56 and bases.loc["minilm", "domain_gap"] == 14
    strategies = tables.strategy_table(ranked(), "cnn")
    assert list(strategies.index) == ["least_confidence", "aec"]
    assert strategies.loc["aec"].round(6).to_dict() == {"p10": 0.65, "p50": 0.65, "auc": 0.6}
    counts = metrics(
        {f"data.sst.{label}": [1.0] for label in LABEL_NAMES}
        | {f"data.airline.drawn.{label}": [19.0, 22.0] for label in LABEL_NAMES}
        | {f"data.sst.rules_{which}": [9.0] for which in ("tried", "fitting")}
        | {f"data.airline.{which}": [0.25] for which in ("p_value", "p_value_rows", "stratified_excess")}
    )
    shown = tables.counted_texts(counts, PRINTED)
    assert shown.loc["Table 2, neutral"].tolist() == [20, 20.5]
    assert shown.loc["Table 1, positive"].tolist() == [1, 1]
    assert shown.loc["rules tried", "ours"] == 9 and np.isnan(shown.loc["rules tried", "paper"])
    assert shown.loc["p-value of Table 2, all rows", "ours"] == 0.25
    rows = metrics(
        {f"spread.{source}.{of}.p50": [1.0 + at, 2.0 + at] for source in ("split", "base")
         for at, of in enumerate(("lead", "aec", "uncertainty"))} | {"spread.printed_lead_margin.p40": [0.0]}
    )  # fmt: skip
    assert tables.spread_table(rows).loc["split"].to_dict() == {"aec": 2.5, "uncertainty": 3.5, "lead": 1.5}


def test_metrics_are_shown_with_their_intervals() -> None:
    made = metrics({"a.x": [1.0, 3.0], "a.y": [2.0], "b": [0.0]})
    table = tables.with_intervals(made, "a.")
    assert list(table.index) == ["a.x", "a.y"] and table["n"].tolist() == [2, 1]
    assert table.loc["a.x", "mean"] == 2 and table.loc["a.x", "high"] > 3 and np.isnan(table.loc["a.y", "low"])
    assert list(tables.with_intervals(made, "a.x", "b").index) == ["a.x", "b"]


def test_the_figure_has_a_panel_for_two_bases_and_the_printed_cells() -> None:
    figure, words = tables.precision_lines(ranked(), PRINTED)
    titles = [axis.get_title("left") for axis in figure.axes if axis.get_visible()]
    assert titles == ["errors of cnn", "errors of minilm"]
    assert "errors of cnn: uncertainty: 0.65" in words and words.count("paper 0.8 to 0.74") == 1
