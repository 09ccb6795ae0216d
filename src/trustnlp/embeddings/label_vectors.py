"""Word vectors that learn nothing but labels: fastText's supervised mode.

Joulin et al. (2017), "Bag of Tricks for Efficient Text Classification", Eq. 1: the mean of a line's word vectors goes
through a softmax over labels. The post on polarised vectors (2016) compares with it as "fasttext(supervised)": unlike
skip-gram it does not bind a word to its context. One line, one update; the rate of learning falls linearly to 0, as in
fastText. Words only, no n-grams, which is fastText's default for this mode. Compiled with numba (extra `senses`).

Deviation: a line is a paragraph. In the released script it is a document, of which there are too few here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


class LabelVectors:
    """Vectors of words and of labels in one space: the softmax compares the two.

    Attributes
    ----------
    words, labels
        `V` words and `K` labels.
    matrix, label_matrix
        `(V, d)` and `(K, d)`, float32.
    """

    def __init__(self, words: Sequence[str], labels: Sequence[str], matrix: Floats, label_matrix: Floats) -> None:
        self.words, self.labels, self.matrix, self.label_matrix = tuple(words), tuple(labels), matrix, label_matrix
        self._rows = {word: row for row, word in enumerate(self.words)}

    def stack(self, words: Sequence[str]) -> Floats:
        """`(n, d)` the vectors of words; zeros for one that training did not see."""
        rows = np.array([self._rows.get(word, -1) for word in words], dtype=np.int64)
        found: Floats = np.where(rows[:, None] >= 0, self.matrix[rows], np.float32(0))
        return found

    def axis(self, label: str) -> Floats:
        """`(d,)` the vector of a label. KeyError if there is no such label."""
        if label not in self.labels:
            raise KeyError(f"{label!r} is none of the {len(self.labels)} labels")
        found: Floats = self.label_matrix[self.labels.index(label)]
        return found


def train_label_vectors(
    documents: Sequence[Sequence[Sequence[str]]],
    labels: Sequence[str],
    *,
    dim: int = 100,
    epochs: int = 5,
    learning_rate: float = 0.1,
    min_count: int = 1,
    seed: int,
) -> LabelVectors:
    """Train on the lines of labelled documents.

    Parameters
    ----------
    documents
        Each a list of lines, each a list of words.
    labels
        One for each document.
    dim, epochs, learning_rate
        fastText's defaults but for the dimension, which is that of the vectors it is compared with.
    min_count
        Words seen less often get no vector.
    seed
        Of the first vectors and of the order of the lines.

    Raises
    ------
    ImportError
        numba is not installed.
    ValueError
        Not one label for each document, fewer than two labels, no word left, or a number below 1.
    """
    if len(documents) != len(labels):
        raise ValueError(f"{len(documents)} documents need as many labels, got {len(labels)}")
    known = sorted(set(labels))
    if len(known) < 2:
        raise ValueError(f"a classifier needs documents of two labels, got {known}; give documents of another owner")
    if min(dim, epochs, min_count) < 1:
        raise ValueError(f"dim, epochs and min_count are 1 or more, got {dim}, {epochs} and {min_count}")
    counts: dict[str, int] = {}
    for document in documents:
        for line in document:
            for word in line:
                counts[word] = counts.get(word, 0) + 1
    words = sorted((word for word, count in counts.items() if count >= min_count), key=lambda word: -counts[word])
    if not words:
        raise ValueError(f"no word occurs {min_count} times; lower min_count")
    rows = {word: row for row, word in enumerate(words)}
    lines = [
        ([rows[word] for word in line if word in rows], known.index(label))
        for document, label in zip(documents, labels, strict=True)
        for line in document
    ]
    lines = [(line, label) for line, label in lines if line]
    ids = np.array([row for line, _ in lines for row in line], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum([len(line) for line, _ in lines])]).astype(np.int64)
    targets = np.array([label for _, label in lines], dtype=np.int64)
    rng = np.random.default_rng(seed)
    matrix = ((rng.random((len(words), dim), dtype=np.float32) - np.float32(0.5)) * np.float32(2 / dim)).astype(
        np.float32
    )
    label_matrix = np.zeros((len(known), dim), dtype=np.float32)
    orders = np.stack([rng.permutation(len(lines)) for _ in range(epochs)])
    _kernel()(ids, starts, targets, orders, matrix, label_matrix, learning_rate)
    return LabelVectors(words, known, matrix, label_matrix)


@cache
def _kernel() -> Any:
    try:
        from numba import njit
    except ImportError as error:
        raise ImportError("label vectors need numba: pip install 'trustnlp[senses]'") from error
    return njit(cache=True, nogil=True)(_train)


def _train(
    ids: NDArray[np.int64],
    starts: NDArray[np.int64],
    targets: NDArray[np.int64],
    orders: NDArray[np.int64],
    matrix: Floats,
    label_matrix: Floats,
    learning_rate: float,
) -> None:
    """One update per line: softmax over labels of the mean of its words."""
    epochs, lines = orders.shape
    labels, dim = label_matrix.shape
    hidden = np.zeros(dim)
    gradient = np.zeros(dim)
    scores = np.zeros(labels)
    for epoch in range(epochs):
        for step in range(lines):
            rate = learning_rate * (1 - (epoch * lines + step) / (epochs * lines))
            line = orders[epoch, step]
            first, last = starts[line], starts[line + 1]
            hidden[:] = 0
            for at in range(first, last):
                for k in range(dim):
                    hidden[k] += matrix[ids[at], k]
            hidden /= last - first
            for label in range(labels):
                total = 0.0
                for k in range(dim):
                    total += hidden[k] * label_matrix[label, k]
                scores[label] = total
            scores -= scores.max()
            weight = 0.0
            for label in range(labels):
                scores[label] = np.exp(scores[label])
                weight += scores[label]
            gradient[:] = 0
            for label in range(labels):
                error = rate * ((1.0 if label == targets[line] else 0.0) - scores[label] / weight)
                for k in range(dim):
                    gradient[k] += error * label_matrix[label, k]
                    label_matrix[label, k] += error * hidden[k]
            for at in range(first, last):  # fastText adds the whole gradient to each word, divided by their number
                for k in range(dim):
                    matrix[ids[at], k] += gradient[k] / (last - first)
