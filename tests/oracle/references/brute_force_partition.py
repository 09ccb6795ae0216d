"""The best partition of a small graph, by trying all of them: an oracle for everything that claims an optimum."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator

import numpy as np

from trustnlp.graphs.pair_graph import Absent, PairGraph


def partitions(size: int) -> Iterator[tuple[int, ...]]:
    """The labels of every partition of `size` nodes, clusters numbered in the order of their first members."""
    if size == 0:
        yield ()
        return
    for labels in partitions(size - 1):
        for label in range(max(labels, default=-1) + 2):
            yield (*labels, label)


@functools.cache
def all_labels(size: int) -> np.ndarray:
    """`(partitions, size)`: 4,140 rows for eight nodes."""
    return np.array(list(partitions(size)), dtype=np.int64).reshape(-1, size)


def best_partition(graph: PairGraph, absent: Absent = "never") -> tuple[float, np.ndarray]:
    """Value and labels of a partition of greatest weight.

    Parameters
    ----------
    absent
        A pair without an edge is `never` in one cluster, or may be and weighs `zero`.
    """
    labels = all_labels(len(graph))
    left, right = np.triu_indices(len(graph), 1)
    weights = graph.matrix()[left, right]
    missing = np.isnan(weights)
    inside = labels[:, left] == labels[:, right]
    values = inside[:, ~missing] @ weights[~missing]
    if absent == "never":
        values[inside[:, missing].any(axis=1)] = -math.inf
    best = int(values.argmax())
    return float(values[best]), labels[best]
