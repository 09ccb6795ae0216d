"""Figures of the quality of scores: artists hold what was given, and nothing is left off without a word."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from refusals import assert_refused

from trustnlp.evaluation.calibration import reliability
from trustnlp.plots.style import PALETTE
from trustnlp.studies.xer import critique as plots

matplotlib.use("Agg")

RNG_SEED = 5


def legend_texts(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def within(figure):
    figure.canvas.draw()
    box = figure.legends[0].get_window_extent()
    return box.x0 >= 0 and box.x1 <= figure.bbox.x1 and box.y0 >= 0


def heights(patch):
    """Heights of the bins of a histogram's outline, in order."""
    x, y = patch.get_xy().T
    steps = {(a, b): h for a, b, h, k in zip(x, x[1:], y, y[1:], strict=False) if h == k and b > a}
    return [height for _, height in sorted(steps.items())]


def bars(axis):
    """Row → (length, colour)."""
    return {
        round(bar.get_y() + bar.get_height() / 2): (bar.get_width(), to_hex(bar.get_facecolor()))
        for bar in axis.patches
    }


def decisions(margins, **columns):
    count = len(margins)
    table = {
        "left": [f"a{n}" for n in range(count)],
        "right": [f"b{n}" for n in range(count)],
        "together": [n % 2 == 0 for n in range(count)],
        "weight": np.linspace(-1, 1, count),
        "margin": margins,
    }
    return pd.DataFrame(table | columns)


def test_histograms_share_bins_and_count_every_pair():
    rng = np.random.default_rng(RNG_SEED)
    same, other = rng.normal(0.5, 0.3, 200), rng.normal(-0.5, 0.3, 5000)
    figure, alt = plots.score_histograms({"one": (same, other), "two": (same[:9], other)}, bins=20, log_counts=True)
    assert within(figure)
    first, second = figure.axes
    edges = np.linspace(min(same.min(), other.min()), max(same.max(), other.max()), 21)
    for patch, scores in zip(first.patches, (other, same), strict=True):
        assert heights(patch) == pytest.approx(np.histogram(scores, edges)[0])
    assert first.get_title(loc="left") == "one" and second.get_title(loc="left") == "two"
    assert first.get_yscale() == "log" and first.get_ylabel() == "pairs"
    assert first.patches[0].get_fill() and not first.patches[1].get_fill()
    assert "numbers of pairs on a logarithmic axis" in alt
    assert (
        f"one: 200 same, median {np.median(same):.3g}" in alt and f"5,000 other, median {np.median(other):.3g}" in alt
    )


def test_densities_do_not_hang_on_the_number_of_pairs():
    figure, alt = plots.score_histograms({"one": ([0.6, 1.0], [0.0, 0.2, 0.2, 0.4] * 100)}, bins=5)
    assert within(figure)
    other, same = figure.axes[0].patches
    for patch in (other, same):
        assert sum(heights(patch)) * 0.2 == pytest.approx(1)
    assert figure.axes[0].get_ylabel() == "density" and "densities" in alt
    assert legend_texts(figure) == ["same entity", "others"]


def test_every_column_of_three_sets_has_its_label():
    pairs = ([0.5, 1.0], [0.0, 0.5])
    figure, _ = plots.score_histograms(dict.fromkeys(("a", "b", "c"), pairs))
    assert within(figure)
    assert [axis.get_xlabel() for axis in figure.axes] == ["", "score", "score", ""]
    assert [axis.get_visible() for axis in figure.axes] == [True, True, True, False]


def test_histograms_refuse():
    assert_refused(
        plots.score_histograms,
        [
            ({}, 9, "at least one set and one bin, got 0 and 9"),
            ({"a": ([1.0], [0.0])}, 0, "got 1 and 0"),
            ({"a": ([], [0.0])}, 9, "scores of same pairs, a"),
            ({"a": ([1.0], [np.nan])}, 9, "scores of other pairs, a: 1 of 1"),
        ],
    )


