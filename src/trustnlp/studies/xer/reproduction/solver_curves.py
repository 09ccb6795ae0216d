"""How long solvers take: by threshold, by size, and by the noise in the scores.

Times are skewed and may be cut off at a limit, so the figures show medians with whiskers from the least to the most
that was measured, and no interval of the mean.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator
from numpy.typing import ArrayLike

from trustnlp.plots.series import Floats64, Look, finite, hollow, legend_below, looks, number, spell_out_ticks
from trustnlp.plots.style import PALETTE, house_style

_ARROW = r"$\uparrow$"


def seconds_by_threshold(
    seconds: Mapping[str, Mapping[float, ArrayLike]],
    *,
    paper: Mapping[str, Mapping[float, float]] | None = None,
    limit: float | None = None,
    unfinished: Mapping[str, Mapping[float, int]] | None = None,
) -> tuple[Figure, str]:
    """Seconds over the blocking threshold T, tight thresholds (many edges) at the left (Vadrevu et al. 2021, Table 6).

    Medians over seeds on a logarithmic axis, whiskers from the least to the most. Runs that did not finish count as
    longer than every other: where they are so many that the median is one of them, the line ends at the time limit. An
    arrow there says how many of all runs did not finish.

    Parameters
    ----------
    seconds
        Solver → T → `(seeds,)` seconds of the runs that finished; empty where none did.
    paper
        Solver → T → printed seconds, drawn hollow.
    limit
        Seconds after which a run was stopped.
    unfinished
        Solver → T → runs that did not finish, beside those of `seconds`.

    Raises
    ------
    ValueError
        No solver or threshold, seconds that are not finite and above 0, or runs that did not finish without a limit, of
        an unknown solver or fewer than 0.
    """
    paper, unfinished = paper or {}, unfinished or {}
    look = looks([*seconds, *paper])
    _check_unfinished(seconds, unfinished, limit)
    ceiling = math.inf if limit is None else limit
    spots = finite(sorted({t for by in [*seconds.values(), *paper.values(), *unfinished.values()] for t in by}), "T")
    parts: list[str] = []
    stops: dict[float, list[tuple[str, str]]] = {}
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 4.8))
        axis.set_yscale("log")
        for place, (name, shape) in enumerate(look.items()):
            aside = _aside(spots, place, len(look))
            printed = dict(sorted(paper.get(name, {}).items()))
            if printed:
                values = finite(list(printed.values()), f"printed seconds of {name}", above=0)
                axis.plot(np.array(list(printed)) + aside, values, linestyle="", marker=shape.marker, markersize=9,
                          color=shape.colour, markerfacecolor="white", markeredgewidth=1.6, zorder=1.9)  # fmt: skip
            stopped = unfinished.get(name, {})
            samples = {
                t: _with_unfinished(seconds[name].get(t, ()), stopped.get(t, 0), f"seconds of {name} at T = {t:g}")
                for t in sorted({*seconds.get(name, {}), *stopped})
            }
            _draw(axis, samples, shape, aside, ceiling)
            for t, sample in samples.items():
                if count := int(np.isinf(sample).sum()):
                    stops.setdefault(t, []).append((shape.colour, f"{count}/{len(sample)}"))
            words = [f"{_runs(samples.get(t), printed.get(t))} at T = {t:g}" for t in sorted({*samples, *printed})]
            parts.append(f"{name}: {'; '.join(words)}")
        handles = _handles(look, seconds, paper)
        if limit is not None:
            label = f"limit {number(limit)} s"
            handles.append(axis.axhline(limit, color=PALETTE["grey"], linestyle="--", linewidth=1.4, label=label))
        if stops:
            _draw_stops(axis, stops, ceiling)
            handles.append(
                Line2D([], [], linestyle="", marker=_ARROW, markersize=11, color="black", label="stopped runs")
            )
        _log_ticks(axis)
        axis.set_xticks(spots, [f"{t:g}" for t in spots])
        axis.set_xlabel("threshold T (tight at the left)")
        axis.set_ylabel("seconds")
        legend_below(figure, handles, columns=3)
    stopping = "" if limit is None else f" Runs were stopped after {number(limit)} seconds."
    start = "Line chart of seconds on a logarithmic axis over the threshold T, medians with least and most."
    return figure, f"{start} {'. '.join(parts)}.{stopping}"


def seconds_by_nodes(
    nodes: ArrayLike, seconds: ArrayLike, peak_gigabytes: ArrayLike | None = None, limit_seconds: float | None = None
) -> tuple[Figure, str]:
    """How seconds, and memory in a second panel, grow with the graph; beside them growth in proportion.

    Parameters
    ----------
    nodes, seconds, peak_gigabytes
        `(n,)` each; both axes are logarithmic.
    limit_seconds
        Where to draw a line across the seconds, such as what a chapter may take.

    Raises
    ------
    ValueError
        Nodes that do not ascend, or numbers that are not finite and above 0 or not as many as nodes.
    """
    size = finite(nodes, "nodes", above=0)
    if (np.diff(size) <= 0).any():
        raise ValueError(f"nodes must ascend, got {size.tolist()}")
    panels = {"seconds": finite(seconds, "seconds", length=len(size), above=0)}
    if peak_gigabytes is not None:
        panels["peak gigabytes"] = finite(peak_gigabytes, "peak_gigabytes", length=len(size), above=0)
    look = looks(panels)
    parts = []
    with house_style():
        figure, axes = plt.subplots(1, len(panels), figsize=(7.2, 3.9), squeeze=False)
        handles: list[Artist] = []
        limits: list[Artist] = []
        for axis, (quantity, values) in zip(axes[0], panels.items(), strict=True):
            shape = look[quantity]
            in_proportion = values[0] * size / size[0]
            handles += axis.plot(size, values, color=shape.colour, marker=shape.marker, label=quantity)
            (line,) = axis.plot(
                size, in_proportion, color=PALETTE["grey"], linestyle=":", marker="", label="in proportion to nodes"
            )
            if quantity == "seconds" and limit_seconds is not None:
                (limit,) = finite([limit_seconds], "limit_seconds", above=0)
                label = f"limit {number(limit)} s"
                limits.append(axis.axhline(limit, color="black", linestyle="--", linewidth=1.4, label=label))
            axis.set_xscale("log")
            axis.set_yscale("log")
            _log_ticks(axis)
            ticks = _decades(size[0], size[-1]) or sorted({size[0], size[-1]})
            axis.set_xticks(ticks, [f"{tick:,.0f}" for tick in ticks], fontsize=9)
            axis.xaxis.set_minor_locator(NullLocator())
            axis.set_xlabel("nodes")
            axis.set_ylabel(quantity)
            parts.append(
                f"{quantity} from {number(values[0])} to {number(values[-1])}, "
                f"{number(values[-1] / in_proportion[-1])} times what growth in proportion to the nodes would give"
            )
        legend_below(figure, [*handles, line, *limits], columns=2)
    parts += [] if limit_seconds is None else [f"limit {number(limit_seconds)} seconds"]
    return figure, f"Line chart on logarithmic axes from {size[0]:,.0f} to {size[-1]:,.0f} nodes: {'; '.join(parts)}."


def gap_by_noise(
    panels: Mapping[str, Mapping[str, Mapping[float, ArrayLike]]],
    *,
    over: str = "standard deviation of the scores",
    log: Collection[str] = (),
) -> tuple[Figure, str]:
    """What noise costs a solver: one quantity a panel (share proven, seconds, splits), medians, least and most.

    Parameters
    ----------
    panels
        Quantity → series → noise → `(seeds,)` values. A series looks alike in all panels.
    over
        What the x axis shows, in words.
    log
        Quantities whose axis is logarithmic.

    Raises
    ------
    ValueError
        No panel or series, a value that is not finite, one that is not above 0 on a logarithmic axis, or a quantity in
        `log` that has no panel.
    """
    if not panels:
        raise ValueError("no panels: give at least one quantity with one series")
    if unknown := set(log) - set(panels):
        raise ValueError(f"log names no panel: {', '.join(sorted(unknown))}; there are {', '.join(panels)}")
    look = looks(name for series in panels.values() for name in series)
    spots = finite(sorted({x for by in panels.values() for points in by.values() for x in points}), over)
    parts = []
    with house_style():
        size = (7.2, 2.1 * len(panels) + 1.0)
        figure, axes = plt.subplots(len(panels), 1, figsize=size, sharex=True, squeeze=False)
        for axis, (quantity, series) in zip(axes[:, 0], panels.items(), strict=True):
            if not series:
                raise ValueError(f"the panel {quantity!r} has no series")
            lowest = 0 if quantity in log else None
            words = []
            for place, (name, shape) in enumerate(look.items()):
                if name not in series:
                    continue
                finite(list(series[name]), f"{over}, {quantity} of {name}")
                samples = {
                    x: finite(series[name][x], f"{quantity} of {name} at {x:g}", above=lowest)
                    for x in sorted(series[name])
                }
                _draw(axis, samples, shape, _aside(spots, place, len(look)))
                ends = [f"{_runs(sample)} at {x:g}" for x, sample in samples.items()]
                words.append(f"{name} {' to '.join(dict.fromkeys([ends[0], ends[-1]]))}")
            if quantity in log:
                axis.set_yscale("log")
                _log_ticks(axis)
            axis.set_title(quantity, fontsize="medium")
            parts.append(f"{quantity}: {'; '.join(words)}")
        axes[-1, 0].set_xticks(spots, [f"{x:g}" for x in spots])
        axes[-1, 0].set_xlabel(over)
        legend_below(figure, _handles(look, look, {}), columns=3)
    return figure, f"Line charts over the {over}, medians with least and most. {'. '.join(parts)}."


def _check_unfinished(
    seconds: Mapping[str, Mapping[float, ArrayLike]], unfinished: Mapping[str, Mapping[float, int]], limit: float | None
) -> None:
    if unknown := set(unfinished) - set(seconds):
        raise ValueError(f"runs that did not finish, of no solver in seconds: {', '.join(sorted(unknown))}")
    counts = [count for by in unfinished.values() for count in by.values()]
    if any(count < 0 for count in counts):
        raise ValueError(f"a number of runs that did not finish is not negative, got {min(counts)}")
    if any(counts) and limit is None:
        raise ValueError("runs that did not finish are drawn at the time limit; give it as limit")
    if limit is not None:
        finite([limit], "limit", above=0)


def _with_unfinished(finished: ArrayLike, stopped: int, what: str) -> Floats64:
    """Seconds of all runs, infinite for those that were stopped."""
    none = stopped > 0 and np.size(finished) == 0
    known = np.empty(0) if none else finite(finished, what, above=0)
    return np.concatenate([known, np.full(stopped, np.inf)])


def _draw(axis: Axes, samples: Mapping[float, Floats64], shape: Look, aside: float, ceiling: float = math.inf) -> None:
    """Medians with whiskers; infinite values stand at the ceiling, and have no marker."""
    if not samples:
        return
    x = np.array(list(samples)) + aside
    values = np.array([(np.min(sample), np.median(sample), np.max(sample)) for sample in samples.values()])
    known = np.isfinite(values[:, 1])
    low, middle, high = np.where(np.isinf(values), ceiling, values).T
    axis.vlines(x, low, high, color=shape.colour, linewidth=2.2, alpha=0.5)
    axis.plot(x, middle, color=shape.colour, marker=shape.marker, markevery=np.flatnonzero(known).tolist())


def _draw_stops(axis: Axes, stops: Mapping[float, list[tuple[str, str]]], limit: float) -> None:
    """Above the limit, an arrow in the colour of each solver whose runs were stopped, and how many of all they are."""
    low, high = axis.get_ylim()
    share = 0.055 * max(len(listed) for listed in stops.values())  # of the height of the axis, for their rows
    axis.set_ylim(low, max(high, limit * (limit / low) ** (share / (1 - share))))
    for t, listed in stops.items():
        for row, (colour, words) in enumerate(listed):
            spot, aside = (t, limit), (0, 9 + 12 * row)
            axis.annotate(
                _ARROW, spot, aside, textcoords="offset points", va="center", ha="right", fontsize=14, color=colour
            )
            axis.annotate(words, spot, aside, textcoords="offset points", va="center", fontsize=9)


def _aside(spots: Floats64, place: int, count: int) -> float:
    """How far a series is moved sideways, so that its whiskers do not hide another's."""
    closest = np.diff(spots).min() if len(spots) > 1 else 1.0
    return float(0.12 * closest * (place - (count - 1) / 2))


