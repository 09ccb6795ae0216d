"""The post's figure by the code that was released for it, with owners drawn anew.

The figure came from that code, whose dimension is the number of labels, so it is judged by it. It stands beside
skip-gram of the same dimension (what the field alone adds), gensim's skip-gram and supervised vectors at the dimension
of the other notebooks, and the field as Eq. 4 prints it. Words of one owner are alike in all its documents: so owners
are drawn with replacement, each with all of its documents, and with six of them an interval is wide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tqdm import tqdm

from trustnlp.privacy.text.anonymisation.detection_rates import document_weights
from trustnlp.studies.polarizedtext.baselines import fitted
from trustnlp.studies.polarizedtext.data import LAYERS, OwnedCorpus, planted_corpus
from trustnlp.studies.polarizedtext.detection import Floats, Measured, less, measure_areas

METHODS = ("released", "polarised", "small", "skipgram", "gensim", "supervised", "log_odds")
ORDERS = (
    *(("released", other) for other in ("small", "skipgram", "gensim", "supervised", "log_odds")),
    *(("polarised", other) for other in ("skipgram", "gensim", "log_odds")),
    ("gensim", "skipgram"),
)


def owner_weights(owners: Sequence[str], resamples: int, rng: np.random.Generator) -> Floats:
    """`(1 + R, D)` how often each document counts: once, then as often as its owner is drawn, with replacement."""
    known, owner = np.unique(np.asarray(owners), return_inverse=True)
    return document_weights(len(known), resamples, rng)[:, owner]


def measure_release(corpus: OwnedCorpus, seeds: Sequence[int], parameters: Mapping[str, Any]) -> Measured:
    """Areas of `METHODS` on each layer as `CORPUS.LAYER.METHOD.auc`, and `ORDERS` as `CORPUS.LAYER.ONE_over_OTHER`.

    Parameters
    ----------
    parameters
        `profile`, `epochs` and `resamples`.

    Returns
    -------
    Measured
        `CORPUS.LAYER.released.auc`, …, and `CORPUS.LAYER.released_over_skipgram`, …, `polarised_over_log_odds`,
        `gensim_over_skipgram`: each `(1 + R,)` for each seed, the first of all documents, the others of redrawn owners.
    """
    measured = Measured(list)
    weights = owner_weights(corpus.owners, parameters["resamples"], np.random.default_rng(len(corpus.known)))
    for seed in tqdm(seeds, desc=f"{corpus.name}: released form", disable=None):
        planted = planted_corpus(corpus, seed)
        small = fitted("skipgram", planted, parameters, dim=len(corpus.known))
        for name in METHODS:
            method = small if name == "small" else fitted(name, planted, parameters)
            measure_areas(measured, name, planted, method, weights)
    for layer in LAYERS:
        prefix = f"{corpus.name}.{layer}"
        for one, other in ORDERS:
            measured[f"{prefix}.{one}_over_{other}"] = less(measured, f"{prefix}.{one}.auc", f"{prefix}.{other}.auc")
    return measured
