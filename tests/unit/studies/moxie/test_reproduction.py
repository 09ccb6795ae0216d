"""Accuracies of Tables 2 and 7, by hand where it can be done, and the limit of "not much difference"."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from refusals import assert_refused

from trustnlp.attribution.students.span_predictions import predict_words
from trustnlp.data.texts.film_reviews import Reviews
from trustnlp.studies.moxie import reproduction
from trustnlp.studies.moxie.models import Explained
from trustnlp.studies.moxie.reproduction import by_length, length_trend

Right = list[NDArray[np.bool_]]


def test_accuracies_are_those_of_an_obvious_loop(found: Explained, reviews: Reviews) -> None:
    rows = []
    texts, gold = reviews.tagged["test"][:20], reviews.sst2.test.labels[:20]
    for text, label in zip(texts, gold, strict=True):
        (own,) = predict_words(found.teacher, found.student, [text.words])
        teacher = found.teacher.predict([" ".join(text.words)])[0]
        right = [(own.context_labels == teacher).all(), (own.labels == teacher).all(), (own.labels == label).all()]
        rows.append([*right, teacher == label, teacher])
    context, student, on_gold, of_teacher, positive = 100 * np.mean(rows, axis=0)
    measured = reproduction.measure(found, reviews, 20)
    expected = {
        "context": context, "student": student, "student_gold": on_gold, "teacher": of_teacher,
        "context_above_chance": context - max(positive, 100 - positive), "gain": student - context,
    }  # fmt: skip
    assert {name: measured[f"test.{name}"] for name in expected} == pytest.approx(expected)
    assert reproduction.on_dev(found, found.student, reviews, 20) == measured["dev.student"]


def test_a_difference_is_within_a_limit_with_its_whole_interval() -> None:
    mean, (low, high) = reproduction.within([0.5, -0.5, 0.4, -0.4, 0.0], 2.0)
    assert mean == pytest.approx(2.0) and 0 < low < mean and high == pytest.approx(2.0)
    mean, (_, high) = reproduction.within([3.0, 3.1, 2.9, 3.0, 3.05], 2.0)
    assert mean < 0 and high < 0
    _, (low, high) = reproduction.within([-1.9, -1.0, -3.0, -2.0, -1.5], 2.0)
    assert low < 0 < high and reproduction.within([1.0], 2.0) == (1.0, (1.0, 1.0))


def independent(n: int, p: float, seed: int) -> Right:
    """Words fail each by itself."""
    rng = np.random.default_rng(seed)
    return [rng.random(rng.integers(2, 40)) < p for _ in range(n)]


def test_rows_are_those_of_the_loop() -> None:
    right = independent(200, 0.9, 0)
    predicted = np.random.default_rng(1).integers(0, 2, size=200)
    rows = by_length(right, [8, 16], predicted)
    assert [row.label for row in rows] == [None] * 3 + [0] * 3 + [1] * 3
    for number, row in enumerate(rows):
        of_class = [r for r, c in zip(right, predicted, strict=True) if row.label in (None, c)]
        low, high = [(1, 8), (9, 16), (17, 99)][number % 3]
        inside = [r for r in of_class if low <= len(r) <= high]
        p = np.concatenate(of_class).mean()
        assert row.sentences == len(inside)
        assert (row.shortest, row.longest) == (min(map(len, inside)), max(map(len, inside)))
        assert row.per_word == pytest.approx(100 * np.concatenate(inside).mean())
        assert row.all_correct == pytest.approx(100 * np.mean([r.all() for r in inside]))
        assert row.power == pytest.approx(100 * np.mean([p ** len(r) for r in inside]))


def test_rows_without_sentences_are_left_out() -> None:
    [only] = by_length([np.array([True, False]), np.array([True])], [5, 9])
    assert (only.sentences, only.shortest, only.longest, only.all_correct, only.label) == (2, 1, 2, 50, None)


def test_slopes_are_least_squares() -> None:
    right = independent(80, 0.95, 2)
    found = length_trend(right, rng=np.random.default_rng(0), resamples=20)
    lengths, p = [len(r) for r in right], np.concatenate(right).mean()
    observed = np.polyfit(lengths, [100.0 * r.all() for r in right], 1)[0]
    power = np.polyfit(lengths, [100 * p**n for n in lengths], 1)[0]
    assert (found.slope, found.power_slope) == pytest.approx((observed, power))
    assert found.difference == pytest.approx(observed - power) and found.share == pytest.approx(observed / power)


def test_bad_input_is_explained() -> None:
    good: Any = [np.array([True, False]), np.array([True])]
    assert_refused(by_length, [([np.array([1, 0])], [8], "expected true or false"), (good, [8, 8], "ascend from 1")])
    trend, right = functools.partial(length_trend, rng=np.random.default_rng(0)), [np.ones(2, bool), np.ones(3, bool)]
    assert_refused(trend, [(good[:1] * 3, "all 3 sentences have 2 words"), (right, "all predictions are right")])
