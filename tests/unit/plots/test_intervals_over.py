"""Lines with intervals: the artists hold the means that were given, the alternative text says the numbers."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from figures import draw, legend_texts
from refusals import assert_refused

from trustnlp.evaluation.intervals import t_interval
from trustnlp.plots.intervals_over import draw_means, lines_with_intervals, panels_with_intervals
from trustnlp.plots.series import Look, number

matplotlib.use("Agg")

SERIES = {"M1": {10.0: [0.70, 0.74, 0.72], 1.0: [0.5, 0.52, 0.54]}, "M2": {1.0: [0.6, 0.6, 0.6]}}
PANELS = {
    "News": {"robust": {0.1: [0.25, 0.27], 1.0: [0.6, 0.62]}, "plain": {0.1: [0.3, 0.3], 1.0: [0.5, 0.5]}},
    "Reviews": {"robust": {0.1: [0.5]}},
}


def points(bar):
    return list(bar[0].get_xdata()), pytest.approx(list(bar[0].get_ydata()))


def levels(axis):
    """Style → height of the horizontal lines."""
    return {line.get_linestyle(): line.get_ydata()[0] for line in axis.lines if list(line.get_xdata()) == [0, 1]}


def test_means_intervals_and_references_are_drawn_and_told():
    figure, alt = lines_with_intervals(SERIES, quantity="accuracy", reference={"no noise": 0.95})
    draw(figure)
    (axis,) = figure.axes
    assert [points(bar) for bar in axis.containers] == [([1.0, 10.0], [0.52, 0.72]), ([1.0], [0.6])]
    low, high = t_interval(SERIES["M1"][1.0])
    whiskers, band = axis.containers[0][2][0].get_segments()[0][:, 1], axis.collections[0].get_paths()[0].vertices
    assert whiskers == pytest.approx([low, high]) and {low, high} <= set(band[:, 1])
    assert levels(axis) == {"--": 0.95}
    assert axis.get_xscale() == "log" and legend_texts(figure) == ["M1", "M2", "no noise: 0.95"]
    assert [tick.get_text() for tick in axis.get_xticklabels()] == ["1", "10"]
    assert alt.startswith("Line chart of accuracy over ε, mean over seeds with 95 % intervals. M1: 0.52")
    assert f"M1: 0.52 ({number(low)} to {number(high)}) at 1, 0.72" in alt
    assert alt.endswith("M2: 0.6 (0.6 to 0.6) at 1; no noise: 0.95.")


def test_the_axis_and_the_words_name_what_the_quantity_is_over():
    figure, alt = lines_with_intervals(
        {"M1": {0.1: [0.5], 0.5: [0.6]}}, quantity="AUC", over="share dropped", log_x=False
    )
    draw(figure)
    axis = figure.axes[0]
    assert (axis.get_xlabel(), axis.get_ylabel(), axis.get_xscale()) == ("share dropped", "AUC", "linear")
    assert "AUC over share dropped" in alt and "ε" not in alt
    assert "no interval where there is one seed. M1: 0.5 at 0.1, 0.6 at 0.5." in alt


def test_every_mean_is_told_and_the_intervals_of_the_ends():
    _, alt = lines_with_intervals({"a": {x: [y, y + 2] for x, y in ((1.0, 4), (2.0, 1), (4.0, 7))}}, quantity="error")
    (low, high), (first, last) = t_interval([4, 6]), t_interval([7, 9])
    assert f"a: 5 ({number(low)} to {number(high)}) at 1, 2 at 2, 8 ({number(first)} to {number(last)}) at 4." in alt


@pytest.mark.parametrize(
    ("quantity", "whole"), [("words recovered (share)", 1.0), ("F1 (%)", 100.0), ("accuracy in per cent", 100.0)]
)
def test_the_interval_of_a_share_stays_within_it(quantity, whole):
    values = {1.0: [0.0, 0.01 * whole], 2.0: [0.5 * whole, 0.52 * whole], 3.0: [whole, 0.9 * whole]}
    assert t_interval(values[1.0])[0] < 0 and t_interval(values[3.0])[1] > whole
    figure, alt = lines_with_intervals({"a": values}, quantity=quantity, log_x=False)
    draw(figure)
    ends = [segment[:, 1] for segment in figure.axes[0].containers[0][2][0].get_segments()]
    assert ends[0][0] == 0 and ends[2][1] == pytest.approx(whole)
    assert list(ends[1]) == pytest.approx(list(np.clip(t_interval(values[2.0]), 0, whole)))
    assert f"a: {number(0.005 * whole)} (0 to " in alt and f" to {number(whole)}) at 3" in alt
    free, _ = lines_with_intervals({"a": values}, quantity="error", log_x=False)
    assert free.axes[0].containers[0][2][0].get_segments()[0][0, 1] < 0


def test_a_share_beyond_the_whole_is_refused():
    with pytest.raises(ValueError, match=r"words recovered \(share\) of a: expected values between 0 and 1"):
        lines_with_intervals({"a": {1.0: [0.5, 1.1]}}, quantity="words recovered (share)")


@pytest.mark.parametrize("letters", [1, 10, 20, 30, 60])
def test_the_legend_lies_within_the_figure(letters):
    figure, _ = lines_with_intervals({f"{n}{'n' * letters}": {1.0: [n]} for n in range(7)}, quantity="error")
    draw(figure)
    box = figure.legends[0].get_window_extent()
    assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1


def test_a_line_without_noise_has_the_colour_of_its_series():
    figure, alt = lines_with_intervals(SERIES, quantity="accuracy", without_noise={"M1": 0.9})
    draw(figure)
    (axis,) = figure.axes
    (dotted,) = (line for line in axis.lines if line.get_linestyle() == ":")
    assert dotted.get_ydata()[0] == 0.9 and dotted.get_color() == axis.containers[0][0].get_color()
    assert legend_texts(figure) == ["M1", "M2", "the same without noise"]
    assert "at 10, 0.9 without noise; M2" in alt


def test_a_logarithm_drops_the_ends_that_lie_below_zero():
    values = {0.1: [8.0, 8.2], 0.5: [4.0, 4.2], 1.0: [1.0, 3.0]}
    figure, alt = lines_with_intervals({"a": values}, quantity="error", log_y=True)
    draw(figure)
    (axis,) = figure.axes
    assert axis.get_yscale() == axis.get_xscale() == "log"
    assert points(axis.containers[0]) == ([0.1, 0.5, 1.0], [8.1, 4.1, 2.0])
    low, high = t_interval(values[1.0])
    assert low < 0 and set(axis.collections[0].get_paths()[0].vertices[:, 0]) == {0.1, 0.5}
    assert "error on a logarithmic axis over ε" in alt
    assert f"2 ({number(low)} to {number(high)}) at 1." in alt


def test_panels_show_printed_values_hollow_and_say_them():
    figure, alt = panels_with_intervals(
        PANELS,
        quantity="accuracy",
        printed={"News": {"robust": {1.0: 0.66}}},
        reference={"Reviews": {"chance": 0.5}},
    )
    draw(figure)
    news, reviews = figure.axes
    assert points(news.containers[0]) == ([0.1, 1.0], [0.26, 0.61])
    assert [line.get_ydata().tolist() for line in news.lines if line.get_markerfacecolor() == "white"] == [[0.66]]
    assert levels(reviews) == {"--": 0.5} and not levels(news)
    assert reviews.containers[0][0].get_color() == news.containers[0][0].get_color()
    assert [axis.get_title(loc="left") for axis in figure.axes] == ["News", "Reviews"]
    assert "News: robust: 0.26" in alt and "at 1, paper 0.66 to 0.66; plain: 0.3" in alt
    assert alt.endswith("Reviews: robust: 0.5 at 0.1; chance: 0.5.")
    assert legend_texts(figure) == ["robust", "plain", "paper", "chance"]


def test_an_odd_number_of_panels_leaves_one_empty():
    figure, _ = panels_with_intervals({**PANELS, "More": PANELS["News"]}, quantity="accuracy", log_x=False)
    draw(figure)
    assert [axis.get_visible() for axis in figure.axes] == [True, True, True, False]


def test_points_that_do_not_belong_together_get_no_line_and_no_band():
    figure, _ = lines_with_intervals(SERIES, quantity="accuracy")
    (axis,) = figure.axes
    before = len(axis.collections)
    found = draw_means(axis, SERIES["M1"], Look("black", "o"), "accuracy", joined=False, face="white")
    bar = axis.containers[-1]
    assert bar[0].get_linestyle() == "None" and bar[0].get_markerfacecolor() == "white"
    assert len(axis.collections) == before + 1  # the whiskers alone
    assert found.told(every=False) == found.told() and found.means == pytest.approx([0.52, 0.72])


def test_mistakes_are_named():
    assert_refused(
        lambda series, options: lines_with_intervals(series, quantity="AUC", **options),
        [
            ({}, {}, "has no series"),
            ({"M1": {}}, {}, "ε: AUC of M1: expected a list"),
            ({"M1": {1.0: [np.nan]}}, {}, "AUC of M1 at ε = 1"),
            ({"M1": {0.0: [1]}}, {}, "above 0"),
            ({"M1": {1.0: [0.0]}}, {"log_y": True}, "above 0"),
            ({"M1": {1.0: [1.0]}}, {"reference": {str(n): n for n in range(6)}}, "5 lines can be told apart, got 6"),
            ({"M1": {1.0: [1.0]}}, {"reference": {"no noise": np.nan}}, "NaN"),
            ({"M1": {1.0: [1.0]}}, {"without_noise": {"M2": 1.0}}, "no series 'M2'; it has M1"),
        ],
    )
    assert_refused(
        lambda panels, options: panels_with_intervals(panels, quantity="AUC", **options),
        [
            ({}, {}, "no panels"),
            ({"News": {}}, {}, "News has no series"),
            (PANELS, {"printed": {"Films": {}}}, "no panel is called 'Films'"),
            (PANELS, {"printed": {"Reviews": {"plain": {}}}}, "'Reviews' has no series 'plain'"),
            (PANELS, {"reference": {"Films": {}}}, "no panel is called 'Films'"),
        ],
    )
