"""Vectors and entities that were computed once and are kept, and where words lie among the vectors.

Of a training only what scores need is kept: the vectors of the words of its text, and the axes of its labels. Words
that it has not seen have no vector then; where unseen documents are scored, `train` is asked for the whole.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.words.owner_names import OwnerNames
from trustnlp.embeddings.polarised.polarised_classifier import train_supervised
from trustnlp.embeddings.polarised.polarised_training import Form, train_polarised
from trustnlp.embeddings.polarised.polarised_vectors import PolarisedVectors
from trustnlp.privacy.text.anonymisation.entity_spans import Finder, Found, presidio_entities, spacy_entities
from trustnlp.privacy.text.anonymisation.name_search import name_words
from trustnlp.privacy.text.anonymisation.vectors import Vectors, name_targets, unit
from trustnlp.privacy.text.anonymisation.words import DocumentWords
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.training.kept_results import json_once, rows_once, texts_fingerprint

Floats = NDArray[np.float32]
DIM = 50
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
        stacked: Floats = np.where(rows[:, None] >= 0, self.matrix[rows], np.float32(0))
        return stacked

    def axis(self, label: str) -> Floats:
        """`(d,)` the axis of a label. ValueError if there is no such label."""
        of_label: Floats = self.axes[self.labels.index(label)]
        return of_label


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
        trained = train(documents, owners, training, seed)
        axes = np.stack([trained.axis(label) for label in labels])
        return np.concatenate([trained.stack(words), axes]).astype(np.float32)

    folder = results_of(__name__) if profile == "paper" else None
    rows = rows_once("vectors", settings, (len(words) + len(labels), dim), folder, compute)
    return KeptVectors(words, labels, rows[: len(words)], rows[len(words) :])


SCRIPT_DIM, SCRIPT_EPOCHS, SCRIPT_RATE = 50, 100, 0.2


def supervised_once(documents: Contexts, owners: Sequence[str], seed: int, profile: str) -> KeptVectors:
    """fastText's supervised vectors as the released script trains them, kept in the `paper` profile.

    The script gives a classifier whole documents, 100 passes and a rate of .2. `Training(supervised=True)` is the other
    reading, which the post leaves open just as well: a paragraph is an example, with as many passes as other methods.
    """
    labels = sorted(set(owners))
    words = sorted({word for document in documents for line in document for word in line})
    settings = {
        "dim": SCRIPT_DIM,
        "epochs": SCRIPT_EPOCHS,
        "learning_rate": SCRIPT_RATE,
        "seed": seed,
        "texts": texts_fingerprint([" ".join(line) for document in documents for line in document]),
        "owners": texts_fingerprint(owners),
    }

    def compute() -> Floats:
        trained = train_supervised(
            documents, owners, dim=SCRIPT_DIM, epochs=SCRIPT_EPOCHS, learning_rate=SCRIPT_RATE, ngrams=(0, 0), seed=seed
        )
        axes = np.stack([trained.axis(label) for label in labels])
        return np.concatenate([trained.stack(words), axes]).astype(np.float32)

    folder = results_of(__name__) if profile == "paper" else None
    rows = rows_once("supervised", settings, (len(words) + len(labels), SCRIPT_DIM), folder, compute)
    return KeptVectors(words, labels, rows[: len(words)], rows[len(words) :])


SETTINGS = {
    "window": 5, "negative": 5, "ns_exponent": 0.5, "alpha": 0.05, "min_alpha": 0.0001, "sample": 1e-4,
    "min_n": 3, "max_n": 6, "bucket": 2_000_000, "min_count": 1, "sg": 1, "hs": 0, "workers": 1,
}  # fmt: skip


def gensim_once(documents: Contexts, owners: Sequence[str], epochs: int, seed: int, profile: str) -> KeptVectors:
    """gensim's FastText at the settings of our skip-gram, without axes, kept in the `paper` profile.

    Window, negative samples in proportion to the square root of counts, thinning, n-grams, rate and passes are those of
    `train_polarised` without a field, and documents come in the same random order. What is left is gensim's own: the
    mean that a word is trained with leaves its own row out of the divisor. That makes it the stronger of the two: our
    loop with that divisor has gensim's areas. fastText of 2016, which the post changed, counts the row, and so do we.

    Raises
    ------
    ImportError
        If gensim is not installed.
    """
    words = sorted({word for document in documents for line in document for word in line})
    settings = {
        **SETTINGS,
        "epochs": epochs,
        "seed": seed,
        "texts": texts_fingerprint([" ".join(line) for document in documents for line in document]),
        "owners": texts_fingerprint(owners),
    }

    def compute() -> Floats:
        from gensim.models import FastText

        order = np.random.default_rng(seed).permutation(len(documents))
        lines = [list(line) for at in order for line in documents[at]]
        trained = FastText(lines, vector_size=DIM, epochs=epochs, seed=seed, **SETTINGS)
        return np.stack([trained.wv[word] for word in words]).astype(np.float32)

    folder = results_of(__name__) if profile == "paper" else None
    rows = rows_once("gensim", settings, (len(words), DIM), folder, compute)
    return KeptVectors(words, (), rows, np.zeros((0, DIM), dtype=np.float32))


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


def kind_marks(documents: Sequence[DocumentWords], owners: Sequence[str], kinds: WordKinds) -> list[NDArray[np.int8]]:
    """Per document `(T,)`: 1 where a unique word of the owner stands, 0 where a common word does, else -1."""
    common = set(kinds.common)
    own = {owner: set(words) for owner, words in kinds.unique.items()}
    return [
        np.array([1 if key in own[owner] else 0 if key in common else -1 for key in words.keys], dtype=np.int8)
        for words, owner in zip(documents, owners, strict=True)
    ]


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


def reached_by_ngrams(
    documents: Sequence[DocumentWords], held_out: Sequence[int], ngrams: tuple[int, int] = (3, 6)
) -> float:
    """Share of the words of held-out documents, as they occur, that the others lack and share an n-gram with."""
    held = set(held_out)
    known = {key for number, words in enumerate(documents) if number not in held for key in words.places}
    pieces = {gram for key in known for gram in _ngrams(key, ngrams)}
    unseen = [key for number in held for key in documents[number].keys if key not in known]
    return float(np.mean([any(gram in pieces for gram in _ngrams(key, ngrams)) for key in unseen])) if unseen else 1.0


def _ngrams(word: str, sizes: tuple[int, int]) -> list[str]:
    bounded = f"<{word}>"
    return [bounded[at : at + size] for size in range(sizes[0], sizes[1] + 1) for at in range(len(bounded) - size + 1)]
