"""Figures about noise on representations: the artists hold what was given, the alternative text says the numbers."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex

from trustnlp.plots.style import PALETTE
from trustnlp.studies.dpnr.critique import noisy_representation as plots

matplotlib.use("Agg")

CLEAN = np.array([0.0, 1.0, 0.25, 0.5])
IMPLIED = {
    "one": {"dev": {"3": (79.15, 79.17), "4": (79.16, 79.18)}, "test": {"3": (79.2, 79.21), "4": (79.3, 79.31)}},
    "two": {"dev": {"3": (50.0, 50.1), "4": (50.05, 50.2)}, "test": {"3": (50.0, 50.1), "4": (50.2, 50.3)}},
}


def legend_texts(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_releases_stand_in_the_order_of_the_clean_values():
    figure, alt = plots.before_and_after(CLEAN, {"shifted": CLEAN + 2, "turned": 3 - CLEAN})
    figure.draw_without_rendering()
    shifted, turned = figure.axes
    dots, line = shifted.lines
    assert list(line.get_ydata()) == [0, 0.25, 0.5, 1] and list(dots.get_ydata()) == [2, 2.25, 2.5, 3]
    assert list(turned.lines[0].get_ydata()) == [3, 2.75, 2.5, 2]
    assert "shifted: released values from 2 to 3, correlation with the clean ones 1" in alt
    assert "turned: released values from 2 to 3, correlation with the clean ones -1." in alt


def test_brackets_reach_from_certified_to_proven():
    certified = {"shared": [7.0, 7.0], "right": [0.0, 0.5]}
    figure, alt = plots.loss_brackets([0.1, 1.0], certified, {"shared": None, "right": [0.1, 1.0]})
    figure.draw_without_rendering()
    (axis,) = figure.axes
    shared, right = (collection.get_segments() for collection in axis.collections[:2])
    assert [bar[0, 1] for bar in shared] == [7.0, 7.0] and shared[0][1, 1] == axis.get_ylim()[1]
    assert [bar[1, 1] for bar in right] == [0.1, 1.0] and right[0][0, 1] == axis.get_ylim()[0]
    assert right[1][0, 1] == 0.5
    assert to_hex(axis.lines[0].get_color()) == PALETTE["blue"].lower()
    assert "shared: claim refuted 2 of 2 times, certified 7 to 70 times the claim, no upper bound" in alt
    assert "right: claim refuted 0 of 2 times, certified 0 to 0.5 times the claim, proven at most 1 times" in alt


def test_brackets_refuse_what_cannot_be():
    with pytest.raises(ValueError, match="certified more than is proven"):
        plots.loss_brackets([1.0], {"a": [2.0]}, {"a": [1.0]})
    with pytest.raises(ValueError, match="bounds from below are of a, from above of b"):
        plots.loss_brackets([1.0], {"a": [2.0]}, {"b": [3.0]})


def test_budgets_have_a_panel_for_each_epsilon_and_marks_in_the_colour_of_their_line():
    bounds = {5.0: {"alone": [5.0, 4.0], "fixed": [5.0, 4.9]}, 1.0: {"alone": [1.0, 0.6], "fixed": [1.0, 0.8]}}
    audited = {5.0: {"alone": {}, "fixed": {0.5: 4.8}}, 1.0: {"alone": {0.5: 0.4}, "fixed": {0.5: 0.7}}}
    figure, alt = plots.dropout_budgets([0.0, 0.5], bounds, audited)
    figure.draw_without_rendering()
    one, five = figure.axes
    assert one.get_title(loc="left") == "ε = 1 before dropping" and five.get_ylim()[1] == pytest.approx(5.3)
    line, mark = one.lines[2:4]
    assert list(line.get_ydata()) == [1.0, 0.8] and list(mark.get_ydata()) == [0.7]
    assert line.get_color() == mark.get_color() == five.lines[2].get_color() != one.lines[0].get_color()
    assert "At ε = 1: alone from 1 to 0.6, 0.6 at 0.5 (0.4 certified at 0.5); fixed" in alt
    assert "alone from 5 to 4, 4 at 0.5; fixed" in alt
    with pytest.raises(ValueError, match="without a bound"):
        plots.dropout_budgets([0.5], {1.0: {"alone": [0.6]}}, {1.0: {"other": {0.5: 0.1}}})
    with pytest.raises(ValueError, match="audits for ε of"):
        plots.dropout_budgets([0.5], {1.0: {"alone": [0.6]}}, {2.0: {}})


def test_implied_accuracies_say_where_one_number_fits_all():
    figure, alt = plots.implied_overall(IMPLIED)
    figure.draw_without_rendering()
    one, two = figure.axes
    assert [tuple(c.get_segments()[0][:, 0]) for c in one.collections[:2]] == [(79.15, 79.17), (79.16, 79.18)]
    assert [label.get_text() for label in one.get_yticklabels()] == ["dev", "test"]
    assert two.get_title(loc="left") == "two" and legend_texts(figure) == ["3", "4"]
    assert "one, dev: 79.15 to 79.18, one accuracy fits all; one, test: 79.20 to 79.31, no accuracy fits all" in alt
    assert "two, dev: 50.00 to 50.20, one accuracy fits all" in alt
    with pytest.raises(ValueError, match="from low to high"):
        plots.implied_overall({"one": {"dev": {"3": (2.0, 1.0)}}})
    with pytest.raises(ValueError, match="two has the parts test, expected dev, test"):
        plots.implied_overall({"one": IMPLIED["one"], "two": {"test": IMPLIED["two"]["test"]}})


def test_axes_take_only_finite_numbers_of_the_right_length():
    with pytest.raises(ValueError, match="expected a list of 4 numbers"):
        plots.before_and_after(CLEAN, {"a": [1.0]})
    with pytest.raises(ValueError, match="NaN or infinite"):
        plots.before_and_after(CLEAN, {"a": [np.nan] * 4})
    with pytest.raises(ValueError, match="1 to 7 series"):
        plots.loss_brackets([1.0], {}, {})
