"""In which order explanations are shown: whoever looks for a bug looks at few of them.

Idahl, Lyu, Gadiraju and Anand (2021), §5: examinations have "a tight budget on the number of instances", and showing
only instances with the bug assumes that the selection is optimal. Four orders that do not know where the bug is:

- `random`.
- `uncertainty`: texts first whose two largest probabilities are closest.
- `submodular_pick` (Ribeiro, Singh and Guestrin 2016, §4 and Algorithm 2). A word that an explanation gives a score
  other than 0 is covered by it; the importance of a word is I = √Σ|score|, summed over explanations; greedily, the
  explanation is taken that adds the most importance of words not covered yet. This is within 1 - 1/e of the best choice
  of that many. An explanation there is LIME's, with a limited number of words; here it is cut to the 10 words with the
  largest |score|, the number of the authors' package. Where nothing is left to cover, their choice is arbitrary; here
  the algorithm begins anew with the explanations not yet shown.
- `spectral_clusters`, after spectral relevance analysis (Lapuschkin et al. 2019), made for images and suggested in §5.
  Explanations are vectors of scores with a coordinate for each pair of word and label, at unit length: those of
  different labels share nothing, as the original clusters the images of one class. Neighbours are the 10 with the
  largest cosines above 0, in either direction; the cosine is the edge's weight. The number of clusters k, 2 to 10, is
  where the eigenvalues of the symmetric normalised Laplacian leave the largest gap to the next. Clusters are read from
  its first k eigenvectors by pivoted QR (Damle, Minden and Ying 2019), which draws nothing, instead of k-means.

  Clusters then take turns, each with the explanation nearest (by cosine) to its mean. **The smallest cluster first**:
  bugs "often only apply to small minorities of instances" (§5), and what a large cluster holds, any order shows soon.
  Much does not hang on it, as it moves an instance by less than k places.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
from scipy.linalg import eigh, qr, svd
from scipy.sparse import csr_array

from trustnlp.attribution.model_calls import Floats, check_probabilities
from trustnlp.attribution.word_scores import Attribution
from trustnlp.decoys.benchmark.score_tables import Integers, ScoreTable, check_name, score_table

ORDERS = ("random", "uncertainty", "submodular_pick", "spectral_clusters")
# K of Ribeiro et al., as SubmodularPick of the package lime has it.
_WORDS_OF_AN_EXPLANATION = 10
_NEIGHBOURS = 10
_MOST_CLUSTERS = 10
# Eigenvalues below are 0: one for each part of the graph that has no edge to another.
_ZERO = 1e-8
# Cosines and margins that agree in so many are equal.
_DIGITS = 9


def select(
    order: str,
    explanations: Sequence[Attribution] | ScoreTable,
    probabilities: Floats | None,
    n: int,
    rng: np.random.Generator,
) -> Integers:
    """Numbers `(n,)` of the explanations to show, the first to show first.

    Equal ones stand in the order given: shuffle explanations whose order means something. The first numbers of a longer
    selection are those of a shorter one.

    Parameters
    ----------
    order
        One of `ORDERS`.
    explanations
        Or their table (`score_tables`), where it is used more than once.
    probabilities
        `(N, c)` what the model predicts of the texts; only `uncertainty` asks for them.
    n
        How many to select of the N.
    rng
        Of `random`; the others draw nothing.

    Raises
    ------
    ValueError
        If given an unknown order, with the nearest name; no explanations, or one with NaN; fewer explanations than `n`,
        or `n` below 1; no probabilities, of another shape, or not summing to 1.
    """
    check_name(order, ORDERS, "order of selection")
    table = score_table(explanations)
    if not 1 <= n <= len(table):
        raise ValueError(f"expected to select 1 to {len(table)} explanations, as there are, got n={n}")
    if order == "random":
        chosen = rng.permutation(len(table))
    elif order == "uncertainty":
        if probabilities is None:
            raise ValueError("uncertainty needs the model's probabilities of the explained texts, got None")
        check_probabilities(np.asarray(probabilities), (len(table),), "the model")
        two = np.sort(probabilities, axis=1)[:, -2:]
        chosen = np.argsort(np.round(two[:, 1] - two[:, 0], _DIGITS), kind="stable")
    elif order == "submodular_pick":
        chosen = _submodular_pick(table, n)
    else:
        chosen = _in_turns(table, _clusters(table))
    return chosen[:n]


def _submodular_pick(table: ScoreTable, n: int) -> Integers:
    """Lazy greedy (Minoux 1978): gains only shrink, so that an old gain is a bound, and most are not computed again."""
    covers, importance = _coverage(table)
    chosen: list[int] = []
    waiting = list(range(len(table)))
    while len(chosen) < n:
        # Covered words are set to 0 instead of left out, as rounding of a sum then never makes a gain grow.
        left = importance.copy()
        heap = [(-float(left[covers[number]].sum()), number) for number in waiting]
        heapq.heapify(heap)
        before = len(chosen)
        while heap and heap[0][0] < 0 and len(chosen) < n:
            number = heap[0][1]
            gain = (-float(left[covers[number]].sum()), number)
            if gain > heap[0]:
                heapq.heapreplace(heap, gain)
            else:
                heapq.heappop(heap)
                chosen.append(number)
                left[covers[number]] = 0
        waiting = sorted(number for _, number in heap)
        if len(chosen) == before:
            chosen += waiting
    return np.array(chosen, dtype=np.int64)


def _coverage(table: ScoreTable) -> tuple[list[Integers], Floats]:
    """Numbers of the words that each explanation covers, and the importance `(V,)` of words."""
    sizes = np.abs(table.scores)
    order = np.lexsort((-sizes, table.rows))
    place = np.arange(len(order)) - np.searchsorted(table.rows, table.rows)
    largest = np.sort(order[(place < _WORDS_OF_AN_EXPLANATION) & (sizes[order] > 0)])
    rows, columns = table.rows[largest], table.columns[largest]
    importance = np.sqrt(np.bincount(columns, weights=sizes[largest], minlength=len(table.words)))
    return np.split(columns, np.searchsorted(rows, np.arange(1, len(table)))), importance


def _clusters(table: ScoreTable) -> Integers:
    """`(N,)` number of each explanation's cluster, 0 to k - 1."""
    count = len(table)
    if count < 3:
        return np.zeros(count, dtype=np.int64)
    units = unit_vectors(table)
    cosines = np.maximum(np.round((units @ units.T).toarray(), _DIGITS), 0.0)
    np.fill_diagonal(cosines, 0.0)
    nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :_NEIGHBOURS]
    near = np.zeros_like(cosines, dtype=np.bool_)
    np.put_along_axis(near, nearest, True, axis=1)
    edges = np.where(near | near.T, cosines, 0.0)
    degrees = edges.sum(axis=1)
    scale = np.where(degrees > 0, 1 / np.sqrt(np.where(degrees > 0, degrees, 1.0)), 0.0)
    most = min(_MOST_CLUSTERS, count - 1)
    laplacian = np.eye(count) - scale[:, None] * edges * scale
    values, vectors = eigh(laplacian, subset_by_index=[0, most])
    k = most if values[most] < _ZERO else 2 + int(np.diff(values)[1:].argmax())
    first = vectors[:, :k]
    pivots = qr(first.T, mode="r", pivoting=True)[1][:k]
    left, _, right = svd(first[pivots].T)
    return np.asarray(np.abs(first @ (left @ right)).argmax(axis=1))


