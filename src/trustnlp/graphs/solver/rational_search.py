"""Scores of many sizes: what a program in floats leaves open is settled in rational numbers, from the heavy pairs down.

Beside a score of ten million, a solver's tolerance of a millionth hides all scores below ten. But its multipliers λ say
more than a bound B: a pair of reduced weight w' = w - Σ λ a that exceeds B less the best partition known is decided,
since the other side of it weighs at most B - |w'| (reduced cost fixing; not in Vadrevu et al. 2021). Pairs decided to
be together become one node, the program is solved anew on the scale of what is left, and so on. Where nothing is
decided the search splits on the heaviest pair. Each decision is a leaf of the certificate.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from trustnlp.graphs.pair_graph import Ints, PairGraph
from trustnlp.graphs.solver.certificate import Certificate, Leaf, leaf_bound, reduced_weights
from trustnlp.graphs.solver.must_links import with_links_fixed

Found = tuple[Ints, Certificate]


class RationalSearch:
    """Branch and bound over the leaves of a certificate, in rational numbers.

    Attributes
    ----------
    labels, value
        The best partition and its weight.

    Parameters
    ----------
    graph
        Absent pairs are never in one cluster.
    start
        A partition, and the certificate whose open leaves are searched.
    program
        Solves a graph in floats: labels and a certificate without given decisions.
    """

    def __init__(self, graph: PairGraph, start: Found, program: Callable[[PairGraph], Found]) -> None:
        self._graph, self._program, self._given = graph, program, start[1].given
        self._weights = {(u, v): Fraction(weight) for u, v, weight in graph.edges}
        self.labels, self.value = start[0], self._exact(start[0])
        self._closed: list[tuple[Fraction, Leaf]] = []
        self._open: list[tuple[Fraction, int, Leaf, int]] = []
        self._count = itertools.count()
        for leaf in start[1].leaves:
            self._add(leaf, -1)

    def run(self, tolerance: Fraction, deadline: float) -> tuple[Certificate, Fraction]:
        """The certificate, and the gap that it leaves, at most `tolerance` unless time is up."""
        while self._open and time.monotonic() < deadline:
            negative, _, leaf, solved = heapq.heappop(self._open)
            if -negative - self.value <= tolerance:
                self._closed.append((-negative, leaf))
                break  # the others are bounded by less
            self._search(leaf, -negative, solved, tolerance)
        ends = self._closed + [(-negative, leaf) for negative, _, leaf, _ in self._open]
        bound = max([self.value, *(bound for bound, _ in ends)])
        proof = Certificate(float(bound), tuple(leaf for _, leaf in ends), self._given)
        return proof, bound - self.value

    def _search(self, leaf: Leaf, bound: Fraction, solved: int, tolerance: Fraction) -> None:
        reduced = reduced_weights(self._weights, leaf)
        leaf = self._decide(leaf, reduced, bound, bound - self.value - tolerance)
        if len(leaf.fixed) == solved:  # nothing is new since the program was solved
            decided = {pair for u, v, _ in leaf.fixed for pair in ((u, v), (v, u))}
            free = [pair for pair in self._weights if pair not in decided]
            if not free:
                self._closed.append((bound, leaf))
                return
            u, v = max(free, key=lambda pair: (abs(self._weights[pair]), abs(reduced[pair])))
            for together in (True, False):
                self._add(Leaf((*leaf.fixed, (u, v, together)), leaf.multipliers), -1)
            return
        small = with_links_fixed(self._graph, leaf.fixed)
        alone = (np.arange(len(small.graph)), Certificate(0.0, (Leaf((), {}),)))
        labels, proof = self._program(small.graph) if len(small.graph.weights) else alone
        whole = labels[small.group]
        follows = all((whole[u] == whole[v]) == together for u, v, together in self._given)
        if follows and not self._graph.absent_inside(whole) and (value := self._exact(whole)) > self.value:
            self.labels, self.value = whole, value
        exact = [Leaf(end.fixed, {star: Fraction(m) for star, m in end.multipliers.items()}) for end in proof.leaves]
        for end in small.lifted(replace(proof, leaves=tuple(exact)), leaf.fixed):
            self._add(end, len(end.fixed))

    def _decide(self, leaf: Leaf, reduced: dict[tuple[int, int], Fraction], bound: Fraction, gap: Fraction) -> Leaf:
        """The leaf with every pair decided whose other side is too light; those sides are closed."""
        group = list(range(len(self._graph)))
        for u, v, together in leaf.fixed:
            group = [group[u] if together and label == group[v] else label for label in group]
        decided = {(min(u, v), max(u, v)) for u, v, _ in leaf.fixed}
        apart = {frozenset((group[u], group[v])) for u, v, together in leaf.fixed if not together}
        fixed = leaf.fixed
        heavy = [p for p, w in reduced.items() if abs(w) >= gap and p in self._weights and p not in decided]
        for u, v in sorted(heavy, key=lambda pair: -abs(reduced[pair])):
            together = reduced[u, v] > 0
            one, other = group[u], group[v]
            if (one == other) if together else frozenset((one, other)) in apart:
                continue  # that follows
            self._closed.append((bound - abs(reduced[u, v]), Leaf((*fixed, (u, v, not together)), leaf.multipliers)))
            fixed = (*fixed, (u, v, together))
            if together:
                group = [one if label == other else label for label in group]
                apart = {frozenset(one if label == other else label for label in pair) for pair in apart}
            else:
                apart.add(frozenset((one, other)))
        return Leaf(fixed, leaf.multipliers)

    def _add(self, leaf: Leaf, solved: int) -> None:
        bound = leaf_bound(self._weights, leaf, len(self._graph), "never")
        if bound is None:  # no partition follows its decisions
            self._closed.append((self.value, leaf))
        else:
            heapq.heappush(self._open, (-bound, next(self._count), leaf, solved))

    def _exact(self, labels: Ints) -> Fraction:
        inside = self._graph.weights[labels[self._graph.left] == labels[self._graph.right]]
        return sum(map(Fraction, inside.tolist()), Fraction(0))
