"""Five sets of labelled sentences, as Table 1 of Feyisetan and Kasiviswanathan (2021) uses them through SentEval.

Every file holds one sentence per line, `<label> <text>`, already split into tokens by blanks. Three sets are meant for
cross-validation (`mr`, `cr`, `mpqa`), one has train, dev and test (`sst5`), one train and test (`trec6`).

Rows whose text is empty (four of `cr`, three of `mpqa`) are kept, as SentEval keeps them: they have a label, count in
every accuracy, and get the zero vector (SentEval puts the vector of "." there).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.data.registry import DataError
from trustnlp.data.store import fetch


@dataclass(frozen=True)
class Sentences:
    """Sentences and their labels, `0..k-1`, in the order of the file."""

    texts: tuple[str, ...]
    labels: NDArray[np.int64]

    def __post_init__(self) -> None:
        labels = np.array(self.labels, dtype=np.int64)
        if labels.shape != (len(self.texts),):
            raise ValueError(f"{len(self.texts)} texts need as many labels, got shape {labels.shape}")
        labels.setflags(write=False)
        object.__setattr__(self, "labels", labels)

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True)
class SentenceSet:
    """A set of labelled sentences with the splits it is published with.

    Attributes
    ----------
    label_names
        Name of each label, `label_names[label]`.
    train
        The training sentences; all sentences where the set has no split of its own.
    dev, test
        None where the set has none.
    """

    name: str
    label_names: tuple[str, ...]
    train: Sentences
    dev: Sentences | None = None
    test: Sentences | None = None

    @property
    def splits(self) -> dict[str, Sentences]:
        """The splits there are, by name: `train`, then `dev` and `test`."""
        named = {"train": self.train, "dev": self.dev, "test": self.test}
        return {name: split for name, split in named.items() if split is not None}

    @property
    def labels(self) -> dict[str, NDArray[np.int64]]:
        """The labels by split, as `trustnlp.evaluation.sentence_classification.evaluate` takes them."""
        return {name: split.labels for name, split in self.splits.items()}

    def __len__(self) -> int:
        return sum(map(len, self.splits.values()))

    def counts(self, split: str = "train") -> tuple[int, ...]:
        """How many sentences of a split have each label."""
        return count_labels(self.splits[split].labels, len(self.label_names))


def count_labels(labels: ArrayLike, k: int) -> tuple[int, ...]:
    """How often each of the labels `0..k-1` occurs."""
    return tuple(int(count) for count in np.bincount(np.asarray(labels), minlength=k))


_POLARITY = ("negative", "positive")
LABEL_NAMES: dict[str, tuple[str, ...]] = {
    "mr": _POLARITY,
    "cr": _POLARITY,
    "mpqa": _POLARITY,
    "sst5": ("very negative", "negative", "neutral", "positive", "very positive"),
    # The numbering of the files, which is not that of Li and Roth.
    "trec6": ("description", "entity", "abbreviation", "human", "location", "number"),
}


def read_sentences(name: str) -> SentenceSet:
    """Fetch and read one of the registry's sentence sets.

    Parameters
    ----------
    name
        `mr`, `cr`, `mpqa`, `sst5` or `trec6`.

    Raises
    ------
    DataError
        If it is not a set of sentences, or it cannot be fetched or read.
    """
    if name not in LABEL_NAMES:
        raise DataError(f"{name!r} is not a set of sentences; choose from {', '.join(LABEL_NAMES)}")
    label_names = LABEL_NAMES[name]
    encoding = "utf-8" if name == "sst5" else "latin-1"
    splits = {
        "train" if key == "sentences" else key: _read_file(path, encoding, len(label_names))
        for key, path in fetch(name).items()
    }
    return SentenceSet(name, label_names, **splits)


def _read_file(path: Path, encoding: str, k: int) -> Sentences:
    try:
        content = path.read_bytes().decode(encoding)
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} is not {encoding}: {error}") from error
    texts, labels = [], []
    # Not splitlines: Latin-1's 0x85 occurs inside sentences and would end a line.
    for number, line in enumerate(content.removesuffix("\n").split("\n"), start=1):
        label, blank, text = line.partition(" ")
        if not blank or not label.isdecimal() or int(label) >= k:
            raise DataError(f"{path.name}, line {number}: expected a label from 0 to {k - 1}, a blank and the text")
        texts.append(text.strip(" "))
        labels.append(int(label))
    return Sentences(tuple(texts), np.array(labels))
