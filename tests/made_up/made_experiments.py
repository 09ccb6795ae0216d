"""Made-up tweets whose features are known without a parser, and bases that err where one of them is."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.studies.aec.data.error_corpus import BaseAnswers, ErrorCorpus
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES
from trustnlp.studies.aec.standins import labelled_reviews, planted_tweets

COLUMNS = {"no": "conversation", "thanks": "conversation", "?": "conversation", "ORG": "entity", "TIME": "entity"}
# Tweets of each label that the corpus has enough of.
DRAWN = (180, 160, 90)


@cache
def made_corpus() -> ErrorCorpus:
    """600 tweets; "no" is where a negation is, "?" where a question is, ORG where a name is, the others are chance."""
    rng = np.random.default_rng(0)
    made = planted_tweets(600, rng)
    reviews = [labelled_reviews(n, rng) for n in (40, 10, 10)]
    parts = [Sentences(each.texts, each.labels) for each in reviews]
    tweets = Sentences(made.texts, made.labels)
    corpus = ErrorCorpus(SentenceSet("made up", LABEL_NAMES, *parts), tweets, {}, 1)
    chance = rng.random((2, 600)) < 0.3
    flags = [made.carries["negation"], chance[0], made.carries["question"], made.carries["entity"], chance[1]]
    # A cached property is computed where it is not there yet: no parser is asked.
    vars(corpus)["features"] = FeatureTable(tuple(COLUMNS), np.column_stack(flags) / 8, tuple(COLUMNS.values()))
    return corpus


def corpus_with(lengths: np.ndarray) -> ErrorCorpus:
    """A copy of the made corpus, whose lengths are known without a parser."""
    copy = replace(made_corpus())
    vars(copy).update(features=made_corpus().features, lengths=lengths)
    return copy


def plain_reviews() -> FeatureTable:
    """Features of forty reviews, which have neither a negation nor a question."""
    values = np.zeros((40, len(COLUMNS)))
    values[::2, 3] = 0.125
    return FeatureTable(tuple(COLUMNS), values, tuple(COLUMNS.values()))


@cache
def made_answers(seed: int) -> BaseAnswers:
    """A base that errs on seven tenths of the tweets with a negation, and on a fifth of the others."""
    corpus = made_corpus()
    rng = np.random.default_rng([seed, 99])
    labels = corpus.tweets.labels
    wrong = rng.random(len(labels)) < np.where(corpus.features.values[:, 0] > 0, 0.7, 0.2)
    predicted = np.where(wrong, (labels + 1) % 3, labels)
    probabilities = rng.dirichlet(np.full(3, 0.5), len(labels)) * 0.4
    probabilities[np.arange(len(labels)), predicted] += 0.6
    assert corpus.reviews.test is not None
    held_out = np.full((10, 3), 0.1) + 0.7 * np.eye(3)[corpus.reviews.test.labels]
    return BaseAnswers("cnn", seed, probabilities, held_out, held_out)
