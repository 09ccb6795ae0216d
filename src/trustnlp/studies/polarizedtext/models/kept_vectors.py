"""Vectors that were trained once and are kept: five notebooks ask for the same ones.

Of a training only what scores need is kept: the vectors of the words of its text, and the axes of its labels. Words
that it has not seen have no vector then; where unseen documents are scored, `train` is asked for the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from trustnlp.embeddings.polarised.polarised_classifier import train_supervised
from trustnlp.embeddings.polarised.polarised_training import Form, train_polarised
from trustnlp.embeddings.polarised.polarised_vectors import PolarisedVectors
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.training.kept_results import rows_once, texts_fingerprint

Floats = NDArray[np.float32]
Contexts = Sequence[Sequence[Sequence[str]]]


@dataclass(frozen=True)
class Training:
    """How vectors are trained; names as in `train_polarised`.

    `field` of 0 is skip-gram. `supervised` learns labels alone, and then only `dim`, `epochs` and `min_count` count.
    """

    form: Form = "as_written"
    field: float = 1.0
    dim: int | None = 50
    epochs: int = 3
    min_count: int = 1
    ngrams: tuple[int, int] = (3, 6)
    class_name_in_text: bool = False
    uncleared_gradient: bool = True
    supervised: bool = False


class KeptVectors:
    """Vectors of words, and axes of labels.

    Attributes
    ----------
    words, labels
        `V` words and `K` labels.
    matrix, axes
        `(V, d)` and `(K, d)`, float32.
    """

    def __init__(self, words: Sequence[str], labels: Sequence[str], matrix: Floats, axes: Floats) -> None:
        self.words, self.labels, self.matrix, self.axes = tuple(words), tuple(labels), matrix, axes
        self._rows = {word: row for row, word in enumerate(self.words)}

    def stack(self, words: Sequence[str]) -> Floats:
        """`(n, d)` the vectors of words; zeros for one that training did not see."""
        rows = np.array([self._rows.get(word, -1) for word in words], dtype=np.int64)
        found: Floats = np.where(rows[:, None] >= 0, self.matrix[rows], np.float32(0))
        return found

    def axis(self, label: str) -> Floats:
        """`(d,)` the axis of a label. ValueError if there is no such label."""
        found: Floats = self.axes[self.labels.index(label)]
        return found


def train(documents: Contexts, owners: Sequence[str], training: Training, seed: int) -> PolarisedVectors:
    """Train as asked; in one thread, so that a seed decides every bit."""
    if training.supervised:
        return train_supervised(
            documents, owners, examples="line", dim=training.dim or 50, epochs=training.epochs,
            min_count=training.min_count, ngrams=(0, 0), seed=seed,
        )  # fmt: skip
    settings = asdict(training)
    del settings["supervised"]
    return train_polarised(documents, owners, seed=seed, **settings)


def vectors_once(
    documents: Contexts, owners: Sequence[str], training: Training, seed: int, profile: str
) -> KeptVectors:
    """Vectors of the words of these documents and axes of their labels, kept in the `paper` profile."""
    labels = sorted(set(owners))
    words = sorted({word for document in documents for line in document for word in line})
    words += [label for label in labels if training.class_name_in_text and label not in words]
    dim = len(labels) if training.form == "as_released" else training.dim or 50
    settings: Mapping[str, object] = asdict(training) | {
        "seed": seed,
        "texts": texts_fingerprint([" ".join(line) for document in documents for line in document]),
        "owners": texts_fingerprint(owners),
    }

    def compute() -> Floats:
        found = train(documents, owners, training, seed)
        axes = np.stack([found.axis(label) for label in labels])
        return np.concatenate([found.stack(words), axes]).astype(np.float32)

    folder = results_of(__name__) if profile == "paper" else None
    rows = rows_once("vectors", settings, (len(words) + len(labels), dim), folder, compute)
    return KeptVectors(words, labels, rows[: len(words)], rows[len(words) :])
