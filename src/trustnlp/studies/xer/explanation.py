"""The decisions of many clusters at once, and a small graph drawn so that each decision can be followed by eye."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib import patheffects
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.typing import LineStyleType
from numpy.typing import NDArray

from trustnlp.graphs import Partition, explain_cluster
from trustnlp.graphs.pair_graph import Floats64, Ints, PairGraph
from trustnlp.plots.series import Look, hollow, legend_below, number
from trustnlp.plots.style import MARKERS, PALETTE, house_style

_MOST_AROUND = 14


@dataclass(frozen=True, eq=False)
class UncertainCluster:
    """A cluster, and the records around it.

    Attributes
    ----------
    members
        Ids of the cluster.
    nodes
        Positions of the members and of the records with the heaviest edges to them.
    margin
        Smallest margin of a decision of this cluster.
    """

    members: list[Hashable]
    nodes: Ints
    margin: float


def least_certain_cluster(found: Partition, decisions: pd.DataFrame, *, at_least: int) -> UncertainCluster:
    """Of the clusters with at least so many members, the one with the decision of smallest margin.

    Parameters
    ----------
    decisions
        What `explain_clusters` says.

    Raises
    ------
    ValueError
        If no decision is on a cluster as large.
    """
    sizes = found.labels.map(found.labels.value_counts())
    large = decisions[decisions["left"].map(sizes) >= at_least]
    if large.empty:
        raise ValueError(f"no decision is on a cluster of {at_least} members or more")
    first = large.loc[large["margin"].idxmin()]
    members = found.clusters[found.labels.loc[first["left"]]]
    return UncertainCluster(members, _with_neighbours(found, members), float(first["margin"]))


def explain_clusters(found: Partition, gold: pd.Series, *, at_most: int) -> pd.DataFrame:
    """Every scored decision of the first clusters of several members, each pair once, and whether it is wrong.

    Parameters
    ----------
    gold
        True entity of each id.
    at_most
        Number of clusters, in the order of `Partition.clusters`.

    Returns
    -------
    Columns of `explain_cluster`, and `wrong`: joined though the entities differ, or parted though they are the same.
    Pairs without a score are left out, as nothing can reverse those that are never joined.
    """
    clusters = [members for members in found.clusters if len(members) > 1][:at_most]
    table = pd.concat([explain_cluster(found, members[0]) for members in clusters], ignore_index=True)
    table = table[table["weight"].notna()]
    unordered = pd.Series([frozenset(pair) for pair in zip(table["left"], table["right"], strict=True)], table.index)
    table = table[~unordered.duplicated()].reset_index(drop=True)
    same = gold.loc[table["left"]].to_numpy() == gold.loc[table["right"]].to_numpy()
    return table.assign(wrong=table["together"].to_numpy(dtype=bool) != same)


def _with_neighbours(found: Partition, members: list[Hashable]) -> Ints:
    inside = [found.graph.places[name] for name in members]
    strength: dict[int, float] = {}
    for node in inside:
        for other, weight in found.graph.neighbours[node].items():
            if other not in inside:
                strength[other] = max(strength.get(other, 0.0), abs(weight))
    nearest = sorted(strength, key=lambda node: -strength[node])[: max(0, _MOST_AROUND - len(inside))]
    return np.array(sorted([*inside, *nearest]))


MOST_NODES = 40
_MOST_WRITTEN_WEIGHTS = 15
_FAINT_PULL = 0.03  # between all pairs, a share of the heaviest weight; without it components leave the page
_INK = "#333333"


def cluster_graph(
    graph: PairGraph,
    clusters: Sequence[int],
    *,
    names: Sequence[str] | None = None,
    truth: Sequence[Hashable] | None = None,
    highlight: tuple[Hashable, Hashable] | None = None,
    seed: int = 0,
) -> tuple[Figure, str]:
    """A graph of mentions with its clusters (the examples of Vadrevu et al. 2021, §6.2).

    Nodes of one cluster share a colour and a shape, a node that is alone is hollow. Edges that join (weight above 0)
    are solid, others dashed, and the heavier the thicker; up to 15 edges have their weights written on them. The same
    graph, clusters and seed give the same picture.

    Parameters
    ----------
    clusters
        `(N,)` cluster of each node, in the order of `graph.ids`.
    names
        `(N,)` short labels, at most some six letters. None takes the ids.
    truth
        `(N,)` gold entity of each node, written under its label.
    highlight
        Ids of two nodes, with an edge or without one, whose pair is marked.
    seed
        Start of the spring layout, which only the edges that join pull together.

    Raises
    ------
    ValueError
        If there are no nodes or more than 40, another number of clusters, names or gold entities than nodes, or a pair
        to highlight that is not two nodes of the graph.
    """
    if not 0 < len(graph) <= MOST_NODES:
        raise ValueError(f"a drawing holds 1 to {MOST_NODES} nodes, got {len(graph)}; draw a subgraph (graph.subgraph)")
    written = [str(name) for name in (graph.ids if names is None else names)]
    for what, given in (("clusters", clusters), ("names", written), ("truth", truth)):
        if given is not None and len(given) != len(graph):
            raise ValueError(f"{what}: expected one for each of {len(graph)} nodes, got {len(given)}")
    marked = None if highlight is None else _places(graph, highlight)
    groups = _groups(clusters)
    joins = graph.weights > 0
    place = _layout(graph, seed)
    with house_style():
        figure, axis = plt.subplots(figsize=(7.2, 5.6))
        axis.set_axis_off()
        axis.margins(0.1)
        handles: list[Artist] = []
        if marked is not None:
            x, y = place[list(marked)].T
            axis.scatter(x, y, s=1100, facecolor=PALETTE["sky"], alpha=0.5, linewidth=0, marker="o", zorder=0.5)
            handles += axis.plot(x, y, color=PALETTE["sky"], linewidth=12, alpha=0.5, marker="", zorder=0.5,
                                 label="marked pair")  # fmt: skip
        handles += _draw_edges(axis, graph, np.asarray(clusters), place)
        for cluster, look in zip(groups, _cluster_looks(groups), strict=True):
            _draw_nodes(axis, place[cluster], look)
        if any(len(cluster) == 1 for cluster in groups):
            handles.append(hollow("o", PALETTE["grey"], "alone"))
        halo = [patheffects.withStroke(linewidth=2.6, foreground="white")]
        for at, (x, y) in enumerate(place):
            row = 0 if truth is None else 5
            axis.annotate(
                written[at], (x, y), (0, row), textcoords="offset points", ha="center", va="center", fontsize=10,
                fontweight="bold", path_effects=halo, zorder=4,
            )  # fmt: skip
            if truth is not None:
                axis.annotate(
                    str(truth[at]), (x, y), (0, -6), textcoords="offset points", ha="center", va="center", fontsize=8,
                    path_effects=halo, zorder=4,
                )  # fmt: skip
        if truth is not None:
            handles.append(Line2D([], [], linestyle="", marker="$a$", color="black", label="lower row: gold"))
        legend_below(figure, handles, columns=len(handles))
    return figure, _in_words(graph, written, groups, joins, marked, truth)


def _places(graph: PairGraph, pair: tuple[Hashable, Hashable]) -> tuple[int, int]:
    if len(pair) != 2 or pair[0] == pair[1] or not set(pair) <= set(graph.ids):
        raise ValueError(f"highlight: expected the ids of two nodes of the graph, got {pair!r}")
    return graph.places[pair[0]], graph.places[pair[1]]


def _groups(clusters: Sequence[int]) -> list[Ints]:
    """Nodes of each cluster, those of several nodes first, else in the order of their first nodes."""
    label = np.asarray(clusters)
    found = [np.flatnonzero(label == one) for one in dict.fromkeys(label.tolist())]
    return sorted(found, key=lambda nodes: len(nodes) == 1)


def _cluster_looks(groups: Sequence[Ints]) -> list[Look | None]:
    """Colour and shape of each cluster, no two alike among 49; None for a node that is alone."""
    colours = list(PALETTE.values())
    return [
        None if len(nodes) == 1 else Look(colours[at % len(colours)], MARKERS[(at + at // len(colours)) % len(MARKERS)])
        for at, nodes in enumerate(groups)
    ]


def _layout(graph: PairGraph, seed: int) -> Floats64:
    """`(N, 2)` places of the nodes."""
    springs = nx.Graph()
    springs.add_nodes_from(range(len(graph)))
    springs.add_edges_from(nx.complete_graph(len(graph)).edges, weight=_FAINT_PULL)
    heaviest = graph.weights.max(initial=0)
    for u, v, weight in zip(graph.left.tolist(), graph.right.tolist(), graph.weights.tolist(), strict=True):
        if weight > 0:
            springs.edges[u, v]["weight"] += weight / heaviest
    found = nx.spring_layout(springs, seed=seed, iterations=300)
    return np.array([found[node] for node in range(len(graph))])


def _draw_edges(axis: Axes, graph: PairGraph, label: Ints, place: Floats64) -> list[Line2D]:
    """The edges, those between clusters paler; entries of a legend for the kinds that there are."""
    pairs = np.stack([graph.left, graph.right], axis=1)
    width = 0.8 + 3.2 * np.abs(graph.weights) / max(np.abs(graph.weights).max(initial=0), 1e-300)
    alpha = np.where(label[graph.left] == label[graph.right], 1, 0.45)
    joins = graph.weights > 0
    kinds: tuple[tuple[str, NDArray[np.bool_], LineStyleType], ...] = (("joins", joins, "-"), ("parts", ~joins, "--"))
    handles = []
    for kind, chosen, line in kinds:
        if chosen.any():
            lines = LineCollection(
                list(place[pairs[chosen]]), linewidths=width[chosen], colors=_INK, alpha=alpha[chosen],
                linestyles=line, label=kind, zorder=1 + (kind == "joins"),
            )  # fmt: skip
            axis.add_collection(lines)
            handles.append(Line2D([], [], color=_INK, linestyle=line, marker="", label=kind))
    if len(pairs) <= _MOST_WRITTEN_WEIGHTS:
        taken = list(place)
        for (u, v), weight in zip(pairs, graph.weights, strict=True):
            taken.append(_free_spot(place[u], place[v], taken))
            axis.annotate(
                number(weight), taken[-1], ha="center", va="center", fontsize=8.5, zorder=3,
                bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
            )  # fmt: skip
    return handles


def _free_spot(start: Floats64, end: Floats64, taken: Sequence[Floats64]) -> Floats64:
    """The spot on an edge, near its middle, that lies farthest from what is drawn already."""
    spots = start + np.linspace(0.3, 0.7, 9)[:, None] * (end - start)
    apart = np.linalg.norm(spots[:, None] - np.array(taken), axis=2).min(axis=1)
    return np.asarray(spots[apart.argmax()])


def _draw_nodes(axis: Axes, place: Floats64, look: Look | None) -> None:
    colour, marker = (PALETTE["grey"], "o") if look is None else (look.colour, look.marker)
    tint = "white" if look is None else tuple(0.5 + 0.5 * channel for channel in to_rgb(colour))
    x, y = place.T
    axis.scatter(x, y, s=480, marker=marker, facecolor=[tint], edgecolor=colour, linewidth=2, zorder=2.5)


def _in_words(
    graph: PairGraph,
    names: Sequence[str],
    groups: Sequence[Ints],
    joins: NDArray[np.bool_],
    marked: tuple[int, int] | None,
    truth: Sequence[Hashable] | None,
) -> str:
    several = [", ".join(names[node] for node in nodes) for nodes in groups if len(nodes) > 1]
    alone = [names[nodes[0]] for nodes in groups if len(nodes) == 1]
    said = [f"Graph of {len(graph)} nodes and {len(graph.weights)} edges in {len(groups)} clusters"]
    said += [f"Clusters: {'; '.join(several)}"] if several else []
    said += [f"Alone: {', '.join(alone)}"] if alone else []
    for kind, chosen in (("joining", joins), ("parting", ~joins)):
        if chosen.any():
            at = int(np.where(chosen, np.abs(graph.weights), -1).argmax())
            ends = f"{names[graph.left[at]]} and {names[graph.right[at]]}"
            said.append(f"Strongest {kind} edge: {ends}, {number(graph.weights[at])}")
    if marked is not None:
        u, v = marked
        together = any(u in nodes and v in nodes for nodes in groups)
        weight = graph.neighbours[u].get(v)
        edge = "no edge" if weight is None else f"weight {number(weight)}"
        said.append(f"Highlighted: {names[u]} and {names[v]}, {'together' if together else 'apart'}, {edge}")
    if truth is not None:
        gold = dict.fromkeys(truth)
        lists = (f"{one}: {', '.join(n for n, of in zip(names, truth, strict=True) if of == one)}" for one in gold)
        said.append(f"Gold entities: {'; '.join(lists)}")
    return ". ".join(said) + "."
