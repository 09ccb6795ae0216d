"""WordVectors against plain loops, its refusals, and the readers of the real sets."""

import io
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.data.unpickle import ARRAYS, ListedUnpickler
from trustnlp.data.words import word_vectors
from trustnlp.data.words.opinion_lexicon import read_opinion_lexicon
from trustnlp.data.words.word_vectors import read_vectors
from trustnlp.embeddings.static import WordVectors


def toy(count: int = 6, dim: int = 3, seed: int = 0) -> WordVectors:
    rng = np.random.default_rng(seed)
    return WordVectors([f"w{i}" for i in range(count)], rng.standard_normal((count, dim)), "toy")


def test_looking_up():
    vectors = WordVectors(["a", "b"], [[1.0, 2.0], [3.0, 4.0]], "toy")
    assert "a" in vectors and "c" not in vectors and 3 not in vectors
    assert type(WordVectors(np.array(["a"]), [[1.0]], "toy").words[0]) is str
    assert vectors["b"].tolist() == [3.0, 4.0]
    assert vectors.stack(["b", "a", "b"]).tolist() == [[3.0, 4.0], [1.0, 2.0], [3.0, 4.0]]
    assert (len(vectors), vectors.dim, list(vectors)) == (2, 2, ["a", "b"])
    assert vectors.matrix.dtype == np.float32
    assert vectors.stack([]).shape == (0, 2)


def test_vectors_cannot_be_changed_from_outside():
    source = np.ones((1, 2), dtype=np.float32)
    vectors = WordVectors(["a"], source, "toy")
    source[:] = 7
    assert vectors["a"].tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="read-only"):
        vectors["a"][0] = 7


def test_bad_input_is_refused():
    rows = [
        (["a", "b"], [[1.0]], r"2 words need a matrix of shape \(2, d\)"),
        ([], np.empty((0, 3)), "at least one word"),
        (["a", "b", "a"], [[1.0], [2.0], [3.0]], "'a' occur more than once"),
        (["a", "b"], [[1.0], [np.nan]], "NaN or infinite .* for 'b'"),
        (["a", "b"], [[1.0], [0.0]], "zero for 'b'"),
    ]
    assert_refused(lambda words, matrix: WordVectors(words, matrix, "toy"), rows)


@given(st.integers(1, 30), st.integers(1, 8), st.integers(1, 40), st.integers(0, 2**32 - 1), st.integers(0, 5))
def test_nearest_is_what_the_loop_finds(count, dim, k, seed, left_out):
    rng = np.random.default_rng(seed)
    vectors = WordVectors([f"w{i}" for i in range(count)], rng.standard_normal((count, dim)), "toy")
    query = rng.standard_normal(dim)
    exclude = {f"w{i}" for i in rng.integers(0, count, size=left_out)} | {"unknown"}
    cosines = {
        word: float(vectors[word] @ query / (np.linalg.norm(vectors[word]) * np.linalg.norm(query)))
        for word in vectors
        if word not in exclude
    }
    found = vectors.nearest(query, k, exclude)
    assert len(found) == min(k, len(cosines))
    assert not {word for word, _ in found} & exclude
    np.testing.assert_allclose([cosine for _, cosine in found], sorted(cosines.values(), reverse=True)[:k], atol=1e-6)
    for word, cosine in found:
        assert cosine == pytest.approx(cosines[word], abs=1e-6)


def test_words_and_queries_that_fit_nothing_are_refused():
    vectors = WordVectors(["Rose", "ant"], [[1.0], [2.0]], "toy")
    unknown = [("rose", "'rose' is not among the 2 words of toy; it has 'Rose'"), ("bee", "'bee' is not among the 2")]
    assert_refused(vectors.__getitem__, unknown, error=KeyError)
    assert_refused(vectors.stack, [(["ant", "bee"], KeyError, "'bee' is not"), ("w1", TypeError, "single string 'w1'")])
    one = np.ones(3)
    rows = [
        (0 * one, 1, "zero or not finite"),
        (np.inf * one, 1, "zero or not finite"),
        ([1.0], 1, r"shape \(3,\)"),
        (np.ones((2, 3)), 1, r"shape \(3,\), got \(2, 3\)"),
        (one, 0, "k must be at least 1"),
        (one, 1, "w1", TypeError, "single string 'w1'"),
    ]
    assert_refused(toy().nearest, rows)


def test_some_of_the_words_alone():
    few = toy().restrict(["w4", "w1"])
    assert (few.words, few.name) == (("w4", "w1"), "toy")
    np.testing.assert_array_equal(few.matrix, toy().matrix[[4, 1]])
    rows = [(["w1", "w9"], KeyError, "'w9' is not among the 6 words"), (["w1", "w1"], "'w1' occur more than once")]
    assert_refused(toy().restrict, rows)


def test_equal_cosines_at_the_edge_of_k_come_in_the_order_of_the_words():
    vectors = WordVectors(["c", "x", "a", "b"], [[1.0, 0.0], [0.0, 1.0], [2.0, 0.0], [4.0, 0.0]], "toy")
    assert [word for word, _ in vectors.nearest([1.0, 0.0], 2)] == ["c", "a"]
    assert vectors.nearest([1.0, 0.0], 3, exclude=vectors.words) == []


def test_a_matrix_of_many_blocks_is_treated_as_a_whole():
    matrix = np.random.default_rng(2).standard_normal((40_000, 3)).astype(np.float32)
    words = [f"w{row}" for row in range(len(matrix))]
    lengths = np.linalg.norm(matrix.astype(np.float64), axis=1, keepdims=True)
    np.testing.assert_array_equal(WordVectors(words, matrix, "toy").unit, (matrix / lengths).astype(np.float32))
    matrix[39_999] = 0
    with pytest.raises(ValueError, match="zero for 'w39999'"):
        WordVectors(words, matrix, "toy")


