"""Rankings against slow loops, with planted causes, decoys and exact Shapley values."""

from __future__ import annotations

import itertools
import math
import sys
from typing import Any

import numpy as np
import pytest
from counted_tables import CAUSE, counted_features, planted_errors
from refusals import assert_refused
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from trustnlp.error_analysis.error_classifiers import cross_validate, joined
from trustnlp.error_analysis.feature_rankings import (
    areas_under_curve,
    feature_directions,
    impurity_ranking,
    permutation_ranking,
    shap_ranking,
    shap_values,
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
    table = joined(counted_features(600, 20, 0.2, rng), noise)
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
    assert found.importance[-1] == 0 and impurity_ranking(validation).importance[-1] == 0
    assert feature_directions(table, wrong)[-1] == 0


def test_equal_importance_counts_against_a_feature() -> None:
    table, wrong, validation = planted(200, 6)
    found = permutation_ranking(validation, table, wrong, rng=np.random.default_rng(0))
    unused = [
        name for name, value in zip(found.names, found.importance, strict=True) if value == found.importance.min()
    ]
    assert {found.rank_of(name) for name in unused} == {6}
    assert found.top(6) == tuple(found.names[at] for at in found.order)


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


def exact_values(tree: Any, x: Any) -> Any:
    """Shapley values of the share of errors at the leaf, by all subsets; a feature out of the game splits by cover."""

    def value(node: int, known: frozenset[int]) -> float:
        if tree.children_left[node] < 0:
            counts = tree.value[node, 0]
            return float(counts[1] / counts.sum())
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if tree.feature[node] in known:
            return value(left if np.float32(x[tree.feature[node]]) <= tree.threshold[node] else right, known)
        cover = tree.weighted_n_node_samples
        return float((cover[left] * value(left, known) + cover[right] * value(right, known)) / cover[node])

    size = len(x)
    found = np.zeros(size)
    for one in range(size):
        others = [other for other in range(size) if other != one]
        for count in range(size):
            weight = math.factorial(count) * math.factorial(size - count - 1) / math.factorial(size)
            for known in map(frozenset, itertools.combinations(others, count)):
                found[one] += weight * (value(0, known | {one}) - value(0, known))
    return found


@pytest.mark.filterwarnings("ignore")  # of the import of shap
def test_shapley_values_are_those_of_all_subsets() -> None:
    pytest.importorskip("shap", reason="Shapley values of trees need the extra 'errors'", exc_type=ImportError)
    table, _, validation = planted(200, 5)
    values = shap_values(validation, table)
    for classifier, rows in zip(validation.classifiers, validation.held_out, strict=True):
        for row in rows[:3]:
            assert values[row] == pytest.approx(exact_values(classifier.model.tree_, table.values[row]), abs=1e-6)
    found = shap_ranking(validation, table)
    expected = [np.abs(values[rows]).mean(axis=0) for rows in validation.held_out]
    assert found.importance == pytest.approx(np.mean(expected, axis=0)) and found.top(1) == (CAUSE,)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", ["random_forest", "gradient_boosting"])
def test_shapley_values_add_up(learner: Any) -> None:
    """To the prediction, but for one number a fold; of gradient boosting, in log-odds."""
    pytest.importorskip("shap", reason="Shapley values of trees need the extra 'errors'", exc_type=ImportError)
    table, _, validation = planted(200, 5, learner=learner, folds=2)
    total = shap_values(validation, table).sum(axis=1)
    p = validation.probability
    quantity = np.log(p / (1 - p)) if learner == "gradient_boosting" else p
    for rows in validation.held_out:
        rest = quantity[rows] - total[rows]
        assert rest == pytest.approx(np.full(len(rows), rest[0]), abs=1e-4)


def test_bad_input_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    table, wrong, validation = planted(200, 4)
    rng = np.random.default_rng(0)
    other, (_, _, linear) = counted_features(200, 5, 0.3, rng), planted(200, 4, learner="logistic_regression")
    monkeypatch.setitem(sys.modules, "shap", None)
    assert_refused(
        lambda call: call(),
        [
            (lambda: permutation_ranking(validation, table, wrong, repeats=0, rng=rng), "1 repeat or more, got 0"),
            (lambda: permutation_ranking(validation, other, wrong, rng=rng), "on 200 texts with other features"),
            (lambda: impurity_ranking(linear), "logistic_regression keeps no impurities"),
            (lambda: shap_values(linear, table), "tree SHAP is of trees .*, and the learner is logistic_regression"),
            (lambda: shap_values(validation, other), r"another table; got one of shape \(200, 5\)"),
            (lambda: shap_values(validation, table), ImportError, r"pip install 'trustnlp\[errors\]'"),
        ],
    )
