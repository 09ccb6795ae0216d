"""Figure and table of the bias probes: probe words among neutral ones, and accuracies beside base rates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from trustnlp.plots.style import PALETTE, house_style


def beside_placebos(numbers: Mapping[str, Any], control: str) -> tuple[Figure, str]:
    """Mean differences of probe words and placebos with their intervals over seeds, largest on top."""
    probes = sorted(key.split(".")[1] for key in numbers if key.startswith("set.") and key.endswith(".p_value"))
    rows = [(key.removeprefix("placebo."), number) for key, number in numbers.items() if key.startswith("placebo.")]
    rows.sort(key=lambda row: row[1]["mean"])
    with house_style():
        figure, axes = plt.subplots(figsize=(6.4, 0.9 + 0.17 * len(rows)))
        for at, (word, number) in enumerate(rows):
            colour = PALETTE["vermilion"] if word in probes else PALETTE["blue"]
            if number["low"] is not None:
                axes.plot([number["low"], number["high"]], [at, at], color=colour, linewidth=1)
            axes.plot(number["mean"], at, "D" if word in probes else "o", color=colour, markersize=4)
        axes.axvline(0, linewidth=0.8, color="0.5")
        axes.set_yticks(range(len(rows)), [word for word, _ in rows], fontsize=7)
        axes.set_xlabel(f"“{control}” positive more often, in points")
    above = [word for word, _ in rows[::-1][: len(probes)]]
    alt = (
        f"{len(rows)} words in order of how much more often the control word is positive. The highest are "
        f"{', '.join(above)}; the paper's probe words are {', '.join(probes)}."
    )
    return figure, alt


def table6(numbers: Mapping[str, Any]) -> pd.DataFrame:
    """Accuracies of the hundred surest claims in per cent, each beside its base rate; means over seeds."""
    titles = {"control": "with the control word", "probe": "with the probe word", "joint": "both"}
    words = sorted({key.split(".")[1] for key in numbers if key.startswith("top.")})
    cells: dict[str, dict[str, float]] = {}
    for word in words:
        for half, title in titles.items():
            for suffix, kind in (("", ""), ("_base", ", base rate")):
                key = f"top.{word}.{half}{suffix}"
                cells.setdefault(word, {})[title + kind] = numbers[key]["mean"] if key in numbers else np.nan
    return pd.DataFrame(cells).T.round(1)
