"""Peers of AEC: other uses of the labels that it learns from, and a strategy of a library of active learning.

Misra, Liu and Mahmud (2021), §4.1, compare AEC, which has seen the labels of thousands of tweets, with uncertainty,
which has seen none. Here the labels of AEC's training set go to

- an ordinary sentiment classifier of tweets (`disagreement_scores`): words and pairs of words, and a logistic
  regression. The less it believes in what the base says, the likelier that is an error;
- a forest on the length of the text alone, and one on counts that are not divided by it;
- the same forest on the same features, to tell tweets from film reviews (`domain_scores`): is AEC more than "this is
  unlike what the base has learned from"? It is taught by AEC's training tweets and by the base's own reviews.

`skactiveml_badge` of scikit-activeml, an extra, is the strategy of Ash et al. (2020): texts of which the base is not
sure, and which differ from each other. None of `trustnlp.error_analysis.sampling_strategies` sees to it that what it
picks in one round is varied.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

from trustnlp.error_analysis.error_classifiers import fit_error_classifier
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.studies.aec.data.experiments import Experiment
from trustnlp.studies.aec.models.base_classifiers import Floats, Labels, untrained

PEERS = ("skactiveml_badge",)
_DOMAIN, _LENGTH, _COUNTS = range(40, 43)


def available_peers() -> tuple[str, ...]:
    """`PEERS`, or none where scikit-activeml is not installed."""
    return PEERS if find_spec("skactiveml") else ()


def peer_picks(taught: tuple[Floats, Labels], candidates: Floats, count: int, rng: np.random.Generator) -> Labels:
    """Rows `(count,)` of the candidates, in the order in which BADGE picks them.

    Parameters
    ----------
    taught
        States and labels that the base has learned from; the library trains its own copy of the base on them.
    candidates
        States of the tweets that can be labelled.
    rng
        Of the library's draws.

    Raises
    ------
    ImportError
        If scikit-activeml is not installed.
    """
    try:
        from skactiveml.classifier import SklearnClassifier
        from skactiveml.pool import Badge
    except ImportError:
        raise ImportError("BADGE needs scikit-activeml: pip install 'trustnlp[errors]'") from None
    classes = np.unique(taught[1])
    base = SklearnClassifier(untrained(), classes=classes).fit(*taught)
    strategy = Badge(random_state=int(rng.integers(2**31)))
    found = strategy.query(*taught, base, fit_clf=False, candidates=candidates, batch_size=count)
    return np.asarray(found, dtype=np.int64)


def disagreement_scores(experiment: Experiment) -> Floats:
    """`(n,)` of the test set: one minus the probability that a sentiment classifier gives to the base's label.

    The classifier has learned the labels of AEC's training tweets from their words.
    """
    corpus = experiment.corpus
    texts = np.array(corpus.tweets.texts, dtype=object)
    model = sentiment_classifier().fit(texts[experiment.train_rows], corpus.tweets.labels[experiment.train_rows])
    probabilities = model.predict_proba(texts[experiment.test_rows])
    column = {int(label): at for at, label in enumerate(model.classes_)}
    said = experiment.test.predicted
    own = [row[column[label]] if label in column else 0.0 for row, label in zip(probabilities, said, strict=True)]
    return 1 - np.array(own)


def sentiment_classifier() -> Pipeline:
    """Words and pairs of words, tf-idf, and a logistic regression: scikit-learn's defaults otherwise."""
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    return make_pipeline(words, LogisticRegression(C=10.0, max_iter=1_000))


def domain_scores(experiment: Experiment, reviews: FeatureTable) -> Floats:
    """`(n,)` of the test set: a forest's probability that a text is a tweet, and no film review.

    Parameters
    ----------
    reviews
        The features of the base's training reviews.
    """
    own = experiment.train.features
    both = FeatureTable(own.names, np.concatenate([own.values, reviews.values]), own.groups)
    tweets = np.arange(len(both.values)) < len(own.values)
    return fit_error_classifier(both, tweets, rng=experiment.rng(_DOMAIN)).probability(experiment.test.features)


def length_scores(experiment: Experiment) -> Floats:
    """`(n,)` of the test set: a forest's probability of an error by the number of tokens alone."""
    tokens = experiment.corpus.lengths[:, None].astype(np.float64)
    return _scores_by(experiment, FeatureTable(("tokens",), tokens, ("length",)), _LENGTH)


def count_scores(experiment: Experiment) -> Floats:
    """`(n,)` of the test set: AEC's forest on counts that are not divided by the text's length."""
    return _scores_by(experiment, experiment.corpus.counts, _COUNTS)


def _scores_by(experiment: Experiment, table: FeatureTable, purpose: int) -> Floats:
    """Probabilities of an error on the test set, by a forest on other features of the corpus's tweets."""
    train, test = (
        FeatureTable(table.names, table.values[rows], table.groups)
        for rows in (experiment.train_rows, experiment.test_rows)
    )
    wrong = experiment.wrong[experiment.train_rows]
    return fit_error_classifier(train, wrong, rng=experiment.rng(purpose)).probability(test)
