"""The base of a loop is trained again, and judged on what it has not learned from."""

from __future__ import annotations

import numpy as np
from made_up_loops import made_up_loop

from trustnlp.studies.aec.models import results_folder, trained_again, unseen_probabilities

TEXTS = made_up_loop()


def test_a_search_that_begins_elsewhere_finds_the_same_base() -> None:
    cold = trained_again(*TEXTS.reviews)
    rows = TEXTS.pool[:40]
    more = (
        np.concatenate([TEXTS.reviews[0], TEXTS.states[rows]]),
        np.concatenate([TEXTS.reviews[1], TEXTS.labels[rows]]),
    )
    before = cold.coef_.copy()
    warm, other = trained_again(*more, cold), trained_again(*more)
    np.testing.assert_array_equal(cold.coef_, before)
    asked = TEXTS.states[TEXTS.test]
    np.testing.assert_allclose(warm.predict_proba(asked), other.predict_proba(asked), atol=0.01)
    assert np.abs(warm.predict_proba(asked) - cold.predict_proba(asked)).max() > 0.1


def test_a_labelled_text_is_judged_by_a_base_that_has_not_seen_its_label() -> None:
    """With as many dimensions as texts a base knows every label that it has seen, and can only guess the others."""
    rng = np.random.default_rng(0)
    states, labels = 30 * np.eye(60), rng.integers(0, 3, 60)
    always = np.zeros((3, 60)), np.arange(3)
    base = trained_again(np.concatenate([always[0], states]), np.concatenate([always[1], labels]))
    assert (base.predict(states) == labels).all()
    unseen = unseen_probabilities(always, (states, labels), base, folds=5, rng=rng)
    np.testing.assert_allclose(unseen.sum(1), 1)
    np.testing.assert_allclose(unseen, 1 / 3, atol=0.15)


def test_trained_classifiers_are_kept_in_runs_of_the_paper_profile_alone() -> None:
    assert results_folder({"profile": "smoke"}) is None
    assert results_folder({"profile": "paper"}) is not None
