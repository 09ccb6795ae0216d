"""The post's figure and its sentences about it: curves, areas and rates of all methods, per seed and layer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from itertools import product
from typing import Any

import numpy as np
from tqdm import tqdm

from trustnlp.privacy.text.anonymisation.detection_rates import detection_counts, found_at, gain_over
from trustnlp.privacy.text.anonymisation.words import DocumentWords
from trustnlp.studies.polarizedtext.baselines import BINARY, DIM, NAMED, Scores, all_scores, asked, fitted, vectors_of
from trustnlp.studies.polarizedtext.data import LAYERS, OwnedCorpus, PlantedCorpus, planted_corpus
from trustnlp.studies.polarizedtext.detection import FALSE_POSITIVES, GRID, Measured, less, measure_layer, weights_for
from trustnlp.studies.polarizedtext.models import chance_cosine, confused, geometry, word_kinds

POST = ("polarised", "skipgram", "supervised")
ORDERS = (
    ("polarised", "skipgram"),
    ("polarised", "supervised"),
    ("skipgram", "supervised"),
    ("polarised", "supervised_lines"),
    ("skipgram", "supervised_lines"),
)
BESIDE = (*POST, "log_odds")  # set against finders of entities, which say yes or no
_MISSED = 0.1  # "more than entities": a tenth
_ORTHOGONAL = 0.1  # above the mean cosine of independent directions

# Layer → method → for each seed the true-positive rates at `GRID`.
Curves = dict[str, dict[str, list[list[float]]]]


def reproduce_figure(
    corpus: OwnedCorpus, seeds: Sequence[int], methods: Sequence[str], parameters: Mapping[str, Any]
) -> tuple[Measured, Curves]:
    """The post's figure on one set of documents: every method on every layer, and where words lie.

    Parameters
    ----------
    seeds
        One set of secrets and one training of each method per seed.
    methods
        As `fitted` names them; presidio runs on the first `presidio_seeds`, where it is installed.
    parameters
        `profile`, `epochs`, `resamples` and `presidio_seeds`.

    Returns
    -------
    Measured
        `CORPUS.LAYER.METHOD.auc` and `.tpr`, of methods that say yes or no `.fpr` and `.tpr`
        (`detection.measure_layer`); differences `CORPUS.LAYER.ONE_over_OTHER`: `polarised_over_skipgram`,
        `polarised_over_supervised`, `skipgram_over_supervised` (`ORDERS`), each of the three over the count
        (`skipgram_over_log_odds`), and each at the false positives of a finder (`skipgram_over_entities`,
        `polarised_over_presidio`); `CORPUS.LAYER.entities.missed_margin`. Where words lie (`where_words_lie`), the
        post's sentences as margins: `CORPUS.geometry.labels_apart`, `.orthogonal`, `.common_pulled_away`,
        `.unique_bound`, `.confusion`, `.typos`, and `CORPUS.geometry.cosine.TRAINING.WHAT`.
    Curves
        Layer → method → for each seed the true-positive rates at `GRID`.
    """
    measured = Measured(list)
    curves: Curves = {layer: {} for layer in LAYERS}
    for number, seed in enumerate(tqdm(seeds, desc=f"{corpus.name}: seeds", disable=None)):
        planted = planted_corpus(corpus, seed)
        weights = weights_for(planted, parameters["resamples"])
        scores = {
            name: all_scores(fitted(name, planted, parameters), planted) for name in asked(methods, number, parameters)
        }
        for layer in LAYERS:
            prefix = f"{corpus.name}.{layer}"
            counts = measure_layer(measured, prefix, scores, planted.truth[layer], weights)
            for name, finder in product(BESIDE, ("entities", "presidio")):
                if finder in counts:
                    gain = gain_over(counts[name], counts[finder], weights)
                    measured[f"{prefix}.{name}_over_{finder}"].append(gain)
            for name, one in counts.items():
                if name not in BINARY:
                    rates = [found_at(one, rate, weights[:1])[0] for rate in GRID]
                    curves[layer].setdefault(name, []).append(np.round(rates, 4).tolist())
        for key, value in where_words_lie(planted, scores["skipgram"], parameters).items():
            measured[f"{corpus.name}.geometry.{key}"].append(np.array([value]))
    for layer in LAYERS:
        prefix = f"{corpus.name}.{layer}"
        for ahead, behind in (*ORDERS, *product(POST, ["log_odds"])):
            key = f"{prefix}.{ahead}_over_{behind}"
            measured[key] = less(measured, f"{prefix}.{ahead}.auc", f"{prefix}.{behind}.auc")
        missed = [1 - _MISSED - drawn for drawn in measured[f"{prefix}.entities.tpr"]]
        measured[f"{prefix}.entities.missed_margin"] = missed
    return measured, curves


def where_words_lie(planted: PlantedCorpus, skipgram_scores: Scores, parameters: Mapping[str, Any]) -> dict[str, float]:
    """Where words lie in one seed: the post's sentences about vectors as margins, and mean cosines.

    Returns
    -------
    dict
        The post's sentences as margins, above 0 where they hold: `labels_apart`, `orthogonal`, `common_pulled_away`,
        `unique_bound`, `confusion`, `typos`; and `cosine.TRAINING.WHAT` as `models.geometry` has them.
    """
    names = planted.corpus.names
    kinds = word_kinds(planted.words, planted.owners, names)
    secrets = {
        owner: [word for by_sort in ways.values() for word in by_sort.values()]
        for owner, ways in planted.planted.words.items()
    }
    vectors = {name: vectors_of(name, planted, parameters) for name in ("polarised", "skipgram")}
    cosines = {name: geometry(each, kinds, names) for name, each in vectors.items()}
    wrong = {name: confused(each, secrets, names) for name, each in vectors.items()}
    whole_words = all_scores(fitted("whole_words", planted, parameters), planted)
    once = np.ones((1, len(planted.words)))
    typos, typos_whole = (
        found_at(detection_counts(scores, planted.misspelt), FALSE_POSITIVES, once)[0]
        for scores in (skipgram_scores, whole_words)
    )
    polarised, skipgram = cosines["polarised"], cosines["skipgram"]
    return {
        "labels_apart": skipgram["labels"] - polarised["labels"],
        "orthogonal": chance_cosine(DIM) + _ORTHOGONAL - polarised["across"],
        "common_pulled_away": skipgram["unique_nearest"] - skipgram["common_nearest"],
        "unique_bound": skipgram["within"] - skipgram["unique_common"],
        "confusion": wrong["skipgram"] - wrong["polarised"],
        "typos": typos - typos_whole,
        **{f"cosine.{name}.{what}": each for name in cosines for what, each in cosines[name].items()},
    }


_FEWEST_WORDS, _MOST_WORDS = 30, 90
SHOWN = ("log_odds", "polarised", "presidio")
SHARE = 0.05
_AFTER = re.compile(r"[^\w\s]*")  # a full stop behind the last word
_ANY = 1e-9  # what presidio finds, however sure it is


def example_paragraph(corpus: OwnedCorpus, parameters: Mapping[str, Any]) -> dict[str, Any]:
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
    telling = [_telling(planted, number) for number in range(len(planted.words))]
    place = int(np.argmax([worth for _, worth in telling]))
    words, chosen = planted.words[place], telling[place][0]
    scores, thresholds = {}, {}
    for method in asked(SHOWN, 0, parameters):
        every = all_scores(fitted(method, planted, parameters), planted)
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
    at, end = int(words.spans[places[0], 0]), int(words.spans[places[-1], 1])
    spans = [(*words.spans[place].tolist(), place) for place in places]
    spans += [(first, last, None) for first, last in words.links if at <= first < end]
    pieces: list[list[Any]] = []
    for first, last, place in sorted(spans, key=lambda span: span[0]):
        if first > at:
            pieces.append([words.text[at:first]])
        if place is None:
            pieces.append(["[link]"])
        else:
            by_method = [[round(float(scores[m][place]), 2), bool(scores[m][place] >= thresholds[m])] for m in scores]
            pieces.append([words.text[first:last], by_method])
        at = last
    return [*pieces, [_AFTER.match(words.text, at).group()]]  # type: ignore[union-attr]


def example_html(example: dict[str, Any]) -> str:
    """Before and after, by each method; a removed word is struck out, in brackets, with its score behind it."""
    before = "".join(escape(piece[0]) for piece in example["pieces"])
    rows = [f"<p><strong>Before</strong> ({escape(example['document'])})</p><blockquote>{before}</blockquote>"]
    for number, method in enumerate(example["methods"]):
        after = ""
        for piece in example["pieces"]:
            gone = len(piece) > 1 and piece[1][number][1]
            text = escape(piece[0])
            after += f"[<s>{text}</s>&nbsp;<small>{piece[1][number][0]:.2f}</small>]" if gone else text
        rows.append(f"<p><strong>{NAMED[method]}</strong></p><blockquote>{after}</blockquote>")
    return f'<div class="tn-example">{"".join(rows)}</div>'
