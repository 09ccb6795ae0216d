"""Static word vectors: one vector per word, whatever the sentence."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray


class WordVectors:
    """Words and their vectors, unchangeable once made.

    >>> vectors = WordVectors(["he", "she"], [[1.0, 0.0], [0.0, 1.0]], "two words")
    >>> vectors["she"].tolist(), "they" in vectors
    ([0.0, 1.0], False)

    Parameters
    ----------
    words
        `V` distinct words.
    matrix
        `(V, d)` vectors in the order of `words`, stored as float32 and not normalised (Euclidean and Manhattan
        distances depend on the length). They are copied, unless they are a float32 file that is memory-mapped for
        reading only (`numpy.load(path, mmap_mode="r")`, rows contiguous), which stays on disk.
    name
        What the vectors are, for messages and records.

    Raises
    ------
    ValueError
        If the shapes do not fit, a word occurs twice, or a vector is zero or holds NaN or infinity (its cosine with
        anything would be undefined).
    """

    def __init__(self, words: Sequence[str], matrix: ArrayLike, name: str) -> None:
        self.name = name
        self.words: tuple[str, ...] = tuple(str(word) for word in words)
        values = _unshared(matrix)
        if values.ndim != 2 or len(values) != len(self.words) or 0 in values.shape:
            raise ValueError(
                f"{name}: {len(self.words)} words need a matrix of shape ({len(self.words)}, d) with at least one word "
                f"and one dimension, got {values.shape}"
            )
        self._row = {word: row for row, word in enumerate(self.words)}
        if len(self._row) < len(self.words):
            twice = [word for row, word in enumerate(self.words) if self._row[word] != row]
            raise ValueError(f"{name}: {_some(twice)} occur more than once; keep one vector per word")
        for problem, is_good in (
            ("NaN or infinite (as float32)", lambda block: np.isfinite(block).all(axis=1)),
            ("zero", lambda block: block.any(axis=1)),
        ):
            rows = np.flatnonzero(~np.concatenate([is_good(values[block]) for block in _blocks(len(values))]))
            if len(rows):
                raise ValueError(
                    f"{name}: the vector is {problem} for {_some([self.words[row] for row in rows])}; leave these "
                    "words out"
                )
        values.setflags(write=False)
        self.matrix = values

    def __contains__(self, word: object) -> bool:
        return word in self._row

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        """The vector `(d,)` of a word. KeyError when it is unknown, naming forms of it that are known."""
        vector: NDArray[np.float32] = self.matrix[self._row_of(word)]
        return vector

    def _row_of(self, word: str) -> int:
        try:
            return self._row[word]
        except KeyError:
            forms = [form for form in (word.lower(), word.capitalize(), word.upper()) if form in self]
            hint = f"; it has {_some(forms)}" if forms else ""
            raise KeyError(f"{word!r} is not among the {len(self):,} words of {self.name}{hint}") from None

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __repr__(self) -> str:
        return f"WordVectors({self.name!r}, {len(self):,} words, {self.dim} dimensions)"

    @property
    def dim(self) -> int:
        """Number of dimensions `d`."""
        return int(self.matrix.shape[1])

    @cached_property
    def unit(self) -> NDArray[np.float32]:
        """`(V, d)` the vectors divided by their Euclidean length."""
        scaled = np.empty(self.matrix.shape, dtype=np.float32)
        for block in _blocks(len(self)):
            # Lengths in float64: a short vector's squares would underflow in float32.
            lengths = np.linalg.norm(self.matrix[block].astype(np.float64), axis=1, keepdims=True)
            scaled[block] = self.matrix[block] / lengths
        scaled.setflags(write=False)
        return scaled

    def stack(self, words: Sequence[str]) -> NDArray[np.float32]:
        """`(n, d)` the vectors of `words`, in their order. KeyError when one is unknown."""
        if isinstance(words, str):
            raise TypeError(f"stack takes a list of words, got the single string {words!r}")
        stacked: NDArray[np.float32] = self.matrix[np.array([self._row_of(word) for word in words], dtype=np.intp)]
        return stacked

    def restrict(self, words: Sequence[str]) -> WordVectors:
        """These words alone, in this order, with vectors of their own in memory. KeyError when one is unknown."""
        return WordVectors(words, self.stack(words), self.name)

    def nearest(self, query: ArrayLike, k: int, exclude: Collection[str] = ()) -> list[tuple[str, float]]:
        """The `k` words with the largest cosine to a query vector, nearest first; exact, by comparing with all.

        Parameters
        ----------
        query
            `(d,)`.
        k
            How many; fewer come back when fewer words are left.
        exclude
            Words to pass over, such as the one the query belongs to. Unknown words are ignored.

        Raises
        ------
        ValueError
            If the query is zero, not finite or of another shape, or `k` is below 1.
        """
        vector = np.asarray(query, dtype=np.float64)
        if vector.shape != (self.dim,):
            raise ValueError(f"{self.name}: a query needs shape ({self.dim},), got {vector.shape}")
        if isinstance(exclude, str):
            raise TypeError(f"exclude takes a list of words, got the single string {exclude!r}")
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        length = np.linalg.norm(vector[None], axis=1, keepdims=True)
        if not np.isfinite(vector).all() or not length.all():
            raise ValueError("a query is zero or not finite: its cosine is undefined")
        cosines = ((vector / length).astype(np.float32) @ self.unit.T)[0]
        skipped = [self._row[word] for word in set(exclude) if word in self._row]
        cosines[skipped] = -np.inf
        return [(self.words[row], float(cosines[row])) for row in _largest(cosines, min(k, len(self) - len(skipped)))]

    def join(self, other: WordVectors) -> WordVectors:
        """These words, and those of `other` that are not among them. A word that both know keeps the vector of self.

        Raises
        ------
        ValueError
            If the dimensions differ.
        """
        if other.dim != self.dim:
            raise ValueError(f"cannot join {self.name} ({self.dim} dimensions) with {other.name} ({other.dim})")
        new = [word for word in other.words if word not in self]
        return WordVectors(
            self.words + tuple(new), np.concatenate([self.matrix, other.stack(new)]), f"{self.name} + {other.name}"
        )


def _blocks(count: int, size: int = 2**14) -> Iterator[slice]:
    """Row numbers below `count`, some at a time: a mapped matrix is gone through without a copy of the whole."""
    return (slice(start, start + size) for start in range(0, count, size))


def _unshared(matrix: ArrayLike) -> NDArray[np.float32]:
    """The matrix as float32 that nobody else can write to: a copy, or the file that it is mapped from read-only."""
    if (
        isinstance(matrix, np.memmap)
        and matrix.mode == "r"
        and matrix.dtype == np.float32
        and matrix.flags.c_contiguous
    ):
        return matrix.view(np.ndarray)
    return np.array(matrix, dtype=np.float32, order="C")


def _largest(values: NDArray[np.float32], k: int) -> NDArray[np.intp]:
    """Where the `k` largest values are, largest first; equal values in their order, on every machine."""
    if k == 0:
        return np.empty(0, dtype=np.intp)
    candidates = np.flatnonzero(values >= np.partition(values, -k)[-k])
    best: NDArray[np.intp] = candidates[np.argsort(-values[candidates], kind="stable")[:k]]
    return best


def _some(words: Sequence[str]) -> str:
    """Up to five words, quoted, and how many more there are."""
    shown = ", ".join(repr(word) for word in words[:5])
    return shown if len(words) <= 5 else f"{shown} and {len(words) - 5} more"