def _handles(look: Mapping[str, Look], ours: Iterable[str], paper: Mapping[str, object]) -> list[Artist]:
    handles: list[Artist] = [
        Line2D([], [], color=look[name].colour, marker=look[name].marker, label=name) for name in ours
    ]
    handles += [hollow(look[n].marker, look[n].colour, f"{n}, paper") for n in paper if n not in set(ours)]
    return [*handles, hollow("o", "black", "paper")] if set(paper) & set(ours) else handles


def _runs(sample: Floats64 | None, printed: float | None = None) -> str:
    """Median, least and most in words, how many runs were stopped, and what the paper prints."""
    said = []
    if sample is not None:
        finished, middle = sample[np.isfinite(sample)], float(np.median(sample))
        if stopped := len(sample) - len(finished):
            said.append(f"{stopped} of {len(sample)} runs stopped")
            said += [f"median {number(middle)}"] if math.isfinite(middle) else []
            said += [f"quickest {number(finished.min())}"] if len(finished) else []
        else:
            low, high = finished.min(), finished.max()
            said.append(f"{number(middle)} ({number(low)} to {number(high)})" if high > low else number(middle))
    said += [] if printed is None else [f"paper {number(printed)}"]
    return ", ".join(said)


def _decades(low: float, high: float) -> Sequence[float] | None:
    """Powers of ten as ticks where the axis spans many; else None, for ticks between them too."""
    if high / low < 100:
        return None
    return [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]


def _log_ticks(axis: Axes) -> None:
    spell_out_ticks(axis.yaxis, _decades(*axis.get_ylim()))
