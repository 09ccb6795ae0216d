"""Questions that the post's figure leaves open: precision, targets, weights, the released form, unseen words.

Everything is paired with what it is compared with: the same seeds, secrets and resampled documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from tqdm import tqdm

from trustnlp.embeddings.polarised.polarised_corpus import encode, labels_of_words
from trustnlp.privacy.text.anonymisation.name_search import name_words
from trustnlp.privacy.text.anonymisation.scores import WordScores, log_odds_scores
from trustnlp.privacy.text.anonymisation.vectors import cosine_scores, name_targets
from trustnlp.studies.polarizedtext.baselines import VECTORS, Scores, all_scores, asked, epochs_of, fitted
from trustnlp.studies.polarizedtext.data import LAYERS, Corpus, PlantedCorpus, Truth, planted_corpus
from trustnlp.studies.polarizedtext.detection import (
    Floats,
    Measured,
    areas,
    detection_counts,
    gain_over,
    measure_layer,
    measure_precision,
    precision_curve,
    weights_for,
)
from trustnlp.studies.polarizedtext.models import Training, train
from trustnlp.studies.polarizedtext.reproduction import scored_seeds

MATTERS = 0.01  # of an area: less is no effect
LEAK = 0.02
_SENSITIVE = 0.03  # share of sensitive words in the arithmetic on printed rates
_FOLDS = 5


def compare_with_counts(
    corpus: Corpus, seeds: Sequence[int], methods: Sequence[str], parameters: Mapping[str, Any]
) -> tuple[Measured, dict[str, dict[str, list[float]]]]:
    """Areas and precision of methods, and how far polarised vectors are ahead of log-odds and of presidio.

    Returns
    -------
    tuple
        The numbers, and layer → method → precision at five recalls, of the first seed.
    """
    measured = Measured()
    curves: dict[str, dict[str, list[float]]] = {}
    for planted, weights, scores in scored_seeds(corpus, seeds, methods, parameters):
        for layer in LAYERS:
            counts = measure_layer(measured, f"{corpus.name}.{layer}", scores, planted.truth[layer], weights)
            measure_precision(measured, f"{corpus.name}.{layer}", counts, weights)
            if "presidio" in counts:
                for name in ("polarised", "log_odds"):
                    key = f"{corpus.name}.{layer}.{name}_over_presidio"
                    gain_over(measured, key, counts[name], counts["presidio"], weights)
            if layer not in curves:
                curves[layer] = {name: precision_curve(one) for name, one in counts.items()}
        _without_target(measured, planted, scores, weights)
    for layer in LAYERS:
        prefix = f"{corpus.name}.{layer}"
        for name in ("polarised", "skipgram"):
            measured.difference(f"{prefix}.{name}_over_log_odds", f"{prefix}.{name}.auc", f"{prefix}.log_odds.auc")
    names = f"{corpus.name}.names"
    measured.difference(
        f"{names}.without_target.polarised_over_skipgram",
        f"{names}.without_target.polarised.auc",
        f"{names}.without_target.skipgram.auc",
    )
    return measured, curves


def _without_target(measured: Measured, planted: PlantedCorpus, scores: Mapping[str, Scores], weights: Floats) -> None:
    """The layer of names without the words that the target is made of: they have a cosine of 1 by construction."""
    goals = {owner: set(name_words(names)) for owner, names in planted.corpus.names.items()}
    truth = [
        np.where([key in goals[owner] for key in words.keys], -1, marks).astype(np.int8)
        for words, owner, marks in zip(planted.words, planted.owners, planted.truth["names"], strict=True)
    ]
    for name, each in scores.items():
        counts = detection_counts(each, truth)
        key = f"{planted.corpus.name}.names.without_target.{name}.auc"
        measured.add(key, partial(areas, counts), weights)


def vary_field(
    corpus: Corpus, seeds: Sequence[int], fields: Sequence[float], parameters: Mapping[str, Any]
) -> Measured:
    """Areas over weights of the field, by the name's vector and by the label's axis, as written and repaired."""
    measured = Measured()
    epochs, profile = epochs_of(corpus.name, parameters["epochs"]), parameters["profile"]
    for seed in tqdm(seeds, desc=f"{corpus.name}: weights", disable=None):
        planted = planted_corpus(corpus, seed)
        weights = weights_for(planted, parameters["resamples"])
        for field in fields:
            for form in ("as_written", "repaired"):
                if form == "repaired" and field not in (1.0, max(fields)):
                    continue
                training = Training(form=form, field=field)
                for target in ("name", "axis"):
                    method = fitted("polarised", planted, profile, epochs, target=target, training=training)
                    _layers(
                        measured, f"field.{form}.{target}.f{field:g}", planted, all_scores(method, planted), weights
                    )
    prefix = f"{corpus.name}.names.field.as_written.name.f"
    _best_other(measured, f"{corpus.name}.names.weight_one_margin", prefix, fields)
    return measured


def _best_other(measured: Measured, key: str, prefix: str, fields: Sequence[float]) -> None:
    """Weight one less the best other weight; which one that is, is chosen for each seed on all others."""
    others = [f"{prefix}{field:g}.auc" for field in fields if field != 1.0]
    one = f"{prefix}1.auc"
    measured.values[key], measured.resampled[key] = [], []
    for seed, value in enumerate(measured.values[one]):
        rest = np.arange(len(measured.values[one])) != seed
        judges = rest if rest.any() else ~rest
        best = max(others, key=lambda other: float(np.array(measured.values[other])[judges].mean()))
        measured.values[key].append(value - measured.values[best][seed])
        measured.resampled[key].append(measured.resampled[one][seed] - measured.resampled[best][seed])


def vary_form(corpus: Corpus, seeds: Sequence[int], parameters: Mapping[str, Any]) -> Measured:
    """The released form with and without its fault, skip-gram of the same dimension, targets, and the leaked label."""
    measured = Measured()
    epochs, profile = epochs_of(corpus.name, parameters["epochs"]), parameters["profile"]
    small = replace(VECTORS["skipgram"], dim=len(corpus.known))
    forms: list[tuple[str, str, str, Training | None]] = [
        ("released", "released", "name", None),
        ("released_cleared", "released_cleared", "name", None),
        ("small_skipgram", "skipgram", "name", small),
        ("polarised_axis", "polarised", "axis", None),
        ("supervised_axis", "supervised", "axis", None),
        ("leaked_word", "leaked", "word", None),
        ("leaked_skipgram_word", "leaked_skipgram", "word", None),
        ("leaked_name", "leaked", "name", None),
        ("polarised_name", "polarised", "name", None),
    ]
    for seed in tqdm(seeds, desc=f"{corpus.name}: forms", disable=None):
        planted = planted_corpus(corpus, seed)
        weights = weights_for(planted, parameters["resamples"])
        for key, name, target, training in forms:
            method = fitted(name, planted, profile, epochs, target=target, training=training)
            _layers(measured, f"form.{key}", planted, all_scores(method, planted), weights)
    names, template = f"{corpus.name}.names", f"{corpus.name}.template"
    for layer in LAYERS:
        effect, form = f"{corpus.name}.{layer}.bug.effect", f"{corpus.name}.{layer}.form"
        measured.difference(effect, f"{form}.released_cleared.auc", f"{form}.released.auc")
        # The size of the mean, not the mean of sizes, which the chance of a training alone makes large.
        way = float(np.sign(np.mean(measured.values[effect]))) or 1.0
        measured.line(f"{effect}_margin", effect, slope=way, offset=-MATTERS)
    measured.difference(
        f"{names}.released_over_small", f"{names}.form.released.auc", f"{names}.form.small_skipgram.auc"
    )
    for target in ("word", "name"):  # what the vectors that hold the label are compared with
        gain = f"{template}.leak_gain_{target}"
        measured.difference(gain, f"{template}.form.leaked_{target}.auc", f"{template}.form.polarised_name.auc")
        measured.line(f"{template}.leak_margin_{target}", gain, slope=-1, offset=LEAK)
    return measured


def unseen_documents(corpus: Corpus, seeds: Sequence[int], parameters: Mapping[str, Any]) -> Measured:
    """Score documents that no method has seen: each seed trains on four fifths and scores the last.

    Words that the training text lacks have the mean vector of their n-grams, and a count of 0.
    """
    measured = Measured()
    epochs = epochs_of(corpus.name, parameters["epochs"])
    for number, seed in enumerate(tqdm(seeds, desc=f"{corpus.name}: unseen documents", disable=None)):
        planted = planted_corpus(corpus, seed)
        weights = weights_for(planted, parameters["resamples"])
        held = [number % _FOLDS == seed % _FOLDS for number in range(len(planted.words))]
        seen = [number for number, out in enumerate(held) if not out]
        words, owners = [planted.words[n] for n in seen], [planted.owners[n] for n in seen]
        names = {owner: planted.corpus.names[owner] for owner in set(owners)}
        truth: dict[str, Truth] = {
            layer: [
                marks if out and owner in names else np.full_like(marks, -1)
                for marks, out, owner in zip(planted.truth[layer], held, planted.owners, strict=True)
            ]
            for layer in LAYERS
        }
        methods: dict[str, WordScores] = {"log_odds": log_odds_scores(words, owners)}
        for name in asked(["presidio"], number, parameters):
            methods[name] = fitted(name, planted, parameters["profile"], epochs)
        for name in ("polarised", "skipgram"):
            vectors = train([one.contexts for one in words], owners, replace(VECTORS[name], epochs=epochs), seed)
            methods[name] = cosine_scores(vectors, name_targets(vectors, names))
        for name, method in methods.items():
            scores = [
                method(one, owner) if out and owner in names else np.zeros(len(one))
                for one, owner, out in zip(planted.words, planted.owners, held, strict=True)
            ]
            for layer in LAYERS:
                counts = detection_counts(scores, truth[layer])
                measured.add(f"{corpus.name}.{layer}.unseen.{name}.auc", partial(areas, counts), weights)
    for layer in LAYERS:
        unseen = f"{corpus.name}.{layer}.unseen"
        for other in ("skipgram", "log_odds"):
            key = f"{unseen}.polarised_over_{other}"
            measured.difference(key, f"{unseen}.polarised.auc", f"{unseen}.{other}.auc")
    return measured


def _layers(measured: Measured, name: str, planted: PlantedCorpus, scores: Scores, weights: Floats) -> None:
    for layer in LAYERS:
        counts = detection_counts(scores, planted.truth[layer])
        measured.add(f"{planted.corpus.name}.{layer}.{name}.auc", partial(areas, counts), weights)


def printed_numbers(corpus: Corpus, printed: Mapping[str, Any]) -> dict[str, float]:
    """Arithmetic on the post's own numbers, and what its two accounts of the field mean for a corpus.

    A concave curve through a printed point (fpr, tpr) is above the straight lines from (0, 0) to it and from it to
    (1, 1), whose area is half of 1 + tpr - fpr. Three words in a hundred are taken to be sensitive, 500 words a page.

    Parameters
    ----------
    printed
        The ledger's tables `areas`, `skipgram` and `search`.
    """
    skipgram, search = printed["skipgram"], printed["search"]
    found, alarms = skipgram["true_positives"], skipgram["false_positives"]
    encoded = encode([words.contexts for words in corpus.words], corpus.owners, min_count=1)
    starts, _ = labels_of_words(encoded)
    labels = np.diff(starts)
    smallest = (1 + found - alarms) / 2
    return {
        "printed.smallest_area": smallest,
        "printed.area_margin": printed["areas"]["skipgram"] - smallest,
        "printed.precision_at_3_percent": _precision(found, alarms),
        "printed.search_precision": _precision(search["true_positives"], search["false_positives"]),
        "printed.wrong_words_per_page": 500 * (1 - _SENSITIVE) * alarms,
        "printed.labels_per_word_margin": float(labels[encoded.ids].mean()) - 1,
    }


def _precision(found: float, alarms: float) -> float:
    return _SENSITIVE * found / (_SENSITIVE * found + (1 - _SENSITIVE) * alarms)
