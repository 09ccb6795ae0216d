"""The post's figure and its sentences about it: curves, areas and rates of all methods, per seed and layer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from itertools import product
from typing import Any

import numpy as np
from tqdm import tqdm

from trustnlp.privacy.text.anonymisation.words import DocumentWords
from trustnlp.reproduce import Record
from trustnlp.studies.polarizedtext.baselines import (
    BINARY,
    NAMED,
    VECTORS,
    Scores,
    all_scores,
    asked,
    epochs_of,
    fitted,
)
from trustnlp.studies.polarizedtext.data import LAYERS, Corpus, PlantedCorpus, planted_corpus
from trustnlp.studies.polarizedtext.detection import (
    FALSE_POSITIVES,
    SEARCH_FALSE_POSITIVES,
    Floats,
    Measured,
    areas,
    curve,
    detection_counts,
    found_at,
    gain_over,
    measure_layer,
    weights_for,
)
from trustnlp.studies.polarizedtext.models import (
    chance_cosine,
    confused,
    geometry,
    kind_marks,
    reached_by_ngrams,
    vectors_once,
    word_kinds,
)


def scored_seeds(
    corpus: Corpus, seeds: Sequence[int], methods: Sequence[str], parameters: Mapping[str, Any]
) -> Iterator[tuple[PlantedCorpus, Floats, dict[str, Scores]]]:
    """For each seed the corpus with its secrets, the weights of documents drawn anew, and method → scores.

    Parameters
    ----------
    methods
        Names of `compared_methods`; presidio runs on the first `presidio_seeds`, where it is installed.
    parameters
        `profile`, `epochs`, `resamples` and `presidio_seeds`.
    """
    epochs, profile = epochs_of(corpus.name, parameters["epochs"]), parameters["profile"]
    for number, seed in enumerate(tqdm(seeds, desc=f"{corpus.name}: seeds", disable=None)):
        planted = planted_corpus(corpus, seed)
        weights = weights_for(planted, parameters["resamples"])
        yield (
            planted,
            weights,
            {
                name: all_scores(fitted(name, planted, profile, epochs), planted)
                for name in asked(methods, number, parameters)
            },
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
            if (recall := f"{prefix}.{name}.tpr") in measured.values:
                measured.line(f"{prefix}.{name}.missed_margin", recall, slope=-1, offset=1 - _MOST_FOR_ENTITIES)
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
    cosines, wrong = {}, {}
    for name in ("polarised", "skipgram"):
        training = VECTORS[name]
        vectors = vectors_once(contexts, planted.owners, replace(training, epochs=epochs), planted.seed, profile)
        cosines[name] = geometry(vectors, kinds, corpus.names)
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
    polarised, skipgram = cosines["polarised"], cosines["skipgram"]
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
        **{f"cosine.{name}.{what}": each for name in cosines for what, each in cosines[name].items()},
    }
    for key, value in numbers.items():
        measured.values.setdefault(f"{corpus.name}.geometry.{key}", []).append(value)


def record_measured(record: Record, measured: Measured) -> None:
    """Put numbers into the record: with bands over documents where there are some, else over seeds."""
    for key in [key for key in measured.values if key not in measured.resampled]:
        record.metric(key, measured.values.pop(key), interval="t")
    measured.record(record)


def as_array(curves: Mapping[str, Mapping[str, Sequence[Sequence[float]]]]) -> dict[str, Any]:
    """Curves as a record keeps them."""
    return {
        layer: {name: np.array(rows).tolist() for name, rows in by_method.items()}
        for layer, by_method in curves.items()
    }


_FEWEST_WORDS, _MOST_WORDS = 30, 90
SHOWN = ("log_odds", "polarised", "presidio")
SHARE = 0.05
_AFTER = re.compile(r"[^\w\s]*")  # a full stop behind the last word
_ANY = 1e-9  # what presidio finds, however sure it is


def example_paragraph(corpus: Corpus, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The paragraph in pieces, and each word's scores.

    Parameters
    ----------
    corpus
        The procurement papers, or made-up documents in their place.
    parameters
        `profile`, `seeds` (the first is taken), `epochs` and `presidio_seeds`.

    Returns
    -------
    dict
        `document`; `methods`, without presidio where it is not installed; `pieces`, each a text, and for a word its
        score by each method and whether it is removed there; links come as one piece without scores. Planted secrets
        are in no paragraph that is taken.
    """
    if corpus.name != "procurement":
        raise ValueError(f"only paragraphs of procurement papers may be shown, got {corpus.name}")
    planted = planted_corpus(corpus, parameters["seeds"][0])
    place, chosen = max(
        ((number, *_telling(planted, number)) for number in range(len(planted.words))), key=lambda each: each[2]
    )[:2]
    words = planted.words[place]
    scores, thresholds = {}, {}
    epochs = epochs_of(corpus.name, parameters["epochs"])
    for method in asked(SHOWN, 0, parameters):
        every = all_scores(fitted(method, planted, parameters["profile"], epochs), planted)
        scores[method] = every[place]
        flat = np.sort(np.concatenate(every))[::-1]
        thresholds[method] = _ANY if method == "presidio" else float(flat[round(SHARE * len(flat))])
    return {
        "document": corpus.documents[place].name,
        "methods": list(scores),
        "pieces": _pieces(words, chosen, scores, thresholds),
    }


