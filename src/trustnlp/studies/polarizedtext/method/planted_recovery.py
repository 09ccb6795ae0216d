"""Made-up documents with known truth: what the method recovers there, and what the equations say about energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trustnlp.embeddings.polarised.polarised_corpus import encode
from trustnlp.privacy.text.anonymisation.scores import WordScores
from trustnlp.privacy.text.anonymisation.vectors import axis_targets, cosine_scores, name_targets, unit
from trustnlp.studies.polarizedtext.baselines import asked, fitted
from trustnlp.studies.polarizedtext.data.corpora import LAYERS, Corpus, PlantedCorpus, planted_corpus
from trustnlp.studies.polarizedtext.method.field_energy import energy, relaxed, spin_graph
from trustnlp.studies.polarizedtext.models.kept_vectors import Training, train
from trustnlp.studies.polarizedtext.reproduction.detection_curves import areas, detection_counts
from trustnlp.studies.polarizedtext.reproduction.word_geometry import word_kinds
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
    found: dict[str, list[float]] = {}
    for number, seed in enumerate(parameters["seeds"]):
        planted = planted_documents(parameters, seed)
        for name in asked(_METHODS, number, parameters):
            method = _fitted(name, planted, parameters)
            scores = [method(words, owner) for words, owner in zip(planted.words, planted.owners, strict=True)]
            for layer in LAYERS:
                area = float(areas(detection_counts(scores, planted.truth[layer]))[0])
                found.setdefault(f"planted.{layer}.{name}.auc", []).append(area)
    return found


def energy_states(planted: PlantedCorpus, fields: Sequence[float]) -> pd.DataFrame:
    """States of lowest energy at each weight of the field: energies per word, and mean cosine of two words."""
    graph = spin_graph(encode(*_texts(planted), min_count=2))
    axes = np.eye(len(graph.labels))
    rows = {}
    for field in fields:
        spins = relaxed(graph, axes, field, rng=np.random.default_rng(planted.seed))
        found = energy(graph, spins, axes, field)
        rows[field] = {
            "binding": found.binding,
            "field": found.field,
            "energy": found.total,
            "cosine of two words": _mean_cosine(spins),
        }
    return pd.DataFrame(rows).T.rename_axis("weight of the field")


def physics_numbers(corpus: Corpus, parameters: Mapping[str, Any]) -> dict[str, list[float]]:
    """What the ledger asks about Eqs. 2 to 4: key → values, one per seed where chance plays a part."""
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
