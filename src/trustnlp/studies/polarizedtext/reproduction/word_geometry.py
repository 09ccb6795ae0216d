"""Where words lie: what the post on polarised vectors (2016) says of labels, unique words, common words and typos.

A *unique* word is used by one owner alone, at least five times; a *common* word by all owners but a tenth. Means are
over words, and for pairs over pairs of words of different owners, at most so many of each owner.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.words.owner_names import OwnerNames
from trustnlp.privacy.text.anonymisation.name_search import name_words
from trustnlp.privacy.text.anonymisation.vectors import Vectors, name_targets, unit
from trustnlp.privacy.text.anonymisation.words import DocumentWords

Floats = NDArray[np.float64]
FEWEST, MOST_UNIQUE, MOST_COMMON = 5, 40, 300


@dataclass(frozen=True, eq=False)
class WordKinds:
    """Unique words of each owner, the commonest first, and common words."""

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
