"""Kept classifiers: what they read, what weights do, that seeds decide, and that made-up causes of error are met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from refusals import assert_refused
from tiny_bert import tiny_encoder

from trustnlp.data.texts.sentence_sets import Sentences
from trustnlp.embeddings.static import WordVectors
from trustnlp.encoders.pretrained import Encoder
from trustnlp.studies.aec.standins import labelled_reviews, planted_tweets
from trustnlp.training.encoded_texts import text_states
from trustnlp.training.kept_classifiers import (
    CnnClassifier,
    CnnRecipe,
    kim_words,
    label_weights,
    probabilities_once,
    train_cnn,
    train_on_states,
)

RECIPE = CnnRecipe(maps=10, epochs=8, widths=(2, 3), batch_size=20)
REVIEWS = labelled_reviews(400, np.random.default_rng(0))
DEV = labelled_reviews(80, np.random.default_rng(1))
TRAIN_SET, DEV_SET = Sentences(REVIEWS.texts, REVIEWS.labels), Sentences(DEV.texts, DEV.labels)


def vectors() -> WordVectors:
    """Of most words of the reviews, and of one that no review has."""
    words = sorted({word for text in REVIEWS.texts for word in kim_words(text)} - {"rude", "great"})
    return WordVectors([*words, "superb"], np.random.default_rng(2).normal(0, 0.2, (len(words) + 1, 12)), "made up")


@pytest.fixture(scope="module")
def trained() -> CnnClassifier:
    return train_cnn(TRAIN_SET, DEV_SET, vectors(), RECIPE, seed=0)


def test_words_are_those_of_the_released_code() -> None:
    rows = {
        "Isn't it? (No!) You've lost 3,000": "is n't it ? ( no ! ) you 've lost 3 , 000",
        "@user #fail \N{SPARKLES}  we're": "user fail we 're",
        " \N{SPARKLES} ... ": "",
    }
    assert {text: " ".join(kim_words(text)) for text in rows} == rows


def test_weights_make_every_label_count_the_same() -> None:
    labels = np.repeat([0, 1, 2], [6, 1, 3])
    weights = label_weights(labels)
    np.testing.assert_allclose(np.bincount(labels, weights[labels]), [10 / 3] * 3)
    rows = [(np.array([0, 2]), r"\[1, 0, 1\] texts"), (np.zeros(3, dtype=np.int64), r"at least two, got \[3\]")]
    assert_refused(label_weights, rows)


def test_the_network_learns_reviews_and_meets_the_planted_causes(trained: CnnClassifier) -> None:
    dev = trained.probabilities(DEV.texts)
    assert dev.shape == (80, 3) and dev.dtype == np.float64
    np.testing.assert_allclose(dev.sum(1), 1, rtol=0, atol=1e-12)
    assert (dev.argmax(1) == DEV.labels).mean() > 0.95
    tweets = planted_tweets(600, np.random.default_rng(3))
    wrong = trained.probabilities(tweets.texts).argmax(1) != tweets.labels
    denied, polar = tweets.carries["negation"], tweets.labels != 1
    for caused in (denied & polar, tweets.carries["question"]):
        assert wrong[caused].mean() > wrong[~denied & polar].mean() + 0.3


def test_weights_raise_the_rare_label() -> None:
    rare = np.flatnonzero(REVIEWS.labels == 1)[:12]
    rows = np.sort(np.concatenate([np.flatnonzero(REVIEWS.labels != 1), rare]))
    few = Sentences(tuple(REVIEWS.texts[row] for row in rows), REVIEWS.labels[rows])

    def neutral(weighted: bool) -> float:
        recipe = replace(RECIPE, epochs=1, weighted=weighted)
        return float(train_cnn(few, DEV_SET, vectors(), recipe, seed=0).probabilities(DEV.texts)[:, 1].mean())

    # From 1/3 at the start, what is learned of the rare label is that it is rare, or nothing.
    assert neutral(True) > 0.3 and neutral(False) < 0.27


def test_seeds_decide_and_a_kept_network_is_read(
    tmp_path: Path, trained: CnnClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = replace(RECIPE, epochs=1)
    kept = train_cnn(TRAIN_SET, DEV_SET, vectors(), recipe, seed=0, folder=tmp_path)
    other = train_cnn(TRAIN_SET, DEV_SET, vectors(), recipe, seed=1, folder=tmp_path)
    assert len(list(tmp_path.glob("cnn-*.pt"))) == 2 and not list(tmp_path.glob("*.checkpoint"))
    monkeypatch.setattr("trustnlp.training.kept_classifiers.fit", None)
    again = train_cnn(TRAIN_SET, DEV_SET, vectors(), recipe, seed=0, folder=tmp_path)
    assert again.dev_losses == kept.dev_losses and again.fingerprint == kept.fingerprint != other.fingerprint
    texts = ["a great superb film", "unseen"]
    np.testing.assert_array_equal(again.probabilities(texts), kept.probabilities(texts))
    assert not np.array_equal(other.probabilities(texts), kept.probabilities(texts))


def test_words_of_the_vectors_are_read_others_left_out_and_none_is_allowed(trained: CnnClassifier) -> None:
    one, known, unknown, nothing, signs = trained.probabilities(
        ["the film", "the superb film", "the zzz film", "", "\N{SPARKLES}"]
    )
    np.testing.assert_allclose(unknown, one, rtol=1e-6)
    np.testing.assert_allclose(signs, nothing, rtol=1e-6)
    assert not np.allclose(known, one, rtol=1e-4)
    rows = [([], "no texts"), ("a film", "put it into a list")]
    assert_refused(trained.probabilities, rows)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return tiny_encoder(sorted({word for text in REVIEWS.texts for word in text.split()}))


def test_states_are_means_at_length_one_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: Encoder
) -> None:
    texts = ["the film is great", "rude", "the film is great and the plot is rude ."]
    found = text_states(encoder, texts, folder=tmp_path)
    for row, text in enumerate(texts):
        ids = torch.tensor([encoder.tokenizer(text)["input_ids"]])
        with torch.no_grad():
            mean = encoder.model(input_ids=ids).last_hidden_state[0].mean(0)
        np.testing.assert_allclose(found[row], mean / mean.norm(), rtol=1e-4, atol=1e-5)
    assert len(list(tmp_path.glob("states-*.npy"))) == 1
    monkeypatch.setattr("trustnlp.training.encoded_texts.encode", None)
    np.testing.assert_array_equal(text_states(encoder, texts, folder=tmp_path), found)


def test_a_regression_on_states_learns_and_its_draw_decides(encoder: Encoder) -> None:
    one, again, other = (
        train_on_states(encoder, TRAIN_SET, weighted=True, rng=np.random.default_rng(seed)) for seed in (0, 0, 1)
    )
    found = one.probabilities(DEV.texts)
    np.testing.assert_allclose(found.sum(1), 1, rtol=0, atol=1e-12)
    assert (found.argmax(1) == DEV.labels).mean() > 0.55
    assert one.fingerprint == again.fingerprint != other.fingerprint
    lacking = Sentences(("a", "b"), np.array([0, 2]))
    with pytest.raises(ValueError, match=r"\[1, 0, 1\] texts"):
        train_on_states(encoder, lacking, weighted=True, rng=np.random.default_rng(0))


class Counted:
    """A classifier that counts what it is asked."""

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint, self.asked = fingerprint, 0

    def probabilities(self, texts: Sequence[str], /) -> NDArray[np.float64]:
        self.asked += len(texts)
        return np.array([[1 / 3, 0.5, 1 / 6]] * len(texts))


def test_answers_are_kept_and_the_same_when_they_are_read(tmp_path: Path) -> None:
    classifier = Counted("one")
    first = probabilities_once(classifier, ["a", "b"], tmp_path)
    np.testing.assert_array_equal(probabilities_once(classifier, ["a", "b"], tmp_path), first)
    assert classifier.asked == 1 + 2 + 1  # one text each time, to see how many labels there are
    np.testing.assert_array_equal(probabilities_once(classifier, ["a", "b"]), first)
    np.testing.assert_allclose(first.sum(1), 1, rtol=0, atol=1e-15)
    np.testing.assert_allclose(first, [[1 / 3, 0.5, 1 / 6]] * 2, rtol=1e-6)
    probabilities_once(classifier, ["a", "c"], tmp_path)
    probabilities_once(Counted("other"), ["a", "b"], tmp_path)
    assert len(list(tmp_path.glob("probabilities-*.npy"))) == 3
