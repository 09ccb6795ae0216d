"""Vectors as word2vec, fastText and GloVe write them, and what is said of files that are none."""

import gzip
import re
from pathlib import Path

import pytest

from trustnlp.embeddings.vector_text_files import read_vector_text

TEXT = "the 1 2.5 -3e-1\n. . . 0 1 0\nGrüße 4 5 6\n"


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "vectors.txt"


@pytest.mark.parametrize("head", ["", "3 3\n", "3 3 \n", "3\t3\n", "03 3\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("tail", ["", "\n", "\n \n\r\n"])
@pytest.mark.parametrize("change", [("", ""), ("\n", "\r\n"), ("\n", " \n"), (" ", "\t"), (" ", "  ")])
def test_a_file_is_read_however_it_was_saved(head, mark, tail, change, path):
    text = "the 1 2.5 -3e-1\n... 0 1 0\nGrüße 4 5 6\n"
    path.write_bytes((mark + (head + text).replace(*change) + tail).encode())
    read = read_vector_text(path)
    assert read.words == ("the", "...", "Grüße") and read.name == "vectors.txt"
    assert read["the"].tolist() == pytest.approx([1, 2.5, -0.3])
    assert read_vector_text(path, 2).words == ("the", "...")


def test_a_compressed_file_is_read(path):
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + TEXT.encode()))
    assert read_vector_text(path).words == ("the", ". . .", "Grüße")
    path.write_bytes(gzip.compress(TEXT.encode())[:-9])
    with pytest.raises(ValueError, match="the compressed file is damaged"):
        read_vector_text(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TEXT, ("the", ". . .", "Grüße")),
        ("New York 1 2 3\nthe 4 5 6\n", ("New York", "the")),
        ("2 3\nNew York 1 2 3\nthe 4 5 6\n", ("New York", "the")),
        ("at name@domain.com 1 2\nthe 4 5\n", ("at name@domain.com", "the")),
        ("area  51 b 1 2\nthe 4 5\n", ("area  51 b", "the")),
        ("1999 1 2\nthe 4 5\n", ("1999", "the")),
        ("the 4 5\n3.14 1 2\n-1 1 2\nnan 1 2\n", ("the", "3.14", "-1", "nan")),
        ("2 1\nthe 4\nbank 5\n", ("the", "bank")),
        ("a\x85b 1 2\n\xa0 3 4\n", ("a\x85b", "\xa0")),
    ],
)
def test_words_are_read_as_they_stand(text, words, path):
    path.write_text(text, encoding="utf-8")
    assert read_vector_text(path).words == words


