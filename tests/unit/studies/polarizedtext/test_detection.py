"""Curves over words that ought to be found: against loops over pairs, resampled by document, and paired."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused
from sklearn.metrics import average_precision_score, roc_auc_score

from trustnlp.privacy.text.anonymisation.scores import log_odds_scores
from trustnlp.studies.polarizedtext.detection import (
    Measured,
    areas,
    average_precision,
    detection_counts,
    document_weights,
    found_at,
    gain_over,
    measure_layer,
    measure_precision,
    precision_at,
    weights_for,
    wrong_per_page,
)

Floats = np.ndarray
Documents = tuple[list[np.ndarray], list[np.ndarray]]


def made(seed: int, documents: int = 5) -> Documents:
    rng = np.random.default_rng(seed)
    truth = [rng.integers(-1, 2, size=int(rng.integers(3, 12))) for _ in range(documents)]
    truth[0][:2] = 0, 1
    return [rng.integers(0, 6, size=len(one)) / 4 for one in truth], truth


def flat(scores: list[np.ndarray], truth: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    score, true = np.concatenate(scores), np.concatenate(truth)
    return score[true >= 0], true[true >= 0]


@given(st.integers(0, 200))
def test_area_and_precision_are_those_of_the_pairs(seed: int) -> None:
    scores, truth = made(seed)
    counts = detection_counts(scores, truth)
    score, true = flat(scores, truth)
    assert np.isclose(areas(counts)[0], roc_auc_score(true, score))
    assert np.isclose(average_precision(counts)[0], average_precision_score(true, score))


@given(st.integers(0, 100))
def test_a_resample_is_the_curve_of_repeated_documents(seed: int) -> None:
    scores, truth = made(seed)
    counts = detection_counts(scores, truth)
    weights = np.array([[2.0, 0.0, 1.0, 3.0, 1.0]])
    drawn = [place for place, times in enumerate(weights[0]) for _ in range(int(times))]
    again = detection_counts([scores[place] for place in drawn], [truth[place] for place in drawn])
    assert np.isclose(areas(counts, weights)[0], areas(again)[0])
    assert np.isclose(average_precision(counts, weights)[0], average_precision(again)[0])
    for at in (0.0, 0.1, 0.5):
        assert np.isclose(found_at(counts, at, weights)[0], found_at(again, at)[0])
        assert np.isclose(precision_at(counts, at, weights)[0], precision_at(again, at)[0])


def test_the_interval_comes_from_documents() -> None:
    """A hundred equal words of one document are no more evidence than one."""
    scores = [np.array([1.0, 0.0]), np.array([0.0, 1.0])]
    few = detection_counts(scores, [np.array([1, 0])] * 2)
    many = detection_counts([np.repeat(one, 100) for one in scores], [np.repeat([1, 0], 100)] * 2)
    weights = document_weights(2, 300, np.random.default_rng(0))
    assert np.allclose(areas(few, weights), areas(many, weights))
    assert set(np.round(areas(few, weights), 6)) == {0.0, 0.5, 1.0}


def test_a_yes_or_no_is_found_between_its_corners() -> None:
    counts = detection_counts([np.array([1, 1, 0, 0, 0, 0.0])], [np.array([1, 0, 1, 0, 0, 0])])
    assert [found_at(counts, rate)[0] for rate in (0.125, 0.25)] == pytest.approx([0.25, 0.5])
    assert np.isclose(wrong_per_page(counts, 0.5, page=60), 20)


def test_bad_input() -> None:
    one = np.array([0.5, 0.1])
    assert_refused(
        detection_counts,
        [
            ([one], [], "1 documents of scores need as many"),
            ([one], [np.array([1])], "scores of shape"),
            ([np.array([np.nan, 1])], [np.array([1, 0])], "not a finite number"),
            ([one], [np.array([1, -1])], "one kind is missing"),
        ],
    )


def measured_with(**values: list[float]) -> Measured:
    return Measured(dict(values), {key: [np.full(2, value) for value in each] for key, each in values.items()})


def test_a_line_moves_values_and_resamples_alike() -> None:
    measured = measured_with(x=[0.2, 0.4])
    measured.line("y", "x", slope=-1, offset=1)
    assert np.allclose(measured.values["y"], [0.8, 0.6])
    assert np.allclose(np.stack(measured.resampled["y"]), [[0.8, 0.8], [0.6, 0.6]])


def test_a_gain_is_read_at_the_other_methods_rate_or_at_a_given_one() -> None:
    truth = [np.array([1, 1, 0, 0, 0, 0])]
    counts = detection_counts([np.array([0.9, 0.5, 0.7, 0.1, 0.0, 0.0])], truth)
    other = detection_counts([np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])], truth)  # one false alarm, nothing found
    measured = Measured()
    gain_over(measured, "own", counts, other, np.ones((3, 1)))
    assert measured.values["own"] == [1.0]
    assert np.allclose(found_at(counts, np.array([0.0, 0.25]), np.ones((2, 1))), [0.5, 1.0])  # a rate for each draw
    drawn = np.linspace(0, 0.25, 70)  # more than a chunk
    assert np.allclose(found_at(counts, drawn, np.ones((70, 1))), [found_at(counts, rate)[0] for rate in drawn])
    nothing = detection_counts([np.zeros(6)], truth)  # at any rate it finds as much as chance
    gain_over(measured, "given", counts, nothing, np.ones((3, 1)), rate=0.25)
    gain_over(measured, "none", nothing, nothing, np.ones((3, 1)), rate=0.25)
    assert np.isclose(measured.values["given"][0], 1 - 0.25) and measured.values["none"] == [0.0]


def test_precision_by_hand_and_the_best_that_there_is() -> None:
    # Two sensitive words among forty; 3.5 % of the other 38 are 1.33 words. The search has one right and two wrong.
    truth = [np.r_[1, 1, [0] * 38]]
    scores = {"skipgram": truth[0], "search": np.r_[1.0, 0, 1, 1, [0] * 36]}
    measured = Measured()
    counts = {name: detection_counts([each], truth) for name, each in scores.items()}
    measure_precision(measured, "x", counts, np.ones((3, 1)))
    assert measured.values["x.search.precision"] == [pytest.approx(1 / 3)]
    assert measured.values["x.best.precision"] == [pytest.approx(2 / (2 + 0.035 * 38))]
    assert measured.values["x.skipgram.precision"] == measured.values["x.best.precision"]


def test_a_difference_is_paired(planted: Any) -> None:
    scores = log_odds_scores(planted.words, planted.owners)
    one = [scores(words, owner) for words, owner in zip(planted.words, planted.owners, strict=True)]
    measured, weights = Measured(), weights_for(planted, 30)
    measure_layer(measured, "x", {"a": one, "b": [2 * each for each in one]}, planted.truth["names"], weights)
    measured.difference("x.margin", "x.a.auc", "x.b.auc")
    # The same order: no width, whatever documents are drawn.
    assert np.allclose(measured.interval("x.margin"), 0, atol=2e-3)
    low, high = measured.interval("x.a.auc")
    assert low <= measured.values["x.a.auc"][0] <= high


@pytest.mark.parametrize(
    ("values", "resampled"),
    [
        ([0.5, 0.5, 0.5], [np.linspace(0, 1, 400)] * 3),  # documents alone make the width
        ([0.0, 0.5, 1.0], [np.full(400, each) for each in (0.0, 0.5, 1.0)]),  # seeds alone
    ],
)
def test_a_band_is_over_documents_and_seeds(values: list[float], resampled: list[Floats]) -> None:
    measured = Measured({"x": values}, {"x": resampled})
    low, high = measured.interval("x")
    assert low < 0.2 and high > 0.8
    flat = Measured({"x": [0.5] * 3}, {"x": [np.full(400, 0.5)] * 3})
    assert flat.interval("x") == (0.5, 0.5)