def test_a_mapped_matrix_stays_in_its_file(tmp_path):
    matrix = np.random.default_rng(3).standard_normal((5, 2)).astype(np.float32)
    np.save(tmp_path / "rows.npy", matrix)
    np.save(tmp_path / "double.npy", matrix.astype(np.float64))
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    vectors = WordVectors("abcde", mapped, "toy")
    assert np.shares_memory(vectors.matrix, mapped) and not vectors.matrix.flags.writeable
    assert type(vectors["c"]) is np.ndarray
    np.testing.assert_array_equal(vectors.stack(["e", "a"]), matrix[[4, 0]])
    # What could change under the vectors, or is of another type, is copied.
    for mode, name in (("r+", "rows.npy"), ("c", "rows.npy"), ("r", "double.npy")):
        other = np.load(tmp_path / name, mmap_mode=mode)
        assert not np.shares_memory(WordVectors("abcde", other, "toy").matrix, other)


def test_unit_vectors_of_very_short_vectors():
    vectors = WordVectors(["a"], [[3e-30, 4e-30]], "toy")
    np.testing.assert_allclose(vectors.unit, [[0.6, 0.8]], rtol=1e-6)


def test_joining():
    first, second = toy(3), WordVectors(["w2", "new"], [[9.0, 9.0, 9.0], [1.0, 2.0, 3.0]], "other")
    joined = first.join(second)
    assert joined.words == ("w0", "w1", "w2", "new")
    np.testing.assert_array_equal(joined["w2"], first["w2"])
    np.testing.assert_array_equal(joined["new"], second["new"])
    assert len(first.join(first)) == 3
    with pytest.raises(ValueError, match="cannot join"):
        first.join(toy(2, 4))


# --- readers ---------------------------------------------------------------------------------------------------------


def test_googlenews_of_the_wheel(googlenews):
    assert (len(googlenews), googlenews.dim) == (13013, 300)
    king, man, woman = (googlenews.unit[googlenews.words.index(word)] for word in ("king", "man", "woman"))
    (royal, cosine), *_ = googlenews.nearest(king - man + woman, 1, exclude={"king", "man", "woman"})
    # The value that word2vec tutorials show for the full three million words.
    assert royal == "queen" and cosine == pytest.approx(0.7118, abs=5e-5)


@pytest.mark.slow
def test_the_restricted_unpickler_reads_what_gensim_reads(googlenews):
    models = pytest.importorskip("gensim.models")
    from trustnlp.data.store import fetch

    theirs = models.KeyedVectors.load(str(fetch("wefe_googlenews")["vectors"]))
    assert list(googlenews.words) == [str(word) for word in theirs.index_to_key]
    np.testing.assert_array_equal(googlenews.matrix, theirs.vectors)


def test_the_mirror_sets(mirror, googlenews):
    frequent = read_vectors("googlenews_8000")
    assert (len(frequent), frequent.dim) == (8000, 300)
    shared = [word for word in frequent if word in googlenews]
    assert len(shared) > 100
    np.testing.assert_allclose(frequent.stack(shared), googlenews.stack(shared), atol=1e-3)

    exact, quantised = read_vectors("glove_840b_weat_exact"), read_vectors("glove_840b_9910")
    assert (len(exact), exact.dim) == (182, 300)
    assert (len(quantised), quantised.dim) == (9910, 300)
    cosines = {
        word: float(exact.unit[exact.words.index(word)] @ quantised.unit[quantised.words.index(word)])
        for word in exact
        if word in quantised
    }
    # Quantising alone keeps the direction; lower-casing has replaced some vectors by another word's.
    assert np.median(list(cosines.values())) > 0.99
    assert min(cosines.values()) < 0.82


def test_only_word_vectors_are_read():
    with pytest.raises(DataError, match="'minilm' is not a set of word vectors; choose from glove_6b_50d, glove_840b"):
        read_vectors("minilm")


def test_the_opinion_lexicon():
    lexicon = read_opinion_lexicon()
    assert (len(lexicon.positive), len(lexicon.negative)) == (2006, 4783)
    assert "love" in lexicon.positive and "hatred" in lexicon.negative
    assert any("ï" in word for word in lexicon.negative)  # Latin-1 was decoded
    assert not any(word.startswith(";") for word in lexicon.positive + lexicon.negative)


# --- unpickling ------------------------------------------------------------------------------------------------------


class _Shell:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        import os

        return os.system, ("echo pwned > pwned",)


def test_a_pickle_that_asks_for_more_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    contents = [
        pickle.dumps(_Shell()),
        pickle.dumps(_Shell(), protocol=0),
        b"cbuiltins\neval\n(S'1'\ntR.",
        b"cnumpy.core.multiarray\nndarray.dump\n.",
    ]
    rows = [(content, "the pickle asks for .* was not loaded") for content in contents]
    assert_refused(lambda content: ListedUnpickler(io.BytesIO(content), ARRAYS).load(), rows, error=DataError)
    assert list(tmp_path.iterdir()) == []


def test_several_sets_are_joined_in_the_order_given(monkeypatch):
    sets = {"first": WordVectors(["a"], [[1.0]], "first"), "second": WordVectors(["a", "b"], [[2.0], [3.0]], "second")}
    monkeypatch.setattr(word_vectors, "_read", sets.__getitem__)
    assert read_vectors("first") is sets["first"]
    both = read_vectors("first", "second")
    assert (both.words, both.matrix.ravel().tolist(), both.name) == (("a", "b"), [1.0, 3.0], "first + second")
