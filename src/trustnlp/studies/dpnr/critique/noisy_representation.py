"""Figures about noise on a text's representation: what it looks like, what undoes it, and which ε it really has.

Each returns the figure and its alternative text (DPNR: Lyu, He and Li 2020).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import ArrayLike

from trustnlp.plots.series import finite, legend_below, line_styles, looks, number, spell_out_ticks
from trustnlp.plots.style import PALETTE, house_style


def before_and_after(clean: ArrayLike, released: Mapping[str, ArrayLike]) -> tuple[Figure, str]:
    """One scaled representation before noise (line) and as each variant releases it (dots), one panel a variant.

    Coordinates stand in the order of their clean values, so that a shift by one number shows as a curve of the same
    shape. Every panel has its own vertical axis.

    Parameters
    ----------
    clean
        `(k,)` the representation without noise.
    released
        Variant → `(k,)` what leaves the device.

    Raises
    ------
    ValueError
        No variant, another number of coordinates, or a value that is not finite.
    """
    vector = finite(clean, "clean representation")
    order, place = np.argsort(vector, kind="stable"), np.arange(len(vector))
    look = looks(released)
    parts = []
    with house_style():
        figure, panels = plt.subplots(
            len(released), 1, sharex=True, squeeze=False, figsize=(7.2, 1.75 * len(released) + 1.0)
        )
        for axis, (name, values) in zip(panels[:, 0], released.items(), strict=True):
            noisy = finite(values, f"released, {name}", length=len(vector))
            axis.plot(place, noisy[order], linestyle="", marker=look[name].marker, markersize=3,
                      color=look[name].colour, alpha=0.8)  # fmt: skip
            axis.plot(place, vector[order], color="black", marker="", linewidth=2)
            axis.set_title(name, fontsize="medium")
            correlation = np.corrcoef(noisy, vector)[0, 1]
            parts.append(
                f"{name}: released values from {number(noisy.min())} to {number(noisy.max())}, "
                f"correlation with the clean ones {number(correlation)}"
            )
        panels[-1, 0].set_xlabel("coordinate, in the order of the values without noise")
        figure.supylabel("value", fontsize="medium")
        handles: list[Artist] = [
            Line2D([], [], color="black", marker="", linewidth=2, label="without noise"),
            Line2D([], [], linestyle="", marker="o", markersize=3, color=PALETTE["grey"], label="released"),
        ]
        legend_below(figure, handles, columns=2)
    low, high = number(vector.min()), number(vector.max())
    return figure, (
        f"One representation of {len(vector)} coordinates, from {low} to {high} without noise, "
        f"and its releases. {'; '.join(parts)}."
    )


def loss_brackets(
    claimed: ArrayLike, certified: Mapping[str, ArrayLike], proven: Mapping[str, ArrayLike | None]
) -> tuple[Figure, str]:
    """Where the real ε of each variant lies: from what an audit certifies up to what is proven, against the claim.

    Parameters
    ----------
    claimed
        `(n,)` the ε that the paper states.
    certified
        Variant → `(n,)` lower bounds of the real ε, 0 where nothing was certified.
    proven
        Variant → `(n,)` upper bounds of the real ε; None where there is none, and the bar ends in an arrow.

    Raises
    ------
    ValueError
        No claim, other variants or lengths, or an upper bound below its lower one.
    """
    x = finite(claimed, "claimed ε", above=0)
    look = looks(certified)
    if set(certified) != set(proven):
        raise ValueError(f"bounds from below are of {', '.join(certified)}, from above of {', '.join(proven)}")
    lower = {name: finite(values, f"certified, {name}", length=len(x)) for name, values in certified.items()}
    upper = {
        name: None if values is None else finite(values, f"proven, {name}", length=len(x))
        for name, values in proven.items()
    }
    floor = x.min() / 4
    top = 4 * max(x.max(), *(v.max() for v in (*lower.values(), *upper.values()) if v is not None))
    parts = []
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 5.2))
        handles: list[Artist] = []
        for place, (name, low) in enumerate(lower.items()):
            high, style = upper[name], look[name]
            if high is not None and (high < low).any():
                raise ValueError(f"{name}: an audit certified more than is proven; {low} against {high}")
            at = x * 1.13 ** (place - (len(lower) - 1) / 2)
            seen = np.maximum(low, floor)
            axis.vlines(at, seen, top if high is None else high, color=style.colour, linewidth=3.5, alpha=0.45)
            axis.plot(at, seen, linestyle="", marker=style.marker, color=style.colour, markersize=7, clip_on=False)
            if high is None:
                axis.plot(at, np.full(len(x), top / 1.12), linestyle="", marker="^", color=style.colour, markersize=9)
            else:
                axis.plot(at, high, linestyle="", marker="_", color=style.colour, markersize=11, markeredgewidth=2.5)
            handles.append(Line2D([], [], color=style.colour, marker=style.marker, linewidth=3.5, label=name))
            refuted = int(np.count_nonzero(low > x))
            end = "no upper bound" if high is None else f"proven at most {number((high / x).max())} times the claim"
            parts.append(
                f"{name}: claim refuted {refuted} of {len(x)} times, certified {number((low / x).min())} to "
                f"{number((low / x).max())} times the claim, {end}"
            )
        ends = np.array([x.min() / 1.5, x.max() * 1.5])
        handles += axis.plot(ends, ends, "--", color="black", marker="", linewidth=1.5, label="ε as claimed")
        axis.fill_between(ends, ends, top, color=PALETTE["grey"], alpha=0.13, linewidth=0)
        handles.append(Patch(color=PALETTE["grey"], alpha=0.13, linewidth=0, label="more than claimed"))
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xlim(*ends)
        axis.set_ylim(floor, top)
        spell_out_ticks(axis.xaxis, sorted(x))
        spell_out_ticks(axis.yaxis, [t for t in 10.0 ** np.arange(-3, 6) if floor <= t <= top])
        axis.set_xlabel("ε claimed")
        axis.set_ylabel("ε between certified (mark) and proven (bar's end)")
        legend_below(figure, handles, columns=3)
    return figure, (
        f"Real ε of noise variants against claims from {number(x.min())} to {number(x.max())}, each a bar from the "
        f"lower bound that an audit certified to the proven upper bound. {'; '.join(parts)}."
    )


def dropout_budgets(
    rates: ArrayLike,
    bounds: Mapping[float, Mapping[str, ArrayLike]],
    audited: Mapping[float, Mapping[str, Mapping[float, float]]],
) -> tuple[Figure, str]:
    """What remains of ε when a share of the words is dropped: proven (lines) and certified by audits (marks).

    One panel per ε. A way of dropping keeps its colour; a mark above the line of another way refutes that line for it.

    Parameters
    ----------
    rates
        `(n,)` shares of words dropped, ascending.
    bounds
        ε → way of dropping → `(n,)` ε that remains, as proven.
    audited
        ε → way of dropping → rate → certified lower bound.

    Raises
    ------
    ValueError
        No ε, other values of ε, a way that is not in both, lengths that do not fit, or values that are not finite.
    """
    rate = finite(rates, "rates")
    if set(bounds) != set(audited):
        raise ValueError(f"bounds for ε of {sorted(bounds)}, audits for ε of {sorted(audited)}")
    epsilons = sorted(bounds)
    look = looks(name for epsilon in epsilons for name in bounds[epsilon])
    styles = line_styles(look)
    parts = []
    with house_style():
        figure, panels = plt.subplots(
            1, len(epsilons), squeeze=False, sharex=True, figsize=(max(4.8, 3.5 * len(epsilons)), 3.9)
        )
        for axis, epsilon in zip(panels[0], epsilons, strict=True):
            words = []
            for name, curve in bounds[epsilon].items():
                line = finite(curve, f"{name}, ε = {epsilon:g}", length=len(rate))
                points = dict(sorted(audited[epsilon].get(name, {}).items()))
                axis.plot(rate, line, color=look[name].colour, linestyle=styles[name], marker="", linewidth=2.2)
                axis.plot(list(points), finite(list(points.values()), f"audits, {name}") if points else [],
                          linestyle="", marker=look[name].marker, color=look[name].colour, markersize=8)  # fmt: skip
                said = ", ".join(f"{number(v)} certified at {r:g}" for r, v in points.items())
                words.append(
                    f"{name} from {number(line[0])} to {number(line[-1])}, {number(np.interp(0.5, rate, line))} at 0.5"
                    + (f" ({said})" if said else "")
                )
            if strangers := set(audited[epsilon]) - set(bounds[epsilon]):
                raise ValueError(f"audits of {', '.join(sorted(strangers))} at ε = {epsilon:g} without a bound")
            axis.set_title(f"ε = {epsilon:g} before dropping", fontsize="medium")
            axis.set_ylim(0, 1.06 * epsilon)
            axis.set_xlabel("share of words dropped, μ")
            parts.append(f"At ε = {epsilon:g}: {'; '.join(words)}.")
        panels[0, 0].set_ylabel("ε after dropping")
        handles: list[Artist] = [
            Line2D([], [], color=look[n].colour, linestyle=styles[n], linewidth=2.2, marker="", label=f"{n}, proven")
            for n in look
        ]
        handles += [
            Line2D([], [], color=look[n].colour, linestyle="", marker=look[n].marker, label=f"{n}, certified")
            for n in look
        ]
        legend_below(figure, handles, columns=2)
    return figure, f"Privacy budget after word dropout, by the share of words dropped. {' '.join(parts)}"


def implied_overall(ranges: Mapping[str, Mapping[str, Mapping[str, ArrayLike]]]) -> tuple[Figure, str]:
    """Accuracy on all texts that printed subgroup accuracies imply, with the groups as large as in one part or another.

    One panel per method, in it a row for each part and a bar from `low` to `high` for each subgroup variable. Bars of
    one row that overlap can come from one classifier on that part. DPNR, Table 7.

    Parameters
    ----------
    ranges
        Method → part → subgroup variable → `(low, high)`.

    Raises
    ------
    ValueError
        Methods of other parts, or a range that is not `(low, high)`.
    """
    parts = list(dict.fromkeys(part for by_part in ranges.values() for part in by_part))
    look = looks(name for by_part in ranges.values() for by_name in by_part.values() for name in by_name)
    words = []
    with house_style():
        figure, panels = plt.subplots(
            1, len(ranges), sharey=True, squeeze=False, figsize=(2.6 * len(ranges) + 1.2, 0.7 * len(parts) + 2.1)
        )
        for axis, (method, by_part) in zip(panels[0], ranges.items(), strict=True):
            if list(by_part) != parts:
                raise ValueError(f"{method} has the parts {', '.join(by_part)}, expected {', '.join(parts)}")
            for row, (part, by_name) in enumerate(by_part.items()):
                bounds = np.array([finite(pair, f"{method}, {part}, {n}", length=2) for n, pair in by_name.items()])
                if (bounds[:, 0] > bounds[:, 1]).any():
                    raise ValueError(f"{method}, {part}: a range goes from low to high, got {bounds.tolist()}")
                for place, (name, (low, high)) in enumerate(zip(by_name, bounds, strict=True)):
                    height = row + 0.26 * (place - (len(by_name) - 1) / 2)
                    axis.hlines(height, low, high, color=look[name].colour, linewidth=4)
                    axis.plot((low + high) / 2, height, marker=look[name].marker, color=look[name].colour)
                agree = bounds[:, 0].max() <= bounds[:, 1].min()
                words.append(
                    f"{method}, {part}: {bounds.min():.2f} to {bounds.max():.2f}, "
                    f"{'one accuracy fits all' if agree else 'no accuracy fits all'}"
                )
            axis.set_title(method, fontsize="medium")
            axis.locator_params(axis="x", nbins=3)
            axis.xaxis.set_major_formatter("{x:.2f}")
        panels[0, 0].set_yticks(range(len(parts)), parts)
        panels[0, 0].set_ylim(len(parts) - 0.4, -0.6)
        panels[0, len(ranges) // 2].set_xlabel("implied accuracy on all texts (%)")
        handles: list[Artist] = [
            Line2D([], [], color=look[n].colour, marker=look[n].marker, linewidth=4, label=n) for n in look
        ]
        legend_below(figure, handles, columns=len(look))
    return figure, f"Ranges of the accuracy on all texts that printed subgroup accuracies imply. {'; '.join(words)}."
