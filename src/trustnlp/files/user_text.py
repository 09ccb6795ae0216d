"""Text that a user gives: UTF-8, with or without a byte-order mark, plain or compressed with gzip.

Notepad and Excel begin a file with a byte-order mark. Read as a letter it makes the first word, key or column another
one, so every text of a user is read here. What is no UTF-8 is refused with the line and, where the bytes tell it, the
encoding or the format. No message quotes the text: it may be private, and messages end in logs.
"""

from __future__ import annotations

import codecs
import gzip
import io
import itertools
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from trustnlp.files.damage import PACKED

DEEPEST = 100
_STRING = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'')
_GZIP = b"\x1f\x8b"
_SAVE = "save it as UTF-8"
# What a file begins with, and what to do with it. UTF-32 before UTF-16, whose mark it begins with.
_FORMATS = (
    ((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE), f"not text in UTF-8 but in UTF-32; {_SAVE}"),
    ((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), f"not text in UTF-8 but in UTF-16; {_SAVE}"),
    (_GZIP, "compressed with gzip; unpack it with gunzip"),
    (b"PK\x03\x04", "a zip archive (as .npz and .xlsx are), not text; unpack it, or save what it holds as text"),
    (tuple(b"BZh%d1AY&SY" % level for level in range(1, 10)), "compressed with bzip2; unpack it with bunzip2"),
    (b"\xfd7zXZ\x00", "compressed with xz; unpack it with unxz"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd; unpack it with unzstd"),
    (b"\x93NUMPY", "an array in .npy format, not text; where arrays are read, its name ends in .npy"),
    (
        tuple(b"\x80%c" % version for version in range(2, 6)),
        "a pickle of Python, as gensim's save() writes, not text; gensim's save_word2vec_format() writes text",
    ),
    (b"\xba\x16\x4f\x2f", "a binary model of fastText, not text; the .vec file beside it is text"),
    (b"PAR1", "a Parquet file, not text; let its name end in .parquet where Parquet is read"),
)


class TextFileError(ValueError):
    """A file is no text in UTF-8, or not the text it should be: the file, the line, and what to do."""


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """A user's text as bytes: unpacked if it is compressed with gzip, and without a byte-order mark at its start.

    Raises
    ------
    TextFileError
        If the first bytes are those of another encoding or format, or the compressed file is damaged.
    OSError
        If it cannot be read.
    """
    with path.open("rb") as plain:
        packed = plain.peek(2).startswith(_GZIP)
        # GzipFile is a stream that can be read; its stub says no more than that it is a stream.
        stream = io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=plain))) if packed else plain
        try:
            head = stream.peek(16)
            if problem := format_problem(head):
                raise TextFileError(f"{path}: {problem}")
            if head.startswith(codecs.BOM_UTF8):
                stream.read(len(codecs.BOM_UTF8))
            yield stream
        except PACKED as error:
            if not packed:
                raise
            raise TextFileError(f"{path}: the compressed file is damaged ({error}); get or pack it again") from None


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """A user's text as a stream whose line ends are left as they are, as readers of CSV want it.

    Raises
    ------
    TextFileError
        If `open_bytes` would raise it; also while it is read, where a line is not UTF-8.
    OSError
        If it cannot be read.
    """
    with open_bytes(path) as stream:
        try:
            yield io.TextIOWrapper(stream, encoding="utf-8", newline="")
        except UnicodeDecodeError as error:
            raise TextFileError(_undecodable(path, error)) from None


def read_text(path: Path) -> str:
    """A user's text, each line end as one newline.

    Raises
    ------
    TextFileError
        If `open_bytes` would raise it, or a line is not UTF-8.
    OSError
        If it cannot be read.
    """
    with open_bytes(path) as stream:
        raw = stream.read()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise TextFileError(f"{path}: line {line:,} {encoding_problem(raw, error)}") from None
    return io.StringIO(text, newline=None).read()


def decoded(raw: bytes, where: str) -> str:
    """One line or word of a file; TextFileError that begins with `where` unless it is UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TextFileError(f"{where} {encoding_problem(raw, error)}") from None


def parse_json(text: str, **hooks: Any) -> Any:
    """JSON of a user: `json.loads`, which where a library has raised Python's limit would end the process.

    Raises
    ------
    ValueError
        If it is no JSON, or nested too deeply.
    """
    check_levels(text)
    return json.loads(text, **hooks)


def check_levels(text: str) -> None:
    """ValueError where the brackets of JSON or TOML are nested too deeply for a parser that calls itself."""
    if text.count("[") + text.count("{") > DEEPEST and levels(text) > DEEPEST:
        raise ValueError(f"its lists are nested too deeply, in more than {DEEPEST} levels")


def levels(text: str) -> int:
    """How deep brackets are in each other, outside of strings.

    >>> levels('a = [[1], [2]]'), levels('a = ["[[", "[["]')
    (2, 1)
    """
    signs = _STRING.sub("", text)
    return max(itertools.accumulate((sign in "[{") - (sign in "]}") for sign in signs if sign in "[]{}"), default=0)


def format_problem(head: bytes) -> str | None:
    """The encoding or format, other than plain UTF-8, of a file with these first bytes, and what to do."""
    return next((told for starts, told in _FORMATS if head.startswith(starts)), None)


def encoding_problem(raw: bytes, error: UnicodeDecodeError) -> str:
    """The likely encoding of bytes that are not UTF-8, and what to do."""
    if b"\x00" in raw:
        return f"is not UTF-8 and holds zero bytes: another encoding, or no text; {_SAVE}"
    try:
        raw.decode("cp1252")
    except UnicodeDecodeError:
        return f"is not UTF-8 ({error.reason}); {_SAVE}"
    return (
        f"is not UTF-8 ({error.reason}), perhaps Windows-1252 or Latin-1; {_SAVE}, for instance with "
        "`iconv -f WINDOWS-1252 -t UTF-8`"
    )


def _undecodable(path: Path, error: UnicodeDecodeError) -> str:
    """The problem of a file that a reader could not decode, with its line, which the reader does not know."""
    if path.is_file():  # a pipe cannot be read twice
        with open_bytes(path) as stream:
            for number, line in enumerate(stream, start=1):
                try:
                    line.decode("utf-8")
                except UnicodeDecodeError as here:
                    return f"{path}: line {number:,} {encoding_problem(line, here)}"
    return f"{path} is not UTF-8 ({error.reason}); {_SAVE}"
