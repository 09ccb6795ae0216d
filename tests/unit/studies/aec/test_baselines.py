"""Other uses of AEC's labels see what they may see and nothing else; the peer in the loop, where it is installed."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made_experiments import DRAWN, corpus_with, made_answers, made_corpus, plain_reviews
from made_up_loops import made_up_loop

from trustnlp.error_analysis.error_classifiers import ErrorClassifier, fit_error_classifier
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.error_analysis.sampling_strategies import UNCERTAINTY
from trustnlp.studies.aec import baselines
from trustnlp.studies.aec.baselines import available_peers, peer_picks
from trustnlp.studies.aec.data.experiments import Experiment, experiment_of
from trustnlp.studies.aec.models.base_classifiers import trained_again, untrained

TEXTS = made_up_loop()
POOL = TEXTS.states[TEXTS.pool]
EIGHT = np.full(len(made_corpus().tweets), 8)
REASON = "the peer needs the extra 'errors'"


def test_badge_picks_uncertain_tweets_that_differ() -> None:
    pytest.importorskip("skactiveml", reason=REASON)
    # Every tweet twice: what is picked once is not picked again.
    twice = np.concatenate([POOL, POOL])
    picks = peer_picks(TEXTS.reviews, twice, 40, np.random.default_rng(0))
    assert picks.shape == (40,) and len(np.unique(picks % len(POOL))) == 40
    sure = trained_again(*TEXTS.reviews).predict_proba(twice).max(1)
    assert sure[picks].mean() < sure.mean() - 0.05
    again = peer_picks(TEXTS.reviews, twice, 40, np.random.default_rng(0))
    other = peer_picks(TEXTS.reviews, twice, 40, np.random.default_rng(1))
    assert (picks == again).all() and (picks != other).any()


@pytest.mark.parametrize(
    ("ours", "theirs"), [("least_confidence", "least_confident"), ("margin", "margin_sampling"), ("entropy", "entropy")]
)
def test_uncertainty_is_that_of_the_library(ours: str, theirs: str) -> None:
    pool = pytest.importorskip("skactiveml.pool", reason=REASON)
    wrapped = pytest.importorskip("skactiveml.classifier").SklearnClassifier
    base = wrapped(untrained(), classes=[0, 1, 2]).fit(*TEXTS.reviews)
    strategy = pool.UncertaintySampling(method=theirs, random_state=0)
    picks = strategy.query(*TEXTS.reviews, base, fit_clf=False, candidates=POOL, batch_size=30)
    scores = UNCERTAINTY[ours](trained_again(*TEXTS.reviews).predict_proba(POOL))
    assert set(picks.tolist()) == set(np.argsort(-scores)[:30].tolist())


def test_without_the_library_there_is_no_peer_and_a_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "find_spec", lambda _: None)
    assert available_peers() == ()
    monkeypatch.setitem(sys.modules, "skactiveml.classifier", None)
    with pytest.raises(ImportError, match=r"trustnlp\[errors\]"):
        peer_picks(TEXTS.reviews, POOL, 3, np.random.default_rng(0))


@pytest.fixture(scope="module")
def made() -> Experiment:
    return experiment_of(corpus_with(EIGHT), made_answers(0), DRAWN, 5)


def test_a_sentiment_classifier_that_knows_the_label_ranks_errors_by_disagreement(made: Experiment) -> None:
    scores = baselines.disagreement_scores(made)
    assert scores.shape == made.test_rows.shape and ((scores >= 0) & (scores <= 1)).all()
    assert made.area("aec", scores=scores) > 0.75
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


def test_the_domain_classifier_learns_from_training_tweets_and_reviews_and_tells_tweets(
    made: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    taught, reviews = [], plain_reviews()

    def spied(table: FeatureTable, tweets: Any, **given: Any) -> ErrorClassifier:
        taught.extend([table.values[tweets], table.values[~tweets]])
        return fit_error_classifier(table, tweets, **given)

    monkeypatch.setattr(baselines, "fit_error_classifier", spied)
    scores = baselines.domain_scores(made, reviews)
    assert np.array_equal(taught[0], made.train.features.values) and np.array_equal(taught[1], reviews.values)
    values = made.test.features.values
    unlike, like = (values[:, 0] > 0) & (values[:, 2] > 0), (values[:, [0, 1, 2, 4]] == 0).all(axis=1)
    assert scores[unlike].min() > scores[like].max()


def test_length_is_seen_where_it_is_the_cause() -> None:
    wrong = made_answers(0).tweets.argmax(1) != made_corpus().tweets.labels
    for lengths, area in ((np.where(wrong, 20, 9), 1.0), (EIGHT, 0.5)):
        made = experiment_of(corpus_with(lengths), made_answers(0), DRAWN, 0)
        assert made.area("aec", scores=baselines.length_scores(made)) == area
