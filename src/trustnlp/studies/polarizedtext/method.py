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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from trustnlp.embeddings.polarised.polarised_corpus import LabelledCorpus, encode
from trustnlp.privacy.text.anonymisation.scores import WordScores
from trustnlp.privacy.text.anonymisation.vectors import axis_targets, cosine_scores, name_targets, unit
from trustnlp.studies.polarizedtext.baselines import asked, fitted
from trustnlp.studies.polarizedtext.data import LAYERS, Corpus, PlantedCorpus, planted_corpus
from trustnlp.studies.polarizedtext.detection import areas, detection_counts
from trustnlp.studies.polarizedtext.models import Training, train, word_kinds
from trustnlp.studies.polarizedtext.standins import made_up_documents

_CHAIN, _GRANTED, _COLLAPSED = 2.0, 0.5, 0.9
_METHODS = ("polarised", "repaired", "skipgram", "supervised", "log_odds", "presidio")


def planted_documents(parameters: Mapping[str, Any], seed: int) -> PlantedCorpus:
    """Made-up documents of a seed with its secrets, of the sizes `owners`, `per_owner` and `paragraphs`."""
    made, names = made_up_documents(
        parameters["owners"], parameters["per_owner"], parameters["paragraphs"], np.random.default_rng(seed)
    )
    return planted_corpus(Corpus("made_up", made.documents, names, {}), seed)


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
    for label, field in (("skip-gram", 0.0), ("polarised", 1.0)):
        vectors = train(*_texts(planted), _training(parameters, field=field), planted.seed)
        target = unit(name_targets(vectors, planted.corpus.names)[owner])
        columns[label] = unit(vectors.stack(list(words.values()))) @ target
    return pd.DataFrame({"word": list(words.values()), **columns}, index=list(words))


def areas_by_seed(parameters: Mapping[str, Any]) -> dict[str, list[float]]:
    """`planted.LAYER.METHOD.auc` → one value per seed."""
    by_key: dict[str, list[float]] = {}
    for number, seed in enumerate(parameters["seeds"]):
        planted = planted_documents(parameters, seed)
        for name in asked(_METHODS, number, parameters):
            method = _fitted(name, planted, parameters)
            scores = [method(words, owner) for words, owner in zip(planted.words, planted.owners, strict=True)]
            for layer in LAYERS:
                area = float(areas(detection_counts(scores, planted.truth[layer]))[0])
                by_key.setdefault(f"planted.{layer}.{name}.auc", []).append(area)
    return by_key


def energy_states(planted: PlantedCorpus, fields: Sequence[float]) -> pd.DataFrame:
    """States of lowest energy at each weight of the field: energies per word, and mean cosine of two words."""
    graph = spin_graph(encode(*_texts(planted), min_count=2))
    axes = np.eye(len(graph.labels))
    rows = {}
    for field in fields:
        spins = relaxed(graph, axes, field, rng=np.random.default_rng(planted.seed))
        state = energy(graph, spins, axes, field)
        rows[field] = {
            "binding": state.binding,
            "field": state.field,
            "energy": state.total,
            "cosine of two words": _mean_cosine(spins),
        }
    return pd.DataFrame(rows).T.rename_axis("weight of the field")


def physics_numbers(corpus: Corpus, parameters: Mapping[str, Any]) -> dict[str, list[float]]:
    """Numbers of the ledger on Eqs. 2 to 4: key → values, one per seed where chance plays a part."""
    texts = [words.contexts for words in corpus.words]
    degrees = spin_graph(encode(texts, corpus.owners, min_count=1)).degrees
    numbers = {"physics.chain_margin": [_CHAIN + _GRANTED - float(np.mean(degrees))]}
    for seed in parameters["seeds"]:
        planted = planted_documents(parameters, seed)
        cosine = float(energy_states(planted, [0.0])["cosine of two words"].iloc[0])
        numbers.setdefault("physics.no_collapse_margin", []).append(_COLLAPSED - cosine)
        apart = {}
        kinds = word_kinds(planted.words, planted.owners, planted.corpus.names)
        for field in parameters["fields"]:
            vectors = train(*_texts(planted), _training(parameters, field=float(field)), seed)
            axes = axis_targets(vectors, planted.corpus.known)
            goals = np.stack([axes[owner] for owner, _ in kinds.owned])
            own = unit(vectors.stack([word for _, word in kinds.owned]))
            exclusive = float((own * unit(goals)).sum(axis=1).mean())
            common = float((unit(vectors.stack(kinds.common)) @ unit(np.stack(list(axes.values()))).T).mean())
            apart[field] = exclusive - common  # common words are drawn along the axes, too
            numbers.setdefault(f"alignment.exclusive.f{field:g}", []).append(exclusive)
            numbers.setdefault(f"alignment.common.f{field:g}", []).append(common)
        strength = min((field for field in apart if field > 0), key=lambda field: abs(field - 1))
        numbers.setdefault("physics.alignment_gain", []).append(apart[strength] - apart[min(apart)])
    return numbers


def _fitted(name: str, planted: PlantedCorpus, parameters: Mapping[str, Any]) -> WordScores:
    if name in ("log_odds", "presidio"):
        return fitted(name, planted, parameters["profile"], parameters["epochs"])
    settings: dict[str, dict[str, Any]] = {
        "polarised": {},
        "repaired": {"form": "repaired"},
        "skipgram": {"field": 0.0},
        "supervised": {"supervised": True},
    }
    vectors = train(*_texts(planted), _training(parameters, **settings[name]), planted.seed)
    return cosine_scores(vectors, name_targets(vectors, planted.corpus.names))


def _training(parameters: Mapping[str, Any], **asked: Any) -> Training:
    return Training(dim=parameters["dim"], epochs=parameters["epochs"], **asked)


def _texts(planted: PlantedCorpus) -> tuple[list[list[list[str]]], list[str]]:
    return [words.contexts for words in planted.words], planted.owners


def _mean_cosine(spins: NDArray[np.float64]) -> float:
    many = len(spins)
    return float(((spins.sum(axis=0) ** 2).sum() - many) / (many * (many - 1)))


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