def _in_turns(table: ScoreTable, clusters: Integers) -> Integers:
    """Clusters take turns, the smallest first; of equal size, the one with the lowest number in it first."""
    units = unit_vectors(table)
    queues = []
    for cluster in np.unique(clusters):
        members = np.flatnonzero(clusters == cluster)
        towards_mean = units[members] @ units[members].sum(axis=0)
        queues.append(members[np.argsort(-np.round(towards_mean, _DIGITS), kind="stable")])
    queues.sort(key=lambda members: (len(members), members.min()))
    turns = [(turn, place, number) for place, queue in enumerate(queues) for turn, number in enumerate(queue)]
    return np.array([number for _, _, number in sorted(turns)], dtype=np.int64)


def unit_vectors(table: ScoreTable) -> csr_array:
    """`(N, V · c)` explanations at unit length, or 0 where all scores are; the label chooses the block of columns."""
    norms = np.sqrt(np.bincount(table.rows, weights=table.scores**2, minlength=len(table)))
    values = table.scores / np.where(norms > 0, norms, 1.0)[table.rows]
    columns = table.columns + table.labels[table.rows] * len(table.words)
    shape = (len(table), len(table.words) * (int(table.labels.max()) + 1))
    return csr_array((values, (table.rows, columns)), shape=shape)
