"""Files that a command is given: tables with named columns, texts, and word vectors. Every mistake is one line."""

from __future__ import annotations

import csv
import errno
import io
import math
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from trustnlp.files.user_text import TextFileError, open_text, read_text
from trustnlp.reproduce.command_paths import Writes
from trustnlp.reproduce.project import UserError, nearest

_LONGEST_HEADER = 10_000  # of an array
_FORMULA = re.compile(r"[=@\t\r]|[+-](?![0-9.]+(?:[eE][+-]?[0-9]+)?$)")

if TYPE_CHECKING:
    import pandas as pd

    from trustnlp.embeddings.static import WordVectors
    from trustnlp.privacy.accounting.spent_budget import Account


def read_table(path: Path, columns: Sequence[str], holds: str) -> pd.DataFrame:
    """A CSV file as text, with at least these columns; `holds` says what its rows are.

    Fields are kept as they are written, so that 007 stays 007 and NA stays NA; an empty one is NaN.

    Raises
    ------
    UserError
        If there is no such file, not CSV in UTF-8, without rows, or without one of the columns (the nearest is
        suggested).
    """
    import pandas as pd

    text = _read_csv(path, columns, holds)
    if not isinstance(text.index, pd.RangeIndex):  # pandas takes the first fields for names of rows
        raise UserError(f"{path}: rows have more fields than the header, {len(text.columns)}; expected {holds}")
    _check_columns(path, columns, text)
    return text


def _read_csv(path: Path, columns: Sequence[str], holds: str) -> pd.DataFrame:
    import pandas as pd

    if not path.exists():
        raise UserError(f"{path}: no such file; give a CSV file with {holds}")
    try:
        with open_text(path) as stream:
            text = stream.read()
        header = next(filter(None, csv.reader(io.StringIO(text, newline=""))), [])
        if twice := [name for name in columns if header.count(name) > 1]:
            raise UserError(f"{path}: the header has two columns '{twice[0]}'; leave one out, or name them apart")
        return pd.read_csv(io.StringIO(text, newline=""), dtype=str, keep_default_na=False, na_values=[""])
    except pd.errors.EmptyDataError:
        raise UserError(f"{path}: the file is empty; expected a header and {holds}") from None
    except TextFileError as error:
        raise UserError(str(error)) from None
    except pd.errors.ParserError as error:
        raise UserError(f"{path}: not a CSV file: {' '.join(str(error).split())}") from None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from None


def _check_columns(path: Path, columns: Sequence[str], table: pd.DataFrame) -> None:
    for column in columns:
        if column not in table.columns:
            named = ", ".join(table.columns)
            raise UserError(f"{path}: no column '{column}'{nearest(column, table.columns)} (columns: {named})")


def _account_beside(given: Mapping[str, Any]) -> Path:
    from trustnlp.privacy.accounting.spent_budget import ledger_beside

    return ledger_beside(given["source"])


ACCOUNT = Writes(what="the account", unnamed=_account_beside)


def account_of(source: Path, named: Path | None) -> Account | None:
    """The account of what was spent on an input; None where nobody wants one, or a pipe has no place beside it."""
    from trustnlp.privacy.accounting.spent_budget import Account, ledger_beside

    if named is not None:
        return None if str(named) == "none" else Account(named)
    beside = ledger_beside(source)
    if source.is_file() and os.access(beside if beside.exists() else beside.parent, os.W_OK):
        return Account(beside)
    why = "nobody may write beside it" if source.is_file() else "it is no file"
    print(f"{source}: {why}, so no account is kept of what was spent; --ledger FILE keeps one", file=sys.stderr)
    return None


def charge(account: Account, rows: Iterable[bytes], **what: Any) -> str:
    """`Ledger.charge` for a command: what was spent, in words. UserError where it refuses, or cannot be kept."""
    from trustnlp.privacy.accounting.spent_budget import SpentError

    try:
        return account.charge(rows, **what)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR):
            raise
        told = f"{account.path}: {error.strerror or error}, so no account can be kept there"
        raise UserError(f"{told}; --ledger FILE keeps it elsewhere, --ledger none keeps none") from None
    except ValueError as error:
        hint = ". Without --once they are released, and it is added up" if isinstance(error, SpentError) else ""
        raise UserError(f"{error}{hint}") from None


