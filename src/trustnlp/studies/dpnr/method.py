"""One representation before noise and as each variant releases it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from trustnlp.plots.series import finite, legend_below, looks, number
from trustnlp.plots.style import PALETTE, house_style


def before_and_after(clean: ArrayLike, released: Mapping[str, ArrayLike]) -> tuple[Figure, str]:
    """One scaled representation before noise (line) and as each variant releases it (dots), one panel a variant.

    Coordinates stand in the order of their clean values, so that a shift by one number shows as a curve of the same
    shape. Every panel has its own vertical axis.

    Parameters
    ----------
    clean
        `(k,)` the representation without noise.
    released
        Variant → `(k,)` what leaves the device.

    Raises
    ------
    ValueError
        If there is no variant, another number of coordinates, or a value that is not finite.
    """
    vector = finite(clean, "clean representation")
    order, place = np.argsort(vector, kind="stable"), np.arange(len(vector))
    look = looks(released)
    parts = []
    with house_style():
        figure, panels = plt.subplots(
            len(released), 1, sharex=True, squeeze=False, figsize=(7.2, 1.75 * len(released) + 1.0)
        )
        for axis, (name, values) in zip(panels[:, 0], released.items(), strict=True):
            noisy = finite(values, f"released, {name}", length=len(vector))
            axis.plot(place, noisy[order], linestyle="", marker=look[name].marker, markersize=3,
                      color=look[name].colour, alpha=0.8)  # fmt: skip
            axis.plot(place, vector[order], color="black", marker="", linewidth=2)
            axis.set_title(name, fontsize="medium")
            correlation = np.corrcoef(noisy, vector)[0, 1]
            parts.append(
                f"{name}: released values from {number(noisy.min())} to {number(noisy.max())}, "
                f"correlation with the clean ones {number(correlation)}"
            )
        panels[-1, 0].set_xlabel("coordinate, in the order of the values without noise")
        figure.supylabel("value", fontsize="medium")
        handles: list[Artist] = [
            Line2D([], [], color="black", marker="", linewidth=2, label="without noise"),
            Line2D([], [], linestyle="", marker="o", markersize=3, color=PALETTE["grey"], label="released"),
        ]
        legend_below(figure, handles, columns=2)
    low, high = number(vector.min()), number(vector.max())
    return figure, (
        f"One representation of {len(vector)} coordinates, from {low} to {high} without noise, "
        f"and its releases. {'; '.join(parts)}."
    )
