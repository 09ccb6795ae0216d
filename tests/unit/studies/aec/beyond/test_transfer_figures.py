"""What a record says of transfer: units, tables and the figure's words."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib import pyplot as plt

from trustnlp.error_analysis.error_slices import find_slices
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.studies.aec.beyond import transfer_figures as figures


def test_slices_of_a_record_are_causes_with_their_intervals() -> None:
    rng = np.random.default_rng(0)
    has = rng.random((800, 2)) < 0.4
    wrong = rng.random(800) < np.where(has[:, 0], 0.7, 0.3)
    tests = find_slices(FeatureTable(("cause", "noise"), has.astype(float), ("a", "b")), wrong)
    (row,) = figures.slice_rows(tests, 5)
    inside = wrong[has[:, 0]]
    assert row["texts that have"] == "cause" and row["texts"] == has[:, 0].sum()
    assert row["errors, %"] == pytest.approx(100 * inside.mean())
    assert row["elsewhere, %"] == pytest.approx(100 * wrong[~has[:, 0]].mean())
    assert row["from"] < row["errors, %"] < row["to"] and figures.slice_rows(tests, 0) == []


def test_effects_are_means_over_seeds_and_the_largest_come_first() -> None:
    effects = {"0": {"a": [10, 20], "b": [-40, 10], "c": [99, 99]}, "1": {"b": [-20, 30], "a": [30, 0]}}
    table = figures.effect_table(effects, 1)
    assert table.index.tolist() == ["b"] and table.loc["b"].to_dict() == {"CNN": -30, "MiniLM": 20}
    assert figures.effect_table(effects, 9).index.tolist() == ["b", "a"]


def test_the_figure_says_all_its_numbers() -> None:
    metric = {"mean": 12.0, "low": 10.0, "high": 14.0}
    numbers = {f"{text}.{name}_above_half": metric for text in figures.TEXTS for name in ("auc", "uncertainty")}
    numbers["imdb.auc_above_half"] = {"mean": -3.0, "low": None, "high": None}
    figure, alt = figures.areas_by_text(numbers)
    assert "tweets to airlines, balanced: AEC 12.0 (10.0 to 14.0), least confidence 12.0" in alt
    assert "IMDB reviews: AEC -3.0, least" in alt
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == list(reversed(figures.TEXTS.values()))
    plt.close(figure)
