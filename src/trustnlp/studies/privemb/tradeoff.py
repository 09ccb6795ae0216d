"""Figures about what private noise costs and buys: its length, the stretch it is scaled for, utility against attack.

Each returns the figure and its alternative text.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import ArrayLike

from trustnlp.plots.series import Floats64, finite, legend_below, line_styles, looks, number, spell_out_ticks
from trustnlp.plots.style import PALETTE, house_style

_BINS = 80


def noise_by_beta(
    betas: ArrayLike, lengths: Mapping[str, ArrayLike], break_even: float | None, plain: float
) -> tuple[Figure, str]:
    """Expected length of the noise times ε as β grows: `m (1 + β)` of the projection against `d` without it.

    The mean length of multivariate Laplace noise is its dimension times its scale: d / ε for the vectors themselves and
    m (1 + β) / ε after PrivEmb's projection (section 3). The shaded region is m ≤ d, that is m (1 + β) ≤ d (1 + β).

    Parameters
    ----------
    betas
        `(n,)` ascending.
    lengths
        Reading of the formula for m → `(n,)` values of m (1 + β).
    break_even
        β at which the projection needs as much noise as the vectors themselves; marked unless None.
    plain
        d, the length times ε without projection.

    Raises
    ------
    ValueError
        Values that are not positive and finite, that do not fit, β that do not ascend, or a break-even outside them.
    """
    beta = finite(betas, "β", above=0)
    if (np.diff(beta) <= 0).any():
        raise ValueError("β must ascend strictly")
    if break_even is not None and not beta[0] <= break_even <= beta[-1]:
        raise ValueError(f"the break-even β = {break_even:g} lies outside the β shown, {beta[0]:g} to {beta[-1]:g}")
    look = looks(lengths)
    curves = {name: finite(v, f"lengths, {name}", length=len(beta), above=0) for name, v in lengths.items()}
    dimension = float(finite([plain], "plain", above=0)[0])
    parts = []
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 4.8))
        floor = 0.75 * min(dimension, *(curve.min() for curve in curves.values()))
        axis.fill_between(beta, floor, dimension * (1 + beta), color=PALETTE["sky"], alpha=0.22, linewidth=0)
        handles: list[Line2D | Patch] = []
        for name, curve in curves.items():
            handles += axis.plot(
                beta, curve, color=look[name].colour, marker=look[name].marker, markevery=max(1, len(beta) // 8),
                label=name,
            )  # fmt: skip
            parts.append(
                f"{name}: {number(curve[0])} at β = {beta[0]:.3g} to {number(curve[-1])} at β = {beta[-1]:.3g}, "
                f"{_from(beta, curve <= dimension * (1 + beta), 'm ≤ d')}, "
                f"{_from(beta, curve < dimension, 'shorter than d')}"
            )
        handles.append(
            axis.axhline(
                dimension, color="black", linestyle="--", linewidth=1.5, label=f"no projection: d = {dimension:g}"
            )
        )
        if break_even is not None:
            label = f"break-even: β = {break_even:.3g}"
            handles.append(axis.axvline(break_even, color="black", linestyle=":", linewidth=1.8, label=label))
        handles.append(Patch(color=PALETTE["sky"], alpha=0.22, linewidth=0, label="m ≤ d"))
        axis.set_yscale("log")
        axis.set_ylim(floor, 1.15 * max(dimension, *(curve.max() for curve in curves.values())))
        axis.set_xlim(beta[0], beta[-1])
        spell_out_ticks(axis.yaxis)
        axis.set_xlabel("β")
        axis.set_ylabel("expected length of the noise × ε")
        legend_below(figure, handles, columns=3)
    marked = f" The break-even at β = {break_even:.3g} is marked." if break_even is not None else ""
    return figure, (
        f"Expected length of the noise times ε over β, logarithmic, against d = {dimension:g} without projection: "
        + "; ".join(parts) + "." + marked
    )  # fmt: skip


def ratio_histogram(
    edges: ArrayLike,
    counts: Mapping[str, ArrayLike],
    limits: Mapping[str, float],
    maxima: Mapping[str, float] | None = None,
) -> tuple[Figure, str]:
    """How far projections stretch the distances of all pairs, against the limit the noise is made for.

    Parameters
    ----------
    edges
        `(bins + 1,)` ascending edges of the ratios ‖Φ(x - x')‖ / ‖x - x'‖.
    counts
        Projection, such as "β = 0.5" → `(bins,)` pairs.
    limits
        The same labels → 1 + β.
    maxima
        The same labels → largest ratio. Without it, the upper edge of the last bin that holds a pair is drawn.

    Raises
    ------
    ValueError
        Labels or lengths that do not fit, negative counts, or a label without any pair.
    """
    borders = finite(edges, "edges")
    if len(borders) < 2 or (np.diff(borders) <= 0).any():
        raise ValueError(f"edges must ascend strictly and be two or more, got {len(borders)}")
    for what, given in {"limits": limits, "maxima": maxima}.items():
        if given is not None and set(given) != set(counts):
            raise ValueError(f"{what} are of {sorted(given)}, counts of {sorted(counts)}: use the same labels")
    look = looks(counts)
    parts = []
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 4.8))
        pairs = {name: finite(values, name, length=len(borders) - 1) for name, values in counts.items()}
        for name, values in pairs.items():
            if values.min() < 0 or not values.any():
                raise ValueError(f"{name}: expected counts of pairs, none negative and not all 0")
        top = 4 * max(values.max() for values in pairs.values())
        handles = []
        for place, (name, values) in enumerate(pairs.items()):
            colour, marker = look[name].colour, look[name].marker
            largest = maxima[name] if maxima else float(borders[1:][values > 0][-1])
            axis.stairs(values, borders, color=colour, linewidth=1.8, baseline=None)
            ends, height = [0.5, top * 2.2**place], 1
            axis.plot([limits[name]] * 2, ends, "--", color=colour, marker=marker, markevery=[height], markersize=8)
            axis.plot([largest] * 2, ends, ":", color=colour, marker=marker, markevery=[height], markersize=8,
                      markerfacecolor="white", markeredgewidth=1.6)  # fmt: skip
            handles.append(Line2D([], [], color=colour, marker=marker, label=name))
            parts.append(
                f"{name}: {number(values.sum())} pairs, largest ratio {'' if maxima else 'at most '}{largest:.3f} "
                f"against 1 + β = {limits[name]:g}, "
                f"{_beyond(borders, values, limits[name], largest)} beyond it"
            )
        handles.append(Line2D([], [], color="black", linestyle="--", marker="o", label="1 + β"))
        handles.append(Line2D([], [], color="black", linestyle=":", marker="o", markerfacecolor="white",
                              label="largest ratio"))  # fmt: skip
        axis.set_yscale("log")
        axis.set_ylim(0.5, top * 2.2 ** len(pairs))
        axis.set_xlabel("‖Φ(x − x′)‖ / ‖x − x′‖")
        axis.set_ylabel("pairs of words")
        legend_below(figure, handles, columns=3)
    return figure, "Histograms of the stretching of all pairwise distances, logarithmic counts. " + "; ".join(
        parts
    ) + "."


def length_histogram(lengths: ArrayLike, marks: Mapping[str, float]) -> tuple[Figure, str]:
    """Lengths of the word vectors, with the lengths of the noise and other marks on the same logarithmic axis.

    Parameters
    ----------
    lengths
        `(n,)` of the vectors.
    marks
        Label → length: the noise of each mechanism, the typical distance of nearest neighbours.

    Raises
    ------
    ValueError
        A length or mark that is not positive and finite, or more marks than can be told apart.
    """
    sizes = finite(lengths, "lengths", above=0)
    values = finite(list(marks.values()), "marks", above=0)
    look = looks(marks)
    styles = line_styles(marks)
    everything = np.concatenate([sizes, values])
    bins = np.geomspace(0.95 * everything.min(), 1.05 * everything.max(), _BINS + 1)
    low, middle, high = np.percentile(sizes, [5, 50, 95])
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 4.4))
        axis.hist(sizes, bins=list(bins), color=PALETTE["sky"])
        handles: list[Line2D | Patch] = [Patch(color=PALETTE["sky"], label="word vectors")]
        for name, value in marks.items():
            label = f"{name}: {number(value)}"
            handles.append(
                axis.axvline(value, color=look[name].colour, linestyle=styles[name], linewidth=2.2, label=label)
            )
        axis.set_xscale("log")
        spell_out_ticks(axis.xaxis)
        axis.set_xlabel("length (Euclidean)")
        axis.set_ylabel("word vectors")
        axis.grid(axis="x", visible=False)
        legend_below(figure, handles, columns=2)
    said = "; ".join(f"{name}: {number(v)}, {number(v / middle)} times the median" for name, v in marks.items())
    return figure, (
        f"Histogram of the lengths of {len(sizes):,} vectors on a logarithmic axis, median {number(float(middle))}, "
        f"5 % to 95 % {number(float(low))} to {number(float(high))}. Vertical lines: {said}."
    )


def _beyond(edges: Floats64, counts: Floats64, limit: float, largest: float) -> str:
    """How many pairs lie beyond the limit, in words: two numbers where the limit divides a bin."""
    if largest <= limit:
        return "no pair"
    surely = counts[edges[:-1] > limit - 1e-9].sum()
    perhaps = counts[edges[1:] > limit + 1e-9].sum()
    return f"{number(surely)} pairs" if surely == perhaps else f"{number(surely)} to {number(perhaps)} pairs"


def utility_by_attack(
    runs: Mapping[str, Mapping[float, tuple[ArrayLike, ArrayLike]]], *, attack: str, utility: str
) -> tuple[Figure, str]:
    """What a release is good for against what an attacker gets from it: one line a mechanism, one point an ε.

    Higher is more useful, further left is safer. Mechanisms of equal ε may stand at different places, which is the
    point of the figure. The smallest ε of a line is written beside its first point.

    Parameters
    ----------
    runs
        Mechanism → ε → success of the attack `(a,)` and utility `(u,)`, a value a run; their means are drawn.
    attack, utility
        What is measured, in words.

    Raises
    ------
    ValueError
        No mechanism or ε, or a value that is not finite.
    """
    look = looks(runs)
    parts = []
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 4.8))
        for name, by_epsilon in runs.items():
            epsilons = sorted(by_epsilon)
            x = np.array([finite(by_epsilon[e][0], f"{attack} of {name}").mean() for e in epsilons])
            y = np.array([finite(by_epsilon[e][1], f"{utility} of {name}").mean() for e in epsilons])
            axis.plot(x, y, color=look[name].colour, marker=look[name].marker, label=name)
            axis.annotate(
                f"ε = {epsilons[0]:g}", (x[0], y[0]), xytext=(6, -11), textcoords="offset points", fontsize="small",
                color=look[name].colour,
            )  # fmt: skip
            points = (f"{number(b)} at {number(a)} (ε = {e:g})" for e, a, b in zip(epsilons, x, y, strict=True))
            parts.append(f"{name}: {', '.join(points)}")
        axis.set_xlabel(attack)
        axis.set_ylabel(utility)
        legend_below(figure, [Line2D([], [], color=k.colour, marker=k.marker, label=n) for n, k in look.items()], 2)
    return figure, f"{utility} against {attack}, a line a mechanism. " + "; ".join(parts) + "."


def _from(beta: ArrayLike, holds: ArrayLike, what: str) -> str:
    """From which β on a statement holds for good, in words."""
    fails = np.flatnonzero(~np.asarray(holds, dtype=bool))
    values = np.asarray(beta, dtype=float)
    if len(fails) and fails[-1] == len(values) - 1:
        return f"never {what}" if len(fails) == len(values) else f"not {what} at the end"
    return f"{what} from β = {values[fails[-1] + 1 if len(fails) else 0]:.3g}"
