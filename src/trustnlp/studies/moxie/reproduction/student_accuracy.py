"""How well students, and what they are compared with, predict their teacher: Tables 2 and 7."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from trustnlp.attribution.students.influence_student import InfluenceStudent
from trustnlp.attribution.students.masked_spans import every_word, masked_pairs
from trustnlp.attribution.students.ridge_student import fit_ridge_student
from trustnlp.attribution.students.span_predictions import (
    SpanPredictions,
    Student,
    all_correct,
    by_text,
    predict_spans,
    predict_words,
)
from trustnlp.evaluation.intervals import t_interval
from trustnlp.studies.moxie.data import Reviews
from trustnlp.studies.moxie.models import Explained
from trustnlp.studies.moxie.reproduction.length_dependence import by_length

# Longest sentences of each row of the figure, in words.
LENGTHS = (8, 12, 16, 20, 25, 30, 100)


def measure(found: Explained, reviews: Reviews, texts: int) -> dict[str, float]:
    """Accuracies of one teacher and its student in per cent, on up to `texts` sentences of test and of dev.

    For each part `PART.context`, `.ridge` and `.student` (all correct, against the teacher), `.gain`, student less
    context, `.context_above_chance`, less the share of the teacher's commoner answer, `.word_student` over single
    words, `.teacher` and `.student_gold` against gold labels, `.gold_above_chance`; on test
    `length.KIND.upN` by number of words, and `length.power.upN`, what independent words would give.
    """
    started = time.perf_counter()
    words = {part: [text.words for text in reviews.tagged[part][:texts]] for part in ("dev", "test")}
    pairs = {part: masked_pairs(found.teacher, every_word(own), folder=found.folder) for part, own in words.items()}
    students: dict[str, Student] = {
        "ridge": fit_ridge_student(found.teacher, found.pairs, pairs["dev"]),
        "student": found.student,
    }
    result: dict[str, float] = {}
    for part, own in words.items():
        gold = reviews.sst2.splits[part].labels[: len(own)]
        predictions = {
            name: by_text(predict_spans(found.teacher, student, pairs[part]), own) for name, student in students.items()
        }
        result |= {f"{part}.{key}": value for key, value in _accuracies(predictions, gold).items()}
        if part == "test":
            result |= _by_length(predictions)
    return result | {"seconds.evaluation": time.perf_counter() - started}


def on_dev(found: Explained, student: InfluenceStudent, reviews: Reviews, texts: int) -> float:
    """All-correct accuracy of another student of the same teacher on up to `texts` dev sentences, in per cent."""
    words = [text.words for text in reviews.tagged["dev"][:texts]]
    predictions = predict_words(found.teacher, student, words, folder=found.folder)
    return _percent(all_correct([text.labels for text in predictions], teacher_labels(predictions)))


def within(differences: ArrayLike, limit: float) -> tuple[float, tuple[float, float]]:
    """`limit` less the magnitude of a mean difference, with the interval that follows from the difference's own.

    Above 0 as a whole where the difference's interval lies within ±limit.
    """
    values = np.asarray(differences, dtype=np.float64)
    mean = float(values.mean())
    low, high = (mean, mean) if len(values) < 2 else t_interval(values)
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return limit - abs(mean), (limit - max(abs(low), abs(high)), limit - nearest)


def table2(numbers: Mapping[str, Any], kinds: Mapping[str, str], parts: Mapping[str, str]) -> pd.DataFrame:
    """Means over seeds of the all-correct accuracies, one row for each kind of prediction."""
    return pd.DataFrame(
        {
            title: {label: numbers[f"{part}.{kind}"]["mean"] for kind, label in kinds.items()}
            for part, title in parts.items()
        }
    ).round(2)


def over_length(numbers: Mapping[str, Any], kinds: Mapping[str, str]) -> dict[str, dict[float, Any]]:
    """Kind of prediction → largest length → values over seeds, for a figure."""
    return {
        label: {float(end): numbers[key]["values"] for end in LENGTHS if (key := f"length.{kind}.up{end}") in numbers}
        for kind, label in kinds.items()
    }


def teacher_labels(predictions: Sequence[SpanPredictions]) -> NDArray[np.int64]:
    """What the teacher says of each text as a whole, `(n,)`."""
    return np.array([text.teacher_labels[0] for text in predictions], dtype=np.int64)


def _accuracies(predictions: Mapping[str, Sequence[SpanPredictions]], gold: NDArray[np.int64]) -> dict[str, float]:
    texts = predictions["student"]
    teacher = teacher_labels(texts)
    right = {name: all_correct([text.labels for text in found], teacher) for name, found in predictions.items()}
    right["context"] = all_correct([text.context_labels for text in texts], teacher)
    result = {name: _percent(values) for name, values in right.items()}
    words = np.concatenate([text.labels == text.teacher_labels for text in texts])
    against_gold = _percent(all_correct([text.labels for text in texts], gold))
    return result | {
        "gain": result["student"] - result["context"],
        "gain_over_ridge": result["student"] - result["ridge"],
        "context_above_chance": result["context"] - _commoner(teacher),
        "word_student": _percent(words),
        "teacher": _percent(teacher == gold),
        "student_gold": against_gold,
        "gold_above_chance": against_gold - _commoner(gold),
    }


def _by_length(predictions: Mapping[str, Sequence[SpanPredictions]]) -> dict[str, float]:
    kinds = {name: [text.labels == text.teacher_labels for text in found] for name, found in predictions.items()}
    kinds["context"] = [text.context_labels == text.teacher_labels for text in predictions["student"]]
    result = {}
    for name, right in kinds.items():
        for row in by_length(right, LENGTHS):
            end = next(length for length in LENGTHS if length >= row.longest)
            result[f"length.{name}.up{end}"] = row.all_correct
            if name == "student":
                result[f"length.power.up{end}"] = row.power
    return result


def _commoner(labels: NDArray[np.int64]) -> float:
    return 100 * float(np.bincount(labels).max() / len(labels))


def _percent(right: NDArray[np.bool_]) -> float:
    return 100 * float(np.mean(right))
