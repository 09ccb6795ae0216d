"""Error classifiers on errors whose rule is known, their folds, and the undersampling that turns round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from counted_tables import counted_features, planted_errors
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.error_analysis.error_classifiers import (
    check_errors,
    class_columns,
    confidence_column,
    cross_validate,
    fit_error_classifier,
    probability_columns,
    side_by_side,
    undersample,
)
from trustnlp.error_analysis.feature_rankings import areas_under_curve
from trustnlp.error_analysis.readable_features import FeatureTable


def made(seed: int = 0, texts: int = 400, rates: tuple[float, float] = (0.9, 0.2)) -> tuple[FeatureTable, Any]:
    rng = np.random.default_rng(seed)
    table = counted_features(texts, 8, 0.4, rng)
    return table, planted_errors(table, *rates, rng)


def flags(errors: int, correct: int) -> Any:
    return np.arange(errors + correct) < errors


@given(errors=st.integers(1, 40), correct=st.integers(1, 40), seed=st.integers(0, 1000))
def test_undersampling_keeps_the_rarer_kind_whole(errors: int, correct: int, seed: int) -> None:
    wrong = np.random.default_rng(seed).permutation(flags(errors, correct))
    rows = undersample(wrong, np.random.default_rng(seed))
    fewer = min(errors, correct)
    assert len(np.unique(rows)) == len(rows) == 2 * fewer and wrong[rows].sum() == fewer
    assert (np.diff(rows) > 0).all()


@pytest.mark.parametrize("learner", ["random_forest", "logistic_regression", "gradient_boosting", "shallow_tree"])
def test_each_learner_finds_errors_it_has_not_seen(learner: Any) -> None:
    table, wrong = made()
    found = cross_validate(table, wrong, learner=learner, folds=2, rng=np.random.default_rng(1))
    # The rule itself, of rates .9 and .2, has an area of .84 or so.
    assert areas_under_curve(found.probability[None], wrong)[0] > 0.75
    assert ((found.probability >= 0) & (found.probability <= 1)).all()


def test_a_lookup_is_the_error_rate_of_each_predicted_label() -> None:
    predicted = np.array([0] * 4 + [1] * 5 + [2] * 2)
    wrong = np.array([True, False, False, False, True, True, True, False, False, True, False])
    table = class_columns(predicted, 3)
    fitted = fit_error_classifier(table, wrong, learner="lookup", balance=False, rng=np.random.default_rng(0))
    assert fitted.probability(table) == pytest.approx(np.repeat([0.25, 0.6, 0.5], [4, 5, 2]))


def test_balance_is_of_what_is_learned_from_alone() -> None:
    """Balanced, a feature without information gives one half; unbalanced, the share of errors."""
    wrong, rng = flags(80, 320), np.random.default_rng(0)
    table = FeatureTable(("nothing",), np.zeros((400, 1)), ("made",))
    found = cross_validate(table, wrong, learner="lookup", rng=rng)
    assert found.probability == pytest.approx(np.full(400, 0.5))
    assert [int(wrong[rows].sum()) for rows in found.held_out] == [16] * 5
    whole = fit_error_classifier(table, wrong, learner="lookup", balance=False, rng=rng)
    assert whole.probability(table) == pytest.approx(np.full(400, 0.2))


def test_every_text_is_held_out_once_and_repeats_together() -> None:
    table, wrong = made()
    groups = np.repeat(np.arange(100), 4)
    found = cross_validate(table, wrong, learner="shallow_tree", groups=groups, rng=np.random.default_rng(0))
    assert sorted(np.concatenate(found.held_out)) == list(range(400))
    assert sum(len(set(groups[rows])) for rows in found.held_out) == 100
    apart = cross_validate(table, wrong, learner="shallow_tree", rng=np.random.default_rng(0))
    assert sum(len(set(groups[rows])) for rows in apart.held_out) > 100


def test_what_was_held_out_was_not_seen() -> None:
    """A tree without a limit knows the texts it has seen; of noise alone it tells nothing of others."""
    rng = np.random.default_rng(3)
    table = FeatureTable(("a", "b"), rng.random((300, 2)), ("made",) * 2)
    wrong = rng.random(300) < 0.5
    seen = fit_error_classifier(table, wrong, learner="lookup", balance=False, rng=rng).probability(table)
    unseen = cross_validate(table, wrong, learner="lookup", rng=rng).probability
    assert areas_under_curve(np.stack([seen, unseen]), wrong) == pytest.approx([1, 0.5], abs=0.1)


def test_one_seed_is_one_result_and_another_seed_another() -> None:
    table, wrong = made()
    one, again, other = (
        cross_validate(table, wrong, folds=2, rng=np.random.default_rng(seed)).probability for seed in (5, 5, 6)
    )
    assert (one == again).all() and (one != other).any()


def test_what_the_base_says_is_three_tables() -> None:
    probabilities = np.array([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4]])
    assert confidence_column(probabilities).values.tolist() == [[0.7], [0.4]]
    assert (probability_columns(probabilities).values == probabilities).all()
    columns = class_columns(np.array([0, 2]), 3)
    assert columns.values.tolist() == [[1, 0, 0], [0, 0, 1]] and set(columns.groups) == {"base"}
    both = side_by_side(columns, confidence_column(probabilities))
    assert both.names[-1] == "confidence" and both.values.shape == (2, 4)


def test_bad_input_is_explained() -> None:
    table, wrong = made(texts=60)
    rng = np.random.default_rng(0)
    other = FeatureTable(tuple(reversed(table.names)), table.values, table.groups)

    def fitted(wrong: Any = wrong, learner: Any = "lookup") -> Any:
        return fit_error_classifier(table, wrong, learner=learner, rng=rng)

    def validated(wrong: Any = wrong, **settings: Any) -> Any:
        return cross_validate(table, wrong, learner="lookup", rng=rng, **settings)

    assert_refused(
        lambda call: call(),
        [
            (lambda: fitted(learner="forest"), "no learner is called 'forest'; there are random_forest, logistic"),
            (lambda: fitted(wrong=wrong[1:]), r"for each of 60 texts; got shape \(59,\) of bool"),
            (lambda: fitted().probability(other), "give it the features it was fitted on"),
            (lambda: validated(folds=1), "2 folds or more, got 1"),
            (lambda: validated(flags(3, 57)), "3 errors among 60 texts; 5 folds needs at least 5"),
            (lambda: validated(groups=np.arange(59)), r"a group each, got shape \(59,\)"),
            (lambda: validated(groups=np.zeros(60, dtype=int)), "fewer than 5 different texts"),
            (lambda: check_errors(flags(12, 88), least=30, what="ranking"), "12 errors .* at least 30 of them, so lab"),
            (lambda: confidence_column(np.array([[0.7, 0.7]])), "no probabilities; apply a softmax"),
            (lambda: class_columns(np.array([0, 3]), 3), "labels are 0 to 3; expected 0 to 2"),
            (lambda: side_by_side(table, confidence_column(np.array([[0.3, 0.7]]))), "tables of 60 and 1 texts"),
        ],
    )
