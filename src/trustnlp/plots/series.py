"""Common parts of figures with several series: checked input, a colour and a marker each, and numbers in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from numpy.typing import ArrayLike, NDArray

from trustnlp.evaluation.intervals import t_interval
from trustnlp.plots.style import MARKERS, PALETTE

Floats64 = NDArray[np.float64]


@dataclass(frozen=True)
class Look:
    """Colour and marker of one series."""

    colour: str
    marker: str


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Colour and marker of each series, by its place: the same list of names looks the same in every figure.

    Raises
    ------
    ValueError
        If there are no series, or more than can be told apart.
    """
    listed = list(dict.fromkeys(names))
    if not 0 < len(listed) <= len(MARKERS):
        raise ValueError(f"a figure shows 1 to {len(MARKERS)} series, got {len(listed)}: {', '.join(listed)}")
    return {name: Look(*look) for name, look in zip(listed, zip(PALETTE.values(), MARKERS, strict=True), strict=False)}


def number(value: float) -> str:
    """Three significant digits, and a power of ten only where it saves the reader counting zeros.

    >>> [number(x) for x in (0.4684, 12345, 1e8, 0.00002)]
    ['0.468', '12,300', '1e+08', '2e-05']
    """
    rounded = float(f"{value:.3g}")
    return f"{rounded:,g}" if rounded == 0 or 1e-3 <= abs(rounded) < 1e6 else f"{rounded:.3g}"


def spell_out_ticks(axis: Axis, at: Sequence[float] | None = None) -> None:
    """Write the ticks of a logarithmic axis as plain numbers, `at` the values given or at 1, 2, 5, 10, …"""
    if at is None:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    else:
        axis.set_ticks(list(at))
    axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
    axis.set_minor_locator(NullLocator())


def legend_below(figure: Figure, handles: Sequence[Artist], columns: int) -> None:
    """A legend under the whole figure, where it hides nothing, in as many of the `columns` as fit its width."""
    for count in range(columns, 0, -1):
        legend = figure.legend(handles=list(handles), loc="outside lower center", ncols=count, columnspacing=1.4)
        if count == 1 or legend.get_window_extent().width <= figure.bbox.width:
            return
        legend.remove()


def seed_intervals(samples: Iterable[ArrayLike]) -> Floats64:
    """`(n, 2)` the 95 % t interval of each sample of seeds; NaN for a single value, which has none."""
    values = [np.asarray(sample, dtype=float) for sample in samples]
    return np.array([t_interval(one) if len(one) > 1 else (np.nan, np.nan) for one in values])


def hollow(marker: str, colour: str, label: str) -> Line2D:
    """Entry of a legend for markers that are drawn hollow."""
    return Line2D([], [], linestyle="", marker=marker, color=colour, markerfacecolor="white", label=label)
