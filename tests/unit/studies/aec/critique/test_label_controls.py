"""Controls see what they may see and nothing else; leads are differences of the numbers beside them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made_experiments import DRAWN, made_answers, made_corpus

from trustnlp.error_analysis.error_classifiers import ErrorClassifier, fit_error_classifier
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.reproduce.records.metric_series import Metrics
from trustnlp.studies.aec.critique import label_controls as controls
from trustnlp.studies.aec.data.error_corpus import ErrorCorpus
from trustnlp.studies.aec.reproduction.error_experiments import TOP, Experiment, experiment_of


def corpus_with(lengths: np.ndarray | None = None) -> ErrorCorpus:
    """A copy of the made corpus, whose lengths are known without a parser."""
    found = replace(made_corpus())
    vars(found)["features"] = made_corpus().features
    vars(found)["lengths"] = np.full(len(found.tweets), 8) if lengths is None else lengths
    return found


@pytest.fixture(scope="module")
def made() -> Experiment:
    return experiment_of(corpus_with(), made_answers(0), DRAWN, 5)


@pytest.fixture(scope="module")
def reviews() -> FeatureTable:
    """They have neither a negation nor a question."""
    table = made_corpus().features
    values = np.zeros((40, len(table.names)))
    values[::2, 3] = 0.125
    return FeatureTable(table.names, values, table.groups)


def test_a_sentiment_classifier_that_knows_the_label_ranks_errors_by_disagreement(made: Experiment) -> None:
    scores = controls.disagreement_scores(made)
    assert scores.shape == made.test_rows.shape and ((scores >= 0) & (scores <= 1)).all()
    assert made.area("aec", scores=scores) > 0.75
    # Where the base is right by the classifier's own lights, little is left of it.
    wrong = made.test.wrong
    assert wrong is not None and scores[wrong].mean() > scores[~wrong].mean() + 0.2


def test_disagreement_learns_from_the_training_tweets_alone(made: Experiment) -> None:
    """Other labels of the test set change nothing; other labels of the training set do."""
    first = controls.disagreement_scores(made)
    for rows, same in ((made.test_rows, True), (made.train_rows, False)):
        labels = made.corpus.tweets.labels.copy()
        labels[rows] = (labels[rows] + 1) % 3
        corpus = replace(made.corpus, tweets=replace(made.corpus.tweets, labels=labels))
        vars(corpus)["features"] = made.corpus.features
        again = replace(made, corpus=corpus, _fitted={})
        assert np.array_equal(controls.disagreement_scores(again), first) is same


def test_a_label_that_no_training_tweet_has_is_not_believed(made: Experiment) -> None:
    positive = made.corpus.tweets.labels == 2
    few = replace(made, train_rows=made.train_rows[~positive[made.train_rows]])
    scores = controls.disagreement_scores(few)
    said = few.test.predicted == 2
    assert said.any() and (scores[said] == 1).all() and (scores[~said] < 1).all()


def test_the_domain_classifier_tells_tweets_and_not_errors(made: Experiment, reviews: FeatureTable) -> None:
    scores = controls.domain_scores(made, reviews)
    values = made.test.features.values
    unlike, like = (values[:, 0] > 0) & (values[:, 2] > 0), (values[:, [0, 1, 2, 4]] == 0).all(axis=1)
    assert scores[unlike].min() > scores[like].max()
    same = controls.domain_scores(replace(made, answers=made_answers(1)), reviews)
    assert same.shape == scores.shape


def test_the_domain_classifier_learns_from_training_tweets_and_reviews_alone(
    made: Experiment, reviews: FeatureTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    taught = []

    def spied(table: FeatureTable, tweets: Any, **given: Any) -> ErrorClassifier:
        taught.append((table, tweets))
        return fit_error_classifier(table, tweets, **given)

    monkeypatch.setattr(controls, "fit_error_classifier", spied)
    controls.domain_scores(made, reviews)
    [(table, tweets)] = taught
    np.testing.assert_array_equal(table.values[tweets], made.train.features.values)
    np.testing.assert_array_equal(table.values[~tweets], reviews.values)


def test_length_is_seen_where_it_is_the_cause() -> None:
    wrong = made_answers(0).tweets.argmax(1) != made_corpus().tweets.labels
    told = experiment_of(corpus_with(np.where(wrong, 20, 9)), made_answers(0), DRAWN, 0)
    assert told.area("aec", scores=controls.length_scores(told)) == 1.0
    untold = experiment_of(corpus_with(), made_answers(0), DRAWN, 0)
    assert untold.area("aec", scores=controls.length_scores(untold)) == 0.5


def test_counts_are_values_times_lengths() -> None:
    """Where all texts are as long, division changes nothing but the forest's draws."""
    made = experiment_of(corpus_with(), made_answers(0), DRAWN, 0)
    gain = made.area("aec") - made.area("aec", scores=controls.count_scores(made))
    assert abs(gain) < 0.05


def test_leads_are_differences(made: Experiment, reviews: FeatureTable) -> None:
    found = controls.control_numbers(made, reviews, ["shallow_tree"])
    for name in ("disagreement", "probabilities"):
        lead = 100 * (found["controls.aec.p50"] - found[f"controls.{name}.p50"])
        assert found[f"controls.{name}.p50_lead"] == pytest.approx(lead)
    for name in ("predicted_class", "domain", "length"):
        lead = 100 * (found["controls.aec.auc"] - found[f"controls.{name}.auc"])
        assert found[f"controls.{name}.auc_lead"] == pytest.approx(lead)
    assert {f"controls.least_confidence.p{k}" for k in TOP} <= set(found)
    assert 0.5 < found["controls.shallow_tree.auc"] < 1
    # The base errs where "no" is, whatever it predicts and however long the text.
    assert found["controls.length.auc_lead"] > 10 and found["controls.domain.auc_lead"] > 0


def test_a_stream_has_the_errors_that_the_base_makes(made: Experiment) -> None:
    found = controls.stream_numbers(made)
    assert made.stream.wrong is not None
    assert found["stream.errors"] == 100 * made.stream.wrong.mean() < 50
    lost = 100 * (found["stream.aec.p50"] - made.precision("aec")[50])
    assert found["stream.aec.margin"] == pytest.approx(lost + 2)


def test_tables_and_lines_of_a_record() -> None:
    numbers = {
        "controls.aec.auc": 0.6, "controls.disagreement.auc": 0.9, "controls.shallow_tree.auc": 0.7,
        "controls.aec.p50": 0.7, "controls.disagreement.p50": 1.0, "controls.aec.p10": 0.8,
        "controls.disagreement.p50_lead": -30, "stream.aec.p10": 0.5, "stream.aec.p50": 0.4, "stream.aec.margin": 1,
    }  # fmt: skip
    metrics = Metrics({key: {"mean": value, "values": [value, value]} for key, value in numbers.items()})
    table = controls.control_table(metrics)
    assert table.index.tolist() == ["disagreement", "shallow_tree", "aec"]
    assert table.loc["aec"].tolist() == [0.6, 0.7] and np.isnan(table.loc["shallow_tree", "first 50"])
    assert controls.stream_table(metrics).loc["aec"].tolist() == [0.5, 0.4]
    assert controls.control_lines(metrics, {"aec": "AEC"}) == {"AEC": {10.0: [0.8, 0.8], 50.0: [0.7, 0.7]}}
