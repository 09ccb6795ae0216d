"""Experiments: what is drawn, left out and held out, each apart from the others; scores and their precision."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from made_experiments import DRAWN, made_answers, made_corpus
from refusals import assert_refused
from sklearn.metrics import roc_auc_score

from trustnlp.error_analysis.sampling_strategies import STRATEGIES
from trustnlp.studies.aec.data.experiments import TOP, Experiment, experiment_of


@pytest.fixture(scope="module")
def made() -> Experiment:
    return experiment_of(made_corpus(), made_answers(0), DRAWN, 5)


def test_the_parts_have_the_sizes_that_the_paper_says(made: Experiment) -> None:
    labels = made.corpus.tweets.labels
    assert np.bincount(labels[made.drawn]).tolist() == list(DRAWN)
    assert len(made.stream_rows) == round(0.2 * sum(DRAWN))
    assert set(made.test_rows) <= set(made.stream_rows) <= set(made.drawn)
    assert set(made.train_rows) <= set(made.drawn) - set(made.stream_rows)
    balanced = np.concatenate([made.train_rows, made.test_rows])
    errors = int(made.wrong[made.drawn].sum())
    assert 0 < errors < sum(DRAWN) / 2
    assert len(balanced) == 2 * errors and made.wrong[balanced].sum() == errors
    assert abs(len(made.test_rows) / len(balanced) - 0.2) < 0.05
    assert len({made.corpus.tweets.texts[row] for row in made.drawn}) == sum(DRAWN)


@pytest.mark.parametrize(
    ("how", "changed"),
    [
        ({"split": 5}, set()),
        ({"split": 6}, {"stream_rows", "train_rows", "test_rows"}),
        ({"seed": 6}, {"drawn", "stream_rows", "train_rows", "test_rows"}),
    ],
)
def test_the_split_can_be_redrawn_alone(made: Experiment, how: dict[str, int], changed: set[str]) -> None:
    again = experiment_of(made_corpus(), replace(made_answers(0), seed=1), DRAWN, **({"seed": 5} | how))
    parts = ("drawn", "stream_rows", "train_rows", "test_rows")
    assert {name for name in parts if not np.array_equal(getattr(again, name), getattr(made, name))} == changed
    if "split" in how:
        balanced = [np.sort(np.concatenate([each.train_rows, each.test_rows])) for each in (made, again)]
        np.testing.assert_array_equal(*balanced)


def test_unseen_tweets_are_not_learned_from(made: Experiment) -> None:
    unseen = [int(made.train_rows[3]), int(made.train_rows[9]), int(made.test_rows[0])]
    found = experiment_of(made_corpus(), made_answers(0), DRAWN, 5, unseen=unseen)
    assert set(made.train_rows) - set(found.train_rows) == set(unseen[:2])
    np.testing.assert_array_equal(found.test_rows, made.test_rows)


def test_an_experiment_needs_errors_and_correct_answers() -> None:
    labels = made_corpus().tweets.labels
    right, none = np.eye(3)[labels], np.eye(3)[(labels + 1) % 3]
    rows = [
        (replace(made_answers(0), tweets=right), DRAWN, "errs on 0 of 430 tweets"),
        (replace(made_answers(0), tweets=none), DRAWN, "errs on 430 of 430 tweets"),
        (made_answers(0), (9_000, 1, 1), "cannot be drawn"),
    ]
    assert_refused(lambda answers, drawn: experiment_of(made_corpus(), answers, drawn, 0), rows)


def test_the_planted_cause_is_learned_and_the_ends_are_the_ends(made: Experiment) -> None:
    assert made.precision("oracle") == dict.fromkeys((10, 20, 30, 40, 50), 1.0) or made.test.wrong.sum() < 50
    assert made.area(made.scores("oracle")) == 1.0 and made.area(made.scores("aec")) > 0.65
    # Flags of the cause, the same for many texts: ties are broken at random, and the precision is its rate of errors.
    assert made.precision("aec")[20] > 0.6
    assert abs(made.area(made.scores("random")) - 0.5) < 0.2


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_strategy_scores_each_text_the_same_each_time(made: Experiment, strategy: str) -> None:
    scores = made.scores(strategy)
    assert scores.shape == made.test_rows.shape
    np.testing.assert_array_equal(scores, replace(made, _fitted={}).scores(strategy))
    assert made.precision(strategy, scores=scores) == made.precision(strategy)


def test_precision_counts_errors_among_the_first(made: Experiment) -> None:
    wrong, scores = made.test.wrong, np.arange(len(made.test_rows), dtype=float)
    assert made.precision("mine", scores=scores) == pytest.approx({k: wrong[-k:].mean() for k in TOP})
    assert made.area(scores) == pytest.approx(roc_auc_score(wrong, scores))


def test_the_trainings_of_a_base_have_other_forests(made: Experiment) -> None:
    other = replace(made, answers=replace(made.answers, seed=1), _fitted={})
    assert other.rng(20).random() != made.rng(20).random() != made.rng(21).random()
    assert other.fitted("aec").model.random_state != made.fitted("aec").model.random_state
