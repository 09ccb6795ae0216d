"""Large graphs with known clusters: many components, each with the synthetic scores of xER (Vadrevu et al. 2021, §5.2).

The paper's graphs have up to 262 nodes. Collections of records are larger and fall into many small components, which
is what these graphs imitate: nodes of different blocks have no pair at all.
"""

from __future__ import annotations

import numpy as np

from trustnlp.graphs.pair_graph import GraphError, Ints, PairGraph


def planted_components(
    nodes: int,
    largest: int,
    rng: np.random.Generator,
    threshold: float = -0.3,
    mean: float = 0.5,
    spread: float = 0.3,
    mean_size: float = 3.0,
) -> tuple[PairGraph, Ints]:
    """A graph of blocks with no edges between them, and the cluster in which each node was planted.

    Nodes of one block stand side by side, its clusters mixed. A block need not be connected: it may lose edges to the
    threshold. Memory grows with the pairs inside blocks, `nodes` · `largest` / 3 of them.

    Parameters
    ----------
    largest
        Blocks have 2 to `largest` nodes, each number as likely; the last is cut to fit and may have one.
    threshold
        Pairs scored below it are absent.
    mean, spread
        Scores are N(`mean`, `spread`) inside a cluster and N(-`mean`, `spread`) across, `spread` a standard deviation
        (`trustnlp.data.linkage.ecbplus` says why).
    mean_size
        Cluster sizes are geometric with this mean, cut where their block ends.

    Returns
    -------
    PairGraph, (N,) cluster labels counted from 0.

    Raises
    ------
    GraphError
        If there are no nodes, blocks of fewer than two nodes, or a mean size below 1.
    """
    if nodes < 1 or largest < 2 or not mean_size >= 1:
        raise GraphError(
            "planted components need a node, blocks of up to 2 nodes or more and clusters of mean size 1 or more, "
            f"got nodes={nodes}, largest={largest}, mean_size={mean_size}"
        )
    ends = np.cumsum(rng.integers(2, largest + 1, nodes // 2 + 1))
    ends = np.append(ends[ends < nodes], nodes)
    sizes = np.diff(ends, prepend=0)
    block = np.repeat(np.arange(len(sizes)), sizes)
    # Geometric sizes without a loop: each node begins a new cluster with probability 1 / mean size.
    begins = rng.random(nodes) < 1 / mean_size
    begins[ends - sizes] = True
    truth = (np.cumsum(begins) - 1)[np.lexsort((rng.random(nodes), block))]

    later = ends[block] - np.arange(nodes) - 1  # partners of each node that come after it in its block
    left = np.repeat(np.arange(nodes), later)
    right = left + 1 + np.arange(len(left)) - np.repeat(np.cumsum(later) - later, later)
    weights = rng.normal(np.where(truth[left] == truth[right], mean, -mean), spread)
    scored = weights >= threshold
    return PairGraph(tuple(range(nodes)), left[scored], right[scored], weights[scored]), truth
