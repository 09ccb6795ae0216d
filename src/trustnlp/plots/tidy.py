"""Figures from a tidy frame, drawn by seaborn in the house style: one row a mean with its interval."""

from __future__ import annotations

import math
import textwrap
import warnings
from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
import pandas as pd
import seaborn.objects as so
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from trustnlp.plots.series import Look, hollow, legend_below, looks, number, spell_out_ticks
from trustnlp.plots.style import PALETTE, house_style

_DIRECT, _SHORT = 4, 16  # so many series, of names so short, are labelled at their ends
_LETTERS_ABREAST = 70  # of names below the axis, over the whole width; more are slanted


def draw(
    data: pd.DataFrame,
    *,
    x: str,
    color: str | None = None,
    col: str | None = None,
    title: str,
    xlabel: str,
    ylabel: str,
    log_x: bool = False,
    log_y: bool = False,
    levels: Mapping[str, float] | None = None,
    alt: str = "",
) -> tuple[Figure, str]:
    """Means with their intervals over `x`, a colour a series, a panel a value of `col`; hollow marks are the paper's.

    Parameters
    ----------
    data
        Columns `mean`, `low` and `high` (missing where there is no interval), `paper` (missing where nothing is
        printed), and those named by `x`, `color` and `col`. Points are joined where `x` holds numbers.
    title
        The point of the figure; it also opens the alternative text.
    levels
        Label → height of a horizontal line.

    Returns
    -------
    tuple of Figure and str
        The figure and its alternative text.

    Raises
    ------
    ValueError
        If there is no row, or more series than can be told apart.
    """
    if data.empty:
        raise ValueError("no row to draw")
    data = data.assign(series=data[color].astype(str) if color else ylabel, low=data["low"].fillna(data["mean"]),
                       high=data["high"].fillna(data["mean"]))  # fmt: skip
    look = looks(data["series"])
    panels = list(dict.fromkeys(data[col])) if col else [None]
    joined = pd.api.types.is_numeric_dtype(data[x])
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    slanted = not joined and sum(len(str(name)) + 2 for name in data[x].unique()) > _LETTERS_ABREAST / columns
    height = (3.4 if slanted else 2.6) * rows + 1.2
    with house_style(), mpl.rc_context({"axes.titleweight": "normal"}):
        figure, axes = plt.subplots(rows, columns, figsize=(7.2, height), sharex=joined, sharey=True, squeeze=False)
        for axis, panel in zip(axes.flat, panels, strict=False):
            here = data if panel is None else data[data[col] == panel]
            _marks(axis, here, x, look, joined)
            axis.set_yscale("log" if log_y else "linear")
            if joined:
                axis.set_xscale("log" if log_x else "linear")
            elif slanted:
                axis.tick_params(axis="x", labelrotation=35)
                for label in axis.get_xticklabels():
                    label.set(ha="right", rotation_mode="anchor")
            for name, each in look.items():
                paper = here[(here["series"] == name) & here["paper"].notna()]
                places = paper[x] if joined else _places(here, x, paper, list(look).index(name), len(look))
                axis.plot(places, paper["paper"], linestyle="", marker=each.marker, color=each.colour,
                          markerfacecolor="white", markersize=8, markeredgewidth=1.5, zorder=3)  # fmt: skip
            for place, (label, level) in enumerate((levels or {}).items()):
                axis.axhline(level, color=PALETTE["grey"], linestyle=("--", ":", "-.")[place % 3], marker="")
                axis.annotate(
                    label, (0.01, level), xycoords=("axes fraction", "data"), va="bottom", color=PALETTE["grey"]
                )
            axis.set_title("" if panel is None else str(panel))
            axis.set(xlabel=xlabel, ylabel="")
            if joined and log_x:
                spell_out_ticks(axis.xaxis, sorted(data[x].unique())[:: -(-data[x].nunique() // 8)])
        if log_y:
            spell_out_ticks(axes[0, 0].yaxis, _decades(*axes[0, 0].get_ylim()))
        for axis in axes.flat[len(panels) :]:
            axis.set_visible(False)
        for axis in axes[:, 0]:
            axis.set_ylabel(ylabel)
        handles = [hollow("o", "black", "paper")] if data["paper"].notna().any() else []
        if color and joined and columns == 1 and len(look) <= _DIRECT and max(map(len, look)) <= _SHORT:
            _label_ends(axes[0, 0], data, x, look)
        elif color:
            handles = [
                *(Line2D([], [], color=e.colour, marker=e.marker, label=n) for n, e in look.items()),
                *handles,
            ]
        if handles:
            legend_below(figure, handles, columns=4)
        figure.suptitle("\n".join(textwrap.wrap(title, 62)), x=0.01, ha="left", fontsize=13.5, fontweight="bold")
    described = f"{title.rstrip('.')}. {_told(data, x, col, ylabel)} {alt}"
    return figure, " ".join(described.split())  # a name may be broken into lines


def _marks(axis: Axes, here: pd.DataFrame, x: str, look: Mapping[str, Look], joined: bool) -> None:
    """Intervals, and lines or dots, by seaborn."""
    with warnings.catch_warnings():
        # seaborn 0.13.2 passes pandas a keyword that its fourth version drops.
        warnings.filterwarnings("ignore", message=".*copy.*", module="seaborn")
        drawn = so.Plot(here, x=x, y="mean", ymin="low", ymax="high", color="series", marker="series")
        drawn = drawn.scale(
            color={name: each.colour for name, each in look.items()},
            marker={name: each.marker for name, each in look.items()},
        )
        if joined:
            drawn = drawn.add(so.Band(alpha=0.18), legend=False).add(so.Line(linewidth=2, pointsize=6), legend=False)
        else:
            drawn = drawn.add(so.Range(linewidth=2), so.Dodge(by=["color"]), legend=False).add(
                so.Dot(pointsize=7), so.Dodge(by=["color"]), legend=False
            )
        drawn.on(axis).theme({key: value for key, value in mpl.rcParams.items() if key != "axes.prop_cycle"}).plot()


def _decades(low: float, high: float) -> list[float] | None:
    """Powers of ten between two ends that lie more than two and a half apart; else None."""
    powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    return [10.0**power for power in powers][:: 1 + len(powers) // 9] if high > 300 * low else None


def _places(here: pd.DataFrame, x: str, rows: pd.DataFrame, place: int, count: int) -> list[float]:
    """Where seaborn's Dodge puts the points of one of several series over names."""
    order = {value: at for at, value in enumerate(dict.fromkeys(here[x]))}
    width = 0.8 / count
    return [order[value] - 0.4 + width * (place + 0.5) for value in rows[x]]


def _label_ends(axis: Axes, data: pd.DataFrame, x: str, look: Mapping[str, Look]) -> None:
    """The name of each series beside its last point, apart from the others."""
    last = data.sort_values(x).groupby("series", sort=False).tail(1).sort_values("mean", ascending=False)
    low, high = axis.get_ylim()
    apart, height = 0.075 * (high - low), np.inf
    for _, row in last.iterrows():
        height = min(row["mean"], height - apart)
        axis.annotate(
            f" {row['series']}", (row[x], height), color=look[row["series"]].colour, va="center", annotation_clip=False
        )
    axis.margins(x=0.02)


def _told(data: pd.DataFrame, x: str, col: str | None, ylabel: str) -> str:
    """The numbers in words: of each series the first and the last where there are many."""
    sentences = []
    for name, rows in data.groupby([*([col] if col else []), "series"], sort=False):
        ends = rows.iloc[[0, -1]] if len(rows) > 4 else rows
        cells = [
            f"{number(row['mean'])}{_interval(row)} at {row[x] if isinstance(row[x], str) else number(row[x])}"
            + (f" (paper {number(row['paper'])})" if pd.notna(row["paper"]) else "")
            for _, row in ends.iterrows()
        ]
        sentences.append(f"{', '.join(map(str, name))}: {', '.join(cells)}")
    intervals = " with 95 % intervals" if any(_interval(row) for _, row in data.iterrows()) else ""
    return f"{ylabel[:1].upper()}{ylabel[1:]}{intervals}. {'. '.join(sentences)}."


def _interval(row: pd.Series) -> str:
    return f" ({number(row['low'])} to {number(row['high'])})" if row["high"] > row["low"] else ""
