"""The figure for a practitioner: both panels hold what was given, the alternative text says the numbers."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest

from trustnlp.evaluation.intervals import t_interval
from trustnlp.studies.dpnr.tradeoff.tradeoff_figure import honest_tradeoff

matplotlib.use("Agg")

ACCURACY = {"label": {3.0: [70.0, 72.0], 30.0: [76.0, 78.0]}, "as written": {19.2: [60.0], 1920.0: [75.0]}}
PRIVACY = {"label": {30.0: [44.0, 46.0]}, "as written": {19.2: [48.0]}}


def test_the_figure_has_both_panels_and_says_their_numbers() -> None:
    figure, alt = honest_tradeoff(
        ACCURACY,
        PRIVACY,
        single_points=["as written"],
        without_epsilon={"no noise": ([77.0, 79.0], [7.0, 9.0]), "released code": ([76.0], None)},
        majority=(57.8, 49.3),
    )
    figure.draw_without_rendering()
    top, bottom = figure.axes
    label, written, bare, code = top.containers
    assert list(label[0].get_xdata()) == [3.0, 30.0] and list(label[0].get_ydata()) == [71.0, 77.0]
    assert label[2][0].get_segments()[0][:, 1] == pytest.approx(t_interval([70.0, 72.0]))
    assert label[0].get_linestyle() == "-" and written[0].get_linestyle() == "None"
    end = bare[0].get_xdata()[0]
    assert end > 1920 and code[0].get_xdata()[0] == end and bare[0].get_markerfacecolor() == "white"
    assert [list(bar[0].get_ydata()) for bar in bottom.containers] == [[45.0], [48.0], [8.0]]
    assert bottom.containers[0][0].get_color() == label[0].get_color()
    assert {line.get_ydata()[0] for line in top.lines if line.get_linestyle() == "--"} == {57.8}
    assert [tick.get_text() for tick in bottom.get_xticklabels()] == ["3", "19.2", "1,920", "none"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "label", "as written", "no noise", "released code", "same answer always",
    ]  # fmt: skip
    assert "accuracy (%): label: 71 (58.3 to 83.7) at 3, 77 (64.3 to 89.7) at 30; as written: 60" in alt
    assert "no noise: 78 without ε; released code: 76 without ε; same answer always: 57.8" in alt
    assert "empirical privacy (%): label: 45 (32.3 to 57.7) at 30; as written: 48 at 19.2; no noise: 8 without" in alt


def test_the_figure_refuses() -> None:
    with pytest.raises(ValueError, match="1 to 7 series"):
        honest_tradeoff({}, {})
    with pytest.raises(ValueError, match="without an accuracy: other"):
        honest_tradeoff(ACCURACY, {"other": {1.0: [1.0]}})
    with pytest.raises(ValueError, match="NaN or infinite"):
        honest_tradeoff({"label": {1.0: [np.nan]}}, {})
    with pytest.raises(ValueError, match="every value must lie above 0"):
        honest_tradeoff({"label": {0.0: [1.0]}}, {})
    with pytest.raises(ValueError, match="3 models without ε"):
        honest_tradeoff(ACCURACY, {}, without_epsilon={str(i): ([1.0], None) for i in range(4)})
