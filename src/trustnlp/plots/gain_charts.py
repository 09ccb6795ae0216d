"""The utility left to a task against an attacker's gain: a line for each way to hide a text, weak to strong."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from trustnlp.plots.series import legend_below, number
from trustnlp.plots.style import MARKERS, PALETTE, house_style

Curve = tuple[Sequence[float], Sequence[float]]
_LINES = ("-", "--")


def task_against_gain(
    panels: Mapping[str, Mapping[str, Curve]], level: float, title: str, *, alike: str = ""
) -> tuple[Figure, str]:
    """Lines from the unprotected text (right) to a constant one (at the origin); up and to the left is better.

    Parameters
    ----------
    panels
        Panel → name of a line → the attacker's gains and the points of the task, from weak to strong.
    level
        The gain at which lines are compared, a vertical line.
    title
        What the figure shows, as a sentence; it opens the alternative text.
    alike
        Name of a straight line between the two ends, if it is to be drawn.

    Raises
    ------
    ValueError
        If there is no panel, or more lines than can be told apart.
    """
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    colours = list(PALETTE.values())
    if not 0 < len(names) <= len(colours) * len(_LINES):
        raise ValueError(f"a figure shows 1 to {len(colours) * len(_LINES)} lines, got {len(names)}")
    looks: dict[str, dict[str, Any]] = {
        name: {
            "color": colours[at % len(colours)],
            "linestyle": _LINES[at // len(colours)],
            "marker": MARKERS[(at + at // len(colours)) % len(MARKERS)],
        }
        for at, name in enumerate(names)
    }
    with house_style():
        figure, axes = plt.subplots(1, len(panels), figsize=(7.2, 5.2), squeeze=False)
        for axis, (panel, lines) in zip(axes[0], panels.items(), strict=True):
            for name, (gains, tasks) in lines.items():
                axis.plot(gains, tasks, markersize=5, **looks[name])
            if alike:
                ends = [max(gains[0] for gains, _ in lines.values()), max(tasks[0] for _, tasks in lines.values())]
                axis.plot([0, ends[0]], [0, ends[1]], color="black", linestyle=":", marker="", linewidth=1)
            axis.axvline(level, color=PALETTE["grey"], linewidth=1, marker="")
            axis.set(title=panel, xlabel="attacker above guessing, points")
        axes[0, 0].set_ylabel("task above guessing, points")
        handles = [Line2D([], [], label=name, **looks[name]) for name in names]
        if alike:
            handles.append(Line2D([], [], color="black", linestyle=":", label=alike))
        legend_below(figure, handles, columns=3)
        figure.suptitle("\n".join(textwrap.wrap(title, 62)), x=0.01, ha="left", fontsize=13.5, fontweight="bold")
    told = [
        f"{panel}, {name}: "
        + ", ".join(f"{number(task)} at {number(gain)}" for gain, task in zip(gains, tasks, strict=True))
        for panel, lines in panels.items()
        for name, (gains, tasks) in lines.items()
    ]
    return figure, f"{title.rstrip('.')}. Points of the task at points of the attacker's gain. {'; '.join(told)}."
