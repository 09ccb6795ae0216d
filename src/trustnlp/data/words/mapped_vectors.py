"""The whole GloVe 6B, 400,000 words, mapped into memory from a copy in the cache that suits look-ups.

The wheel stores the matrix column by column, so that one word's vector lies in fifty places, and the words as Parquet.
The first reading writes both anew beside the wheel's files: the matrix row by row, the words as text.

The words come from the text list of a mirror (`glove_6b_50d_words`), else from the wheel's Parquet file with duckdb.
Whichever it was, they must hash to the same value: fastparquet, for one, silently loses three words of four.
"""

from __future__ import annotations

import hashlib
import lzma
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.registry import DataError
from trustnlp.data.store import cache_root, fetch, where, workspace

NAME = "glove_6b_50d"
TEXT_LIST = "glove_6b_50d_words"
WORDS_SHA256 = "5d5f74b8d275407caad13a125d6db79d7011cbea3ead0af458bc69841870c983"


def read_glove_6b() -> tuple[list[str], NDArray[np.float32]]:
    """Words and vectors `(400000, 50)`, these mapped from the cache and not read into memory.

    Raises
    ------
    DataError
        If the data set cannot be fetched, or its words cannot be read.
    OSError
        If the cache cannot be written to when it is read for the first time, which needs 84 MB there.
    """
    words, matrix = (cache_root() / NAME / name for name in ("words.txt", "rows.npy"))
    if not (words.exists() and matrix.exists()):
        files = fetch(NAME)
        with workspace(f"{NAME}-rows") as temporary:
            (temporary / "words").write_bytes(_word_list(files["index"]))
            np.save(temporary / "rows.npy", np.ascontiguousarray(np.load(files["vectors"], mmap_mode="r")))
            (temporary / "words").replace(words)
            (temporary / "rows.npy").replace(matrix)
    return words.read_bytes().decode("utf-8").split("\n")[:-1], np.load(matrix, mmap_mode="r")


def _word_list(parquet: Path) -> bytes:
    """One word a line; DataError unless it is the whole list in its order."""
    if where(TEXT_LIST)["words"] in {"cache", "mirror"}:
        content = lzma.decompress(fetch(TEXT_LIST)["words"].read_bytes())
    else:
        content = "".join(f"{word}\n" for word in _from_parquet(parquet)).encode("utf-8")
    if hashlib.sha256(content).hexdigest() != WORDS_SHA256:
        raise DataError(
            f"{NAME}: other words were read than its list has. The reader of the list loses or changes words; nothing "
            "was kept. Try another version of duckdb"
        )
    return content


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
