"""Figures of private releases: the artists hold the data that were given, the alternative text says the numbers."""

from __future__ import annotations

import re

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from refusals import assert_refused

from trustnlp.evaluation.intervals import t_interval
from trustnlp.plots import released_vectors as release
from trustnlp.plots.series import finite, line_styles, looks, number
from trustnlp.plots.style import MARKERS
from trustnlp.studies.privemb import privacy_tradeoff as tradeoff

matplotlib.use("Agg")

EDGES = np.linspace(0.5, 1.5, 11)
COUNTS = {"β = 0.3": [0, 0, 1, 9, 100, 100, 9, 1, 0, 0], "β = 0.4": [1, 2, 9, 90, 900, 900, 90, 9, 2, 0]}
LIMITS = {"β = 0.3": 1.3, "β = 0.4": 1.25}
ROWS = ["MR", "CR"]
PAPER = {"M1": [55.61, 63.97], "M2": [58.11, np.nan]}
OURS = {"M1": ([54.0, 65.0], [53.0, 64.0], [55.5, 66.0]), "M2": ([57.0, 70.0], [56.0, 69.0], [58.0, 71.0])}
EXTRA = {"without noise": [77.0, 79.0], "largest class": [50.0, 63.8]}


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def line_data(axis, label):
    """The points of the line or error bar called `label`."""
    drawn = {line.get_label(): line for line in axis.lines}
    drawn |= {bar.get_label(): bar[0] for bar in axis.containers if hasattr(bar, "has_yerr")}
    return np.asarray(drawn[label].get_xdata(), dtype=float), np.asarray(drawn[label].get_ydata(), dtype=float)


