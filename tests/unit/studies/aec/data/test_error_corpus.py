"""What experiments are made of: distinct tweets, features of tweets and reviews, and answers that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray
from refusals import assert_refused

from trustnlp.data.annotation.spacy_annotation import Annotation
from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet
from trustnlp.data.words.emotion_lexicon import EMOTIONS
from trustnlp.reproduce import Record
from trustnlp.studies.aec.data import error_corpus
from trustnlp.studies.aec.data.error_corpus import BASES, ErrorCorpus, answers_of, base_of, corpus_for, wrong_on
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES, LabelledSets, Tweets

PARAMETERS: dict[str, Any] = {
    "profile": "paper", "device": "cpu", "vectors": ["v"], "maps": 2, "epochs": 1, "patience": 1, "encoder": "e",
    "precision": "float32", "fewest_texts": 2, "n_reviews": 60, "n_tweets": 80,
}  # fmt: skip


def split_at_blanks(texts: Sequence[str], parts: Sequence[str]) -> list[Annotation]:
    """Every word a `dep` of the first, all of tag `W`."""
    found = []
    for text in texts:
        words = tuple(text.split())
        offsets = tuple(sum(len(word) + 1 for word in words[:at]) for at in range(len(words)))
        found.append(
            Annotation(
                words, offsets, tags=("W",) * len(words), heads=(0,) * len(words), relations=("dep",) * len(words)
            )
        )
    return found


class Counting:
    """A base that says how many letters a text has, and how often it was made."""

    made: ClassVar[list[tuple[str, int, bool]]] = []
    fingerprint = "counting"

    def probabilities(self, texts: Sequence[str], /) -> NDArray[np.float64]:
        lengths = np.array([len(text) for text in texts], dtype=float)
        return np.column_stack([lengths, np.ones(len(texts)), np.full(len(texts), 3.0)]) / (lengths + 4)[:, None]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, int, bool]]:
    def made(kind: str, reviews: SentenceSet, parameters: Any, seed: int, *, weighted: bool) -> Counting:
        Counting.made.append((kind, seed, weighted))
        return Counting()

    Counting.made = []
    monkeypatch.setattr(error_corpus, "trained_base", made)
    monkeypatch.setattr(error_corpus, "results_folder", lambda given: tmp_path if given["profile"] == "paper" else None)
    return Counting.made


def corpus() -> ErrorCorpus:
    reviews = [Sentences(texts, np.arange(len(texts)) % 3) for texts in (("a", "bb", "ccc"), ("dddd",), ("ee", "f"))]
    tweets = Tweets(("no way", "thanks thanks you"), np.array([0, 2]), np.arange(2), np.ones(2))
    return ErrorCorpus(LabelledSets(SentenceSet("r", LABEL_NAMES, *reviews), tweets), tweets, {"way": ("joy",)}, 1)


def test_the_made_up_corpus_has_distinct_tweets_and_says_what_it_read() -> None:
    record = Record("aec", "reproduction", profile="smoke")
    found = corpus_for(record, PARAMETERS)
    assert len(found.reviews.train) == 60 and len(set(found.tweets.texts)) == len(found.tweets) == 80
    assert set(record.to_json()["data"]) == {"en_core_web_sm"}
    assert {emotion for emotions in found.lexicon.values() for emotion in emotions} <= set(EMOTIONS)


def test_the_lexicon_is_read_where_the_corpus_is_real(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = corpus().sets
    monkeypatch.setattr(error_corpus, "sets_for", lambda record, n_reviews, n_tweets: sets)
    monkeypatch.setattr(error_corpus, "read_emotion_lexicon", lambda: {"real": ("joy",)})
    record = Record("aec", "reproduction", profile="paper")
    assert corpus_for(record, PARAMETERS).lexicon == {"real": ("joy",)}
    assert set(record.to_json()["data"]) == {"en_core_web_sm", "nrc_emotion"}


def test_of_equal_tweets_the_first_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    repeated = Tweets(("a", "b", "a", "c"), np.array([0, 1, 2, 1]), np.arange(4) + 7, np.array([0.1, 0.2, 0.3, 0.4]))
    sets = LabelledSets(corpus().reviews, repeated)
    monkeypatch.setattr(error_corpus, "sets_for", lambda record, n_reviews, n_tweets: sets)
    found = corpus_for(Record("aec", "reproduction", profile="smoke"), PARAMETERS)
    assert found.tweets.texts == ("a", "b", "c") and found.tweets.labels.tolist() == [0, 1, 1]
    assert found.tweets.ids.tolist() == [7, 8, 10] and found.tweets.confidence.tolist() == [0.1, 0.2, 0.4]
    assert len(found.sets.tweets) == 4


def test_features_are_counts_over_length_and_the_same_columns_serve_other_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(error_corpus, "annotate", split_at_blanks)
    found = corpus()
    table = found.features
    thanks, relation, joy = (table.names.index(name) for name in ("thanks", "dep-W-W", "joy"))
    np.testing.assert_allclose(table.values[:, [thanks, relation, joy]], [[0, 1, 0.5], [2 / 3, 1, 0]])
    assert found.lengths.tolist() == [2, 3]
    np.testing.assert_allclose(found.counts.values[:, [thanks, relation, joy]], [[0, 2, 1], [2, 3, 0]])
    other = found.features_of(["way way thanks to"])
    assert other.names == table.names
    np.testing.assert_allclose(other.values[0, [thanks, relation, joy]], [0.25, 1, 0.5])


def test_answers_are_computed_once_for_each_seed_and_setting(counted: list[tuple[str, int, bool]]) -> None:
    first = answers_of("cnn", corpus(), PARAMETERS, 3)
    again = answers_of("cnn", corpus(), {**PARAMETERS, "seeds": [1]}, 3)
    assert counted == [("cnn", 3, True)]
    for part in ("tweets", "dev", "test"):
        np.testing.assert_array_equal(getattr(first, part), getattr(again, part))
        np.testing.assert_allclose(getattr(first, part).sum(1), 1, rtol=0, atol=1e-12)
    assert [len(first.tweets), len(first.dev), len(first.test)] == [2, 1, 2]
    np.testing.assert_allclose(first.tweets[1], np.array([17, 1, 3]) / 21, rtol=1e-6)
    np.testing.assert_allclose(first.test[1], np.array([1, 1, 3]) / 5, rtol=1e-6)
    answers_of("cnn", corpus(), PARAMETERS, 4)
    answers_of("cnn", corpus(), {**PARAMETERS, "maps": 3}, 3)
    answers_of("plain", corpus(), PARAMETERS, 3)
    answers_of("minilm", corpus(), PARAMETERS, 3)
    assert counted[1:] == [("cnn", 4, True), ("cnn", 3, True), ("cnn", 3, False), ("minilm", 3, True)]
    answers_of("minilm", corpus(), {**PARAMETERS, "maps": 3}, 3)  # not its own
    assert len(counted) == 5


def test_other_reviews_or_tweets_are_asked_anew(counted: list[tuple[str, int, bool]]) -> None:
    first = corpus()
    answers_of("cnn", first, PARAMETERS, 0)
    train = first.reviews.train
    relabelled = SentenceSet(
        "r", LABEL_NAMES, Sentences(train.texts, train.labels[::-1]), *list(first.reviews.splits.values())[1:]
    )
    answers_of("cnn", ErrorCorpus(LabelledSets(relabelled, first.tweets), first.tweets, {}, 1), PARAMETERS, 0)
    fewer = Tweets(first.tweets.texts[:1], first.tweets.labels[:1], np.arange(1), np.ones(1))
    answers_of("cnn", ErrorCorpus(first.sets, fewer, {}, 1), PARAMETERS, 0)
    assert len(counted) == 3


def test_nothing_is_kept_without_a_folder(counted: list[tuple[str, int, bool]], tmp_path: Path) -> None:
    smoke = {**PARAMETERS, "profile": "smoke"}
    found = [answers_of("cnn", corpus(), smoke, 0).tweets for _ in range(2)]
    np.testing.assert_array_equal(*found)
    assert len(counted) == 2 and not list(tmp_path.iterdir())


def test_another_base_is_refused(counted: list[tuple[str, int, bool]]) -> None:
    rows = [("bert", "no base is called 'bert'; there are cnn, plain, minilm")]
    assert_refused(lambda name: answers_of(name, corpus(), PARAMETERS, 0), rows)
    assert_refused(lambda name: base_of(name, corpus(), PARAMETERS, 0), rows)
    assert not counted and BASES["plain"] == ("cnn", False)


def test_the_likeliest_label_is_compared_with_the_true_one() -> None:
    probabilities = np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]])
    assert wrong_on(probabilities, np.array([0, 1])).tolist() == [False, True]
