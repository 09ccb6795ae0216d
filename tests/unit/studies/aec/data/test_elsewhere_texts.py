"""Other texts than tweets: labels as of the tweets, even draws, made-up reviews that a base has wrong."""

from __future__ import annotations

import lzma
from pathlib import Path

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.data.texts.sentence_sets import Sentences, SentenceSet
from trustnlp.error_analysis.readable_features import FeatureTable
from trustnlp.reproduce import Record
from trustnlp.studies.aec.data import elsewhere_texts
from trustnlp.studies.aec.data.elsewhere_texts import drawn_evenly, elsewhere_for, read_imdb
from trustnlp.studies.aec.data.labelled_sets import LABEL_NAMES
from trustnlp.studies.aec.standins import NEGATIVE, POSITIVE, planted_reviews

HEADER = "split\tlabel\tid\trating\ttext\n"


def written(folder: Path, content: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "reviews.tsv.xz"
    path.write_bytes(lzma.compress(content.encode()))
    monkeypatch.setattr(elsewhere_texts, "fetch", lambda _: {"text": path})


def test_reviews_have_the_labels_of_tweets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "train\tneg\t3\t2\tA dull \u2028 film.\ntest\tpos\t4\t9\tA film\twith a tab.\n"
    written(tmp_path, HEADER + rows, monkeypatch)
    found = read_imdb()
    assert found.texts == ("A dull \u2028 film.", "A film\twith a tab.")
    assert found.labels.tolist() == [NEGATIVE, POSITIVE]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("label\ttext\n", "no columns split, label"),
        (HEADER + "train\tneg\t3\t2\tdull\ntrain\tmixed\t3\t5\tso\n", "line 3: expected a review"),
        (HEADER + "train\tneg\t3\n", "line 2: expected a review"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, message: str) -> None:
    written(tmp_path, content, monkeypatch)
    with pytest.raises(DataError, match=message):
        read_imdb()


def test_draws_are_even_and_of_distinct_texts() -> None:
    texts = Sentences(("a", "b", "a", "c", "d", "e", "b"), np.array([0, 2, 2, 0, 2, 2, 2]))
    for seed in range(10):
        drawn = drawn_evenly(texts, 4, np.random.default_rng(seed))
        # "a" counts as negative, as where it came first.
        assert drawn.texts[0] == "a" and set(drawn.texts) < set("abcde") and len(set(drawn.texts)) == 4
        assert sorted(drawn.labels.tolist()) == [0, 0, 2, 2]
        assert list(drawn.texts) == sorted(drawn.texts)
    one = Sentences(("a", "b"), np.array([0, 0]))
    rows = [
        (texts, 3, r"3 texts, half of either .* distinct texts are \{0: 2, 2: 3\}"),
        (texts, 6, "6 texts"),
        (one, 2, r"\{0: 2\}"),
    ]
    assert_refused(lambda *given: drawn_evenly(*given, np.random.default_rng(0)), rows)


class Corpus:
    """Reviews, and a table whose one feature is the length of a text."""

    def __init__(self) -> None:
        made = [planted_reviews(n, np.random.default_rng(n)) for n in (40, 60, 50)]
        self.reviews = SentenceSet("made up", LABEL_NAMES, *(Sentences(each.texts, each.labels) for each in made))

    @staticmethod
    def features_of(texts: tuple[str, ...]) -> FeatureTable:
        return FeatureTable(("length",), np.array([[float(len(text))] for text in texts]), ("own",))


def test_made_up_texts_hold_errors_and_are_the_same_in_every_run() -> None:
    record = Record("aec", "beyond", profile="smoke")
    corpus = Corpus()
    found, again = (elsewhere_for(record, corpus, 40, 30) for _ in range(2))  # type: ignore[arg-type]
    sentences, features = found.held_out
    assert sentences.texts == (*corpus.reviews.dev.texts, *corpus.reviews.test.texts)  # type: ignore[union-attr]
    named = np.array([" in " in text or " on " in text for text in sentences.texts])
    before = np.concatenate([corpus.reviews.dev.labels, corpus.reviews.test.labels])  # type: ignore[union-attr]
    assert (before[named] == POSITIVE).all() and (sentences.labels[named] == NEGATIVE).all() and named.sum() > 10
    assert (sentences.labels[~named] == before[~named]).all()
    assert features.values[:, 0].tolist() == [len(text) for text in sentences.texts]
    assert np.bincount(found.imdb[0].labels).tolist() == [20, 0, 20] and len(set(found.emoji[0])) == 30
    assert again.imdb[0].texts == found.imdb[0].texts and again.emoji[0] == found.emoji[0]
    assert not record.to_json()["data"]
