"""Training plans and the accuracies of Figures 7 and 8 on planted texts."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from refusals import assert_refused

from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet
from trustnlp.studies.dpnr_study.training import accuracy_under_noise, training_plans, without_unseen
from trustnlp.training.ngrams import DROPPING, UNKNOWN, Vocabulary

EPSILONS = [0.01, 3.0]


def planted(n: int, seed: int) -> Sentences:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    words = np.array([["good", "fine", "nice"], ["bad", "poor", "sad"]])
    said = np.where(rng.random((n, 9)) < 0.85, labels[:, None], 1 - labels[:, None])
    return Sentences(tuple(" ".join(row) for row in words[said, rng.integers(0, 3, (n, 9))]), labels)


@pytest.fixture(scope="module")
def texts() -> SentenceSet:
    return SentenceSet("planted", ("good", "bad"), train=planted(600, 0), test=planted(300, 1))


@pytest.fixture(scope="module")
def scores(texts: SentenceSet) -> pd.DataFrame:
    return accuracy_under_noise(texts, dim=8, epsilons=EPSILONS, seeds=[0, 1], rates=[0.5], rates_epsilon=3.0)


def mean(scores: pd.DataFrame, **where: object) -> float:
    for column, value in where.items():
        scores = scores[scores[column] == value]
    return float(scores.accuracy.mean())


def test_every_number_is_there_once(scores: pd.DataFrame):
    keys = ["seed", "plan", "epsilon", "dropping", "rate"]
    assert not scores.duplicated(keys).any()
    plans = training_plans(EPSILONS)
    noisy = 2 * (len(plans) - len(EPSILONS) + 1)  # a robust plan is tested at its own ε
    dropped = len(DROPPING) * 2 * (len(plans) - 1)
    assert len(scores) == 2 * (len(plans) + noisy + dropped)


def test_planted_labels_are_learnt_and_strong_noise_hides_them(scores: pd.DataFrame):
    for plan in ("classic", "robust=0.01", "adaptive=10", "rising=10"):
        assert abs(mean(scores, plan=plan, epsilon=0.01) - 0.5) < 0.1
    noisy, quiet = (mean(scores, plan="classic", epsilon=epsilon, dropping="none") for epsilon in (3.0, math.inf))
    assert 0.5 < noisy < quiet and quiet > 0.9


def test_left_out_words_cost_less_than_unknown_ones(scores: pd.DataFrame):
    quiet = {how: mean(scores, plan="classic", epsilon=math.inf, dropping=how) for how in DROPPING}
    assert quiet["left_out"] > max(quiet["ngrams"], quiet["words"])


def test_a_number_does_not_depend_on_what_else_is_asked(texts: SentenceSet, scores: pd.DataFrame):
    plans = {"classic": training_plans(EPSILONS)["classic"]}
    alone = accuracy_under_noise(texts, dim=8, epsilons=[3.0], seeds=[1], plans=plans)
    expected = scores[(scores.seed == 1) & (scores.plan == "classic") & (scores.dropping == "none")]
    for epsilon in (3.0, math.inf):
        # Sums in another order: a text on the border may change sides.
        assert mean(alone, epsilon=epsilon) == pytest.approx(mean(expected, epsilon=epsilon), abs=0.007)


def test_seeds_repeat_and_differ(scores: pd.DataFrame, texts: SentenceSet):
    again = accuracy_under_noise(texts, dim=8, epsilons=EPSILONS, seeds=[0], rates=[0.5], rates_epsilon=3.0)
    first = scores[scores.seed == 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(first, again)
    assert list(first.accuracy) != list(scores[scores.seed == 1].accuracy)


def test_rows_that_training_lacks_become_unknown():
    vocabulary = Vocabulary(["a b", "b c d"])
    bags = without_unseen(vocabulary.bags(["a b d"]), vocabulary.bags(["b c", "a"]))
    expected = [*vocabulary.bags(["a", "b"]).ids.tolist(), UNKNOWN, UNKNOWN, UNKNOWN]
    assert bags.ids.tolist() == expected


def test_new_words_hurt_more_when_they_share_one_row(texts: SentenceSet):
    """Thirty per cent of the test words are new: their rows cancel out, a single row moves every text alike."""
    assert texts.test is not None
    rng = np.random.default_rng(5)
    renamed = tuple(
        " ".join(f"new{rng.integers(500)}" if rng.random() < 0.3 else word for word in text.split())
        for text in texts.test.texts
    )
    strange = SentenceSet("strange", texts.label_names, texts.train, test=Sentences(renamed, texts.test.labels))
    plans = {"classic": [math.inf] * 5}
    scored = accuracy_under_noise(strange, dim=8, epsilons=[3.0], seeds=[0, 1, 2, 3], plans=plans, unseen_too=True)
    assert set(scored.dropping) == {"none", "unseen"}
    assert mean(scored, dropping="none", epsilon=math.inf) > mean(scored, dropping="unseen", epsilon=math.inf)


def test_mistakes_are_named(texts: SentenceSet):
    alone = SentenceSet("planted", ("a", "b"), texts.train)
    assert_refused(
        lambda source, epsilons, seeds: accuracy_under_noise(source, dim=8, epsilons=epsilons, seeds=seeds),
        [
            (texts, [1.0], [], "at least one seed"),
            (texts, [], [0], "at least one seed and one ε"),
            (alone, [1.0], [0], "planted has no test part; cut one with balanced_split"),
        ],
    )