def _telling(planted: PlantedCorpus, document: int) -> tuple[int, float]:
    """The paragraph of a document with most words of names, of equal ones the longest; and its worth as an example."""
    words = planted.words[document]
    if not len(words):
        return 0, -1.0
    named, secret = planted.truth["names"][document] == 1, planted.secret_marks[document] > 0
    sizes, names, held = (np.bincount(words.paragraphs, weights=each) for each in (None, named, secret))
    fits = (held == 0) & (sizes >= _FEWEST_WORDS) & (sizes <= _MOST_WORDS)
    worth = np.where(fits, names + sizes / (_MOST_WORDS + 1), -1.0)
    return int(worth.argmax()), float(worth.max())


def _pieces(
    words: DocumentWords, paragraph: int, scores: dict[str, np.ndarray], thresholds: dict[str, float]
) -> list[list[Any]]:
    places = np.flatnonzero(words.paragraphs == paragraph)
    start, end = int(words.spans[places[0], 0]), int(words.spans[places[-1], 1])
    marks: list[tuple[int, int, int | None]] = [
        (int(words.spans[place, 0]), int(words.spans[place, 1]), int(place)) for place in places
    ]
    marks += [(one, other, None) for one, other in words.links if start <= one < end]
    pieces: list[list[Any]] = []
    at = start
    for one, other, place in sorted(marks, key=lambda mark: mark[0]):
        if one > at:
            pieces.append([words.text[at:one]])
        if place is None:
            pieces.append(["[link]"])
        else:
            told = [[round(float(scores[m][place]), 2), bool(scores[m][place] >= thresholds[m])] for m in scores]
            pieces.append([words.text[one:other], told])
        at = other
    return [*pieces, [_AFTER.match(words.text, at).group()]]  # type: ignore[union-attr]


def example_html(example: dict[str, Any]) -> str:
    """Before and after, by each method; a removed word is struck out, in brackets, with its score behind it."""
    before = "".join(escape(piece[0]) for piece in example["pieces"])
    rows = [f"<p><strong>Before</strong> ({escape(example['document'])})</p><blockquote>{before}</blockquote>"]
    for number, method in enumerate(example["methods"]):
        after = ""
        for piece in example["pieces"]:
            gone = len(piece) > 1 and piece[1][number][1]
            told = escape(piece[0])
            after += f"[<s>{told}</s>&nbsp;<small>{piece[1][number][0]:.2f}</small>]" if gone else told
        rows.append(f"<p><strong>{NAMED[method]}</strong></p><blockquote>{after}</blockquote>")
    return f'<div class="tn-example">{"".join(rows)}</div>'
