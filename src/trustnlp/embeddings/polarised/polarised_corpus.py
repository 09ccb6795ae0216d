"""Labelled documents as arrays of word numbers, the form that polarised vectors are trained on.

The post behind PolarizedText has one owner for each document and trains on all of them as one text. In its released
script a line is a document, shuffled among the others, and the class name stands before the text as an ordinary word.
Here a document is a list of lines, and no context window goes beyond a line.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Documents = Sequence[Sequence[Sequence[str]]]


class LabelledCorpus(NamedTuple):
    """Words of the vocabulary, and the text in their numbers.

    Attributes
    ----------
    words
        `V` words, the most frequent first, equally frequent ones as they are first met.
    counts
        `(V,)` occurrences of each.
    tokens
        Occurrences of all words, those left out of the vocabulary too.
    ids
        `(T,)` the text without words left out.
    line_starts
        `(L + 1,)` where each line begins in `ids`.
    line_labels
        `(L,)` label of the document of each line.
    labels
        `K` labels, as they are first met.
    document_starts
        `(D + 1,)` where each document begins among the lines.
    """

    words: tuple[str, ...]
    counts: NDArray[np.int64]
    tokens: int
    ids: NDArray[np.int32]
    line_starts: NDArray[np.int64]
    line_labels: NDArray[np.int32]
    labels: tuple[str, ...]
    document_starts: NDArray[np.int64]


def encode(documents: Documents, labels: Sequence[str], *, min_count: int) -> LabelledCorpus:
    """Number the words of documents.

    Parameters
    ----------
    documents
        Each a list of lines, each a list of words.
    labels
        The owner of each document.
    min_count
        Words seen less often are left out, so that their neighbours move together.

    Raises
    ------
    TypeError
        If a document or a line is a string.
    ValueError
        If there is no document, not one label for each, a document without words or without a label, or fewer than two
        words are frequent enough.
    """
    _check(documents, labels)
    names = tuple(dict.fromkeys(labels))
    number = {name: at for at, name in enumerate(names)}
    lines = list(chain.from_iterable(documents))
    counted = Counter(chain.from_iterable(lines))
    # Equal counts stay in the order of the text.
    words = tuple(word for word, count in counted.most_common() if count >= min_count)
    if len(words) < 2:
        raise ValueError(
            f"{len(words)} of {len(counted)} different words occur {min_count} times or more, and training needs two; "
            "lower min_count or give more text"
        )
    row = {word: at for at, word in enumerate(words)}
    rows = np.fromiter((row.get(word, -1) for word in chain.from_iterable(lines)), np.int32, counted.total())
    ends = np.cumsum([0, *map(len, lines)], dtype=np.int64)
    known = rows >= 0
    line_starts = np.concatenate([[0], np.cumsum(known)])[ends].astype(np.int64)
    sizes = [len(document) for document in documents]
    return LabelledCorpus(
        words,
        np.array([counted[word] for word in words], dtype=np.int64),
        counted.total(),
        rows[known],
        line_starts,
        np.repeat([number[label] for label in labels], sizes).astype(np.int32),
        names,
        np.cumsum([0, *sizes], dtype=np.int64),
    )


def shuffled(corpus: LabelledCorpus, rng: np.random.Generator) -> LabelledCorpus:
    """The same documents in a random order, the lines of each as they were."""
    starts = corpus.document_starts
    order = rng.permutation(len(starts) - 1)
    lines = np.concatenate([np.arange(starts[at], starts[at + 1]) for at in order])
    begin, end = corpus.line_starts[lines], corpus.line_starts[lines + 1]
    line_starts = np.concatenate([[0], np.cumsum(end - begin)])
    # Places of the tokens: consecutive within a line.
    places = np.repeat(begin - line_starts[:-1], end - begin) + np.arange(line_starts[-1])
    return corpus._replace(
        ids=corpus.ids[places],
        line_starts=line_starts,
        line_labels=corpus.line_labels[lines],
        document_starts=np.concatenate([[0], np.cumsum(np.diff(starts)[order])]),
    )


def labels_of_words(corpus: LabelledCorpus) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The labels under which each word occurs: where those of each word begin `(V + 1,)`, and the labels, sorted."""
    label = np.repeat(corpus.line_labels, np.diff(corpus.line_starts))
    word, labels = np.divmod(np.unique(corpus.ids.astype(np.int64) * len(corpus.labels) + label), len(corpus.labels))
    return np.searchsorted(word, np.arange(len(corpus.words) + 1)).astype(np.int64), labels.astype(np.int32)


def check_training(ngrams: tuple[int, int], learning_rate: float, seed: int, **counts: int) -> None:
    """Refuse counts below 1, and what is no rate, no seed or no range of n-grams."""
    for name, value in counts.items():
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
    if not (math.isfinite(learning_rate) and learning_rate > 0):
        raise ValueError(f"learning_rate must be positive and finite, got {learning_rate}")
    if not 0 <= seed < 2**64:
        raise ValueError(f"a seed lies between 0 and 2**64 - 1, got {seed}")
    if ngrams != (0, 0) and not 1 <= ngrams[0] <= ngrams[1]:
        raise ValueError(f"ngrams are the shortest and the longest, 1 or more, or (0, 0) for none, got {ngrams}")


def small_start(rows: int, dim: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """`(rows, dim)` uniform within ±1/dim, as fastText begins."""
    start = rng.random((rows, dim), dtype=np.float32)
    start -= np.float32(0.5)
    start *= np.float32(2 / dim)
    return start


def _check(documents: Documents, labels: Sequence[str]) -> None:
    if isinstance(labels, str):
        raise TypeError(f"labels is a list with one label per document, got the single string {labels!r}")
    if not len(documents):
        raise ValueError("there is no document to train on")
    if len(documents) != len(labels):
        raise ValueError(f"each document needs one label, got {len(documents)} documents and {len(labels)} labels")
    for number, (document, label) in enumerate(zip(documents, labels, strict=True)):
        if not isinstance(label, str) or not label.strip():
            raise ValueError(f"document {number} has no label, got {label!r}; name its owner or leave it out")
        if isinstance(document, str) or any(isinstance(line, str) for line in document):
            raise TypeError(
                f"document {number}: a document is a list of lines and a line a list of words, got a string; split it"
            )
        if not any(len(line) for line in document):
            raise ValueError(f"document {number} ({label}) has no words; leave it out")
