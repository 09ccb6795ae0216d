"""The ego network of an ambiguous word, drawn: colours are what is true of its neighbours, shapes what was found.

Pelevina et al. (2016), Figure 2, draw *table* so.
"""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import ArrayLike, NDArray

from trustnlp.graphs.ego_networks import EgoNetwork
from trustnlp.plots.series import hollow, legend_below
from trustnlp.plots.style import MARKERS, PALETTE, house_style

_COLOURS = ("blue", "orange")
_FAINT_PULL = 0.01  # between all pairs, the heaviest weight being 1; without it lone nodes leave the page


def ego_picture(
    network: EgoNetwork, groups: Sequence[str], truth: Sequence[str], clusters: ArrayLike, *, ego: str, seed: int = 0
) -> tuple[Figure, str]:
    """Nodes and edges of an ego network without its ego.

    Parameters
    ----------
    network
        `n` nodes. Pass some of the neighbours and few edges for each: hundreds hide each other.
    groups
        The two groups that get a colour; all others are grey.
    truth
        `(n,)` the group of each node.
    clusters
        `(n,)` the cluster of each node, from 0; each gets a shape.
    ego
        The word, for the alternative text.
    seed
        Of the layout.

    Raises
    ------
    ValueError
        Not two groups, not one group and one cluster for each node, no node, or more clusters than shapes.
    """
    found, count = np.asarray(clusters), len(network.nodes)
    if len(groups) != 2 or not len(truth) == len(found) == count or not count:
        raise ValueError(
            f"needs two groups, and a group and a cluster for each of the nodes, got {len(groups)} groups for {count} "
            f"nodes with {len(truth)} groups and {len(found)} clusters"
        )
    if not 0 <= found.min() <= found.max() < len(MARKERS):
        raise ValueError(f"clusters are numbered 0 to {len(MARKERS) - 1}, got {found.min()} to {found.max()}")
    left, right = np.nonzero(np.triu(network.weights))
    place = _layout(network, seed)
    colours = dict(zip(groups, (PALETTE[name] for name in _COLOURS), strict=True))
    shades = np.array([colours.get(group, PALETTE["grey"]) for group in truth])
    shapes = sorted(set(found.tolist()))
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 4.8))
        axis.add_collection(
            LineCollection(
                list(place[np.stack([left, right], axis=1)]), colors=PALETTE["grey"], alpha=0.25, linewidths=0.6
            )
        )
        for cluster in shapes:
            own = found == cluster
            axis.scatter(
                place[own, 0], place[own, 1], c=shades[own], marker=MARKERS[cluster], s=48, edgecolors="white", zorder=2
            )
        axis.set_axis_off()
        handles: list[Artist] = [Patch(color=colour, label=name) for name, colour in colours.items()]
        if set(truth) - set(groups):
            handles.append(Patch(color=PALETTE["grey"], label="neither, or both"))
        handles += [hollow(MARKERS[cluster], "black", f"cluster {cluster + 1}") for cluster in shapes]
        legend_below(figure, handles, columns=len(handles))
    return figure, _in_words(groups, np.asarray(truth), found, shapes, ego)


def _layout(network: EgoNetwork, seed: int) -> NDArray[np.float64]:
    """`(n, 2)` places of the nodes."""
    count, heaviest = len(network.nodes), max(int(network.weights.max(initial=0)), 1)
    springs = nx.from_numpy_array(network.weights / heaviest + _FAINT_PULL * ~np.eye(count, dtype=bool))
    found = nx.spring_layout(springs, seed=seed, iterations=200)
    return np.array([found[node] for node in range(count)])


def _in_words(groups: Sequence[str], truth: np.ndarray, found: np.ndarray, shapes: Sequence[int], ego: str) -> str:
    told = [
        f"cluster {cluster + 1}: "
        + ", ".join(f"{int(((truth == name) & (found == cluster)).sum())} of {name}" for name in groups)
        + f", {int((~np.isin(truth, groups) & (found == cluster)).sum())} others"
        for cluster in shapes
    ]
    return (
        f"Network of {len(truth)} neighbours of {ego}, the word itself left out; colours are topics, shapes are "
        f"clusters found. {'; '.join(told)}."
    )
