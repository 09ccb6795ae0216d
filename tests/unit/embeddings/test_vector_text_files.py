"""Vectors as word2vec and GloVe write them, and what is said of files that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustnlp.embeddings.vector_text_files import read_vector_text

TEXT = "the 1 2.5 -3e-1\n. . . 0 1 0\nGrüße 4 5 6\n"


@pytest.mark.parametrize("head", ["", "3 3\n"])
def test_with_and_without_a_first_line(head: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(head + TEXT, encoding="utf-8")
    read = read_vector_text(path)
    assert read.words == ("the", ". . .", "Grüße") and read.name == "vectors.txt"
    assert read["the"].tolist() == pytest.approx([1, 2.5, -0.3])
    assert read_vector_text(path, 2).words == ("the", ". . .")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no vectors; expected a word and its numbers"),
        (b"2 3\n", "holds no vectors"),
        (b"the bank\n", "line 1 is not a word and 1 number, as"),
        (b"the\n", "line 1 is not a word and numbers"),
        (b"the 1 2\nbank 1\n", "line 2 is not a word and 2 numbers, as on the first line: ' bank 1'"),
        (b"the 1 2\nbank 1 x\n", "line 2 is not a word and 2 numbers"),
        (b"the 1 2\n\n", "line 2 is not"),
        (b"the 1 2\nthe 3 4\n", "'the' occur more than once"),
        (b"the 0 0\n", "the vector is zero for 'the'"),
        (b"the 1 nan\n", "NaN or infinite"),
        (b"the \xff\xfe\x00\n", "is no text in UTF-8"),
    ],
)
def test_what_is_no_such_file(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_vector_text(path)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_vector_text(tmp_path / "none.txt")
