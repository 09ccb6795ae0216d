"""Figures from a tidy frame show each mean, interval and printed value where they are."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from trustnlp.plots.tidy import draw

FRAME = pd.DataFrame(
    {
        "k": [1, 2, 1, 2],
        "who": ["a", "a", "b", "b"],
        "mean": [10.0, 20.0, 40.0, 30.0],
        "low": [8.0, None, 35.0, 29.0],
        "high": [12.0, None, 45.0, 31.0],
        "paper": [11.0, None, None, 33.0],
    }
)
WORDS = {"title": "A grows", "xlabel": "k", "ylabel": "texts (%)"}


def test_lines_and_printed_values_stand_where_the_frame_says():
    figure, alt = draw(FRAME, x="k", color="who", **WORDS)
    [axis] = figure.axes
    lines = [(line.get_xdata().tolist(), line.get_ydata().tolist()) for line in axis.lines]
    assert ([1, 2], [10, 20]) in lines
    assert ([1, 2], [40, 30]) in lines
    hollow = [line for line in axis.lines if line.get_markerfacecolor() == "white"]
    assert [line.get_ydata().tolist() for line in hollow] == [[11], [33]]
    assert alt == (
        "A grows. Texts (%) with 95 % intervals. a: 10 (8 to 12) at 1 (paper 11), 20 at 2. "
        "b: 40 (35 to 45) at 1, 30 (29 to 31) at 2 (paper 33)."
    )
    plt.close(figure)


def test_names_on_the_axis_are_not_joined_and_print_stands_over_its_own_dot():
    figure, _ = draw(FRAME.assign(k=FRAME["k"].map(str)), x="k", color="who", **WORDS)
    figure.canvas.draw()
    [axis] = figure.axes
    dots = np.concatenate(
        [np.asarray(group.get_offsets()) for group in axis.collections if len(group.get_offsets()) > 1]
    )
    for line in axis.lines:
        if line.get_markerfacecolor() == "white" and len(line.get_xdata()):
            series = {11.0: 10.0, 33.0: 30.0}[line.get_ydata()[0]]
            at = dots[dots[:, 1] == series][0][0]
            assert line.get_xdata()[0] == pytest.approx(at, abs=0.02)
    plt.close(figure)


def test_a_panel_for_each_value_and_levels_in_all():
    figure, _ = draw(FRAME, x="k", col="who", levels={"guessing": 25.0}, **WORDS)
    assert [axis.get_title(loc="left") for axis in figure.axes] == ["a", "b"]
    assert all(any(line.get_ydata()[0] == 25.0 for line in axis.lines) for axis in figure.axes)
    plt.close(figure)


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match="no row"):
        draw(FRAME[:0], x="k", **WORDS)


def test_an_axis_of_numbers_is_logarithmic_and_long_names_are_slanted():
    data = pd.DataFrame({"share": [2, 20, 100], "mean": [1.0, 2.0, 3.0]}).assign(low=np.nan, high=np.nan, paper=np.nan)
    figure, _ = draw(data, x="share", title="It rises", xlabel="share", ylabel="points", log_x=True)
    assert figure.axes[0].get_xscale() == "log"
    named = data.assign(share=["a name of many letters, " * 2 + end for end in "abc"])
    figure, _ = draw(named, x="share", title="It rises", xlabel="share", ylabel="points")
    assert {label.get_rotation() for label in figure.axes[0].get_xticklabels()} == {35.0}
