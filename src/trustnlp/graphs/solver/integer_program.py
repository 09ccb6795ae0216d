"""Clique partitioning as an integer program, solved to proven optimality (Vadrevu et al. 2021, Eqs. 1–5).

The paper sets the program aside because it has about N³ / 2 transitivity constraints. Hardly any of them matter: they
are added when a solution of the relaxation breaks them, and star inequalities with more members after them
(`trustnlp.graphs.solver.star_cuts`), on the open solver HiGHS; the paper used Gurobi, on another formulation. What is
still fractional then is split on a pair, together or apart. Every bound comes with multipliers that
`trustnlp.graphs.solver.certificate` checks apart from the solver.
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from trustnlp.graphs.pair_graph import Absent, Floats64, GraphError, Ints, PairGraph
from trustnlp.graphs.solver.certificate import Certificate, Fixed, Leaf, exact_values
from trustnlp.graphs.solver.contraction import greedy_contraction, improve
from trustnlp.graphs.solver.linear_relaxation import Relaxation
from trustnlp.graphs.solver.local_search import LocalSearch
from trustnlp.graphs.solver.must_links import contract_must_links, smallest_weight, typical_weight
from trustnlp.graphs.solver.rational_search import RationalSearch
from trustnlp.graphs.solver.star_cuts import broken_stars, broken_triangles

MOST_EDGES = 700_000
"""Edges up to which the program is tried; absent pairs that may join count as edges."""
_MANY_EDGES = 20_000  # from here on the compiled search is the quicker start
_PATIENCE = 1.0  # seconds of the program before the compiled search begins to take turns with it
_SEARCH_SHARE, _FAR_SHARE = 0.4, 0.9  # of the time since then, near to a proof and as far from one as can be
TOLERANCE = 1e-6  # of the gap of what is called optimal, in units of the smallest weight other than 0
_ROUNDED = 1e-13  # of all weights together: floats add them up within less
_MOST_EXACTLY = 3_000  # edges up to which what floats leave open is searched in rational numbers
_TRIANGLES_A_ROUND, _STARS_A_ROUND = 4_000, 500
_FEW = 50  # triangles in a round: from here on stars are looked for too


@dataclass(frozen=True)
class Solution:
    """The best partition found of a connected graph, and what is proven about it.

    Attributes
    ----------
    labels
        `(N,)` cluster of each node.
    value
        Weight of the partition.
    certificate
        Proof of a bound on the weight of all partitions.
    optimal
        The gap is at most `TOLERANCE` times the smallest weight, however heavy others are.
    gap
        How much heavier another partition might be. The difference of `certificate.bound` and `value` is the same but
        for rounding, which must-links of a million million make larger than scores.
    rounds, cuts, splits
        Relaxations solved, inequalities added, pairs split on.
    """

    labels: Ints
    value: float
    certificate: Certificate
    optimal: bool
    gap: float
    rounds: int = 0
    cuts: int = 0
    splits: int = 0


def solve(graph: PairGraph, *, absent: Absent = "never", time_limit: float, given: Fixed = ()) -> Solution:
    """The heaviest partition of a connected graph.

    Parameters
    ----------
    absent
        Whether absent pairs are never in one cluster, or may be and weigh nothing.
    time_limit
        Seconds after which the best partition and bound so far are returned. The greedy start is not cut off.
    given
        Decisions on pairs that the partition must follow.

    A graph that the first cuts do not settle is searched for heavier partitions too
    (`trustnlp.graphs.solver.local_search`).
    One of more than `MOST_EDGES` edges is left to that search, and bounded by its positive weights.

    Raises
    ------
    GraphError
        If the decisions contradict each other, put an absent pair together, or are on a graph of more than
        `MOST_EDGES`.
    """
    deadline = time.monotonic() + time_limit
    edges = len(graph) * (len(graph) - 1) // 2 if absent == "zero" else len(graph.weights)
    if edges > MOST_EDGES:
        if given:
            raise GraphError(f"decisions are followed on at most {MOST_EDGES:,} edges at once, not {edges:,}")
        search = LocalSearch(graph, absent)
        search.run(deadline)
        value, bound = graph.value(search.labels), _without_cuts(graph, ())
        return Solution(search.labels, value, Certificate(bound, (Leaf((), {}),)), optimal=False, gap=bound - value)
    if absent == "zero":
        graph = _completed(graph)
    return _settled_exactly(graph, _in_floats(graph, given, deadline), deadline)


def _in_floats(graph: PairGraph, given: Fixed, deadline: float) -> Solution:
    small = contract_must_links(graph, given)
    if small is None:
        return _solved(graph, given, deadline)
    place = small.group
    inner = tuple((int(place[u]), int(place[v]), together) for u, v, together in given)
    solution = _solved(small.graph, inner, deadline)
    labels = solution.labels[place]
    value = graph.value(labels)
    proof = Certificate(value + solution.gap, small.lifted(solution.certificate, given), given)
    return replace(solution, labels=labels, value=value, certificate=proof)


def _settled_exactly(graph: PairGraph, found: Solution, deadline: float) -> Solution:
    """The solution judged to the size of the smallest weight, in rational numbers where floats are too coarse."""
    finest, total = TOLERANCE * smallest_weight(graph), float(np.abs(graph.weights).sum())
    if found.gap <= finest and _ROUNDED * total <= finest:
        return found
    loose = replace(found.certificate, bound=found.certificate.bound + total)
    value, bound = exact_values(graph, found.labels, loose)
    if bound - value <= finest or len(graph.weights) > _MOST_EXACTLY:
        proof, gap = replace(found.certificate, bound=float(bound)), bound - value
        return replace(found, certificate=proof, gap=float(gap), optimal=gap <= finest)

    def program(part: PairGraph) -> tuple[Ints, Certificate]:
        solved = _in_floats(part, (), deadline)
        return solved.labels, solved.certificate

    search = RationalSearch(graph, (found.labels, found.certificate), program)
    proof, gap = search.run(Fraction(finest), deadline)
    return replace(
        found, labels=search.labels, value=graph.value(search.labels), certificate=proof, gap=float(gap),
        optimal=gap <= finest,
    )  # fmt: skip


def unsolved(graph: PairGraph) -> Solution:
    """Every node alone, bounded by the positive weights."""
    bound = _without_cuts(graph, ())
    return Solution(np.arange(len(graph)), 0.0, Certificate(bound, (Leaf((), {}),)), optimal=bound <= 0, gap=bound)


def _solved(graph: PairGraph, given: Fixed, deadline: float) -> Solution:
    """The heaviest partition of a graph without must-links."""
    decided = _decided(graph, given)
    start = _heuristic(decided)
    if any((start[u] == start[v]) != together for u, v, together in given):
        raise GraphError(f"no partition into cliques follows the decisions {given}")
    value = graph.value(start)
    trivial = Leaf(given, {})
    bound = _without_cuts(graph, given)
    coarse = min(typical_weight(graph) * TOLERANCE, _ROUNDED * float(np.abs(graph.weights).sum()))
    tolerance = max(TOLERANCE * smallest_weight(graph), coarse) / 2  # the other half is for rounding
    if bound - value <= tolerance:
        gap = max(bound - value, 0.0)
        return Solution(start, value, Certificate(value + gap, (trivial,), given), optimal=True, gap=gap)
    search = _Search(graph, decided, given, start, tolerance, deadline)
    search.run(trivial, bound)
    return search.solution()


def _heuristic(graph: PairGraph, towards: PairGraph | None = None) -> Ints:
    """A good partition at once; `towards` has the same edges, and weights that say what to join first."""
    if len(graph.weights) <= _MANY_EDGES:
        return improve(graph, greedy_contraction(towards or graph))
    first = LocalSearch(towards or graph)
    first.settle()
    search = LocalSearch(graph, labels=first.labels)
    search.settle()
    return search.labels


def _completed(graph: PairGraph) -> PairGraph:
    """The graph with an edge of weight 0 for every absent pair."""
    matrix = np.nan_to_num(graph.matrix())
    left, right = (ends.astype(np.int64) for ends in np.triu_indices(len(graph), 1))
    return PairGraph(graph.ids, left, right, matrix[left, right])


def _decided(graph: PairGraph, given: Fixed) -> PairGraph:
    """The graph in which a heuristic follows the decisions: a weight above all others, or no edge."""
    if not given:
        return graph
    decisions = {(min(u, v), max(u, v)): together for u, v, together in given}
    heavy = 1 + 2 * float(np.abs(graph.weights).sum())
    weights = np.array([heavy if decisions.get((u, v)) else w for u, v, w in graph.edges])
    keep = np.array([decisions.get((u, v), True) for u, v, _ in graph.edges], dtype=bool)
    return PairGraph(graph.ids, graph.left[keep], graph.right[keep], weights[keep])


def _without_cuts(graph: PairGraph, given: Fixed) -> float:
    decided = {(min(u, v), max(u, v)): together for u, v, together in given}
    if not decided:
        return math.fsum(graph.weights[graph.weights > 0])
    return math.fsum(
        w if together else 0.0 if together is False else max(w, 0.0)
        for u, v, w in graph.edges
        for together in [decided.get((u, v))]
    )


class _Search:
    """Branch and cut: best bound first, cuts shared by all branches."""

    def __init__(
        self, graph: PairGraph, decided: PairGraph, given: Fixed, start: Ints, tolerance: float, deadline: float
    ) -> None:
        self._graph, self._for_heuristic, self._given, self._labels = graph, decided, given, start
        self._value = graph.value(start)
        self._tolerance, self._deadline = tolerance, deadline
        self._relaxation = Relaxation(graph, forced=bool(given))
        self._closed: list[tuple[float, Leaf]] = []
        self._open: list[tuple[float, int, Leaf]] = []
        self._splits, self._searched, self._begun = 0, 0.0, time.monotonic()
        self._limit = deadline - self._begun
        self._patience = min(_PATIENCE, self._limit / 8)

    def run(self, root: Leaf, bound: float) -> None:
        count = itertools.count()
        self._open = [(-bound, next(count), root)]
        while self._open and time.monotonic() < self._deadline:
            bound, _, leaf = heapq.heappop(self._open)
            bound = -bound
            split = None
            if bound > self._value + self._tolerance:
                bound, leaf, split = self._bound(leaf, bound)
            if split is None or bound <= self._value + self._tolerance:
                self._closed.append((bound, leaf))
                continue
            self._splits += 1
            for together in (True, False):
                child = Leaf((*leaf.fixed, (*split, together)), leaf.multipliers)
                heapq.heappush(self._open, (-bound, next(count), child))

    def solution(self) -> Solution:
        leaves = self._closed + [(-negative, leaf) for negative, _, leaf in self._open]
        bound = max(self._value, *(bound for bound, _ in leaves))
        return Solution(
            self._labels,
            self._value,
            Certificate(bound, tuple(leaf for _, leaf in leaves), self._given),
            optimal=bound - self._value <= self._tolerance,
            gap=bound - self._value,
            rounds=self._relaxation.rounds,
            cuts=self._relaxation.cuts,
            splits=self._splits,
        )

    def _bound(self, leaf: Leaf, bound: float) -> tuple[float, Leaf, tuple[int, int] | None]:
        """Cut until the leaf is settled, nothing is broken or time is up; the pair to split on, if there is one."""
        self._relaxation.fix(leaf.fixed)
        stars_too = False
        while True:
            left = self._deadline - time.monotonic()
            longest = min(self._limit / 8, time.monotonic() - self._begun)
            status = self._relaxation.solve(min(left, max(self._patience, longest)))
            if status == "infeasible":
                return -np.inf, Leaf(leaf.fixed, {}), None
            if status == "stopped":
                if time.monotonic() >= self._deadline:
                    return bound, leaf, None
                self._take_turns(bound)
                continue  # the solver goes on where it was
            now, multipliers = self._relaxation.bound()
            if now < bound:
                bound, leaf = now, Leaf(leaf.fixed, multipliers)
            x = self._relaxation.x()
            if self._relaxation.rounds > 1:  # the first only joins what is positive, where the search began
                self._round(x)
            if bound <= self._value + self._tolerance:
                return bound, leaf, None
            self._take_turns(bound)
            if bound <= self._value + self._tolerance:
                return bound, leaf, None
            broken = broken_triangles(x, _TRIANGLES_A_ROUND, self._deadline)
            stars_too = stars_too or len(broken) < _FEW
            if stars_too:
                broken += broken_stars(x, _STARS_A_ROUND, self._deadline)
            self._relaxation.drop_slack_rows()
            if not self._relaxation.add(broken):
                return bound, leaf, self._relaxation.most_fractional()

    def _round(self, x: Floats64) -> None:
        """A partition from a fractional solution, kept if it is heavier."""
        near = self._for_heuristic
        towards = PairGraph(near.ids, near.left, near.right, x[near.left, near.right] - 0.5)
        self._offer(_heuristic(near, towards))

    def _offer(self, labels: Ints) -> None:
        value = self._graph.value(labels)
        follows = all((labels[u] == labels[v]) == together for u, v, together in self._given)
        if follows and value > self._value:
            self._labels, self._value = labels, value

    def _take_turns(self, bound: float) -> None:
        """Let the local search have its share of the time, once the program has had some."""
        now = time.monotonic()
        share = _SEARCH_SHARE + (_FAR_SHARE - _SEARCH_SHARE) * min(1.0, (bound - self._value) / (abs(bound) or 1.0))
        due = share * (now - self._begun) - self._searched
        if now - self._begun < self._patience or due <= 0 or now >= self._deadline:
            return
        search = LocalSearch(self._for_heuristic, labels=self._labels, seed=1 + self._relaxation.rounds)
        search.run(min(now + due / (1 - share), self._deadline))
        self._searched += time.monotonic() - now
        self._offer(search.labels)