def legend_texts(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def draw(figure):
    """Rendering is where a bad tick or a wrong artist shows; warnings are errors here."""
    figure.draw_without_rendering()


def test_boxes_are_the_percentiles_and_bounds_the_bounds():
    sample = np.arange(1.0, 101.0)
    errors = {5.0: {"M1": sample / 5, "M2": sample / 10}, 1.0: {"M1": sample, "M2": sample / 2}}
    figure, alt = release.error_boxes(errors, {1.0: {"M1": 5050.0}, 5.0: {}}, quantity="error")
    draw(figure)
    assert [axis.get_title(loc="left") for axis in figure.axes] == ["ε = 1", "ε = 5"]
    first, second = figure.axes
    box = first.patches[1]
    assert (box.get_x(), box.get_x() + box.get_width()) == pytest.approx(tuple(np.percentile(sample / 2, [25, 75])))
    whisker = first.collections[0].get_segments()[0][:, 0]
    assert tuple(whisker) == pytest.approx(tuple(np.percentile(sample, [5, 95])))
    assert line_data(first, first.lines[0].get_label())[0] == [5050.0] and not second.lines
    assert first.get_xscale() == second.get_xscale() == "log" and first.get_xlim() == second.get_xlim()
    assert "At ε = 1, M1: 50.5; M2: 25.2; proven bounds 100 to 100 times the median." in alt
    assert "At ε = 5, M1: 10.1; M2: 5.05." in alt


def test_a_mechanism_keeps_its_colour_in_every_panel():
    sample = np.arange(1.0, 9.0)
    figure, _ = release.error_boxes({1.0: {"M1": sample, "M2": sample}, 2.0: {"M2": sample}}, None, quantity="error")
    draw(figure)
    first, second = figure.axes
    assert first.patches[1].get_edgecolor()[:3] == second.patches[0].get_edgecolor()[:3]
    assert first.patches[0].get_edgecolor()[:3] != first.patches[1].get_edgecolor()[:3]
    assert not figure.legends


def test_boxes_refuse():
    assert_refused(
        lambda errors, bounds: release.error_boxes(errors, bounds, quantity="error"),
        [
            ({}, None, "1 to 7 series"),
            ({1.0: {"M1": []}}, None, r"shape \(0,\)"),
            ({1.0: {"M1": [1.0, np.nan]}}, None, "1 of 2 values are NaN"),
            ({1.0: {"M1": [-1.0, *range(1, 99)]}}, None, "absolute errors, got -1"),
            ({1.0: {"M1": np.zeros(9)}}, None, "above 0"),
            ({1.0: {"M1": [1.0]}}, {1.0: {"M2": 3.0}}, "bounds without errors at ε = 1: M2"),
            ({1.0: {"M1": [1.0]}}, {2.0: {"M1": 3.0}}, "bounds without errors at ε = 2"),
            ({1.0: {"M1": [1.0]}}, {1.0: {"M1": np.inf}}, "NaN or infinite"),
        ],
    )


def test_metric_shows_means_t_intervals_and_references():
    values = {"M1": {10.0: [0.70, 0.74, 0.72], 1.0: [0.5, 0.52, 0.54]}, "M2": {1.0: [0.6, 0.6, 0.6]}}
    figure, alt = release.metric_by_epsilon(values, quantity="accuracy", reference={"no noise": 0.95})
    draw(figure)
    (axis,) = figure.axes
    x, y = line_data(axis, "M1")
    assert x.tolist() == [1.0, 10.0] and y == pytest.approx([0.52, 0.72])
    low, high = t_interval(values["M1"][1.0])
    drawn = next(bar for bar in axis.containers if bar.get_label() == "M1")[2][0].get_segments()[0][:, 1]
    assert drawn == pytest.approx([low, high])
    assert line_data(axis, "no noise: 0.95")[1].tolist() == [0.95, 0.95]
    assert axis.get_xscale() == "log" and legend_texts(figure) == ["M1", "M2", "no noise: 0.95"]
    assert [tick.get_text() for tick in axis.get_xticklabels()] == ["1", "10"]
    assert f"M1: 0.52 ({number(low)} to {number(high)}) at ε = 1, 0.72" in alt
    assert "M2: 0.6 (0.6 to 0.6) at ε = 1; no noise: 0.95." in alt and "one seed" not in alt


def test_metric_of_one_seed_says_that_it_has_no_interval():
    figure, alt = release.metric_by_epsilon({"M1": {1.0: [0.5], 2.0: [0.6]}}, quantity="AUC", log_x=False)
    draw(figure)
    assert figure.axes[0].get_xscale() == "linear"
    assert "no interval where there is one seed: M1: 0.5 at ε = 1, 0.6 at ε = 2." in alt


def test_metric_refuses():
    assert_refused(
        lambda series: release.metric_by_epsilon(series, quantity="AUC"),
        [
            ({}, "1 to 7"),
            ({"M1": {}}, "ε of M1"),
            ({"M1": {1.0: [np.nan]}}, "AUC of M1 at ε = 1"),
            ({"M1": {0.0: [1]}}, "above 0"),
        ],
    )


def test_too_many_references_are_refused_not_dropped():
    with pytest.raises(ValueError, match="5 lines can be told apart, got 6"):
        release.metric_by_epsilon({"M1": {1.0: [1.0]}}, quantity="AUC", reference={str(n): n for n in range(6)})


def test_paper_is_hollow_ours_filled_and_missing_cells_are_left_out():
    figure, alt = release.paper_and_ours(ROWS, PAPER, OURS, EXTRA)
    draw(figure)
    (axis,) = figure.axes
    ours, paper = axis.lines[0], axis.lines[1]
    assert ours.get_xdata().tolist() == [54.0, 65.0] and paper.get_xdata().tolist() == PAPER["M1"]
    assert to_hex(paper.get_markerfacecolor()) == "#ffffff" != to_hex(ours.get_markerfacecolor())
    assert ours.get_ydata().tolist() == paper.get_ydata().tolist()
    segments = [segment[:, 0].tolist() for collection in axis.collections for segment in collection.get_segments()]
    assert [77.0, 77.0] in segments and [63.8, 63.8] in segments and [53.0, 55.5] in segments
    assert legend_texts(figure) == [*EXTRA, "M1, ours", "M1, paper", "M2, ours", "M2, paper"]
    assert "MR: M1: paper 55.61, ours 54.0 (53.0 to 55.5); M2: paper 58.11, ours 57.0" in alt
    assert (
        "CR: M1: paper 63.97" in alt and "M2: ours 70.0 (69.0 to 71.0); without noise: 79.0; largest class: 63.8" in alt
    )
    assert "nan" not in alt and axis.get_ylim()[0] > axis.get_ylim()[1]  # the first row stands on top


def test_a_mechanism_the_paper_does_not_have_and_one_we_do_not_have():
    pca = ([60.0, 61.0], [59.0, 60.0], [61.0, 62.0])
    figure, alt = release.paper_and_ours(ROWS, {"M1": [55.6, np.nan]}, {"PCA": pca}, {})
    draw(figure)
    assert legend_texts(figure) == ["PCA, ours", "M1, paper"]
    assert "MR: PCA: ours 60.0 (59.0 to 61.0); M1: paper 55.6. CR: PCA: ours 61.0 (60.0 to 62.0)." in alt


def test_paper_and_ours_refuses():
    assert_refused(
        lambda arguments: release.paper_and_ours(*arguments),
        [
            (([], {}, {}, {}), "no rows"),
            ((ROWS, {"M1": [1.0]}, {}, {}), r"paper, M1: expected 2 values, one a row, got shape \(1,\)"),
            ((ROWS, {}, {"M1": ([1, 2], [0, np.nan], [2, 3])}, {}), "ours, M1: 1 of 2"),
            ((ROWS, {}, {"M1": ([1, 2], [0, 3], [2, 4])}, {}), "within their intervals"),
            (
                (ROWS, {}, {"M1": ([1, 2], [0, 1], [2, 4])}, {"largest class": [1.0]}),
                "largest class: expected a list of 2",
            ),
            ((ROWS, {}, {}, {}), "1 to 7 series"),
        ],
    )


def test_audit_counts_only_what_lies_above_the_diagonal():
    claimed = [0.5, 1.0, 4.0]
    certified = {"right": [0.0, 1.0, 2.0], "broken": [0.6, np.nan, 40.0]}
    figure, alt = release.audit_bounds(claimed, certified, ceiling=[50.0, 50.0, 50.0])
    draw(figure)
    (axis,) = figure.axes
    assert line_data(axis, "right")[1].tolist() == [0.0, 1.0, 2.0]
    assert np.array_equal(line_data(axis, "broken")[1], certified["broken"], equal_nan=True)
    diagonal = line_data(axis, "certified = claimed")
    assert diagonal[0].tolist() == diagonal[1].tolist() and diagonal[1][1] > 50
    assert line_data(axis, "most the draws could prove")[1].tolist() == [50.0] * 3
    assert "right: refuted 0 of 3 times, certified 0 to 1 times the claim" in alt
    assert "broken: refuted 2 of 2 times, certified 1.2 to 10 times the claim." in alt
    assert "claims from 0.5 to 4" in alt
    ticks = [tick.get_text() for tick in axis.get_yticklabels()]
    assert ticks[:3] == ["0", "0.5", "1"] and "50" in ticks


def test_the_diagonal_of_the_audit_is_straight_on_paper():
    figure, _ = release.audit_bounds([0.5, 1.0, 8.0], {"M1": [0.1, 0.2, 9.0]})
    draw(figure)
    (axis,) = figure.axes
    points = axis.transData.transform([(1, 1), (2, 2), (4, 4)])
    assert np.diff(points, axis=0)[0] == pytest.approx(np.diff(points, axis=0)[1])


def test_audit_refuses():
    assert_refused(
        release.audit_bounds,
        [
            ([], {"M1": []}, "claimed ε"),
            ([0.0], {"M1": [0.0]}, "above 0"),
            ([1.0], {}, "1 to 7"),
            ([1.0, 2.0], {"M1": [1.0]}, "M1: expected 2 bounds"),
            ([1.0], {"M1": [np.inf]}, "M1: expected 1 bounds"),
            ([1.0], {"M1": [-0.1]}, "M1: expected 1 bounds"),
            ([1.0], {"M1": [np.nan]}, "nothing was audited"),
        ],
    )


def test_noise_by_beta_says_where_a_curve_becomes_feasible_and_shorter():
    betas = np.array([0.25, 0.5, 0.75])
    dimensions = np.array([160.0, 90.0, 40.0])
    figure, alt = tradeoff.noise_by_beta(betas, {"ln / ln": dimensions * (1 + betas), "always": [9, 8, 7]}, 0.6, 100.0)
    draw(figure)
    (axis,) = figure.axes
    x, y = line_data(axis, "ln / ln")
    assert np.array_equal(x, betas) and y == pytest.approx([200, 135, 70])
    assert line_data(axis, "break-even: β = 0.6")[0].tolist() == [0.6, 0.6]
    assert line_data(axis, "no projection: d = 100")[1].tolist() == [100.0, 100.0]
    region = axis.collections[0].get_paths()[0].vertices
    assert region[:, 1].max() == pytest.approx(175) and axis.get_yscale() == "log"
    assert "ln / ln: 200 at β = 0.25 to 70 at β = 0.75, m ≤ d from β = 0.5, shorter than d from β = 0.75" in alt
    assert "always: 9 at β = 0.25 to 7 at β = 0.75, m ≤ d from β = 0.25" in alt and "break-even at β = 0.6" in alt


def test_noise_by_beta_without_break_even():
    figure, alt = tradeoff.noise_by_beta([0.1, 0.2], {"never": [900, 800], "away": [10, 800]}, None, 100.0)
    draw(figure)
    assert "never m ≤ d, never shorter than d" in alt and "not m ≤ d at the end" in alt and "break-even" not in alt
    assert not any("break-even" in text for text in legend_texts(figure))


def test_noise_by_beta_refuses():
    assert_refused(
        tradeoff.noise_by_beta,
        [
            ([0.5, 0.4], {"a": [1, 2]}, None, 3.0, "ascend"),
            ([0.4, 0.5], {"a": [1]}, None, 3.0, "lengths, a: expected a list of 2"),
            ([0.4, 0.5], {"a": [1, np.nan]}, None, 3.0, "NaN"),
            ([0.4, 0.5], {"a": [1, 2]}, None, 0.0, "plain"),
            ([0.4, 0.5], {"a": [1, 2]}, 0.6, 3.0, "break-even β = 0.6 lies outside"),
            ([0.4, 0.5], {}, None, 3.0, "1 to 7"),
        ],
    )


def test_ratios_keep_their_counts_and_their_limits():
    figure, alt = tradeoff.ratio_histogram(EDGES, COUNTS, LIMITS, {"β = 0.3": 1.234, "β = 0.4": 1.395})
    draw(figure)
    (axis,) = figure.axes
    for patch, values in zip(axis.patches, COUNTS.values(), strict=True):
        assert patch.get_data().values.tolist() == values and np.array_equal(patch.get_data().edges, EDGES)
    assert [line.get_xdata()[0] for line in axis.lines] == [1.3, 1.234, 1.25, 1.395]
    assert axis.get_yscale() == "log"
    assert "β = 0.3: 220 pairs, largest ratio 1.234 against 1 + β = 1.3, no pair beyond it" in alt
    assert "β = 0.4: 2,000 pairs, largest ratio 1.395 against 1 + β = 1.25, 2 to 11 pairs beyond it." in alt


def test_without_maxima_the_last_bin_with_a_pair_is_the_largest_ratio():
    figure, alt = tradeoff.ratio_histogram(EDGES, {"a": np.eye(10)[3]}, {"a": 1.5})
    draw(figure)
    assert figure.axes[0].lines[1].get_xdata()[0] == pytest.approx(0.9)
    assert "largest ratio at most 0.900" in alt


def test_a_hundred_million_pairs():
    figure, alt = tradeoff.ratio_histogram([0.9, 1.0, 1.1], {"a": [10**8, 3]}, {"a": 1.5})
    draw(figure)
    assert figure.axes[0].get_ylim()[1] > 10**8 and "1e+08 pairs" in alt


def test_ratios_refuse():
    assert_refused(
        tradeoff.ratio_histogram,
        [
            ([1.0], {"a": []}, {"a": 1.5}, "edges must ascend"),
            ([1.0, 0.5], {"a": [1]}, {"a": 1.5}, "edges must ascend"),
            ([1.0, 2.0], {"a": [1, 2]}, {"a": 1.5}, "a: expected a list of 1"),
            ([1.0, 2.0], {"a": [0]}, {"a": 1.5}, "not all 0"),
            ([1.0, 2.0, 3.0], {"a": [-1, 2]}, {"a": 1.5}, "none negative"),
            ([1.0, 2.0], {"a": [1]}, {"b": 1.5}, "limits are of"),
            ([1.0, 2.0], {}, {}, "1 to 7"),
        ],
    )


def test_lengths_are_all_counted_and_marks_drawn():
    lengths = np.geomspace(2.0, 8.0, 101)
    figure, alt = tradeoff.length_histogram(lengths, {"noise of M1": 30.0, "nearest neighbour": 3.0})
    draw(figure)
    (axis,) = figure.axes
    assert sum(bar.get_height() for bar in axis.patches) == 101
    assert line_data(axis, "noise of M1: 30")[0].tolist() == [30.0, 30.0]
    assert axis.get_xscale() == "log" and axis.get_xlim()[0] < 2 and axis.get_xlim()[1] > 30
    assert "101 vectors" in alt and "median 4," in alt and "noise of M1: 30, 7.5 times the median" in alt
    assert "nearest neighbour: 3, 0.75 times the median" in alt


def test_vectors_of_one_length_make_a_bar_that_can_be_seen():
    figure, _ = tradeoff.length_histogram(np.ones(500), {"noise": 30.0})
    draw(figure)
    axis = figure.axes[0]
    bars = [bar for bar in axis.patches if bar.get_height() > 0]
    assert [bar.get_height() for bar in bars] == [500] and bars[0].get_window_extent().width > 2


def test_lengths_refuse():
    assert_refused(
        tradeoff.length_histogram,
        [
            ([], {"a": 1.0}, "lengths"),
            ([0.0, 1.0], {"a": 1.0}, "above 0"),
            ([1.0, np.nan], {"a": 1.0}, "NaN"),
            ([1.0], {"a": -1.0}, "marks"),
            ([1.0], {}, "marks"),
            ([1.0], {str(n): 1.0 + n for n in range(6)}, "5 lines"),
        ],
    )


def test_series_look_alike_in_every_figure_and_apart_from_each_other():
    names = [f"series {n}" for n in range(len(MARKERS))]
    look = looks(names)
    assert len({(x.colour, x.marker) for x in look.values()}) == len({x.marker for x in look.values()}) == len(names)
    assert looks(names[:2]) == {name: look[name] for name in names[:2]}
    assert list(looks(["b", "a", "b"])) == ["b", "a"]
    with pytest.raises(ValueError, match="got 8"):
        looks([*names, "one more"])
    assert len(set(map(str, line_styles("abcde").values()))) == 5


def test_finite_says_what_is_wrong():
    assert finite([1, 2], "x").tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match=re.escape("x: expected a list of some numbers, got shape (1, 2)")):
        finite([[1, 2]], "x")
    with pytest.raises(ValueError, match="x: every value must lie above 0, the smallest is 0"):
        finite([0, 2], "x", above=0)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.46849, "0.468"),
        (12345, "12,300"),
        (999_999, "1e+06"),
        (8e7, "8e+07"),
        (0, "0"),
        (-2.5, "-2.5"),
        (2e-5, "2e-05"),
    ],
)
def test_numbers_in_words(value, text):
    assert number(value) == text


