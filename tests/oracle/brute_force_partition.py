"""The best partition of a small graph, by trying all of them: an oracle for everything that claims an optimum."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from trustnlp.graphs.pair_graph import Absent, PairGraph

MOST_NODES = 11  # 678,570 partitions


def partitions(size: int) -> Iterator[tuple[int, ...]]:
    """The labels of every partition of `size` nodes, clusters numbered in the order of their first members."""
    if size == 0:
        yield ()
        return
    for labels in partitions(size - 1):
        for label in range(max(labels, default=-1) + 2):
            yield (*labels, label)


def best_partition(graph: PairGraph, absent: Absent = "never") -> tuple[float, np.ndarray]:
    """Value and labels of a partition of greatest weight; among equals the first that the search meets.

    Parameters
    ----------
    absent
        A pair without an edge is `never` in one cluster, or may be and weighs `zero`.
    """
    size = len(graph)
    if size > MOST_NODES:
        raise ValueError(f"{size} nodes have too many partitions to try, at most {MOST_NODES}")
    weight = graph.matrix()
    weight[np.isnan(weight)] = -math.inf if absent == "never" else 0.0
    table = weight.tolist()
    best: tuple[float, list[int]] = (-math.inf, [])

    def place(node: int, clusters: list[list[int]], value: float) -> None:
        nonlocal best
        if node == size:
            if value > best[0]:
                labels = [0] * size
                for label, cluster in enumerate(clusters):
                    for member in cluster:
                        labels[member] = label
                best = value, labels
            return
        for cluster in clusters:
            gain = sum(table[node][member] for member in cluster)
            if gain > -math.inf:
                cluster.append(node)
                place(node + 1, clusters, value + gain)
                cluster.pop()
        clusters.append([node])
        place(node + 1, clusters, value)
        clusters.pop()

    place(0, [], 0.0)
    return best[0], np.array(best[1], dtype=np.int64)
