"""The figure of one representation holds what was given, the alternative text says the numbers."""

from __future__ import annotations

import numpy as np

from trustnlp.studies.dpnr.method import before_and_after

CLEAN = np.array([0.0, 1.0, 0.25, 0.5])


def test_releases_stand_in_the_order_of_the_clean_values():
    figure, alt = before_and_after(CLEAN, {"shifted": CLEAN + 2, "turned": 3 - CLEAN})
    figure.draw_without_rendering()
    shifted, turned = figure.axes
    dots, line = shifted.lines
    assert list(line.get_ydata()) == [0, 0.25, 0.5, 1] and list(dots.get_ydata()) == [2, 2.25, 2.5, 3]
    assert list(turned.lines[0].get_ydata()) == [3, 2.75, 2.5, 2]
    assert "shifted: released values from 2 to 3, correlation with the clean ones 1" in alt
    assert "turned: released values from 2 to 3, correlation with the clean ones -1." in alt
