"""Accuracy of attackers against the share of words removed, for each method, and what is left for a reader.

Words are removed by a method's scores, the highest first, until a share of all words is gone (ties in an order drawn
once for each word). Links and addresses are gone in every row, as are the planted secrets, which belong to another
question.

per owner
    A word's score is that for the document's owner. So a word may be removed for one owner and stay for others.
common
    Its highest score over owners; what is removed is removed everywhere.
random types
    Words drawn for each owner, all their occurrences; a control that removes nothing telling.

The strongest attacker is the family with the highest mean accuracy over seeds in that row. Chance is the share of the
owner with most documents. For a reader count sentences and paragraphs without a hole: formulas of readability would
call a text easier for its holes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from tqdm import tqdm

from trustnlp.privacy.attacks.reidentification import ATTACKERS, count_table, named_correctly
from trustnlp.privacy.text.anonymisation.scores import WordScores
from trustnlp.privacy.text.anonymisation.words import DocumentWords
from trustnlp.studies.polarizedtext.baselines import BINARY, asked, epochs_of, fitted
from trustnlp.studies.polarizedtext.data import Corpus, PlantedCorpus, planted_corpus
from trustnlp.studies.polarizedtext.detection import Floats, Measured, weights_for

GRANTED = 0.1  # above chance: still called chance
POINT = 5  # per cent of the words: where claims are read, and where the slow attacker runs
_SLOW = "characters"
_FEWEST_OF_KIND = 4


def attack_methods(
    corpus: Corpus,
    seeds: Sequence[int],
    methods: Sequence[str],
    shares: Sequence[int],
    parameters: Mapping[str, Any],
) -> Measured:
    """Attack the corpus redacted by each method.

    Parameters
    ----------
    methods
        Of `compared_methods`, and `common_log_odds`, `common_polarised` and `random_types`.
    shares
        Per cent of the words to remove.
    parameters
        `profile`, `epochs`, `resamples`, `folds` and `presidio_seeds`.
    """
    measured = Measured()
    kinds = Counter(document.kind for document in corpus.documents)
    usual = np.array([kinds[document.kind] >= _FEWEST_OF_KIND for document in corpus.documents])
    for number, seed in enumerate(tqdm(seeds, desc=f"{corpus.name}: seeds", disable=None)):
        planted = planted_corpus(corpus, seed)
        view = _View(planted, usual, int(parameters["folds"]), weights_for(planted, parameters["resamples"]))
        view.attack(measured, "raw", [np.zeros(len(ids), dtype=bool) for ids in view.ids], slow=True)
        for name in asked(methods, number, parameters):
            scores = _scores(name, planted, parameters, view)
            if name in BINARY or name == "presidio":
                view.attack(measured, name, [each > 0 for each in scores], slow=True)
                continue
            for share in shares:
                removed = _highest(scores, view, share / 100)
                view.attack(measured, f"{name}.s{share}", removed, slow=share == POINT)
    _summarise(measured, corpus, shares, methods)
    return measured


class _View:
    """One seed's documents as an attacker sees them: words by number, without secrets."""

    def __init__(self, planted: PlantedCorpus, usual: NDArray[np.bool_], folds: int, weights: Floats) -> None:
        self.planted, self.usual, self.folds, self.weights = planted, usual, folds, weights
        self.keys = sorted({key for words in planted.words for key in words.places})
        number = {key: place for place, key in enumerate(self.keys)}
        self.seen = [marks == 0 for marks in planted.secret_marks]
        self.ids = [
            np.array([number[key] for key in words.keys], dtype=np.int64)[seen]
            for words, seen in zip(planted.words, self.seen, strict=True)
        ]
        self.paragraphs = [words.paragraphs[seen] for words, seen in zip(planted.words, self.seen, strict=True)]
        self.sentences = [sentences_of(words)[seen] for words, seen in zip(planted.words, self.seen, strict=True)]
        self.tie = np.random.default_rng([planted.seed, 4]).random(len(self.keys))

    def attack(self, measured: Measured, name: str, removed: Sequence[NDArray[np.bool_]], *, slow: bool) -> None:
        corpus, seed = self.planted.corpus, self.planted.seed
        prefix = f"{corpus.name}.{name}"
        table = count_table([ids[~gone] for ids, gone in zip(self.ids, removed, strict=True)], len(self.keys))
        for attacker in ATTACKERS:
            if attacker == _SLOW and not slow:
                continue
            right = named_correctly(table, corpus.owners, self.keys, attacker, self.folds, seed).astype(float)
            measured.add(f"{prefix}.{attacker}", partial(_mean, right), self.weights)
        gone = np.array([each.mean() for each in removed])
        measured.values.setdefault(f"{prefix}.removed", []).append(
            float(sum(each.sum() for each in removed) / sum(map(len, removed)))
        )
        measured.values.setdefault(f"{prefix}.least_left", []).append(float(1 - gone.max()))
        measured.values.setdefault(f"{prefix}.kind", []).append(self._kind(table))
        for unit, numbers in (("paragraphs", self.paragraphs), ("sentences", self.sentences)):
            measured.values.setdefault(f"{prefix}.whole_{unit}", []).append(share_whole(numbers, removed))

    def _kind(self, table: sparse.csr_matrix) -> float:
        """Accuracy of a regression that tells the sort of a document."""
        kinds = [each.kind for each, usual in zip(self.planted.corpus.documents, self.usual, strict=True) if usual]
        if len(set(kinds)) < 2:
            return 1.0
        rows = table[np.flatnonzero(self.usual)]
        return float(named_correctly(rows, kinds, self.keys, "regression", self.folds, self.planted.seed).mean())


