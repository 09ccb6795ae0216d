"""Tables and figure of the set-ups: which rows, which cells, what the alternative text says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt

from trustnlp.studies.decoys.debugging.debugging_figures import (
    clean_table,
    compared_table,
    dropped_words,
    left_and_lost,
    left_by_decoy,
    pair_rates,
    pairs_table,
    repaired_table,
    uncovered_table,
)


def number(mean: float, low: float | None = None, high: float | None = None) -> dict[str, Any]:
    return {"mean": mean, "low": low, "high": high}


NUMBERS = {
    "presence.compare.lime.success": number(0.75, 0.5, 1.0),
    "presence.compare.lime.chance": number(0.5),
    "presence.compare.lime.decoy_first_chance": number(0.1),
    "presence.compare.validation.success": number(0.25),
    "presence.compare.validation.ahead": number(12.5),
    "presence.repair.lime.words.possible": number(1.0),
    "presence.repair.lime.words.left": number(20.0, 10.0, 130.0),
    "presence.repair.lime.words.all_before": number(80.0),
    "presence.repair.lime.words.all_left": number(20.0, 10.0, 130.0),
    "presence.repair.lime.words.all_loss": number(1.0, 0.5, 1.5),
    "presence.repair.known.words.left": number(-0.2),
    "presence.repair.known.words.all_before": number(80.0),
    "presence.repair.known.words.all_left": number(-0.2),
    "presence.repair.known.words.all_loss": number(0.0),
    "presence.repair.lime.texts.possible": number(0.0),
    "presence.clean_repair.lime.words.possible": number(1.0),
    "presence.clean_repair.lime.words.loss": number(0.25),
    "presence.uncover.count.found": number(0.5),
    "presence.pairs.lime.both": number(0.5),
    "presence.pairs.rate_both": number(70.0),
    "minilm.compare.lime.success": number(1.0),
}


def test_rows_and_cells() -> None:
    table = compared_table(NUMBERS)
    assert list(table.index) == [
        ("MiniLM", "LIME"), ("word presence", "LIME"), ("word presence", "more accurate on contaminated dev"),
    ]  # fmt: skip
    lime = table.loc[("word presence", "LIME")]
    assert lime.tolist() == ["0.75 (0.50 to 1.00)", "0.50", "–", "–", "–", "0.10", "–"]
    blind = table.loc[("word presence", "more accurate on contaminated dev")]
    assert blind["buggy model ahead, points"] == "12.5"
    repairs = repaired_table(NUMBERS)
    assert [by for _, by in repairs.index] == ["LIME: words", "the decoy's words, known: words", "LIME: texts"]
    assert repairs.loc[("word presence", "the decoy's words, known: words"), "rate left"] == "0"
    assert clean_table(NUMBERS).to_numpy().tolist() == [["1.00", "–", "0.2"]]
    assert [by for _, by in uncovered_table(NUMBERS).index] == ["counting, χ²"]
    assert pairs_table(NUMBERS).to_numpy().tolist() == [["–", "–", "0.50", "–", "–"]]


def test_decoys_one_by_one() -> None:
    def row(decoy: str, source: str, left: float | None, how: str = "words") -> dict[str, Any]:
        before = None if left is None else 90.0
        told = {"decoy": decoy, "source": source, "how": how, "before": before, "left": left, "words": [decoy, "a"]}
        return told | {"seed": int(decoy == "film")}

    rows = [row("clean", "lime", None), row("movie", "lime", 12.4), row("movie", "count", -0.3), row("film", "lime", 5)]
    table = left_by_decoy(rows)
    assert table.loc["movie"].tolist() == ["90", "12", "0"] and table.loc["film"].tolist() == ["90", "5", "–"]
    assert list(table.columns) == ["before", "LIME", "counting, χ²"]
    assert not len(left_by_decoy(rows, "texts"))
    words = dropped_words(rows, ["lime", "count"])
    assert words.loc["clean"].tolist() == ["0", "clean, a", "–"] and list(words.index) == ["clean", "movie", "film"]
    assert words["seed"].tolist() == ["0", "0", "1"]


def test_pairs_part_by_part() -> None:
    rows = [{"pair": "a+b", "decoy": "a", "seeds": 3, "adopted": 2, "kept": 1, "rate_alone": 80.4, "rate_both": 39.6}]
    table = pair_rates(rows)
    assert table.loc[("a+b", "a")].tolist() == [3, 2, 1, 80, 40]
    assert list(table.columns)[1:3] == ["of these adopted beside another", "of these in enough sentences, so counted"]
    assert not len(pair_rates([]))


def test_the_figure_has_a_mark_for_each_repair_that_has_numbers() -> None:
    figure, told = left_and_lost(NUMBERS)
    [axis] = figure.axes
    assert axis.get_title(loc="left") == "word presence, words dropped"
    lines = [np.array(line.get_data()) for line in axis.lines]
    marks = {(xs[0], ys[0]) for xs, ys in lines}
    assert marks >= {(1.0, 20.0), (0.0, -0.2)}
    assert axis.get_ylim()[1] < 110
    assert "80 before, LIME 20 left and 1.0 lost, the decoy's words, known -0 left" not in told
    assert "80 before, LIME 20 left and 1.0 lost, the decoy's words, known 0 left and 0.0 lost" in told
    plt.close(figure)


def test_more_sources_than_colours_can_be_told_apart() -> None:
    many = {
        f"presence.repair.explainer{place}.words.{key}": number(float(place))
        for place in range(9)
        for key in ("all_before", "all_left", "all_loss")
    }
    figure, _ = left_and_lost(many)
    handles = figure.legends[0].legend_handles[:9]
    assert len({(h.get_color(), h.get_marker()) for h in handles if h is not None}) == 9  # type: ignore[attr-defined]
    plt.close(figure)


@pytest.mark.parametrize("table", [compared_table, repaired_table, clean_table, uncovered_table, pairs_table])
def test_nothing_recorded_is_an_empty_table(table: Any) -> None:
    assert not len(table({"other.key": number(1.0)}))


def test_no_repair_is_an_empty_panel() -> None:
    figure, _ = left_and_lost({"presence.compare.lime.success": number(1.0)})
    assert len(figure.axes) == 1
    plt.close(figure)
