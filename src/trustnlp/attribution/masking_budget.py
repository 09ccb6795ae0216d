"""How many words must be masked, the most important first, until the prediction turns?

Kumar, Dixit and Shah (2021), §4.3 and Algorithm 1: the fewer words, the better the scores know what the model's
prediction hangs on. The share of texts whose prediction turns within a budget is the coverage; the mean number of
words masked is taken over those texts alone, so it is another set of texts for each kind of scores, and coverage has to
be read beside it.

>>> def predict(texts):  # positive if the text says "good"
...     return [int("good" in text.split()) for text in texts]
>>> text, scores = ("a", "good", "film"), [0.1, 0.9, 0.3]
>>> masked_until_turned(predict, [text], [scores], budget=2, mask="[MASK]").counts
array([1])

Deviation: Algorithm 1 sorts the scores in ascending order, which would mask the least important words first. Here the
highest score comes first, and of equal scores the word that stands first. A score is high where a word *supports the
prediction*; scores for a fixed label are turned by `supporting_scores`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from trustnlp.attribution.model_calls import (
    Floats,
    Labels,
    Predict,
    Words,
    check_scores,
    check_words,
    masked_text,
    predicted_labels,
)

# Sets of words that a search looks at for one text: all that 12 words have, or the pairs of 90.
MOST_SETS = 4095


@dataclass(frozen=True, eq=False)
class MaskedCounts:
    """Numbers of words that had to be masked.

    Attributes
    ----------
    counts
        `(n,)` for each text, at least 1; −1 where the prediction did not turn within the budget.
    budget
        The most words that were masked.
    """

    counts: NDArray[np.int64]
    budget: int

    def coverage(self, budget: int | None = None) -> float:
        """Share of texts, in per cent, whose prediction turned within a budget: that of the search, or a smaller one.

        Raises
        ------
        ValueError
            If there is no text, or the budget is not within the one that was searched.
        """
        return float(100 * self._turned(budget).mean())

    def average_length(self, budget: int | None = None) -> float:
        """Mean number of words masked over the texts that `coverage` counts; NaN where it counts none."""
        turned = self._turned(budget)
        return float(self.counts[turned].mean()) if turned.any() else float("nan")

    def coverage_curve(self) -> Floats:
        """`(budget,)` the coverage for 1, 2, … words, in per cent. Its mean is the area under it."""
        return np.array([self.coverage(budget) for budget in range(1, self.budget + 1)])

    def _turned(self, budget: int | None) -> NDArray[np.bool_]:
        most = self.budget if budget is None else budget
        if not 1 <= most <= self.budget:
            raise ValueError(f"words were masked up to a budget of {self.budget}, which says nothing of {most}")
        if not len(self.counts):
            raise ValueError("there is no text to take a share of; were there any errors of the model?")
        turned: NDArray[np.bool_] = (self.counts > 0) & (self.counts <= most)
        return turned


def masked_until_turned(
    predict: Predict, texts: Sequence[Words], scores: Sequence[Floats], budget: int, mask: str
) -> MaskedCounts:
    """Algorithm 1, with the order that is meant: mask word after word until the prediction turns or the budget is met.

    One call of `predict` for the whole texts, and one a step for all texts that have not turned. A text with fewer
    words than the budget is done when all are masked.

    Parameters
    ----------
    predict
        Function of a list of texts to labels `(n,)`.
    texts, scores
        Words, and the score of each, high where it supports the prediction.
    budget
        The most words that are masked, at least 1.
    mask
        What stands in the place of a masked word.

    Raises
    ------
    ValueError
        If given a budget below 1, a text without words, or scores that are not one finite number a word.
    """
    _check_budget(budget)
    orders = [np.argsort(-own, kind="stable") for own in check_scores(texts, scores)]
    hidden = [np.zeros(len(words), dtype=np.bool_) for words in texts]
    whole = predicted_labels(predict, [" ".join(words) for words in texts])
    counts = np.full(len(texts), -1, dtype=np.int64)
    for step in range(budget):
        waiting = [number for number, order in enumerate(orders) if counts[number] < 0 and step < len(order)]
        if not waiting:
            break
        for number in waiting:
            hidden[number][orders[number][step]] = True
        labels = predicted_labels(predict, [masked_text(texts[number], hidden[number], mask) for number in waiting])
        turned = np.array(waiting)[labels != whole[waiting]]
        counts[turned] = step + 1
    return MaskedCounts(counts, budget)


def fewest_masked(predict: Predict, texts: Sequence[Words], budget: int, mask: str) -> MaskedCounts:
    """The fewest words, wherever they stand, that turn the prediction: what no order of words can beat. By search.

    All sets of one word are tried, then all of two, and so on; one call of `predict` for each size. Parameters as for
    `masked_until_turned`.

    Raises
    ------
    ValueError
        If it would be raised there, or for a text with more than `MOST_SETS` sets of words within the budget: take the
        shorter texts (12 words with any budget), or a smaller budget.
    """
    _check_budget(budget)
    for number, words in enumerate(texts):
        check_words(words, number)
        sets = sum(comb(len(words), size) for size in range(1, min(budget, len(words)) + 1))
        if sets > MOST_SETS:
            raise ValueError(
                f"text {number} has {len(words)} words, of which {sets:,} sets are within a budget of {budget}; the "
                f"search looks at {MOST_SETS:,} at most: leave long texts out (12 words always fit) or lower the budget"
            )
    whole = predicted_labels(predict, [" ".join(words) for words in texts])
    counts = np.full(len(texts), -1, dtype=np.int64)
    for size in range(1, budget + 1):
        owners: list[int] = []
        tried: list[str] = []
        for number in np.flatnonzero(counts < 0).tolist():
            for chosen in combinations(range(len(texts[number])), size):
                hidden = np.zeros(len(texts[number]), dtype=np.bool_)
                hidden[list(chosen)] = True
                owners.append(number)
                tried.append(masked_text(texts[number], hidden, mask))
        owner = np.array(owners, dtype=np.int64)
        counts[owner[predicted_labels(predict, tried) != whole[owner]]] = size
    return MaskedCounts(counts, budget)


def supporting_scores(scores: Sequence[Floats], predictions: Labels, label: int = 1) -> list[Floats]:
    """Scores that are high for `label`, turned so that they are high for the prediction: `-s` where it is another one.

    For the influence scores of equation (4), which are those of the positive label, and two classes.
    """
    if len(scores) != len(predictions):
        raise ValueError(f"{len(scores)} lists of scores need as many predictions, got {len(predictions)}")
    return [
        np.asarray(own, dtype=np.float64) * (1 if predicted == label else -1)
        for own, predicted in zip(scores, predictions, strict=True)
    ]


def hybrid_scores(unlike: Sequence[Floats], influence: Sequence[Floats]) -> list[Floats]:
    """§4.3: unlike ratios, with influence scores in their place in a text where the ratios tell no word from another.

    "Non-informative (e.g., all scores are 0)": here all ratios of a text are equal. Both kinds of scores support the
    prediction.

    Raises
    ------
    ValueError
        If there are not as many scores of one kind as of the other.
    """
    if [np.shape(own) for own in unlike] != [np.shape(own) for own in influence]:
        raise ValueError("unlike ratios and influence scores are needed for the same words of the same texts")
    pairs = zip(unlike, influence, strict=True)
    return [np.asarray(second if np.ptp(first) == 0 else first, dtype=np.float64) for first, second in pairs]


def _check_budget(budget: int) -> None:
    if budget < 1:
        raise ValueError(f"the budget is the number of words that may be masked, at least 1; got {budget}")
