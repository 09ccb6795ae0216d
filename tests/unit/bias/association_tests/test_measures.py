"""Measures, statistics and effect sizes against loops over words."""

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.bias.association_tests.measures import MEASURES, distance_matrix
from trustnlp.bias.association_tests.statistics import STATISTICS, associations, effect_size

rng = np.random.default_rng(0)
T, A, B = rng.standard_normal((6, 5)), rng.standard_normal((3, 5)), rng.standard_normal((4, 5))
ROOT = rng.standard_normal((5, 5))
P = ROOT @ ROOT.T + np.eye(5)

BY_DEFINITION = {
    "cosine": lambda w, a: w @ a / np.sqrt((w @ w) * (a @ a)),
    "euclidean": lambda w, a: np.sqrt(((w - a) ** 2).sum()),
    "manhattan": lambda w, a: np.abs(w - a).sum(),
    "mahalanobis": lambda w, a: np.sqrt((w - a) @ P @ (w - a)),
}


@pytest.mark.parametrize("measure", MEASURES)
def test_measure_is_its_definition_in_each_orientation(measure):
    expected = np.array([[BY_DEFINITION[measure](w, a) for a in A] for w in T])
    kwargs = {"precision": P} if measure == "mahalanobis" else {}
    np.testing.assert_allclose(distance_matrix(T, A, measure, **kwargs), expected, rtol=1e-12)
    cosine = measure == "cosine"
    near = distance_matrix(T, A, measure, orientation="similarity", **kwargs)
    far = distance_matrix(T, A, measure, orientation="distance", **kwargs)
    np.testing.assert_allclose(near, expected if cosine else -expected, rtol=1e-12)
    np.testing.assert_allclose(far, 1 - expected if cosine else expected, rtol=1e-12)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_statistic_is_its_definition(statistic):
    to_A, to_B = distance_matrix(T, A, "euclidean"), distance_matrix(T, B, "euclidean")
    over = {"mean": np.mean, "median": np.median, "min": np.min, "max": np.max}
    if statistic == "eq2":
        expected = [min(abs(a - b) for a in row_A for b in row_B) for row_A, row_B in zip(to_A, to_B, strict=True)]
    else:
        expected = [over[statistic](to_A[i]) - over[statistic](to_B[i]) for i in range(len(T))]
    np.testing.assert_allclose(associations(to_A, to_B, statistic), expected, rtol=1e-12)


def test_effect_size_by_hand():
    # means 2.5 and 0.5, all: mean 1.5, squares 2.25 + .25 + .25 + 2.25 ... = 5 over 3 and over 4
    scores = [3.0, 2.0, 1.0, 0.0]
    assert effect_size(scores, 2) == pytest.approx(2 / np.sqrt(5 / 3))
    assert effect_size(scores, 2, ddof=0) == pytest.approx(2 / np.sqrt(5 / 4))
    assert effect_size(scores[::-1], 2) == pytest.approx(-2 / np.sqrt(5 / 3))


def test_bad_vectors_are_explained():
    assert_refused(
        lambda targets, attributes, kwargs: distance_matrix(targets, attributes, **({"measure": "cosine"} | kwargs)),
        [
            (T, A[:, :3], {}, "5 dimensions and attributes 3"),
            (T[:0], A, {}, "at least one row"),
            (np.where(T[2, 1] == T, np.nan, T), A, {}, "NaN or infinity in row 2"),
            (T * (np.arange(6) != 4)[:, None], A, {}, "target vectors: row 4 is zero"),
            (T, A, {"measure": "euclid"}, "cosine, euclidean, manhattan, mahalanobis"),
            (T, A, {"orientation": "near"}, "published, distance, similarity"),
            (T, A, {"measure": "mahalanobis"}, "needs precision="),
            (T, A, {"measure": "mahalanobis", "precision": np.eye(4)}, r"shape \(5, 5\), got \(4, 4\)"),
            (T, A, {"measure": "mahalanobis", "precision": np.diag([1.0, 1, 1, 1, 0])}, "singular"),
            (T, A, {"measure": "mahalanobis", "precision": np.triu(np.ones((5, 5)))}, "not symmetric"),
        ],
    )


def test_bad_scores_are_explained():
    scores = [(np.full(6, 0.1), 3, "undefined"), ([1.0, np.nan, 2.0], 1, "NaN"), ([1.0, 2.0], 0, "two non-empty sets")]
    assert_refused(effect_size, scores)
    two, three = np.ones((2, 2)), np.ones((3, 2))
    assert_refused(
        associations, [(two, two, "mode", "mean, median, min, max, eq2"), (two, three, "mean", "same targets")]
    )
