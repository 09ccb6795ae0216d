"""Distinct tweets, features of tweets and other texts, answers that are kept; reviews and tweets elsewhere."""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from trustnlp.data.annotation.spacy_annotation import Annotation
from trustnlp.data.registry import DataError
from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet
from trustnlp.data.words.emotion_lexicon import EMOTIONS
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.reproduce import Record
from trustnlp.studies.aec.data import error_corpus
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES
from trustnlp.studies.aec.standins import NEGATIVE, POSITIVE, labelled_reviews

PARAMETERS: dict[str, Any] = {
    "profile": "paper", "device": "cpu", "vectors": ["v"], "maps": 2, "epochs": 1, "patience": 1, "encoder": "e",
    "precision": "float32", "fewest_texts": 2, "n_reviews": 60, "n_tweets": 80,
}  # fmt: skip


def split_at_blanks(texts: Sequence[str], parts: Sequence[str]) -> list[Annotation]:
    """Every word a `dep` of the first, all of tag `W`; nobody asks where a word begins."""
    rows = [tuple(text.split()) for text in texts]
    return [
        Annotation(
            row, tuple(range(len(row))), tags=("W",) * len(row), heads=(0,) * len(row), relations=("dep",) * len(row)
        )
        for row in rows
    ]


def corpus() -> error_corpus.ErrorCorpus:
    reviews = [Sentences(texts, np.arange(len(texts)) % 3) for texts in (("a", "bb", "ccc"), ("dddd",), ("ee", "f"))]
    tweets = Sentences(("no way", "thanks thanks you"), np.array([0, 2]))
    return error_corpus.ErrorCorpus(SentenceSet("r", LABEL_NAMES, *reviews), tweets, {"way": ("joy",)}, 1)


def test_the_made_up_corpus_has_distinct_tweets_and_says_what_it_read() -> None:
    record = Record("aec", "reproduction", profile="smoke")
    found = error_corpus.corpus_for(record, PARAMETERS)
    assert len(found.reviews.train) == 60 and len(set(found.tweets.texts)) == len(found.tweets) == 80
    assert set(record.to_json()["data"]) == {"en_core_web_sm"}
    assert {emotion for emotions in found.lexicon.values() for emotion in emotions} <= set(EMOTIONS)


def test_of_equal_tweets_the_first_one_counts_and_the_real_corpus_has_the_real_lexicon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repeated = Sentences(("a", "b", "a", "c"), np.array([0, 1, 2, 1]))
    monkeypatch.setattr(error_corpus, "sets_for", lambda *_: (corpus().reviews, repeated))
    monkeypatch.setattr(error_corpus, "read_emotion_lexicon", lambda: {"real": ("joy",)})
    record = Record("aec", "reproduction", profile="paper")
    found = error_corpus.corpus_for(record, PARAMETERS)
    assert found.tweets.texts == ("a", "b", "c") and found.tweets.labels.tolist() == [0, 1, 1]
    assert found.lexicon == {"real": ("joy",)}
    assert set(record.to_json()["data"]) == {"en_core_web_sm", "nrc_emotion"}


class Lengths:
    """A base that says how many letters a text has."""

    fingerprint = "lengths"

    @staticmethod
    def probabilities(texts: Sequence[str], /) -> NDArray[np.float64]:
        lengths = np.array([len(text) for text in texts], dtype=float)
        return np.column_stack([lengths, np.ones(len(texts)), np.full(len(texts), 3.0)]) / (lengths + 4)[:, None]


def test_answers_are_those_of_the_base_in_the_order_of_the_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(error_corpus, "trained_base", lambda *given, weighted: asked.append(weighted) or Lengths())
    monkeypatch.setattr(error_corpus, "results_folder", lambda _: None)
    said = error_corpus.answers_of("plain", corpus(), PARAMETERS, 3)
    assert (said.base, said.seed, asked) == ("plain", 3, [False])
    assert [len(part) for part in (said.tweets, said.dev, said.test)] == [2, 1, 2]
    np.testing.assert_allclose(said.tweets[1], np.array([17, 1, 3]) / 21, rtol=1e-6)
    np.testing.assert_allclose(said.dev, np.array([[4, 1, 3]]) / 8, rtol=1e-6)
    np.testing.assert_allclose(said.test[1], np.array([1, 1, 3]) / 5, rtol=1e-6)


