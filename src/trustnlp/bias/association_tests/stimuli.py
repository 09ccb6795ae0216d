"""The words of a test and their vectors, as far as an embedding has them.

Whether a word *has* a vector is asked of the vocabulary (`key_to_index`, where there is one), not of `in`: gensim's
fastText vectors answer `in` with True for any word, since they can build one from its character n-grams, and a test
would silently be run on words that the embedding never saw. Building is asked for (`subwords=True`) and reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from trustnlp.bias.association_tests.word_sets import SETS, MissingWordsError, StimuliError, lowered
from trustnlp.data.words.weat_stimuli import WeatTest
from trustnlp.embeddings.word_forms import form_there
from trustnlp.files.number_ranges import check_shares


class Vectors(Protocol):
    """Anything that maps words to vectors: `WordVectors`, gensim's `KeyedVectors`, a dict."""

    def __contains__(self, word: Any, /) -> bool: ...
    def __getitem__(self, word: str, /) -> Any: ...


class Lookup:
    """Vectors by word, with the words of the vocabulary told from those built from n-grams.

    Parameters
    ----------
    vectors
        Maps words to vectors; a gensim model (`Word2Vec`, `FastText`) stands for its `wv`.
    subwords
        Whether words outside the vocabulary may be built, where the vectors can.

    Attributes
    ----------
    vocabulary
        What has the words that are not built.
    """

    def __init__(self, vectors: Any, *, subwords: bool = False) -> None:
        self.vectors: Vectors = getattr(vectors, "wv", vectors)
        self.vocabulary = getattr(self.vectors, "key_to_index", self.vectors)
        self._subwords = subwords

    def __contains__(self, word: object) -> bool:
        return word in self.vocabulary or self.builds(word)

    def __getitem__(self, word: str) -> Any:
        return self.vectors[word]

    def builds(self, word: object) -> bool:
        """Whether the vector of `word` is made of n-grams and not of the word."""
        return self._subwords and self.could_build(word)

    def could_build(self, word: object) -> bool:
        """Whether the vectors would give one for a word that is not in their vocabulary."""
        return word not in self.vocabulary and word in self.vectors


class Stimuli:
    """The words of a test that have a vector, and their vectors.

    Parameters
    ----------
    vectors, test, max_missing, subwords
        As for `weat`.
    lower
        The test in lower case.

    Attributes
    ----------
    test
        The test, as its words were looked up.
    T, A, B
        `(|X| + |Y|, d)`, `(|A|, d)` and `(|B|, d)`, float64: all targets, X first, and the attribute sets.
    sizes, missing, built
        As in `WeatResult`.

    Raises
    ------
    StimuliError, MissingWordsError, ValueError
        If `weat` would raise it.
    """

    def __init__(
        self, vectors: Any, test: WeatTest, max_missing: float, *, lower: bool = False, subwords: bool = False
    ) -> None:
        check_shares(max_missing=max_missing)
        self.test = lowered(test) if lower else test
        lookup = Lookup(vectors, subwords=subwords)
        known = {name: [word for word in getattr(self.test, name) if word in lookup] for name in SETS}
        self.missing: dict[str, tuple[str, ...]] = {}
        self.built = {name: made for name in SETS if (made := tuple(w for w in known[name] if lookup.builds(w)))}
        for name, words in known.items():
            all_words: tuple[str, ...] = getattr(self.test, name)
            absent = tuple(word for word in all_words if word not in words)
            share = len(absent) / len(all_words)
            if absent:
                self.missing[name] = absent
            if len(words) < 2 or share > max_missing:
                shown = ", ".join(absent[:5]) + (", …" if len(absent) > 5 else "")
                need = "two known words are needed" if len(words) < 2 else f"at most {max_missing:.0%} may be missing"
                raise (MissingWordsError if absent else StimuliError)(
                    f"WEAT {self.test.number}, set {name}: {len(words)} of {len(all_words)} words known "
                    f"({share:.0%} missing{': ' + shown if absent else ''}), but {need}; {_remedy(absent, lookup)}"
                )
        X, Y, self.A, self.B = stacks(lookup, list(known.values()))
        self.T = np.concatenate([X, Y])
        self.sizes = (len(X), len(Y), len(self.A), len(self.B))


def _remedy(absent: tuple[str, ...], lookup: Lookup) -> str:
    lower = sum(word.lower() in lookup for word in absent)
    if lower:
        return f"{lower} of them are known in lower case: lower=True, or --lower"
    buildable = sum(lookup.could_build(word) for word in absent)
    if buildable:
        return f"{buildable} of them can be built from n-grams: subwords=True"
    for word in absent:
        if form := form_there(word, lookup.vocabulary):
            return f"{word!r} stands there as {form!r}: write the words as the vectors do"
    return "use vectors that have them, or other words"


def stacks(vectors: Vectors, sets: Sequence[Sequence[str]]) -> list[NDArray[np.float64]]:
    """`(n, d)` in float64 for each set; ValueError for a vector that is zero, not finite or of another dimension."""
    rows = {word: np.asarray(vectors[word], dtype=np.float64) for words in sets for word in words}
    for word, row in rows.items():
        if row.ndim != 1 or not np.isfinite(row).all() or not row.any():
            problem = f"has shape {row.shape}" if row.ndim != 1 else "is zero, NaN or infinite"
            raise ValueError(f"the vector of {word!r} {problem}; leave the word out or repair the vectors")
    if len(dims := {len(row) for row in rows.values()}) > 1:
        raise ValueError(f"the vectors have different dimensions: {sorted(dims)}")
    return [np.stack([rows[word] for word in words]) for words in sets]
