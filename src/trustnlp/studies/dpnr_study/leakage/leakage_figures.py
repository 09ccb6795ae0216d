"""The figure of the leak of word2vec (study of DPNR, §1.2): what each way of attack recovers."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from trustnlp.evaluation.intervals import t_interval
from trustnlp.plots.series import Floats64, finite, legend_below
from trustnlp.plots.style import PALETTE, house_style


def recovery_by_way(
    recovered: Mapping[str, Mapping[str, ArrayLike]],
    *,
    ceiling: Mapping[str, float],
    printed: Mapping[str, Mapping[str, float]] | None = None,
) -> tuple[Figure, str]:
    """Share of private words recovered by each way of attack, one panel a case: means with 95 % t intervals.

    Parameters
    ----------
    recovered
        Case → way → `(seeds,)` shares. A single value gets no interval.
    ceiling
        Case → share of private words that the attacker knows at all.
    printed
        Case → way → the report's value, hollow.

    Raises
    ------
    ValueError
        No case, no way, a value that is not finite, a case without ceiling, or a printed value for what is not shown.
    """
    if not recovered or not all(recovered.values()):
        raise ValueError("no recovery to show: give each case at least one way of attack")
    if set(ceiling) != set(recovered):
        raise ValueError(f"expected a ceiling for each of {', '.join(recovered)}; got {', '.join(ceiling) or 'none'}")
    for case, shown in (printed or {}).items():
        if unknown := set(shown) - set(recovered.get(case, ())):
            raise ValueError(f"printed values of {case} without measurements: {', '.join(sorted(unknown))}")
    sizes = [len(ways) for ways in recovered.values()]
    parts = []
    with house_style():
        figure, panels = plt.subplots(
            len(sizes), 1, sharex=True, squeeze=False, figsize=(7.2, 0.27 * sum(sizes) + 0.5 * len(sizes) + 0.9),
            height_ratios=sizes,
        )  # fmt: skip
        for axis, (case, ways) in zip(panels[:, 0], recovered.items(), strict=True):
            said = []
            for row, (way, values) in enumerate(ways.items()):
                sample = 100 * finite(values, f"{case}, {way}")
                mean, ends = sample.mean(), _interval(sample)
                axis.hlines(row, *ends, color=PALETTE["blue"], linewidth=3, alpha=0.5)
                axis.plot(mean, row, linestyle="", marker="o", color=PALETTE["blue"], clip_on=False)
                said.append(f"{way} {mean:.1f} %" + ("" if len(sample) == 1 else f" ({ends[0]:.1f} to {ends[1]:.1f})"))
                if printed and way in printed.get(case, {}):
                    value = 100 * float(finite([printed[case][way]], f"printed, {case}")[0])
                    axis.plot(value, row, linestyle="", marker="D", color="black", markerfacecolor="white", zorder=3)
                    said[-1] += f", report {value:g} %"
            top = 100 * float(finite([ceiling[case]], f"ceiling of {case}")[0])
            axis.axvline(top, color=PALETTE["grey"], linestyle="--", linewidth=1.5)
            axis.set_yticks(range(len(ways)), list(ways))
            axis.set_ylim(len(ways) - 0.45, -0.55)
            axis.grid(axis="y", visible=False)
            axis.set_title(case, fontsize="medium", fontweight="bold")
            parts.append(f"{case}: {'; '.join(said)}; known to the attacker {top:.1f} %.")
        panels[-1, 0].set_xlim(0, 102)
        panels[-1, 0].set_xlabel("private words recovered (%)")
        handles = [
            Line2D([], [], linestyle="", color=PALETTE["blue"], marker="o", label="ours"),
            Line2D([], [], color=PALETTE["grey"], linestyle="--", label="words that the attacker knows at all"),
        ]
        if printed:
            handles.insert(
                1, Line2D([], [], linestyle="", marker="D", color="black", markerfacecolor="white", label="the report")
            )
        legend_below(figure, handles, columns=3)
    return (
        figure,
        "Dot plots of the share of private words recovered, mean over seeds with 95 % intervals. " + " ".join(parts),
    )


def _interval(sample: Floats64) -> tuple[float, float]:
    low, high = t_interval(sample) if len(sample) > 1 else (sample[0], sample[0])
    return float(low), float(high)
