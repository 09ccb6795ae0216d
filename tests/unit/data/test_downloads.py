"""Readers of full-size vectors, on small files in the same formats."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from trustnlp.data.downloads import download_keyed_vectors, read_glove_text
from trustnlp.data.registry import DataError

# As in the 840B file: a word with spaces, one with a character that splitlines() breaks at, one listed twice.
GLOVE = ", 1 2 3\n. . . 4 5 6\nfoo\x85bar 7 8 9\nrose -1 0.5 2\nRose 1 1 1\nrose 9 9 9\n"


@pytest.fixture
def glove(tmp_path: Path) -> Path:
    path = tmp_path / "glove.txt"
    path.write_text(GLOVE, encoding="utf-8", newline="\n")
    return path


def test_glove_text(glove: Path) -> None:
    vectors = read_glove_text(glove)
    assert vectors.words == (",", ". . .", "foo\x85bar", "rose", "Rose")
    assert vectors["rose"].tolist() == [-1.0, 0.5, 2.0]
    assert vectors.name == "glove"


def test_glove_zip_and_chosen_words(glove: Path, tmp_path: Path) -> None:
    archive = tmp_path / "glove.3d.zip"
    with zipfile.ZipFile(archive, "w") as target:
        target.write(glove, "glove.3d.txt")
    vectors = read_glove_text(archive, words=["rose", "Rose", "absent"])
    assert vectors.words == ("rose", "Rose")
    np.testing.assert_array_equal(vectors.matrix, read_glove_text(glove, words={"rose", "Rose"}).matrix)


def test_archives_that_cannot_be_unpacked(glove: Path, tmp_path: Path) -> None:
    archive = tmp_path / "glove.zip"
    with zipfile.ZipFile(archive, "w") as target:
        target.write(glove, "glove.txt")
    sound = archive.read_bytes()
    local, central = sound.index(b"PK\x03\x04"), sound.index(b"PK\x01\x02")

    def with_bytes(at_local: int, at_central: int, value: int) -> bytes:
        damaged = bytearray(sound)
        damaged[local + at_local] = damaged[central + at_central] = value
        return bytes(damaged)

    for content, told in [
        (with_bytes(6, 8, 1), "asks for a password"),
        (with_bytes(8, 10, 99), "cannot be unpacked here"),
        (sound.replace(b"rose -1", b"rose -2"), "damaged zip archive"),
    ]:
        archive.write_bytes(content)
        with pytest.raises(DataError, match=f"^glove.zip.*{told}"):
            read_glove_text(archive)


def test_bad_glove_files(glove: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no file .*absent.txt; download it"):
        read_glove_text(tmp_path / "absent.txt")
    with pytest.raises(DataError, match="none of the wanted words"):
        read_glove_text(glove, words=["absent"])
    glove.write_text("a 1 2 3\nb 1 x 3\n")
    with pytest.raises(DataError, match="line 2: expected a word and 3 numbers"):
        read_glove_text(glove)
    glove.write_text("a 1 2 3\nb 1 2\n")
    with pytest.raises(DataError, match="line 2: expected a word and 3 numbers"):
        read_glove_text(glove)
    glove.write_text("alone\n")
    with pytest.raises(DataError, match="line 1: expected a word and some numbers"):
        read_glove_text(glove)
    glove.write_text("")
    with pytest.raises(DataError, match="has no vectors"):
        read_glove_text(glove)
    glove.write_bytes(b"a 1 2\n\xff\xfe 1 2\n")
    with pytest.raises(DataError, match="not UTF-8"):
        read_glove_text(glove)
    with zipfile.ZipFile(tmp_path / "none.zip", "w") as target:
        target.writestr("readme.md", "nothing")
    with pytest.raises(DataError, match=r"expected one .txt file in the archive, found 0"):
        read_glove_text(tmp_path / "none.zip")


def test_gensim_downloads_only_fetch_and_parse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gensim")
    import gensim.downloader

    path = tmp_path / "vectors.txt"
    path.write_text("3 2\na 1 2\nb 3 4\nc 5 6\n")
    asked = []

    def load(name: str, return_path: bool = False) -> str:
        asked.append((name, return_path))
        return str(path)

    monkeypatch.setattr(gensim.downloader, "load", load)
    vectors = download_keyed_vectors("fasttext-wiki-news-subwords-300", limit=2)
    assert asked == [("fasttext-wiki-news-subwords-300", True)]
    assert list(vectors.index_to_key) == ["a", "b"] and vectors["b"].tolist() == [3.0, 4.0]

    def fail(name: str, return_path: bool = False) -> str:
        raise OSError("no route")

    monkeypatch.setattr(gensim.downloader, "load", fail)
    with pytest.raises(DataError, match=r"could not download word2vec-google-news-300 .*no route"):
        download_keyed_vectors("word2vec-google-news-300")


def test_unknown_names_and_a_missing_gensim(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="for GloVe 840B use read_glove_text"):
        download_keyed_vectors("glove-840b")
    monkeypatch.setitem(sys.modules, "gensim", None)
    monkeypatch.setitem(sys.modules, "gensim.downloader", None)
    with pytest.raises(DataError, match="pip install 'trustnlp\\[embeddings\\]'"):
        download_keyed_vectors("word2vec-google-news-300")


@pytest.mark.parametrize("head", ["12 20\n", "\ufeff12 20\n", "+12 20\n"])
def test_a_header_is_not_taken_for_a_vector(tmp_path: Path, head: str) -> None:
    """With a header for the first line every number but the last became a part of its word."""
    path = tmp_path / "vectors.txt"
    path.write_text(head + "rose 0.123456789012 0.5\n", "utf-8")
    with pytest.raises(DataError, match="line 1 is a header or no vector"):
        read_glove_text(path)


def test_a_number_too_many_is_not_a_part_of_the_word(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("rose 1 2\ntulip 0.123456789012 3 4\n", "utf-8")
    with pytest.raises(DataError, match=r"line 2: has more than 2 numbers") as told:
        read_glove_text(path)
    assert "0.1234" not in str(told.value)


def test_a_byte_order_mark_is_no_part_of_the_first_word(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("\ufeffrose 1 2\n", "utf-8")
    assert list(read_glove_text(path).words) == ["rose"]
