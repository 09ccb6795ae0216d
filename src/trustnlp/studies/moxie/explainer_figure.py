"""Table and figure of the explainers: how faithful each is, over what a sentence costs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from trustnlp.plots.style import PALETTE, house_style
from trustnlp.studies.moxie.explainers import METHODS

_TITLES = {
    "deletion": "deletion (small)",
    "insertion": "insertion (large)",
    "occlusion": "with occlusion (large)",
    "infidelity": "infidelity, scaled (small)",
    "cost.passes": "passes",
    "cost.seconds": "seconds",
}


def table(numbers: Mapping[str, Any]) -> pd.DataFrame:
    """One row for each explainer: means over seeds, with half of the interval's width."""
    return pd.DataFrame(
        {
            label: {title: _cell(numbers[f"{measure}.{name}"]) for measure, title in _TITLES.items()}
            for name, label in METHODS.items()
            if f"deletion.{name}" in numbers
        }
    ).T


def cost_and_agreement(numbers: Mapping[str, Any]) -> tuple[Figure, str]:
    """Rank correlation with exact occlusion over the passes of a sentence, one marker for each explainer."""
    names = [name for name in METHODS if f"occlusion.{name}" in numbers]
    with house_style():
        figure, axes = plt.subplots(figsize=(6.4, 4.2))
        stacked: Counter[tuple[float, float]] = Counter()
        for name in names:
            agreement, passes = numbers[f"occlusion.{name}"], max(numbers[f"cost.passes.{name}"]["mean"], 1.0)
            colour = PALETTE["vermilion"] if METHODS[name].startswith("MOXIE") else PALETTE["blue"]
            if agreement["low"] is not None:
                axes.plot([passes, passes], [agreement["low"], agreement["high"]], color=colour, linewidth=1)
            axes.plot(passes, agreement["mean"], "D" if METHODS[name].startswith("MOXIE") else "o", color=colour)
            # Names of explainers in one place stand under each other.
            place = (round(math.log10(passes), 1), round(agreement["mean"], 1))
            axes.annotate(
                METHODS[name],
                (passes, agreement["mean"]),
                xytext=(7, 3 - 10 * stacked[place]),
                textcoords="offset points",
                fontsize=8,
            )
            stacked[place] += 1
        axes.set_xscale("log")
        axes.margins(x=0.25, y=0.12)
        axes.set_xlabel("forward passes of the classifier for a sentence")
        axes.set_ylabel("rank correlation with exact occlusion")
    said = ", ".join(f"{METHODS[name]} {numbers[f'occlusion.{name}']['mean']:.2f}" for name in names)
    return (
        figure,
        f"Rank correlation of {len(names)} explainers with exact occlusion over the passes of a sentence: {said}.",
    )


def _cell(number: Mapping[str, Any]) -> str:
    if number["low"] is None or number["low"] == number["high"]:
        return f"{number['mean']:.3g}"
    return f"{number['mean']:.3g} ± {(number['high'] - number['low']) / 2:.2g}"
