"""Figures about privately released vectors: their errors, and what an audit finds.

Each returns the figure and its alternative text. Mechanisms keep their colour and marker from figure to figure as long
as they are given in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import ArrayLike

from trustnlp.plots.series import (
    finite,
    hollow,
    legend_below,
    looks,
    number,
    spell_out_ticks,
)
from trustnlp.plots.style import PALETTE, house_style

_PERCENTILES = (5, 25, 50, 75, 95)


def error_boxes(
    errors: Mapping[float, Mapping[str, ArrayLike]],
    bounds: Mapping[float, Mapping[str, float]] | None,
    *,
    quantity: str,
) -> tuple[Figure, str]:
    """Absolute errors of released vectors (PrivEmb, figures 1, 2, 5, 6) and the bounds proven for them.

    One panel per ε, under each other on one logarithmic axis; in it one box per mechanism, from the 25th to the 75th
    percentile with the median, whiskers from the 5th to the 95th.

    Parameters
    ----------
    errors
        ε → mechanism → `(n,)` absolute errors.
    bounds
        ε → mechanism → bound, for those mechanisms that have one. None draws none.
    quantity
        What the errors are of, in words.

    Raises
    ------
    ValueError
        No errors, a value that is not finite or not positive, or a bound for what has no errors.
    """
    epsilons = sorted(errors)
    look = looks(name for epsilon in epsilons for name in errors[epsilon])
    for epsilon, given in (bounds or {}).items():
        if unknown := set(given) - set(errors.get(epsilon, ())):
            raise ValueError(f"bounds without errors at ε = {epsilon:g}: {', '.join(sorted(unknown))}")
    sizes = [len(errors[epsilon]) for epsilon in epsilons]
    parts, ends = [], []
    with house_style():
        figure, panels = plt.subplots(
            len(epsilons), 1, sharex=True, squeeze=False, figsize=(7.2, 0.3 * sum(sizes) + 0.45 * len(sizes) + 1.0),
            height_ratios=sizes,
        )  # fmt: skip
        for epsilon, axis in zip(epsilons, panels[:, 0], strict=True):
            words, times = [], []
            for row, (name, values) in enumerate(errors[epsilon].items()):
                sample = finite(values, f"errors of {name} at ε = {epsilon:g}")
                if sample.min() < 0:
                    raise ValueError(
                        f"errors of {name} at ε = {epsilon:g}: expected absolute errors, got {sample.min():g}"
                    )
                low, left, median, right, high = finite(
                    np.percentile(sample, _PERCENTILES), f"percentiles of the errors of {name}", above=0
                )
                colour = look[name].colour
                axis.hlines(row, low, high, color=colour, linewidth=1.6)
                axis.barh(row, right - left, 0.56, left=left, color=colour, alpha=0.45, edgecolor=colour)
                axis.vlines(median, row - 0.28, row + 0.28, color="black", linewidth=1.5)
                words.append(f"{name}: {number(median)}")
                ends += [low, high]
                if bounds and name in bounds.get(epsilon, {}):
                    bound = float(finite([bounds[epsilon][name]], f"bound of {name}", above=0)[0])
                    axis.plot(bound, row, linestyle="", marker="D", color="black", markerfacecolor="white")
                    times.append(bound / median)
                    ends.append(bound)
            axis.set_yticks(range(len(errors[epsilon])), list(errors[epsilon]))
            axis.set_ylim(len(errors[epsilon]) - 0.4, -0.6)
            axis.grid(axis="y", visible=False)
            axis.set_title(f"ε = {epsilon:g}", fontsize="medium", fontweight="bold")
            beyond = f"; proven bounds {number(min(times))} to {number(max(times))} times the median" if times else ""
            parts.append(f"At ε = {epsilon:g}, {'; '.join(words)}{beyond}.")
        panels[-1, 0].set_xscale("log")
        # Bars stick to their edges, so matplotlib's own limits would follow the first panel.
        panels[-1, 0].set_xlim(min(ends) / 1.5, max(ends) * 1.5)
        panels[-1, 0].set_xlabel(quantity)
        if bounds:
            legend_below(figure, [hollow("D", "black", "proven bound")], columns=1)
    return figure, f"Box plots of {quantity} on a logarithmic axis, medians. " + " ".join(parts)


def audit_bounds(
    claimed: ArrayLike, certified: Mapping[str, ArrayLike], *, ceiling: ArrayLike | None = None
) -> tuple[Figure, str]:
    """What audits prove about ε against what is claimed; above the diagonal the claim is refuted.

    Parameters
    ----------
    claimed
        `(n,)` ε per unit of distance.
    certified
        Mechanism → `(n,)` lower bounds of the real ε, 0 where nothing was proven, NaN where nothing was audited.
    ceiling
        `(n,)` the most that the draws could have proven, so that a low point is not taken for privacy.

    Raises
    ------
    ValueError
        No claim or one that is not positive and finite, another number of bounds, or an infinite or negative bound.
    """
    x = finite(claimed, "claimed ε", above=0)
    look = looks(certified)
    parts = []
    with house_style():
        figure, axis = plt.subplots(figsize=(6.4, 5.2))
        tops = [x.max()]
        handles: list[Artist] = []
        for name, values in certified.items():
            bounds = np.asarray(values, dtype=float)
            if bounds.shape != x.shape or np.isinf(bounds).any() or (bounds < 0).any():
                raise ValueError(f"{name}: expected {len(x)} bounds that are 0 or more, got {bounds}")
            if np.isnan(bounds).all():
                raise ValueError(f"{name}: every bound is NaN, nothing was audited; leave it out")
            tops.append(np.nanmax(bounds))
            handles += axis.plot(
                x, bounds, linestyle="", marker=look[name].marker, color=look[name].colour, label=name, clip_on=False,
                zorder=3, markersize=9, markerfacecolor="none", markeredgewidth=2,
            )  # fmt: skip
            refuted = int(np.count_nonzero(bounds > x))
            audited = int(np.isfinite(bounds).sum())
            parts.append(
                f"{name}: refuted {refuted} of {audited} times, "
                f"certified {number(np.nanmin(bounds / x))} to {number(np.nanmax(bounds / x))} times the claim"
            )
        if ceiling is not None:
            most, order = finite(ceiling, "ceiling", length=len(x)), np.argsort(x)
            tops.append(most.max())
            handles += axis.plot(
                x[order], most[order], ":", color="black", marker="", label="most the draws could prove"
            )
        top, least = 1.4 * max(tops), x.min()
        ends = np.array([least / 1.4, top])
        handles += axis.plot(ends, ends, "--", color=PALETTE["grey"], marker="", label="certified = claimed")
        axis.fill_between(ends, ends, top, color=PALETTE["grey"], alpha=0.15, linewidth=0)
        handles.append(Patch(color=PALETTE["grey"], alpha=0.15, linewidth=0, label="claim refuted"))
        axis.set_xscale("log")
        axis.set_yscale("symlog", linthresh=least / 1.4, linscale=0.5)
        axis.set_xlim(least / 1.4, 1.4 * x.max())
        axis.set_ylim(0, top)
        spell_out_ticks(axis.xaxis, sorted(set(x)))
        decades = 10.0 ** np.arange(np.floor(np.log10(least)), np.ceil(np.log10(top)) + 1)
        spell_out_ticks(axis.yaxis, [0, *(t for t in np.outer(decades, (1, 2, 5)).ravel() if least / 1.4 < t <= top)])
        axis.set_xlabel("ε claimed, per unit of distance")
        axis.set_ylabel("ε certified, per unit of distance")
        legend_below(figure, handles, columns=2)
    return figure, (
        f"Lower bounds of ε certified by audits against claims from {number(x.min())} to {number(x.max())}; points "
        "above the diagonal refute the claim. " + "; ".join(parts) + "."
    )
