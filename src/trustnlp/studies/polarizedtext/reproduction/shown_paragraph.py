"""One paragraph before and after: a procurement paper of the US government, which is in the public domain.

Texts of policies are never shown. The paragraph is the one that holds most words of its owner's names, of all that are
neither a title nor too long and hold no planted secret; the methods have no part in the choice. A first rule, the
longest paragraph of a document named beforehand, had shown a licence, in which nothing is private.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

from trustnlp.privacy.text.anonymisation.words import DocumentWords
from trustnlp.studies.polarizedtext.baselines import NAMED, all_scores, asked, epochs_of, fitted
from trustnlp.studies.polarizedtext.data.corpora import Corpus, PlantedCorpus, planted_corpus

_FEWEST_WORDS, _MOST_WORDS = 30, 90
METHODS = ("log_odds", "polarised", "presidio")
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
    for method in asked(METHODS, 0, parameters):
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
