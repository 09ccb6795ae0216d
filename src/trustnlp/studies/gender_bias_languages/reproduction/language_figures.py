"""A map of signed scores, for the figures that no single metric makes."""

from __future__ import annotations

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from trustnlp.plots.style import house_style


def score_map(scores: pd.DataFrame, quantity: str) -> tuple[Figure, str]:
    """Scores coloured by sign and size, white where there is none, and the figure's alternative text.

    Raises
    ------
    ValueError
        There is no score.
    """
    if scores.isna().all(axis=None):
        raise ValueError("a map needs a score")
    limit = float(scores.abs().max(axis=None))
    with house_style():
        figure, axis = plt.subplots(figsize=(0.62 * scores.shape[1] + 3, 0.24 * len(scores) + 1.6))
        axis.grid(visible=False)
        colours = plt.get_cmap("PuOr_r").with_extremes(bad="white")
        drawn = axis.imshow(scores.to_numpy(), vmin=-limit, vmax=limit, cmap=colours, aspect="auto")
        axis.set_xticks(range(scores.shape[1]), scores.columns, rotation=45, ha="right")
        axis.set_yticks(range(len(scores)), scores.index, fontsize=8)
        figure.colorbar(drawn, label=quantity)
    above = [f"{name} {(own > 0).sum()} of {own.count()}" for name, own in scores.items()]
    return figure, f"Map of {quantity} for {len(scores)} rows. Above zero: {', '.join(above)}."
