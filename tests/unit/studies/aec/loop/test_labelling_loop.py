"""Loops on made-up states: what is spent, picked and taught, by hand; and what strategies are told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_up_loops import made_up_loop
from refusals import assert_refused
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from trustnlp.error_analysis.sampling_strategies import STRATEGIES, least_confidence
from trustnlp.studies.aec.baselines import available_peers
from trustnlp.studies.aec.loop import labelling_loop
from trustnlp.studies.aec.loop.labelling_loop import kept_loop, run_loop
from trustnlp.studies.aec.models.retrained_base import trained_again

TEXTS = made_up_loop()
REVIEWED = trained_again(*TEXTS.reviews)


def after(rows: np.ndarray) -> tuple[float, float]:
    """Macro-F1 and accuracy of the base of the reviews and some tweets, trained anew."""
    base = trained_again(
        np.concatenate([TEXTS.reviews[0], TEXTS.states[rows]]), np.concatenate([TEXTS.reviews[1], TEXTS.labels[rows]])
    )
    said, truth = base.predict(TEXTS.states[TEXTS.test]), TEXTS.labels[TEXTS.test]
    return 100 * f1_score(truth, said, average="macro"), 100 * (said == truth).mean()


def test_random_labels_the_shuffled_pool_from_the_front() -> None:
    course = run_loop(TEXTS, "random", step=15, rounds=3, first=30)
    assert course.spent == (30, 45, 60, 75) and course.own_right is None
    expected = [after(TEXTS.shuffled[:n]) for n in course.spent]
    np.testing.assert_allclose(np.transpose([course.macro_f1, course.accuracy]), expected, atol=1.7)
    np.testing.assert_allclose(course.picked, 100 * np.bincount(TEXTS.labels[TEXTS.shuffled[30:75]]) / 45)


def test_uncertainty_picks_what_the_base_is_least_sure_of() -> None:
    course = run_loop(TEXTS, "least_confidence", step=20, rounds=1)
    probabilities = REVIEWED.predict_proba(TEXTS.states[TEXTS.pool])
    picked = np.argsort(-least_confidence(probabilities))[:20]
    assert course.errors == (100 * float((probabilities.argmax(1) != TEXTS.labels[TEXTS.pool])[picked].mean()),)
    assert course.macro_f1[1] == pytest.approx(after(TEXTS.pool[picked])[0], abs=1.7)


def test_the_oracle_picks_errors_alone() -> None:
    assert run_loop(TEXTS, "oracle", step=10, rounds=3).errors == (100.0, 100.0, 100.0)


@pytest.mark.parametrize("apart", [False, True])
def test_aec_finds_the_planted_cause_and_learns_it_from_the_first_tweets(apart: bool) -> None:
    course = run_loop(TEXTS, "aec", step=10, rounds=1, first=40, apart=apart)
    by_chance = run_loop(TEXTS, "random", step=10, rounds=1, first=40, apart=apart)
    assert course.errors[0] > by_chance.errors[0] + 20
    # Whether the base learns from the first tweets, too.
    assert course.macro_f1[0] == pytest.approx(after(TEXTS.shuffled[: 0 if apart else 40])[0], abs=1.7)
    assert course.spent == (40, 50)


def test_a_base_that_knows_its_labels_by_heart_is_still_known_to_err() -> None:
    """Labels are random and dimensions many: the base is right on all it has seen, and errors must not seem gone."""
    rng = np.random.default_rng(1)
    moved = rng.random(260) < 0.5
    states = 20 * np.eye(260)
    states[:, 0] = 20
    labels = np.where(moved, rng.integers(1, 3, 260), 0)
    features = replace(TEXTS.features, values=np.column_stack([moved, rng.random(260)]).astype(float))
    texts = replace(TEXTS, reviews=(np.eye(3, 260), np.arange(3)), states=states, labels=labels, features=features)
    assert run_loop(texts, "aec", step=20, rounds=2, first=80).errors[1] > 40


def test_confident_tweets_are_taught_as_the_base_labels_them() -> None:
    plain = run_loop(TEXTS, "aec", step=10, rounds=2, first=40)
    both = run_loop(TEXTS, "aec", step=10, rounds=2, first=40, own_labels=30)
    assert both.spent == plain.spent and both.errors[0] == plain.errors[0]
    assert both.macro_f1[1] != plain.macro_f1[1]
    # The unmoved tweets, which AEC is sure of, are labelled well.
    assert both.own_right is not None and both.own_right > 85
    worst = replace(TEXTS, labels=np.where(np.isin(np.arange(260), TEXTS.shuffled[60:]), 0, TEXTS.labels))
    assert run_loop(worst, "random", step=10, rounds=1, first=60, own_labels=30).own_right < 60  # type: ignore[operator]


def test_each_tweet_of_the_pool_is_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    taught = []

    def noted(states: np.ndarray, labels: np.ndarray, *before: LogisticRegression) -> LogisticRegression:
        taught.append(states)
        return trained_again(states, labels, *before)

    monkeypatch.setattr(labelling_loop, "trained_again", noted)
    course = run_loop(TEXTS, "least_confidence", step=50, rounds=2, own_labels=50)
    assert (
        [len(np.unique(states, axis=0)) for states in taught] == [len(states) for states in taught] == [150, 250, 350]
    )
    assert {tuple(row) for row in taught[-1]} == {
        tuple(row) for row in np.concatenate([TEXTS.reviews[0], TEXTS.states[TEXTS.pool]])
    }
    assert len(course.errors) == 2


@pytest.mark.parametrize("strategy", [*STRATEGIES, *available_peers()])
def test_every_strategy_repeats_itself_and_depends_on_the_seed(strategy: str) -> None:
    asked = {"step": 10, "rounds": 2, "first": 40}
    course = run_loop(TEXTS, strategy, **asked)
    assert course == run_loop(TEXTS, strategy, **asked) != run_loop(made_up_loop(1), strategy, **asked)
    assert all(0 <= value <= 100 for value in (*course.macro_f1, *course.accuracy, *course.errors, *course.picked))
    assert sum(course.picked) == pytest.approx(100)


def test_a_kept_course_is_read_and_depends_on_what_was_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labelling_loop, "results_of", lambda _: tmp_path)
    asked = {"step": 10, "rounds": 1, "first": 20}
    course = kept_loop(TEXTS, "random", "paper", **asked)
    assert kept_loop(TEXTS, "random", "smoke", **asked) == course and len([*tmp_path.iterdir()]) == 1
    with monkeypatch.context() as patch:
        patch.setattr(labelling_loop, "run_loop", lambda *_, **__: pytest.fail("it is kept"))
        assert kept_loop(TEXTS, "random", "paper", **asked) == course
    for texts, other in ((TEXTS, {"rounds": 2}), (TEXTS, {"apart": 1}), (made_up_loop(1), {})):
        kept_loop(texts, "random", "paper", **(asked | other))
    assert len([*tmp_path.iterdir()]) == 4


def test_what_cannot_be_run_is_refused() -> None:
    rows = [
        ("best", 10, 1, "no strategy is called 'best'; there are random, oracle"),
        ("random", 0, 1, "there must be a round and a tweet in it"),
        ("random", 10, 0, "there must be a round"),
        ("random", 100, 3, "take 300 tweets; .* the pool has 200"),
        ("aec", 10, 1, "0 labelled texts cannot be divided"),
    ]
    assert_refused(lambda strategy, step, rounds: run_loop(TEXTS, strategy, step=step, rounds=rounds), rows)
