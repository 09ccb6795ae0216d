"""Why a partition puts two mentions together or apart, in numbers of the objective that anyone can check.

Vadrevu et al. (2021, §6.2) explain one decision by hand: the weights that a node would bring into a triangle add up to
less than 0. Here every decision is explained so, and exactly: the program is solved again with the decision reversed,
and what that loses is the *margin* of the decision.

The margin is also the smallest change of the weight of a single scored pair that reverses the decision. Changing one
weight by δ changes the weight of every partition by δ or by nothing, so the best one with the decision and the best one
against it come nearer by at most |δ|; and changing the weight of the pair itself brings them nearer by all of it.

What the margin is made of stands beside it: the edges inside clusters that the reversed decision loses, and those that
it gains. Their weights add up to the margin. Where a partition is not proven, the one with the decision reversed may
be the heavier; then the margin is below 0.
"""

from __future__ import annotations

import html
import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trustnlp.graphs.pair_graph import GraphError, Ints, PairGraph
from trustnlp.graphs.partitioning import Partition
from trustnlp.graphs.solver.certificate import Fixed
from trustnlp.graphs.solver.integer_program import Solution, solve


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
        Weight that the best partition with the decision reversed lacks; below 0 if it is the heavier one. Infinite if
        no partition reverses it: the pair is absent and absent pairs are never in one cluster.
    exact
        Both partitions are proven optimal; else the margin is that of the best ones found.
    weights
        The edges between the two mentions' clusters (`together` false) or inside their cluster, heaviest first: columns
        `left`, `right`, `weight`, and `effect`: what joins and what parts.
    otherwise
        The clusters that the reversed decision would make of these mentions.
    lost, gained
        The edges that share a cluster only with the decision as it is, or only with it reversed: `left`, `right`,
        `weight`, largest first. The sum of `lost` less that of `gained` is the margin.
    forbidding
        The pairs without an edge between the two clusters, each of which keeps them from becoming one: `left`, `right`.
        Empty where absent pairs may join.
    """

    left: Hashable
    right: Hashable
    together: bool
    weight: float
    margin: float
    exact: bool
    weights: pd.DataFrame
    otherwise: list[list[Hashable]]
    lost: pd.DataFrame
    gained: pd.DataFrame
    forbidding: pd.DataFrame

    def __str__(self) -> str:
        return "\n".join([self._verdict(), *self._reasons()])

    def _repr_html_(self) -> str:
        reasons = "".join(f"<li>{html.escape(line)}</li>" for line in self._reasons())
        tables = "".join(
            f"<details><summary>{title}</summary>{table.to_html(index=False, float_format='{:.3f}'.format)}</details>"
            for title, table in (
                ("Edges that would be lost", self.lost),
                ("Edges that would be gained", self.gained),
                ("Absent pairs that forbid", self.forbidding),
            )
            if len(table)
        )
        return f"<div><p><b>{html.escape(self._verdict())}</b></p><ul>{reasons}</ul>{tables}</div>"

    def _verdict(self) -> str:
        state = "are in one cluster" if self.together else "are in different clusters"
        return f"{self.left} and {self.right} {state}"

    def _reasons(self) -> list[str]:
        scored = "no score" if np.isnan(self.weight) else f"weight {self.weight:+.3f}"
        lines = [f"the pair itself: {scored}"]
        if len(self.forbidding):
            first = self.forbidding.iloc[0]
            lines.append(
                f"{len(self.forbidding)} pairs without a score forbid one cluster, such as {first['left']} and "
                f"{first['right']}"
            )
        if math.isinf(self.margin):
            return [*lines, "no partition joins them: pairs without a score never share a cluster"]
        proof = "" if self.exact else " (best partitions found, not proven)"
        kinds = (("lost", self.lost), ("gained", self.gained))
        sums = [f"{table['weight'].sum():+.3f} on {len(table)} edges {name}" for name, table in kinds]
        if self.margin < 0:
            lines.append(f"the other way round is heavier by {-self.margin:.3f}{proof}: {', '.join(sums)}")
        else:
            lines.append(f"the other way round would weigh {self.margin:.3f} less{proof}: {', '.join(sums)}")
            lines.append(f"the decision turns if the weight of this pair alone passes {self.flips_at:+.3f}")
        groups = "; ".join(", ".join(map(str, cluster)) for cluster in self.otherwise)
        return [*lines, f"the clusters would be: {groups}"]

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
        If one of the mentions is not in the graph, or both are the same.
    """
    graph = found.graph
    u, v = sorted((_place(graph, left), _place(graph, right)))
    if u == v:
        raise GraphError(f"{left!r} is always with itself; name two mentions")
    together = bool(found.codes[u] == found.codes[v])
    weight = graph.neighbours[u].get(v, float("nan"))
    inside = np.flatnonzero(np.isin(found.codes, found.codes[[u, v]]))
    weights = _weights(graph, inside, found.codes, across=not together)
    forbidding = _absent_between(graph, found, u, v)
    if np.isnan(weight) and found.absent == "never":
        none = weights.iloc[:0][["left", "right", "weight"]]
        return PairExplanation(left, right, False, weight, math.inf, True, weights, [], none, none, forbidding)
    parts = [part for node in (u, v) if (part := found.component_of(node))]
    # What a decision on the pair can change.
    nodes = np.unique(np.concatenate([[u, v], *(part.nodes for part in parts)]))
    piece, places = graph.subgraph(nodes), {int(node): place for place, node in enumerate(nodes)}
    reverse: Fixed = ((places[u], places[v], not together),)
    other = solve(piece, absent=found.absent, time_limit=time_limit, given=reverse)
    codes = found.codes[nodes]
    lost, gained = _changed(piece, codes, other.labels), _changed(piece, other.labels, codes)
    margin = math.fsum([*lost["weight"], *-gained["weight"]])
    exact = other.optimal and all(part.solution.optimal for part in parts)
    if exact:
        margin = max(margin, 0.0)  # below it by rounding alone
    otherwise = _named(graph, nodes, other, inside)
    return PairExplanation(left, right, together, weight, margin, exact, weights, otherwise, lost, gained, forbidding)


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


