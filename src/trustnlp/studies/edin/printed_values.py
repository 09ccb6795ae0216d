"""A paper's printed values beside ours; the figure comes with its alternative text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from trustnlp.plots.series import finite, hollow, legend_below, line_styles, looks
from trustnlp.plots.style import house_style


def paper_and_ours(
    rows: Sequence[str],
    paper: Mapping[str, ArrayLike],
    ours: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]],
    extra: Mapping[str, ArrayLike],
    *,
    quantity: str = "test accuracy (%)",
) -> tuple[Figure, str]:
    """Printed values (hollow) beside ours with intervals (filled), one row per data set (PrivEmb, table 1).

    Parameters
    ----------
    rows
        Data sets.
    paper
        Mechanism → `(rows,)` printed values; NaN where nothing is printed.
    ours
        Mechanism → mean, low and high end of its interval, `(rows,)` each.
    extra
        Label → `(rows,)` what to compare with, such as the accuracy without noise and the largest class.
    quantity
        What is measured, in words.

    Raises
    ------
    ValueError
        No rows, another number of values than rows, a value of ours that is not finite or not within its interval.
    """
    if not rows:
        raise ValueError("no rows: give the names of the data sets")
    look = looks([*ours, *paper])
    base = np.arange(len(rows))
    words: list[list[str]] = [[] for _ in rows]
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 0.3 * len(rows) * (len(look) + 0.6) + 1.5))
        handles: list[Line2D] = []
        for name, line in line_styles(extra).items():
            ticks = finite(extra[name], name, length=len(rows))
            axis.vlines(ticks, base - 0.42, base + 0.42, color="black", linestyle=line, linewidth=1.6)
            handles.append(Line2D([], [], color="black", linestyle=line, label=name))
        for place, (name, shape) in enumerate(look.items()):
            heights = base + 0.72 * ((place + 0.5) / len(look) - 0.5)
            printed = np.asarray(paper.get(name, np.full(len(rows), np.nan)), dtype=float)
            if printed.shape != base.shape:
                raise ValueError(f"paper, {name}: expected {len(rows)} values, one per row, got shape {printed.shape}")
            if name in ours:
                mean, low, high = (finite(values, f"ours, {name}", length=len(rows)) for values in ours[name])
                if not ((low <= mean) & (mean <= high)).all():
                    raise ValueError(f"ours, {name}: the means do not lie within their intervals")
                axis.hlines(heights, low, high, color=shape.colour, linewidth=3, alpha=0.5)
                axis.plot(mean, heights, linestyle="", marker=shape.marker, color=shape.colour)
                handles.append(
                    Line2D([], [], linestyle="", color=shape.colour, marker=shape.marker, label=f"{name}, ours")
                )
            if np.isfinite(printed).any():
                axis.plot(printed, heights, linestyle="", marker=shape.marker, color=shape.colour,
                          markerfacecolor="white", markersize=8, markeredgewidth=1.6, zorder=1.9)  # fmt: skip
                handles.append(hollow(shape.marker, shape.colour, f"{name}, paper"))
            for row, said in enumerate(words):
                ending = f"ours {mean[row]:.1f} ({low[row]:.1f} to {high[row]:.1f})" if name in ours else ""
                start = f"paper {printed[row]:g}" if np.isfinite(printed[row]) else ""
                if start or ending:
                    said.append(f"{name}: " + ", ".join(filter(None, [start, ending])))
        axis.set_yticks(base, list(rows))
        axis.grid(axis="y", visible=False)
        axis.set_ylim(len(rows) - 0.45, -0.55)
        axis.set_xlabel(quantity)
        legend_below(figure, handles, columns=3)
    for name, values in extra.items():
        for row, said in enumerate(words):
            said.append(f"{name}: {np.asarray(values, dtype=float)[row]:.1f}")
    listed = ". ".join(f"{row}: {'; '.join(said)}" for row, said in zip(rows, words, strict=True))
    return figure, f"Dot plot of {quantity}, the paper's values beside ours with 95 % intervals. {listed}."
