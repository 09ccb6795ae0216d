"""Word vectors from a text file, as word2vec, fastText and GloVe write them: a word and its numbers on each line.

What is read as a word may be published (`trustnlp release` copies words as they are), so a line is never fitted to the
width by taking numbers for a part of its word: a line with more numbers than the others is refused. No message quotes a
line, whose numbers may be private.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trustnlp.embeddings.static import WordVectors
from trustnlp.files.user_text import TextFileError, decoded, open_bytes

# 18 digits: more are no count of anything. word2vec's own program may leave blanks behind the numbers.
_HEADER = re.compile(rb"([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t\r\n]*")
# float() alone would read 1_000 and nan.
_NUMBERS = re.compile(rb"[0-9eE+.\-\s]*")
_EXPONENT = re.compile(r"[eE][+-]?[0-9]+$")
_HEADER_IS = "a header is two whole numbers, how many words and how many dimensions, as in '12 20'"
_BINARY = "; binary vectors are converted to word2vec text first"


class _Shape(NamedTuple):
    """The form of the rows before they are read: how many, None without a header, of how many numbers."""

    rows: int | None
    width: int
    told_by: str


_OTHER_ENDS = re.compile(r"[\r\v\f]")


def read_vector_text(path: Path, most: int | None = None) -> WordVectors:
    """The vectors of a file in UTF-8, with or without word2vec's first line (number of words and of dimensions).

    Parameters
    ----------
    path
        Plain or compressed with gzip. A word may hold spaces, as a few of GloVe 840B do, but not end in a number that
        stands alone. Blank lines at the end are ignored.
    most
        Read the first so many words only; these files usually begin with the frequent ones. None for all, which also
        compares their number with the header's.

    Raises
    ------
    ValueError
        If not such a file: with the first line that does not fit. Also a header that promises more or fewer words than
        there are, one number for each word without a header that says so, a word that is there twice, or a vector of
        zeros.
    OSError
        If it cannot be read.
    """
    words, matrix = read_vector_rows(path, most)
    return WordVectors(words, matrix, path.name)


def read_vector_rows(path: Path, most: int | None = None) -> tuple[list[str], NDArray[np.float32]]:
    """`read_vector_text` without what `WordVectors` asks for: words `V` and vectors `(V, d)` as they stand there."""
    with open_bytes(path) as stream:
        lines = _filled_lines(stream, path)
        number, first = next(lines, (1, b""))
        shape = _shape(first, path)
        words: list[str] = []
        rows: list[NDArray[np.float32]] = []
        whole = True
        if shape.rows is None:
            _append(words, rows, first, shape, f"{path}: line {number:,}")
        for number, line in lines:
            if shape.rows == len(words):
                raise TextFileError(
                    f"{path}: the header promises {shape.rows:,} words, and line {number:,} is one more; {_HEADER_IS}"
                )
            if most is not None and len(words) >= most:
                whole = False
                break
            try:
                _append(words, rows, line, shape, f"{path}: line {number:,}")
            except TextFileError as error:
                raise TextFileError(f"{error}{_hint(first, shape, len(words))}") from None
    _check_rows(words, shape, first, path, whole)
    return words, np.stack(rows)


def _filled_lines(stream: BinaryIO, path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers, without blank ones at the end."""
    blank = 0
    for number, line in enumerate(stream, start=1):
        if not line.strip():
            blank = blank or number
        elif blank:
            raise TextFileError(f"{path}: line {blank:,} is blank and others follow; delete it")
        else:
            yield number, line


def _shape(first: bytes, path: Path) -> _Shape:
    if not first:
        raise TextFileError(f"{path} holds no vectors; expected a word and its numbers on each line")
    if header := _HEADER.fullmatch(first):
        rows, width = int(header[1]), int(header[2])
        if not width:
            raise TextFileError(f"{path}: line 1 promises vectors of 0 numbers; {_HEADER_IS}")
        return _Shape(rows, width, f"the header promises {width:,}")
    fields = first.split()
    width = 0
    # The word is a field at least, even where it is a number, such as 1999.
    while width < len(fields) - 1 and reads_as_number(fields[-width - 1].decode("utf-8", "replace")):
        width += 1
    if not width:
        _check_encoding(first, f"{path}: line 1")
        raise TextFileError(f"{path}: line 1 is not a word and numbers, separated by spaces")
    return _Shape(None, width, f"line 1 has {width:,}")


def _append(words: list[str], rows: list[NDArray[np.float32]], line: bytes, shape: _Shape, where: str) -> None:
    raw, numbers = _parted(line, shape, where)
    words.append(_word(raw, shape, where))
    fields = numbers.split()
    try:
        if not _NUMBERS.fullmatch(numbers):
            raise ValueError
        values = [float(field) for field in fields]
    except ValueError:
        _check_encoding(line, where)
        raise TextFileError(f"{where}: {_no_number(fields)}") from None
    with np.errstate(over="ignore"):  # told as infinite, by its word
        rows.append(np.array(values, dtype=np.float32))


