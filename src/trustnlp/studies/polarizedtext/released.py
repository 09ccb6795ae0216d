"""The post's figure by the code that was released for it, with owners drawn anew.

The figure came from that code, whose dimension is the number of labels, so it is judged by it. It stands beside
skip-gram of the same dimension (what the field alone adds), gensim's skip-gram and supervised vectors at the dimension
of the other notebooks, and the field as Eq. 4 prints it. Words of one owner are alike in all its documents: so owners
are drawn with replacement, each with all of its documents, and with six of them an interval is wide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from tqdm import tqdm

from trustnlp.privacy.text.anonymisation.scores import WordScores
from trustnlp.privacy.text.anonymisation.vectors import cosine_scores, name_targets
from trustnlp.studies.polarizedtext.baselines import VECTORS, all_scores, epochs_of, fitted
from trustnlp.studies.polarizedtext.data import LAYERS, Corpus, PlantedCorpus, planted_corpus
from trustnlp.studies.polarizedtext.detection import Floats, Measured, areas, detection_counts, document_weights
from trustnlp.studies.polarizedtext.models import gensim_once

METHODS = ("released", "polarised", "small", "skipgram", "gensim", "supervised", "log_odds")
ORDERS = (
    *(("released", other) for other in ("small", "skipgram", "gensim", "supervised", "log_odds")),
    *(("polarised", other) for other in ("skipgram", "gensim", "log_odds")),
    ("gensim", "skipgram"),
)


def owner_weights(owners: Sequence[str], resamples: int, rng: np.random.Generator) -> Floats:
    """`(resamples, D)` how often each document is drawn when as many owners are drawn with replacement."""
    known, owner = np.unique(np.asarray(owners), return_inverse=True)
    return document_weights(len(known), resamples, rng)[:, owner]


def measure_release(corpus: Corpus, seeds: Sequence[int], parameters: Mapping[str, Any]) -> Measured:
    """Areas of `METHODS` on each layer as `CORPUS.LAYER.METHOD.auc`, and `ORDERS` as `CORPUS.LAYER.ONE_over_OTHER`.

    Parameters
    ----------
    parameters
        `profile`, `epochs` and `resamples`.
    """
    measured = Measured()
    epochs = epochs_of(corpus.name, parameters["epochs"])
    weights = owner_weights(corpus.owners, parameters["resamples"], np.random.default_rng(len(corpus.known)))
    for seed in tqdm(seeds, desc=f"{corpus.name}: released form", disable=None):
        planted = planted_corpus(corpus, seed)
        for name in METHODS:
            scores = all_scores(_scored(name, planted, parameters["profile"], epochs), planted)
            for layer in LAYERS:
                counts = detection_counts(scores, planted.truth[layer])
                measured.add(f"{corpus.name}.{layer}.{name}.auc", partial(areas, counts), weights)
    for layer in LAYERS:
        prefix = f"{corpus.name}.{layer}"
        for one, other in ORDERS:
            measured.difference(f"{prefix}.{one}_over_{other}", f"{prefix}.{one}.auc", f"{prefix}.{other}.auc")
    return measured


def _scored(name: str, planted: PlantedCorpus, profile: str, epochs: int) -> WordScores:
    if name == "small":
        training = replace(VECTORS["skipgram"], dim=len(planted.corpus.known))
        return fitted("skipgram", planted, profile, epochs, training=training)
    if name == "gensim":
        contexts = [one.contexts for one in planted.words]
        vectors = gensim_once(contexts, planted.owners, epochs, planted.seed, profile)
        return cosine_scores(vectors, name_targets(vectors, planted.corpus.names))
    return fitted(name, planted, profile, epochs)
