"""Pairs that outweigh everything around them: joined before the search, and put back into its proof.

A rule such as "same passport number" is often entered as a weight of a million beside scores below one. Left in the
program of Vadrevu et al. (2021, Eqs. 1-5) it hides the scores: a solver's tolerance of a millionth of it is as large
as they are. So groups of nodes tied together by such *must-links* become one node.

When it is safe: let a tree of must-links tie a group together, and let the lightest of them weigh at least as much as
all other weights that touch the group, in absolute value (those inside that speak for it aside). Then a partition that
splits the group loses no weight, or gains some, when the group becomes a cluster of its own.

How it is proven: the inequality x_ap + x_ab - x_pb <= 1 with the price |w_ab| moves the weight of the pair (a, b) to
the pair (p, b), or the other way round, and costs nothing as long as the must-link (a, p) can pay for it. The
condition above is that it can.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from trustnlp.graphs.pair_graph import Floats64, Ints, PairGraph, places_by_label
from trustnlp.graphs.solver.certificate import Certificate, Fixed, Leaf
from trustnlp.graphs.solver.star_cuts import Star

_STEP = 1e4
"""Where sorted sizes of weights grow by this factor, what is above is of another kind than what is below."""


@dataclass(frozen=True, eq=False)
class Contracted:
    """A graph in which each group of must-links is one node.

    Attributes
    ----------
    graph
        Its nodes are the groups; an edge weighs what all pairs across weigh together. Without absent pairs only.
    group
        `(N,)` the node of `graph` that holds each node of the original.
    first
        For each node of `graph` the original node that stands for it in a proof.
    moves
        Prices that move all weights to the pairs of `first`.
    """

    graph: PairGraph
    group: Ints
    first: Ints
    moves: _Moves

    def lifted(self, certificate: Certificate, given: Fixed) -> tuple[Leaf, ...]:
        """The leaves of a proof for the contracted graph as leaves of one for the original."""
        first, near = self.first.tolist(), self.graph.neighbours
        leaves = []
        for leaf in certificate.leaves:
            fixed = tuple((first[u], first[v], together) for u, v, together in leaf.fixed[len(certificate.given) :])
            moves = self.moves.copy()
            for (centre, members), price in leaf.multipliers.items():
                moves.prices[first[centre], tuple(sorted(first[member] for member in members))] += price
                for u, v in combinations(members, 2):
                    if v not in near[u]:  # the price is added to a pair that may have an edge in the original
                        moves.onwards(first[u], first[v], price)
            leaves.append(Leaf((*given, *fixed), dict(moves.prices)))
        return tuple(leaves)


def smallest_weight(graph: PairGraph) -> float:
    """Least size of the weights other than 0; 0 if there are none."""
    sizes = np.abs(graph.weights[graph.weights != 0])
    return float(sizes.min()) if len(sizes) else 0.0


def typical_weight(graph: PairGraph) -> float:
    """Median size of the weights other than 0, of the lowest kind where there are several; 0 if there are none."""
    sizes = _sizes(graph)
    steps = _steps(sizes)
    return float(np.median(sizes[: steps[0]] if len(steps) else sizes)) if len(sizes) else 0.0


def contract_must_links(graph: PairGraph, keep: Fixed = ()) -> Contracted | None:
    """Join the groups that the best partition cannot want to split; None if there is none.

    Parameters
    ----------
    graph
        Pairs without an edge are never in one cluster.
    keep
        Decisions on pairs, whose nodes stay as they are.
    """
    if not keep:
        # What weighs less than all that speaks for any cluster is apart, as if it were no edge.
        graph = graph.above(-float(graph.weights[graph.weights > 0].sum()))
    sizes = _sizes(graph)
    untouched = {node for u, v, _ in keep for node in (u, v)}
    parents: dict[int, int] = {}
    for threshold in sizes[_steps(sizes)].tolist():
        for places in places_by_label(graph.components(graph.weights >= threshold)):
            members = places.tolist()
            free = len(members) > 1 and not any(node in untouched or node in parents for node in members)
            if free and (tree := _tree(graph.neighbours, members, threshold)):
                parents |= tree
    return _contract(graph, parents) if parents else None


def _sizes(graph: PairGraph) -> Floats64:
    return np.sort(np.abs(graph.weights[graph.weights != 0]))


def _steps(sizes: Floats64) -> Ints:
    """Where another kind of weights begins."""
    return np.flatnonzero(sizes[1:] > _STEP * sizes[:-1]) + 1


def _tree(near: list[dict[int, float]], members: list[int], threshold: float) -> dict[int, int] | None:
    """The parent of each member in a tree of must-links, children before parents; None if they do not pay for it."""
    inside = set(members)
    if any(len(inside & near[u].keys()) < len(members) - 1 for u in members):
        return None  # an absent pair
    others, least = 0.0, np.inf
    parents, order = {members[0]: members[0]}, [members[0]]
    for node in order:
        for other in members:
            if other not in parents and near[node].get(other, 0.0) >= threshold:
                parents[other] = node
                order.append(other)
                least = min(least, near[node][other])
    for u in members:
        for v, weight in near[u].items():
            if v not in inside:
                others += abs(weight)
            elif u < v and weight < 0:
                others -= weight
    return {node: parents[node] for node in reversed(order)} if least >= others else None


def with_links_fixed(graph: PairGraph, fixed: Fixed) -> Contracted:
    """The graph in which nodes decided to be together are one, and what is decided apart is no edge, in rationals."""
    apart = {(min(u, v), max(u, v)) for u, v, together in fixed if not together}
    keep = np.array([(u, v) not in apart for u, v, _ in graph.edges], dtype=bool)
    near: list[list[int]] = [[] for _ in range(len(graph))]
    for u, v, together in fixed:
        if together:
            near[u].append(v)
            near[v].append(u)
    parents: dict[int, int] = {}
    for node in range(len(graph)):
        if node not in parents:
            tree = {node: node}
            for member in (order := [node]):
                for other in near[member]:
                    if other not in tree:
                        tree[other] = member
                        order.append(other)
            parents |= {member: tree[member] for member in reversed(order)}
    left = PairGraph(graph.ids, graph.left[keep], graph.right[keep], graph.weights[keep])
    return _contract(left, parents, Fraction)


def _contract(graph: PairGraph, parents: dict[int, int], number: Callable[[float], Any] = float) -> Contracted:
    root = np.arange(len(graph))
    for node in reversed(parents):  # parents come after their children, so this goes from the top down
        root[node] = root[parents[node]]
    first, group = np.unique(root, return_inverse=True)
    now = [{other: number(weight) for other, weight in row.items()} for row in graph.neighbours]
    moves = _Moves()
    for node, parent in parents.items():
        if node == parent:
            continue
        for other, weight in now[node].items():
            now[other].pop(node)
            if other == parent or (root[other] == root[node] and weight > 0):
                continue  # inside the group, where all of it counts
            if other in now[parent]:
                moves.shift(node, parent, other, weight)
                now[parent][other] += weight
                now[other][parent] += weight
            else:
                moves.bury(node, parent, other, weight)
        lacking = [other for other in now[parent] if root[other] != root[node] and other not in now[node]]
        for other in lacking:
            now[other].pop(parent)
            moves.bury(parent, node, other, now[parent].pop(other))
        now[node] = {}
    edges = [(u, v, w) for u, row in enumerate(now) for v, w in row.items() if u < v]
    left = np.searchsorted(first, [u for u, _, _ in edges]).astype(np.int64)
    right = np.searchsorted(first, [v for _, v, _ in edges]).astype(np.int64)
    order = np.lexsort((right, left))
    weights = np.array([w for _, _, w in edges], dtype=float)
    small = PairGraph(tuple(range(len(first))), left[order], right[order], weights[order])
    return Contracted(small, group.astype(np.int64), first, moves)


class _Moves:
    """Prices that move the weight of a pair (a, b) to a pair (p, b), where a and p are tied together."""

    def __init__(self) -> None:
        self.prices: dict[Star, float | Fraction] = defaultdict(int)  # of floats, or of Fractions
        self._from: dict[tuple[int, int], tuple[int, int, int]] = {}

    def copy(self) -> _Moves:
        other = _Moves()
        other.prices.update(self.prices)
        other._from = self._from
        return other

    def shift(self, a: int, p: int, b: int, weight: float | Fraction) -> None:
        if weight > 0:
            self.prices[a, (min(p, b), max(p, b))] += weight
        elif weight < 0:
            self.prices[p, (min(a, b), max(a, b))] -= weight

    def bury(self, a: int, p: int, b: int, weight: float | Fraction) -> None:
        """Move what speaks for (a, b) to (p, b), which can never be, and from there on."""
        self._from[min(a, b), max(a, b)] = (a, p, b)
        if weight > 0:
            self.onwards(a, b, weight)

    def onwards(self, p: int, b: int, weight: float | Fraction) -> None:
        """Move weight from a pair that can never be to one without an edge."""
        while step := self._from.get((min(p, b), max(p, b))):
            self.shift(*step, weight)
            _, p, b = step
