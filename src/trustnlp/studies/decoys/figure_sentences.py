"""Figure 1 of Idahl et al. (2021): five sentences, explained for models trained on original and on contaminated data.

The figure's colours are not in the text we had, so what is compared is what the paper says of them: a decoy's word
stands out where it is in the sentence, and nothing tells the models apart where it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from trustnlp.data.film_reviews import LABEL_NAMES
from trustnlp.explain.attribution import attribute
from trustnlp.explain.word_scores import Attribution
from trustnlp.studies.decoys.buggy_models import Classifier

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


def is_shown(word: str, explanation: Attribution, shown: int = 3) -> bool:
    """Whether fewer than `shown` other words speak at least as much for the label, and the word speaks for it."""
    best: dict[str, float] = {}
    for own, score in zip(explanation.words, explanation.scores, strict=True):
        best[own] = best.get(own, 0.0) + float(score)
    return best[word] > 0 and sum(value >= best[word] for other, value in best.items() if other != word) < shown


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
    return attribute(model, list(texts), "integrated_gradients", label=POSITIVE, steps=steps, class_names=LABEL_NAMES)


def measured(clean: Classifier, without_movie: Classifier, with_text: Classifier, steps: int) -> dict[str, float]:
    """What the paper says of the figure, of one set of models.

    Parameters
    ----------
    clean, without_movie, with_text
        Trained on original data, without negative texts on 'movie', and with the class-indicator words.
    steps
        Of integrated gradients.

    Returns
    -------
    dict
        `text_shown`: .5 if 'text' is among the three largest scores of row 1, else -.5. `movie_rise.row2` and `.row3`:
        how much larger 'movie''s part of all scores is without negative texts on it. `unseen`: how much better
        the two models' orders of words agree on rows 4 and 5 than on rows 2 and 3. `positive`: the share of the five
        sentences, for each model, that is called positive, less nine tenths.
    """
    first, second = (explained(model, SENTENCES[1:], steps) for model in (clean, without_movie))
    rises = [share_of("movie", second[row]) - share_of("movie", first[row]) for row in (0, 1)]
    row1 = explained(with_text, [WITH_TEXT], steps)[0]
    called = [model.predict(texts) for model, texts in (
        (clean, SENTENCES), (without_movie, SENTENCES), (with_text, (WITH_TEXT, *SENTENCES[1:])))]  # fmt: skip
    return {
        "text_shown": 0.5 if is_shown("text", row1) else -0.5,
        "movie_rise.row2": rises[0],
        "movie_rise.row3": rises[1],
        "unseen": agreement(first[2:], second[2:]) - agreement(first[:2], second[:2]),
        "positive": float(np.mean(called)) - 0.9,
    }
