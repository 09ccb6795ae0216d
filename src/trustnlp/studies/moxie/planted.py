"""A teacher that is known exactly, a bag of words with negations and intensifiers, and students of it.

What a student should predict is known for every word, every span and every replacement. Not in the paper.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.attribution.students.influence_student import InfluenceStudent
from trustnlp.attribution.students.masked_spans import MaskedSpan, each_word, every_word, masked_pairs
from trustnlp.attribution.students.ridge_student import fit_ridge_student
from trustnlp.attribution.students.span_predictions import all_correct, predict_words
from trustnlp.attribution.students.student_training import train_student
from trustnlp.attribution.students.text_teacher import Recipe, Teacher
from trustnlp.data.texts.film_reviews import Reviews
from trustnlp.encoders.pretrained import Encoder
from trustnlp.studies.moxie.models import training_spans
from trustnlp.training.encoded_texts import as_texts

MASK = "[MASK]"
# What a word's share of the score goes through: as it is, intensified, negated, both. Twice: what is for, and against.
_KINDS = 4
_SELECTED = 40


class PlantedTeacher(Teacher):
    """Two labels; that of a text is 1 where its score is above 0.

    A word counts with its weight. A negation turns, and an intensifier multiplies, the next word that has a weight, if
    it comes within `reach` words. The eight coordinates of z are how much speaks for label 1, and how much against it,
    of words that are plain, intensified, negated, or both; C makes y_1 - y_0 the score.

    Parameters
    ----------
    weights
        Word → its share of the score.
    negations
        Words that turn the sign.
    intensifiers
        Word → what it multiplies with.
    bias
        The score of an empty text.

    Raises
    ------
    ValueError
        If no word has a weight, or one word plays two parts.
    """

    def __init__(
        self,
        weights: Mapping[str, float],
        negations: Collection[str] = (),
        intensifiers: Mapping[str, float] | None = None,
        *,
        bias: float = 0.0,
        reach: int = 2,
    ) -> None:
        self.weights, self.negations, self.intensifiers = dict(weights), frozenset(negations), dict(intensifiers or {})
        parts = [*self.weights, *self.negations, *self.intensifiers, MASK]
        if not self.weights or len(set(parts)) < len(parts):
            raise ValueError(
                "at least one word has a weight, and none of them is also a negation, an intensifier or the mask; got "
                f"{sorted(self.weights)}, {sorted(self.negations)} and {sorted(self.intensifiers)}"
            )
        self.mask, self.reach = MASK, reach
        signs = torch.tensor([0.5] * _KINDS + [-0.5] * _KINDS)
        self.weight, self.bias = torch.stack([-signs, signs]), torch.tensor([-bias / 2, bias / 2])

    @property
    def fingerprint(self) -> str:
        known = [self.weights, sorted(self.negations), self.intensifiers, self.bias.tolist(), self.reach]
        return "planted " + hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:16]

    def representations(self, texts: Sequence[str]) -> Tensor:
        """z `(n, 8)` of texts that are cut into words at blanks."""
        return torch.tensor([self._amounts(text.split()) for text in as_texts(texts)], dtype=torch.float32)

    def score(self, text: str) -> float:
        """y_1 - y_0 of one text."""
        low, high = self.logits(self.representations([text]))[0]
        return float(high - low)

    def _amounts(self, words: Sequence[str]) -> list[float]:
        amounts = [0.0] * (2 * _KINDS)
        turned, factor, left = False, 1.0, 0
        for word in words:
            if word in self.weights:
                share = self.weights[word] * factor * (-1 if turned else 1)
                kind = (factor != 1.0) + 2 * turned
                amounts[kind + (0 if share > 0 else _KINDS)] += abs(share)
                turned, factor, left = False, 1.0, 0
            elif word in self.negations or word in self.intensifiers:
                turned ^= word in self.negations
                factor *= self.intensifiers.get(word, 1.0)
                left = self.reach
            elif left:
                left -= 1
                if not left:
                    turned, factor = False, 1.0
        return amounts


def train(
    teacher: Teacher, encoder: Encoder, reviews: Reviews, size: int, recipe: Recipe, seed: int
) -> InfluenceStudent:
    """A student of `size` pairs of a training phrase and one of its spans."""
    spans = training_spans(reviews, size, "spans", np.random.default_rng([seed, 1]))
    selection = [text.words for text in reviews.tagged["dev"][:_SELECTED]]
    return train_student(teacher, encoder, masked_pairs(teacher, spans), selection, recipe, seed=seed)


def check(teacher: Teacher, student: InfluenceStudent, reviews: Reviews, texts: int) -> dict[str, float]:
    """Of whole test sentences: `context`, `ridge` and `student`, their all-correct accuracies, and the student's `r2`.

    The ridge student learns from the words of the dev sentences' first half and chooses its penalty on the other.
    """
    halves = np.array_split(np.arange(len(reviews.tagged["dev"])), 2)
    pairs, dev = (
        masked_pairs(teacher, every_word([reviews.tagged["dev"][at].words for at in half])) for half in halves
    )
    ridge = fit_ridge_student(teacher, pairs, dev)
    words = [text.words for text in reviews.tagged["test"][:texts]]
    labels = teacher.predict([" ".join(text) for text in words])
    found = predict_words(teacher, student, words)
    exact = masked_pairs(teacher, every_word(words)).influence.double()
    said = np.concatenate([text.influence.double().numpy() for text in found])
    return {
        "context": float(all_correct([text.context_labels for text in found], labels).mean()),
        "ridge": float(all_correct([t.labels for t in predict_words(teacher, ridge, words)], labels).mean()),
        "student": float(all_correct([text.labels for text in found], labels).mean()),
        "r2": _explained(exact.numpy(), said),
    }


def by_size(table: pd.DataFrame) -> Iterator[tuple[tuple[str, int], NDArray[np.float64]]]:
    """For each measure and number of pairs the values, one for each seed."""
    for size, rows in table.groupby("pairs"):
        for name in rows:
            yield (f"planted.{name}", int(str(size))), rows[name].to_numpy()


def each(sentence: str) -> list[MaskedSpan]:
    """A sentence once for each of its words between blanks, that word masked."""
    return each_word(tuple(sentence.split()))


def _explained(exact: NDArray[np.float64], said: NDArray[np.float64]) -> float:
    """Share of the variance of z - z' that r explains."""
    return float(1 - ((exact - said) ** 2).sum() / ((exact - exact.mean(axis=0)) ** 2).sum())
