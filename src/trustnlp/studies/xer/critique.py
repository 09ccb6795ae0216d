"""The scores behind the clusterings: how those of true pairs and of others lie."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from trustnlp.plots.series import spell_out_ticks
from trustnlp.plots.style import house_style


def histograms(counted: Mapping[str, Any]) -> tuple[Figure, str]:
    """Scores of pairs of one entity and of others, in 80 steps from −2 to 2, a panel a set, on a logarithmic axis.

    Parameters
    ----------
    counted
        `histogram.SET` → counts of both kinds; other names are passed over.
    """
    sets = {key.removeprefix("histogram."): both for key, both in counted.items() if key.startswith("histogram.")}
    with house_style():
        figure, axes = plt.subplots(2, 2, figsize=(7.2, 5.6), sharex=True)
        said = []
        for axis, (name, both) in zip(axes.flat, sets.items(), strict=False):
            for label, counts in zip(("same entity", "others"), both, strict=True):
                axis.stairs(counts, np.linspace(-2, 2, 81), label=label, fill=label == "others", alpha=0.7)
                said.append(f"{name}, {label}: {sum(counts[40:])} of {sum(counts)} above 0")
            axis.set(title=name, yscale="log", xlabel="score", ylabel="pairs")
            spell_out_ticks(axis.yaxis, [10.0**power for power in range(0, 8, 2)])
        axes[0, 0].legend()
    return figure, f"Histograms of scores, numbers of pairs on a logarithmic axis. {'. '.join(said)}."
