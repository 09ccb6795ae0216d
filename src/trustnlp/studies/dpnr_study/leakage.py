"""The study of DPNR's leak, taken apart: how much of it is the start, the training, the alignment (§1.2).

The study trains a user's and an attacker's word2vec with gensim 3.8.3 and its defaults and looks for the counterpart of
each private word among its nearest neighbours in the attacker's model, without alignment. In gensim 3 the first vector
of a word depends on the word and the seed alone, and both models had the same seed: each word starts at the same point
in both models. The ways of attack here differ in one thing at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.embeddings.alignment import align, align_unaided, centred, counterpart_ranks, recovery_of_ranks
from trustnlp.embeddings.static import WordVectors
from trustnlp.embeddings.train import start_vectors, train_word2vec

Sentences = Sequence[Sequence[str]]
Start = Callable[[Sequence[str]], ArrayLike]
WAYS = {
    "untrained": "first vectors, no training",
    "one_seed": "as in the report: one start for each word",
    "rank_seeded": "one start for each rank (gensim 4)",
    "two_seeds": "a start of one's own",
    "aligned": "own start, aligned by known words",
    "unaided": "own start, aligned without knowing a word",
    "other_method": "the same against skip-gram",
}


@dataclass(frozen=True)
class Leak:
    """Ranks of the counterparts of one user's words, by way of attack.

    Attributes
    ----------
    words
        The private vocabulary, most frequent first.
    attacker_words
        Size of the attacker's vocabulary.
    anchors
        Words that the attacker of the way `aligned` knows; they count in no way's score, so that all score the same
        words.
    ranks
        Way → `(V,)` as `counterpart_ranks` gives them.
    counts
        `(V,)` how often the user wrote each word.
    """

    words: tuple[str, ...]
    attacker_words: int
    anchors: frozenset[str]
    ranks: Mapping[str, NDArray[np.int64]]
    counts: NDArray[np.int64]

    @property
    def scored(self) -> NDArray[np.bool_]:
        """`(V,)` False for anchors."""
        return np.array([word not in self.anchors for word in self.words])

    def recovery(self, way: str, n: int, *, all_words: bool = False) -> NDArray[np.float64]:
        """`(n,)` share of private words among the 1, …, n nearest; without the anchors, unless all words count."""
        return recovery_of_ranks(self.ranks[way] if all_words else self.ranks[way][self.scored], n)

    def written(self, way: str, n: int) -> float:
        """Recovery within n counted by words written, anchors too, not by words known: a frequent word weighs more."""
        found = (self.ranks[way] >= 1) & (self.ranks[way] <= n)
        return float(self.counts[found].sum() / self.counts.sum())

    def shared(self) -> float:
        """Share of the private words that the attacker knows, which no recovery can exceed."""
        return float((next(iter(self.ranks.values())) > 0).mean())

    def chance(self, n: int) -> float:
        """Expected recovery within n when the nearest words are drawn blindly."""
        return self.shared() * min(1.0, n / self.attacker_words)

    def by_frequency(self, way: str, n: int, parts: int) -> NDArray[np.float64]:
        """`(parts,)` recovery within n in equal parts of the scored vocabulary, most frequent words first."""
        pieces = np.array_split(self.ranks[way][self.scored], parts)
        return np.array([recovery_of_ranks(piece, n)[-1] for piece in pieces])

    def sentence(self, way: str, words: Sequence[str]) -> float | None:
        """Share of a sentence's words whose nearest word is their counterpart; None when the user knows not all."""
        place = {word: row for row, word in enumerate(self.words)}
        if not set(words) <= set(place):
            return None
        return float(np.mean([self.ranks[way][place[word]] == 1 for word in words]))


def measure_leak(
    user: Sentences,
    attacker: Sentences,
    *,
    seed: int,
    dim: int = 100,
    epochs: int = 5,
    min_count: int = 5,
    anchors: int = 100,
    ways: Collection[str] = tuple(WAYS),
) -> Leak:
    """Train the models that the ways of attack need on one pair of corpora and rank the counterparts.

    word2vec is CBOW with gensim's defaults, as in the study. The anchors are the attacker's most frequent words among
    those both know. Before an alignment the vectors are centred (`centred`).

    Parameters
    ----------
    seed
        Of both models where they share one; the attacker's own is the next one.
    anchors
        How many words the attacker of the way `aligned` knows.
    ways
        Some of `WAYS`, whose order the result has.

    Raises
    ------
    ValueError
        If given a number out of range, a corpus too small for a vocabulary, or fewer shared words than anchors.
    """

    start, own_start = (partial(start_vectors, dim=dim, seed=each) for each in (seed, seed + 1))

    def train(sentences: Sentences, seed: int, first: Start | None, *, skip_gram: bool = False) -> WordVectors:
        return train_word2vec(
            sentences, dim=dim, seed=seed, epochs=epochs, min_count=min_count, skip_gram=skip_gram, start=first
        )

    private, other = train(user, seed, start), train(attacker, seed + 1, own_start)
    common = [word for word in other.words if word in private]
    if not 0 < anchors < len(common):
        raise ValueError(f"expected anchors from 1 to {len(common) - 1}, of {len(common)} shared words; got {anchors}")

    def unaided(foreign: WordVectors) -> NDArray[np.int64]:
        return counterpart_ranks(align_unaided(centred(private), centred(foreign)), centred(foreign))

    attacks: dict[str, Callable[[], NDArray[np.int64]]] = {
        "untrained": lambda: counterpart_ranks(
            *(WordVectors(v.words, start(v.words), "start") for v in (private, other))
        ),
        "one_seed": lambda: counterpart_ranks(private, train(attacker, seed, start)),
        "rank_seeded": lambda: counterpart_ranks(train(user, seed, None), train(attacker, seed, None)),
        "two_seeds": lambda: counterpart_ranks(private, other),
        "aligned": lambda: counterpart_ranks(align(centred(private), centred(other), common[:anchors]), centred(other)),
        "unaided": lambda: unaided(other),
        "other_method": lambda: unaided(train(attacker, seed + 1, own_start, skip_gram=True)),
    }
    ranks = {way: attack() for way, attack in attacks.items() if way in ways}
    written = Counter(word for sentence in user for word in sentence)
    counts = np.array([written[word] for word in private.words], dtype=np.int64)
    return Leak(private.words, len(other), frozenset(common[:anchors]), ranks, counts)
