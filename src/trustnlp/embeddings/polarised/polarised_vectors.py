"""Word vectors made of sub-words, with one axis for each label: what training in a field leaves behind."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from trustnlp.embeddings.polarised.polarised_subwords import Subwords, ngram_buckets
from trustnlp.embeddings.static import WordVectors


class PolarisedVectors:
    """Vectors of words, seen in training or not, and the axes of labels.

    A word's vector is the mean of its own row and those of its n-grams; an unseen word has the mean of those of its
    n-grams that some word of the training text has. The score of a word in the post is its cosine with a target, which
    is the vector of a name or the axis of a label.

    Attributes
    ----------
    words
        `V` words of the vocabulary, the most frequent first.
    matrix
        `(V, d)` their vectors, float32, not normalised.
    context
        What the training held the vectors against: the output vectors, `(V, d)` of words, or `(K, d)` of the labels of
        a classifier.
    labels
        `K` labels.
    name
        How the vectors were trained, for messages and records.
    """

    def __init__(
        self,
        words: Sequence[str],
        inputs: NDArray[np.float32],
        context: NDArray[np.float32],
        subwords: Subwords,
        labels: Sequence[str],
        axes: NDArray[np.float32] | None,
        *,
        ngrams: tuple[int, int],
        buckets: int,
        name: str,
    ) -> None:
        self.words, self.labels, self.name, self.context = tuple(words), tuple(labels), name, context
        self._row = {word: row for row, word in enumerate(self.words)}
        self._inputs, self._subwords, self._ngrams, self._buckets = inputs, subwords, ngrams, buckets
        self._axes = axes
        sizes = np.diff(subwords.starts)[:, None]
        self.matrix: NDArray[np.float32] = np.divide(_segment_sums(inputs, subwords), sizes, dtype=np.float32)
        for array in (self.matrix, self.context):
            array.setflags(write=False)

    def __repr__(self) -> str:
        return f"PolarisedVectors({self.name!r}, {len(self.words):,} words, {self.dim} dimensions)"

    @property
    def dim(self) -> int:
        """Number of dimensions `d`."""
        return int(self.matrix.shape[1])

    def __contains__(self, word: object) -> bool:
        return word in self._row

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        """The vector `(d,)` of a word. KeyError if it is unseen and shares no n-gram with the vocabulary."""
        vector: NDArray[np.float32] = self.stack([word])[0]
        if word not in self._row and not vector.any():
            raise KeyError(
                f"{word!r} is not among the {len(self):,} words of {self.name} and shares no n-gram with them"
            )
        return vector

    def stack(self, words: Sequence[str]) -> NDArray[np.float32]:
        """`(n, d)` the vectors of words in their order; zeros for one that shares no n-gram with the vocabulary."""
        if isinstance(words, str):
            raise TypeError(f"stack takes a list of words, got the single string {words!r}")
        rows = np.array([self._row.get(word, -1) for word in words], dtype=np.intp)
        stacked: NDArray[np.float32] = self.matrix[rows]
        if (rows < 0).any():
            unseen = list(dict.fromkeys(word for word in words if word not in self._row))
            place = {word: at for at, word in enumerate(unseen)}
            stacked[rows < 0] = self._from_ngrams(unseen)[[place[word] for word in words if word in place]]
        return stacked

    def axis(self, label: str) -> NDArray[np.float32]:
        """The direction `(d,)` of a label's field; for a classifier, the output vector of the label.

        Raises
        ------
        KeyError
            If given an unknown label.
        ValueError
            If trained without a field in fewer dimensions than there are labels, so that there is no axis for each.
        """
        if label not in self.labels:
            raise KeyError(f"{label!r} is not among the {len(self.labels)} labels: {', '.join(self.labels[:8])} …")
        if self._axes is None:
            raise ValueError(
                f"{self.name}: {len(self.labels)} labels have no axis each in {self.dim} dimensions; train with more"
            )
        axis: NDArray[np.float32] = self._axes[self.labels.index(label)]
        return axis

    @cached_property
    def table(self) -> WordVectors:
        """The words of the vocabulary as plain `WordVectors`, for neighbours and tests of association."""
        return WordVectors(self.words, self.matrix, self.name)

    def _from_ngrams(self, words: Sequence[str]) -> NDArray[np.float32]:
        starts, hashed = ngram_buckets(words, self._ngrams, self._buckets)
        vectors = np.zeros((len(words), self.dim), dtype=np.float32)
        used = self._subwords.buckets
        if not len(used):
            return vectors
        place = np.minimum(np.searchsorted(used, hashed), len(used) - 1)
        known = used[place] == hashed
        for at, (start, end) in enumerate(pairwise(starts)):
            rows = place[start:end][known[start:end]] + len(self.words)
            if len(rows):
                vectors[at] = self._inputs[rows].mean(axis=0, dtype=np.float64)
        return vectors


def _segment_sums(inputs: NDArray[np.float32], subwords: Subwords, each: int = 4096) -> NDArray[np.float32]:
    """Sum of the rows of each word; some words at a time, so that the rows are never all copied at once."""
    parts = []
    for first in range(0, len(subwords.starts) - 1, each):
        starts = subwords.starts[first : first + each + 1]
        rows = inputs[subwords.rows[starts[0] : starts[-1]]]
        parts.append(np.add.reduceat(rows, starts[:-1] - starts[0], axis=0))
    return np.concatenate(parts)
