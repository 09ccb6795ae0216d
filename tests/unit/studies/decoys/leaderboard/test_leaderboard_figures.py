"""Tables and figure of the leaderboard: the best first, what does not apply said, each explainer a mark."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.lines import Line2D

from trustnlp.studies.decoys.leaderboard.leaderboard_figures import (
    alarm_words,
    board,
    found_and_false,
    label,
    saved_by_orders,
)

STATUS = {
    "minilm": {"lime": "ranked", "occlusion": "ranked", "broken": "failed"},
    "presence": {"lime": "partly failed", "occlusion": "ranked", "gradient_x_input": "does not apply"},
}


def number(mean: float, low: float | None = None, high: float | None = None) -> dict[str, Any]:
    return {"mean": mean, "low": low, "high": high}


NUMBERS = {
    "ranking.lime.rank": number(2, 1, 2),
    "ranking.lime.found": number(0.5, 0.25, 0.75),
    "ranking.lime.chance": number(0.25, 0.25, 0.25),
    "lime.false_alarms": number(6.0, 4.0, 8.0),
    "lime.clusters_saved": number(1.25, -1.0, 3.5),
    "lime.seconds": number(0.0125),
    "ranking.occlusion.rank": number(1, 1, 2),
    "ranking.occlusion.found": number(1.0, 0.5, 1.0),
    "ranking.occlusion.chance": number(0.35, 0.35, 0.35),
    "occlusion.false_alarms": number(3.0),
    "presence.ranking.lime.rank": number(1, 1, 1),
    "presence.ranking.lime.found": number(1.0, 1.0, 1.0),
    "presence.ranking.lime.chance": number(0.5, 0.5, 0.5),
    "presence.lime.false_alarms": number(9.0),
}


def test_the_board_has_the_best_first_and_says_why_one_is_missing() -> None:
    table = board(NUMBERS, STATUS)
    assert list(table.index) == [
        ("MiniLM", "occlusion"), ("MiniLM", "LIME"), ("MiniLM", "broken"),
        ("word presence", "LIME"), ("word presence", "gradient × input"), ("word presence", "occlusion"),
    ]  # fmt: skip
    lime = table.loc[("MiniLM", "LIME")]
    assert lime["rank"] == "2 (1 to 2)" and lime["decoys named, share"] == "0.50 (0.25 to 0.75)"
    assert lime["by chance"] == "0.25" and lime["seconds a text"] == "0.013" and lime["note"] == ""
    assert table.loc[("MiniLM", "broken")].tolist() == ["–"] * 10 + ["failed"]
    assert table.loc[("word presence", "gradient × input"), "note"] == "does not apply"
    assert table.loc[("word presence", "LIME"), ["rank", "note"]].tolist() == ["1", "partly failed"]


def test_orders() -> None:
    table = saved_by_orders(NUMBERS, STATUS)
    assert list(table.index) == [("MiniLM", "LIME")]
    assert table.loc[("MiniLM", "LIME"), "spectral_clusters"] == "1.2 (-1.0 to 3.5)"
    assert table.loc[("MiniLM", "LIME"), "carriers"] == "–"
    assert not len(saved_by_orders({}, STATUS))


def test_alarms_are_columns_of_words() -> None:
    table = alarm_words(
        [
            {"model": "presence", "explainer": "lime", "words": ["and", "no", "."]},
            {"model": "presence", "explainer": "mine", "words": ["no"]},
        ],
        most=2,
    )
    assert table["word presence", "LIME"].tolist() == ["and", "no"]
    assert table["word presence", "mine"].tolist() == ["no", ""]


def test_each_explainer_is_a_mark_with_its_intervals() -> None:
    figure, alt = found_and_false(NUMBERS, STATUS)
    minilm, presence = figure.axes
    drawn = [(np.ravel(line.get_xdata()), np.ravel(line.get_ydata()), line) for line in minilm.lines]
    marks = {(float(x[0]), float(y[0])) for x, y, line in drawn if len(x) == 1 and line.get_marker() not in ("|", "_")}
    assert marks == {(6.0, 0.5), (3.0, 1.0)}
    [level] = [y for _, y, line in drawn if line.get_linestyle() == "--"]
    np.testing.assert_allclose(level, 0.3)
    assert minilm.get_title(loc="left") == "MiniLM" and presence.get_title(loc="left") == "word presence"
    assert "MiniLM: LIME 0.50 and 6.0, occlusion 1.00 and 3.0, chance 0.30" in alt
    assert "word presence: LIME 1.00 and 9.0, chance 0.50" in alt and "broken" not in alt
    plt.close(figure)


def test_more_explainers_than_colours_can_be_told_apart() -> None:
    names = [f"explainer{place}" for place in range(9)]
    numbers = {
        key: number(0.5)
        for name in names
        for key in (f"ranking.{name}.found", f"ranking.{name}.chance", f"{name}.false_alarms")
    }
    figure, _ = found_and_false(numbers, {"minilm": dict.fromkeys(names, "ranked")})
    [legend] = figure.legends
    handles = [handle for handle in legend.legend_handles if isinstance(handle, Line2D)]
    looks = {(handle.get_color(), handle.get_marker()) for handle in handles}
    assert len(looks) == 10 and [text.get_text() for text in legend.get_texts()][:9] == names
    plt.close(figure)


@pytest.mark.parametrize(("name", "said"), [("kernel_shap", "KernelSHAP"), ("mine", "mine")])
def test_labels(name: str, said: str) -> None:
    assert label(name) == said