def _parted(line: bytes, shape: _Shape, where: str) -> tuple[bytes, bytes]:
    """The word of a line and the text of its numbers: bytes, whose `split` knows the blanks of ASCII alone."""
    parts = line.rsplit(None, shape.width)
    if len(parts) <= shape.width or line[:1].isspace():
        _check_encoding(line, where)
        there = "begins with a blank, so it has no word" if line[:1].isspace() else f"has {len(parts) - 1:,}"
        raise TextFileError(f"{where} is not a word and {_numbers(shape.width)}: {shape.told_by}, this line {there}")
    return parts[0], line[len(parts[0]) :]


def _check_encoding(line: bytes, where: str) -> None:
    if b"\x00" in line:
        raise TextFileError(f"{where} holds zero bytes, so it is no text{_BINARY}")
    decoded(line, where)


def _word(raw: bytes, shape: _Shape, where: str) -> str:
    try:
        word = decoded(raw, where)
    except TextFileError as error:
        raise TextFileError(f"{error}{_BINARY if shape.rows is not None else ''}") from None
    if word.startswith("\ufeff"):
        raise TextFileError(f"{where} begins with a byte-order mark, as where two files were joined; delete the mark")
    if _OTHER_ENDS.search(word):  # those of an old Macintosh, or lost ones
        raise TextFileError(f"{where} holds another kind of line end within its word; end lines with a line feed alone")
    pieces = word.split()
    if len(pieces) > 1 and reads_as_number(pieces[-1]):
        raise TextFileError(
            f"{where} has more than {_numbers(shape.width)}: {shape.told_by}. Where the word ends in a number, join "
            "them, as in windows_98"
        )
    if sum(map(reads_as_number, pieces)) > 1:
        raise TextFileError(
            f"{where} has numbers within its word, as where a line end was lost and two lines became one; part them"
        )
    return word


def _no_number(fields: list[bytes]) -> str:
    for place, field in enumerate(fields, start=1):
        if not field.isascii():
            return f"number {place:,} holds signs beyond ASCII{_BINARY}"
        if field.lower().lstrip(b"+-") in (b"nan", b"inf", b"infinity"):
            return f"number {place:,} is NaN or infinite; leave the word out"
        try:
            float(field)
        except ValueError:
            return f"field {place:,} behind the word is no number"
    return "a field behind the word is no number of the form -1.5e-3"


def reads_as_number(field: str) -> bool:
    """Whether it may be a coordinate, in whatever way it is written: 1, -0.5e3, nan, 0,5 or (0.5)."""
    try:
        float(field)
    except ValueError:
        rest = _EXPONENT.sub("", field)
        return any(map(str.isdigit, rest)) and not any(map(str.isalpha, rest))
    return True


def _hint(first: bytes, shape: _Shape, fitting: int) -> str:
    """The likely fault of line 1, where the line below it does not fit."""
    if shape.rows is not None:
        above = "if line 1 is a word and its number, write a header above it"
        return "" if fitting else f". {_HEADER_IS.capitalize()}; {above}"
    if fitting == 1 and all(reads_as_number(field.decode("utf-8", "replace")) for field in first.split()):
        return f". Line 1 is no header: {_HEADER_IS}; mend it or delete it"
    return ""


def _check_rows(words: list[str], shape: _Shape, first: bytes, path: Path, whole: bool) -> None:
    """Refuse faults that show when the last line is read; `whole`: that of the file."""
    count = len(words)
    if not words:
        raise TextFileError(f"{path} holds no vectors; expected a word and its numbers on each line")
    if whole and shape.rows not in (None, count):
        raise TextFileError(
            f"{path}: the header promises {shape.rows:,} words, and {count:,} are there; get the whole file again, or "
            "mend the header"
        )
    if shape.rows is None and shape.width == 1:
        raise TextFileError(
            f"{path} has one number for each word, which is more often a damaged header than a vector; if it is right, "
            f"write the header '{count} 1' above the words"
        )
    if shape.rows is None and whole and _counts(first, count - 1):
        raise TextFileError(
            f"{path}: line 1 looks like a header and is none: {_HEADER_IS}; delete it, or write the header "
            f"'{count} {shape.width}' above it if it is a word and its vector"
        )
    if shape.rows is None and whole and _names_columns(first):
        raise TextFileError(f"{path}: line 1 numbers the columns and is no vector; delete it")
    if all(map(reads_as_number, words)) and any("." in word for word in words):
        raise TextFileError(f"{path}: all words are numbers, so these are vectors without words; save them as .npy")


def _counts(line: bytes, rows: int) -> bool:
    """Whether a line has whole numbers alone, the first of which is the number of rows below it."""
    try:
        numbers = [float(field) for field in line.split()]
    except ValueError:
        return False
    return rows > 0 and abs(numbers[0]) == rows and all(value.is_integer() for value in numbers)


def _names_columns(line: bytes) -> bool:
    """Whether a line has a name, and then 0, 1, 2 … or 1, 2, 3 … as a table with five or more numbered columns."""
    numbers = line.split()[1:]
    return len(numbers) > 4 and any(
        numbers == [str(start + place).encode() for place in range(len(numbers))] for start in (0, 1)
    )


def _numbers(count: int) -> str:
    return f"{count:,} number{'s' * (count != 1)}"
