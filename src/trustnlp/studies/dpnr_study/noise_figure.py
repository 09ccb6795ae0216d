"""Accuracy against the strength of the noise, ours beside the paper's, one panel a task."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from trustnlp.plots.series import finite, legend_below, line_styles, looks, number, seed_intervals, spell_out_ticks
from trustnlp.plots.style import PALETTE, house_style

Curves = Mapping[str, Mapping[float, ArrayLike]]


def noise_curves(
    panels: Mapping[str, Curves],
    *,
    printed: Mapping[str, Mapping[str, Mapping[float, float]]] | None = None,
    reference: Mapping[str, Mapping[str, float]] | None = None,
    quantity: str = "test accuracy",
    over: str = "ε",
    log_x: bool = True,
) -> tuple[Figure, str]:
    """Mean over seeds with its 95 % t interval, one line a series; hollow markers are the paper's printed values.

    Parameters
    ----------
    panels
        Panel → series → x → `(seeds,)` values. A single value gets no interval. A series looks alike in all panels.
    printed
        Panel → series → x → the paper's value, for any of the panels and series.
    reference
        Panel → label → value of a horizontal line: without noise, or chance.
    quantity, over
        What is measured, and what the x axis shows, in words.
    log_x
        Whether the x axis is logarithmic.

    Raises
    ------
    ValueError
        No panel or series, a value that is not finite, or printed values or lines for a panel or series there is not.
    """
    printed, reference = printed or {}, reference or {}
    if not panels:
        raise ValueError("no panels: give at least one panel with one series")
    _check_known(panels, printed, reference)
    look = looks(name for curves in panels.values() for name in curves)
    styles = line_styles(dict.fromkeys(label for lines in reference.values() for label in lines))
    columns = min(2, len(panels))
    rows = math.ceil(len(panels) / columns)
    said = []
    with house_style():
        figure, axes = plt.subplots(
            rows, columns, figsize=(7.2, 2.9 * rows + 0.9), sharex=True, sharey="row", squeeze=False
        )
        for axis, (panel, curves) in zip(axes.flat, panels.items(), strict=False):
            words = []
            for name, points in curves.items():
                colour, marker = look[name].colour, look[name].marker
                x = finite(sorted(points), f"{over} of {name}", above=0 if log_x else None)
                samples = [finite(points[at], f"{quantity} of {name} at {over} = {at:g}") for at in sorted(points)]
                means = np.array([sample.mean() for sample in samples])
                ends = seed_intervals(samples)
                axis.fill_between(x, ends[:, 0], ends[:, 1], color=colour, alpha=0.15, linewidth=0)
                axis.errorbar(x, means, yerr=np.abs(ends.T - means), color=colour, marker=marker, capsize=2)
                words.append(f"{name} {number(means[0])} at {over} = {x[0]:g} to {number(means[-1])} at {x[-1]:g}")
                theirs = printed.get(panel, {}).get(name, {})
                if theirs:
                    places = sorted(theirs)
                    values = finite([theirs[at] for at in places], f"printed {quantity} of {name}")
                    axis.plot(places, values, linestyle="", marker=marker, color=colour, markerfacecolor="white",
                              markersize=7, markeredgewidth=1.4, zorder=1.9)  # fmt: skip
                    words[-1] += f" (paper {number(values[0])} to {number(values[-1])})"
            for label, value in reference.get(panel, {}).items():
                axis.axhline(value, color=PALETTE["grey"], linestyle=styles[label], linewidth=1.4)
                words.append(f"{label} {number(value)}")
            if log_x:
                axis.set_xscale("log")
                ticks = sorted({at for points in curves.values() for at in points})
                spell_out_ticks(axis.xaxis, ticks[:: math.ceil(len(ticks) / 6)])
            axis.set_title(panel, fontsize="medium")
            said.append(f"{panel}: {'; '.join(words)}")
        for axis in axes.flat[len(panels) :]:
            axis.set_visible(False)
        for axis in axes[-1]:
            axis.set_xlabel(over)
        for axis in axes[:, 0]:
            axis.set_ylabel(quantity)
        handles = [Line2D([], [], color=shape.colour, marker=shape.marker, label=name) for name, shape in look.items()]
        if any(points for curves in printed.values() for points in curves.values()):
            handles.append(
                Line2D([], [], linestyle="", marker="o", color="black", markerfacecolor="white", label="paper")
            )
        handles += [Line2D([], [], color=PALETTE["grey"], linestyle=s, label=label) for label, s in styles.items()]
        legend_below(figure, handles, columns=3)
    return figure, f"Line charts of {quantity} over {over}, mean over seeds with 95 % intervals. {'. '.join(said)}."


def _check_known(
    panels: Mapping[str, Curves],
    printed: Mapping[str, Mapping[str, Mapping[float, float]]],
    reference: Mapping[str, Mapping[str, float]],
) -> None:
    for panel, curves in panels.items():
        if not curves:
            raise ValueError(f"panel {panel!r} has no series")
    for panel in [*printed, *reference]:
        if panel not in panels:
            raise ValueError(f"no panel is called {panel!r}; there are {', '.join(panels)}")
    for panel, theirs in printed.items():
        for name in theirs:
            if name not in panels[panel]:
                raise ValueError(f"panel {panel!r} has no series {name!r}; it has {', '.join(panels[panel])}")