def test_reliability_sorts_bins_and_sizes_markers():
    curves = {"raw": ([0.9, 0.1], [0.5, 0.1], [10, 1000]), "calibrated": ([0.5], [0.52], [100])}
    figure, alt = plots.reliability_diagram(curves)
    assert within(figure)
    (axis,) = figure.axes
    raw, calibrated = axis.collections
    assert raw.get_offsets().tolist() == [[0.1, 0.1], [0.9, 0.5]]
    most, fewest = raw.get_sizes()
    assert calibrated.get_sizes()[0] == pytest.approx((most + fewest) / 2) and most > fewest  # 100 = sqrt(10 * 1000)
    diagonal = axis.lines[0]
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata()) == [0, 1]
    assert legend_texts(figure) == ["raw", "calibrated", "as promised", "10 pairs", "1,000 pairs"]
    sizes = [h.get_markersize() for h in figure.legends[0].legend_handles[-2:]]
    assert np.square(sizes) == pytest.approx([fewest, most])
    assert "raw: 1,010 pairs in 2 bins, farthest off where 0.9 is promised and 0.5 kept (10 pairs)" in alt


def test_reliability_takes_the_columns_of_the_table():
    rng = np.random.default_rng(RNG_SEED)
    scores = rng.random(500)
    table = reliability(scores, rng.random(500) < scores)
    figure, alt = plots.reliability_diagram({"raw": (table["mean_probability"], table["share_same"], table["pairs"])})
    figure.draw_without_rendering()
    assert figure.axes[0].collections[0].get_offsets()[:, 1].tolist() == pytest.approx(table["share_same"].tolist())
    assert "500 pairs in 10 bins" in alt


def test_one_bin_of_one_pair():
    figure, _ = plots.reliability_diagram({"raw": ([0.5], [1.0], [1])})
    figure.draw_without_rendering()
    assert legend_texts(figure)[-1] == "1 pair"


def test_reliability_refuses():
    assert_refused(
        plots.reliability_diagram,
        [
            ({}, "1 to 7 series"),
            ({"a": ([0.1], [0.1, 0.2], [1])}, "shares of a: expected a list of 1"),
            ({"a": ([0.1], [0.1], [0])}, "pairs of a: every value must lie above 0"),
            ({"a": ([10.0], [0.1], [1])}, "mean probabilities of a lie between 0 and 1, got 10 to 10"),
            ({"a": ([0.1], [-0.1], [1])}, "shares of a lie between"),
        ],
    )


def test_value_and_f1_draws_shares_in_percent_and_enlarges_the_points():
    paths = {"HC": ([0.0, 0.6, 0.98, -4.0], [0.0, 0.7, 0.9, 0.2])}
    points = {"optimum": (1.0, 0.95), "gold": (0.97, 1.0)}
    figure, alt = plots.value_and_f1(paths, points)
    assert within(figure)
    whole, near = figure.axes
    for axis in (whole, near):
        path, optimum, gold = axis.lines
        assert path.get_xdata() == pytest.approx([0, 60, 98, -400]) and path.get_ydata() == pytest.approx(
            [0, 70, 90, 20]
        )
        assert (*optimum.get_xdata(), *optimum.get_ydata()) == pytest.approx((100, 95))
        assert optimum.get_linestyle() == "None" and gold.get_marker() != optimum.get_marker() != path.get_marker()
    assert whole.get_xlim() == pytest.approx((-4, 104)) and whole.get_ylim() == pytest.approx((-4, 104))
    assert near.get_xlim() == pytest.approx((95.5, 101.5)) and near.get_ylim() == pytest.approx((92.5, 102.5))
    assert near.get_title(loc="left") == "enlarged" and legend_texts(figure) == ["HC", "optimum", "gold"]
    assert "HC: F1 up to 90.0 % at 98.0 % of the weight, 90.0 % at its heaviest, 98.0 %; 1 of 4 partitions are" in alt
    assert "gold: weight 97.0 %, F1 100.0 %" in alt


def test_points_and_paths_below_zero_are_in_view():
    alone, _ = plots.value_and_f1({}, {"optimum": (1.0, 0.95), "gold": (-3.0, 1.0)})
    assert len(alone.axes) == 1 and alone.axes[0].get_xlim()[0] < -300
    poor, alt = plots.value_and_f1({"HC": ([-2.0, -9.0], [0.1, 0.2])}, {"optimum": (1.0, 0.9)})
    assert len(poor.axes) == 1 and -300 < poor.axes[0].get_xlim()[0] < -200
    assert "10.0 % at its heaviest, -200.0 %; 1 of 2 partitions are lighter" in alt


