"""Vectors and entities that were computed once and are kept, and where words lie among the vectors.

Of a training only what scores need is kept: the vectors of the words of its text, and the axes of its labels.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.words.owner_names import OwnerNames
from trustnlp.privacy.text.anonymisation.entity_spans import Finder, Found, presidio_entities, spacy_entities
from trustnlp.privacy.text.anonymisation.name_search import name_words
from trustnlp.privacy.text.anonymisation.vectors import Vectors, name_targets, unit
from trustnlp.privacy.text.anonymisation.words import DocumentWords
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.training.kept_results import json_once, rows_once, texts_fingerprint

Floats = NDArray[np.float32]
Contexts = Sequence[Sequence[Sequence[str]]]


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
        stacked: Floats = np.where(rows[:, None] >= 0, self.matrix[rows], np.float32(0))
        return stacked

    def axis(self, label: str) -> Floats:
        """`(d,)` the axis of a label. ValueError if there is no such label."""
        of_label: Floats = self.axes[self.labels.index(label)]
        return of_label


def vectors_once(
    train: Callable[..., Vectors], documents: Contexts, owners: Sequence[str], seed: int, profile: str, **settings: Any
) -> KeptVectors:
    """Vectors of the words of these documents and axes of their labels, kept in the `paper` profile.

    Parameters
    ----------
    train
        `train_polarised`, `train_supervised` or `train_gensim`; in one thread, so that a seed decides every bit.
    settings
        As the training names them. A `dim` of None is the number of labels, which the released form forces.
    """
    labels = sorted(set(owners))
    words = sorted({word for document in documents for line in document for word in line})
    decisive = {
        **settings,
        "seed": seed,
        "texts": texts_fingerprint([" ".join(line) for document in documents for line in document]),
        "owners": texts_fingerprint(owners),
    }

    def compute() -> Floats:
        trained = train(documents, owners, seed=seed, **settings)
        return np.concatenate([trained.stack(words), [trained.axis(label) for label in labels]]).astype(np.float32)

    folder = results_of(__name__) if profile == "paper" else None
    shape = len(words) + len(labels), settings["dim"] or len(labels)
    rows = rows_once(train.__name__, decisive, shape, folder, compute)
    return KeptVectors(words, labels, rows[: len(words)], rows[len(words) :])


GENSIM = {
    "window": 5, "negative": 5, "ns_exponent": 0.5, "alpha": 0.05, "min_alpha": 0.0001, "sample": 1e-4,
    "min_n": 3, "max_n": 6, "bucket": 2_000_000, "sg": 1, "hs": 0, "workers": 1,
}  # fmt: skip


def train_gensim(
    documents: Contexts, owners: Sequence[str], *, dim: int, epochs: int, min_count: int, seed: int
) -> KeptVectors:
    """gensim's FastText at the settings of our skip-gram; it has no axes, and zeros in their place.

    Window, negative samples in proportion to the square root of counts, thinning, n-grams, rate and passes are those of
    `train_polarised` without a field, and documents come in the same random order. What is left is gensim's own: the
    mean that a word is trained with leaves its own row out of the divisor. That makes it the stronger of the two: our
    loop with that divisor has gensim's areas. fastText of 2016, which the post changed, counts the row, and so do we.

    Raises
    ------
    ImportError
        If gensim is not installed.
    """
    from gensim.models import FastText

    order = np.random.default_rng(seed).permutation(len(documents))
    lines = [list(line) for at in order for line in documents[at]]
    trained = FastText(lines, vector_size=dim, epochs=epochs, min_count=min_count, seed=seed, **GENSIM)
    labels = sorted(set(owners))
    return KeptVectors(trained.wv.index_to_key, labels, trained.wv.vectors, np.zeros((len(labels), dim), np.float32))


def entity_finder(name: str, profile: str) -> Finder:
    """spaCy's or presidio's finder; what presidio finds is kept in the `paper` profile: two thousand words a second.

    Raises
    ------
    ImportError
        If presidio is not installed when it is asked, and has not kept these texts.
    """
    if name == "entities":
        return spacy_entities  # keeps its own
    folder = results_of(__name__) if profile == "paper" else None

    def find(texts: Sequence[str]) -> list[Found]:
        settings = {"finder": name, "texts": texts_fingerprint(texts)}
        kept = json_once(name, settings, folder, lambda: presidio_entities(texts))
        return [[(start, end, score) for start, end, score in entities] for entities in kept]

    return find


FEWEST, MOST_UNIQUE, MOST_COMMON = 5, 40, 300


@dataclass(frozen=True, eq=False)
class WordKinds:
    """Words that one owner alone uses, at least five times, the commonest first, and those of nine owners in ten."""

    unique: Mapping[str, list[str]]
    common: list[str]

    @property
    def owned(self) -> list[tuple[str, str]]:
        """Pairs of an owner and a word of its own."""
        return [(owner, word) for owner, words in self.unique.items() for word in words]


def word_kinds(documents: Sequence[DocumentWords], owners: Sequence[str], names: Mapping[str, OwnerNames]) -> WordKinds:
    """Sort the words of documents; the words of the owners' own names are left out."""
    counts: dict[str, Counter[str]] = {owner: Counter() for owner in sorted(set(owners))}
    for words, owner in zip(documents, owners, strict=True):
        counts[owner].update(words.keys)
    users = Counter(word for count in counts.values() for word in count)
    named = {word for entry in names.values() for word in name_words(entry)}
    unique = {
        owner: [
            word for word, many in count.most_common() if users[word] == 1 and many >= FEWEST and word not in named
        ][:MOST_UNIQUE]
        for owner, count in counts.items()
    }
    total: Counter[str] = sum(counts.values(), Counter())
    enough = 0.9 * len(counts)
    common = [word for word, _ in total.most_common() if users[word] >= enough and word not in named][:MOST_COMMON]
    return WordKinds(unique, common)


