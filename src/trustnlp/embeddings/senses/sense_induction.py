"""Senses of words found in their word vectors: ego networks, clustered, each cluster averaged to a sense vector.

Pelevina et al. (2016), §3, as Arnold, Yesilbas and Weinzierl (2023), §3, use it: the 200 nearest neighbours of a word
by cosine, a graph of the similarities between them, Chinese Whispers, and the senses as weighted averages of the words
of a cluster. What the second paper leaves open is as in sensegram (https://github.com/uhh-lt/sensegram): clusters of
fewer than 5 words are dropped, 20 words are pooled, weights are cosines to the word itself.

Deviations from sensegram: ties and order (`trustnlp.graphs.chinese_whispers`), finer weights
(`trustnlp.graphs.ego_networks`), and no neighbour is left out because it is spelled like the word: give vectors of
lower-cased words. Vectors are averaged as they are given; pass normalised ones for an average of directions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from trustnlp.embeddings.exact_search import k_nearest
from trustnlp.embeddings.senses.sense_inventory import SenseInventory, hash_of
from trustnlp.embeddings.static import WordVectors
from trustnlp.graphs.ego_networks import NeighbourGraph

_EGOS_AT_ONCE = 4096


def induce_senses(
    vectors: WordVectors,
    *,
    neighbours: int = 200,
    edges: int | None = 200,
    min_size: int = 5,
    pooled: int = 20,
    seed: int,
) -> SenseInventory:
    """The senses of all words.

    Parameters
    ----------
    vectors
        Any word vectors. Duplicates of one vector are neighbours at cosine 1.
    neighbours
        `k`, size of the ego networks, below the number of words.
    edges
        Neighbours that a node of an ego network names at most; None for all. Fewer edges give more senses.
    min_size
        Clusters of fewer words are dropped. A word whose every cluster is dropped keeps its word vector as its only
        sense and is counted in `dropped`.
    pooled
        A sense vector is the mean of so many words of the cluster, those nearest to the word, weighted by their
        cosine to it. The cluster's size, and with it the prior, counts all its words.
    seed
        Of Chinese Whispers.

    Raises
    ------
    ValueError
        If there are not more words than `neighbours`, or a number below 1.
    ImportError
        If numba is not installed (the extra `senses`).
    """
    check_counts(vectors, neighbours, min_size=min_size, pooled=pooled)
    return senses_of_graph(
        vectors, neighbour_graph(vectors, neighbours), edges=edges, min_size=min_size, pooled=pooled, seed=seed
    )


def check_counts(vectors: WordVectors, neighbours: int, **others: int) -> None:
    """Refuse more neighbours than there are other words, and numbers below 1."""
    for name, number in {"neighbours": neighbours, **others}.items():
        if number < 1:
            raise ValueError(f"{name} has to be 1 or more, got {number}")
    if neighbours >= len(vectors):
        raise ValueError(
            f"{vectors.name}: {neighbours} neighbours per word need at least {neighbours + 1} words, got "
            f"{len(vectors)}; ask for fewer neighbours or give more words"
        )


def neighbour_graph(vectors: WordVectors, neighbours: int) -> NeighbourGraph:
    """The nearest neighbours of each word by cosine, exact. Costs most of the time of `induce_senses`."""
    check_counts(vectors, neighbours)
    ids, cosines = k_nearest(torch.tensor(vectors.matrix), neighbours, cosine=True)
    return NeighbourGraph(ids.numpy().astype(np.int32), cosines.numpy())


def senses_of_graph(
    vectors: WordVectors,
    graph: NeighbourGraph,
    *,
    edges: int | None = 200,
    min_size: int = 5,
    pooled: int = 20,
    seed: int,
) -> SenseInventory:
    """`induce_senses` where the neighbours are known, for inventories that differ in seed, edges or sizes alone.

    The graph has to be the one that `neighbour_graph` made of the same vectors: ValueError if it has another size.
    """
    # Here and not above: numba is an extra, which a file with finished senses does not need.
    from trustnlp.graphs.chinese_whispers import cluster_ego_networks

    if len(graph) != len(vectors):
        raise ValueError(f"the graph has {len(graph)} words, the vectors have {len(vectors)}; make it of these vectors")
    check_counts(vectors, graph.k, min_size=min_size, pooled=pooled)
    parts = []
    for start in range(0, len(graph), _EGOS_AT_ONCE):
        rows = np.arange(start, min(start + _EGOS_AT_ONCE, len(graph)))
        labels = cluster_ego_networks(graph, rows, edges=edges, seed=seed)
        parts.append(_pool(vectors.matrix, graph, rows, labels, min_size, pooled))
    owner, size, matrix = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    dropped = np.setdiff1d(np.arange(len(vectors)), owner)
    # Words without a cluster join the others at their place; a stable sort keeps the order of a word's senses.
    owner = np.concatenate([owner, dropped])
    order = np.argsort(owner, kind="stable")
    owner = owner[order]
    size = np.concatenate([size, np.ones(len(dropped), dtype=np.int64)])[order]
    prior = size / np.bincount(owner, weights=size)[owner]
    matrix = np.concatenate([matrix, vectors.matrix[dropped]])[order]
    return SenseInventory(vectors.words, owner, matrix, prior, len(dropped), hash_of(vectors))


class _Pooled(NamedTuple):
    owner: NDArray[np.int64]  # (s,)
    size: NDArray[np.int64]  # (s,) words of the cluster
    matrix: NDArray[np.float32]  # (s, d)


def _pool(
    table: NDArray[np.float32],
    graph: NeighbourGraph,
    rows: NDArray[np.int64],
    labels: NDArray[np.int16],
    min_size: int,
    pooled: int,
) -> _Pooled:
    """The senses of some words; those of one word by falling size of the cluster, then by its member nearest to it."""
    n, k = labels.shape
    inside = labels >= 0
    # One number per cluster of any of the words, members in the order of closeness.
    cluster = (np.arange(n)[:, None] * k + labels)[inside]
    size = np.bincount(cluster, minlength=n * k)
    large = np.flatnonzero(size >= min_size)
    large = large[np.lexsort((large, -size[large], large // k))]
    new = np.full(n * k, -1)
    new[large] = np.arange(len(large))

    sense, member, cosine = new[cluster], graph.ids[rows][inside], graph.cosines[rows][inside]
    order = np.argsort(sense, kind="stable")
    order = order[sense[order] >= 0]
    sense = sense[order]
    rank = np.arange(len(sense)) - np.searchsorted(sense, sense)  # closeness to the ego within the cluster
    order, sense = order[rank < pooled], sense[rank < pooled]
    weight = cosine[order].astype(np.float64)
    weight /= np.bincount(sense, weights=weight, minlength=len(large))[sense]
    mean = sparse.csr_array((weight, (sense, member[order])), shape=(len(large), len(table))) @ table
    return _Pooled(rows[large // k], size[large], np.asarray(mean, dtype=np.float32))
