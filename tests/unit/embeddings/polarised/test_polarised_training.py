"""Polarised vectors: what the field does to words, what the seed decides, and what is refused."""

import math
import sys
from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest
from refusals import assert_refused

pytest.importorskip("numba", reason="training needs the extra 'senses'")

from trustnlp.embeddings.polarised.polarised_classifier import train_supervised
from trustnlp.embeddings.polarised.polarised_corpus import encode, labels_of_words, shuffled
from trustnlp.embeddings.polarised.polarised_training import keep_chances, train_polarised
from trustnlp.embeddings.polarised.polarised_vectors import PolarisedVectors

OWNERS = "ABCD"
DOCUMENTS = [[["to", "the", "be"], ["be", "zest"]], [["the", "gust"]], [["be", "the"]]]


def planted() -> tuple[list[list[list[str]]], list[str]]:
    """Four owners, each with words of its own among words that all share alike."""
    rng = np.random.default_rng(0)
    shared, documents, labels = [f"common{i}" for i in range(30)], [], []
    for owner in OWNERS * 6:
        own = [f"own{owner}{i}" for i in range(5)]
        documents.append(
            [[str(rng.choice(own if rng.random() < 0.15 else shared)) for _ in range(12)] for _ in range(40)]
        )
        labels.append(owner)
    return documents, labels


TEXT = planted()


def cosines(vectors: PolarisedVectors, words: Sequence[str]) -> np.ndarray:
    """`(n, K)` of words with the axes of all labels."""
    found = vectors.stack(words)
    axes = np.stack([vectors.axis(label) for label in vectors.labels])
    return found @ axes.T / np.linalg.norm(found, axis=1, keepdims=True) / np.linalg.norm(axes, axis=1)


def own_and_common(vectors: PolarisedVectors) -> tuple[float, float, float]:
    """Mean cosine of an owner's words with its axis, with the nearest other axis, and of shared words with any."""
    own, other = [], []
    for at, owner in enumerate(vectors.labels):
        found = cosines(vectors, [f"own{owner}{i}" for i in range(5)])
        own.append(found[:, at].mean())
        other.append(np.delete(found, at, axis=1).max(axis=1).mean())
    common = np.abs(cosines(vectors, [f"common{i}" for i in range(30)])).mean()
    return float(np.mean(own)), float(np.mean(other)), float(common)


train = partial(train_polarised, *TEXT, epochs=5, subsample=0, ngrams=(0, 0), seed=1)


def test_the_field_draws_words_to_their_owners_axis():
    without, _, _ = own_and_common(train(field=0.0, dim=20))
    for form in ("as_written", "repaired"):
        own, other, _ = own_and_common(train(form=form, field=10.0, dim=20))
        assert own > max(without + 0.5, other + 0.3)
    own, other, _ = own_and_common(train(form="as_released"))
    assert own > other + 0.15


def test_only_the_repaired_field_leaves_shared_words_between_the_axes():
    _, _, written = own_and_common(train(field=10.0, dim=20))
    own, _, repaired = own_and_common(train(form="repaired", field=10.0, dim=20))
    assert written > 0.4
    assert repaired < 0.2 < own - 0.5


def test_without_a_field_labels_do_not_matter():
    documents, labels = TEXT
    one, two = (
        train_polarised(documents, owners, form=form, field=0.0, dim=8, epochs=1, seed=3).matrix
        for owners, form in ((labels, "as_written"), (labels[::-1], "repaired"))
    )
    np.testing.assert_array_equal(one, two)


def test_one_thread_gives_the_same_bits_and_another_seed_others():
    for form in ("as_written", "as_released", "repaired"):
        run = partial(train, form=form, epochs=1, ngrams=(3, 5), dim=None if form == "as_released" else 20)
        first, again, other = run(), run(), run(seed=2)
        np.testing.assert_array_equal(first.matrix, again.matrix)
        np.testing.assert_array_equal(first.context, again.context)
        assert not np.isclose(first.matrix, other.matrix).all(axis=1).any()


def test_threads_change_the_bits_and_not_the_finding():
    own, other, common = own_and_common(train(form="repaired", field=10.0, dim=20, threads=2))
    assert own > max(other, common) + 0.4
    spread = train_supervised(*TEXT, dim=10, threads=3, epochs=20, learning_rate=0.5, examples="line", seed=1)
    assert own_and_common(spread)[0] > 0.5


