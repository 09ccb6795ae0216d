"""Table and figure of the explainers: how faithful each is, over what a sentence costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from trustnlp.plots.style import PALETTE, house_style
from trustnlp.studies.moxie.faithfulness.explainers import METHODS

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
        axes.set_xscale("log")
        axes.margins(x=0.25, y=0.12)
        labels = []
        for name in sorted(names, key=lambda name: -numbers[f"occlusion.{name}"]["mean"]):
            agreement, passes = numbers[f"occlusion.{name}"], max(numbers[f"cost.passes.{name}"]["mean"], 1.0)
            colour = PALETTE["vermilion"] if METHODS[name].startswith("MOXIE") else PALETTE["blue"]
            if agreement["low"] is not None:
                axes.plot([passes, passes], [agreement["low"], agreement["high"]], color=colour, linewidth=1, marker="")
            axes.plot(passes, agreement["mean"], "D" if METHODS[name].startswith("MOXIE") else "o", color=colour)
            beside = (passes, agreement["mean"])
            labels.append(axes.annotate(METHODS[name], beside, xytext=(7, -3), textcoords="offset points", fontsize=8))
        axes.set_xlabel("forward passes of the classifier for a sentence")
        axes.set_ylabel("rank correlation with exact occlusion")
        figure.draw_without_rendering()  # now the places of labels are known
        _move_apart(labels, figure.dpi)
    said = ", ".join(f"{METHODS[name]} {numbers[f'occlusion.{name}']['mean']:.2f}" for name in names)
    return (
        figure,
        f"Rank correlation of {len(names)} explainers with exact occlusion over the passes of a sentence: {said}.",
    )


def _move_apart(labels: Sequence[Annotation], dots_per_inch: float) -> None:
    """Move each label down until it covers none of those before it."""
    taken: list[Bbox] = []
    for label in labels:
        place = label.get_window_extent()
        if below := [other for other in taken if place.x0 < other.x1 and other.x0 < place.x1]:
            lowest = min(other.y0 for other in below)
            down = max(0.0, place.y1 - lowest + 1)  # a pixel between them
            across, up = label.xyann
            label.xyann = (across, up - 72 * down / dots_per_inch)
            place = place.translated(0, -down)
        taken.append(place)


def _cell(number: Mapping[str, Any]) -> str:
    if number["low"] is None or number["low"] == number["high"]:
        return _short(number["mean"], 3)
    return f"{_short(number['mean'], 3)} ± {_short((number['high'] - number['low']) / 2, 2)}"


def _short(value: float, digits: int) -> str:
    return f"{value:.0f}" if abs(value) >= 10 ** (digits - 1) else f"{value:.{digits}g}"
