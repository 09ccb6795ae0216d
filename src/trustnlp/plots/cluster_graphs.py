"""A small graph of clusters, drawn so that each decision can be followed by eye."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib import patheffects
from matplotlib import pyplot as plt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.typing import LineStyleType

from trustnlp.graphs.pair_graph import Floats64, Ints, PairGraph
from trustnlp.plots.series import hollow, legend_below, number
from trustnlp.plots.style import LETTERS, MARKERS, PALETTE, house_style

_MOST_WRITTEN_WEIGHTS = 15
_FAINT_PULL = 0.03  # between all pairs, a share of the heaviest weight; without it components leave the page
_INK = "#333333"


def cluster_graph(
    graph: PairGraph,
    clusters: Sequence[int],
    *,
    truth: Sequence[Hashable] | None = None,
    highlight: tuple[Hashable, Hashable] | None = None,
) -> tuple[Figure, str]:
    """A graph of mentions with its clusters (the examples of Vadrevu et al. 2021, §6.2), and its alternative text.

    Nodes of one cluster share a colour and a shape, a node that is alone is hollow. Edges that join (weight above 0)
    are solid, others dashed, and the heavier the thicker; up to 15 edges have their weights written on them. The same
    graph and clusters give the same picture.

    Parameters
    ----------
    clusters
        `(N,)` cluster of each node, in the order of `graph.ids`.
    truth
        `(N,)` gold entity of each node, written under its label.
    highlight
        Ids of two nodes, with an edge or without one, whose pair is marked.
    """
    names, groups, place = [str(name) for name in graph.ids], _groups(clusters), _layout(graph)
    marked = None if highlight is None else (graph.places[highlight[0]], graph.places[highlight[1]])
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
        looks = ((marker, colour) for turn in range(len(MARKERS)) for marker, colour in
                 zip(MARKERS[turn:] + MARKERS[:turn], PALETTE.values(), strict=True))  # fmt: skip
        for nodes in groups:
            alone = len(nodes) == 1
            marker, colour = ("o", PALETTE["grey"]) if alone else next(looks)
            tint = "white" if alone else tuple(0.5 + 0.5 * channel for channel in to_rgb(colour))
            x, y = place[nodes].T
            axis.scatter(x, y, s=480, marker=marker, facecolor=[tint], edgecolor=colour, linewidth=2, zorder=2.5)
        if any(len(nodes) == 1 for nodes in groups):
            handles.append(hollow("o", PALETTE["grey"], "alone"))
        rows = [(names, LETTERS, "bold", 0 if truth is None else 6)]
        if truth is not None:
            rows.append(([str(entity) for entity in truth], LETTERS, "normal", -7))
            handles.append(Line2D([], [], linestyle="", marker="$a$", color="black", label="lower row: gold"))
        halo = [patheffects.withStroke(linewidth=2.6, foreground="white")]
        for written, size, weight, height in rows:
            for text, spot in zip(written, place, strict=True):
                axis.annotate(
                    text, spot, (0, height), textcoords="offset points", ha="center", va="center", fontsize=size,
                    fontweight=weight, path_effects=halo, zorder=4,
                )  # fmt: skip
        legend_below(figure, handles, columns=len(handles))
    return figure, _in_words(graph, names, groups, marked, truth)


def _groups(clusters: Sequence[int]) -> list[Ints]:
    """Nodes of each cluster, those of several nodes first, else in the order of their first nodes."""
    label = np.asarray(clusters)
    groups = [np.flatnonzero(label == one) for one in dict.fromkeys(label.tolist())]
    return sorted(groups, key=lambda nodes: len(nodes) == 1)


def _layout(graph: PairGraph) -> Floats64:
    """`(N, 2)` places of the nodes, which only the edges that join pull together."""
    springs = nx.complete_graph(len(graph))
    nx.set_edge_attributes(springs, _FAINT_PULL, "weight")
    heaviest = graph.weights.max(initial=0)
    for u, v, weight in zip(graph.left.tolist(), graph.right.tolist(), graph.weights.tolist(), strict=True):
        if weight > 0:
            springs.edges[u, v]["weight"] += weight / heaviest
    places = nx.spring_layout(springs, seed=0, iterations=300)
    return np.array([places[node] for node in range(len(graph))])


def _draw_edges(axis: Axes, graph: PairGraph, label: Ints, place: Floats64) -> list[Artist]:
    """The edges, those between clusters paler; entries of a legend for the kinds that there are."""
    drawn, places = nx.Graph(), dict(enumerate(place))
    edges = list(zip(graph.left.tolist(), graph.right.tolist(), graph.weights.tolist(), strict=True))
    drawn.add_weighted_edges_from(edges)
    heaviest = np.abs(graph.weights).max(initial=0)
    handles: list[Artist] = []
    kinds: tuple[tuple[str, LineStyleType], ...] = (("joins", "-"), ("parts", "--"))
    for kind, line in kinds:
        chosen = [edge for edge in edges if (edge[2] > 0) == (kind == "joins")]
        if chosen:
            lines = nx.draw_networkx_edges(
                drawn, places, [edge[:2] for edge in chosen], ax=axis, style=line, edge_color=_INK,
                width=[0.8 + 3.2 * abs(weight) / heaviest for _, _, weight in chosen],
                alpha=np.array([1 if label[u] == label[v] else 0.45 for u, v, _ in chosen]),
            )  # fmt: skip
            lines.set(zorder=1 + (kind == "joins"), label=kind)
            handles.append(Line2D([], [], color=_INK, linestyle=line, marker="", label=kind))
    if len(edges) <= _MOST_WRITTEN_WEIGHTS:
        taken = list(place)
        for u, v, weight in edges:
            taken.append(_free_spot(place[u], place[v], taken))
            axis.annotate(
                number(weight), taken[-1], ha="center", va="center", fontsize=LETTERS, zorder=3,
                bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
            )  # fmt: skip
    return handles


def _free_spot(start: Floats64, end: Floats64, taken: Sequence[Floats64]) -> Floats64:
    """The spot on an edge, near its middle, that lies farthest from what is drawn already."""
    spots = start + np.linspace(0.3, 0.7, 9)[:, None] * (end - start)
    apart = np.linalg.norm(spots[:, None] - np.array(taken), axis=2).min(axis=1)
    return np.asarray(spots[apart.argmax()])


def _in_words(
    graph: PairGraph,
    names: Sequence[str],
    groups: Sequence[Ints],
    marked: tuple[int, int] | None,
    truth: Sequence[Hashable] | None,
) -> str:
    several = [", ".join(names[node] for node in nodes) for nodes in groups if len(nodes) > 1]
    alone = [names[nodes[0]] for nodes in groups if len(nodes) == 1]
    said = [f"Graph of {len(graph)} nodes and {len(graph.weights)} edges in {len(groups)} clusters"]
    said += [f"Clusters: {'; '.join(several)}"] if several else []
    said += [f"Alone: {', '.join(alone)}"] if alone else []
    for kind, sign in (("joining", 1), ("parting", -1)):
        if (sign * graph.weights > 0).any():
            at = int((sign * graph.weights).argmax())
            ends = f"{names[graph.left[at]]} and {names[graph.right[at]]}"
            said.append(f"Strongest {kind} edge: {ends}, {number(graph.weights[at])}")
    if marked is not None:
        u, v = marked
        together = any(u in nodes and v in nodes for nodes in groups)
        weight = graph.neighbours[u].get(v)
        edge = "no edge" if weight is None else f"weight {number(weight)}"
        said.append(f"Highlighted: {names[u]} and {names[v]}, {'together' if together else 'apart'}, {edge}")
    if truth is not None:
        members = pd.Series(names).groupby(list(truth), sort=False).agg(", ".join)
        said.append(f"Gold entities: {'; '.join(f'{entity}: {listed}' for entity, listed in members.items())}")
    return ". ".join(said) + "."