def test_utility_by_attack_joins_the_means_of_each_epsilon_in_order():
    runs = {"M1": {10.0: ([0.1, 0.3], [0.6, 0.8]), 1.0: ([0.0], [0.5])}, "M2": {1.0: ([0.4], [0.9])}}
    figure, alt = tradeoff.utility_by_attack(runs, attack="words recovered", utility="accuracy")
    draw(figure)
    x, y = line_data(figure.axes[0], "M1")
    assert x == pytest.approx([0.0, 0.2])
    assert y == pytest.approx([0.5, 0.7])
    assert [text.get_text() for text in figure.axes[0].texts].count("ε = 1") == 2
    assert "0.7 at 0.2 (ε = 10)" in alt
    assert legend_texts(figure) == ["M1", "M2"]


def test_utility_by_attack_refuses_what_is_not_a_number():
    with pytest.raises(ValueError, match="accuracy of M1"):
        tradeoff.utility_by_attack({"M1": {1.0: ([0.1], [np.nan])}}, attack="recovered", utility="accuracy")


def test_every_box_and_bound_lies_within_the_common_axis():
    sample = np.arange(1.0, 101.0)
    errors = {1.0: {"M1": 1000 * sample}, 5.0: {"M1": sample}}
    figure, _ = release.error_boxes(errors, {5.0: {"M1": 1e7}}, quantity="error")
    draw(figure)
    for axis in figure.axes:
        low, high = axis.get_xlim()
        assert low < np.percentile(sample, 5)
        assert high > 1e7
