"""Students of a teacher that is known exactly, and how near they come to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trustnlp.attribution.students.influence_student import InfluenceStudent
from trustnlp.attribution.students.masked_spans import MaskedSpan, each_word, every_word, masked_pairs
from trustnlp.attribution.students.ridge_student import fit_ridge_student
from trustnlp.attribution.students.span_predictions import all_correct, predict_words
from trustnlp.attribution.students.student_training import train_student
from trustnlp.attribution.students.text_teacher import Recipe, Teacher
from trustnlp.encoders.pretrained import Encoder
from trustnlp.studies.moxie.data import Reviews
from trustnlp.studies.moxie.models import training_spans

_SELECTED = 40


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


def over_sizes(numbers: Mapping[str, Any], kind: str) -> dict[float, Any]:
    """Number of pairs → values over seeds, for a figure."""
    first = f"planted.{kind}.pairs"
    sizes = sorted(int(key.removeprefix(first)) for key in numbers if key.startswith(first))
    return {float(size): numbers[f"{first}{size}"]["values"] for size in sizes}


def each(sentence: str) -> list[MaskedSpan]:
    """A sentence once for each of its words between blanks, that word masked."""
    return each_word(tuple(sentence.split()))


def _explained(exact: NDArray[np.float64], said: NDArray[np.float64]) -> float:
    """Share of the variance of z - z' that r explains."""
    return float(1 - ((exact - said) ** 2).sum() / ((exact - exact.mean(axis=0)) ** 2).sum())
