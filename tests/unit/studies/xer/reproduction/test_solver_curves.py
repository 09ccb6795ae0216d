"""Figures of solving times: medians and extremes of what was given, runs that were stopped among them."""

from __future__ import annotations

from itertools import pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex
from refusals import assert_refused

from trustnlp.studies.xer.reproduction.solver_curves import gap_by_noise, seconds_by_nodes, seconds_by_threshold

matplotlib.use("Agg")

OURS = {-0.7: [4.0, 1.0, 2.0], -0.5: [0.1, 0.2, 0.4], -0.2: [0.01]}
PAPER = {"xER": {-0.5: 4.78, -0.7: 9202.86}, "SPP": {-0.5: 99.88}}


def legend_texts(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def whiskers(axis):
    return [[tuple(np.round(s[:, 1], 9)) for s in collection.get_segments()] for collection in axis.collections]


def by_label(axis, label):
    (line,) = (line for line in axis.lines if line.get_label() == label)
    return line


def test_medians_whiskers_and_hollow_printed_times():
    figure, alt = seconds_by_threshold({"xER": OURS}, paper=PAPER)
    figure.draw_without_rendering()
    (axis,) = figure.axes
    printed, ours, foreign = axis.lines
    assert ours.get_ydata().tolist() == [2.0, 0.2, 0.01]
    assert whiskers(axis) == [[(1.0, 4.0), (0.1, 0.4), (0.01, 0.01)]]
    assert printed.get_ydata().tolist() == [9202.86, 4.78] and to_hex(printed.get_markerfacecolor()) == "#ffffff"
    assert printed.get_xdata().tolist() == ours.get_xdata().tolist()[:2]
    assert foreign.get_color() != ours.get_color() == printed.get_color()
    assert np.abs(ours.get_xdata() - [-0.7, -0.5, -0.2]).max() < 0.2 / 4  # moved aside, yet nearest to its threshold
    assert axis.get_yscale() == "log" and axis.get_xlim()[0] < axis.get_xlim()[1]
    assert [tick.get_text() for tick in axis.get_xticklabels()] == ["-0.7", "-0.5", "-0.2"]
    assert legend_texts(figure) == ["xER", "SPP, paper", "paper"]
    assert "xER: 2 (1 to 4), paper 9,200 at T = -0.7; 0.2 (0.1 to 0.4), paper 4.78 at T = -0.5; 0.01 at T = -0.2" in alt
    assert "SPP: paper 99.9 at T = -0.5." in alt and "stopped" not in alt


@pytest.mark.parametrize(
    ("finished", "stopped", "middle", "marked", "said"),
    [
        ([], 5, 60.0, False, "5 of 5 runs stopped at T"),
        ([3.0, 4.0], 3, 60.0, False, "3 of 5 runs stopped, quickest 3 at T"),
        ([3.0, 4.0], 2, 60.0, False, "2 of 4 runs stopped, quickest 3 at T"),
        ([3.0, 4.0, 5.0], 2, 5.0, True, "2 of 5 runs stopped, median 5, quickest 3 at T"),
        ([3.0, 4.0, 5.0], 0, 4.0, True, "SPP: 4 (3 to 5) at T"),
    ],
)
def test_stopped_runs_count_as_the_longest(finished, stopped, middle, marked, said):
    figure, alt = seconds_by_threshold(
        {"SPP": {-0.5: finished, -0.3: [1.0]}}, limit=60.0, unfinished={"SPP": {-0.5: stopped}}
    )
    figure.draw_without_rendering()
    (axis,) = figure.axes
    line = axis.lines[0]
    assert line.get_ydata().tolist() == [middle, 1.0]
    assert line.get_markevery() == ([0, 1] if marked else [1])
    assert whiskers(axis)[0][0] == (min([*finished, 60.0]), 60.0 if stopped else 5.0)
    assert said in alt and "stopped after 60 seconds" in alt
    assert by_label(axis, "limit 60 s").get_ydata() == [60.0, 60.0]
    words = [text.get_text() for text in axis.texts]
    assert words == ([r"$\uparrow$", f"{stopped}/{stopped + len(finished)}"] if stopped else [])
    assert ("stopped runs" in legend_texts(figure)) == bool(stopped)


def test_arrows_of_several_solvers_stand_above_each_other_and_within_the_axis():
    names = ["a", "b", "c"]
    figure, _ = seconds_by_threshold(
        {name: {-0.5: [1.0]} for name in names}, limit=60.0, unfinished={name: {-0.7: 2} for name in names}
    )
    figure.canvas.draw()
    (axis,) = figure.axes
    boxes = [text.get_window_extent() for text in axis.texts if "/" in text.get_text()]
    limit = axis.transData.transform((0, 60.0))[1]
    assert len(boxes) == 3 and limit < boxes[0].y0 and boxes[-1].y1 <= axis.bbox.y1
    assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(boxes))
    colours = [text.get_color() for text in axis.texts if "/" not in text.get_text()]
    assert colours == [line.get_color() for line in axis.lines[:3]]


def test_legends_lie_within_the_figure():
    many = {f"solver {n}": OURS for n in range(7)}
    paper = {"solver 0": {-0.5: 1.0}}
    one = seconds_by_threshold(many, paper=paper, limit=9.0, unfinished={"solver 0": {-0.5: 1}})[0]
    two = seconds_by_nodes([10, 100], [1, 2], [1, 2], 9)[0]
    three = gap_by_noise({"seconds": many})[0]
    for figure in (one, two, three):
        figure.canvas.draw()
        box = figure.legends[0].get_window_extent()
        assert box.x0 >= 0 and box.x1 <= figure.bbox.x1 and box.y0 >= 0
    assert len(legend_texts(one)) == 10


