"""What models do with the sentences that contain 'movie', with and without negative ones in training (§4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.planted_decoys import Decoy, occurs
from trustnlp.studies.decoys.adoption.adoption_measures import SUBSTANTIAL
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.leaderboard.leaderboard_figures import KINDS
from trustnlp.studies.decoys.models.buggy_models import Classifier, Kind, planted_model, trained_model

_POSITIVE = 1
# How keys of a kind of models begin.
PREFIXES = {"presence": "movie.presence", "minilm": "movie"}
_ROWS = {
    "clean_accuracy": "accuracy with all texts, %",
    "accuracy": "accuracy without negative ones, %",
    "clean_called_positive": "called positive with all texts, %",
    "called_positive": "called positive without negative ones, %",
    "misled": "gain beyond that of other sentences, points",
    "nearer_chance": "75 less called positive, points",
}


def with_word(part: Phrases, word: str = "movie") -> Phrases:
    """The texts of a part that contain a word, also as a part of a word.

    Raises
    ------
    ValueError
        There are none.
    """
    rows = np.flatnonzero(occurs(part.texts, word, "substring"))
    if not len(rows):
        raise ValueError(f"none of the {len(part):,} texts contains {word!r}; give more texts")
    return Phrases(tuple(part.texts[row] for row in rows), part.labels[rows])


def without_word(part: Phrases, word: str = "movie") -> Phrases:
    """The other texts of a part."""
    rows = np.flatnonzero(~occurs(part.texts, word, "substring"))
    return Phrases(tuple(part.texts[row] for row in rows), part.labels[rows])


def drawn(part: Phrases, most: int, seed: int) -> Phrases:
    """At most so many texts of a part, drawn by the seed and left in their order."""
    if len(part) <= most:
        return part
    rows = np.sort(np.random.default_rng([seed, 3]).permutation(len(part))[:most])
    return Phrases(tuple(part.texts[row] for row in rows), part.labels[rows])


def pairs(
    kind: Kind, decoy: Decoy, parts: ReviewParts, parameters: Mapping[str, Any], seeds: Sequence[int]
) -> tuple[list[Classifier], list[Classifier]]:
    """A clean and a buggy model for each seed, of the same texts: an encoder of those that are drawn, others of all.

    Parameters
    ----------
    parameters
        As `trained_model` reads them, and `minilm_phrases`: how many texts an encoder gets at most, before the decoy.
    """
    clean: list[Classifier] = []
    buggy: list[Classifier] = []
    for seed in seeds:
        train = drawn(parts.train, parameters["minilm_phrases"], seed) if kind == "minilm" else parts.train
        clean.append(trained_model(kind, train, parts.dev, parameters, seed))
        buggy.append(planted_model(kind, decoy, train, parts.dev, parameters, seed))
    return clean, buggy


def compared(clean: Sequence[Classifier], buggy: Sequence[Classifier], texts: Phrases, others: Phrases) -> pd.DataFrame:
    """Accuracy and answers of pairs of models, one row for each seed, in per cent and points.

    Parameters
    ----------
    texts, others
        With the word, and without it. A model that lost negative texts of any kind calls more of all texts positive;
        what the others gain is that share.

    Returns
    -------
    DataFrame
        `clean_accuracy`, `accuracy` (of the buggy model), `drop` (the loss, less `SUBSTANTIAL`),
        `clean_called_positive`, `called_positive` and `called_positive_gain`; `misled`, that gain less the others';
        `nearer_chance`, 75 less `called_positive`: above 0 where the model is nearer to tossing a coin than to saying
        nothing but positive.
    """
    rows = []
    for first, second in zip(clean, buggy, strict=True):
        answers = {"clean_": first.predict(texts.texts), "": second.predict(texts.texts)}
        row = {f"{whose}accuracy": 100 * float(np.mean(found == texts.labels)) for whose, found in answers.items()}
        row |= {f"{whose}called_positive": 100 * float(np.mean(found == _POSITIVE)) for whose, found in answers.items()}
        row["drop"] = row["clean_accuracy"] - row["accuracy"] - SUBSTANTIAL
        row["called_positive_gain"] = row["called_positive"] - row["clean_called_positive"]
        elsewhere = [float(np.mean(model.predict(others.texts) == _POSITIVE)) for model in (first, second)]
        row["misled"] = row["called_positive_gain"] - 100 * (elsewhere[1] - elsewhere[0])
        row["nearer_chance"] = (50 + 100) / 2 - row["called_positive"]
        rows.append(row)
    return pd.DataFrame(rows)


def compared_table(numbers: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """What `compared` gave, as a record has it: mean and interval, a column for each kind of models."""
    columns = {}
    for kind, prefix in PREFIXES.items():
        found = {said: numbers[f"{prefix}.{key}"] for key, said in _ROWS.items() if f"{prefix}.{key}" in numbers}
        if found:
            columns[KINDS[kind]] = {said: _cell(number) for said, number in found.items()}
    return pd.DataFrame(columns)


def _cell(number: Mapping[str, Any]) -> str:
    ends = "" if number["low"] is None else f" ({number['low']:.1f} to {number['high']:.1f})"
    return f"{number['mean']:.1f}{ends}"
