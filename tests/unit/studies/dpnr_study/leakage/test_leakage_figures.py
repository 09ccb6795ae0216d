"""The figure of the leak: it holds what was given, the alternative text says the numbers."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest

from trustnlp.evaluation.intervals import t_interval
from trustnlp.studies.dpnr_study.leakage.leakage_figures import recovery_by_way

matplotlib.use("Agg")


def test_the_figure_of_ways_holds_and_says_the_numbers():
    values = {"English": {"one seed": [0.2, 0.24, 0.22], "own": [0.0, 0.001, 0.002]}, "French": {"one seed": [0.3]}}
    figure, alt = recovery_by_way(
        values, ceiling={"English": 0.9, "French": 0.88}, printed={"English": {"one seed": 0.33}}
    )
    figure.draw_without_rendering()
    axis = figure.axes[0]
    assert axis.lines[0].get_xdata() == pytest.approx([22.0])
    assert axis.lines[1].get_xdata() == pytest.approx([33.0])
    low, high = (100 * end for end in t_interval([0.2, 0.24, 0.22]))
    assert axis.collections[0].get_segments()[0][:, 0] == pytest.approx([low, high])
    assert f"English: one seed 22.0 % ({low:.1f} to {high:.1f}), report 33 %; own 0.1 %" in alt
    assert "French: one seed 30.0 %; known to the attacker 88.0 %." in alt


def test_figures_refuse_what_they_cannot_show():
    one = {"English": {"one seed": [0.2]}}
    with pytest.raises(ValueError, match="no recovery to show"):
        recovery_by_way({}, ceiling={})
    with pytest.raises(ValueError, match="a ceiling for each of English; got none"):
        recovery_by_way(one, ceiling={})
    with pytest.raises(ValueError, match="without measurements: other"):
        recovery_by_way(one, ceiling={"English": 1.0}, printed={"English": {"other": 0.1}})
    with pytest.raises(ValueError, match="NaN"):
        recovery_by_way({"English": {"one seed": [np.nan]}}, ceiling={"English": 1.0})