ROWS = "rose 0.25 0.5 0.75\ntulip 1 2 3\ndaisy 4 5 6\n"
NO_HEADER = r"line 2 has more than 1 number: line 1 has 1\..* Line 1 is no header: a header is two whole numbers"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # A first line that is almost a header.
        ("+3 3\n" + ROWS, NO_HEADER),
        ("3.0 3\n" + ROWS, NO_HEADER),
        ("\uff13 \uff13\n" + ROWS, "line 1|line 2 has more than 1"),
        ("3\xa03\n" + ROWS, "line 1 is not a word and numbers"),
        ("3 3 1\n" + ROWS, "line 2 has more than 2 numbers: line 1 has 2.*Line 1 is no header"),
        (" 3 3\n" + ROWS, "line 1 is not a word and 1 number: line 1 has 1, this line begins with a blank"),
        ("3 2 1\nrose 1 2\ntulip 3 4\ndaisy 5 6\n", "line 1 looks like a header and is none"),
        ("\ufeff\ufeff3 3\n" + ROWS, "line 1 begins with a byte-order mark"),
        ("3,3\n" + ROWS, "line 1 is not a word and numbers"),
        # A header that does not fit.
        ("1000 3\n" + ROWS, "the header promises 1,000 words, and 3 are there"),
        ("2 3\n" + ROWS, "the header promises 2 words, and line 4 is one more"),
        ("3 300\n" + ROWS, "line 2 is not a word and 300 numbers: the header promises 300, this line has 3.*above"),
        ("3 2\n" + ROWS, "line 2 has more than 2 numbers: the header promises 2"),
        ("3 0\n" + ROWS, "line 1 promises vectors of 0 numbers"),
        ("1999 5\n2000 7\n", "line 2 is not a word and 5 numbers.*write a header above"),
        # A row that does not.
        (ROWS + "wasp 1 2\n", "line 4 is not a word and 3 numbers: line 1 has 3, this line has 2"),
        (ROWS + " 1 2 3\n", "line 4 is not a word and 3 numbers: line 1 has 3, this line begins with a blank"),
        (ROWS + "wasp 1 2 3 4\n", "line 4 has more than 3 numbers: line 1 has 3"),
        (ROWS + "wasp 0,5 2 3 4\n", "line 4 has more than 3 numbers"),
        (ROWS + "windows 98 2 3 4\n", "join them, as in windows_98"),
        (ROWS + "wasp 1 x 3\n", "line 4: field 2 behind the word is no number"),
        (ROWS + "wasp 1 2_0 3\n", "line 4: a field behind the word is no number of the form"),
        (ROWS + "wasp 1 \u0662 3\n", "line 4: number 2 holds signs beyond ASCII"),
        (ROWS + "wasp 1 nan 3\n", "line 4: number 2 is NaN or infinite"),
        (ROWS + "wasp 1 1e60 3\n", "NaN or infinite"),
        (ROWS + "rose 1 2 3\n", "'rose' occur more than once"),
        (ROWS + "wasp 0 0 0\n", "the vector is zero for 'wasp'"),
        (ROWS + "\nwasp 1 2 3\n", "line 4 is blank and others follow"),
        (ROWS + "\ufeffwasp 1 2 3\n", "line 4 begins with a byte-order mark, as where two files were joined"),
        # No words, one number each, nothing.
        ("0.25 0.5 0.75\n1.5 2 3\n", "all words are numbers, so these are vectors without words"),
        ("the 1\nbank 2\n", "one number for each word.*write the header '2 1'"),
        ("", "holds no vectors; expected a word and its numbers"),
        ("2 3\n", "holds no vectors|and 0 are there"),
        ("the bank\n", "line 1 is not a word and numbers, separated by spaces"),
    ],
)  # fmt: skip
def test_what_is_no_such_file(text, message, path):
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_vector_text(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"the 1 2\nd\xe9j\xe0 3 4\n", "line 2 is not UTF-8 .*, perhaps Windows-1252 or Latin-1; save it as UTF-8"),
        ("the 1 2\n".encode("utf-16"), "not text in UTF-8 but in UTF-16; save it as UTF-8"),
        ("the 1 2\n".encode("utf-16-le"), "line 1 holds zero bytes"),
        (b"2 2\nthe \x00\x00\x80\x3f\x00\x00\x00\x40\n", "line 2.*binary vectors are converted to word2vec text first"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x93NUMPY\x01\x00", "an array in .npy format, not text; where arrays are read, its name ends in .npy"),
        (b"\x80\x04\x95", "a pickle of Python, as gensim's save"),
        (b"\xba\x16\x4f\x2f\x0c", "a binary model of fastText"),
        (b"BZh91AY&SY", "compressed with bzip2"),
        (b"\xfd7zXZ\x00", "compressed with xz"),
    ],
)
def test_what_is_not_utf_8(content, message, path):
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_vector_text(path)


def test_no_message_quotes_a_number(path):
    """Messages end in logs, and the numbers may be private."""
    for text in (ROWS + "wasp 123456789012 x 3\n", ROWS + "123456789012 123456789012\n", "123456789012\n" + ROWS,
                 ROWS + "123456789012 123456789012 1 2 3\n", "123456789012 3\nrose\n"):  # fmt: skip
        path.write_text(text)
        with pytest.raises(ValueError, match="line") as told:
            read_vector_text(path)
        assert not re.search("1234", str(told.value))


def test_the_header_is_believed_of_lines_that_are_not_read(path):
    path.write_text("3 3\n" + ROWS)
    assert len(read_vector_text(path, 2)) == 2
    path.write_text("4 3\n" + ROWS)
    assert len(read_vector_text(path, 2)) == 2
    with pytest.raises(ValueError, match="promises 4 words, and 3 are there"):
        read_vector_text(path, 4)
