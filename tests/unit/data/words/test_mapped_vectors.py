"""GloVe 6B: the copy in the cache is made once, and holds all the words."""

import hashlib
import lzma
import sys

import numpy as np
import pytest

from trustnlp.data.registry import DataError
from trustnlp.data.words import mapped_vectors
from trustnlp.data.words.mapped_vectors import read_glove_6b
from trustnlp.data.words.word_vectors import read_vectors

# Words that a reader of tables may take for missing values, and a line end that is none.
WORDS = ["the", "nan", "null", "na", "None", "", "a\x85b", "é"]
MATRIX = np.arange(1, 17, dtype=np.float32).reshape(8, 2)


def text(words: list[str]) -> bytes:
    return "".join(f"{word}\n" for word in words).encode()


@pytest.fixture
def asked(tmp_path, cache, monkeypatch) -> list[str]:
    """A small set in place of GloVe; which data sets were asked for."""
    duckdb = pytest.importorskip("duckdb", reason="Parquet needs the extra 'embeddings'")
    (cache / "glove_6b_50d").mkdir(parents=True)
    files = {"vectors": tmp_path / "emb.npy", "index": tmp_path / "index.parquet", "words": tmp_path / "words.xz"}
    np.save(files["vectors"], np.asfortranarray(MATRIX))
    files["words"].write_bytes(lzma.compress(text(WORDS)))
    with duckdb.connect() as database:
        database.execute('CREATE TABLE list ("index" VARCHAR)')
        database.executemany("INSERT INTO list VALUES (?)", [[word] for word in WORDS])
        database.execute(f"COPY list TO '{files['index']}' (FORMAT parquet)")
    names: list[str] = []
    monkeypatch.setattr(mapped_vectors, "fetch", lambda name: names.append(name) or files)
    monkeypatch.setattr(mapped_vectors, "where", lambda name: {"words": "missing"})
    monkeypatch.setattr(mapped_vectors, "WORDS_SHA256", hashlib.sha256(text(WORDS)).hexdigest())
    return names


def assert_right() -> None:
    words, matrix = read_glove_6b()
    assert words == WORDS
    assert isinstance(matrix, np.memmap) and matrix.flags.c_contiguous and not matrix.flags.writeable
    np.testing.assert_array_equal(matrix, MATRIX)


def test_the_copy_is_made_once(asked, cache):
    assert_right()
    assert_right()
    assert asked == ["glove_6b_50d"]
    assert sorted(path.name for path in (cache / "glove_6b_50d").iterdir()) == ["rows.npy", "words.txt"]


def test_a_word_list_that_is_not_the_whole_one_is_refused(asked, cache, monkeypatch):
    monkeypatch.setattr(mapped_vectors, "_from_parquet", lambda path: [*WORDS[:2], *[None] * 6])  # as fastparquet does
    with pytest.raises(DataError, match="other words were read than its list has"):
        read_glove_6b()
    assert not list((cache / "glove_6b_50d").iterdir())


def test_the_text_list_needs_no_duckdb_and_its_absence_names_the_extra(asked, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(DataError, match=r"pip install 'trustnlp\[embeddings\]'.*glove_6b_50d_words"):
        read_glove_6b()
    monkeypatch.setattr(mapped_vectors, "where", lambda name: {"words": "mirror"})
    assert_right()


@pytest.mark.slow
def test_the_whole_of_glove():
    vectors = read_vectors("glove_6b_50d")
    assert (len(vectors), vectors.dim) == (400_000, 50)
    # The first line of Stanford's glove.6B.50d.txt.
    np.testing.assert_array_equal(vectors["the"][:5], np.float32([0.418, 0.24968, -0.41242, 0.1217, 0.34527]))
    assert (vectors.words[0], vectors.words[-1]) == ("the", "sandberger")
    assert {"nan", "null", "na"} < set(vectors)
    assert not vectors.matrix.flags.owndata
    given = vectors.restrict(["king", "man", "woman"])
    king, man, woman = given.unit
    (royal, cosine), *_ = vectors.nearest(king - man + woman, 1, exclude=given.words)
    # The value that gensim gives for the 50 dimensions of glove-wiki-gigaword-50.
    assert royal == "queen" and cosine == pytest.approx(0.85236, abs=5e-6)
    with pytest.raises(ValueError, match=r"cannot join wefe_googlenews \(300 dimensions\) with glove_6b_50d \(50\)"):
        read_vectors("wefe_googlenews", "glove_6b_50d")