def _scores(name: str, planted: PlantedCorpus, parameters: Mapping[str, Any], view: _View) -> list[Floats]:
    epochs, profile = epochs_of(planted.corpus.name, parameters["epochs"]), parameters["profile"]
    if name == "random_types":
        rng = np.random.default_rng([planted.seed, 5])
        drawn = {owner: rng.random(len(view.keys)) for owner in planted.corpus.known}
        return [drawn[owner][ids] for owner, ids in zip(planted.owners, view.ids, strict=True)]
    common = name.startswith("common_")
    method: WordScores = fitted(name.removeprefix("common_"), planted, profile, epochs)
    return [
        method(words, None if common else owner)[seen]
        for words, owner, seen in zip(planted.words, planted.owners, view.seen, strict=True)
    ]


def _highest(scores: Sequence[Floats], view: _View, share: float) -> list[NDArray[np.bool_]]:
    """Per document which words are gone; of equal scores whole words go, in a drawn order."""
    values = np.concatenate(scores)
    order = np.lexsort((view.tie[np.concatenate(view.ids)], -values))
    gone = np.zeros(len(values), dtype=bool)
    gone[order[: round(share * len(values))]] = True
    return np.split(gone, np.cumsum([len(each) for each in scores])[:-1])


def _mean(right: Floats, weights: Floats | None) -> Floats:
    return np.array([right.mean()]) if weights is None else weights @ right / weights.sum(axis=1)


def _summarise(measured: Measured, corpus: Corpus, shares: Sequence[int], methods: Sequence[str]) -> None:
    """The strongest attacker of each row, and the margins that claims read."""
    rows = {key.rpartition(".")[0] for key in measured.resampled}
    for row in sorted(rows):
        families = [f"{row}.{attacker}" for attacker in ATTACKERS if f"{row}.{attacker}" in measured.values]
        best = max(families, key=lambda key: float(np.mean(measured.values[key])))
        measured.values[f"{row}.strongest"] = list(measured.values[best])
        measured.resampled[f"{row}.strongest"] = list(measured.resampled[best])
    chance = max(Counter(corpus.owners).values()) / len(corpus.owners)
    measured.values[f"{corpus.name}.chance"] = [chance]
    at = min(shares, key=lambda share: abs(share - POINT))
    for name in methods:
        key = f"{corpus.name}.{name}.s{at}.strongest"
        if key in measured.values:
            measured.line(f"{corpus.name}.{name}.anonymous_margin", key, slope=-1, offset=chance + GRANTED)
    first, second = (f"{corpus.name}.{name}.s{at}.strongest" for name in ("log_odds", "polarised"))
    measured.difference(f"{corpus.name}.polarised_over_log_odds", first, second)


_FEWEST = 8  # words of what counts as running text
_END = re.compile(r"[.!?]['\"”’)\]*_]*\s")


def sentences_of(words: DocumentWords) -> NDArray[np.int64]:
    """`(T,)` the sentence of each word, counted from 0.

    A sentence ends with its paragraph, and where a full stop, a question or an exclamation mark stands with a blank
    between two words. An abbreviation that ends in a full stop ends one, too.
    """
    if not len(words):
        return np.zeros(0, dtype=np.int64)
    between = zip(words.spans[:-1, 1], words.spans[1:, 0], strict=True)
    ends = np.array([_END.search(words.text, end, start) is not None for end, start in between], dtype=bool)
    new = ends | (np.diff(words.paragraphs) > 0)
    return np.concatenate([[0], np.cumsum(new)]).astype(np.int64)


def share_whole(units: Sequence[NDArray[np.int64]], removed: Sequence[NDArray[np.bool_]]) -> float:
    """Share of the sentences or paragraphs of running text in which nothing was removed.

    Parameters
    ----------
    units
        Per document `(T,)` the number of the sentence or paragraph of each word.
    removed
        Per document `(T,)`.
    """
    whole = []
    for at, gone in zip(units, removed, strict=True):
        sizes, holes = np.bincount(at), np.bincount(at, weights=gone)
        whole.append(holes[sizes >= _FEWEST] == 0)
    return float(np.concatenate(whole).mean())
