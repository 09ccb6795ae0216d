"""Chinese Whispers on the ego networks of many words at once, in compiled code.

Biemann (2006), "Chinese Whispers"; the variant is the one that sensegram uses (`top`). Each node begins with a label of
its own. A pass goes through the nodes in a random order, and a node takes the label with the largest sum of edge
weights among its neighbours; the next node already sees it. A pass that changes nothing ends the clustering.

What the papers leave open, stated:

- **Ties** go to the label that began at the node nearest to the ego (the lowest). The package `chinese-whispers`
  draws. With weights in units of 2⁻²⁰ (`trustnlp.graphs.ego_networks`) ties are rare.
- **Order**: a new permutation for each pass, Fisher and Yates with SplitMix64 (Steele, Lea and Flood 2014), started
  from the seed and the row of the ego. A word's clusters therefore depend neither on the number of threads nor on which
  other words are clustered.
- **End**: at most `passes`, 20 as in sensegram. Without that limit it would end as well: each change raises the sum
  of weights inside clusters, or keeps it and lowers a label.

A node is passed over if none of its neighbours changed since its last turn: its sums are the same, so is its label.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.graphs.ego_networks import SCALE, NeighbourGraph, checked_edges

try:
    import numba
except ImportError as error:
    raise ImportError("clustering ego networks needs numba: pip install 'trustnlp[senses]'") from error

_EACH = 256  # egos per task of a thread
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def cluster_ego_networks(
    graph: NeighbourGraph,
    rows: ArrayLike | None = None,
    *,
    seed: int,
    edges: int | None = None,
    passes: int = 20,
    threads: int | None = None,
) -> NDArray[np.int16]:
    """The clusters of the ego network of each word.

    Parameters
    ----------
    graph
        Neighbours of all words.
    rows
        `(n,)` the egos; None for all words.
    seed
        Of the random orders, from 0 to 2⁶⁴ - 1.
    edges
        How many neighbours a node names at most, as in `ego_network`; None for all.
    passes
        At most so many passes.
    threads
        None for as many as this process may use cores. The result does not depend on it.

    Returns
    -------
    `(n, k)` cluster of each neighbour, in the order of `graph.ids`. Clusters are numbered from 0 by their member
    nearest to the ego; -1 marks neighbours with a cosine of 0 or less, which are no nodes.

    Raises
    ------
    ValueError
        If a row is unknown, or the seed, `edges`, `passes` or `threads` are out of range.
    """
    egos = np.arange(len(graph)) if rows is None else np.atleast_1d(np.asarray(rows))
    if egos.ndim != 1 or (egos.size and not np.issubdtype(egos.dtype, np.integer)):
        raise ValueError(f"rows are whole numbers in one dimension, got {egos.dtype} of shape {egos.shape}")
    if egos.size and not 0 <= egos.min() <= egos.max() < len(graph):
        raise ValueError(f"egos are rows from 0 to {len(graph) - 1}, got {egos.min()} to {egos.max()}")
    if not 0 <= seed < 2**64:
        raise ValueError(f"a seed lies between 0 and 2**64 - 1, got {seed}")
    if passes < 1 or (threads is not None and threads < 1):
        raise ValueError(f"passes and threads are 1 or more, got {passes} and {threads}")
    most = checked_edges(graph, edges)
    egos = egos.astype(np.int64)
    ids, labels = graph.ids.view(np.uint32), np.empty((len(egos), graph.k), dtype=np.int16)

    def cluster(start: int) -> None:
        part = slice(start, start + _EACH)
        _cluster(ids, graph.cosines, egos[part], np.uint64(seed), most, passes, labels[part])

    with ThreadPoolExecutor(threads or _cores()) as pool:
        list(pool.map(cluster, range(0, len(egos), _EACH)))
    return labels


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# Kept on disk between processes. Numba looks at the time of this file alone: what is compiled calls nothing of others.
_compiled: Callable[..., Any] = numba.njit(nogil=True, cache=True)


@_compiled
def _mix(z: np.uint64) -> np.uint64:
    """The finaliser of SplitMix64."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@_compiled
