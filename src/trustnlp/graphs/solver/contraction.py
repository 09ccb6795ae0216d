"""A good partition fast: greedy additive contraction, then moves and merges until none helps.

Not in the paper, whose heuristics are "being developed" (§4). Greedy additive edge contraction is from Keuper et al.
(2015), "Efficient decomposition of image and mesh graphs by lifted multicuts", ICCV. It is exact on no class of graphs;
`trustnlp.graphs.solver.integer_program` starts from it and proves how far it is from the best.
"""

from __future__ import annotations

import heapq
from collections import defaultdict

import numpy as np
from numpy.typing import ArrayLike

from trustnlp.graphs.pair_graph import Absent, Ints, PairGraph

_SMALLEST_GAIN = 1e-9


def greedy_contraction(graph: PairGraph, absent: Absent = "never") -> Ints:
    """Join the two clusters with the greatest weight between them while it is above 0.

    Returns
    -------
    `(N,)` label of each node. With `never`, two clusters are joined only if every pair across them is an edge.
    """
    near = [dict(row) for row in graph.neighbours]
    heap = [(-w, u, v) for u, v, w in graph.edges if w > 0]
    heapq.heapify(heap)
    joined_to = list(range(len(graph)))
    while heap:
        negative, u, v = heapq.heappop(heap)
        if near[u].get(v) != -negative:
            continue
        if len(near[u]) < len(near[v]):
            u, v = v, u
        joined_to[v] = u
        _contract(near, u, v, absent)
        for other, weight in near[u].items():
            if weight > 0:
                heapq.heappush(heap, (-weight, u, other))
    return _roots(joined_to)


def improve(graph: PairGraph, labels: ArrayLike, absent: Absent = "never") -> Ints:
    """Move single nodes and merge clusters as long as the weight grows; never worse than what is given.

    Parameters
    ----------
    labels
        `(N,)` a partition; with `never` its clusters are cliques, which the result keeps.
    """
    label = np.unique(np.asarray(labels), return_inverse=True)[1].tolist()
    sizes: dict[int, int] = defaultdict(int)
    for cluster in label:
        sizes[cluster] += 1
    while _move_nodes(graph, label, sizes, absent) or _merge_clusters(graph, label, sizes, absent):
        pass
    return np.unique(label, return_inverse=True)[1].astype(np.int64)


def _contract(near: list[dict[int, float]], u: int, v: int, absent: Absent) -> None:
    """Merge v into u: weights to others add up; with `never` an other that either has no edge to is lost to both."""
    del near[u][v], near[v][u]
    for other, weight in near[v].items():
        del near[other][v]
        if other in near[u]:
            near[u][other] += weight
            near[other][u] += weight
        elif absent == "zero":
            near[u][other] = near[other][u] = weight
    if absent == "never":
        for other in [other for other in near[u] if other not in near[v]]:
            del near[u][other], near[other][u]
    near[v] = {}


def _move_nodes(graph: PairGraph, label: list[int], sizes: dict[int, int], absent: Absent) -> bool:
    """Move each node, once each in turn, to the cluster that gains most; whether any moved."""
    moved = False
    for node, row in enumerate(graph.neighbours):
        weight: dict[int, float] = defaultdict(float)
        edges: dict[int, int] = defaultdict(int)
        for other, w in row.items():
            weight[label[other]] += w
            edges[label[other]] += 1
        here = label[node]
        best, gain = -1, _SMALLEST_GAIN
        if -weight[here] > gain and sizes[here] > 1:
            best, gain = next(cluster for cluster in range(len(label) + 1) if not sizes[cluster]), -weight[here]
        for cluster, total in weight.items():
            allowed = absent == "zero" or edges[cluster] == sizes[cluster]
            if cluster != here and allowed and total - weight[here] > gain:
                best, gain = cluster, total - weight[here]
        if best >= 0:
            sizes[here] -= 1
            sizes[best] += 1
            label[node] = best
            moved = True
    return moved


def _merge_clusters(graph: PairGraph, label: list[int], sizes: dict[int, int], absent: Absent) -> bool:
    """Merge the pair of clusters that gains most; whether there was one."""
    weight: dict[tuple[int, int], float] = defaultdict(float)
    edges: dict[tuple[int, int], int] = defaultdict(int)
    for u, v, w in graph.edges:
        if label[u] != label[v]:
            pair = (min(label[u], label[v]), max(label[u], label[v]))
            weight[pair] += w
            edges[pair] += 1
    allowed = [
        (total, pair)
        for pair, total in weight.items()
        if total > _SMALLEST_GAIN and (absent == "zero" or edges[pair] == sizes[pair[0]] * sizes[pair[1]])
    ]
    if not allowed:
        return False
    stays, gone = max(allowed)[1]
    for node, cluster in enumerate(label):
        if cluster == gone:
            label[node] = stays
    sizes[stays] += sizes[gone]
    sizes[gone] = 0
    return True


def _roots(joined_to: list[int]) -> Ints:
    for node in range(len(joined_to)):
        root = node
        while joined_to[root] != root:
            root = joined_to[root]
        joined_to[node] = root
    return np.unique(joined_to, return_inverse=True)[1].astype(np.int64)