@given(st.lists(st.tuples(st.floats(-9, 2), st.floats(0, 1)), min_size=1, max_size=12), st.floats(-2, 1))
def test_whatever_is_not_in_view_is_counted(path, gold):
    weights, f1 = map(np.array, zip(*path, strict=True))
    figure, alt = plots.value_and_f1({"HC": (weights, f1)}, {"gold": (gold, 1.0), "optimum": (1.0, 0.5)})
    (left, right), (low, high) = figure.axes[0].get_xlim(), figure.axes[0].get_ylim()
    plt.close(figure)
    least = min(0.0, gold, weights.max())
    off = int((weights < least).sum())
    assert (f"{off} of {len(path)} partitions are lighter" in alt) == (off > 0)
    inside = weights >= least
    assert (left <= 100 * weights[inside]).all() and (100 * weights[inside] <= right).all()
    assert (low <= 100 * f1[inside]).all() and (100 * f1[inside] <= high).all() and left <= 100 * gold <= right


def test_value_and_f1_refuses():
    assert_refused(
        plots.value_and_f1,
        [
            ({}, {}, "1 to 7 series"),
            ({"HC": ([1.0], [0.5, 0.6])}, {}, "F1 of HC: expected a list of 1"),
            ({"HC": ([1.0], [95.0])}, {}, "F1 of HC: expected shares from 0 to 1, got 95"),
            ({"HC": ([np.inf], [0.5])}, {}, "weights of HC"),
            ({}, {"gold": (np.nan, 1.0)}, "weights of gold"),
        ],
    )


def test_margins_put_the_least_certain_on_top():
    table = decisions([0.5, 2.0, 0.1, np.inf], weight=[0.25, np.nan, -0.3, np.nan])
    figure, alt = plots.margins(table)
    assert within(figure)
    (axis,) = figure.axes
    assert bars(axis) == {
        0: (pytest.approx(0.1), PALETTE["blue"].lower()),
        1: (pytest.approx(0.5), PALETTE["blue"].lower()),
        2: (pytest.approx(2.0), PALETTE["orange"].lower()),
    }
    labels = [tick.get_text() for tick in axis.get_yticklabels()]
    assert labels == ["a2 – b2 (-0.3)", "a0 – b0 (0.25)", "a1 – b1 (no edge)"]
    assert axis.get_ylim()[0] > axis.get_ylim()[1]  # row 0 stands on top
    assert axis.get_title(loc="left") == "1 more cannot be reversed"
    assert legend_texts(figure) == ["joined", "parted"]
    assert "a2 – b2 (-0.3) joined, 0.1; a0 – b0 (0.25) joined, 0.5; a1 – b1 (no edge) parted, 2." in alt
    assert alt.endswith("Shown: 1 more cannot be reversed.")


def test_only_25_margins_are_drawn_and_the_figure_says_so():
    figure, alt = plots.margins(decisions(np.arange(40)[::-1] / 10))
    assert within(figure)
    (axis,) = figure.axes
    assert sorted(length for length, _ in bars(axis).values()) == pytest.approx(np.arange(25) / 10)
    assert axis.get_title(loc="left") == "the 25 least certain of 40" and "the 25 least certain of 40." in alt
    assert plots.margins(decisions(np.arange(25)))[0].axes[0].get_title(loc="left") == ""


def test_margins_of_one_kind_and_of_zero():
    figure, _ = plots.margins(decisions([0.0], together=[False]))
    figure.draw_without_rendering()
    assert legend_texts(figure) == ["parted"]


def test_margins_refuse():
    assert_refused(
        plots.margins,
        [
            (decisions([1.0]).drop(columns="weight"), "no column 'weight'; it has left, right, together, margin"),
            (decisions([1.0, -0.5]), r"margins are 0 or more, got \[-0.5\]"),
            (decisions([1.0, np.nan]), "margins are 0 or more"),
            (decisions([np.inf]), "none of 1 margins is finite"),
            (decisions([]), "none of 0 margins is finite"),
        ],
    )
