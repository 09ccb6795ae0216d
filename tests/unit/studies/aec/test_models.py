"""Bases as notebooks ask for them: answers are kept, and a loop's base is trained again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from made_up_loops import made_up_loop
from numpy.typing import NDArray

from trustnlp.studies.aec.models import probabilities_once, trained_again, unseen_probabilities


class Counted:
    """A classifier that counts what it is asked."""

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint, self.asked = fingerprint, 0

    def probabilities(self, texts: Sequence[str], /) -> NDArray[np.float64]:
        self.asked += len(texts)
        return np.array([[1 / 3, 0.5, 1 / 6]] * len(texts))


def test_answers_are_kept_and_the_same_when_they_are_read(tmp_path: Path) -> None:
    classifier = Counted("one")
    first = probabilities_once(classifier, ["a", "b"], tmp_path)
    np.testing.assert_array_equal(probabilities_once(classifier, ["a", "b"], tmp_path), first)
    assert classifier.asked == 1 + 2 + 1  # one text each time, to see how many labels there are
    np.testing.assert_array_equal(probabilities_once(classifier, ["a", "b"]), first)
    np.testing.assert_allclose(first.sum(1), 1, rtol=0, atol=1e-15)
    np.testing.assert_allclose(first, [[1 / 3, 0.5, 1 / 6]] * 2, rtol=1e-6)
    probabilities_once(classifier, ["a", "c"], tmp_path)
    probabilities_once(Counted("other"), ["a", "b"], tmp_path)
    assert len(list(tmp_path.glob("probabilities-*.npy"))) == 3


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