def test_the_released_form_starts_at_the_labels_of_a_word():
    """A rate next to nothing leaves the start: the word's labels over their number, n-grams at 1/d, averaged."""
    lines = [[["both", "onlya"]], [["both", "both"]]]
    rate = {"form": "as_released", "learning_rate": 1e-9}
    start = partial(train_polarised, lines, ["A", "B"], **rate, min_count=1, subsample=0, seed=0)
    vectors = start(ngrams=(0, 0))
    np.testing.assert_allclose(vectors["both"], [0.5, 0.5], atol=1e-6)
    np.testing.assert_allclose(vectors["onlya"], [1, 0], atol=1e-6)
    with_ngrams = start(ngrams=(6, 6))
    np.testing.assert_allclose(with_ngrams["onlya"], [(1 + 2 * 0.5) / 3, (0 + 2 * 0.5) / 3], atol=1e-6)


def test_supervised_words_lie_at_their_label():
    vectors = train_supervised(*TEXT, examples="line", epochs=20, learning_rate=0.5, ngrams=(0, 0), dim=10, seed=1)
    own, other, _ = own_and_common(vectors)
    assert own > 0.8 and other < 0.3
    again = train_supervised(*TEXT, examples="line", epochs=20, learning_rate=0.5, ngrams=(0, 0), dim=10, seed=1)
    np.testing.assert_array_equal(vectors.matrix, again.matrix)


def test_unseen_words_are_made_of_their_ngrams():
    vectors = train_polarised(*TEXT, dim=20, epochs=1, seed=1)
    assert "ownA1" in vectors and "ownA9" not in vectors
    near = vectors["ownA9"] @ vectors["ownA1"]
    assert near / np.linalg.norm(vectors["ownA9"]) / np.linalg.norm(vectors["ownA1"]) > 0.5
    np.testing.assert_array_equal(vectors.stack(["qqq", "ownA9", "qqq", "ownA1"])[[0, 2]], 0)
    np.testing.assert_array_equal(vectors.stack(["qqq", "ownA9", "ownA1"])[1], vectors["ownA9"])
    with pytest.raises(KeyError, match="shares no n-gram"):
        vectors["qqq"]
    none = train_polarised(*TEXT, dim=20, epochs=1, ngrams=(0, 0), seed=1)
    with pytest.raises(KeyError, match="not among the 50 words"):
        none["ownA9"]
    assert len(none.table) == len(none) == 50 and none.table.words == none.words


def test_axes():
    vectors = train(form="as_written", dim=20, epochs=1)
    np.testing.assert_array_equal(vectors.axis("B"), np.eye(20)[vectors.labels.index("B")])
    repaired = train(form="repaired", dim=20, epochs=1).axis("B")
    assert np.linalg.norm(repaired) == pytest.approx(1)
    assert (np.delete(repaired[:4], vectors.labels.index("B")) < 0).all()
    with pytest.raises(KeyError, match="'E' is not among the 4 labels"):
        vectors.axis("E")
    with pytest.raises(ValueError, match="4 labels have no axis each in 3 dimensions"):
        train(field=0.0, dim=3, epochs=1).axis("A")


def test_encoding():
    corpus = encode(DOCUMENTS, ["x", "y", "x"], min_count=2)
    assert corpus.words == ("the", "be") and corpus.counts.tolist() == [3, 3] and corpus.tokens == 9
    assert corpus.ids.tolist() == [0, 1, 1, 0, 1, 0] and corpus.line_starts.tolist() == [0, 2, 3, 4, 6]
    assert corpus.line_labels.tolist() == [0, 0, 1, 0] and corpus.labels == ("x", "y")
    starts, labels = labels_of_words(corpus)
    assert starts.tolist() == [0, 2, 3] and labels.tolist() == [0, 1, 0]


def test_shuffling_moves_whole_documents():
    corpus = encode(*TEXT, min_count=1)
    mixed = shuffled(corpus, np.random.default_rng(0))

    def texts(of) -> list[tuple[int, list[list[int]]]]:
        lines = [part.tolist() for part in np.split(of.ids, of.line_starts[1:-1])]
        places = zip(of.document_starts[:-1], of.document_starts[1:], strict=True)
        return [(int(of.line_labels[first]), lines[first:last]) for first, last in places]

    assert texts(mixed) != texts(corpus) and sorted(texts(mixed)) == sorted(texts(corpus))


