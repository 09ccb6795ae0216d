"""Stand-in sentences: the planted shares are there, the bound is the bound, and the words come from the vectors."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from trustnlp.data.texts.sentence_sets import LABEL_NAMES
from trustnlp.data.words.opinion_lexicon import OpinionLexicon
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.privemb.standins import planted_sentences

PRAISE = tuple(f"good{letter}" for letter in "abcdefgh")
BLAME = tuple(f"bad{letter}" for letter in "abcdefgh")
BOTH = "mixed"
TOPICS = ("concept", "animal", "letters", "scientist", "country", "percent")


@pytest.fixture(scope="module")
def lexicon() -> OpinionLexicon:
    return OpinionLexicon((*PRAISE, BOTH, "unknown"), (*BLAME, BOTH, "Badz"))


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    """Each group of words around a direction of its own, every topic word nearest to its anchor."""
    rng = np.random.default_rng(0)
    groups = [PRAISE, BLAME, *([topic, *(topic + letter for letter in "abcdefgh")] for topic in TOPICS)]
    neutral = [f"plain{a}{b}" for a in "abcdefghijklmnopqrst" for b in "abcdefghijklmnopqrst"]
    words = [*itertools.chain(*groups), *neutral, BOTH, "Badz", "two_words", "n0"]
    centres = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    matrix = rng.standard_normal((len(words), 40)) * 0.3
    matrix[np.arange(len(centres)), centres] += 2.0
    return WordVectors(words, matrix, "toy")


@pytest.mark.parametrize("kind", LABEL_NAMES)
def test_the_schema_is_that_of_the_real_set(kind: str, vectors: WordVectors, lexicon: OpinionLexicon) -> None:
    sentences = planted_sentences(kind, vectors, lexicon, np.random.default_rng(0))
    assert sentences.name == f"stand-in for {kind}"
    assert sentences.label_names == LABEL_NAMES[kind]
    assert list(sentences.splits) == {"sst5": ["train", "dev", "test"], "trec6": ["train", "test"]}.get(kind, ["train"])
    for split, part in sentences.splits.items():
        assert min(sentences.counts(split)) >= 3
        for text in part.texts:
            *words, stop = text.split()
            assert stop == "." and all(word in vectors and word.islower() for word in words)
            assert BOTH not in words


def test_words_agree_with_labels_as_often_as_planted(vectors: WordVectors, lexicon: OpinionLexicon) -> None:
    seen: Counter[tuple[int, str]] = Counter()
    for seed in range(10):
        part = planted_sentences("mr", vectors, lexicon, np.random.default_rng(seed)).train
        for text, label in zip(part.texts, part.labels, strict=True):
            assert len(text.split()) == 21
            for word in text.split()[:-1]:
                seen[int(label), "good" if word in PRAISE else "bad" if word in BLAME else "plain"] += 1
    # 5,000 sentences of 20 words: 50,000 words per label, 20,000 of them opinion words.
    for label, agreeing, other in ((1, "good", "bad"), (0, "bad", "good")):
        opinions = seen[label, agreeing] + seen[label, other]
        assert opinions / 50_000 == pytest.approx(0.4, abs=0.01)
        assert seen[label, agreeing] / opinions == pytest.approx(0.75, abs=0.015)


def test_same_seed_same_sentences_other_seed_others(vectors: WordVectors, lexicon: OpinionLexicon) -> None:
    for kind in ("mpqa", "trec6"):
        one, two, three = (planted_sentences(kind, vectors, lexicon, np.random.default_rng(seed)) for seed in (1, 1, 2))
        assert one.train.texts == two.train.texts != three.train.texts and one.counts() == three.counts()


def test_vectors_that_know_too_few_words_are_refused(lexicon: OpinionLexicon) -> None:
    rng = np.random.default_rng(0)
    few = WordVectors(["gooda", "plainaa"], np.eye(2), "few")
    with pytest.raises(ValueError, match=r"few knows too few words of neutral \(1\), positive \(1\), negative \(0\)"):
        planted_sentences("mr", few, lexicon, rng)
    with pytest.raises(ValueError, match=r"description \(0\)"):
        planted_sentences("trec6", few, lexicon, rng)
