"""Rankings against slow loops, with planted causes, decoys and exact Shapley values."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from counted_tables import CAUSE, counted_features, planted_errors
from refusals import assert_refused
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from trustnlp.error_analysis.error_classifiers import cross_validate, side_by_side
from trustnlp.error_analysis.feature_rankings import (
    areas_under_curve,
    feature_directions,
    impurity_ranking,
    permutation_ranking,
)
from trustnlp.error_analysis.readable_features import FeatureTable


def planted(texts: int, features: int, seed: int = 0, learner: Any = "shallow_tree", **settings: Any) -> Any:
    rng = np.random.default_rng(seed)
    table = counted_features(texts, features, 0.3, rng)
    wrong = planted_errors(table, 0.8, 0.25, rng)
    return table, wrong, cross_validate(table, wrong, learner=learner, rng=rng, **settings)


def test_permutation_is_that_of_predicting_every_text_anew() -> None:
    table, wrong, validation = planted(300, 6)
    found = permutation_ranking(validation, table, wrong, repeats=3, rng=np.random.default_rng(7))
    rng = np.random.default_rng(7)
    falls = np.zeros((5, 6))
    for fold, (classifier, rows) in enumerate(zip(validation.classifiers, validation.held_out, strict=True)):
        values = table.values[rows]
        before = roc_auc_score(wrong[rows], classifier.of_values(values))
        for column in range(6):
            shuffled = rng.permuted(np.tile(values[:, column], (3, 1)), axis=1)
            for each in shuffled:
                changed = values.copy()
                changed[:, column] = each
                falls[fold, column] += (before - roc_auc_score(wrong[rows], classifier.of_values(changed))) / 3
    assert found.importance == pytest.approx(falls.mean(axis=0))
    assert found.deviation == pytest.approx(falls.std(axis=0, ddof=1))


def test_impurity_ranks_a_random_number_high_and_permutation_does_not() -> None:
    rng = np.random.default_rng(3)
    noise = FeatureTable(("random 1",), rng.random((600, 1)), ("made",))
    table = side_by_side(counted_features(600, 20, 0.2, rng), noise)
    wrong = planted_errors(table, 0.6, 0.35, rng)
    validation = cross_validate(table, wrong, folds=2, rng=rng)
    impurity = impurity_ranking(validation)
    permuted = permutation_ranking(validation, table, wrong, repeats=2, rng=rng)
    assert impurity.importance.sum() == pytest.approx(1)
    assert impurity.rank_of("random 1") == 1
    assert permuted.rank_of(CAUSE) < permuted.rank_of("random 1")
    # Impurity follows how many values there are.
    prevalence = (table.values > 0).mean(axis=0)
    assert spearmanr(impurity.importance, prevalence).statistic > 0.8


def test_a_constant_feature_has_no_importance_and_no_direction() -> None:
    table, wrong, _ = planted(200, 4)
    table = FeatureTable((*table.names, "constant"), np.column_stack([table.values, np.ones(200)]), ("made",) * 5)
    validation = cross_validate(table, wrong, learner="shallow_tree", rng=np.random.default_rng(0))
    found = permutation_ranking(validation, table, wrong, rng=np.random.default_rng(0))
    impurity = impurity_ranking(validation)
    assert found.importance[-1] == 0 and impurity.importance[-1] == 0
    unused = [name for name, value in zip(table.names, impurity.importance, strict=True) if value == 0]
    assert {impurity.rank_of(name) for name in unused} == {5}, "equal importance counts against a feature"
    assert feature_directions(table, wrong)[-1] == 0


def test_directions_are_over_all_pairs() -> None:
    rng = np.random.default_rng(0)
    values, wrong = rng.integers(0, 3, size=(30, 2)).astype(float), rng.random(30) < 0.5
    found = feature_directions(FeatureTable(("a", "b"), values, ("made",) * 2), wrong)
    for column in range(2):
        pairs = itertools.product(values[wrong, column], values[~wrong, column])
        assert found[column] == pytest.approx(np.mean([np.sign(error - correct) for error, correct in pairs]))
    turned = feature_directions(FeatureTable(("a", "b"), -values, ("made",) * 2), wrong)
    assert turned == pytest.approx(-found)


def test_areas_are_scikit_learns() -> None:
    rng = np.random.default_rng(1)
    scores, wrong = rng.integers(0, 5, size=(4, 40)).astype(float), rng.random(40) < 0.4
    assert areas_under_curve(scores, wrong) == pytest.approx([roc_auc_score(wrong, each) for each in scores])


def test_bad_input_is_explained() -> None:
    table, wrong, validation = planted(200, 4)
    rng = np.random.default_rng(0)
    other, (_, _, linear) = counted_features(200, 5, 0.3, rng), planted(200, 4, learner="logistic_regression")
    assert_refused(
        lambda call: call(),
        [
            (lambda: permutation_ranking(validation, table, wrong, repeats=0, rng=rng), "1 repeat or more, got 0"),
            (lambda: permutation_ranking(validation, other, wrong, rng=rng), "on 200 texts with other features"),
            (lambda: impurity_ranking(linear), "logistic_regression keeps no impurities"),
        ],
    )
