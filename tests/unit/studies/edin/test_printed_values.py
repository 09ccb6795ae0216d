"""Printed values beside ours: the artists hold what was given, the alternative text says the numbers."""

from __future__ import annotations

import matplotlib
import numpy as np
from figures import draw, legend_texts
from matplotlib.colors import to_hex
from refusals import assert_refused

from trustnlp.studies.edin.printed_values import paper_and_ours

matplotlib.use("Agg")

ROWS = ["MR", "CR"]
PAPER = {"M1": [55.61, 63.97], "M2": [58.11, np.nan]}
OURS = {"M1": ([54.0, 65.0], [53.0, 64.0], [55.5, 66.0]), "M2": ([57.0, 70.0], [56.0, 69.0], [58.0, 71.0])}
EXTRA = {"without noise": [77.0, 79.0], "largest class": [50.0, 63.8]}


def test_paper_is_hollow_ours_filled_and_missing_cells_are_left_out():
    figure, alt = paper_and_ours(ROWS, PAPER, OURS, EXTRA)
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
    figure, alt = paper_and_ours(ROWS, {"M1": [55.6, np.nan]}, {"PCA": pca}, {})
    draw(figure)
    assert legend_texts(figure) == ["PCA, ours", "M1, paper"]
    assert "MR: PCA: ours 60.0 (59.0 to 61.0); M1: paper 55.6. CR: PCA: ours 61.0 (60.0 to 62.0)." in alt


def test_paper_and_ours_refuses():
    assert_refused(
        lambda arguments: paper_and_ours(*arguments),
        [
            (([], {}, {}, {}), "no rows"),
            ((ROWS, {"M1": [1.0]}, {}, {}), r"paper, M1: expected 2 values, one per row, got shape \(1,\)"),
            ((ROWS, {}, {"M1": ([1, 2], [0, np.nan], [2, 3])}, {}), "ours, M1: 1 of 2"),
            ((ROWS, {}, {"M1": ([1, 2], [0, 3], [2, 4])}, {}), "within their intervals"),
            (
                (ROWS, {}, {"M1": ([1, 2], [0, 1], [2, 4])}, {"largest class": [1.0]}),
                "largest class: expected a list of 2",
            ),
            ((ROWS, {}, {}, {}), "1 to 7 series"),
        ],
    )
