"""Tables and a figure of what carries over, from a record: strongest slices, shared effects, areas by kind of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from trustnlp.error_analysis.error_slices import SliceTests
from trustnlp.plots.series import legend_below, looks
from trustnlp.plots.style import PALETTE, house_style

# Kind of text → how it is called. On the last, disagreement with MiniLM takes the place of an error.
TEXTS = {
    "tweets": "tweets to airlines, balanced",
    "same_domain": "SST, dev and test",
    "imdb": "IMDB reviews",
    "emoji": "tweets with an emoji: disagreement",
}
_RANKINGS = {"auc": "AEC", "uncertainty": "least confidence"}


def slice_rows(tests: SliceTests, count: int) -> list[dict[str, Any]]:
    """The strongest slices that no stronger one explains, for a record: what texts have, how many, how many errors."""
    return [
        {
            "texts that have": each.name,
            "group": each.group,
            "texts": each.support,
            "errors, %": 100 * each.rate,
            "from": 100 * each.low,
            "to": 100 * each.high,
            "elsewhere, %": 100 * (each.rate - each.effect),
        }
        for each in tests.causes[:count]
    ]


def effect_table(effects: Mapping[str, Mapping[str, Sequence[float]]], count: int) -> pd.DataFrame:
    """The features with the largest effects on the first base, and what they do to the second, in points.

    Parameters
    ----------
    effects
        Seed → feature → its effects on the two bases. Means are over seeds, of features that every seed could test.
    """
    rows = list(effects.values())
    names = [name for name in rows[0] if all(name in row for row in rows)]
    means = {name: np.mean([row[name] for row in rows], axis=0) for name in names}
    table = pd.DataFrame.from_dict(means, orient="index", columns=["CNN", "MiniLM"]).rename_axis("feature")
    return table.loc[table["CNN"].abs().sort_values(ascending=False, kind="stable").index[:count]]


def areas_by_text(numbers: Mapping[str, Any]) -> tuple[Figure, str]:
    """How well AEC and uncertainty rank errors, by kind of text: means over seeds with 95 % intervals."""
    look, said = looks(_RANKINGS.values()), []
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 0.62 * len(TEXTS) + 1.5))
        for place, (key, text) in enumerate(reversed(TEXTS.items())):
            words = []
            for shift, (ranking, name) in zip((0.12, -0.12), _RANKINGS.items(), strict=True):
                metric = numbers[f"{key}.{ranking}_above_half"]
                mean, low, high = (metric[end] for end in ("mean", "low", "high"))
                ends = (mean, mean) if low is None else (low, high)
                axis.hlines(place + shift, *ends, color=look[name].colour, linewidth=3, alpha=0.5)
                axis.plot([mean], [place + shift], color=look[name].colour, marker=look[name].marker, linestyle="")
                words.append(f"{name} {mean:.1f}" + ("" if low is None else f" ({low:.1f} to {high:.1f})"))
            said.append(f"{text}: {', '.join(words)}")
        axis.axvline(0, color=PALETTE["grey"], linestyle="--", linewidth=1.2)
        axis.set_yticks(range(len(TEXTS)), list(reversed(TEXTS.values())))
        axis.set_xlabel("area under the ROC curve above chance, points")
        handles = [
            Line2D([], [], color=each.colour, marker=each.marker, linestyle="", label=name)
            for name, each in look.items()
        ]
        legend_below(figure, handles, columns=2)
    return figure, (
        "Dot plot of the area under the ROC curve above one half, in points, mean over seeds with 95 % intervals. "
        f"{'; '.join(reversed(said))}. The dashed line is chance."
    )
