"""Energy of words as spins, with and without a field: Eqs. 2 and 3 of the post on PolarizedText, computed.

Eq. 3 is E = -Σ_⟨w,c⟩ v_w · v_c - Σ_w v_w · μ over unit vectors: neighbouring words want to be parallel, and each word
wants to lie along the axis of the label of its document. Eq. 2 is the first sum alone. Here the second sum has a weight
λ, `field`; the post has none, that is 1.

Three things that the post does not say:

- It calls Eq. 2 "the one-dimensional O(n) model". But equal words share one vector: the tokens form a chain, the spins
  a *graph*, in which a frequent word touches thousands of others. `spin_graph` counts its bonds.
- Eq. 2 is what is left of Eq. 1 without negative sampling. Its smallest value is that of total collapse: all vectors
  equal, every bond at -1. The negative term is no regulariser of this energy; it makes it another problem.
- The step from log(1 + e⁻ˣ) to -x keeps the smallest value of the sum only because all bonds reach it together.

`relaxed` finds a state in which no single spin can lower the energy, by turning each in turn to its local field: the
model at temperature zero. It is a picture of Eq. 3, not a way to train.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from trustnlp.embeddings.polarised.polarised_corpus import LabelledCorpus

_UNIT = 1e-4  # how far from 1 the length of a unit vector may be, in float32


class Energy(NamedTuple):
    """Energy per token; `binding` is Eq. 2, `field` the term that Eq. 3 adds."""

    binding: float
    field: float

    @property
    def total(self) -> float:
        """Eq. 3."""
        return self.binding + self.field


@dataclass(frozen=True, eq=False)
class SpinGraph:
    """Words as spins.

    Attributes
    ----------
    words
        `V` words.
    labels
        `K` labels.
    bonds
        `(V, V)` symmetric, how often two words are neighbours. On the diagonal stands twice the number of times that a
        word follows itself, so that half the sum of all entries is the number of neighbouring pairs.
    felt
        `(V, K)` tokens of each word under each label.
    """

    words: tuple[str, ...]
    labels: tuple[str, ...]
    bonds: sparse.csr_array
    felt: NDArray[np.float64]

    @property
    def tokens(self) -> float:
        """Tokens of the text."""
        return float(self.felt.sum())

    @property
    def degrees(self) -> NDArray[np.int64]:
        """`(V,)` different words that each word touches, itself left out. In a chain nobody touches more than two."""
        off = self.bonds - sparse.diags_array(self.bonds.diagonal())
        return np.asarray((off != 0).sum(axis=1)).ravel().astype(np.int64)


def spin_graph(corpus: LabelledCorpus, reach: int = 1) -> SpinGraph:
    """Count who stands beside whom.

    Parameters
    ----------
    corpus
        Encoded documents; words left out of the vocabulary leave no gap.
    reach
        Words so many places apart are neighbours; 1 is the chain of the post. Bonds never cross a line.

    Raises
    ------
    ValueError
        `reach` is below 1.
    """
    if reach < 1:
        raise ValueError(f"reach is 1 or more places, got {reach}")
    size = len(corpus.words)
    line = np.repeat(np.arange(len(corpus.line_labels)), np.diff(corpus.line_starts))
    bonds = sparse.csr_array((size, size))
    for apart in range(1, reach + 1):
        together = line[apart:] == line[:-apart]
        left, right = corpus.ids[:-apart][together], corpus.ids[apart:][together]
        bonds += sparse.csr_array((np.ones(len(left)), (left, right)), shape=(size, size))
    felt = np.zeros((size, len(corpus.labels)))
    np.add.at(felt, (corpus.ids, corpus.line_labels[line]), 1)
    return SpinGraph(corpus.words, corpus.labels, sparse.csr_array(bonds + bonds.T), felt)


def energy(graph: SpinGraph, spins: NDArray[np.floating], axes: NDArray[np.floating], field: float) -> Energy:
    """Eq. 3 per token, λ = `field`; 0 leaves Eq. 2.

    Parameters
    ----------
    spins
        `(V, d)` unit vectors of the words.
    axes
        `(K, d)` unit vectors of the labels.
    field
        Weight λ.

    Raises
    ------
    ValueError
        Shapes do not fit, or a vector is not of length 1.
    """
    _check_units("spins", spins, len(graph.words))
    _check_units("axes", axes, len(graph.labels))
    states = np.asarray(spins, dtype=np.float64)
    binding = -0.5 * float(np.sum((graph.bonds @ states) * states))
    aligned = float(np.sum(graph.felt * (states @ np.asarray(axes, dtype=np.float64).T)))
    return Energy(binding / graph.tokens, -field * aligned / graph.tokens)


def relaxed(
    graph: SpinGraph,
    axes: NDArray[np.floating],
    field: float,
    *,
    start: NDArray[np.floating] | None = None,
    rng: np.random.Generator,
    sweeps: int = 500,
    tolerance: float = 1e-9,
) -> NDArray[np.float64]:
    """`(V, d)` unit vectors of a state in which no spin alone can lower Eq. 3.

    A spin turns into the direction of its local field, Σ_c (bonds) v_c + λ Σ_l (tokens under l) μ_l, which is the best
    answer to the others; the energy never rises. It ends where a sweep lowers the energy per token by less than
    `tolerance`, or after `sweeps`.

    Parameters
    ----------
    start
        `(V, d)` unit vectors to begin with; None for random directions.
    """
    _check_units("axes", axes, len(graph.labels))
    if start is None:
        spins = rng.standard_normal((len(graph.words), np.shape(axes)[1]))
        spins /= np.linalg.norm(spins, axis=1, keepdims=True)
    else:
        _check_units("start", start, len(graph.words))
        spins = np.array(start, dtype=np.float64)
    outer = field * graph.felt @ np.asarray(axes, dtype=np.float64)
    begin, near, weight = graph.bonds.indptr, graph.bonds.indices, graph.bonds.data
    before = energy(graph, spins, axes, field).total
    for _ in range(sweeps):
        for word in range(len(spins)):
            part = slice(begin[word], begin[word + 1])
            other = near[part] != word  # a spin's bond to itself is the same in every state
            local = weight[part][other] @ spins[near[part][other]] + outer[word]
            length = np.linalg.norm(local)
            if length > 0:
                spins[word] = local / length
        after = energy(graph, spins, axes, field).total
        if before - after < tolerance:
            break
        before = after
    return spins


def unit_vectors(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """`(n, d)` the vectors divided by their length, for the energy of a trained model. ValueError if one is zero."""
    states = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(states, axis=1, keepdims=True)
    if not lengths.all():
        raise ValueError(f"{int((lengths == 0).sum())} vectors are zero and have no direction; leave them out")
    units: NDArray[np.float64] = states / lengths
    return units


def exclusive_and_common(graph: SpinGraph, labels: Sequence[str], most: int) -> dict[str, list[str]]:
    """The most frequent words that one of the labels alone uses, for each, and those that most labels use ("shared").

    Raises
    ------
    ValueError
        A label is unknown, or one of them has no word of its own.
    """
    unknown = [label for label in labels if label not in graph.labels]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not among the labels {', '.join(graph.labels)}")
    used, count = (graph.felt > 0).sum(axis=1), graph.felt.sum(axis=1)
    found = {}
    for label in labels:
        own = np.flatnonzero((used == 1) & (graph.felt[:, graph.labels.index(label)] > 0))
        if not len(own):
            raise ValueError(f"{label!r} has no word of its own among the {len(graph.words)} words")
        found[label] = [graph.words[row] for row in own[np.argsort(-count[own], kind="stable")][:most]]
    shared = np.lexsort((-count, -used))[:most]
    return found | {"shared": [graph.words[row] for row in shared]}


def _check_units(name: str, vectors: NDArray[np.floating], rows: int) -> None:
    if np.ndim(vectors) != 2 or len(vectors) != rows:
        raise ValueError(f"{name}: expected {rows} vectors, got shape {np.shape(vectors)}")
    lengths = np.linalg.norm(np.asarray(vectors, dtype=np.float64), axis=1)
    if not (np.abs(lengths - 1) < _UNIT).all():
        raise ValueError(
            f"{name}: Eqs. 2 and 3 are for unit vectors, got lengths from {lengths.min():g} to {lengths.max():g}; use "
            "unit_vectors"
        )
