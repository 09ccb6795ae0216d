"""What scores of pairs are worth: how they separate, whether they mean what they say, what weight has to do with F1."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import ArrayLike

from trustnlp.plots.series import Floats64, Look, finite, legend_below, looks, number
from trustnlp.plots.style import PALETTE, house_style

MOST_MARGINS = 25


def score_histograms(
    scores_by_set: Mapping[str, tuple[ArrayLike, ArrayLike]], bins: int = 40, *, log_counts: bool = False
) -> tuple[Figure, str]:
    """Scores of the pairs that are one entity and of those that are not, one panel a data set.

    Parameters
    ----------
    scores_by_set
        Data set → scores of the gold pairs, scores of the other pairs.
    bins
        Bins of equal width from the least to the greatest score of a set.
    log_counts
        Draw numbers of pairs on a logarithmic axis, where one kind dwarfs the other; else each kind's density.

    Raises
    ------
    ValueError
        No set, less than one bin, no pairs of one kind, or a score that is not finite.
    """
    if not scores_by_set or bins < 1:
        raise ValueError(f"expected at least one set and one bin, got {len(scores_by_set)} and {bins}")
    columns = min(2, len(scores_by_set))
    rows = math.ceil(len(scores_by_set) / columns)
    parts = []
    with house_style():
        figure, axes = plt.subplots(rows, columns, figsize=(7.2, 2.7 * rows + 0.8), squeeze=False)
        for axis, (title, (same, different)) in zip(axes.flat, scores_by_set.items(), strict=False):
            gold = finite(same, f"scores of same pairs, {title}")
            other = finite(different, f"scores of other pairs, {title}")
            edges = np.histogram_bin_edges(np.concatenate([gold, other]), bins)
            for scores, style in (
                (other, {"color": PALETTE["orange"], "alpha": 0.5, "histtype": "stepfilled"}),
                (gold, {"color": PALETTE["blue"], "linewidth": 1.8, "histtype": "step"}),
            ):
                axis.hist(scores, edges, density=not log_counts, **style)
            if log_counts:
                axis.set_yscale("log")
                axis.set_ylim(bottom=0.7)
            axis.set_title(title, fontsize="medium")
            parts.append(f"{title}: {_spread('same', gold)}; {_spread('other', other)}")
        for axis in axes.flat[len(scores_by_set) :]:
            axis.set_visible(False)
        for at in range(len(scores_by_set) - columns, len(scores_by_set)):
            axes.flat[at].set_xlabel("score")
        for axis in axes[:, 0]:
            axis.set_ylabel("pairs" if log_counts else "density")
        legend_below(
            figure,
            [
                Patch(facecolor="none", edgecolor=PALETTE["blue"], linewidth=1.8, label="same entity"),
                Patch(color=PALETTE["orange"], alpha=0.5, label="others"),
            ],
            columns=2,
        )
    kind = "numbers of pairs on a logarithmic axis" if log_counts else "densities"
    return figure, f"Histograms of scores of same pairs and other pairs, {kind}. {'. '.join(parts)}."


def reliability_diagram(curves: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]]) -> tuple[Figure, str]:
    """What scores promise against what they keep; on the diagonal, probabilities mean what they say.

    Parameters
    ----------
    curves
        Name → mean probability of each bin, share of its pairs that are one entity, its number of pairs (the columns
        of `trustnlp.evaluation.calibration.reliability`). The area of a marker grows with the logarithm of that number.

    Raises
    ------
    ValueError
        No curve, lists of different length, a probability or share outside 0 to 1, or a bin without pairs.
    """
    look = looks(curves)
    checked: dict[str, tuple[Floats64, Floats64, Floats64]] = {}
    for name, (probability, share, count) in curves.items():
        promised = finite(probability, f"mean probabilities of {name}")
        kept = finite(share, f"shares of {name}", length=len(promised))
        pairs = finite(count, f"pairs of {name}", length=len(promised), above=0)
        for what, values in (("mean probabilities", promised), ("shares", kept)):
            if values.min() < 0 or values.max() > 1:
                raise ValueError(f"{what} of {name} lie between 0 and 1, got {values.min():g} to {values.max():g}")
        order = np.argsort(promised)
        checked[name] = promised[order], kept[order], pairs[order]
    fewest = min(pairs.min() for _, _, pairs in checked.values())
    most = max(pairs.max() for _, _, pairs in checked.values())

    def area(pairs: ArrayLike) -> Floats64:
        return np.asarray(18 + 130 * np.log(np.asarray(pairs) / fewest) / max(np.log(most / fewest), 1e-9))

    parts = []
    with house_style():
        figure, axis = plt.subplots(figsize=(6.0, 5.8))
        (diagonal,) = axis.plot([0, 1], [0, 1], "--", color=PALETTE["grey"], marker="", label="as promised")
        handles: list[Artist] = []
        for name, (promised, kept, pairs) in checked.items():
            shape = look[name]
            axis.plot(promised, kept, color=shape.colour, marker="", linewidth=1.4)
            axis.scatter(promised, kept, area(pairs), color=shape.colour, marker=shape.marker, alpha=0.8, zorder=3)
            handles.append(Line2D([], [], color=shape.colour, marker=shape.marker, label=name))
            worst = int(np.abs(promised - kept).argmax())
            parts.append(
                f"{name}: {number(pairs.sum())} pairs in {len(pairs)} bins, farthest off where "
                f"{number(promised[worst])} is promised and {number(kept[worst])} kept ({number(pairs[worst])} pairs)"
            )
        handles.append(diagonal)
        for pairs in dict.fromkeys([fewest, most]):
            size = math.sqrt(area(pairs))
            label = f"{number(pairs)} {'pair' if pairs == 1 else 'pairs'}"
            handles.append(Line2D([], [], linestyle="", marker="o", markersize=size, color="black", label=label))
        axis.set_aspect("equal")
        axis.set_xlim(-0.03, 1.03)
        axis.set_ylim(-0.03, 1.03)
        axis.set_xlabel("mean probability")
        axis.set_ylabel("share of same pairs")
        legend_below(figure, handles, columns=3)
    return figure, f"Reliability diagram: share of same pairs over mean probability. {'; '.join(parts)}."


def value_and_f1(
    paths: Mapping[str, tuple[ArrayLike, ArrayLike]], points: Mapping[str, tuple[float, float]]
) -> tuple[Figure, str]:
    """Whether heavier partitions are better ones: pairwise F1 over the weight as a share of the optimum's.

    Weights and F1 are given as shares, 1 is drawn as 100 %. Partitions of a path that weigh less than 0, which leaving
    each node alone weighs, are not drawn, unless another series lies there altogether; the text says how many they are.
    With a path and several points, a second panel enlarges what lies around the points.

    Parameters
    ----------
    paths
        Method → weights `(n,)` and F1 `(n,)` along its threshold, in the threshold's order.
    points
        Method → weight and F1 of its one partition: the optimum, the gold partition, F-MWSP.

    Raises
    ------
    ValueError
        Nothing to draw, lists of different length, a number that is not finite, or an F1 outside 0 to 1.
    """
    look = looks([*paths, *points])
    lines = {name: _checked(name, *path) for name, path in paths.items()}
    marks = {name: _checked(name, [weight], [f1]) for name, (weight, f1) in points.items()}
    left = min([0.0, *(weight.max() for weight, _ in [*lines.values(), *marks.values()])])
    shown = {name: (weight[weight >= left], f1[weight >= left]) for name, (weight, f1) in lines.items()}
    windows = [_window([*shown.values(), *marks.values()], 0.04)]
    if lines and len(marks) > 1:
        windows.append(_window(list(marks.values()), 0.5))
    parts = []
    with house_style():
        figure, axes = plt.subplots(1, len(windows), figsize=(7.2, 4.4), squeeze=False)
        handles: list[Artist] = []
        for axis, (x_limits, y_limits) in zip(axes[0], windows, strict=True):
            handles = [
                *(_draw_path(axis, name, path, look[name]) for name, path in lines.items()),
                *(_draw_mark(axis, name, mark, look[name]) for name, mark in marks.items()),
            ]
            axis.set_xlim(*x_limits)
            axis.set_ylim(*y_limits)
            axis.set_xlabel("weight (% of the optimum's)")
        axes[0, 0].set_ylabel("pairwise F1 (%)")
        if len(windows) > 1:
            axes[0, 1].set_title("enlarged", fontsize="medium")
        legend_below(figure, handles, columns=3)
    for name, (weight, f1) in lines.items():
        best, heaviest = int(f1.argmax()), int(weight.argmax())
        off = len(weight) - len(shown[name][0])
        parts.append(
            f"{name}: F1 up to {100 * f1[best]:.1f} % at {100 * weight[best]:.1f} % of the weight, "
            f"{100 * f1[heaviest]:.1f} % at its heaviest, {100 * weight[heaviest]:.1f} %"
            + (f"; {off} of {len(weight)} partitions are lighter and not drawn" if off else "")
        )
    parts += [f"{name}: weight {100 * weight[0]:.1f} %, F1 {100 * f1[0]:.1f} %" for name, (weight, f1) in marks.items()]
    return figure, f"Pairwise F1 over the weight of partitions as a share of the optimum's. {'. '.join(parts)}."


def margins(table: pd.DataFrame) -> tuple[Figure, str]:
    """How firmly decisions stand: the weight that reversing each would lose, least certain at the top.

    Parameters
    ----------
    table
        A row per decision (`trustnlp.graphs.explain_cluster`): `left`, `right`, `together`, `weight` (NaN without an
        edge) and `margin`. The 25 least certain are drawn. An infinite margin, of a decision that nothing reverses, is
        not drawn; the text says how many there are.

    Raises
    ------
    ValueError
        A missing column, a margin that is missing or negative, or no finite margin.
    """
    missing = [column for column in ("left", "right", "together", "weight", "margin") if column not in table.columns]
    if missing:
        raise ValueError(f"the table has no column {missing[0]!r}; it has {', '.join(map(str, table.columns))}")
    margin = table["margin"].to_numpy(dtype=float)
    if not (margin >= 0).all():
        raise ValueError(f"margins are 0 or more, got {margin[~(margin >= 0)][:3].tolist()}")
    if not np.isfinite(margin).any():
        raise ValueError(f"none of {len(margin)} margins is finite, there is nothing to draw")
    finite_rows = table[np.isfinite(margin)].sort_values("margin", kind="stable", ignore_index=True)
    drawn = finite_rows.head(MOST_MARGINS)
    joined = drawn["together"].to_numpy(dtype=bool)
    length = drawn["margin"].to_numpy(dtype=float)
    labels = [
        f"{left} – {right} ({'no edge' if math.isnan(weight) else number(weight)})"
        for left, right, weight in zip(drawn["left"], drawn["right"], drawn["weight"], strict=True)
    ]
    left_off = []
    if len(drawn) < len(finite_rows):
        left_off.append(f"the {len(drawn)} least certain of {len(finite_rows)}")
    if endless := len(table) - len(finite_rows):
        left_off.append(f"{endless} more cannot be reversed")
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 0.29 * len(drawn) + 1.6))
        handles: list[Artist] = []
        for kind, chosen, colour, hatch in (
            ("joined", joined, PALETTE["blue"], None),
            ("parted", ~joined, PALETTE["orange"], "///"),
        ):
            if chosen.any():
                axis.barh(np.flatnonzero(chosen), length[chosen], 0.68, color=colour, hatch=hatch, edgecolor="white")
                handles.append(Patch(facecolor=colour, hatch=hatch, edgecolor="white", label=kind))
        for at, value in enumerate(length):
            axis.annotate(number(value), (value, at), (4, 0), textcoords="offset points", va="center", fontsize=9)
        axis.set_yticks(range(len(drawn)), labels, fontsize=9)
        axis.grid(axis="y", visible=False)
        axis.set_ylim(len(drawn) - 0.4, -0.6)
        axis.set_xlim(0, 1.12 * max(length.max(), 1e-12))
        axis.set_xlabel("margin: weight lost by the reverse decision")
        if left_off:
            axis.set_title("; ".join(left_off), fontsize="small", fontweight="normal")
        legend_below(figure, handles, columns=2)
    said = [
        f"{label} {'joined' if together else 'parted'}, {number(value)}"
        for label, together, value in zip(labels, joined, length, strict=True)
    ]
    note = f" Shown: {'; '.join(left_off)}." if left_off else ""
    return (
        figure,
        f"Margins of decisions, weights of the pairs in brackets, least certain first: {'; '.join(said)}.{note}",
    )


def _spread(kind: str, scores: Floats64) -> str:
    low, middle, high = np.percentile(scores, [5, 50, 95])
    return f"{len(scores):,} {kind}, median {number(middle)}, nine in ten from {number(low)} to {number(high)}"


def _checked(name: str, weight: ArrayLike, f1: ArrayLike) -> tuple[Floats64, Floats64]:
    share = finite(weight, f"weights of {name}")
    score = finite(f1, f"F1 of {name}", length=len(share))
    if score.min() < 0 or score.max() > 1:
        raise ValueError(f"F1 of {name}: expected shares from 0 to 1, got {score.min():g} to {score.max():g}")
    return share, score


def _window(curves: list[tuple[Floats64, Floats64]], margin: float) -> list[tuple[float, float]]:
    """Limits of both axes in percent that hold the curves, with a margin that is a share of their extent."""
    limits = []
    for values in zip(*curves, strict=True):
        every = 100 * np.concatenate(values)
        room = margin * max(np.ptp(every), 1.0)
        limits.append((float(every.min() - room), float(every.max() + room)))
    return limits


def _draw_path(axis: Axes, name: str, path: tuple[Floats64, Floats64], look: Look) -> Line2D:
    (line,) = axis.plot(
        100 * path[0], 100 * path[1], color=look.colour, marker=look.marker, markersize=3.5, linewidth=1.4, label=name
    )
    return line


def _draw_mark(axis: Axes, name: str, mark: tuple[Floats64, Floats64], look: Look) -> Line2D:
    (point,) = axis.plot(
        100 * mark[0], 100 * mark[1], linestyle="", marker=look.marker, markersize=11, color=look.colour,
        markerfacecolor="none", markeredgewidth=2.2, label=name, zorder=3,
    )  # fmt: skip
    return point
