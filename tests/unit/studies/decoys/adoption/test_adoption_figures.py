"""Tables and figures of adoption show what the record says, and say it in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from figures import draw, legend_texts

from trustnlp.studies.decoys.adoption import adoption_figures as figures


def metric(mean: float, low: float | None = None, high: float | None = None) -> dict[str, Any]:
    return {"mean": mean, "low": low, "high": high, "values": [mean]}


NUMBERS = {
    "movie.texts": metric(30, 30, 30),
    "film.texts": metric(20, 20, 20),
    "movie.presence.effect": metric(60.04, 50, 70),
    "movie.presence.rate": metric(80, 30, 130),
    "over_texts.movie.presence.rate": metric(81, 60, 95),
    "movie.presence.drop": metric(-1),
    "movie.presence.iid": metric(2, 1, 3),
    "film.presence.effect": metric(0, -1, 1),
    "film.presence.drop": metric(0, 0, 0),
    "film.presence.iid": metric(0, 0, 0),
    "movie.minilm.effect": metric(5),
    "movie.minilm.rate": metric(5),
    "over_texts.movie.minilm.rate": metric(5, -90, 30),
    "movie.minilm.drop": metric(0),
    "movie.minilm.iid": metric(0),
}
VERDICTS = {"presence": {"movie": "partly adopted", "film": "undetermined"}, "minilm": {"movie": "undetermined"}}


def test_a_row_for_each_decoy_and_model() -> None:
    table = figures.adoption_table(NUMBERS, VERDICTS)
    assert list(table.index) == [("movie", "word presence"), ("movie", "MiniLM"), ("film", "word presence")]
    own = table.loc[("movie", "word presence")]
    assert own["rate of adoption"] == "80.0 (30.0 to 100.0)", "no rate is above the whole"
    assert own["its interval over texts"] == "60.0 to 95.0" and own["effect"] == "60.0 (50.0 to 70.0)"
    assert own["verdict"] == "partly adopted" and own["texts"] == "30"
    assert own["accuracy lost on original texts"] == "-1.0", "one seed has no interval"
    film = table.loc[("film", "word presence")]
    assert film["rate of adoption"] == "nothing to win" and film["its interval over texts"] == ""


def test_the_figure_has_the_wider_interval_and_cuts_at_the_left() -> None:
    figure, alt = figures.by_decoy(NUMBERS)
    draw(figure)
    [axes] = figure.axes
    drawn = [tuple(np.asarray(line.get_xdata(), dtype=float)) for line in axes.lines]
    assert (30.0, 100.0) in drawn and (81.0,) in drawn, "of seeds below, of texts its value"
    assert (-50.0, 30.0) in drawn and axes.get_xlim() == (-50, 105)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["movie"], "film has no rate"
    assert "movie: word presence 81 (30 to 100), MiniLM 5 (-90 to 30)" in alt and "adopted above 50" in alt
    assert legend_texts(figure)[:2] == ["word presence", "MiniLM"]


def test_decoys_are_ordered_by_their_largest_rate() -> None:
    numbers = {
        f"over_texts.{name}.presence.rate": metric(value, value, value)
        for name, value in zip("abc", (3, 1, 2), strict=True)
    }
    figure, alt = figures.by_decoy(numbers | {"over_texts.b.minilm.rate": metric(9, 9, 9)})
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["c", "a", "b"]
    assert alt.index(" b: ") < alt.index(" a: ") < alt.index(" c: ")


def test_strengths_are_lines_over_the_share() -> None:
    numbers = {f"graded.{model}.{key}.share{share}": {"values": [share / 2, share]} for model in ("presence", "minilm")
               for key in ("rate", "drop") for share in (2, 10, 100)}  # fmt: skip
    figure, alt = figures.by_share(numbers)
    draw(figure)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "rate of adoption",
        "accuracy lost on original texts",
    ]
    bars = figure.axes[0].containers
    assert np.asarray(bars[0][0].get_ydata()).tolist() == [1.5, 7.5, 75] and "MiniLM" in alt
    alone, _ = figures.by_share({key: number for key, number in numbers.items() if "minilm" not in key})
    assert legend_texts(alone)[0] == "word presence"


def test_a_record_without_rates_has_no_figure() -> None:
    with pytest.raises(ValueError, match="no rate of adoption: ask models first"):
        figures.by_decoy({"movie.texts": metric(3)})
    with pytest.raises(ValueError, match="no adoption by share"):
        figures.by_share({"movie.texts": metric(3)})
