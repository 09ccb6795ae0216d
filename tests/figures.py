"""What tests of figures ask of a drawn figure."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray


def line_data(axis: Axes, label: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The points of the line or error bar called `label`."""
    drawn = {line.get_label(): line for line in axis.lines}
    drawn |= {bar.get_label(): bar[0] for bar in axis.containers if hasattr(bar, "has_yerr")}
    return np.asarray(drawn[label].get_xdata(), dtype=float), np.asarray(drawn[label].get_ydata(), dtype=float)


def legend_texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def draw(figure: Figure) -> None:
    """Rendering is where a bad tick or a wrong artist shows; warnings are errors here."""
    figure.draw_without_rendering()
