"""Why a partition puts two mentions together or apart, in numbers of the objective that anyone can check.

Vadrevu et al. (2021, §6.2) explain one decision by hand: the weights that a node would bring into a triangle add up to
less than 0. Here every decision is explained so, and exactly: the program is solved again with the decision reversed,
and what that loses is the *margin* of the decision.

The margin is also the smallest change of the weight of a single scored pair that reverses the decision. Changing one
weight by δ changes the weight of every partition by δ or by nothing, so the best one with the decision and the best one
against it come nearer by at most |δ|; and changing the weight of the pair itself brings them nearer by all of it.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from trustnlp.graphs.certificate import Fixed
from trustnlp.graphs.integer_program import Solution, solve
from trustnlp.graphs.pair_graph import GraphError, Ints, PairGraph
from trustnlp.graphs.partitioning import Partition


@dataclass(frozen=True)
class PairExplanation:
    """Why two mentions are in one cluster, or are not.

    Attributes
    ----------
    together
        The decision.
    weight
        Weight of the pair; NaN if it has no edge.
    margin
        Weight that the best partition with the decision reversed lacks. Infinite if no partition reverses it: the pair
        is absent and absent pairs are never in one cluster.
    exact
        Both partitions are proven optimal; else the margin is that of the best ones found.
    weights
        The edges between the two mentions' clusters (`together` false) or inside their cluster, heaviest first: columns
        `left`, `right`, `weight`, and `effect`: what joins and what parts.
    otherwise
        The clusters that the reversed decision would make of these mentions.
    """

    left: Hashable
    right: Hashable
    together: bool
    weight: float
    margin: float
    exact: bool
    weights: pd.DataFrame
    otherwise: list[list[Hashable]]

    @property
    def flips_at(self) -> float:
        """Weight of the pair beyond which the decision turns, nothing else changed; just there it is a tie.

        A pair without an edge weighs 0 where absent pairs may join.
        """
        weight = 0.0 if np.isnan(self.weight) else self.weight
        return weight - self.margin if self.together else weight + self.margin


def explain_pair(found: Partition, left: Hashable, right: Hashable, *, time_limit: float = 60.0) -> PairExplanation:
    """Explain the decision of a partition on one pair of mentions.

    Raises
    ------
    GraphError
        One of the mentions is not in the graph, or both are the same.
    """
    graph = found.graph
    u, v = sorted((_place(graph, left), _place(graph, right)))
    if u == v:
        raise GraphError(f"{left!r} is always with itself; name two mentions")
    together = bool(found.codes[u] == found.codes[v])
    weight = graph.neighbours[u].get(v, float("nan"))
    inside = np.flatnonzero(np.isin(found.codes, found.codes[[u, v]]))
    weights = _weights(graph, inside, found.codes, across=not together)
    if np.isnan(weight) and found.absent == "never":
        return PairExplanation(left, right, False, weight, float("inf"), True, weights, [])
    nodes = _affected(found, u, v)
    piece, places = graph.subgraph(nodes), {int(node): place for place, node in enumerate(nodes)}
    reverse: Fixed = ((places[u], places[v], not together),)
    other = solve(piece, absent=found.absent, time_limit=time_limit, given=reverse)
    margin = max(0.0, piece.value(found.codes[nodes]) - other.value)
    exact = other.optimal and all(solution.optimal for solution in _solutions(found, u, v))
    return PairExplanation(left, right, together, weight, margin, exact, weights, _named(graph, nodes, other, inside))


def explain_cluster(found: Partition, member: Hashable, *, time_limit: float = 60.0) -> pd.DataFrame:
    """Every decision a mention's cluster hangs on: its inner pairs, and its edges to other clusters.

    Returns
    -------
    One row per pair, least certain first: `left`, `right`, `together`, `weight`, `margin` (as in `PairExplanation`),
    `exact`.
    """
    graph = found.graph
    cluster = found.codes[_place(graph, member)]
    inside = np.flatnonzero(found.codes == cluster).tolist()
    pairs = [(u, v) for place, u in enumerate(inside) for v in inside[place + 1 :]]
    pairs += [(u, v) for u in inside for v in sorted(graph.neighbours[u]) if found.codes[v] != cluster]
    rows = [explain_pair(found, graph.ids[u], graph.ids[v], time_limit=time_limit) for u, v in pairs]
    columns = ["left", "right", "together", "weight", "margin", "exact"]
    table = pd.DataFrame([{column: getattr(row, column) for column in columns} for row in rows], columns=columns)
    return table.sort_values("margin", kind="stable", ignore_index=True)


def _place(graph: PairGraph, name: Hashable) -> int:
    try:
        return graph.places[name]
    except KeyError:
        raise GraphError(f"{name!r} is not a node of this graph") from None


def _affected(found: Partition, u: int, v: int) -> Ints:
    """The components a decision on the pair can change: those of its two ends, a lone end by itself."""
    parts = [_nodes(found, node) for node in (u, v)]
    return np.unique(np.concatenate(parts))


def _nodes(found: Partition, node: int) -> Ints:
    component = found.component_of(node)
    return component.nodes if component else np.array([node])


def _solutions(found: Partition, u: int, v: int) -> list[Solution]:
    return [component.solution for node in (u, v) if (component := found.component_of(node))]


def _weights(graph: PairGraph, nodes: Ints, codes: Ints, *, across: bool) -> pd.DataFrame:
    piece = graph.subgraph(nodes)
    label = codes[nodes]
    shown = (label[piece.left] != label[piece.right]) == across
    rows = {
        "left": [piece.ids[node] for node in piece.left[shown].tolist()],
        "right": [piece.ids[node] for node in piece.right[shown].tolist()],
        "weight": piece.weights[shown],
    }
    table = pd.DataFrame(rows)
    table["effect"] = np.where(table["weight"] > 0, "joins", "parts")
    return table.sort_values("weight", ascending=False, kind="stable", ignore_index=True)


def _named(graph: PairGraph, nodes: Ints, other: Solution, inside: Ints) -> list[list[Hashable]]:
    """The clusters of another solution that hold the nodes in question."""
    asked = set(other.labels[np.isin(nodes, inside)].tolist())
    members = {label: [graph.ids[node] for node in nodes[other.labels == label].tolist()] for label in sorted(asked)}
    return list(members.values())
