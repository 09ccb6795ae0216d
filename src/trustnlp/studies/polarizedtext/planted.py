"""Made-up documents with known truth: what the method recovers, and the energy of words as spins (Eqs. 2 and 3).

Eq. 3 is E = -Σ_⟨w,c⟩ v_w · v_c - Σ_w v_w · μ over unit vectors: neighbouring words want to be parallel, and each word
wants to lie along the axis of the label of its document. Eq. 2 is the first sum alone. Here the second sum has a weight
λ, `field`; the post has none, that is 1.

Three things that the post does not say:

- It calls Eq. 2 "the one-dimensional O(n) model". But equal words share one vector: the tokens form a chain, the spins
  a *graph*, in which a frequent word touches thousands of others. `spin_graph` counts its bonds.
- Eq. 2 is what is left of Eq. 1 without negative sampling. Its smallest value is that of total collapse: all vectors
  equal, every bond at -1. The negative term is no regulariser of this energy; it makes it another problem.
- The step from log(1 + e⁻ˣ) to -x keeps the smallest value of the sum only because all bonds reach it together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from trustnlp.embeddings.polarised.polarised_corpus import LabelledCorpus, encode
from trustnlp.privacy.text.anonymisation.vectors import axis_targets, name_targets, unit
from trustnlp.studies.polarizedtext.baselines import asked, fitted, vectors_of
from trustnlp.studies.polarizedtext.data import OwnedCorpus, PlantedCorpus, planted_corpus
from trustnlp.studies.polarizedtext.detection import Measured, measure_areas
from trustnlp.studies.polarizedtext.models import word_kinds
from trustnlp.studies.polarizedtext.standins import made_up_documents

_METHODS = {
    "polarised": ("polarised", {}),
    "repaired": ("polarised", {"form": "repaired"}),
    "skipgram": ("skipgram", {}),
    "supervised": ("supervised_lines", {}),
}


def planted_documents(parameters: Mapping[str, Any], seed: int) -> PlantedCorpus:
    """Made-up documents of a seed with its secrets, of the sizes `owners`, `per_owner` and `paragraphs`."""
    made_up, names = made_up_documents(
        parameters["owners"], parameters["per_owner"], parameters["paragraphs"], np.random.default_rng(seed)
    )
    return planted_corpus(OwnedCorpus("planted", made_up.documents, names, {}), seed)


def scored_words(planted: PlantedCorpus, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """Cosine of some words with the first owner's name, without and with the field."""
    owner = planted.corpus.known[0]
    name, product = (each.lower() for each in planted.corpus.names[owner].names)
    secrets = planted.planted.words[owner]
    words = {
        "the name": name,
        "its product": product,
        "its street (template)": secrets["template"]["street"].lower(),
        "its misspelling (free)": secrets["free"]["misspelling"].lower(),
        "a common word": "and",
        "another common word": "page",
    }
    columns = {}
    for label, method in (("skip-gram", "skipgram"), ("polarised", "polarised")):
        vectors = vectors_of(method, planted, parameters, **_sizes(parameters))
        target = unit(name_targets(vectors, planted.corpus.names)[owner])
        columns[label] = unit(vectors.stack(list(words.values()))) @ target
    return pd.DataFrame({"word": list(words.values()), **columns}, index=list(words))


def areas_by_seed(parameters: Mapping[str, Any]) -> Measured:
    """`planted.LAYER.METHOD.auc` → one value per seed."""
    measured = Measured(list)
    for number, seed in enumerate(parameters["seeds"]):
        planted = planted_documents(parameters, seed)
        once = np.ones((1, len(planted.words)))
        methods = {
            key: fitted(name, planted, parameters, **settings, **_sizes(parameters))
            for key, (name, settings) in _METHODS.items()
        }
        methods |= {
            name: fitted(name, planted, parameters) for name in asked(("log_odds", "presidio"), number, parameters)
        }
        for name, method in methods.items():
            measure_areas(measured, name, planted, method, once)
    return measured


