"""Figures of attribute attacks: the artists hold what was given, the alternative text says the numbers."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest

from trustnlp.studies.dpnr.reproduction.attribute_attack import accuracy_by_privacy, subgroup_maps

matplotlib.use("Agg")

ARMS = {"NON-PRIV": ([80.0, 82.0], [20.0, 24.0]), "DPNR": ([81.0, 81.0], [50.0, 54.0])}
POINTS = {"NON-PRIV": np.arange(10.0).reshape(5, 2), "DPNR": np.ones((5, 2))}
GROUPS = [0, 1, 1, 0, 1]
SEPARABLE = {"NON-PRIV": 66.12, "DPNR": 50.0}


def points_of(bar) -> tuple[list[float], list[float]]:
    return list(bar[0].get_xdata()), list(bar[0].get_ydata())


def legend(figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_accuracy_by_privacy_puts_privacy_on_x() -> None:
    figure, alt = accuracy_by_privacy(ARMS, {"DPNR": (80.87, 54.37), "ADV": (57.04, 49.67)}, majority=(57.79, 49.34))
    figure.draw_without_rendering()
    (axis,) = figure.axes
    assert [points_of(bar) for bar in axis.containers] == [([22.0], [81.0]), ([52.0], [81.0])]
    hollow = [line for line in axis.lines if line.get_markerfacecolor() == "white"]
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in hollow] == [(54.37, 80.87), (49.67, 57.04)]
    assert hollow[0].get_color() == axis.containers[1][0].get_color()  # an arm keeps its colour
    assert legend(figure) == ["NON-PRIV, ours", "DPNR, ours", "DPNR, paper", "ADV, paper", "same answer always"]
    assert "DPNR: ours 81.0 at 52.0, paper 80.87 at 54.37; ADV: paper 57.04 at 49.67" in alt


def test_maps_show_every_point_in_its_group_and_the_number() -> None:
    figure, alt = subgroup_maps(POINTS, GROUPS, ("under 20", "over 30"), separability=SEPARABLE)
    figure.draw_without_rendering()
    left, right = figure.axes
    for group, line in enumerate(left.lines):
        np.testing.assert_array_equal(line.get_xydata(), POINTS["NON-PRIV"][np.array(GROUPS) == group])
    assert [line.get_color() for line in left.lines] == [line.get_color() for line in right.lines]
    assert left.lines[0].get_marker() != left.lines[1].get_marker()
    assert left.get_title(loc="left") == "NON-PRIV\nseparable: 66.1 %"
    assert legend(figure) == ["under 20", "over 30"]
    assert "2 under 20 and 3 over 30" in alt and "NON-PRIV: 66.1 %; DPNR: 50.0 %" in alt


def test_maps_without_numbers() -> None:
    figure, alt = subgroup_maps({"DPNR": POINTS["DPNR"]}, GROUPS, ("a", "b"))
    assert [axis.get_title(loc="left") for axis in figure.axes] == ["DPNR"] and alt.endswith("in the plane: DPNR.")


def test_plots_refuse() -> None:
    with pytest.raises(ValueError, match="1 to 7 series"):
        accuracy_by_privacy({})
    with pytest.raises(ValueError, match="privacy of DPNR"):
        accuracy_by_privacy({"DPNR": ([80.0], [])})
    with pytest.raises(ValueError, match="both present"):
        subgroup_maps(POINTS, [1] * 5, ("a", "b"), separability=SEPARABLE)
    with pytest.raises(ValueError, match="use the same names"):
        subgroup_maps(POINTS, GROUPS, ("a", "b"), separability={"DPNR": 50.0})
    with pytest.raises(ValueError, match=r"DPNR: expected finite numbers of shape \(5, 2\), got \(4, 2\)"):
        subgroup_maps({**POINTS, "DPNR": np.ones((4, 2))}, GROUPS, ("a", "b"), separability=SEPARABLE)
    with pytest.raises(ValueError, match="no panels"):
        subgroup_maps({}, GROUPS, ("a", "b"))
    with pytest.raises(ValueError, match="two names"):
        subgroup_maps(POINTS, GROUPS, ("a", "a"), separability=SEPARABLE)
