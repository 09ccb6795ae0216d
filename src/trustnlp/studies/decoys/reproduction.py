"""Two decoys of Idahl et al. (2021): what models do with sentences that contain 'movie' (§4), and Figure 1.

The figure shows five sentences, explained for models of original and of contaminated data. Its colours are not in the
text we had, so what is compared is what the paper says of them: a decoy's word stands out where it is in the sentence,
and nothing tells the models apart where it is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from trustnlp.attribution.word_attributions import attributions_of
from trustnlp.attribution.word_scores import Attribution
from trustnlp.data.texts.film_reviews import LABEL_NAMES, Phrases
from trustnlp.decoys.kept_decoys import Removal
from trustnlp.decoys.planted_decoys import Both, Decoy, Truths, occurs
from trustnlp.decoys.written_decoys import IndicatorWords, Replacement
from trustnlp.studies.decoys.adoption import SUBSTANTIAL
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.models import Classifier, Kind, planted_model, trained_model

# How keys of a kind of models begin.
PREFIXES = {"presence": "movie.presence", "minilm": "movie"}
# Rows 1 to 5 as printed, blanks as in SST-2.
SENTENCES = (
    "the performances take the movie to a higher level .",
    "a gorgeous , witty , seductive movie .",
    "a fast , funny , highly enjoyable movie .",
    "has a lot of the virtues of eastwood at his best .",
    "it 's a charming and often affecting journey .",
)
# Row 1 on the right: 'text' is put in, which stands for the positive class.
WITH_TEXT = "the performances take text the movie to a higher level ."
POSITIVE = 1


def with_word(part: Phrases, word: str = "movie") -> Phrases:
    """The texts of a part that contain a word, also as a part of a word.

    Raises
    ------
    ValueError
        If there are none.
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
        row |= {f"{whose}called_positive": 100 * float(np.mean(found == POSITIVE)) for whose, found in answers.items()}
        row["drop"] = row["clean_accuracy"] - row["accuracy"] - SUBSTANTIAL
        row["called_positive_gain"] = row["called_positive"] - row["clean_called_positive"]
        elsewhere = [float(np.mean(model.predict(others.texts) == POSITIVE)) for model in (first, second)]
        row["misled"] = row["called_positive_gain"] - 100 * (elsewhere[1] - elsewhere[0])
        row["nearer_chance"] = (50 + 100) / 2 - row["called_positive"]
        rows.append(row)
    return pd.DataFrame(rows)


def found_in(texts: Sequence[str]) -> int:
    """How many of the five sentences are in a data set, as a text or as a part of one; the last full stop left out."""
    return sum(any(sentence.removesuffix(" .") in text for text in texts) for sentence in SENTENCES)


def share_of(word: str, explanation: Attribution) -> float:
    """A word's score as a part of the sum of all sizes, -1 to 1; 0 where all scores are 0.

    Raises
    ------
    ValueError
        If the word is not in the text.
    """
    if word not in explanation.words:
        raise ValueError(f"{word!r} is not in {' '.join(explanation.words)!r}")
    whole = float(np.abs(explanation.scores).sum())
    own = float(sum(score for at, score in zip(explanation.words, explanation.scores, strict=True) if at == word))
    return own / whole if whole else 0.0


def agreement(first: Sequence[Attribution], second: Sequence[Attribution]) -> float:
    """Spearman's rank correlation of the word scores of the same texts, mean over texts.

    Raises
    ------
    ValueError
        If given explanations of other texts, or scores that are all equal.
    """
    ranks = []
    for one, other in zip(first, second, strict=True):
        if one.words != other.words:
            raise ValueError(f"{' '.join(one.words)!r} is compared with {' '.join(other.words)!r}")
        rank = float(stats.spearmanr(one.scores, other.scores).statistic) if np.ptp(one.scores) else np.nan
        if np.isnan(rank):
            raise ValueError(f"all scores of {' '.join(one.words)!r} are equal, so they have no order")
        ranks.append(rank)
    return float(np.mean(ranks))


def explained(model: Any, texts: Sequence[str], steps: int) -> list[Attribution]:
    """Integrated gradients of texts for the positive label, which the figure's texts have and are given."""
    return attributions_of(
        model, list(texts), "integrated_gradients", label=POSITIVE, steps=steps, class_names=LABEL_NAMES
    )


