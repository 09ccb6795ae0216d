"""One representation before noise and as each variant releases it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from trustnlp.plots.series import legend_below, looks, number
from trustnlp.plots.style import house_style


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
    """
    vector = np.asarray(clean)
    order = np.argsort(vector, kind="stable")
    look, parts = looks(released), []
    with house_style():
        figure, panels = plt.subplots(
            len(released), sharex=True, squeeze=False, figsize=(7.2, 1.75 * len(released) + 1)
        )
        for axis, (name, values) in zip(panels[:, 0], released.items(), strict=True):
            noisy = np.asarray(values)
            style = {"marker": look[name].marker, "color": look[name].colour, "markersize": 3, "alpha": 0.8}
            axis.plot(noisy[order], linestyle="", label="released", **style)
            axis.plot(vector[order], color="black", marker="", linewidth=2, label="without noise")
            axis.set_title(name, fontsize="medium")
            correlation = np.corrcoef(noisy, vector)[0, 1]
            parts.append(
                f"{name}: released values from {number(noisy.min())} to {number(noisy.max())}, "
                f"correlation with the clean ones {number(correlation)}"
            )
        panels[-1, 0].set_xlabel("coordinate, in the order of the values without noise")
        figure.supylabel("value", fontsize="medium")
        legend_below(figure, panels[0, 0].lines, columns=2)
    low, high = number(vector.min()), number(vector.max())
    return figure, (
        f"One representation of {len(vector)} coordinates, from {low} to {high} without noise, "
        f"and its releases. {'; '.join(parts)}."
    )