def _cluster(ids, cosines, egos, seed, most, passes, labels):  # type: ignore[no-untyped-def]
    """`ids` are uint32. Numbers that index arrays are unsigned: signed ones cost a test for negative each time."""
    size, k = ids.shape
    absent = np.uint16(65535)
    place = np.full(size, absent)  # of a word among the nodes
    weights = np.zeros((k, k), dtype=np.int32)
    degree = np.zeros(k, dtype=np.uint64)
    linked = np.empty((k, k), dtype=np.uint16)  # the neighbours of each node, `degree` of them
    found, where = np.empty(k + 1, dtype=np.uint16), np.empty(k + 1, dtype=np.uint16)
    label, order, number = np.empty(k, dtype=np.uint16), np.empty(k, dtype=np.uint16), np.empty(k, dtype=np.uint16)
    waiting = np.empty(k, dtype=np.bool_)  # a neighbour has changed since the node's last turn
    sums = np.zeros(k, dtype=np.int32)
    one, unit = np.uint64(1), np.float32(SCALE)
    for at in range(len(egos)):
        nodes = ids[egos[at]]
        n = 0
        while n < k and cosines[egos[at], n] > 0:
            place[nodes[n]] = n
            n += 1

        for i in range(n):
            row, near = ids[nodes[i]], cosines[nodes[i]]
            hits = np.uint64(0)
            for j in range(k):  # without a branch, as nobody can foresee whether a neighbour is a node
                node = place[row[j]]
                found[hits], where[hits] = node, j
                hits += np.uint64(node != absent)
            for hit in range(min(hits, np.uint64(most))):
                j, units = found[hit], np.int32(near[where[hit]] * unit)
                if units <= 0:
                    break
                if weights[i, j] == 0:
                    linked[i, degree[i]] = j
                    linked[j, degree[j]] = i
                    degree[i] += one
                    degree[j] += one
                if units > weights[i, j]:
                    weights[i, j] = weights[j, i] = units

        for i in range(n):
            label[i], order[i], waiting[i] = i, i, degree[i] > 0
        state = _mix(_mix(seed) + np.uint64(egos[at]))
        for _ in range(passes):
            changed = False
            for i in range(n - 1, 0, -1):
                state += _GOLDEN
                # The upper 32 bits, scaled to 0 … i: no residue is favoured by more than i in 2³².
                other = ((_mix(state) >> np.uint64(32)) * np.uint64(i + 1)) >> np.uint64(32)
                order[i], order[other] = order[other], order[i]
            for turn in range(n):
                i = order[turn]
                if not waiting[i]:
                    continue
                waiting[i] = False
                # Weights are positive, so that sums only grow: the largest is among those seen at some last addition.
                best, largest = label[i], np.int32(0)
                for link in range(degree[i]):
                    theirs = label[linked[i, link]]
                    total = sums[theirs] + weights[i, linked[i, link]]
                    sums[theirs] = total
                    if total > largest or (total == largest and theirs < best):
                        best, largest = theirs, total
                for link in range(degree[i]):
                    sums[label[linked[i, link]]] = 0
                if best != label[i]:
                    label[i], changed = best, True
                    for link in range(degree[i]):
                        waiting[linked[i, link]] = True
            if not changed:
                break

        # Number the clusters by their first nodes, and leave the scratch as it was found.
        number[:] = absent
        clusters = np.uint16(0)
        for i in range(n):
            if number[label[i]] == absent:
                number[label[i]] = clusters
                clusters += np.uint16(1)
            labels[at, i] = number[label[i]]
            for link in range(degree[i]):
                weights[i, linked[i, link]] = 0
            degree[i] = 0
            place[nodes[i]] = absent
        labels[at, n:] = -1
