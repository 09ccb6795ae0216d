"""Accuracies of Tables 2 and 7, by hand where it can be done, and the limit of "not much difference"."""

from __future__ import annotations

import numpy as np
import pytest

from trustnlp.attribution.students.span_predictions import predict_words
from trustnlp.studies.moxie.data import Reviews
from trustnlp.studies.moxie.models import Explained
from trustnlp.studies.moxie.reproduction import student_accuracy


def test_accuracies_are_those_of_an_obvious_loop(found: Explained, reviews: Reviews) -> None:
    measured = student_accuracy.measure(found, reviews, 20)
    texts = reviews.tagged["test"][:20]
    gold = reviews.sst2.test.labels[:20]
    right = {"context": 0, "student": 0, "student_gold": 0, "teacher": 0}
    answers = []
    for text, label in zip(texts, gold, strict=True):
        (own,) = predict_words(found.teacher, found.student, [text.words])
        teacher = int(found.teacher.predict([" ".join(text.words)])[0])
        answers.append(teacher)
        right["context"] += bool((own.context_labels == teacher).all())
        right["student"] += bool((own.labels == teacher).all())
        right["student_gold"] += bool((own.labels == label).all())
        right["teacher"] += teacher == label
    for name, count in right.items():
        assert measured[f"test.{name}"] == pytest.approx(5 * count)
    share = 5 * max(np.bincount(answers))
    assert measured["test.context_above_chance"] == pytest.approx(5 * right["context"] - share)
    assert measured["test.gain"] == pytest.approx(5 * (right["student"] - right["context"]))
    assert student_accuracy.on_dev(found, found.student, reviews, 20) == measured["dev.student"]


def test_every_length_has_its_power(found: Explained, reviews: Reviews) -> None:
    measured = student_accuracy.measure(found, reviews, 20)
    ends = {key.rpartition("up")[2] for key in measured if key.startswith("length.student")}
    assert ends and ends == {key.rpartition("up")[2] for key in measured if key.startswith("length.power")}
    assert {int(end) for end in ends} <= set(student_accuracy.LENGTHS)


def test_a_difference_is_within_a_limit_with_its_whole_interval() -> None:
    mean, (low, high) = student_accuracy.within([0.5, -0.5, 0.4, -0.4, 0.0], 2.0)
    assert mean == pytest.approx(2.0) and 0 < low < mean and high == pytest.approx(2.0)
    mean, (low, high) = student_accuracy.within([3.0, 3.1, 2.9, 3.0, 3.05], 2.0)
    assert mean < 0 and high < 0
    mean, (low, high) = student_accuracy.within([-1.9, -1.0, -3.0, -2.0, -1.5], 2.0)
    assert low < 0 < high
    assert student_accuracy.within([1.0], 2.0) == (1.0, (1.0, 1.0))
