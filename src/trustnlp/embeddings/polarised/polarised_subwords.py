"""Character n-grams of words, hashed to rows of a table: the sub-word part of fastText.

Bojanowski, Grave, Joulin and Mikolov (2016), §3.2: a word is written between "<" and ">", and its vector is made of its
own row and the rows of its n-grams. N-grams are hashed (FNV-1a over UTF-8, bytes above 127 with their sign, as in
fastText's C++ and in gensim) to one of `buckets`; two that meet share a row.

Deviation from fastText: only buckets that a word of the vocabulary falls into get a row. fastText holds a row for every
bucket, 800 MB for two million of 100 dimensions; the others keep their random start and reach an unseen word as noise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

try:
    import numba
except ImportError as error:
    raise ImportError("training polarised vectors needs numba: pip install 'trustnlp[senses]'") from error

_compiled: Callable[..., Any] = numba.njit(nogil=True, cache=True)


class Subwords(NamedTuple):
    """Rows of the table of input vectors: one per word, then one per bucket in use.

    Attributes
    ----------
    starts
        `(V + 1,)` where the rows of each word begin in `rows`.
    rows
        Row numbers, the word's own first; an n-gram that occurs twice in a word stands twice.
    buckets
        Sorted; the bucket of row `V + i` is `buckets[i]`.
    """

    starts: NDArray[np.int64]
    rows: NDArray[np.uint32]
    buckets: NDArray[np.int64]

    @property
    def size(self) -> int:
        """Rows in all."""
        return len(self.starts) - 1 + len(self.buckets)


def subwords_of(words: Sequence[str], ngrams: tuple[int, int], buckets: int) -> Subwords:
    """The rows of each word of a vocabulary."""
    starts, hashed = ngram_buckets(words, ngrams, buckets)
    used, rows = np.unique(hashed, return_inverse=True)
    # Each word's own row goes before its n-grams.
    with_words = np.insert(rows + len(words), starts[:-1], np.arange(len(words))).astype(np.uint32)
    return Subwords(starts + np.arange(len(starts)), with_words, used)


def ngram_buckets(
    words: Sequence[str], ngrams: tuple[int, int], buckets: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The buckets of the n-grams of each word.

    Parameters
    ----------
    words
        Without their brackets; these are added.
    ngrams
        Shortest and longest n-gram in characters, brackets included; (0, 0) for none.
    buckets
        Numbers from 0 to `buckets - 1` come back.

    Returns
    -------
    `(n + 1,)` where the n-grams of each word begin, and `(m,)` the buckets.
    """
    if ngrams == (0, 0):
        return np.zeros(len(words) + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
    spelt = [f"<{word}>".encode() for word in words]
    ends = np.cumsum([0, *map(len, spelt)], dtype=np.int64)
    # No more n-grams than characters times lengths.
    hashed = np.empty(int(ends[-1]) * (ngrams[1] - ngrams[0] + 1), dtype=np.int64)
    starts = np.zeros(len(words) + 1, dtype=np.int64)
    used = _hash_ngrams(np.frombuffer(b"".join(spelt), dtype=np.uint8), ends, *ngrams, buckets, starts, hashed)
    return starts, hashed[:used].copy()


@_compiled
def _hash_ngrams(spelt, ends, shortest, longest, buckets, starts, found):  # type: ignore[no-untyped-def]
    used = 0
    for word in range(len(ends) - 1):
        first, end = ends[word], ends[word + 1]
        for start in range(first, end):
            if spelt[start] & 0xC0 == 0x80:  # inside a character
                continue
            state, at, length = np.uint32(2166136261), start, 0
            while at < end and length < longest:
                length += 1
                while True:
                    byte = np.uint32(spelt[at])
                    if byte >= 128:
                        byte = byte | np.uint32(0xFFFFFF00)
                    state = np.uint32(np.uint32(state ^ byte) * np.uint32(16777619))
                    at += 1
                    if at == end or spelt[at] & 0xC0 != 0x80:
                        break
                # A bracket alone is no n-gram.
                if length >= shortest and not (length == 1 and (start == first or at == end)):
                    found[used] = np.int64(state) % buckets
                    used += 1
        starts[word + 1] = used
    return used
