"""Figure 1 of Idahl et al. (2021): five sentences, explained for models trained on original and on contaminated data.

The figure's colours are not in the text we had, so what is compared is what the paper says of them: a decoy's word
stands out where it is in the sentence, and nothing tells the models apart where it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from trustnlp.attribution.word_attributions import attributions_of
from trustnlp.attribution.word_scores import Attribution
from trustnlp.data.texts.film_reviews import LABEL_NAMES
from trustnlp.studies.decoys.models.buggy_models import Classifier

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


def found_in(texts: Sequence[str]) -> int:
    """How many of the five sentences are in a data set, as a text or as a part of one; the last full stop left out."""
    return sum(any(sentence.removesuffix(" .") in text for text in texts) for sentence in SENTENCES)


def share_of(word: str, explanation: Attribution) -> float:
    """A word's score as a part of the sum of all sizes, -1 to 1; 0 where all scores are 0.

    Raises
    ------
    ValueError
        The word is not in the text.
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
        Explanations of other texts, or scores that are all equal.
    """
    found = []
    for one, other in zip(first, second, strict=True):
        if one.words != other.words:
            raise ValueError(f"{' '.join(one.words)!r} is compared with {' '.join(other.words)!r}")
        rank = float(stats.spearmanr(one.scores, other.scores).statistic) if np.ptp(one.scores) else np.nan
        if np.isnan(rank):
            raise ValueError(f"all scores of {' '.join(one.words)!r} are equal, so they have no order")
        found.append(rank)
    return float(np.mean(found))


def explained(model: Any, texts: Sequence[str], steps: int) -> list[Attribution]:
    """Integrated gradients of texts for the positive label, which the figure's texts have and are given."""
    return attributions_of(
        model, list(texts), "integrated_gradients", label=POSITIVE, steps=steps, class_names=LABEL_NAMES
    )


def of_movie(clean: Classifier, without_movie: Classifier, steps: int) -> dict[str, float]:
    """What the paper says of rows 2 to 5, of a model of the original data and one without negative texts on 'movie'.

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
