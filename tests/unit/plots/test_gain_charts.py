"""Lines of a task against an attacker's gain."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib import pyplot as plt

from trustnlp.plots.gain_charts import task_against_gain

PANELS = {"one": {"words": ([60.0, 5.0, 0.0], [30.0, 12.0, 0.0]), "noise": ([60.0, 40.0, 0.0], [30.0, 9.0, 0.0])}}


def test_every_line_is_drawn_told_apart_and_told_in_words() -> None:
    figure, alt = task_against_gain(PANELS, 5.0, "Words keep more.", alike="a coin")
    lines = figure.axes[0].get_lines()
    assert [np.asarray(line.get_xdata()).tolist() for line in lines[:2]] == [[60, 5, 0], [60, 40, 0]]
    assert lines[0].get_color() != lines[1].get_color()
    assert np.asarray(lines[2].get_ydata()).tolist() == [0, 30] and np.asarray(lines[3].get_xdata()).tolist() == [5, 5]
    assert alt.startswith("Words keep more. ") and "one, words: 30 at 60, 12 at 5, 0 at 0" in alt
    plt.close(figure)


def test_more_lines_than_can_be_told_apart_are_refused() -> None:
    with pytest.raises(ValueError, match="got 15"):
        task_against_gain({"one": {str(n): ([1.0], [1.0]) for n in range(15)}}, 5.0, "Too many.")
