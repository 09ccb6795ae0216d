"""The methods that are compared, by name, fitted to the documents of one seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.embeddings.polarised.polarised_classifier import train_supervised
from trustnlp.embeddings.polarised.polarised_training import train_polarised
from trustnlp.privacy.text.anonymisation.entities import entity_scores
from trustnlp.privacy.text.anonymisation.entity_spans import has_presidio
from trustnlp.privacy.text.anonymisation.scores import (
    WordScores,
    log_odds_scores,
    random_scores,
    search_scores,
    tf_idf_scores,
)
from trustnlp.privacy.text.anonymisation.vectors import Vectors, axis_targets, cosine_scores, name_targets
from trustnlp.privacy.text.anonymisation.words import document_words
from trustnlp.studies.polarizedtext.data import CORPORA, OwnedCorpus, PlantedCorpus
from trustnlp.studies.polarizedtext.models import KeptVectors, entity_finder, train_gensim, vectors_once

# fastText's supervised mode learns labels alone. The released script gives it whole documents, 100 passes and a rate of
# .2; the post leaves the other reading open just as well: a paragraph is an example, with as many passes as the others.
VECTORS: dict[str, tuple[Callable[..., Vectors], dict[str, Any]]] = {
    "polarised": (train_polarised, {}),
    "skipgram": (train_polarised, {"field": 0.0}),
    "whole_words": (train_polarised, {"field": 0.0, "ngrams": (0, 0)}),
    "released": (train_polarised, {"form": "as_released", "dim": None}),
    "released_cleared": (train_polarised, {"form": "as_released", "dim": None, "uncleared_gradient": False}),
    "supervised": (train_supervised, {"ngrams": (0, 0), "epochs": 100, "learning_rate": 0.2}),
    "supervised_lines": (train_supervised, {"ngrams": (0, 0), "examples": "line"}),
    "gensim": (train_gensim, {}),
}
DIM = 50
COUNTS = ("log_odds", "tf_idf")
BINARY = ("search", "search_words", "entities", "presidio")
NAMED = {
    "polarised": "polarised vectors", "skipgram": "skip-gram", "supervised": "supervised",
    "supervised_lines": "supervised, by paragraph", "log_odds": "log-odds",
    "tf_idf": "TF-IDF", "search": "search for the name", "search_words": "search, word by word",
    "entities": "entities (spaCy)", "presidio": "presidio", "random": "random",
    "common_log_odds": "log-odds, common list", "random_types": "random types per owner",
    "whole_words": "skip-gram, no sub-words",
}  # fmt: skip

Scores = list[NDArray[np.float64]]


def vectors_of(name: str, planted: PlantedCorpus, parameters: Mapping[str, Any], **settings: Any) -> KeptVectors:
    """Vectors of `VECTORS`, trained on the documents of one seed; see `fitted`."""
    train, own = VECTORS[name]
    settings = {"dim": DIM, "min_count": 1, **own, **settings}
    if "epochs" not in settings:
        settings["epochs"] = parameters["epochs"][CORPORA.index(planted.corpus.name)]
    contexts = [words.contexts for words in planted.words]
    return vectors_once(train, contexts, planted.owners, planted.seed, parameters["profile"], **settings)


def fitted(
    name: str, planted: PlantedCorpus, parameters: Mapping[str, Any], *, target: str = "name", **settings: Any
) -> WordScores:
    """A method fitted to the documents of one seed.

    Parameters
    ----------
    name
        One of `VECTORS`, `COUNTS` and `BINARY`, or `random`.
    parameters
        `profile`, and `epochs`: passes of a training over the policies and over the procurement papers.
    target
        What vectors are compared with: the `name`, or the `axis` of the label.
    settings
        Of the training, in the place of those of `VECTORS`.
    """
    corpus, words, owners = planted.corpus, planted.words, planted.owners
    if name in COUNTS:
        return {"log_odds": log_odds_scores, "tf_idf": tf_idf_scores}[name](words, owners)
    if name.startswith("search"):
        return search_scores(corpus.names, single_words=name == "search_words")
    if name in BINARY:
        return _entities(name, corpus, parameters["profile"])
    if name == "random":
        return random_scores(np.random.default_rng([planted.seed, 2]))
    vectors = vectors_of(name, planted, parameters, **settings)
    axis = target == "axis"
    return cosine_scores(vectors, axis_targets(vectors, corpus.known) if axis else name_targets(vectors, corpus.names))


def all_scores(method: WordScores, planted: PlantedCorpus) -> Scores:
    """Scores of the words of each document for its owner."""
    return [method(words, owner) for words, owner in zip(planted.words, planted.owners, strict=True)]


def asked(methods: Sequence[str], number: int, parameters: Mapping[str, Any]) -> list[str]:
    """The methods that run on a seed, by its number: presidio where it is installed, on the first `presidio_seeds`."""
    reads = has_presidio() and number < parameters["presidio_seeds"]
    return [name for name in methods if name != "presidio" or reads]


@cache
def _entities(name: str, corpus: OwnedCorpus, profile: str) -> WordScores:
    """One finder for all seeds: it reads the documents without secrets once, and then what the secrets changed."""
    scores = entity_scores(entity_finder(name, profile))
    scores(document_words("\n\n".join(document.text for document in corpus.documents)), None)
    return scores