def test_features_are_counts_over_length_and_the_same_columns_serve_other_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(error_corpus, "annotate", split_at_blanks)
    found = corpus()
    table = found.features
    thanks, relation, joy = (table.names.index(name) for name in ("thanks", "dep-W-W", "joy"))
    np.testing.assert_allclose(table.values[:, [thanks, relation, joy]], [[0, 1, 0.5], [2 / 3, 1, 0]])
    assert found.lengths.tolist() == [2, 3]
    other = found.features_of(["way way thanks to"])
    assert other.names == table.names
    np.testing.assert_allclose(other.values[0, [thanks, relation, joy]], [0.25, 1, 0.5])


HEADER = "split\tlabel\tid\trating\ttext\n"


def written(folder: Path, content: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "reviews.tsv.xz"
    path.write_bytes(lzma.compress(content.encode()))
    monkeypatch.setattr(error_corpus, "fetch", lambda _: {"text": path})


def test_reviews_have_the_labels_of_tweets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "train\tneg\t3\t2\tA dull \u2028 film.\ntest\tpos\t4\t9\tA film\twith a tab.\n"
    written(tmp_path, HEADER + rows, monkeypatch)
    found = error_corpus.read_imdb()
    assert found.texts == ("A dull \u2028 film.", "A film\twith a tab.")
    assert found.labels.tolist() == [NEGATIVE, POSITIVE]
    for content, message in (("label\ttext\n", "the columns split, label"), (HEADER + "train\tneg\t3\n", "IndexError")):
        written(tmp_path, content, monkeypatch)
        with pytest.raises(DataError, match=message):
            error_corpus.read_imdb()


def test_draws_are_even_and_of_distinct_texts() -> None:
    texts = Sentences(("a", "b", "a", "c", "d", "e", "b"), np.array([0, 2, 2, 0, 2, 2, 2]))
    for seed in range(10):
        drawn = error_corpus.drawn_evenly(texts, 4, np.random.default_rng(seed))
        # "a" counts as negative, as where it came first.
        assert drawn.texts[0] == "a" and set(drawn.texts) < set("abcde") and len(set(drawn.texts)) == 4
        assert sorted(drawn.labels.tolist()) == [0, 0, 2, 2]
        assert list(drawn.texts) == sorted(drawn.texts)


class Corpus:
    """Reviews, and a table whose one feature is the length of a text."""

    def __init__(self) -> None:
        made = [labelled_reviews(n, np.random.default_rng(n)) for n in (40, 60, 50)]
        self.reviews = SentenceSet("made up", LABEL_NAMES, *(Sentences(each.texts, each.labels) for each in made))

    @staticmethod
    def features_of(texts: tuple[str, ...]) -> FeatureTable:
        return FeatureTable(("length",), np.array([[float(len(text))] for text in texts]), ("own",))


def test_made_up_texts_hold_errors_and_are_the_same_in_every_run() -> None:
    record, corpus = Record("aec", "beyond", profile="smoke"), Corpus()
    found, again = (error_corpus.elsewhere_for(record, corpus, 40) for _ in range(2))  # type: ignore[arg-type]
    (sentences, features), (imdb, _) = found
    dev, test = list(corpus.reviews.splits.values())[1:]
    assert sentences.texts == (*dev.texts, *test.texts)
    named = np.array([" in " in text or " on " in text for text in sentences.texts])
    before = np.concatenate([dev.labels, test.labels])
    assert (before[named] == POSITIVE).all() and (sentences.labels[named] == NEGATIVE).all() and named.sum() > 10
    assert (sentences.labels[~named] == before[~named]).all()
    assert features.values[:, 0].tolist() == [len(text) for text in sentences.texts]
    assert np.bincount(imdb.labels).tolist() == [20, 0, 20] and again[1][0].texts == imdb.texts
    assert not record.to_json()["data"]
