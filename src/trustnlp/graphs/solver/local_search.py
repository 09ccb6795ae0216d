"""Perturb and improve: a heavier partition for as long as there is time, in compiled code.

Not in the paper, whose heuristics are "being developed" (Vadrevu et al. 2021, §4). An iterated local search after
Lourenço, Martin and Stützle (2003): break up two neighbouring clusters, or move some of their nodes elsewhere, let
every node touched go where it gains most, and keep the result unless it is lighter. A change costs as much as the edges
around it, not around the graph, so the search goes on in graphs of any size.

The order in which it looks is drawn from the seed, so that as many steps find the same partition every time; how many
there are is up to the clock. Without numba the same code runs, some hundred times slower.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from trustnlp.graphs.pair_graph import Absent, Ints, PairGraph

try:
    import numba

    _compiled: Callable[..., Any] = numba.njit(nogil=True, cache=True)
except ImportError:  # the extra `graphs` has it

    def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
        return function


_CHUNK = 0.1  # seconds between two looks at the clock
_MOST_TOUCHED = 48  # nodes moved by one perturbation
_GAIN = 1e-9  # in units of the largest weight: less is no gain


class LocalSearch:
    """A partition that gets heavier.

    Attributes
    ----------
    labels
        `(N,)` cluster of each node.
    steps
        Perturbations so far.

    Parameters
    ----------
    absent
        With `never` clusters stay cliques.
    labels
        Where to begin; each node alone by default. With `never` its clusters are cliques.
    """

    def __init__(
        self, graph: PairGraph, absent: Absent = "never", labels: ArrayLike | None = None, seed: int = 1
    ) -> None:
        nodes, edges = len(graph), len(graph.weights)
        start, end = np.concatenate([graph.left, graph.right]), np.concatenate([graph.right, graph.left])
        order = np.argsort(start, kind="stable")
        self._near = end[order].astype(np.int32)
        self._weights = np.concatenate([graph.weights, graph.weights])[order]
        self._first = np.searchsorted(start[order], np.arange(nodes + 1))
        start_labels = np.arange(nodes) if labels is None else np.unique(np.asarray(labels), return_inverse=True)[1]
        self._labels = start_labels.astype(np.int32)
        size = np.bincount(self._labels, minlength=nodes + 1).astype(np.int32)
        self._state = (
            size,
            np.zeros(4 * nodes + 8, dtype=np.int32),  # clusters without members
            np.zeros(nodes + 1, dtype=np.int32),  # nodes to look at, in a circle
            np.zeros(nodes + 1, dtype=np.bool_),  # which of them wait there
            np.zeros(nodes + 1),  # weight from a node to each cluster
            np.zeros(nodes + 1, dtype=np.int32),  # edges from a node to each cluster
            np.zeros(nodes + 1, dtype=np.int32),  # clusters met
            np.zeros((16 * nodes + 1024, 2), dtype=np.int32),  # moves since the last that was kept
            np.zeros(4, dtype=np.int64),  # lengths of these lists
        )
        self._random = np.array([np.uint64(seed) * np.uint64(2**32 + 15) + np.uint64(88172645463325252)])
        self._strict, self.steps = absent == "never", 0
        self._least = _GAIN * float(np.abs(graph.weights).max(initial=0.0))
        self._movable = bool(edges) and nodes > 2
        self._graph, self._absent = graph, absent

    @property
    def labels(self) -> Ints:
        return self._labels.astype(np.int64)

    def settle(self) -> None:
        """Move nodes, then groups of nodes, to where they gain most, until none gains.

        Groups are those that the nodes of each cluster would form on their own, so that a cluster can come apart again
        (the refinement of Leiden, Traag, Waltman and van Eck 2019), and last the whole clusters.
        """
        while len(self._weights):
            self._settle_nodes()
            _, labels = np.unique(self._labels, return_inverse=True)
            if not (self._settle_groups(self._groups(labels), labels) or self._settle_groups(labels, labels)):
                return

    def _groups(self, labels: Ints) -> Ints:
        """The groups that the nodes of each cluster form when no other cluster is there."""
        graph = self._graph
        inside = labels[graph.left] == labels[graph.right]
        alone = LocalSearch(
            PairGraph(graph.ids, graph.left[inside], graph.right[inside], graph.weights[inside]), self._absent
        )
        alone._settle_nodes()
        return np.unique(alone._labels, return_inverse=True)[1]

    def _settle_groups(self, groups: Ints, labels: Ints) -> bool:
        """Move whole groups between clusters; whether that gained anything."""
        above_graph = clusters_as_nodes(self._graph, groups, self._absent)
        if len(above_graph) == len(groups):
            return False
        first = np.zeros(len(above_graph), dtype=np.int64)
        first[groups] = labels
        above = LocalSearch(above_graph, self._absent, first)
        before = above_graph.value(first)
        above.settle()
        if above_graph.value(above.labels) <= before + self._least:
            return False
        self._become(above.labels[groups])
        return True

    def _become(self, labels: Ints) -> None:
        self._labels[:] = labels
        self._state[0][:] = np.bincount(self._labels, minlength=len(self._state[0]))

    def _settle_nodes(self) -> None:
        _settle_all(self._first, self._near, self._weights, self._labels, self._state, self._strict, self._least)

    def run(self, deadline: float, stop: Callable[[], bool] = lambda: False) -> None:
        """Perturb and improve until the deadline (of `time.monotonic`) or until told to stop.

        In between it starts afresh, most of the time where a start is quick; where it takes longer than is left, never.
        """
        begun = time.monotonic()
        self.settle()
        steps, start, perturbing, starting = 1, time.monotonic() - begun, 0.0, 0.0
        while self._movable and time.monotonic() < deadline and not stop():
            begun = time.monotonic()
            if starting < perturbing * (4 if start < _CHUNK else 0.5) and begun + 4 * start < deadline:
                self.start_afresh()
                start = time.monotonic() - begun
                starting += start
                continue
            self.take(steps)
            took = max(time.monotonic() - begun, 1e-6)
            steps, perturbing = int(np.clip(steps * _CHUNK / took, 1, 4 * steps)), perturbing + took

    def start_afresh(self) -> None:
        """Settle from the start with noise on the weights, and mix the result with the present partition.

        Nodes that both have together move as one first (the core groups of Ovelgönne and Geyer-Schulz 2012). What is
        not lighter is kept.
        """
        graph, rng = self._graph, np.random.default_rng(self._random[0])
        self._random[0] = rng.integers(1, 2**63, dtype=np.uint64)
        noisy = graph.weights + rng.normal(0.0, graph.weights.std(), len(graph.weights))
        fresh = self._settled(PairGraph(graph.ids, graph.left, graph.right, noisy), None)
        other = self._settled(graph, fresh.labels)
        groups = np.unique(self.labels * (len(graph) + 1) + other.labels, return_inverse=True)[1]
        mixed = self._settled(graph, self._settled(clusters_as_nodes(graph, groups, self._absent), None).labels[groups])
        best = max((mixed, other, self), key=lambda search: graph.value(search._labels))
        if best is not self:
            self._become(best.labels)

    def _settled(self, graph: PairGraph, labels: Ints | None) -> LocalSearch:
        search = LocalSearch(graph, self._absent, labels)
        search.settle()
        return search

    def take(self, steps: int) -> None:
        """So many perturbations."""
        _perturb(
            self._first, self._near, self._weights, self._labels, self._state, self._strict, self._least, self._random,
            steps,
        )  # fmt: skip
        self.steps += steps


def clusters_as_nodes(graph: PairGraph, labels: Ints, absent: Absent) -> PairGraph:
    """The graph of the clusters; with `never` an edge only where two of them make a clique."""
    one, other = labels[graph.left], labels[graph.right]
    across = one != other
    count = int(labels.max(initial=-1)) + 1
    keys = np.minimum(one, other)[across] * count + np.maximum(one, other)[across]
    pairs, place = np.unique(keys, return_inverse=True)
    weights, edges = np.bincount(place, graph.weights[across], len(pairs)), np.bincount(place, minlength=len(pairs))
    left, right = pairs // count, pairs % count
    size = np.bincount(labels, minlength=count)
    complete = np.ones(len(pairs), dtype=bool) if absent == "zero" else edges == size[left] * size[right]
    return PairGraph(tuple(range(count)), left[complete], right[complete], weights[complete])


@_compiled
def _draw(random, most):  # type: ignore[no-untyped-def]
    """A number from 0 to `most` - 1 (xorshift, Marsaglia 2003)."""
    x = random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    random[0] = x
    return np.int64((x >> np.uint64(33)) % np.uint64(most))


@_compiled
def _empty_cluster(size, free, lengths):  # type: ignore[no-untyped-def]
    while lengths[0] > 0:
        if size[free[lengths[0] - 1]] == 0:
            return free[lengths[0] - 1]
        lengths[0] -= 1
    for cluster in range(len(size)):
        if size[cluster] == 0 and lengths[0] < len(free):
            free[lengths[0]] = cluster
            lengths[0] += 1
    return free[lengths[0] - 1]


@_compiled
def _move(node, to, labels, state):  # type: ignore[no-untyped-def]
    size, free, lengths, log = state[0], state[1], state[8], state[7]
    old = labels[node]
    size[old] -= 1
    if size[old] == 0 and lengths[0] < len(free):
        free[lengths[0]] = old
        lengths[0] += 1
    size[to] += 1
    labels[node] = to
    log[lengths[1], 0], log[lengths[1], 1] = node, old
    lengths[1] += 1


@_compiled
def _wait(node, state):  # type: ignore[no-untyped-def]
    """Put a node at the end of the queue."""
    queue, queued, lengths = state[2], state[3], state[8]
    if not queued[node]:
        queued[node] = True
        queue[(lengths[2] + lengths[3]) % len(queue)] = node
        lengths[3] += 1


@_compiled
def _force(node, to, first, near, weights, labels, state, strict):  # type: ignore[no-untyped-def]
    """Move a node to a cluster, whatever that costs; the gain, or minus infinity if it may not be there."""
    size, here = state[0], labels[node]
    gain, edges = 0.0, 0
    for edge in range(first[node], first[node + 1]):
        theirs = labels[near[edge]]
        if theirs == to:
            gain += weights[edge]
            edges += 1
        elif theirs == here:
            gain -= weights[edge]
    if strict and edges != size[to]:
        return -np.inf
    _move(node, to, labels, state)
    return gain


@_compiled
def _settle(first, near, weights, labels, state, strict, least):  # type: ignore[no-untyped-def]
    """Move the nodes in the queue to where they gain most, then those of the clusters they left or joined."""
    size, free, queue, queued, sums, counts, met, log, lengths = state
    total = 0.0
    while lengths[3] > 0:
        node = queue[lengths[2]]
        lengths[2] = (lengths[2] + 1) % len(queue)
        lengths[3] -= 1
        queued[node] = False
        if lengths[1] >= len(log) - 1:
            continue
        n = 0
        for edge in range(first[node], first[node + 1]):
            cluster = labels[near[edge]]
            if counts[cluster] == 0:
                met[n] = cluster
                n += 1
            counts[cluster] += 1
            sums[cluster] += weights[edge]
        here = labels[node]
        stay = sums[here]
        best, gain = -1, least
        for i in range(n):
            cluster = met[i]
            allowed = cluster != here and (not strict or counts[cluster] == size[cluster])
            if allowed and sums[cluster] - stay > gain:
                best, gain = cluster, sums[cluster] - stay
        if -stay > gain and size[here] > 1:
            best, gain = _empty_cluster(size, free, lengths), -stay
        for i in range(n):
            counts[met[i]] = 0
            sums[met[i]] = 0.0
        if best < 0:
            continue
        _move(node, best, labels, state)
        total += gain
        for edge in range(first[node], first[node + 1]):
            other = near[edge]
            if labels[other] == here or labels[other] == best:
                _wait(other, state)
    return total


@_compiled
def _settle_all(first, near, weights, labels, state, strict, least):  # type: ignore[no-untyped-def]
    lengths = state[8]
    gain = 1.0
    while gain > 0:
        for node in range(len(first) - 1):
            _wait(node, state)
        lengths[1] = 0
        gain = _settle(first, near, weights, labels, state, strict, least)
    lengths[1] = 0


@_compiled
def _perturb(first, near, weights, labels, state, strict, least, random, steps):  # type: ignore[no-untyped-def]
    size, free, log, lengths = state[0], state[1], state[7], state[8]
    nodes = len(first) - 1
    chosen = np.zeros(_MOST_TOUCHED, dtype=np.int32)
    for _ in range(steps):
        lengths[1] = 0
        u = _draw(random, nodes)
        degree = first[u + 1] - first[u]
        if degree == 0:
            continue
        v = near[first[u] + _draw(random, degree)]
        for _try in range(8):
            edge = first[u] + _draw(random, degree)
            v = near[edge]
            if weights[edge] > 0 and labels[v] != labels[u]:
                break
        one, other = labels[u], labels[v]
        # Nodes of the two clusters that u or v knows.
        n, seen = 0, 0
        most = 2 + _draw(random, _MOST_TOUCHED - 1)
        for end in range(2):
            centre = u if end == 0 else v
            for edge in range(first[centre], first[centre + 1]):
                node = near[edge]
                if (labels[node] == one or labels[node] == other) and (end == 0 or labels[node] == other):
                    seen += 1
                    if n < most:
                        chosen[n] = node
                        n += 1
                    else:
                        place = _draw(random, seen)
                        if place < most:
                            chosen[place] = node
        total = 0.0
        kind = _draw(random, 4)
        if kind == 0:  # break both up
            for i in range(n):
                if size[labels[chosen[i]]] > 1:
                    to = _empty_cluster(size, free, lengths)
                    total += _force(chosen[i], to, first, near, weights, labels, state, strict)
        elif kind == 1:  # some of one go to the other
            for i in range(n):
                if labels[chosen[i]] == one and one != other:
                    gain = _force(chosen[i], other, first, near, weights, labels, state, strict)
                    if gain > -np.inf:
                        total += gain
        elif kind == 2:  # a few go to where some neighbour is
            for _few in range(1 + _draw(random, 6)):
                node = chosen[_draw(random, n)] if n else u
                there = labels[near[first[node] + _draw(random, first[node + 1] - first[node])]]
                if there != labels[node]:
                    gain = _force(node, there, first, near, weights, labels, state, strict)
                    if gain > -np.inf:
                        total += gain
        else:  # u leaves with v, and some of both with them
            to = _empty_cluster(size, free, lengths)
            for i in range(-2, min(n, 8)):
                node = u if i == -2 else v if i == -1 else chosen[i]
                if labels[node] != to:
                    gain = _force(node, to, first, near, weights, labels, state, strict)
                    if gain > -np.inf:
                        total += gain
        for i in range(lengths[1] - 1, -1, -1):
            _wait(log[i, 0], state)
        for i in range(min(lengths[1], 64)):
            node = log[i, 0]
            for edge in range(first[node], first[node + 1]):
                if labels[near[edge]] == one or labels[near[edge]] == other:
                    _wait(near[edge], state)
        total += _settle(first, near, weights, labels, state, strict, least)
        if total < -least:
            for i in range(lengths[1] - 1, -1, -1):
                node, old = log[i, 0], log[i, 1]
                size[labels[node]] -= 1
                if size[labels[node]] == 0 and lengths[0] < len(free):
                    free[lengths[0]] = labels[node]
                    lengths[0] += 1
                size[old] += 1
                labels[node] = old
    lengths[1] = 0
