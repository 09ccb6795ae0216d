"""Other uses of the labels that AEC learns from.

Misra, Liu and Mahmud (2021), §4.1, compare AEC, which has seen the labels of thousands of tweets, with uncertainty,
which has seen none. Here the labels of AEC's training set go to

- an ordinary sentiment classifier of tweets (`disagreement_scores`): words and pairs of words, and a logistic
  regression. The less it believes in what the base says, the likelier that is an error;
- the same forest on the same features, to tell tweets from film reviews (`domain_scores`): is AEC more than "this is
  unlike what the base has learned from"? It is taught by AEC's training tweets and by the base's own reviews.
"""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from trustnlp.error_analysis.error_classifiers import fit_error_classifier
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.studies.aec.data.error_corpus import Floats
from trustnlp.studies.aec.data.experiments import Experiment

_DOMAIN = 40


def disagreement_scores(experiment: Experiment) -> Floats:
    """`(n,)` of the test set: one minus the probability that a sentiment classifier gives to the base's label.

    The classifier has learned the labels of AEC's training tweets from their words and pairs of words, by tf-idf and a
    logistic regression.
    """
    tweets = experiment.corpus.tweets
    texts = np.array(tweets.texts, dtype=object)
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    model = make_pipeline(words, LogisticRegression(C=10.0, max_iter=1_000))
    model.fit(texts[experiment.train_rows], tweets.labels[experiment.train_rows])
    probabilities = model.predict_proba(texts[experiment.test_rows])
    disagreement: Floats = 1 - probabilities[np.arange(len(probabilities)), experiment.test.predicted]
    return disagreement


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