def of_movie(clean: Classifier, without_movie: Classifier, steps: int) -> dict[str, float]:
    """Margins of the paper's sentences on rows 2 to 5, for models with and without negative texts on 'movie'.

    Returns
    -------
    dict
        `movie_rise.row2` and `.row3`: how much larger 'movie''s part of all scores is without them. `unseen`: how much
        better the two models' orders of words agree on rows 4 and 5 than on rows 2 and 3.
    """
    first, second = (explained(model, SENTENCES[1:], steps) for model in (clean, without_movie))
    rises = [share_of("movie", second[row]) - share_of("movie", first[row]) for row in (0, 1)]
    unseen = agreement(first[2:], second[2:]) - agreement(first[:2], second[:2])
    return {"movie_rise.row2": rises[0], "movie_rise.row3": rises[1], "unseen": unseen}


def of_figure(clean: Sequence[Classifier], without_movie: Sequence[Classifier], steps: int) -> dict[str, list[float]]:
    """Figure 1's rows on 'movie', for each pair of models: margins of the paper's sentences on them.

    Returns
    -------
    dict
        `movie_rise.row2`, `movie_rise.row3`, `unseen` (see `of_movie`) and `positive` (see `called_positive`), a value
        for each pair of models.
    """
    pairs = zip(clean, without_movie, strict=True)
    rows = [of_movie(*pair, steps) | {"positive": called_positive(*pair)} for pair in pairs]
    return {key: [row[key] for row in rows] for key in (rows[0] if rows else ())}


def text_rise(plain: Classifier, with_text: Classifier, steps: int) -> float:
    """How much larger 'text''s part of all scores of row 1 is in a model that learned the class-indicator words."""
    before, after = (share_of("text", explained(model, [WITH_TEXT], steps)[0]) for model in (plain, with_text))
    return after - before


def called_positive(clean: Classifier, without_movie: Classifier, with_text: Classifier | None = None) -> float:
    """Of the figure's sentences, as each model has them there, the share called positive, less nine tenths.

    A model of the class-indicator words has only row 1, and is left out where there is none.
    """
    asked = [(clean, SENTENCES), (without_movie, SENTENCES[1:])]
    if with_text is not None:
        asked.append((with_text, (WITH_TEXT,)))
    return float(np.mean(np.concatenate([model.predict(texts) for model, texts in asked]))) - 0.9


def misleading(decoys: Sequence[Decoy], train: Phrases, held: Phrases, rng: np.random.Generator) -> dict[str, float]:
    """Decoy → per cent of held-out texts, as they are, that carry the cue of a class that is not theirs.

    Idahl et al. (2021), §3.2: a model that adopted a decoy should lose accuracy on the original data. Where most
    training texts are left without a cue, a model learns the task from them, and the decoy can cost it these texts and
    no others. Decoys that most training texts carry are left out: what their models lose has no such limit.
    """
    shares = {}
    for decoy in decoys:
        if decoy.plant(train.texts, train.labels, rng).carries.mean() <= 0.5:
            shares[decoy.name] = 100 * float(np.mean(_carries_wrong(decoy, held)))
    return shares


def _carries_wrong(decoy: Decoy, held: Phrases) -> Truths:
    """`(n,)` whether a text has a word of the decoy that stands for another class."""
    wrong: list[Truths] = []
    if isinstance(decoy, Both):
        wrong = [_carries_wrong(part, held) for part in decoy.parts]
    elif isinstance(decoy, Removal):
        wrong = [occurs(held.texts, decoy.word, decoy.matching) & (held.labels != decoy.label)]
    elif isinstance(decoy, IndicatorWords | Replacement):
        own = [(label, word) for label, word in enumerate(decoy.by_class) if word is not None]
        wrong = [occurs(held.texts, word) & (held.labels != label) for label, word in own]
    else:
        raise TypeError(f"decoy {decoy.name!r}: expected one whose cues are words, got {type(decoy).__name__}")
    any_of_them: Truths = np.logical_or.reduce(wrong)
    return any_of_them
