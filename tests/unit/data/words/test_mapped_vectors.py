"""GloVe 6B: the copy in the cache is made once, is never used damaged, and holds all the words."""

import hashlib
import lzma
import sys
from pathlib import Path

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.data.registry import DataError
from trustnlp.data.words import mapped_vectors
from trustnlp.data.words.mapped_vectors import read_glove_6b
from trustnlp.data.words.word_vectors import read_vectors

# Words that a reader of tables may take for missing values, and a line end that is none.
WORDS = ["the", "nan", "null", "na", "None", "", "a\x85b", "é"]
MATRIX = np.arange(1, 17, dtype=np.float32).reshape(8, 2)


class Planted:
    """A small set in place of GloVe, whose files lie in a folder; counts how often they are asked for."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.asked: list[str] = []
        self.text_list = "mirror"
        self.rows, self.lines = cache / "glove_6b_50d" / "rows.npy", cache / "glove_6b_50d" / "words.txt"
        self.files = {"vectors": folder / "emb.npy", "index": folder / "index.parquet", "words": folder / "words.xz"}
        np.save(self.files["vectors"], np.asfortranarray(MATRIX))
        with lzma.open(self.files["words"], "wb") as stream:
            stream.write(text(WORDS))

    def fetch(self, name: str) -> dict[str, Path]:
        self.asked.append(name)
        self.rows.parent.mkdir(parents=True, exist_ok=True)
        return self.files

    def where(self, name: str) -> dict[str, str]:
        return {"words": self.text_list}


def text(words: list[str]) -> bytes:
    return "".join(f"{word}\n" for word in words).encode()


@pytest.fixture
def planted(tmp_path, monkeypatch) -> Planted:
    monkeypatch.setenv("TRUSTNLP_CACHE", str(tmp_path / "cache"))
    small = Planted(tmp_path, tmp_path / "cache")
    monkeypatch.setattr(mapped_vectors, "fetch", small.fetch)
    monkeypatch.setattr(mapped_vectors, "where", small.where)
    monkeypatch.setattr(mapped_vectors, "SHAPE", MATRIX.shape)
    monkeypatch.setattr(mapped_vectors, "MATRIX_SHA256", hashlib.sha256(MATRIX.tobytes()).hexdigest())
    monkeypatch.setattr(mapped_vectors, "WORDS_SHA256", hashlib.sha256(text(WORDS)).hexdigest())
    return small


def assert_right() -> None:
    words, matrix = read_glove_6b()
    assert words == WORDS
    assert isinstance(matrix, np.memmap) and matrix.flags.c_contiguous and not matrix.flags.writeable
    np.testing.assert_array_equal(matrix, MATRIX)


def test_the_copy_is_made_once(planted):
    assert_right()
    assert planted.asked == ["glove_6b_50d", "glove_6b_50d_words"]
    assert_right()
    assert len(planted.asked) == 2
    assert sorted(path.name for path in planted.rows.parent.iterdir()) == ["rows.npy", "words.txt"]


def test_a_damaged_copy_is_made_again(planted):
    assert_right()
    for path in (planted.rows, planted.lines):
        whole = path.read_bytes()
        flipped = whole[:-3] + bytes([whole[-3] ^ 1]) + whole[-2:]
        for damaged in (b"", whole[:20], whole[:-1], whole + b"x\n", flipped):
            path.unlink()  # a new file: the old one is mapped
            path.write_bytes(damaged)
            assert_right()
            assert path.read_bytes()[: len(whole)] == whole
        path.unlink()
        assert_right()
    planted.rows.unlink()
    np.save(planted.rows, np.asfortranarray(MATRIX))  # stored by column
    assert_right()


def test_a_word_list_that_is_not_the_whole_one_is_refused(planted, monkeypatch):
    planted.text_list = "missing"

    def attempt(words: list[str | None]) -> None:
        monkeypatch.setattr(mapped_vectors, "_from_parquet", lambda path: words)
        read_glove_6b()

    rows = [
        ([*WORDS[:2], *[None] * 6], "word list has 8 words, 2 were read"),  # what fastparquet gives
        ([*WORDS, "more"], "9 were read"),
        ([WORDS[1], WORDS[0], *WORDS[2:]], "8 were read, not the same or not in order"),
    ]
    assert_refused(attempt, rows, error=DataError)
    assert not planted.lines.exists() and not planted.rows.exists()


def test_the_text_list_needs_no_duckdb_and_its_absence_names_the_extra(planted, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    planted.text_list = "missing"
    with pytest.raises(DataError, match=r"pip install 'trustnlp\[embeddings\]'.*glove_6b_50d_words"):
        read_glove_6b()
    planted.text_list = "mirror"
    assert_right()


def test_parquet_is_read_by_duckdb(planted):
    duckdb = pytest.importorskip("duckdb", reason="Parquet needs the extra 'embeddings'")
    with duckdb.connect() as database:
        database.execute('CREATE TABLE list ("index" VARCHAR)')
        database.executemany("INSERT INTO list VALUES (?)", [[word] for word in WORDS])
        database.execute(f"COPY list TO '{planted.files['index']}' (FORMAT parquet)")
    planted.text_list = "missing"
    assert_right()
    assert planted.asked == ["glove_6b_50d"]


def test_a_cache_that_cannot_be_written_is_named(planted, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(DataError, match=r"cannot write .*glove_6b_50d \(No space left on device\).*TRUSTNLP_CACHE"):
        read_glove_6b()


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
