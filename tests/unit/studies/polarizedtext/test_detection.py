"""Curves over words that ought to be found: against loops over pairs, resampled by document, and paired."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused
from sklearn.metrics import roc_auc_score

from trustnlp.privacy.text.anonymisation.detection_rates import (
    areas,
    detection_counts,
    document_weights,
    found_at,
    gain_over,
)
from trustnlp.privacy.text.anonymisation.scores import log_odds_scores
from trustnlp.studies.polarizedtext.detection import Measured, interval, less, measure_layer, weights_for

ONE = np.ones((1, 1))


def drawn(seed: int, documents: int = 5) -> tuple[list[np.ndarray], list[np.ndarray]]:
    rng = np.random.default_rng(seed)
    truth = [rng.integers(-1, 2, size=int(rng.integers(3, 12))) for _ in range(documents)]
    truth[0][:2] = 0, 1
    return [rng.integers(0, 6, size=len(one)) / 4 for one in truth], truth


@given(st.integers(0, 200))
def test_the_area_is_that_of_the_pairs(seed: int) -> None:
    scores, truth = drawn(seed)
    score, true = np.concatenate(scores), np.concatenate(truth)
    area = areas(detection_counts(scores, truth), np.ones((1, len(scores))))[0]
    assert np.isclose(area, roc_auc_score(true[true >= 0], score[true >= 0]))


@given(st.integers(0, 100))
def test_a_resample_is_the_curve_of_repeated_documents(seed: int) -> None:
    scores, truth = drawn(seed)
    weights = np.array([[2.0, 0.0, 1.0, 3.0, 1.0]])
    places = np.repeat(np.arange(5), weights[0].astype(int))
    repeated = detection_counts([scores[place] for place in places], [truth[place] for place in places])
    counts, once = detection_counts(scores, truth), np.ones((1, len(places)))
    assert np.isclose(areas(counts, weights)[0], areas(repeated, once)[0])
    for at in (0.0, 0.1, 0.5):
        assert np.isclose(found_at(counts, at, weights)[0], found_at(repeated, at, once)[0])


def test_the_interval_comes_from_documents() -> None:
    """A hundred equal words of one document are no more evidence than one."""
    scores = [np.array([1.0, 0.0]), np.array([0.0, 1.0])]
    few = detection_counts(scores, [np.array([1, 0])] * 2)
    many = detection_counts([np.repeat(one, 100) for one in scores], [np.repeat([1, 0], 100)] * 2)
    weights = document_weights(2, 300, np.random.default_rng(0))
    assert weights.shape == (301, 2) and (weights[0] == 1).all() and (weights.sum(axis=1) == 2).all()
    assert np.allclose(areas(few, weights), areas(many, weights))
    assert set(np.round(areas(few, weights)[1:], 6)) == {0.0, 0.5, 1.0}


def test_a_yes_or_no_is_found_between_its_corners() -> None:
    counts = detection_counts([np.array([1, 1, 0, 0, 0, 0.0])], [np.array([1, 0, 1, 0, 0, 0])])
    assert [found_at(counts, rate, ONE)[0] for rate in (0.125, 0.25)] == pytest.approx([0.25, 0.5])


def test_bad_input() -> None:
    truth = [np.array([1, 0])]
    assert_refused(
        detection_counts,
        [([np.array([np.nan, 1])], truth, "not a finite number"), ([np.ones(2)], [np.array([1, -1])], "one kind is")],
    )


def test_a_gain_is_read_at_the_other_methods_rate() -> None:
    truth = [np.array([1, 1, 0, 0, 0, 0])]
    counts = detection_counts([np.array([0.9, 0.5, 0.7, 0.1, 0.0, 0.0])], truth)
    one_false_alarm = detection_counts([np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])], truth)
    assert gain_over(counts, one_false_alarm, ONE) == [1.0]
    assert np.allclose(found_at(counts, np.array([0.0, 0.25]), np.ones((2, 1))), [0.5, 1.0])  # a rate for each draw


def test_a_difference_is_paired(planted: Any) -> None:
    scores = log_odds_scores(planted.words, planted.owners)
    one = [scores(words, owner) for words, owner in zip(planted.words, planted.owners, strict=True)]
    measured, weights = Measured(list), weights_for(planted, 30)
    measure_layer(measured, "x", {"a": one, "b": [2 * each for each in one]}, planted.truth["names"], weights)
    # The same order: no width, whatever documents are drawn.
    assert np.allclose(interval(np.stack(less(measured, "x.a.auc", "x.b.auc"))), 0, atol=2e-3)
    low, high = interval(np.stack(measured["x.a.auc"]))
    assert low <= measured["x.a.auc"][0][0] <= high


@pytest.mark.parametrize(
    "resampled",
    [
        np.tile(np.r_[0.5, np.linspace(0, 1, 400)], (3, 1)),  # documents alone make the width
        np.repeat([[0.0], [0.5], [1.0]], 401, axis=1),  # seeds alone
    ],
)
def test_a_band_is_over_documents_and_seeds(resampled: np.ndarray) -> None:
    low, high = interval(resampled)
    assert low < 0.2 and high > 0.8
    assert interval(np.full((3, 401), 0.5)) == (0.5, 0.5)
    assert interval(np.array([[0.5, 0.0, 0.0]])) == (0.0, 0.5)  # all documents are no resample, and lie within