def _edges(graph: PairGraph, chosen: NDArray[np.bool_]) -> pd.DataFrame:
    ends = {
        side: [graph.ids[node] for node in nodes[chosen].tolist()]
        for side, nodes in (("left", graph.left), ("right", graph.right))
    }
    return pd.DataFrame({**ends, "weight": graph.weights[chosen]})


def _weights(graph: PairGraph, nodes: Ints, codes: Ints, *, across: bool) -> pd.DataFrame:
    piece, label = graph.subgraph(nodes), codes[nodes]
    table = _edges(piece, (label[piece.left] != label[piece.right]) == across)
    table["effect"] = np.where(table["weight"] > 0, "joins", "parts")
    return table.sort_values("weight", ascending=False, kind="stable", ignore_index=True)


def _changed(graph: PairGraph, here: Ints, there: Ints) -> pd.DataFrame:
    """The edges inside a cluster of one partition and of none of the other, the heaviest of either sign first."""
    table = _edges(graph, (here[graph.left] == here[graph.right]) & (there[graph.left] != there[graph.right]))
    return table.sort_values("weight", key=np.abs, ascending=False, kind="stable", ignore_index=True)


def _absent_between(graph: PairGraph, found: Partition, u: int, v: int) -> pd.DataFrame:
    """Pairs without an edge between the clusters of two nodes, where such pairs never share a cluster."""
    pairs = []
    if found.absent == "never" and found.codes[u] != found.codes[v]:
        members = [np.flatnonzero(found.codes == found.codes[node]).tolist() for node in (u, v)]
        pairs = [(a, b) for a in members[0] for b in members[1] if b not in graph.neighbours[a]]
    return pd.DataFrame([(graph.ids[a], graph.ids[b]) for a, b in pairs], columns=["left", "right"])


def _named(graph: PairGraph, nodes: Ints, other: Solution, inside: Ints) -> list[list[Hashable]]:
    """The clusters of another solution that hold the nodes in question."""
    asked = np.unique(other.labels[np.isin(nodes, inside)])
    return [[graph.ids[node] for node in nodes[other.labels == label].tolist()] for label in asked]
