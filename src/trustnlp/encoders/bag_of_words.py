"""Sentences as the mean of their known words' vectors, and how much of them is known.

Feyisetan and Kasiviswanathan (2021), §5.4: the bag-of-words encoder whose word vectors are replaced by private ones,
either once for a word or anew at each occurrence.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from trustnlp.embeddings.static import WordVectors

Floats32 = NDArray[np.float32]


@dataclass(frozen=True)
class Coverage:
    """How much of a text is known.

    Attributes
    ----------
    tokens, known
        All tokens, punctuation among them, and those that are known.
    """

    tokens: int
    known: int

    @property
    def share_known(self) -> float:
        """Share of the tokens that are known; 0 where there are none."""
        return self.known / self.tokens if self.tokens else 0.0


class BagOfWords:
    """Sentences as the mean over their known words, of whatever vectors the words are given.

    A word is looked up as it stands, then in lower case; unknown words are left out.

    Parameters
    ----------
    texts
        `n` sentences, tokens separated by white space.
    words
        `V` distinct words, in the order of the tables to be averaged.

    Attributes
    ----------
    rows
        `(T,)` the position in `words` of every known token, sentence after sentence.
    coverage
        What was known.

    Examples
    --------
    >>> bag = BagOfWords(["Good plot , good cast", "!"], ["good", "cast"])
    >>> bag.rows.tolist(), bag.coverage.share_known
    ([0, 0, 1], 0.5)
    >>> bag.average([[3.0], [0.0]]).tolist()
    [[2.0], [0.0]]
    """

    def __init__(self, texts: Sequence[str], words: Collection[str]) -> None:
        if isinstance(texts, str):
            raise TypeError(f"texts takes a list of sentences, got the single string {texts[:40]!r}")
        row = {word: index for index, word in enumerate(words)}
        self._table_rows = len(row)
        if len(row) < len(words):
            raise ValueError(f"{len(words)} words, but only {len(row)} distinct ones; a word has one row of a table")
        tokens = [token for text in texts for token in text.split()]
        row_of = {token: row.get(token, row.get(token.lower(), -1)) for token in set(tokens)}
        places = np.array([row_of[token] for token in tokens], dtype=np.int64)
        known = places >= 0
        sentence = np.repeat(np.arange(len(texts)), [len(text.split()) for text in texts])
        lengths = np.bincount(sentence[known], minlength=len(texts))
        self.rows: NDArray[np.int64] = places[known]
        self._ends = np.concatenate([[0], np.cumsum(lengths)])
        self.coverage = Coverage(len(tokens), int(known.sum()))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def average(self, table: ArrayLike) -> Floats32:
        """`(n, d)` from a table `(V, d)` of one vector per word: every occurrence of a word has the same vector."""
        return self._mean(self.rows, self._table_rows, table, "one row per word", 0, len(self))

    def average_draws(self, draw: Callable[[NDArray[np.int64]], ArrayLike], most_tokens: int = 50_000) -> Floats32:
        """`(n, d)` from one vector per known token, without holding a vector of every token at once.

        Parameters
        ----------
        draw
            Maps `(t,)` positions in `words`, one per token, to fresh vectors `(t, d)`. Called for one piece of the
            text after the other, so a generator it draws from gives every token its own noise; `t` is never 0.
        most_tokens
            Size of a piece, which ends where a sentence ends (a longer sentence is a piece of its own; sentences
            without a known token join a piece beside them).

        Raises
        ------
        ValueError
            If no token is known, most_tokens is below 1, or `draw` returns another shape.
        """
        if most_tokens < 1:
            raise ValueError(f"most_tokens must be at least 1, got {most_tokens}")
        if not len(self.rows):
            raise ValueError(f"none of the {self.coverage.tokens} tokens is known, so there is nothing to draw for")
        means: list[Floats32] = []
        first = 0
        while first < len(self):
            start = self._ends[first]
            next_end = self._ends[np.searchsorted(self._ends, start, side="right")]
            last = int(np.searchsorted(self._ends, max(start + most_tokens, next_end), side="right")) - 1
            piece = self.rows[start : self._ends[last]]
            columns = np.arange(len(piece))
            means.append(self._mean(columns, len(piece), draw(piece), "one row per token asked for", first, last))
            first = last
        return np.concatenate(means)

    def _mean(
        self, columns: NDArray[np.int64], width: int, vectors: ArrayLike, expected: str, first: int, last: int
    ) -> Floats32:
        """`(last - first, d)`: the mean of `vectors[columns]` over each of the sentences `first..last-1`."""
        table = np.asarray(vectors, dtype=np.float32)
        if table.ndim != 2 or len(table) != width:
            raise ValueError(f"expected {expected}, shape ({width}, d), got {table.shape}")
        ends = self._ends[first : last + 1] - self._ends[first]
        lengths = np.diff(ends)
        weights = np.repeat(1 / np.maximum(lengths, 1), lengths).astype(np.float32)
        averaging = sparse.csr_matrix((weights, columns, ends), shape=(last - first, width))
        means: Floats32 = averaging @ table
        return means


def sentence_vectors(texts: Sequence[str], vectors: WordVectors) -> tuple[Floats32, Coverage]:
    """`(n, d)` the mean of the vectors of each sentence's known words, and what was known."""
    bag = BagOfWords(texts, vectors.words)
    return bag.average(vectors.matrix), bag.coverage
