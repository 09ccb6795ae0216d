"""How private each word of a document is: one interface for all methods, and the methods that count.

The post on polarised vectors (2016) is after "the information that exclusively belongs to a particular user, but not
others". Each method gives a word of an owner's document a score; words above a threshold are removed. A higher score is
more private. Of a document whose owner is not known, a word has its highest score over owners: exclusive to anybody.

Counts need no vectors: they look at how often a word is in the owner's documents and in all others. Log-odds are
smoothed by half a count and not divided by their standard error: with Monroe et al.'s (2008) z-score a word that nobody
else uses has a large variance, and common words come first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.words.owner_names import OwnerNames
from trustnlp.privacy.text.anonymisation.name_search import find_name_words, find_names, own_name
from trustnlp.privacy.text.anonymisation.words import DocumentWords

Floats = NDArray[np.float64]
_SMOOTHING = 0.5


class WordScores(Protocol):
    """A method that was fitted to documents and their owners."""

    def __call__(self, words: DocumentWords, owner: str | None) -> Floats:
        """`(T,)` scores of the words of a document. KeyError for an owner that the method does not know."""
        ...


def check_documents(documents: Sequence[DocumentWords], owners: Sequence[str]) -> list[str]:
    """The sorted owners of documents that a method can be fitted to.

    Raises
    ------
    ValueError
        If there is no word, or a single owner: nothing is exclusive then.
    """
    known = sorted(set(owners))
    if len(known) < 2:
        raise ValueError(
            f"all documents belong to {known[0] if known else 'nobody'}: what is exclusive to one shows only beside "
            "another's documents; add some"
        )
    if not any(map(len, documents)):
        raise ValueError("no document has a word")
    return known


@dataclass(frozen=True, eq=False)
class KeyScores:
    """A score for each pair of an owner and a word, whatever stands around it.

    Attributes
    ----------
    owners
        `(K,)` names.
    of_keys
        Words `(n,)` → scores `(n, K)`.
    """

    owners: tuple[str, ...]
    of_keys: Callable[[Sequence[str]], Floats]

    def __call__(self, words: DocumentWords, owner: str | None) -> Floats:
        if not len(words):
            return np.zeros(0)
        kinds = list(words.places)
        row = {key: number for number, key in enumerate(kinds)}
        table = self.of_keys(kinds)
        if owner is None:
            best = table.max(axis=1)
        elif owner in self.owners:
            best = table[:, self.owners.index(owner)]
        else:
            raise KeyError(f"{owner!r} is none of the {len(self.owners)} owners that were fitted")
        return np.asarray(best[[row[key] for key in words.keys]], dtype=np.float64)


def log_odds_scores(documents: Sequence[DocumentWords], owners: Sequence[str]) -> KeyScores:
    """Log of how much more often the owner uses a word than all others do, each count raised by a half."""
    counts = _counts(documents, owners)
    sizes = np.array([sum(count.values()) for count in counts.values()], dtype=np.float64)
    kinds = len(set().union(*counts.values()))

    def of_keys(keys: Sequence[str]) -> Floats:
        own = _table(counts, keys)
        others, rest = own.sum(axis=1, keepdims=True) - own, sizes.sum() - sizes
        return _log_share(own, sizes, kinds) - _log_share(others, rest, kinds)

    return KeyScores(tuple(counts), of_keys)


def tf_idf_scores(documents: Sequence[DocumentWords], owners: Sequence[str]) -> KeyScores:
    """How often the owner uses a word, on a log scale, times log(owners / owners who use it)."""
    counts = _counts(documents, owners)

    def of_keys(keys: Sequence[str]) -> Floats:
        own = _table(counts, keys)
        spread = np.maximum((own > 0).sum(axis=1, keepdims=True), 1)
        weight: Floats = np.log1p(own) * np.log(len(counts) / spread)
        return weight

    return KeyScores(tuple(counts), of_keys)


def search_scores(names: Mapping[str, OwnerNames], *, single_words: bool = False) -> WordScores:
    """Search-and-replace: 1 where the owner's own name is, else 0; with `single_words` each of its words anywhere."""
    own = {owner: own_name(entry) for owner, entry in names.items()}

    def scores(words: DocumentWords, owner: str | None) -> Floats:
        asked = own.values() if owner is None else [own[owner]]
        marks = [find_name_words(words, one) if single_words else find_names(words, one)[0] for one in asked]
        return np.asarray(np.any(marks, axis=0), dtype=np.float64)

    return scores


def random_scores(rng: np.random.Generator) -> WordScores:
    """Removal at random, word by word."""
    return lambda words, owner: rng.random(len(words))


def _counts(documents: Sequence[DocumentWords], owners: Sequence[str]) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {owner: Counter() for owner in check_documents(documents, owners)}
    for words, owner in zip(documents, owners, strict=True):
        counts[owner].update(words.keys)
    return counts


def _table(counts: Mapping[str, Counter[str]], keys: Sequence[str]) -> Floats:
    return np.array([[count[key] for count in counts.values()] for key in keys], dtype=np.float64)


def _log_share(count: Floats, size: Floats, kinds: int) -> Floats:
    return np.log((count + _SMOOTHING) / (size + _SMOOTHING * kinds))
