"""Control arms for sense vectors: what changes if there are no senses, or if nobody asks for them.

Arnold, Yesilbas and Weinzierl (2023), §4.1, say that senses stretch the privacy budget because more candidates crowd
the space. Two things change at once there: a word gets several candidates, and every candidate becomes an average of
word vectors. Each arm here changes one of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from trustnlp.embeddings.senses.sense_induction import check_counts, neighbour_graph
from trustnlp.embeddings.senses.sense_inventory import SenseInventory, hash_of
from trustnlp.embeddings.static import WordVectors


def one_average_per_word(vectors: WordVectors, *, neighbours: int = 200, pooled: int = 20) -> SenseInventory:
    """One averaged vector per word and no senses: averaging alone, without more candidates.

    The vector is pooled as a sense vector is (`induce_senses`), with all neighbours as the one cluster: the `pooled`
    nearest words, weighted by their cosine. `pooled=neighbours` averages all. A word without a neighbour of positive
    cosine keeps its word vector and is counted in `dropped`.

    Raises
    ------
    ValueError
        If `induce_senses` would raise it.
    """
    check_counts(vectors, neighbours, pooled=pooled)
    graph = neighbour_graph(vectors, neighbours)
    used = min(pooled, neighbours)
    weights = np.maximum(graph.cosines[:, :used].astype(np.float64), 0)
    total = weights.sum(axis=1, keepdims=True)
    alone = total[:, 0] == 0
    weights = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    owner = np.arange(len(vectors))
    places = (np.repeat(owner, used), graph.ids[:, :used].ravel())
    mean = sparse.csr_array((weights.ravel(), places), shape=(len(vectors),) * 2) @ vectors.matrix
    matrix = np.where(alone[:, None], vectors.matrix, mean).astype(np.float32)
    return SenseInventory(vectors.words, owner, matrix, np.ones(len(owner)), int(alone.sum()), hash_of(vectors))


class Candidates(NamedTuple):
    """Vectors among which a nearest one is sought; the first `V` are those of the words, and only they are queried.

    Attributes
    ----------
    matrix
        `(V + S, d)` word vectors, then sense vectors.
    owner
        `(V + S,)` row of the word that each belongs to.
    """

    matrix: NDArray[np.float32]
    owner: NDArray[np.int64]


def senses_as_decoys(vectors: WordVectors, inventory: SenseInventory) -> Candidates:
    """More candidates alone: words are looked up as they are, and all senses may be hit in their place.

    Raises
    ------
    ValueError
        If the inventory is of other word vectors.
    """
    if inventory.vectors_hash != hash_of(vectors):
        raise ValueError(f"the inventory is of other word vectors than {vectors.name}; induce the senses of these")
    return Candidates(
        np.concatenate([vectors.matrix, inventory.matrix]),
        np.concatenate([np.arange(len(vectors)), inventory.owner]),
    )
