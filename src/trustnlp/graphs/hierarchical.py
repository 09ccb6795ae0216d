"""Hierarchical clustering of scored pairs, the baseline HC of xER (Vadrevu et al. 2021, Tables 4 and 5).

The paper cites Hastie et al. (2009) for "a standard" method; in the code of F-MWSP (Lokhande et al. 2020), whose scores
it takes, HC is the clustering of the library dedupe. This is the rule of dedupe 3, written anew.
"""

from __future__ import annotations

import numpy as np
from scipy.cluster import hierarchy

from trustnlp.graphs.pair_graph import Floats64, GraphError, Ints, PairGraph, first_of_each, places_by_label


def hierarchical_clustering(probabilities: PairGraph, threshold: float = 0.5, *, most_nodes: int = 30_000) -> Ints:
    """Clusters of mentions by agglomeration within each connected component of the scored pairs.

    The distance of a scored pair is 1 - p, of any other pair of a component 1; that of clusters is that of their
    centroids, as if 1 - p were a Euclidean distance, which is dedupe's choice. Clusters are merged nearest first, and
    the tree is cut at the distance `1 - threshold`: a subtree is a cluster if no merge inside it is at a greater one
    (centroid distances may shrink on the way up). A component of a single scored pair is a cluster if p > `threshold`;
    a pair with p equal to the threshold is thus joined in larger components only. Unlike in clique partitioning, a
    cluster may hold pairs that were never scored. Ties between distances fall by the order of the nodes.

    A component of more than `most_nodes` loses the pairs whose score lies less than one logit above its lowest, two at
    least, and what remains of it is treated as if it were the whole graph.

    Parameters
    ----------
    probabilities
        Weights are probabilities that the pair is one entity.
    threshold
        0 to 1. dedupe's default is .5.
    most_nodes
        dedupe's 30,000 take about five gigabytes.

    Returns
    -------
    array
        `(N,)` labels, counted from 0 in the order of the clusters' first nodes.

    Raises
    ------
    GraphError
        If a weight or the threshold is no probability, or `most_nodes` is below 2.
    """
    scores = probabilities.weights
    if not 0 <= threshold <= 1:
        raise GraphError(f"a threshold on probabilities lies between 0 and 1, got {threshold}")
    if scores.size and not 0 <= scores.min() <= scores.max() <= 1:
        raise GraphError(
            f"hierarchical clustering takes probabilities as weights, got {scores.min():g} to {scores.max():g}; clique "
            "partitioning takes costs"
        )
    if most_nodes < 2:
        raise GraphError(f"a component has at least two nodes, got most_nodes={most_nodes}")
    labels = np.arange(len(probabilities))
    waiting = [np.argsort(scores, kind="stable")]
    while waiting:
        kept = waiting.pop()  # in the order of their scores, as each component has them
        for places in places_by_label(probabilities.components(kept)[probabilities.left[kept]]):
            edges = kept[places]
            nodes = np.unique([probabilities.left[edges], probabilities.right[edges]])
            if len(nodes) > most_nodes:
                waiting.append(_likelier(scores, edges))
            elif len(edges) > 1:
                labels[nodes] = nodes[_first_of_cluster(probabilities, nodes, edges, threshold)]
            elif scores[edges[0]] > threshold:
                labels[nodes] = nodes[0]
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _first_of_cluster(graph: PairGraph, nodes: Ints, edges: Ints, threshold: float) -> Ints:
    """For each node of a component the place of the first node of its cluster."""
    size = len(nodes)
    row, column = (np.searchsorted(nodes, ends[edges]) for ends in (graph.left, graph.right))
    distances = np.ones(size * (size - 1) // 2, dtype=np.float32)  # dedupe's precision, which decides near-ties
    distances[row * (2 * size - row - 3) // 2 + column - 1] = 1 - graph.weights[edges].astype(np.float32)
    cluster = hierarchy.fcluster(hierarchy.linkage(distances, method="centroid"), 1 - threshold, criterion="distance")
    return first_of_each(cluster)


def _likelier(scores: Floats64, edges: Ints) -> Ints:
    """The pairs, sorted by score, without those less than one logit above the lowest; without two at least."""
    lowest = float(scores[edges[0]])
    odds = np.e * lowest / (1 - lowest) if lowest < 1 else np.inf
    cut = int(np.searchsorted(scores[edges], odds / (1 + odds))) if lowest < 1 else 0
    return edges[max(cut, 2) :]