def energy_states(planted: PlantedCorpus, fields: Sequence[float]) -> pd.DataFrame:
    """States of lowest energy at each weight of the field: energies per word, and mean cosine of two words."""
    graph = spin_graph(encode([words.contexts for words in planted.words], planted.owners, min_count=2))
    axes = np.eye(len(graph.labels))
    rows = {}
    for field in fields:
        spins = relaxed(graph, axes, field, rng=np.random.default_rng(planted.seed))
        state, many = energy(graph, spins, axes, field), len(spins)
        rows[field] = {
            "binding": state.binding,
            "field": state.field,
            "energy": state.total,
            "cosine of two words": ((spins.sum(axis=0) ** 2).sum() - many) / (many * (many - 1)),
        }
    return pd.DataFrame(rows).T.rename_axis("weight of the field")


def neighbours(corpus: OwnedCorpus) -> float:
    """Mean number of different words beside a word of the documents: in a chain it would be two."""
    graph = spin_graph(encode([words.contexts for words in corpus.words], corpus.owners, min_count=1))
    return float(np.mean(graph.degrees))


def alignments(parameters: Mapping[str, Any]) -> dict[str, list[float]]:
    """How far along the axes words lie, by weight of the field: key → one value per seed.

    `alignment.exclusive.fWEIGHT` is the mean cosine of the words of one owner alone with its axis,
    `alignment.common.fWEIGHT` that of common words with all axes; `physics.alignment_gain` is by how much a weight of
    one (or the nearest) raises the first less the second: common words are drawn along the axes, too.
    """
    numbers = defaultdict(list)
    fields = parameters["fields"]
    nearest_to_one = min((field for field in fields if field > 0), key=lambda field: abs(field - 1))
    for seed in parameters["seeds"]:
        planted = planted_documents(parameters, seed)
        kinds = word_kinds(planted.words, planted.owners, planted.corpus.names)
        owners, words = zip(*kinds.owned, strict=True)
        apart = {}
        for field in fields:
            vectors = vectors_of("polarised", planted, parameters, field=float(field), **_sizes(parameters))
            axes = {owner: unit(axis) for owner, axis in axis_targets(vectors, planted.corpus.known).items()}
            goals = np.stack([axes[owner] for owner in owners])
            exclusive = float((unit(vectors.stack(words)) * goals).sum(axis=1).mean())
            common = float((unit(vectors.stack(kinds.common)) @ np.stack(list(axes.values())).T).mean())
            apart[field] = exclusive - common
            numbers[f"alignment.exclusive.f{field:g}"].append(exclusive)
            numbers[f"alignment.common.f{field:g}"].append(common)
        numbers["physics.alignment_gain"].append(apart[nearest_to_one] - apart[min(fields)])
    return numbers


def _sizes(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {"dim": parameters["dim"], "epochs": parameters["epochs"]}


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


def spin_graph(corpus: LabelledCorpus) -> SpinGraph:
    """Who stands beside whom: neighbours of a line, words left out of the vocabulary leaving no gap."""
    size = len(corpus.words)
    line = np.repeat(np.arange(len(corpus.line_labels)), np.diff(corpus.line_starts))
    together = line[1:] == line[:-1]
    left, right = corpus.ids[:-1][together], corpus.ids[1:][together]
    bonds = sparse.csr_array((np.ones(len(left)), (left, right)), shape=(size, size))
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
    """
    binding = -0.5 * float(np.sum((graph.bonds @ spins) * spins))
    aligned = float(np.sum(graph.felt * (spins @ axes.T)))
    return Energy(binding / graph.tokens, -field * aligned / graph.tokens)


def relaxed(
    graph: SpinGraph,
    axes: NDArray[np.floating],
    field: float,
    *,
    rng: np.random.Generator,
    sweeps: int = 500,
    tolerance: float = 1e-9,
) -> NDArray[np.float64]:
    """`(V, d)` unit vectors of a state in which no spin alone can lower Eq. 3: the model at temperature zero.

    From random directions, each spin in turn goes into the direction of its local field, Σ_c (bonds) v_c +
    λ Σ_l (tokens under l) μ_l, which is the best answer to the others; the energy never rises. It ends where a sweep
    lowers the energy per token by less than `tolerance`, or after `sweeps`.
    """
    spins = rng.standard_normal((len(graph.words), axes.shape[1]))
    spins /= np.linalg.norm(spins, axis=1, keepdims=True)
    outer = field * graph.felt @ axes
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
