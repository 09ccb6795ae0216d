"""What a loop begins with: the base of other notebooks, tweets of a draw, and a test part that shares no text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tiny_bert import tiny_encoder

from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.studies.aec.data.error_corpus import ErrorCorpus, base_of
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES, LabelledSets, Tweets
from trustnlp.studies.aec.loop import looped_tweets
from trustnlp.studies.aec.loop.looped_tweets import LoopTexts, texts_for
from trustnlp.studies.aec.models import base_classifiers
from trustnlp.studies.aec.models.retrained_base import trained_again
from trustnlp.studies.aec.standins import planted_reviews, planted_tweets

PARAMETERS: dict[str, Any] = {
    "profile": "smoke", "device": "cpu", "encoder": "tiny", "precision": "float32", "drawn": [60, 50, 30],
}  # fmt: skip


@pytest.fixture(scope="module")
def corpus() -> ErrorCorpus:
    made, rng = planted_tweets(300, np.random.default_rng(0)), np.random.default_rng(1)
    tweets = Tweets(made.texts, made.labels, np.arange(300), np.ones(300))
    parts = [planted_reviews(n, np.random.default_rng(n)) for n in (120, 40, 40)]
    reviews = SentenceSet("made up", LABEL_NAMES, *(Sentences(each.texts, each.labels) for each in parts))
    found = ErrorCorpus(LabelledSets(reviews, tweets), tweets, {}, 1)
    found.__dict__["features"] = FeatureTable(("a", "b"), rng.random((300, 2)), ("own", "own"))
    return found


@pytest.fixture(scope="module")
def texts(corpus: ErrorCorpus) -> Iterator[dict[int, LoopTexts]]:
    words = sorted({word for text in (*corpus.tweets.texts, *corpus.reviews.train.texts) for word in text.split()})
    with pytest.MonkeyPatch.context() as patch:
        for module in (looped_tweets, base_classifiers):
            patch.setattr(module, "load_encoder", lambda name, device: tiny_encoder(words))
        yield {seed: texts_for(corpus, {**PARAMETERS, "other": 1}, seed) for seed in (0, 1)}


def test_a_seed_draws_tweets_and_holds_out_a_fifth(corpus: ErrorCorpus, texts: dict[int, LoopTexts]) -> None:
    first, other = texts[0], texts[1]
    drawn = np.concatenate([first.pool, first.test])
    assert len(set(drawn)) == 140 and len(first.test) == 28
    assert np.bincount(corpus.tweets.labels[drawn]).tolist() == PARAMETERS["drawn"]
    assert set(first.pool) != set(other.pool) and sorted(first.shuffled) == sorted(first.pool)
    assert (first.shuffled != first.pool).any()
    assert first.states.shape == (300, 16) and first.reviews[0].shape == (108, 16)
    np.testing.assert_array_equal(first.states, other.states)


def test_a_loop_begins_with_the_base_of_the_other_notebooks(
    corpus: ErrorCorpus, texts: dict[int, LoopTexts], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = sorted({word for text in (*corpus.tweets.texts, *corpus.reviews.train.texts) for word in text.split()})
    monkeypatch.setattr(base_classifiers, "load_encoder", lambda name, device: tiny_encoder(words))
    for seed, each in texts.items():
        own = trained_again(*each.reviews).predict_proba(each.states)
        there = base_of("minilm", corpus, PARAMETERS, seed).probabilities(corpus.tweets.texts)
        np.testing.assert_allclose(own, there, atol=1e-6)


def test_what_a_base_says_has_the_features_and_the_errors_of_its_tweets(texts: dict[int, LoopTexts]) -> None:
    own, rows = texts[0], texts[0].pool[:3]
    truth = own.labels[rows]
    said = own.output(rows, np.eye(3)[[truth[0], (truth[1] + 1) % 3, truth[2]]])
    assert said.wrong is not None and said.wrong.tolist() == [False, True, False]
    np.testing.assert_array_equal(said.features.values, own.features.values[rows])


def test_the_fingerprint_changes_with_all_that_a_loop_reads(texts: dict[int, LoopTexts]) -> None:
    own = texts[0]
    other = replace(own.features, values=own.features.values + 1)
    changed = [
        replace(own, features=other),
        replace(own, labels=own.labels[::-1].copy()),
        replace(own, test=own.test[1:]),
        replace(own, seed=1),
        replace(own, reviews=(own.reviews[0], own.reviews[1][::-1].copy())),
    ]
    prints = {own.fingerprint, *(each.fingerprint for each in changed)}
    assert len(prints) == 1 + len(changed) and replace(own).fingerprint == own.fingerprint
