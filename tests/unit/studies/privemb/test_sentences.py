"""Sentences from private words: noise drawn once names its word, fresh noise averages out."""

from __future__ import annotations

import numpy as np
import torch
from refusals import assert_refused

from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.accounting.guarantee import L2Sensitivity, Relation
from trustnlp.privacy.mechanisms.additive_noise import Mechanism, MultivariateLaplace
from trustnlp.studies.privemb.sentences import compare_sentences


def noisy(epsilon: float, source: torch.Generator) -> Mechanism:
    return MultivariateLaplace(epsilon, L2Sensitivity(1.0, Relation.METRIC))


def planted() -> tuple[SentenceSet, WordVectors]:
    """Sentences of one good or bad word among many neutral ones: separable without noise."""
    rng = np.random.default_rng(0)
    words = ["good", "bad", *(f"w{i}" for i in range(20))]
    matrix = rng.normal(0, 0.2, size=(len(words), 6))
    matrix[0, 0], matrix[1, 0] = 3.0, -3.0
    labels = np.arange(120) % 2
    texts = tuple(" ".join([["bad", "good"][label], *rng.choice(words[2:], 4)]) for label in labels)
    return SentenceSet("stand-in", ("bad", "good"), Sentences(texts, labels)), WordVectors(words, matrix, "made")


def test_fresh_noise_averages_out_and_noise_of_a_word_does_not_hide_it() -> None:
    sentences, vectors = planted()
    # Over single seeds the accuracy of one draw for a word ranges from 0.6 to 1; the mean of twelve is 0.79 ± 0.03.
    seeds = range(12)
    once = compare_sentences({"m": noisy}, sentences, vectors, epsilons=[0.5], seeds=seeds, folds=4)
    fresh = compare_sentences(
        {"m": noisy}, sentences, vectors, epsilons=[0.5, 100.0], seeds=seeds, folds=4, fresh_noise=True
    )
    assert list(once.columns) == ["epsilon", "mechanism", "seed", "train", "validation", "test"]
    test = once.groupby("epsilon").test.mean()
    assert test[np.inf] > 0.98
    # One draw for a word is a name for it: a classifier learns the noisy vector of "good" as well as the true one.
    assert test[0.5] > 0.7 > 0.65 > fresh.groupby("epsilon").test.mean()[0.5]
    assert fresh.groupby("epsilon").test.mean()[100.0] > 0.98


def test_sentences_without_a_known_word_are_refused() -> None:
    sentences, strangers = planted()[0], WordVectors(["bueno", "malo"], np.eye(2), "strangers")
    how = {"epsilons": [1.0], "seeds": [0], "folds": 4}
    assert_refused(
        lambda fresh: compare_sentences({"m": noisy}, sentences, strangers, **how, fresh_noise=fresh),
        [(fresh, "strangers knows no word of stand-in") for fresh in (False, True)],
    )