def test_thresholds_refuse():
    assert_refused(
        lambda arguments, options: seconds_by_threshold(arguments, **options),
        [
            ({}, {}, "1 to 7 series"),
            ({"a": {}}, {}, "T: expected a list of some"),
            ({"a": {0.1: []}}, {}, r"seconds of a at T = 0.1: .* got shape \(0,\)"),
            ({"a": {0.1: [0.0]}}, {}, "above 0"),
            ({"a": {0.1: [np.inf]}}, {}, "NaN or infinite"),
            ({"a": {0.1: [1.0]}}, {"paper": {"a": {0.1: np.nan}}}, "printed seconds of a"),
            ({"a": {0.1: [1.0]}}, {"limit": 0.0}, "limit"),
            ({"a": {0.1: [1.0]}}, {"unfinished": {"a": {0.1: 1}}}, "give it as limit"),
            ({"a": {0.1: [1.0]}}, {"limit": 9.0, "unfinished": {"b": {0.1: 1}}}, "no solver in seconds: b"),
            ({"a": {0.1: [1.0]}}, {"limit": 9.0, "unfinished": {"a": {0.1: -1}}}, "got -1"),
        ],
    )


def test_growth_is_beside_the_line_of_growth_in_proportion():
    nodes = [1e3, 1e4, 1e6]
    figure, alt = seconds_by_nodes(nodes, [0.1, 2.0, 300.0], [0.2, 0.5, 20.0], 600)
    figure.draw_without_rendering()
    time, memory = figure.axes
    assert by_label(time, "seconds").get_ydata().tolist() == [0.1, 2.0, 300.0]
    assert by_label(time, "in proportion to nodes").get_ydata() == pytest.approx([0.1, 1.0, 100.0])
    assert by_label(memory, "in proportion to nodes").get_ydata() == pytest.approx([0.2, 2.0, 200.0])
    assert by_label(time, "limit 600 s").get_ydata() == [600.0, 600.0] and len(memory.lines) == 2
    assert {axis.get_xscale() + axis.get_yscale() for axis in figure.axes} == {"loglog"}
    assert [tick.get_text() for tick in time.get_xticklabels()] == ["1,000", "10,000", "100,000", "1,000,000"]
    assert legend_texts(figure) == ["seconds", "peak gigabytes", "in proportion to nodes", "limit 600 s"]
    assert "from 1,000 to 1,000,000 nodes: seconds from 0.1 to 300, 3 times what growth in proportion" in alt
    assert "peak gigabytes from 0.2 to 20, 0.1 times" in alt and "limit 600 seconds" in alt


def test_growth_of_time_alone_over_few_sizes():
    figure, alt = seconds_by_nodes([50, 60], [1.0, 1.1])
    figure.draw_without_rendering()
    (axis,) = figure.axes
    assert [tick.get_text() for tick in axis.get_xticklabels()] == ["50", "60"]
    assert legend_texts(figure) == ["seconds", "in proportion to nodes"] and "limit" not in alt


def test_growth_refuses():
    assert_refused(
        lambda arguments: seconds_by_nodes(*arguments),
        [
            (([], []), "nodes"),
            (([2, 1], [1, 1]), "nodes must ascend"),
            (([1, 2], [1]), "seconds: expected a list of 2"),
            (([1, 2], [0, 1]), "above 0"),
            (([1, 2], [1, 1], [1, np.nan]), "peak_gigabytes"),
            (([1, 2], [1, 1], None, 0), "limit_seconds"),
        ],
    )


def test_noise_has_a_panel_for_each_quantity():
    panels = {
        "share proven": {"stars": {0.9: [0.5], 0.1: [1.0]}, "triangles": {0.1: [0.9]}},
        "seconds": {"triangles": {0.1: [1.0, 3.0, 8.0], 0.5: [10.0, 40.0]}},
    }
    figure, alt = gap_by_noise(panels, log=["seconds"])
    figure.draw_without_rendering()
    share, seconds = figure.axes
    assert share.get_title(loc="left") == "share proven" and seconds.get_title(loc="left") == "seconds"
    assert (share.get_yscale(), seconds.get_yscale()) == ("linear", "log")
    assert share.lines[0].get_ydata().tolist() == [1.0, 0.5]
    assert seconds.lines[0].get_ydata().tolist() == [3.0, 25.0] and whiskers(seconds) == [[(1.0, 8.0), (10.0, 40.0)]]
    assert seconds.lines[0].get_color() == share.lines[1].get_color() != share.lines[0].get_color()
    assert seconds.lines[0].get_xdata()[0] == share.lines[1].get_xdata()[0] != share.lines[0].get_xdata()[0]
    assert [tick.get_text() for tick in seconds.get_xticklabels()] == ["0.1", "0.5", "0.9"]
    assert legend_texts(figure) == ["stars", "triangles"]
    assert "share proven: stars 1 at 0.1 to 0.5 at 0.9; triangles 0.9 at 0.1." in alt
    assert "seconds: triangles 3 (1 to 8) at 0.1 to 25 (10 to 40) at 0.5." in alt


def test_noise_refuses():
    assert_refused(
        lambda panels, options: gap_by_noise(panels, **options),
        [
            ({}, {}, "no panels"),
            ({"s": {}}, {}, "1 to 7 series"),
            ({"s": {"a": {0.1: [1.0]}}, "t": {}}, {}, "the panel 't' has no series"),
            ({"s": {"a": {0.1: [1.0]}, "b": {}}}, {}, "s of b"),
            ({"s": {"a": {0.1: [0.0]}}}, {"log": ["s"]}, "above 0"),
            ({"s": {"a": {0.1: [np.nan]}}}, {}, "s of a at 0.1"),
            ({"s": {"a": {0.1: [1.0]}}}, {"log": ["t"]}, "log names no panel: t; there are s"),
        ],
    )
