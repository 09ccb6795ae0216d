"""Curves over words that ought to be found: against loops over pairs, and resampled by document."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused
from sklearn.metrics import average_precision_score, roc_auc_score

from trustnlp.studies.polarizedtext.detection import (
    areas,
    average_precision,
    detection_counts,
    document_weights,
    found_at,
    precision_at,
    rates,
    wrong_per_page,
)

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


def test_rates_begin_and_end_at_the_corners() -> None:
    fpr, tpr = rates(detection_counts(*made(1)))
    assert fpr[0, 0] == tpr[0, 0] == 0 and fpr[0, -1] == tpr[0, -1] == 1
    assert (np.diff(fpr) >= 0).all() and (np.diff(tpr) >= 0).all()


def test_a_yes_or_no_is_found_between_its_corners() -> None:
    counts = detection_counts([np.array([1, 1, 0, 0, 0, 0.0])], [np.array([1, 0, 1, 0, 0, 0])])
    assert np.isclose(found_at(counts, 0.25)[0], 0.5) and np.isclose(found_at(counts, 0.125)[0], 0.25)
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
