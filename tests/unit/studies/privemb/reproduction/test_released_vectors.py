"""Figures of private releases: the artists hold the data that were given, the alternative text says the numbers."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from figures import draw, line_data
from refusals import assert_refused

from trustnlp.studies.privemb.reproduction import released_vectors as release

matplotlib.use("Agg")


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


def test_every_box_and_bound_lies_within_the_common_axis():
    sample = np.arange(1.0, 101.0)
    errors = {1.0: {"M1": 1000 * sample}, 5.0: {"M1": sample}}
    figure, _ = release.error_boxes(errors, {5.0: {"M1": 1e7}}, quantity="error")
    draw(figure)
    for axis in figure.axes:
        low, high = axis.get_xlim()
        assert low < np.percentile(sample, 5)
        assert high > 1e7


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