def tell_skipped(skipped: Sequence[str], source: str | Path) -> None:
    """Say on the standard error what of a folder or a file was left out, with the reason, and how much it is."""
    for each in skipped:
        # A file's name may be no Unicode.
        print(f"Skipped {each}".encode("utf-8", "backslashreplace").decode(), file=sys.stderr)
    if skipped:
        print(f"{len(skipped):,} skipped in {source}", file=sys.stderr)


def tell_formulas(path: Path, cells: Iterable[object]) -> None:
    """Say on the standard error how many cells of a CSV file a spreadsheet would take for formulas.

    They are written as they are: a program that reads the file would take an apostrophe before them for a part of the
    text or of the id.
    """
    formulas = sum(bool(_FORMULA.match(each)) for each in cells if isinstance(each, str))
    if formulas:
        print(
            f"{path}: {formulas:,} cells begin with =, +, - or @, which a spreadsheet takes for formulas: import its "
            "columns as text",
            file=sys.stderr,
        )


def read_array(path: Path) -> Any:
    """The array of an `.npy` file. UserError where there is none, it is damaged, or it holds objects of Python."""
    from tokenize import TokenError

    import numpy as np

    try:
        with path.open("rb") as stream:
            if stream.read(6) != b"\x93NUMPY":  # numpy takes it for a pickle, and says how to load one
                raise ValueError("it does not begin as one does")
            stream.seek(0)
            _check_header(stream, path.stat().st_size)
            return np.load(stream, allow_pickle=False)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or 'not an array in .npy format'}") from None
    except (ValueError, EOFError, SyntaxError, TokenError, RecursionError, MemoryError) as error:  # read as Python
        raise UserError(f"{path}: not an array in .npy format: {' '.join(str(error).split()):.200}") from None


def _check_header(stream: IO[bytes], size: int) -> None:
    """Refuse a header longer than any, or one that promises more than the file holds: numpy would make room for it."""
    import numpy as np

    version = np.lib.format.read_magic(stream)
    length = int.from_bytes(stream.read(2 if version == (1, 0) else 4), "little")
    if length > _LONGEST_HEADER:
        raise ValueError(f"its header claims {length:,} bytes, where a description of an array takes some 100")
    stream.seek(0)
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(stream)
    if dtype.hasobject:
        raise ValueError("it holds objects of Python; save numbers alone")
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize > size - stream.tell():
        promised = " x ".join(f"{each:.3g}" if each > 10**12 else str(each) for each in shape)
        raise ValueError(f"its header promises {promised} numbers of {dtype.itemsize} bytes, more than the file holds")
    stream.seek(0)


def read_lines(path: Path) -> list[str]:
    """The lines of a text file that hold something.

    Raises
    ------
    UserError
        If there is no such file, not text in UTF-8, or nothing in it.
    """
    try:
        lines = [line.strip() for line in read_text(path).split("\n") if line.strip()]
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from None
    except TextFileError as error:
        raise UserError(str(error)) from None
    if not lines:
        raise UserError(f"{path}: the file holds no text; expected one text per line")
    return lines


def read_word_vectors(name: str, most: int | None = None) -> WordVectors:
    """The first `most` words of a set of the registry, or of a text file in word2vec's or GloVe's format.

    Raises
    ------
    UserError
        If given a file that cannot be read, or holds no vectors.
    DataError
        If given an unknown data set, or one that cannot be fetched.
    """
    from trustnlp.data.registry import dataset
    from trustnlp.data.words.word_vectors import read_vectors
    from trustnlp.embeddings.vector_text_files import read_vector_text

    path = Path(name)
    if path.is_file() or path.suffix or len(path.parts) > 1:
        try:
            return read_vector_text(path, most)
        except OSError as error:
            raise UserError(f"{path}: {error.strerror or error}") from None
        except ValueError as error:
            raise UserError(str(error)) from None
    dataset(name)  # told with the nearest name where there is none
    vectors = read_vectors(name)
    return vectors.restrict(vectors.words[:most]) if most is not None and len(vectors) > most else vectors
