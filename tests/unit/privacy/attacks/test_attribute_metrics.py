"""Metrics of the attribute attack: values by hand, scikit-learn as oracle, and the paper's MAJORITY row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from refusals import assert_refused
from sklearn.metrics import f1_score

from trustnlp.privacy.attacks.attribute_metrics import (
    attack_by_subgroup,
    best_threshold,
    empirical_privacy,
    majority_baseline,
    micro_f1,
    subgroup_accuracy,
)

TRUTH = np.array([[1, 0], [1, 1], [0, 1], [0, 0]])
GUESS = np.array([[1, 0], [1, 0], [1, 1], [0, 0]])


def test_micro_f1_by_hand() -> None:
    # Three presences found of four, one named in vain: 2 * 3 / (2 * 3 + 1 + 1).
    assert micro_f1(TRUTH, GUESS) == pytest.approx(6 / 8)
    assert micro_f1(TRUTH, TRUTH) == 1
    assert micro_f1(TRUTH, 1 - TRUTH) == micro_f1(np.zeros((2, 2)), np.ones((2, 2))) == 0


def test_micro_f1_is_scikit_learn_s() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        truth, guess = rng.random((40, 5)) < rng.random(5), rng.random((40, 5)) < rng.random(5)
        assert micro_f1(truth, guess) == pytest.approx(f1_score(truth, guess, average="micro"))
        # The other averages differ, so the test can tell them apart.
        assert micro_f1(truth, guess) != pytest.approx(f1_score(truth, guess, average="macro"))


@pytest.mark.parametrize("digits", [1, 6])
def test_the_best_threshold_is_that_of_the_slow_search(digits: int) -> None:
    rng = np.random.default_rng(digits)
    truth = rng.random((30, 4)) < 0.3
    scores = (0.3 * truth + rng.random((30, 4))).round(digits)  # one digit: many ties
    best = best_threshold(truth, scores)
    found = micro_f1(truth, scores >= best)
    assert found == pytest.approx(max(micro_f1(truth, scores >= cut) for cut in scores.ravel()))
    assert found > micro_f1(truth, scores >= scores.mean())


def test_empirical_privacy_by_kind() -> None:
    assert empirical_privacy(TRUTH, GUESS, "entities") == pytest.approx(25.0)
    assert empirical_privacy(TRUTH, GUESS, "demographic") == pytest.approx(100 * 2 / 8)
    half = np.array([[1, 0], [1, 0], [0, 0], [0, 1]])
    assert empirical_privacy(TRUTH, half, "entities") == pytest.approx(100 * (1 - 2 * 2 / (4 + 3)))
    assert empirical_privacy(TRUTH, half, "demographic") == pytest.approx(100 * 3 / 8)


def test_majority_names_the_most_frequent_entity_only() -> None:
    train = np.array([[0, 1, 1], [0, 1, 0], [1, 1, 1]])
    result = majority_baseline([2, 2, 0], train, [2, 0, 1, 2], [[0, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]], "entities")
    assert (result.label, result.accuracy, result.attributes) == (2, 50.0, (0, 1, 0))
    assert result.empirical_privacy == pytest.approx(100 * (1 - 2 * 2 / (4 + 5)))


def test_majority_of_demographic_variables_is_each_one_s_own() -> None:
    train = np.array([[0, 1, 1], [0, 1, 0], [1, 1, 1], [0, 1, 0]])  # the last variable is even: 0
    result = majority_baseline([1, 0, 1, 0], train, [0, 1], [[0, 1, 1], [1, 1, 1]], "demographic")
    assert (result.label, result.attributes) == (0, (0, 1, 0))
    assert result.empirical_privacy == pytest.approx(100 * 3 / 6)


@pytest.mark.mirror
def test_majority_on_ag_is_the_paper_s(mirror: Path) -> None:
    from trustnlp.data.texts.private_attributes import read_ag_entities

    ag = read_ag_entities()
    test, dev = (
        majority_baseline(ag.train.labels, ag.train.attributes, split.labels, split.attributes, "entities")
        for split in (ag.test, ag.dev)
    )
    assert test.attributes == (1, 0, 0, 0, 0)
    assert (round(test.accuracy, 2), round(test.empirical_privacy, 2)) == (57.79, 49.34)
    assert (round(dev.accuracy, 2), round(dev.empirical_privacy, 2)) == (57.04, 50.09)  # so the paper's is test


def test_subgroups_by_hand() -> None:
    result = subgroup_accuracy([1, 0, 1, 1, 0], [0, 0, 0, 1, 1])
    assert (result.absent, result.present) == (pytest.approx(200 / 3), 50.0)
    assert result.difference == pytest.approx(50 - 200 / 3)
    assert result.counts == (3, 2)


def test_attack_by_subgroup_is_specificity_and_recall() -> None:
    first, second = attack_by_subgroup(TRUTH, GUESS)
    assert (first.absent, first.present) == (50.0, 100.0)
    assert (second.absent, second.present) == (100.0, 50.0)


def test_metrics_refuse() -> None:
    assert_refused(
        lambda metric, *arguments: metric(*arguments),
        [
            (micro_f1, TRUTH, GUESS[:2], r"truth has shape \(4, 2\) and predicted \(2, 2\)"),
            (micro_f1, TRUTH, GUESS * 0.7, "predicted: expected 0 and 1, got 0.7; a score needs a threshold"),
            (micro_f1, TRUTH[:, 0], GUESS[:, 0], r"truth: expected one row a text .* got shape \(4,\)"),
            (micro_f1, np.zeros((3, 2)), np.zeros((3, 2)), "F1 is 0/0"),
            (best_threshold, np.zeros((2, 2)), np.ones((2, 2)), "no attribute is present"),
            (best_threshold, TRUTH, np.ones((4, 1)), r"expected finite numbers of shape \(4, 2\), got shape \(4, 1\)"),
            (empirical_privacy, TRUTH, GUESS, "age", "unknown kind of attributes 'age': use entities or demographic"),
            (subgroup_accuracy, [1, 0], [1, 1], "is 1 in all 2 texts: the other subgroup is empty"),
            (subgroup_accuracy, [1, 0], [1, 1, 0], "2 judgements need as many attributes, got 3"),
        ],
    )
    assert_refused(
        lambda labels, test_labels, test: majority_baseline(labels, TRUTH, test_labels, test, "entities"),
        [
            ([0] * 4, [0] * 4, TRUTH[:, :1], "train has 2 attributes and test 1"),
            ([0] * 4, [0] * 3, TRUTH, "4 and 4 texts need as many labels, got 4, 3"),
        ],
    )