def test_frequent_words_are_thinned_out_as_in_fasttext():
    corpus = encode([[["a"] * 900 + ["b"] * 100]], ["x"], min_count=1)
    expected = [math.sqrt(0.01 / f) + 0.01 / f for f in (0.9, 0.1)]
    np.testing.assert_allclose(keep_chances(corpus, 0.01) / 2**32, expected, rtol=1e-6)
    assert (keep_chances(corpus, 0) == 2**32).all() and (keep_chances(corpus, 5.0) == 2**32).all()


def test_bad_documents():
    fine = [["a", "b"]]
    for train_any in (train_polarised, train_supervised):
        rows = [
            ([], [], "there is no document"),
            ([fine], "A", TypeError, "one label per document"),
            ([fine], ["A", "B"], "got 1 documents and 2 labels"),
            ([fine, fine], ["A", None], "document 1 has no label, got None"),
            ([fine, []], ["A", "B"], r"document 1 \(B\) has no words"),
            ([fine, ["a b"]], ["A", "B"], TypeError, "document 1: a document is a list of lines"),
            ([fine, fine], ["A", "A"], "all documents have the same label"),
            ([[["a"]], [["a"]]], ["A", "B"], "1 of 1 different words occur 1 times"),
        ]
        assert_refused(partial(train_any, min_count=1, dim=4, seed=0), rows)


def test_bad_numbers():
    both = [
        ({"dim": 0}, "dim must be at least 1"),
        ({"learning_rate": 0.0}, "learning_rate must be positive"),
        ({"learning_rate": math.inf}, "learning_rate must be positive"),
        ({"ngrams": (4, 3)}, "ngrams are the shortest and the longest"),
        ({"threads": 0}, "threads"),
        ({"seed": 2**64}, "a seed lies between"),
    ]
    polarised = [
        ({"field": -0.1}, "field is the weight of the polarisation term, 0 or more and finite, got -0.1"),
        ({"field": math.inf}, "field is the weight"),
        ({"form": "as_meant"}, "form is one of as_written, as_released, repaired, got 'as_meant'"),
        ({"dim": 3}, "4 labels need an axis each, got 3 dimensions; give at least 4"),
        ({"form": "as_released", "dim": 8}, "takes the number of labels, 4; got 8"),
        *(({n: 0}, f"{n} must be at least 1") for n in ("window", "negatives", "epochs", "min_count", "buckets")),
        ({"buckets": 2**33}, "hashed to 32 bits"),
        ({"learning_rate": 1e30}, "left the finite numbers"),
        ({"subsample": -1.0}, "subsample is a frequency"),
        ({"ngrams": (0, 3)}, "ngrams are the shortest and the longest"),
        ({"min_count": 10**6}, "lower min_count"),
    ]
    supervised = [({"examples": "page"}, "examples is one of document, line, got 'page'")]
    for train_any, rows in ((train_polarised, polarised), (train_supervised, supervised)):
        assert_refused(lambda changed, run=train_any: run(*TEXT, **({"dim": 8, "seed": 0} | changed)), both + rows)


def test_a_label_that_is_also_a_word():
    """Harmless, since labels and words are asked for apart."""
    vectors = train_polarised(DOCUMENTS, ["the", "y", "the"], dim=4, min_count=1, seed=0)
    assert not np.array_equal(vectors["the"], vectors.axis("the"))


def test_one_label_will_do_without_a_field():
    for form in ("as_written", "repaired"):
        assert train_polarised([TEXT[0][0]], ["A"], form=form, field=0.0, dim=4, seed=0).matrix.any()
    with pytest.raises(ValueError, match="all documents have the same label"):
        train_polarised([TEXT[0][0]], ["A"], form="as_released", field=0.0, seed=0)


def test_without_numba_the_error_names_the_extra(monkeypatch, forget):
    monkeypatch.setitem(sys.modules, "numba", None)
    for name in ("polarised_subwords", "polarised_kernel", "polarised_classifier"):
        forget(f"trustnlp.embeddings.polarised.{name}")
        with pytest.raises(ImportError, match=r"trustnlp\[senses\]"):
            __import__(f"trustnlp.embeddings.polarised.{name}")
