"""The post's figure and its sentences about it, on one corpus: curves, areas and rates of all methods, per seed and
layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from trustnlp.reproduce import Record
from trustnlp.reproduce.records.metric_series import Metrics
from trustnlp.studies.polarizedtext.baselines import (
    BINARY,
    NAMED,
    VECTORS,
    Scores,
    all_scores,
    epochs_of,
    fitted,
)
from trustnlp.studies.polarizedtext.data.corpora import LAYERS, Corpus, PlantedCorpus
from trustnlp.studies.polarizedtext.models.kept_vectors import vectors_once
from trustnlp.studies.polarizedtext.reproduction.detection_curves import areas, detection_counts, found_at
from trustnlp.studies.polarizedtext.reproduction.roc_numbers import (
    FALSE_POSITIVES,
    GRID,
    SEARCH_FALSE_POSITIVES,
    Measured,
    curve,
    gain_over,
    measure_layer,
)
from trustnlp.studies.polarizedtext.reproduction.scored_corpora import scored_seeds
from trustnlp.studies.polarizedtext.reproduction.word_geometry import (
    chance_cosine,
    confused,
    geometry,
    kind_marks,
    reached_by_ngrams,
    word_kinds,
)

ORDERS = (
    ("polarised", "skipgram"),
    ("polarised", "supervised"),
    ("skipgram", "supervised"),
    ("polarised", "supervised_lines"),
    ("skipgram", "supervised_lines"),
)
BESIDE = ("polarised", "skipgram", "supervised", "log_odds")  # set against each method that says yes or no
_MOST_FOR_ENTITIES = 0.1  # "more than entities": a tenth
_ORTHOGONAL = 0.1  # above the mean cosine of independent directions


def reproduce_figure(
    corpus: Corpus, seeds: Sequence[int], methods: Sequence[str], parameters: Mapping[str, Any]
) -> tuple[Measured, dict[str, dict[str, list[list[float]]]]]:
    """Measure every method on every layer.

    Parameters
    ----------
    seeds
        One set of secrets and one training of each method per seed.
    methods
        Names of `compared_methods`; presidio runs on the first `presidio_seeds`, where it is installed.
    parameters
        `profile`, `epochs`, `resamples` and `presidio_seeds`.

    Returns
    -------
    tuple
        The numbers, and layer → method → for each seed the true-positive rates at `GRID`.
    """
    measured = Measured()
    curves: dict[str, dict[str, list[list[float]]]] = {layer: {} for layer in LAYERS}
    epochs, profile = epochs_of(corpus.name, parameters["epochs"]), parameters["profile"]
    for planted, weights, scores in scored_seeds(corpus, seeds, methods, parameters):
        for layer in LAYERS:
            prefix = f"{corpus.name}.{layer}"
            counts = measure_layer(measured, prefix, scores, planted.truth[layer], weights)
            decided = {"search": SEARCH_FALSE_POSITIVES, "entities": None, "presidio": None}
            for name, (other, rate) in product(BESIDE, decided.items()):
                if name in counts and other in counts:
                    gain_over(measured, f"{prefix}.{name}_over_{other}", counts[name], counts[other], weights, rate)
            for name, one in counts.items():
                if name not in BINARY and name != "presidio":
                    curves[layer].setdefault(name, []).append(curve(one))
        _geometry(measured, planted, scores, profile, epochs)
    for layer in LAYERS:
        prefix = f"{corpus.name}.{layer}"
        for ahead, behind in ORDERS:
            measured.difference(f"{prefix}.{ahead}_over_{behind}", f"{prefix}.{ahead}.auc", f"{prefix}.{behind}.auc")
        for name in ("polarised", "skipgram", "supervised"):
            measured.difference(f"{prefix}.{name}_over_log_odds", f"{prefix}.{name}.auc", f"{prefix}.log_odds.auc")
        for name in ("entities", "presidio"):
            if (found := f"{prefix}.{name}.tpr") in measured.values:
                measured.line(f"{prefix}.{name}.missed_margin", found, slope=-1, offset=1 - _MOST_FOR_ENTITIES)
    return measured, curves


def _geometry(
    measured: Measured, planted: PlantedCorpus, scores: Mapping[str, Scores], profile: str, epochs: int
) -> None:
    """Numbers of one seed about where words lie; they have no documents to resample."""
    corpus = planted.corpus
    contexts = [words.contexts for words in planted.words]
    kinds = word_kinds(planted.words, planted.owners, corpus.names)
    secrets = {
        owner: [word for by_sort in ways.values() for word in by_sort.values()]
        for owner, ways in planted.planted.words.items()
    }
    found, wrong = {}, {}
    for name in ("polarised", "skipgram"):
        training = VECTORS[name]
        vectors = vectors_once(contexts, planted.owners, replace(training, epochs=epochs), planted.seed, profile)
        found[name] = geometry(vectors, kinds, corpus.names)
        wrong[name] = confused(vectors, secrets, corpus.names)
    whole = all_scores(fitted("whole_words", planted, profile, epochs), planted)
    asked = {name: scores[name] for name in ("skipgram", "polarised", "log_odds", "presidio") if name in scores}
    typos = {
        name: float(found_at(detection_counts(each, planted.misspelt), FALSE_POSITIVES)[0])
        for name, each in {**asked, "whole_words": whole}.items()
    }
    owned = kind_marks(planted.words, planted.owners, kinds)
    told_apart = {name: float(areas(detection_counts(each, owned))[0]) for name, each in asked.items()}
    held_out = [number for number in range(len(planted.words)) if number % 5 == planted.seed % 5]
    polarised, skipgram = found["polarised"], found["skipgram"]
    dim = VECTORS["polarised"].dim or len(corpus.known)
    numbers = {
        "labels_apart": skipgram["labels"] - polarised["labels"],
        "orthogonal": chance_cosine(dim) + _ORTHOGONAL - polarised["across"],
        "more_orthogonal": skipgram["across"] - polarised["across"],
        "common_pulled_away": skipgram["unique_nearest"] - skipgram["common_nearest"],
        "unique_bound": skipgram["within"] - skipgram["unique_common"],
        "confusion": wrong["skipgram"] - wrong["polarised"],
        "typos": typos["skipgram"] - typos["whole_words"],
        "vocabulary": reached_by_ngrams(corpus.words, held_out) - 0.5,
        **{f"score.{name}.misspellings": share for name, share in typos.items()},
        **{f"score.{name}.unique_over_common": area for name, area in told_apart.items()},
        **{f"confused.{name}": share for name, share in wrong.items()},
        **{f"cosine.{name}.{what}": each for name in found for what, each in found[name].items()},
    }
    for key, value in numbers.items():
        measured.values.setdefault(f"{corpus.name}.geometry.{key}", []).append(value)


def record_measured(record: Record, measured: Measured) -> None:
    """Put numbers into the record: with bands over documents where there are some, else over seeds."""
    for key in [key for key in measured.values if key not in measured.resampled]:
        record.metric(key, measured.values.pop(key), interval="t")
    measured.record(record)


def area_table(numbers: Metrics, corpus: str, what: str = "auc") -> pd.DataFrame:
    """Rows methods, columns layers: mean and interval in one cell."""
    rows: dict[str, dict[str, str]] = {}
    for (layer, method), metric in _cells(numbers, corpus, what).items():
        rows.setdefault(NAMED.get(method, method), {})[layer] = told(metric)
    return pd.DataFrame(rows).T.reindex(columns=list(LAYERS))


def told(metric: Mapping[str, Any], digits: int = 2) -> str:
    """A mean and its interval."""
    if metric["low"] is None:
        return f"{metric['mean']:.{digits}f}"
    return f"{metric['mean']:.{digits}f} [{metric['low']:.{digits}f}, {metric['high']:.{digits}f}]"


def rate_table(numbers: Metrics, corpus: str) -> pd.DataFrame:
    """Methods that say yes or no: their two rates on each layer."""
    rows: dict[str, dict[str, str]] = {}
    for what in ("fpr", "tpr"):
        for (layer, method), metric in _cells(numbers, corpus, what).items():
            if method in BINARY or method == "presidio":
                rows.setdefault(f"{NAMED[method]}, {what.upper()}", {})[layer] = told(metric, 3)
    return pd.DataFrame(rows).T.reindex(columns=list(LAYERS))


def margin_table(numbers: Metrics, corpora: Sequence[str], names: Sequence[str]) -> pd.DataFrame:
    """Differences, rows their names, columns corpus and layer."""
    table = {
        (corpus, layer): [
            told(numbers[key]) if (key := f"{corpus}.{layer}.{name}") in numbers else "" for name in names
        ]
        for corpus in corpora
        for layer in LAYERS
    }
    return pd.DataFrame(table, index=[name.replace("_", " ") for name in names]).T


def curve_panels(arrays: Mapping[str, Any], corpus: str, methods: Sequence[str]) -> dict[str, Any]:
    """Layer → method → false-positive rate → true-positive rates, one per seed: what a figure draws."""
    return {
        layer: {
            NAMED[method]: {rate: [seed[place] for seed in found[method]] for place, rate in enumerate(GRID)}
            for method in methods
            if method in found
        }
        for layer, found in arrays[f"curves_{corpus}"].items()
    }


def geometry_table(numbers: Metrics, corpora: Sequence[str]) -> pd.DataFrame:
    """Mean cosines of both trainings."""
    columns = {}
    for corpus in corpora:
        for name in ("skipgram", "polarised"):
            found = numbers.series(f"{corpus}.geometry.cosine.{name}.{{what}}", "mean")
            columns[corpus, NAMED[name]] = found
    return pd.DataFrame(columns)


def scored_kinds_table(numbers: Metrics, corpora: Sequence[str]) -> pd.DataFrame:
    """The sentences on kinds of words, read from scores, which counts and presidio have as well."""
    columns = {}
    for corpus in corpora:
        for what in ("unique_over_common", "misspellings"):
            found = numbers.series(f"{corpus}.geometry.score.{{method}}.{what}", "mean")
            columns[corpus, what.replace("_", " ")] = {NAMED.get(name, name): each for name, each in found.items()}
    return pd.DataFrame(columns)


def _cells(numbers: Metrics, corpus: str, what: str) -> dict[tuple[str, str], dict[str, Any]]:
    found = {}
    for key, metric in numbers.items():
        parts = key.split(".")
        if len(parts) == 4 and parts[0] == corpus and parts[1] in LAYERS and parts[3] == what:
            found[parts[1], parts[2]] = metric
    return found


def as_array(curves: Mapping[str, Mapping[str, Sequence[Sequence[float]]]]) -> dict[str, Any]:
    """Curves as a record keeps them."""
    return {layer: {name: np.array(rows).tolist() for name, rows in found.items()} for layer, found in curves.items()}
