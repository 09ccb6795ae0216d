"""Figures about analogies by vector offset; each returns the figure and its alternative text."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from trustnlp.plots.style import PALETTE, house_style


def answers(ranked: Sequence[tuple[str, float]], question: Collection[str]) -> tuple[Figure, str]:
    """The best answers to an analogy with their cosines; words of the question are hatched.

    Parameters
    ----------
    ranked
        (word, cosine), best first, with no word passed over.
    question
        The three words of the question.
    """
    words = [word for word, _ in ranked]
    with house_style():
        figure, axis = plt.subplots(figsize=(6.4, 0.45 * len(ranked) + 1.2))
        for row, (word, cosine) in enumerate(ranked):
            asked = word in question
            colour, hatch = (PALETTE["grey"], "//") if asked else (PALETTE["blue"], None)
            axis.barh(-row, cosine, color=colour, hatch=hatch, edgecolor="white", height=0.7)
        axis.set_yticks([-row for row in range(len(words))], words)
        axis.set_xlabel("cosine with the point of the offset")
        axis.grid(axis="y", visible=False)
    listed = ", ".join(f"{word} {cosine:.2f}" + (" (asked)" if word in question else "") for word, cosine in ranked)
    return figure, f"Bar chart of the words nearest to the point of the offset, by cosine: {listed}."


def share_by_length(lengths: ArrayLike, shares: Mapping[str, Sequence[float]]) -> tuple[Figure, str]:
    """Share of planted pairs answered against the length of their common offset, one line per method."""
    x = np.asarray(lengths, dtype=float)
    with house_style():
        figure, axis = plt.subplots()
        for name, values in shares.items():
            axis.plot(x, values, label=name)
        axis.set_xlabel("length of the offset (a word's length = 1)")
        axis.set_ylabel("share of pairs answered")
        axis.set_ylim(-0.03, 1.03)
        axis.legend()
    ends = "; ".join(f"{name} from {values[0]:.2f} to {values[-1]:.2f}" for name, values in shares.items())
    return figure, f"Line chart of the share of pairs answered as the offset grows from {x[0]:g} to {x[-1]:g}: {ends}."
