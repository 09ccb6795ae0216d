"""Questions that the post's figure leaves open: what its rates mean, the field's weight and target, the code's fault.

Everything is paired with what it is compared with: the same seeds, secrets and resampled documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from tqdm import tqdm

from trustnlp.embeddings.polarised.polarised_corpus import encode, labels_of_words
from trustnlp.studies.polarizedtext.baselines import fitted
from trustnlp.studies.polarizedtext.data import LAYERS, OwnedCorpus, planted_corpus
from trustnlp.studies.polarizedtext.detection import Measured, less, measure_areas, weights_for

MATTERS = 0.01  # of an area: less is no effect
_SENSITIVE = 0.03  # share of sensitive words in the arithmetic on printed rates


def vary_training(
    corpus: OwnedCorpus, seeds: Sequence[int], fields: Sequence[float], parameters: Mapping[str, Any]
) -> Measured:
    """Areas over weights of the field and targets, as written and repaired; and of the released form, its fault mended.

    Returns
    -------
    Measured
        `CORPUS.LAYER.field.FORM.TARGET.fWEIGHT.auc`, repaired at weight one and the largest; `form.released.auc`,
        `form.released_cleared.auc`; `bug.effect`, the second less the first, and `bug.effect_margin`, its size less
        what matters.
    """
    measured = Measured(list)
    for seed in tqdm(seeds, desc=f"{corpus.name}: trainings", disable=None):
        planted = planted_corpus(corpus, seed)
        weights = weights_for(planted, parameters["resamples"])
        for field, form, target in product(fields, ("as_written", "repaired"), ("name", "axis")):
            if form == "as_written" or field in (1.0, max(fields)):
                method = fitted("polarised", planted, parameters, target=target, form=form, field=field)
                measure_areas(measured, f"field.{form}.{target}.f{field:g}", planted, method, weights)
        for name in ("released", "released_cleared"):
            measure_areas(measured, f"form.{name}", planted, fitted(name, planted, parameters), weights)
    for layer in LAYERS:
        effect, form = f"{corpus.name}.{layer}.bug.effect", f"{corpus.name}.{layer}.form"
        measured[effect] = less(measured, f"{form}.released_cleared.auc", f"{form}.released.auc")
        # The size of the mean, not the mean of sizes, which the chance of a training alone makes large.
        way = np.sign(np.mean([drawn[0] for drawn in measured[effect]])) or 1.0
        measured[f"{effect}_margin"] = [way * drawn - MATTERS for drawn in measured[effect]]
    return measured


def printed_numbers(corpus: OwnedCorpus, printed: Mapping[str, Any]) -> dict[str, float]:
    """Arithmetic on the post's own numbers, and what its two accounts of the field mean for a corpus.

    A concave curve through a printed point (fpr, tpr) is above the straight lines from (0, 0) to it and from it to
    (1, 1), whose area is half of 1 + tpr - fpr. Three words in a hundred are taken to be sensitive, 500 words a page.

    Parameters
    ----------
    printed
        The ledger's tables `areas`, `skipgram` and `search`.
    """
    tpr, fpr = printed["skipgram"]["true_positives"], printed["skipgram"]["false_positives"]
    encoded = encode([words.contexts for words in corpus.words], corpus.owners, min_count=1)
    labels = np.diff(labels_of_words(encoded)[0])
    smallest = (1 + tpr - fpr) / 2
    return {
        "printed.smallest_area": smallest,
        "printed.area_margin": printed["areas"]["skipgram"] - smallest,
        "printed.precision_at_3_percent": _precision(tpr, fpr),
        "printed.search_precision": _precision(**printed["search"]),
        "printed.wrong_words_per_page": 500 * (1 - _SENSITIVE) * fpr,
        "printed.labels_per_word_margin": float(labels[encoded.ids].mean()) - 1,
    }


def _precision(true_positives: float, false_positives: float) -> float:
    return _SENSITIVE * true_positives / (_SENSITIVE * true_positives + (1 - _SENSITIVE) * false_positives)
