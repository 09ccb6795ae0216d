"""Other words in the place of a marked one: what a student predicts of them fast, and the model itself slowly.

Kumar, Dixit and Shah (2021), §3.2: the student stores a vector of each context and of each word, and what a word would
do in a context takes two small layers. Counterfactuals ask for all words of a dictionary in a few contexts, bias
probes for a few words in all contexts. Both are one question: probabilities for some of the stored contexts (`rows`)
and some words. A `ReplacementModel` answers it: a student (`trustnlp.attribution.students.student_replacements`), or
`ExactReplacements`, which asks the model itself and can take the student's place where texts are few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from trustnlp.attribution.model_calls import (
    Floats,
    Labels,
    Probabilities,
    check_probabilities,
    predicted_probabilities,
)
from trustnlp.attribution.students.masked_spans import MaskedSpan

# Probabilities that are held at once: 32 MB of float64.
VALUES_AT_ONCE = 1 << 22


class ReplacementModel(Protocol):
    """Says what the label would be with other words in the marked places of contexts that it holds."""

    def __call__(self, rows: NDArray[np.int64], words: Sequence[str], /) -> Floats:
        """Probabilities `(len(rows), len(words), c)`: of context `rows[i]` with `words[j]` in the marked place."""


class ExactReplacements:
    """The model itself as a `ReplacementModel`: writes out every text with every word.

    Parameters
    ----------
    probabilities
        Function of a list of texts to `(n, c)`.
    contexts
        What `rows` are rows of.
    """

    def __init__(self, probabilities: Probabilities, contexts: Sequence[MaskedSpan]) -> None:
        self.probabilities = probabilities
        self.contexts = contexts

    def __call__(self, rows: NDArray[np.int64], words: Sequence[str], /) -> Floats:
        texts = [replaced_text(self.contexts[row], word) for row in rows for word in words]
        if not texts:
            return np.empty((len(rows), len(words), 2))
        answers = predicted_probabilities(self.probabilities, texts)
        return answers.reshape(len(rows), len(words), answers.shape[1])


def replaced_text(context: MaskedSpan, word: str) -> str:
    """The text with `word` in the marked place."""
    return " ".join(context.replaced(word))


def replacement_probabilities(model: ReplacementModel, rows: NDArray[np.int64], words: Sequence[str]) -> Floats:
    """`model(rows, words)`, checked; ValueError unless it is an array of probabilities `(r, v, c)`."""
    answers = np.asarray(model(rows, words), dtype=np.float64)
    check_probabilities(answers, (len(rows), len(words)), "the replacement model")
    return answers


def replacement_labels(model: ReplacementModel, rows: NDArray[np.int64], words: Sequence[str]) -> Labels:
    """Labels `(len(rows), len(words))` by the replacement model, asked for in portions of bounded size."""
    labels = np.empty((len(rows), len(words)), dtype=np.int64)
    for places in portions(len(rows), len(words)):
        labels[places] = replacement_probabilities(model, rows[places], words).argmax(axis=2)
    return labels


def portions(rows: int, words: int) -> Iterator[slice]:
    """Slices of `rows` contexts that, with `words` words each, stay within `VALUES_AT_ONCE` for two classes."""
    step = max(1, VALUES_AT_ONCE // (2 * max(1, words)))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


def check_vocabulary(words: Sequence[str], called: str) -> None:
    """ValueError unless `words` is a list of at least one word, none of them blank and none twice."""
    if isinstance(words, str) or not len(words):
        raise ValueError(f"{called} is {words!r}; expected a list of at least one word")
    for word in words:
        if not isinstance(word, str) or not word.strip():
            raise ValueError(f"{called} holds {word!r}, which is an empty word or none; leave it out")
    if len(set(words)) < len(words):
        twice = next(word for number, word in enumerate(words) if word in words[:number])
        raise ValueError(f"{called} holds {twice!r} more than once, which would count it twice")
