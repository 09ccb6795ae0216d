"""One figure for a practitioner: what a text's release is worth and what it gives away, over the ε that it really has.

Returns the figure and its alternative text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from trustnlp.plots.intervals_over import Series, draw_means
from trustnlp.plots.series import Look, finite, legend_below, looks, number, spell_out_ticks
from trustnlp.plots.style import PALETTE, house_style

_HOLLOW = ("o", "s", "D")


def honest_tradeoff(
    accuracy: Series,
    privacy: Series,
    *,
    single_points: Collection[str] = (),
    without_epsilon: Mapping[str, tuple[ArrayLike | None, ArrayLike | None]] | None = None,
    majority: tuple[float, float] | None = None,
) -> tuple[Figure, str]:
    """Two panels over ε: accuracy of the main task, and empirical privacy, the higher the worse the attack.

    Means over seeds with 95 % t intervals; a single value gets none.

    Parameters
    ----------
    accuracy, privacy
        Release → ε that it keeps → `(seeds,)` per cent. A release, or an ε, may be missing from `privacy`.
    single_points
        Releases whose points are not joined, as each is a model of its own.
    without_epsilon
        What keeps no ε → accuracy and privacy, `(seeds,)` each or None; hollow, at the right end under "none".
    majority
        Accuracy and empirical privacy of saying the same of every text; a dashed line.

    Raises
    ------
    ValueError
        No release, one that has a privacy but no accuracy, more than can be told apart, or a value that is not finite.
    """
    look = looks(accuracy)
    if unknown := (set(privacy) | set(single_points)) - set(accuracy):
        raise ValueError(f"releases without an accuracy: {', '.join(sorted(unknown))}")
    others = without_epsilon or {}
    if len(others) > len(_HOLLOW):
        raise ValueError(f"{len(_HOLLOW)} models without ε can be told apart, got {len(others)}: {', '.join(others)}")
    hollow = {name: Look("black", marker) for name, marker in zip(others, _HOLLOW, strict=False)}
    every = sorted({float(e) for series in (accuracy, privacy) for by in series.values() for e in by})
    ticks = list(finite(every, "ε", above=0))
    end = ticks[-1] * max(3.0, (ticks[-1] / ticks[0]) ** 0.12)
    lines = (None, None) if majority is None else tuple(finite(majority, "majority", length=2))
    parts = []
    with house_style():
        figure, axes = plt.subplots(2, 1, sharex=True, figsize=(7.2, 7.6))
        panels = zip(axes, ("accuracy (%)", "empirical privacy (%)"), (accuracy, privacy), lines, (0, 1), strict=True)
        for axis, quantity, series, level, place in panels:
            said = []
            for name, by_epsilon in series.items():
                what, joined = f"{quantity} of {name}", name not in single_points
                said.append(f"{name}: {draw_means(axis, by_epsilon, look[name], what, joined=joined).told()}")
            for name, pair in others.items():
                values = pair[place]
                if values is not None:
                    drawn = draw_means(axis, {end: values}, hollow[name], f"{quantity} of {name}", face="white")
                    said.append(f"{name}: {number(drawn.means[0])} without ε")
            if level is not None:
                axis.axhline(level, color=PALETTE["grey"], linestyle="--", linewidth=1.5)
                said.append(f"same answer always: {number(level)}")
            axis.set_ylabel(quantity)
            parts.append(f"{quantity}: {'; '.join(said)}.")
        axes[1].set_ylim(bottom=0)
        axes[1].set_xscale("log")
        axes[1].set_xlabel("ε kept for any two texts")
        spell_out_ticks(axes[1].xaxis, _readable(ticks))
        if others:
            axes[1].xaxis.set_ticks([*_readable(ticks), end], [*map(number, _readable(ticks)), "none"])
        handles = [
            Line2D([], [], color=k.colour, marker=k.marker, linestyle="" if n in single_points else "-", label=n)
            for n, k in look.items()
        ]
        handles += [
            Line2D([], [], color="black", marker=k.marker, markerfacecolor="white", linestyle="", label=n)
            for n, k in hollow.items()
        ]
        if majority is not None:
            handles.append(Line2D([], [], color=PALETTE["grey"], linestyle="--", label="same answer always"))
        legend_below(figure, handles, columns=2)
    return figure, "Two line charts over the ε that a release keeps, means over seeds. " + " ".join(parts)


def _readable(ticks: list[float]) -> list[float]:
    """Those of ascending ticks that stand at least a factor of 2 from the last one kept."""
    kept: list[float] = []
    for tick in ticks:
        if not kept or tick >= 2 * kept[-1]:
            kept.append(tick)
    return kept
