"""Questions that uses of an explanation put to a model: labels or probabilities of texts, asked once each, checked.

The model is any function of a list of texts. It gets every distinct text once and one list for all of them, so that it
can batch as it likes; what comes back is put in the order that was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = tuple[str, ...]
Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
Predict = Callable[[Sequence[str]], Any]
Probabilities = Callable[[Sequence[str]], Any]

# How far the probabilities of a text may sum from 1: models in bfloat16 have three digits.
SUM_TOLERANCE = 1e-3


def predicted_labels(predict: Predict, texts: Sequence[str]) -> Labels:
    """Labels `(n,)` of texts by `predict(texts)`, which is called once with the distinct ones, or not at all for none.

    Raises
    ------
    ValueError
        If there is not one whole number for each text.
    """
    distinct, places = distinct_texts(texts)
    if not distinct:
        return np.empty(0, dtype=np.int64)
    labels = np.asarray(predict(distinct))
    if labels.shape != (len(distinct),) or labels.dtype.kind not in "iu":
        raise ValueError(
            f"predict was given {len(distinct)} texts and returned an array of shape {labels.shape} and type "
            f"{labels.dtype}; expected one whole number, the label, for each (see labels_by for probabilities)"
        )
    return labels.astype(np.int64)[places]


def predicted_probabilities(probabilities: Probabilities, texts: Sequence[str]) -> Floats:
    """Probabilities `(n, c)` of texts, as `predicted_labels`. No text gives an array `(0, 0)`.

    Raises
    ------
    ValueError
        If given another shape than `(n, c)` with two classes or more, or rows that are no probabilities.
    """
    distinct, places = distinct_texts(texts)
    if not distinct:
        return np.empty((0, 0))
    answers = np.asarray(probabilities(distinct), dtype=np.float64)
    check_probabilities(answers, (len(distinct),), "probabilities")
    return answers[places]


def labels_by(probabilities: Probabilities) -> Predict:
    """The function `predict` of a model that gives probabilities: the label of the largest, the first of equal ones."""

    def predict(texts: Sequence[str]) -> Labels:
        labels: Labels = predicted_probabilities(probabilities, texts).argmax(axis=1)
        return labels

    return predict


def distinct_texts(texts: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    """The distinct texts in the order of their first appearance, and the place `(n,)` of each text among them.

    >>> distinct_texts(["a film", "dull", "a film"])
    (['a film', 'dull'], array([0, 1, 0]))
    """
    if isinstance(texts, str):
        raise ValueError(f"expected a list of texts, got the one text {texts[:40]!r}")
    numbers: dict[str, int] = {}
    places = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
    return list(numbers), places


def check_probabilities(found: Floats, leading: tuple[int, ...], called: str) -> None:
    """ValueError unless `found` is `(*leading, c)` with c of two or more, and every row is one of probabilities."""
    if found.ndim != len(leading) + 1 or found.shape[:-1] != leading or found.shape[-1] < 2:
        expected = ", ".join(map(str, leading))
        raise ValueError(f"{called} returned the shape {found.shape}; expected ({expected}, c) with c of at least 2")
    wrong = ~(np.abs(found.sum(axis=-1) - 1) <= SUM_TOLERANCE) | (found < -SUM_TOLERANCE).any(axis=-1)
    if wrong.any():
        row = found[wrong][0]
        raise ValueError(f"{called} returned the row {row[:4]}: no probabilities; apply a softmax, or look for NaN")


def check_scores(texts: Sequence[Words], scores: Sequence[Floats]) -> list[Floats]:
    """Scores as arrays `(n_words,)` in float64; ValueError unless each text has words and a finite score for each."""
    if len(texts) != len(scores):
        raise ValueError(f"{len(texts)} texts need as many lists of scores, got {len(scores)}")
    checked = []
    for number, (words, own) in enumerate(zip(texts, scores, strict=True)):
        values = np.asarray(own, dtype=np.float64)
        check_words(words, number)
        if values.shape != (len(words),):
            raise ValueError(
                f"text {number} has {len(words)} words and scores of shape {values.shape}; give one a word"
            )
        if not np.isfinite(values).all():
            raise ValueError(f"a score of text {number} is NaN or infinite; such scores order nothing")
        checked.append(values)
    return checked


def check_words(words: Words, number: int) -> None:
    """ValueError unless a text is a sequence of at least one word."""
    if isinstance(words, str) or not len(words):
        raise ValueError(f"text {number} is {words!r}; expected its words, at least one, such as ('a', 'film')")


def masked_text(words: Words, masked: NDArray[np.bool_], mask: str) -> str:
    """The text with `mask` in the place of every word that is `masked` `(n_words,)`.

    >>> import numpy as np
    >>> masked_text(["a", "good", "film"], np.array([False, True, False]), "[MASK]")
    'a [MASK] film'
    """
    return " ".join([mask if hidden else word for word, hidden in zip(words, masked.tolist(), strict=True)])
