"""Figures about attacks on private attributes: what they leave private, at what accuracy, and what a map shows.

Each returns the figure and its alternative text. "Empirical privacy" is Lyu, He & Li (2020), §4.2: 100 minus the
attacker's F1 or accuracy in percent, so that lower is a better attack.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from trustnlp.plots.series import finite, hollow, legend_below, looks, seed_intervals
from trustnlp.plots.style import house_style

_PRIVACY = "empirical privacy (%)"


def accuracy_by_privacy(
    arms: Mapping[str, tuple[ArrayLike, ArrayLike]],
    paper: Mapping[str, tuple[float, float]] | None = None,
    *,
    majority: tuple[float, float] | None = None,
) -> tuple[Figure, str]:
    """Accuracy of the main task against empirical privacy, a point an arm, with 95 % intervals both ways (table 4).

    Up and to the right is better for the user, as long as the attacker is a good one.

    Parameters
    ----------
    arms
        Arm → main accuracy and empirical privacy, `(seeds,)` each, in percent.
    paper
        Arm → the printed pair, hollow. An arm may stand here only.
    majority
        The pair of the most frequent answers, a cross.

    Raises
    ------
    ValueError
        No arm, or a value that is not finite.
    """
    look = looks([*arms, *(paper or {})])
    parts = []
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 5.0))
        handles: list[Artist] = []
        for name, shape in look.items():
            said = []
            if name in arms:
                accuracy, privacy = (
                    finite(values, f"{what} of {name}")
                    for values, what in zip(arms[name], ("accuracy", "privacy"), strict=True)
                )
                x, y = privacy.mean(), accuracy.mean()
                spread = [
                    np.abs(np.subtract(seed_intervals([values])[0], values.mean()))[:, None]
                    for values in (privacy, accuracy)
                ]
                axis.errorbar(
                    [x], [y], xerr=spread[0], yerr=spread[1], color=shape.colour, marker=shape.marker, linestyle="",
                    capsize=3, markersize=8,
                )  # fmt: skip
                handles.append(
                    Line2D([], [], linestyle="", color=shape.colour, marker=shape.marker, label=f"{name}, ours")
                )
                said.append(f"ours {y:.1f} at {x:.1f}")
            if paper and name in paper:
                y, x = finite(paper[name], f"paper, {name}", length=2)
                axis.plot(
                    [x], [y], linestyle="", color=shape.colour, marker=shape.marker, markerfacecolor="white",
                    markersize=9, markeredgewidth=1.6,
                )  # fmt: skip
                handles.append(hollow(shape.marker, shape.colour, f"{name}, paper"))
                said.append(f"paper {y:g} at {x:g}")
            parts.append(f"{name}: {', '.join(said)}")
        if majority is not None:
            y, x = finite(majority, "majority", length=2)
            axis.plot([x], [y], "x", color="black", markersize=9, markeredgewidth=2)
            axis.axvline(x, color="black", linestyle="--", linewidth=1.2)
            handles.append(Line2D([], [], linestyle="--", color="black", marker="x", label="same answer always"))
            parts.append(f"same answer for every text: {y:.1f} at {x:.1f}")
        axis.set_xlabel(f"{_PRIVACY}: higher is a worse attack")
        axis.set_ylabel("main task, accuracy (%)")
        legend_below(figure, handles, columns=3)
    return figure, (
        f"Scatter plot of the main task's accuracy against {_PRIVACY}, means over seeds with 95 % intervals. "
        + "; ".join(parts)
        + "."
    )


def subgroup_maps(
    panels: Mapping[str, ArrayLike],
    groups: ArrayLike,
    names: tuple[str, str],
    *,
    separability: Mapping[str, float] | None = None,
) -> tuple[Figure, str]:
    """Representations of the same texts in the plane, coloured by subgroup, one panel a model (figure 4).

    A map such as t-SNE's can show mixing that is not there and hide mixing that is, so a panel should carry a number.

    Parameters
    ----------
    panels
        Model → `(n, 2)` coordinates.
    groups
        `(n,)` of 0 and 1.
    names
        Of the subgroups 0 and 1.
    separability
        Model → what a classifier on the full vectors gets right, in percent; in the panel's title.

    Raises
    ------
    ValueError
        Coordinates that are not finite or do not fit the groups, groups other than 0 and 1 or without any text, or
        numbers for other panels.
    """
    member = np.asarray(groups)
    if member.ndim != 1 or not np.isin(member, (0, 1)).all() or len(np.unique(member)) != 2:
        raise ValueError(f"groups: expected a list of 0 and 1, both present, got shape {member.shape}")
    if not panels:
        raise ValueError("no panels: give the coordinates of at least one model")
    if separability is not None and set(panels) != set(separability):
        raise ValueError(f"panels are {sorted(panels)}, separability is of {sorted(separability)}: use the same names")
    look = looks(names)
    if len(look) != 2:
        raise ValueError(f"two subgroups need two names, got {names}")
    with house_style():
        figure, axes = plt.subplots(1, len(panels), squeeze=False, figsize=(3.7 * len(panels), 4.2))
        for axis, (title, values) in zip(axes[0], panels.items(), strict=True):
            points = np.asarray(values, dtype=float)
            if points.shape != (len(member), 2) or not np.isfinite(points).all():
                raise ValueError(f"{title}: expected finite numbers of shape ({len(member)}, 2), got {points.shape}")
            for group, name in enumerate(names):
                axis.plot(
                    *points[member == group].T, linestyle="", color=look[name].colour, marker=look[name].marker,
                    markersize=3, alpha=0.55, markeredgewidth=0, label=name,
                )  # fmt: skip
            number = f"\nseparable: {separability[title]:.1f} %" if separability else ""
            axis.set_title(title + number, fontsize="medium")
            axis.set_xticks([])
            axis.set_yticks([])
            axis.set_aspect("equal", adjustable="datalim")
        handles = [Line2D([], [], linestyle="", color=k.colour, marker=k.marker, label=n) for n, k in look.items()]
        legend_below(figure, handles, columns=2)
    counts = " and ".join(f"{int((member == g).sum()):,} {name}" for g, name in enumerate(names))
    told = "; ".join(f"{title}: {value:.1f} %" for title, value in (separability or {}).items())
    ending = f" Told apart by a classifier on the full vectors: {told}." if told else ""
    return figure, f"Maps of the representations of {counts} in the plane: {', '.join(panels)}.{ending}"
