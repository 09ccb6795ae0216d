"""Figures of what privacy costs: the artists hold the data that were given, the alternative text says the numbers."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from figures import draw, legend_texts, line_data
from refusals import assert_refused

from trustnlp.studies.privemb import tradeoff as tradeoff

matplotlib.use("Agg")

EDGES = np.linspace(0.5, 1.5, 11)
COUNTS = {"β = 0.3": [0, 0, 1, 9, 100, 100, 9, 1, 0, 0], "β = 0.4": [1, 2, 9, 90, 900, 900, 90, 9, 2, 0]}
LIMITS = {"β = 0.3": 1.3, "β = 0.4": 1.25}


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
