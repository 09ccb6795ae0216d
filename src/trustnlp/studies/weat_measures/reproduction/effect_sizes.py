"""Figures about effect sizes and p-values; each returns the figure and its alternative text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from trustnlp.plots.style import MARKERS, PALETTE, house_style


def differences(differences_by_column: Mapping[str, ArrayLike], rounding: float) -> tuple[Figure, str]:
    """Ours minus the paper's value, one strip of points per column of the paper's table.

    Parameters
    ----------
    differences_by_column
        Column label → differences of its cells; NaN where one of the two is missing.
    rounding
        Half a unit of the paper's last printed digit; drawn as a band.
    """
    with house_style():
        figure, axis = plt.subplots(figsize=(7.6, 4.4))
        axis.axhspan(-rounding, rounding, color=PALETTE["sky"], alpha=0.35, label="the paper's rounding")
        inside = total = 0
        for position, values in enumerate(differences_by_column.values()):
            cells = np.asarray(values, dtype=float)
            cells = cells[np.isfinite(cells)]
            within = np.abs(cells) <= rounding + 1e-9
            inside, total = inside + int(within.sum()), total + len(cells)
            for group, marker, colour in (
                (within, "o", PALETTE["blue"]),
                (~within, "x", PALETTE["vermilion"]),
            ):
                axis.plot(np.full(group.sum(), position), cells[group], linestyle="", marker=marker, color=colour)
        axis.set_xticks(range(len(differences_by_column)), list(differences_by_column), rotation=60, ha="right")
        axis.set_ylabel("ours − paper (effect size)")
        axis.set_yscale("symlog", linthresh=2 * rounding)
        axis.legend(loc="upper left")
    alt = (
        "Strip plot of our effect size minus the printed one, a strip for each of "
        f"{len(differences_by_column)} combinations of measure and statistic. {inside} of {total} cells lie within the "
        "band of the paper's rounding; the others are crosses."
    )
    return figure, alt


def intervals(
    labels: Sequence[str],
    estimates: ArrayLike,
    lows: ArrayLike,
    highs: ArrayLike,
    *,
    quantity: str,
    reference: float | None = None,
) -> tuple[Figure, str]:
    """Estimates with intervals, one row a label, and an optional reference line."""
    centre, low, high = (np.asarray(values, dtype=float) for values in (estimates, lows, highs))
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 0.42 * len(labels) + 1.2))
        rows = np.arange(len(labels))[::-1]
        axis.hlines(rows, low, high, color=PALETTE["blue"], linewidth=3, alpha=0.6)
        axis.plot(centre, rows, linestyle="", marker="o", color=PALETTE["blue"])
        if reference is not None:
            axis.axvline(reference, color=PALETTE["grey"], linestyle="--", linewidth=1.2)
        axis.set_yticks(rows, list(labels))
        axis.set_xlabel(quantity)
    parts = [f"{label} {c:.2f} ({a:.2f} to {b:.2f})" for label, c, a, b in zip(labels, centre, low, high, strict=True)]
    return figure, f"Dot plot with 95 % intervals of {quantity}: " + "; ".join(parts) + "."


def planted_and_recovered(planted: ArrayLike, recovered: Mapping[str, ArrayLike]) -> tuple[Figure, str]:
    """Recovered against planted effect sizes, one series a measure, with the line of perfect recovery."""
    x = np.asarray(planted, dtype=float)
    with house_style():
        figure, axis = plt.subplots(figsize=(5.6, 4.4))
        axis.plot(x, x, color=PALETTE["grey"], linestyle="--", marker="", label="perfect recovery")
        for (name, values), marker in zip(recovered.items(), MARKERS, strict=False):
            axis.plot(x, np.asarray(values, dtype=float), marker=marker, label=name)
        axis.set_xlabel("planted effect size (cosine, mean)")
        axis.set_ylabel("measured effect size")
        axis.legend()
    gaps = [f"{name} at most {np.abs(np.asarray(v, dtype=float) - x).max():.2f}" for name, v in recovered.items()]
    return (
        figure,
        "Measured against planted effect sizes; distance from the line of perfect recovery: " + ", ".join(gaps) + ".",
    )


def null_p_values(p_values: Mapping[str, ArrayLike]) -> tuple[Figure, str]:
    """Share of p-values at or below each level when there is nothing to find: a fair test follows the diagonal."""
    with house_style():
        figure, axis = plt.subplots(figsize=(5.6, 4.4))
        axis.plot([0, 1], [0, 1], color=PALETTE["grey"], linestyle="--", marker="", label="uniform")
        for name, values in p_values.items():
            sorted_p = np.sort(np.asarray(values, dtype=float))
            axis.step(sorted_p, np.arange(1, len(sorted_p) + 1) / len(sorted_p), where="post", marker="", label=name)
        axis.set_xlabel("level")
        axis.set_ylabel("share of tests with p at or below it")
        axis.legend()
    shares = [f"{name} {np.mean(np.asarray(v, dtype=float) <= 0.05):.3f}" for name, v in p_values.items()]
    return (
        figure,
        "Distribution of p-values without any bias, against the diagonal; share at or below .05: "
        + ", ".join(shares)
        + ".",
    )


def p_values_by_stars(p_values: ArrayLike, stars: ArrayLike, legend: Sequence[float]) -> tuple[Figure, str]:
    """Exact p-values against the number of stars the paper printed, with the levels of its legend.

    Parameters
    ----------
    p_values, stars
        One entry per cell of the paper's table, `(cells,)`; stars count from 0.
    legend
        The levels the paper's legend gives for one, two, … stars.
    """
    p, printed = np.asarray(p_values, dtype=float), np.asarray(stars, dtype=int)
    with house_style():
        figure, axis = plt.subplots(figsize=(6.8, 4.4))
        spread = np.random.default_rng(0).uniform(-0.22, 0.22, len(p))
        axis.plot(printed + spread, p, linestyle="", marker="o", color=PALETTE["blue"], alpha=0.6, markeredgewidth=0)
        for level in sorted(set(legend)):
            axis.axhline(level, color=PALETTE["vermilion"], linewidth=1, linestyle=":")
            axis.text(len(legend) + 0.45, level, f" {level:g}", va="center", color=PALETTE["vermilion"])
        axis.set_yscale("log")
        axis.set_xlabel("stars printed in the paper's table")
        axis.set_ylabel("our exact p-value")
        axis.set_xticks(range(len(legend) + 1), ["none", *("*" * n for n in range(1, len(legend) + 1))])
    spans = [
        f"{'no star' if n == 0 else f'{n} stars'} {p[printed == n].min():.1e} to {p[printed == n].max():.1e}"
        for n in range(len(legend) + 1)
        if (printed == n).any()
    ]
    return figure, "Our exact p-values on a logarithmic axis by the number of printed stars: " + "; ".join(spans) + "."


def counts(labels: Sequence[str], series: Mapping[str, ArrayLike], *, quantity: str) -> tuple[Figure, str]:
    """Grouped horizontal bars of counts, one group a label."""
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 0.62 * len(labels) + 1.6))
        height = 0.8 / len(series)
        base = np.arange(len(labels))[::-1]
        for number, (name, values) in enumerate(series.items()):
            heights = base + 0.4 - height * (number + 0.5)
            bars = axis.barh(
                heights,
                np.asarray(values, dtype=float),
                height * 0.92,
                label=name,
                color=list(PALETTE.values())[number],
            )
            axis.bar_label(bars, fmt="%g", padding=3)
        axis.set_yticks(base, list(labels))
        axis.set_xlabel(quantity)
        axis.legend(loc="lower right")
        axis.grid(axis="y", visible=False)
    parts = [
        f"{label}: " + ", ".join(f"{name} {np.asarray(v)[i]:g}" for name, v in series.items())
        for i, label in enumerate(labels)
    ]
    return figure, f"Bars of {quantity}. " + "; ".join(parts) + "."
