"""Other uses of AEC's labels see what they may see and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from made_experiments import DRAWN, made_answers, made_corpus, plain_reviews

from trustnlp.studies.aec import baselines
from trustnlp.studies.aec.data.experiments import Experiment, experiment_of


@pytest.fixture(scope="module")
def made() -> Experiment:
    return experiment_of(made_corpus(), made_answers(0), DRAWN, 5)


def test_a_sentiment_classifier_that_knows_the_label_ranks_errors_by_disagreement(made: Experiment) -> None:
    scores = baselines.disagreement_scores(made)
    assert scores.shape == made.test_rows.shape and ((scores >= 0) & (scores <= 1)).all()
    assert made.area(scores) > 0.75
    # Where the base is right by the classifier's own lights, little is left of it.
    wrong = made.test.wrong
    assert wrong is not None and scores[wrong].mean() > scores[~wrong].mean() + 0.2


def test_disagreement_learns_from_the_training_tweets_alone(made: Experiment) -> None:
    """Other labels of the test set change nothing; other labels of the training set do."""
    first = baselines.disagreement_scores(made)
    for rows, same in ((made.test_rows, True), (made.train_rows, False)):
        labels = made.corpus.tweets.labels.copy()
        labels[rows] = (labels[rows] + 1) % 3
        corpus = replace(made.corpus, tweets=replace(made.corpus.tweets, labels=labels))
        vars(corpus)["features"] = made.corpus.features
        again = replace(made, corpus=corpus, _fitted={})
        assert np.array_equal(baselines.disagreement_scores(again), first) is same


def test_the_domain_classifier_tells_tweets_from_reviews(made: Experiment) -> None:
    scores = baselines.domain_scores(made, plain_reviews())
    values = made.test.features.values
    unlike, like = (values[:, 0] > 0) & (values[:, 2] > 0), (values[:, [0, 1, 2, 4]] == 0).all(axis=1)
    assert scores[unlike].min() > scores[like].max()
