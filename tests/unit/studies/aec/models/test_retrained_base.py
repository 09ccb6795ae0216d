"""The base of a loop: where the search begins changes nothing, and what is asked of it unseen is unseen."""

from __future__ import annotations

import numpy as np
from made_up_loops import made_up_loop
from refusals import assert_refused

from trustnlp.studies.aec.models.retrained_base import trained_again, unseen_probabilities, untrained

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


def test_labels_weigh_the_same() -> None:
    states, labels = TEXTS.reviews
    rare = np.concatenate([np.flatnonzero(labels > 0), np.flatnonzero(labels == 0)[:5]])
    plain = untrained().set_params(class_weight=None).fit(states[rare], labels[rare])
    weighted = trained_again(states[rare], labels[rare])
    asked = TEXTS.states[TEXTS.labels == 0]
    assert (weighted.predict(asked) == 0).mean() > (plain.predict(asked) == 0).mean() + 0.05


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


def test_every_fold_has_a_rare_label_to_learn_from() -> None:
    labels = np.array([0] * 60 + [1] * 60 + [2] * 3)
    states = np.eye(3)[labels] * 5
    base = trained_again(states, labels)
    none = np.empty((0, 3)), np.empty(0, dtype=np.int64)
    for seed in range(5):
        found = unseen_probabilities(none, (states, labels), base, folds=3, rng=np.random.default_rng(seed))
        assert (found.argmax(1) == labels).all()


def test_fewer_texts_than_folds_are_refused() -> None:
    base = trained_again(*TEXTS.reviews)
    few = TEXTS.states[:3], TEXTS.labels[:3]
    rows = [(TEXTS.reviews, few, base, r"3 labelled texts cannot be divided in 5 folds")]
    assert_refused(lambda *given: unseen_probabilities(*given, folds=5, rng=np.random.default_rng(0)), rows)
