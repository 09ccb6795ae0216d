"""Maps of representations in the plane, and how well two groups can be told apart on them.

Lyu, He and Li (2020), §4.6, Figure 4, compares such maps by eye. A map is drawn by t-SNE (van der Maaten and Hinton
2008), which keeps neighbourhoods and nothing else; so the number beside it is about neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors
from torch import Tensor

from trustnlp.plots.series import legend_below, looks
from trustnlp.plots.style import house_style


def tsne_map(vectors: Tensor, *, seed: int) -> NDArray[np.float64]:
    """Coordinates `(n, 2)` of vectors `(n, k)`, sklearn's t-SNE with its own settings, started from two components.

    Raises
    ------
    ValueError
        Fewer vectors than t-SNE's neighbourhoods hold (30).
    """
    if len(vectors) <= 30:
        raise ValueError(f"t-SNE needs more than 30 vectors, got {len(vectors)}")
    coordinates: NDArray[np.float64] = TSNE(init="pca", random_state=seed).fit_transform(vectors.cpu().numpy())
    return coordinates


def neighbour_agreement(coordinates: ArrayLike, groups: ArrayLike) -> float:
    """Share of points, in per cent, whose nearest other point `(n, 2)` is of the same group `(n,)`.

    Two groups of equal size that are mixed at random give one half.

    Raises
    ------
    ValueError
        Numbers of points and groups differ, or fewer than two points.
    """
    points, members = np.asarray(coordinates, dtype=np.float64), np.asarray(groups)
    if len(points) != len(members) or len(points) < 2:
        raise ValueError(f"{len(points)} points need as many groups, and at least two of each, got {len(members)}")
    nearest = NearestNeighbors(n_neighbors=1).fit(points).kneighbors(return_distance=False)[:, 0]
    return 100 * float(np.mean(members == members[nearest]))


def subgroup_maps(
    panels: Mapping[str, ArrayLike], groups: ArrayLike, names: tuple[str, str], *, separability: Mapping[str, float]
) -> tuple[Figure, str]:
    """Representations of the same texts in the plane, coloured by subgroup, one panel a model (Figure 4).

    A map such as t-SNE's can show mixing that is not there and hide mixing that is, so a panel carries a number.

    Parameters
    ----------
    panels
        Model → `(n, 2)` coordinates.
    groups
        `(n,)` of 0 and 1.
    names
        Of the subgroups 0 and 1.
    separability
        Model → how often neighbours on its map agree, in per cent.
    """
    member = np.asarray(groups)
    look = looks(names)
    with house_style():
        figure, axes = plt.subplots(1, len(panels), squeeze=False, figsize=(3.7 * len(panels), 4.2))
        for axis, (title, values) in zip(axes[0], panels.items(), strict=True):
            points = np.asarray(values)
            for group, name in enumerate(names):
                axis.plot(
                    *points[member == group].T, linestyle="", color=look[name].colour, marker=look[name].marker,
                    markersize=3, alpha=0.55, markeredgewidth=0, label=name,
                )  # fmt: skip
            axis.set_title(f"{title}\nneighbours agree: {separability[title]:.1f} %", fontsize="medium")
            axis.set_xticks([])
            axis.set_yticks([])
            axis.set_aspect("equal", adjustable="datalim")
        handles = [Line2D([], [], linestyle="", color=k.colour, marker=k.marker, label=n) for n, k in look.items()]
        legend_below(figure, handles, columns=2)
    counts = " and ".join(f"{int((member == g).sum()):,} {name}" for g, name in enumerate(names))
    told = "; ".join(f"{title}: {value:.1f} %" for title, value in separability.items())
    return figure, f"Maps of the representations of {counts} in the plane. Neighbours of one group: {told}."
