"""Lines over a variable: means over seeds with their 95 % t intervals, and what they are compared with.

Each figure comes with its alternative text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from trustnlp.plots.series import (
    Floats64,
    Look,
    finite,
    hollow,
    legend_below,
    line_styles,
    looks,
    number,
    seed_intervals,
    spell_out_ticks,
)
from trustnlp.plots.style import PALETTE, house_style

Series = Mapping[str, Mapping[float, ArrayLike]]
_MOST_TICKS = 12
_WHOLE = {"(share)": 1.0, "(%)": 100.0, "in per cent": 100.0}


def lines_with_intervals(
    series: Series,
    *,
    quantity: str,
    over: str = "ε",
    reference: Mapping[str, float] | None = None,
    without_noise: Mapping[str, float] | None = None,
    log_x: bool = True,
    log_y: bool = False,
) -> tuple[Figure, str]:
    """A quantity over a variable, one line per series.

    Parameters
    ----------
    series
        Series → place on the x axis → `(seeds,)` values. A single value gets no interval.
    quantity, over
        What is measured and over what, in words: they are written at the axes and in the alternative text. A quantity
        that is called a `(share)`, or is `(%)` or `in per cent`, is at most the whole, and so are its intervals.
    reference
        Label → value of a horizontal line: without noise, or the largest class.
    without_noise
        Series → its value without noise, a dotted line of its colour.
    log_x, log_y
        Which axes are logarithmic. An interval that reaches 0 has no lower end there.

    Raises
    ------
    ValueError
        No series, no place, a value that is not finite (or not positive on a logarithmic axis), more references than
        can be told apart, a value without noise of a series that is not shown, or a share below 0 or above the whole.
    """
    # The legend has room for the values of one panel's lines.
    labelled = {f"{label}: {number(value)}": value for label, value in (reference or {}).items()}
    return panels_with_intervals(
        {"": series}, quantity=quantity, over=over, reference={"": labelled},
        without_noise={"": without_noise or {}}, log_x=log_x, log_y=log_y,
    )  # fmt: skip


def panels_with_intervals(
    panels: Mapping[str, Series],
    *,
    quantity: str,
    over: str = "ε",
    printed: Mapping[str, Mapping[str, Mapping[float, float]]] | None = None,
    reference: Mapping[str, Mapping[str, float]] | None = None,
    without_noise: Mapping[str, Mapping[str, float]] | None = None,
    log_x: bool = True,
    log_y: bool = False,
) -> tuple[Figure, str]:
    """The lines of several panels, two in a row; a series looks alike in all of them.

    Parameters
    ----------
    panels
        Title → series → place on the x axis → `(seeds,)` values.
    printed
        Title → series → place → the paper's value, hollow, for any of the panels and series.
    quantity, over, reference, without_noise, log_x, log_y
        As for one panel, `reference` and `without_noise` by title.

    Raises
    ------
    ValueError
        As for one panel; no panel, or printed values or lines for a panel or series there is not.
    """
    printed, reference, without_noise = printed or {}, reference or {}, without_noise or {}
    if not panels:
        raise ValueError("no panels: give at least one panel with one series")
    _check_known(panels, printed, reference, without_noise)
    look = looks(name for series in panels.values() for name in series)
    styles = line_styles(dict.fromkeys(label for lines in reference.values() for label in lines))
    columns = min(2, len(panels))
    rows = math.ceil(len(panels) / columns)
    ticks = sorted({at for series in panels.values() for points in series.values() for at in points})
    said, single = [], False
    with house_style():
        figure, axes = plt.subplots(
            rows, columns, sharex=True, sharey="row", squeeze=False,
            figsize=(7.2, 4.6 if len(panels) == 1 else 2.9 * rows + 0.9),
        )  # fmt: skip
        for axis, (title, series) in zip(axes.flat, panels.items(), strict=False):
            axis.set_xscale("log" if log_x else "linear")
            axis.set_yscale("log" if log_y else "linear")
            words = []
            for name, points in series.items():
                drawn = draw_means(axis, points, look[name], f"{quantity} of {name}", over=over)
                single = single or bool(np.isnan(drawn.ends).all(axis=1).any())
                told = f"{name}: {drawn.told(every=len(panels) == 1)}"
                if theirs := dict(sorted(printed.get(title, {}).get(name, {}).items())):
                    values = finite(list(theirs.values()), f"printed {quantity} of {name}")
                    axis.plot(list(theirs), values, linestyle="", marker=look[name].marker, color=look[name].colour,
                              markerfacecolor="white", markersize=7, markeredgewidth=1.4, zorder=1.9)  # fmt: skip
                    told += f", paper {number(values[0])} to {number(values[-1])}"
                if name in without_noise.get(title, {}):
                    level = float(finite([without_noise[title][name]], f"{name}, without noise")[0])
                    axis.axhline(level, color=look[name].colour, linestyle=":", linewidth=1.5, marker="")
                    told += f", {number(level)} without noise"
                words.append(told)
            for label, value in reference.get(title, {}).items():
                level = float(finite([value], label)[0])
                axis.axhline(level, color=PALETTE["grey"], linestyle=styles[label], linewidth=1.5, marker="")
                words.append(label if len(panels) == 1 else f"{label}: {number(level)}")
            axis.set_title(title, fontsize="medium")
            spell_out_ticks(axis.xaxis, ticks[:: math.ceil(len(ticks) * columns / _MOST_TICKS)])
            said.append(f"{title}: {'; '.join(words)}".removeprefix(": "))
        for axis in axes.flat[len(panels) :]:
            axis.set_visible(False)
        for axis in axes[-1]:
            axis.set_xlabel(over)
        for axis in axes[:, 0]:
            axis.set_ylabel(quantity)
        handles: list[Artist] = [Line2D([], [], color=k.colour, marker=k.marker, label=n) for n, k in look.items()]
        if any(points for curves in printed.values() for points in curves.values()):
            handles.append(hollow("o", "black", "paper"))
        handles += [Line2D([], [], color=PALETTE["grey"], linestyle=s, label=label) for label, s in styles.items()]
        if any(without_noise.values()):
            handles.append(Line2D([], [], color="black", linestyle=":", label="the same without noise"))
        legend_below(figure, handles, columns=3)
    scale = " on a logarithmic axis" if log_y else ""
    note = "; no interval where there is one seed" if single else ""
    chart = "Line chart" if len(panels) == 1 else "Line charts"
    return figure, (
        f"{chart} of {quantity}{scale} over {over}, mean over seeds with 95 % intervals{note}. {'. '.join(said)}."
    )


@dataclass(frozen=True)
class Means:
    """What one line shows: `places` `(n,)`, `means` `(n,)`, and `ends` `(n, 2)` of the intervals, NaN where none is."""

    places: Floats64
    means: Floats64
    ends: Floats64

    def told(self, *, every: bool = True) -> str:
        """The means in words, with the intervals of the first and the last; only these two unless `every`."""

        def one(row: int) -> str:
            interval = f" ({number(self.ends[row, 0])} to {number(self.ends[row, 1])})"
            whole = row in (0, last) and np.isfinite(self.ends[row]).all()
            return f"{number(self.means[row])}{interval if whole else ''} at {number(self.places[row])}"

        last = len(self.places) - 1
        return ", ".join(one(row) for row in (range(last + 1) if every else dict.fromkeys((0, last))))


def draw_means(
    axis: Axes, points: Mapping[float, ArrayLike], look: Look, what: str, *, over: str = "ε", joined: bool = True,
    face: str | None = None,
) -> Means:  # fmt: skip
    """Draw one line: means over seeds, whiskers and a band from end to end of their 95 % t intervals.

    Parameters
    ----------
    points
        Place on the x axis → `(seeds,)` values, or one number.
    what, over
        What the values are and what the axis shows, for the messages; `what` says whether they are shares.
    joined
        Whether the points belong together; others get no line and no band.
    face
        Colour inside the markers; their own unless given.

    Raises
    ------
    ValueError
        No place, or a number that is not finite, not positive on a logarithmic axis, or no share though called one.
    """
    above_x, above_y = (0 if scale == "log" else None for scale in (axis.get_xscale(), axis.get_yscale()))
    places = finite(sorted(points), f"{over}: {what}", above=above_x)
    samples = [finite(np.atleast_1d(points[at]), f"{what} at {over} = {at:g}", above=above_y) for at in sorted(points)]
    means = np.array([sample.mean() for sample in samples])
    ends = seed_intervals(samples)
    whole = next((whole for words, whole in _WHOLE.items() if words in what), None)
    if whole is not None:
        if min(map(np.min, samples)) < 0 or max(map(np.max, samples)) > whole:
            raise ValueError(f"{what}: expected values between 0 and {whole:g}")
        ends = np.clip(ends, 0, whole)  # a t interval of a mean near 0 or the whole would go beyond
    shown = ends if above_y is None else np.where(ends > 0, ends, np.nan)
    if joined:
        axis.fill_between(places, shown[:, 0], shown[:, 1], color=look.colour, alpha=0.15, linewidth=0)
    axis.errorbar(places, means, yerr=np.abs(shown.T - means), color=look.colour, marker=look.marker, capsize=3,
                  linestyle="-" if joined else "", markerfacecolor=face or look.colour)  # fmt: skip
    return Means(places, means, ends)


def _check_known(
    panels: Mapping[str, Series],
    printed: Mapping[str, Mapping[str, object]],
    reference: Mapping[str, object],
    without_noise: Mapping[str, Mapping[str, object]],
) -> None:
    for title, series in panels.items():
        if not series:
            raise ValueError(f"{title or 'the figure'} has no series")
    for title in [*printed, *reference, *without_noise]:
        if title not in panels:
            raise ValueError(f"no panel is called {title!r}; there are {', '.join(panels)}")
    for given in (printed, without_noise):
        for title, named in given.items():
            for name in named:
                if name not in panels[title]:
                    raise ValueError(f"panel {title!r} has no series {name!r}; it has {', '.join(panels[title])}")
