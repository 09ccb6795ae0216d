"""Word vectors from a text file, as word2vec and GloVe write them: a word and its numbers on each line."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from trustnlp.embeddings.static import WordVectors


def read_vector_text(path: Path, most: int | None = None) -> WordVectors:
    """The vectors of a file in UTF-8, with or without word2vec's first line (number of words and of dimensions).

    Parameters
    ----------
    path
        Not compressed. A word may hold spaces, as a few of GloVe 840B do: the last `d` fields of a line are its vector.
    most
        Read the first so many words only; these files usually begin with the frequent ones. None for all.

    Raises
    ------
    ValueError
        Not such a file: with the first line that does not fit. Also a word that is there twice, or a vector of zeros.
    OSError
        It cannot be read.
    """
    words: list[str] = []
    rows: list[np.ndarray] = []
    try:
        with path.open(encoding="utf-8", newline="\n") as stream:
            for number, line in enumerate(stream, start=1):
                fields = line.rstrip().split(" ")
                if number == 1 and len(fields) == 2 and all(field.isdecimal() for field in fields):
                    continue
                if most is not None and len(rows) == most:
                    break
                dim = len(rows[0]) if rows else len(fields) - 1
                words.append(" ".join(fields[:-dim] if dim else fields))
                rows.append(_numbers(fields[-dim:] if dim else [], dim, words[-1], f"{path}: line {number:,}"))
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is no text in UTF-8 ({error.reason}); convert binary vectors to word2vec text"
        ) from None
    if not rows:
        raise ValueError(f"{path} holds no vectors; expected a word and its numbers on each line")
    return WordVectors(words, np.stack(rows), path.name)


def _numbers(fields: list[str], dim: int, word: str, where: str) -> np.ndarray:
    try:
        row = np.array([float(field) for field in fields], dtype=np.float32)
    except ValueError:
        row = np.empty(0, dtype=np.float32)
    if len(row) != dim or not dim or not word:
        numbers = f"{dim} number{'s' * (dim > 1)}, as on the first line" if dim else "numbers, separated by spaces"
        raise ValueError(f"{where} is not a word and {numbers}: {' '.join([word, *fields])!r:.60}")
    return row