def geometry(vectors: Vectors, kinds: WordKinds, names: Mapping[str, OwnerNames]) -> dict[str, float]:
    """Mean cosines of one set of vectors.

    Returns
    -------
    dict
        `labels` (between names of two owners), `across` (absolute, between unique words of two owners), `unique_name`
        (unique word and its owner's name), `unique_nearest` and `common_nearest` (unique or common word and the nearest
        owner's name), `within` (two unique words of an owner), `unique_common` (unique and common word).
    """
    goals = name_targets(vectors, names)
    targets = unit(np.stack([goals[owner] for owner in kinds.unique]))
    owned = kinds.owned
    place = {owner: row for row, owner in enumerate(kinds.unique)}
    whose = np.array([place[owner] for owner, _ in owned])
    words = unit(vectors.stack([word for _, word in owned]))
    common = unit(vectors.stack(kinds.common))
    pairs = words @ words.T
    same = whose[:, None] == whose[None, :]
    apart = ~np.eye(len(targets), dtype=bool)
    return {
        "labels": float((targets @ targets.T)[apart].mean()),
        "across": float(np.abs(pairs[~same]).mean()),
        "unique_name": float((words @ targets.T)[np.arange(len(words)), whose].mean()),
        "unique_nearest": float((words @ targets.T).max(axis=1).mean()),
        "common_nearest": float((common @ targets.T).max(axis=1).mean()),
        "within": float(pairs[same & ~np.eye(len(words), dtype=bool)].mean()),
        "unique_common": float((words @ common.T).mean()),
    }


def chance_cosine(dim: int) -> float:
    """Mean absolute cosine of independent random directions: Γ(d/2) / (√π Γ((d + 1)/2)).

    >>> round(chance_cosine(50), 3), round(chance_cosine(1), 3)
    (0.113, 1.0)
    """
    return math.exp(math.lgamma(dim / 2) - math.lgamma((dim + 1) / 2)) / math.sqrt(math.pi)


def confused(vectors: Vectors, secrets: Mapping[str, Sequence[str]], names: Mapping[str, OwnerNames]) -> float:
    """Share of secret words whose nearest owner's name is another owner's."""
    goals = name_targets(vectors, names)
    owners = list(goals)
    targets = unit(np.stack([goals[owner] for owner in owners]))
    wrong = [
        owners[int(row.argmax())] != owner
        for owner, words in secrets.items()
        for row in unit(vectors.stack([word.lower() for word in words])) @ targets.T
    ]
    return float(np.mean(wrong))
