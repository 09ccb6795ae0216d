"""The word classifier of PrivEmb §5.3: which words enter, how they are split, and that the scores are honest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from refusals import assert_refused

from trustnlp.data.words.opinion_lexicon import OpinionLexicon, read_opinion_lexicon
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.privemb.reproduction import balanced_lexicon, linear_svm

LEXICON = OpinionLexicon(
    positive=("good", "nice", "both", "fine", "unknown"), negative=("bad", "ugly", "both", "vile", "worse", "missing")
)
VECTORS = WordVectors(
    ["table", "bad", "good", "ugly", "both", "nice", "vile", "fine", "worse"], np.ones((9, 2)), "toy vectors"
)


def two_clouds(n: int, dim: int, gap: float, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """`n` standard normal vectors per label, their centres `gap` apart along the first axis."""
    labels = np.repeat([1, 0], n)
    features = np.random.default_rng(seed).standard_normal((2 * n, dim))
    features[:, 0] += gap * labels
    return features, labels


def test_the_known_words_of_one_list_enter_and_the_longer_list_is_capped() -> None:
    rows, labels = balanced_lexicon(LEXICON, VECTORS, rng=np.random.default_rng(0))
    assert labels.tolist() == [1, 1, 1, 0, 0, 0]
    assert rows[:3].tolist() == [2, 5, 7]
    assert len(set(rows[3:])) == 3 and set(rows[3:]) < {1, 3, 6, 8}


def test_which_words_are_capped_is_drawn() -> None:
    def draws(seed: int) -> list[list[int]]:
        rng = np.random.default_rng(seed)
        return [balanced_lexicon(LEXICON, VECTORS, size=2, rng=rng)[0].tolist() for _ in range(200)]

    assert draws(1) == draws(1)
    assert draws(1) != draws(2)
    seen = np.bincount(np.concatenate(draws(1)), minlength=9)
    np.testing.assert_array_equal(seen[[0, 4]], 0)
    np.testing.assert_allclose(seen[[2, 5, 7]], 400 / 3, atol=30)
    np.testing.assert_allclose(seen[[1, 3, 6, 8]], 400 / 4, atol=30)


def test_a_size_the_lists_cannot_give_is_refused() -> None:
    assert_refused(
        lambda size: balanced_lexicon(LEXICON, VECTORS, size=size, rng=np.random.default_rng(0)),
        [(size, f"3 positive and 4 negative words; size must lie between 1 and 3, got {size}") for size in [0, 4]],
    )


def test_vectors_without_opinion_words_are_refused() -> None:
    strangers = WordVectors(["table", "good"], np.ones((2, 1)), "strangers")
    with pytest.raises(ValueError, match="strangers knows 1 positive and 0 negative words"):
        balanced_lexicon(LEXICON, strangers, rng=np.random.default_rng(0))


def test_accuracy_comes_near_that_of_the_best_classifier() -> None:
    # Two normals with centres 3 apart: the best accuracy is Φ(1.5) = 0.9332, the best AUC Φ(3/√2) = 0.9831.
    features, labels = two_clouds(10_000, 5, 3.0)
    scores = linear_svm(features, labels, rng=np.random.default_rng(0))
    assert scores.accuracy == pytest.approx(0.9332, abs=0.012)
    assert scores.auc == pytest.approx(0.9831, abs=0.005)
    assert (scores.cost, scores.validation_accuracy) == (1.0, None)


def test_labels_that_say_nothing_give_one_half() -> None:
    features, labels = two_clouds(5_000, 5, 0.0)
    scores = linear_svm(features, labels, rng=np.random.default_rng(0))
    assert scores.accuracy == pytest.approx(0.5, abs=0.05)
    assert scores.auc == pytest.approx(0.5, abs=0.05)


def test_more_dimensions_than_words_are_not_learnt_by_heart() -> None:
    # Training words are always separable here: had the test words been trained on, the accuracy would be 1.
    features, labels = two_clouds(100, 1_000, 0.0)
    assert linear_svm(features, labels, rng=np.random.default_rng(0)).accuracy < 0.75


def test_accuracy_and_auc_are_those_counted_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, NDArray[np.float64]] = {}

    class Watched(lexicon_classification.LinearSVC):  # type: ignore[misc]
        def decision_function(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
            seen["values"] = super().decision_function(X)
            return seen["values"]

    monkeypatch.setattr(lexicon_classification, "LinearSVC", Watched)
    features, labels = two_clouds(40, 3, 1.0)
    scores = linear_svm(features, labels, test_share=0.5, rng=np.random.default_rng(7))
    truth = labels[np.random.default_rng(7).permutation(80)[:40]]
    values = seen["values"]
    assert scores.accuracy == np.mean([(value > 0) == (label == 1) for value, label in zip(values, truth, strict=True)])
    pairs = [good > bad for good in values[truth == 1] for bad in values[truth == 0]]
    assert scores.auc == pytest.approx(np.mean(pairs), abs=1e-12)


def test_the_generator_decides_the_split_and_nothing_else_does() -> None:
    features, labels = two_clouds(200, 4, 1.0)
    score = linear_svm(features, labels, rng=np.random.default_rng(3))
    assert linear_svm(features, labels, rng=np.random.default_rng(3)) == score
    accuracies = {linear_svm(features, labels, rng=np.random.default_rng(seed)).accuracy for seed in range(8)}
    assert len(accuracies) > 3
    # The split is drawn by position: other features of the same words are tested on the same words.
    perfect = np.eye(2)[labels]
    perfect[np.random.default_rng(3).permutation(400)[:80]] *= -1
    assert linear_svm(perfect, labels, rng=np.random.default_rng(3)).accuracy == 0.0


@given(st.floats(1e-6, 1e6))
def test_the_unit_of_length_does_not_matter(unit: float) -> None:
    features, labels = two_clouds(50, 3, 1.0)
    expected = linear_svm(features, labels, rng=np.random.default_rng(0))
    got = linear_svm(features * unit, labels, rng=np.random.default_rng(0))
    assert got.accuracy == expected.accuracy
    assert got.auc == pytest.approx(expected.auc, abs=1e-2)


@pytest.mark.parametrize(
    "recode",
    [lambda y: y == 1, lambda y: 2.0 * y - 1, lambda y: np.where(y == 1, "pos", "neg")],
    ids=["boolean", "signs", "words"],
)
def test_any_two_labels_will_do(recode: Callable[[NDArray[np.int64]], NDArray[np.generic]]) -> None:
    features, labels = two_clouds(50, 3, 1.0)
    expected = linear_svm(features, labels, rng=np.random.default_rng(0))
    assert linear_svm(features, recode(labels), rng=np.random.default_rng(0)) == expected


def test_noise_of_any_length_converges_without_a_warning() -> None:
    rng = np.random.default_rng(0)
    features, labels = two_clouds(500, 300, 2.0)
    for scale in (1.0, 1e2, 1e4):
        noise = rng.standard_normal(features.shape)
        noise *= rng.gamma(300, scale, (len(noise), 1)) / np.linalg.norm(noise, axis=1, keepdims=True)
        scores = linear_svm(features + noise, labels, rng=rng)
        assert 0.3 < scores.accuracy < 0.8


def test_validation_chooses_the_cost_without_the_test_words() -> None:
    features, labels = two_clouds(60, 100, 2.0)
    order = np.random.default_rng(5).permutation(120)
    test, held_out, rest = order[:24], order[24:43], order[43:]
    scores = linear_svm(features, labels, validation_share=0.2, costs=(100.0, 1e-3), rng=np.random.default_rng(5))

    def accuracy(train: NDArray[np.int64], on: NDArray[np.int64], cost: float) -> float:
        length = np.sqrt(np.mean([row @ row for row in features[train]]))
        model = lexicon_classification.LinearSVC(C=cost, dual=False).fit(features[train] / length, labels[train])
        return float(np.mean(model.predict(features[on] / length) == labels[on]))

    of_cost = {cost: accuracy(rest, held_out, cost) for cost in (1e-3, 100.0)}
    assert of_cost[1e-3] != of_cost[100.0]
    assert scores.cost == max(of_cost, key=lambda cost: of_cost[cost])
    assert scores.validation_accuracy == max(of_cost.values())
    assert scores.accuracy == accuracy(np.concatenate([held_out, rest]), test, scores.cost)


def test_equal_costs_go_to_the_smallest() -> None:
    features, labels = two_clouds(60, 2, 50.0)
    scores = linear_svm(features, labels, validation_share=0.3, costs=(10.0, 1.0), rng=np.random.default_rng(0))
    assert (scores.cost, scores.validation_accuracy, scores.accuracy) == (1.0, 1.0, 1.0)


def test_a_wrong_request_is_refused() -> None:
    def attempt(changes: dict[str, object]) -> None:
        request = {"features": np.arange(6.0)[:, None], "labels": [0, 1] * 3, "test_share": 0.4} | changes
        linear_svm(request.pop("features"), request.pop("labels"), **request, rng=np.random.default_rng(0))

    assert_refused(
        attempt,
        [
            ({"features": np.ones(6)}, r"features need shape \(n, d\) and labels \(n,\)"),
            ({"labels": [0, 1, 0]}, r"got \(6, 1\) and \(3,\)"),
            ({"labels": [1] * 6}, r"two labels are needed, got 1: \[1\]"),
            ({"labels": [0, 1, 2, 0, 1, 2]}, "two labels are needed, got 3"),
            ({"features": np.full((6, 1), np.nan)}, "NaN or infinity"),
            ({"features": np.zeros((6, 1))}, "nothing but zeros"),
            ({"test_share": 0.0}, "test_share lies strictly between 0 and 1, got 0.0"),
            ({"test_share": 0.1}, "test_share 0.1 of 6 vectors leaves a part without one of the labels"),
            ({"validation_share": 1.0, "test_share": 0.5}, "validation_share lies strictly between 0 and 1"),
            ({"costs": (1.0, 2.0)}, "needs a validation_share"),
            ({"costs": ()}, "positive and at least one"),
            ({"costs": (0.0,)}, "positive and at least one"),
        ],
    )


@pytest.mark.mirror
def test_words_covered_by_the_real_vectors(mirror: Path) -> None:
    lexicon = read_opinion_lexicon()
    assert (len(lexicon.negative), len(lexicon.positive)) == (4783, 2006)  # as the paper says
    glove = read_vectors("glove_840b_9910")
    rows, labels = balanced_lexicon(lexicon, glove, rng=np.random.default_rng(0))
    assert len(rows) == 2 * 809
    scores = linear_svm(glove.matrix[rows], labels, rng=np.random.default_rng(0))
    assert scores.accuracy == pytest.approx(0.94, abs=0.03)
    assert scores.auc == pytest.approx(0.987, abs=0.012)


def test_the_length_of_the_test_words_does_not_scale_the_features() -> None:
    features, labels = two_clouds(100, 5, gap=1.0)
    plain = linear_svm(features, labels, rng=np.random.default_rng(0))
    tested = np.random.default_rng(0).permutation(len(labels))[: round(0.2 * len(labels))]
    longer = features.copy()
    longer[tested] *= 1e6
    scaled = linear_svm(longer, labels, rng=np.random.default_rng(0), costs=(1.0,))
    # A model without a share in the test words puts each of them, but for its intercept, on the same side.
    assert abs(scaled.accuracy - plain.accuracy) <= 0.1
