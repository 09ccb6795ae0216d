"""Accuracy of attackers against the share of words removed, for each method.

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
owner with most documents.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from trustnlp.privacy.attacks.reidentification import ATTACKERS, count_table, named_correctly
from trustnlp.studies.polarizedtext.baselines import BINARY, asked, fitted
from trustnlp.studies.polarizedtext.data import OwnedCorpus, PlantedCorpus, planted_corpus
from trustnlp.studies.polarizedtext.detection import Floats, Measured, less, weights_for

GRANTED = 0.1  # above chance: still called chance
POINT = 5  # per cent of the words: where claims are read, and where the slow attacker runs
_SLOW = "characters"


def attack_methods(
    corpus: OwnedCorpus,
    seeds: Sequence[int],
    methods: Sequence[str],
    shares: Sequence[int],
    parameters: Mapping[str, Any],
) -> Measured:
    """Attack the corpus redacted by each method.

    Parameters
    ----------
    methods
        As `fitted` names them, and `common_log_odds` and `random_types`.
    shares
        Per cent of the words to remove.
    parameters
        `profile`, `epochs`, `resamples`, `folds` and `presidio_seeds`.

    Returns
    -------
    Measured
        `raw.ATTACKER`; `METHOD.sSHARE.strongest` and `.absence`, without a share for methods that say yes or no, and
        `METHOD.removed` for these; `chance`; `polarised.anonymous_margin`, by which the strongest is below chance and
        `GRANTED`; `polarised_over_log_odds`, log-odds less polarised vectors. Shares, under the corpus's name.
    """
    measured = Measured(list)
    rows: dict[str, dict[str, list[Floats]]] = {}  # row → attacker → for each seed `(1 + R,)`
    for number, seed in enumerate(tqdm(seeds, desc=f"{corpus.name}: seeds", disable=None)):
        view = View(planted_corpus(corpus, seed))
        weights = weights_for(view.planted, parameters["resamples"])
        removals = {"raw": [np.zeros(len(ids), dtype=bool) for ids in view.ids]}
        for name in asked(methods, number, parameters):
            scores = view.scores(name, parameters)
            if name in BINARY:
                removals[name] = [each > 0 for each in scores]
                measured[f"{corpus.name}.{name}.removed"].append(np.array([np.concatenate(removals[name]).mean()]))
            else:
                removals |= {f"{name}.s{share}": view.highest(scores, share / 100) for share in shares}
        for row, removed in removals.items():
            left = count_table([ids[~gone] for ids, gone in zip(view.ids, removed, strict=True)], len(view.keys))
            for attacker in ATTACKERS:
                if attacker != _SLOW or ".s" not in row or row.endswith(f".s{POINT}"):
                    right = named_correctly(left, corpus.owners, view.keys, attacker, parameters["folds"], seed)
                    accuracy = weights @ right / weights.sum(axis=1)
                    rows.setdefault(row, defaultdict(list))[attacker].append(accuracy)
    for row, families in rows.items():
        prefix = f"{corpus.name}.{row}"
        shown = families if row == "raw" else {"absence": families["absence"]}
        measured |= {f"{prefix}.{attacker}": accuracies for attacker, accuracies in shown.items()}
        measured[f"{prefix}.strongest"] = max(families.values(), key=lambda each: np.mean([drawn[0] for drawn in each]))
    chance = max(Counter(corpus.owners).values()) / len(corpus.owners)
    measured[f"{corpus.name}.chance"] = [np.array([chance])]
    polarised, log_odds = (f"{corpus.name}.{name}.s{POINT}.strongest" for name in ("polarised", "log_odds"))
    measured[f"{corpus.name}.polarised.anonymous_margin"] = [chance + GRANTED - drawn for drawn in measured[polarised]]
    measured[f"{corpus.name}.polarised_over_log_odds"] = less(measured, log_odds, polarised)
    return measured


class View:
    """One seed's documents as an attacker sees them: words by number, without secrets."""

    def __init__(self, planted: PlantedCorpus) -> None:
        self.planted = planted
        self.keys = sorted({key for words in planted.words for key in words.places})
        number = {key: place for place, key in enumerate(self.keys)}
        self.seen = [marks == 0 for marks in planted.secret_marks]
        self.ids = [
            np.array([number[key] for key in words.keys], dtype=np.int64)[seen]
            for words, seen in zip(planted.words, self.seen, strict=True)
        ]
        self.tie = np.random.default_rng([planted.seed, 4]).random(len(self.keys))

    def scores(self, name: str, parameters: Mapping[str, Any]) -> list[Floats]:
        """Scores of the words of each document by a method, for its owner or, of a common list, for all owners."""
        if name == "random_types":
            rng = np.random.default_rng([self.planted.seed, 5])
            drawn = {owner: rng.random(len(self.keys)) for owner in self.planted.corpus.known}
            return [drawn[owner][ids] for owner, ids in zip(self.planted.owners, self.ids, strict=True)]
        method = fitted(name.removeprefix("common_"), self.planted, parameters)
        return [
            method(words, None if name.startswith("common_") else owner)[seen]
            for words, owner, seen in zip(self.planted.words, self.planted.owners, self.seen, strict=True)
        ]

    def highest(self, scores: Sequence[Floats], share: float) -> list[NDArray[np.bool_]]:
        """Per document which words are gone; of equal scores whole words go, in a drawn order."""
        values = np.concatenate(scores)
        order = np.lexsort((self.tie[np.concatenate(self.ids)], -values))
        gone = np.zeros(len(values), dtype=bool)
        gone[order[: round(share * len(values))]] = True
        return np.split(gone, np.cumsum([len(each) for each in scores])[:-1])
