"""The methods that are compared, by name, fitted to the documents of one seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.privacy.text.anonymisation.entities import entity_scores
from trustnlp.privacy.text.anonymisation.entity_spans import has_presidio
from trustnlp.privacy.text.anonymisation.scores import (
    WordScores,
    log_odds_scores,
    random_scores,
    search_scores,
    tf_idf_scores,
)
from trustnlp.privacy.text.anonymisation.vectors import axis_targets, cosine_scores, name_targets, word_targets
from trustnlp.privacy.text.anonymisation.words import document_words
from trustnlp.studies.polarizedtext.data import Corpus, PlantedCorpus
from trustnlp.studies.polarizedtext.models import Training, entity_finder, supervised_once, vectors_once

VECTORS: dict[str, Training] = {
    "polarised": Training(),
    "skipgram": Training(field=0.0),
    "supervised_lines": Training(supervised=True),
    "repaired": Training(form="repaired"),
    "released": Training(form="as_released", dim=None),
    "released_cleared": Training(form="as_released", dim=None, uncleared_gradient=False),
    "whole_words": Training(field=0.0, ngrams=(0, 0)),
    "leaked": Training(class_name_in_text=True),
    "leaked_skipgram": Training(field=0.0, class_name_in_text=True),
}
COUNTS = ("log_odds", "tf_idf")
BINARY = ("search", "search_words", "entities")
NAMED = {
    "polarised": "polarised vectors", "skipgram": "skip-gram", "supervised": "supervised",
    "supervised_lines": "supervised, by paragraph", "log_odds": "log-odds",
    "tf_idf": "TF-IDF", "search": "search for the name", "search_words": "search, word by word",
    "entities": "entities (spaCy)", "presidio": "presidio", "random": "random",
    "common_log_odds": "log-odds, common list", "common_polarised": "polarised, common list",
    "random_types": "random types per owner",
    "best": "best possible", "whole_words": "skip-gram, no sub-words", "repaired": "polarised, repaired",
}  # fmt: skip

Scores = list[NDArray[np.float64]]


def fitted(
    name: str,
    planted: PlantedCorpus,
    profile: str,
    epochs: int,
    *,
    target: str = "name",
    training: Training | None = None,
) -> WordScores:
    """A method fitted to the documents of one seed.

    Parameters
    ----------
    name
        One of `VECTORS`, `COUNTS` and `BINARY`, `supervised` (as the released script has it), `presidio` or `random`.
    epochs
        Passes of a training over the documents; `supervised` has its own.
    target
        What vectors are compared with: the `name`, the `axis` of the label, or the label's `word`, where it is in the
        text.
    training
        In the place of that of `VECTORS`.
    """
    corpus, words, owners = planted.corpus, planted.words, planted.owners
    if name in COUNTS:
        return {"log_odds": log_odds_scores, "tf_idf": tf_idf_scores}[name](words, owners)
    if name.startswith("search"):
        return search_scores(corpus.names, single_words=name == "search_words")
    if name in ("entities", "presidio"):
        return _entities(name, corpus, profile)
    if name == "random":
        return random_scores(np.random.default_rng([planted.seed, 2]))
    contexts = [one.contexts for one in words]
    if name == "supervised":
        vectors = supervised_once(contexts, owners, planted.seed, profile)
    else:
        settings = replace(training or VECTORS[name], epochs=epochs)
        vectors = vectors_once(contexts, owners, settings, planted.seed, profile)
    targets = {
        "name": lambda: name_targets(vectors, corpus.names),
        "axis": lambda: axis_targets(vectors, corpus.known),
        "word": lambda: word_targets(vectors, {owner: owner for owner in corpus.known}),
    }[target]()
    return cosine_scores(vectors, targets)


def all_scores(method: WordScores, planted: PlantedCorpus) -> Scores:
    """Scores of the words of each document for its owner."""
    return [method(words, owner) for words, owner in zip(planted.words, planted.owners, strict=True)]


def asked(methods: Sequence[str], number: int, parameters: Mapping[str, Any]) -> list[str]:
    """The methods that run on a seed, by its number: presidio where it is installed, on the first `presidio_seeds`."""
    reads = has_presidio() and number < parameters["presidio_seeds"]
    return [name for name in methods if name != "presidio" or reads]


@cache
def _entities(name: str, corpus: Corpus, profile: str) -> WordScores:
    """One finder for all seeds: it reads the documents without secrets once, and then what the secrets changed."""
    scores = entity_scores(entity_finder(name, profile))
    scores(document_words("\n\n".join(document.text for document in corpus.documents)), None)
    return scores


def epochs_of(corpus: str, epochs: Sequence[int]) -> int:
    """Passes over a corpus, from the parameter that lists those for policies and for procurement papers."""
    return dict(zip(("policies", "procurement"), epochs, strict=True))[corpus]
