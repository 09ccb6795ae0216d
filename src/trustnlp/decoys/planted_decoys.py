"""Decoys: spurious cues that are planted in training data, and what planting one gives.

Idahl et al. (2021), §3: a bug for a benchmark of explanations is "injected into models by introducing artificial
decision rules, so-called decoys, into existing datasets". A decoy has one cue for each class, or for some: a word, for
instance. The cue stands for its class where it is planted, and the task has nothing to do with it.

Decoys that are written into texts are in `trustnlp.decoys.written_decoys`. Those that are in texts by nature,
and stand for a class once other texts are dropped, are in `trustnlp.decoys.kept_decoys`. Here is what they
share, and `Both`.

A text is a string of words with one blank between them. Labels are `0..C-1`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Integral
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.files.same_rows import check_positions

Labels = NDArray[np.int64]
Rows = NDArray[np.int64]
Truths = NDArray[np.bool_]
Matching = Literal["word", "substring"]


@dataclass(frozen=True, eq=False)
class Planted:
    """Texts with a decoy planted, and which of them have it.

    Attributes
    ----------
    texts
        `n` texts: changed, or what is left of the original ones.
    labels
        `(n,)` their true labels.
    source
        `(n,)` row of the original that each text came from.
    carries
        `(n,)` whether the text contains the decoy. Where a decoy is written into texts, these are the texts it was
        written into: a text in which the same word stood before counts as one that does not carry it.
    carried
        `(n,)` the class that the decoy in it stands for, -1 where there is none.

    Raises
    ------
    ValueError
        If given arrays that do not have one entry for each text, or `carries` and `carried` that contradict each other.
    """

    texts: tuple[str, ...]
    labels: Labels
    source: Rows
    carries: Truths
    carried: Labels

    def __post_init__(self) -> None:
        for name in ("labels", "source", "carries", "carried"):
            values = getattr(self, name)
            if values.shape != (len(self.texts),):
                raise ValueError(f"{len(self.texts)} planted texts need as many {name}, got shape {values.shape}")
            values.setflags(write=False)
        if ((self.carried >= 0) != self.carries).any():
            raise ValueError("a text carries the decoy where `carried` is a class, and `carried` is -1 everywhere else")

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True, kw_only=True)
class Decoy(ABC):
    """A spurious cue and how it gets into data. All methods give the same for the same state of the generator.

    Attributes
    ----------
    name
        What it is called in recipes, records and messages.
    description
        One line about it.
    """

    name: str
    description: str = ""

    @property
    @abstractmethod
    def words(self) -> tuple[str, ...]:
        """Words that an inspector must name, any of them. None where the decoy is no word, as the length of a text."""

    @property
    def inserted(self) -> tuple[str, ...]:
        """The words that planting brings in and that the data should not contain before."""
        return ()

    @abstractmethod
    def plant(self, texts: Sequence[str], labels: ArrayLike, rng: np.random.Generator) -> Planted:
        """The training part contaminated: in each text that carries the decoy it stands for the text's own label.

        Raises
        ------
        ValueError
            If given texts without words, labels that do not match, or no text that can take the decoy.
        """

    @abstractmethod
    def contradict(self, texts: Sequence[str], labels: ArrayLike, rng: np.random.Generator) -> Planted:
        """Held-out texts that carry the decoy of a wrong class, and no others. `labels` are the true ones.

        §3.2 verifies adoption by the accuracy on original data. These texts ask for it directly: a model that has
        adopted the decoy gives them the label `carried`.

        Raises
        ------
        ValueError
            If `plant` would raise it.
        """

    def planted_like(self, texts: Sequence[str], labels: ArrayLike, rng: np.random.Generator) -> Planted:
        """Held-out texts contaminated as in training: those from which inspected texts are drawn.

        Raises
        ------
        ValueError
            If `plant` would raise it.
        """
        return self.plant(texts, labels, rng)

    def refuse(self, texts: Sequence[str], what: str) -> ValueError:
        """The error that no text can take the decoy; `what` would help."""
        return ValueError(f"decoy {self.name!r}: none of the {len(texts):,} texts can take it; give {what}")


@dataclass(frozen=True, kw_only=True)
class Both(Decoy):
    """Several decoys in the same data, planted one after another. A later part may displace the first or last word.

    `contradict` gives the texts of each part alone, part after part; a text may stand in it once for each. Whether one
    part is adopted is a question to that part: `parts[i].contradict`.

    Attributes
    ----------
    parts
        Two decoys or more, without a word in common.

    Raises
    ------
    ValueError
        If there are fewer than two decoys, or two with a word in common.
    """

    parts: tuple[Decoy, ...]

    def __post_init__(self) -> None:
        if len(self.parts) < 2:
            raise ValueError(f"parts are two decoys or more, got {len(self.parts)}")
        for one, other in combinations(self.parts, 2):
            if shared := sorted(set(one.words) & set(other.words)):
                raise ValueError(f"parts {one.name!r} and {other.name!r} share the word {shared[0]!r}; take another")

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for part in self.parts for word in part.words)

    @property
    def inserted(self) -> tuple[str, ...]:
        return tuple(word for part in self.parts for word in part.inserted)

    def plant(self, texts: Sequence[str], labels: ArrayLike, rng: np.random.Generator) -> Planted:
        """A text carries the decoy if it carries any part; see `Decoy`."""
        planted = self.parts[0].plant(texts, labels, rng)
        for part in self.parts[1:]:
            more = part.plant(planted.texts, planted.labels, rng)
            carries = planted.carries[more.source] | more.carries
            planted = Planted(
                more.texts, more.labels, planted.source[more.source], carries, np.where(carries, more.labels, -1)
            )
        return planted

    def contradict(self, texts: Sequence[str], labels: ArrayLike, rng: np.random.Generator) -> Planted:
        """The contradictions of each part alone, one after another; see `Decoy`."""
        contradictions = [part.contradict(texts, labels, rng) for part in self.parts]
        return Planted(
            tuple(text for planted in contradictions for text in planted.texts),
            *(
                np.concatenate([getattr(p, name) for p in contradictions])
                for name in ("labels", "source", "carries", "carried")
            ),
        )


def occurs(texts: Sequence[str], word: str, matching: Matching = "word") -> Truths:
    """`(n,)` whether the word is in each text: as a word of its own, or as a part of any (`substring`).

    >>> occurs(["a movie", "two movies"], "movie"), occurs(["a movie", "two movies"], "movie", "substring")
    (array([ True, False]), array([ True,  True]))

    Raises
    ------
    ValueError
        If given another way of matching.
    """
    check_choice("matching", matching, ("word", "substring"))
    if matching == "substring":
        return np.array([word in text for text in texts], dtype=np.bool_)
    # Most texts do not contain it at all: looking for the characters first saves splitting them.
    return np.array([word in text and word in text.split() for text in texts], dtype=np.bool_)


def check_labelled(texts: Sequence[str], labels: ArrayLike, classes: int | None = None) -> Labels:
    """The labels as `(n,)` int64.

    Raises
    ------
    ValueError
        If there are no texts, a text without words, not one whole number from 0 for each text, a label that is not
        below `classes`, or Series that are not numbered from 0 in order.
    """
    if isinstance(texts, str):
        raise ValueError(f"expected texts, got the one text {texts!r}; put it in a list")
    check_positions(texts=texts, labels=labels)
    own = np.asarray(labels)
    if not len(texts) or own.shape != (len(texts),):
        raise ValueError(f"expected at least one text and a label for each, got {len(texts)} and shape {own.shape}")
    if own.dtype.kind not in "iu" or own.min() < 0:
        raise ValueError(f"labels are whole numbers from 0, got {own[:5].tolist()} … of type {own.dtype}")
    if classes is not None and own.max() >= classes:
        raise ValueError(f"label {own.max()} is in the data, and the decoy has the classes 0 … {classes - 1}")
    if not all(map(str.strip, texts)):
        row = next(row for row, text in enumerate(texts) if not text.strip())
        raise ValueError(f"text {row} is empty; leave texts without words out, with their labels")
    return own.astype(np.int64)


def check_choice(key: str, given: object, choices: Sequence[str | None]) -> None:
    """Raise ValueError where `given` is none of the choices."""
    if given not in choices:
        raise ValueError(f"{key} is one of {', '.join(map(repr, choices))}, got {given!r}")


def check_word(key: str, word: object) -> None:
    if not isinstance(word, str) or word.split() != [word]:
        raise ValueError(f"{key} is one word without blanks, got {word!r}")


def check_number(key: str, number: object) -> None:
    if isinstance(number, bool) or not isinstance(number, Integral) or number < 0:
        raise ValueError(f"{key} is a whole number from 0, got {number!r}")
