"""Decoys that are written into texts: words of classes, places of a word, words that replace others.

The cue of a class is put into a `share` of those of its texts that can take it, to the nearest whole text. For the same
state of the generator the texts of a smaller share are among those of a larger one, with the cue at the same place:
graded strengths of a decoy differ in nothing else.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from trustnlp.attribution.model_calls import Floats
from trustnlp.decoys.planted_decoys import Decoy, Labels, Planted, check_choice, check_labelled, check_word


@dataclass(frozen=True, kw_only=True)
class _Written(Decoy):
    """A decoy that is written into texts."""

    share: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.share, Real) or not 0 < self.share <= 1:
            raise ValueError(f"share is a number above 0 and up to 1, got {self.share!r}")

    @property
    @abstractmethod
    def _cues(self) -> tuple[str | None, ...]:
        """`C` cues, None for a class without one."""

    @property
    @abstractmethod
    def _needed(self) -> str:
        """Texts that can take it, in words."""

    @abstractmethod
    def _written(self, words: list[str], cue: str, at: float) -> list[str] | None:
        """The words with a cue, at a random place `at` (0 to below 1) where it has no other; None if they cannot."""

    def plant(self, texts: Sequence[str], labels: ArrayLike, rng: np.random.Generator) -> Planted:
        own = check_labelled(texts, labels, len(self._cues))
        order, at = rng.random((2, len(texts)))
        written = self._all_written(texts, own, at)
        can = np.array([text is not None for text in written])
        carries = np.zeros(len(texts), dtype=np.bool_)
        for label in np.unique(own):
            rows = np.flatnonzero(can & (own == label))
            carries[rows[np.argsort(order[rows])[: int(self.share * len(rows) + 0.5)]]] = True
        if not carries.any():
            raise self.refuse(texts, f"{self._needed}, or a larger share than {self.share:g}")
        changed = tuple(new if here and new else old for new, old, here in zip(written, texts, carries, strict=True))
        return Planted(changed, own, np.arange(len(texts)), carries, np.where(carries, own, -1))

    def contradict(self, texts: Sequence[str], labels: ArrayLike, rng: np.random.Generator) -> Planted:
        """Every text that can takes the cue of another class, drawn from those that have one; see `Decoy`.

        A word of its own class that stands in a text by nature stays there.
        """
        own = check_labelled(texts, labels, len(self._cues))
        choice, at = rng.random((2, len(texts)))
        wrong = np.full(len(texts), -1, dtype=np.int64)
        for label in np.unique(own):
            others = np.array([c for c, cue in enumerate(self._cues) if cue is not None and c != label], dtype=np.int64)
            rows = np.flatnonzero(own == label)
            if len(others):
                wrong[rows] = others[(choice[rows] * len(others)).astype(np.int64)]
        written = self._all_written(texts, wrong, at)
        able = [(row, text) for row, text in enumerate(written) if text is not None]
        if not able:
            raise self.refuse(texts, f"{self._needed}, and of another class than its cue stands for")
        rows = np.array([row for row, _ in able])
        return Planted(tuple(text for _, text in able), own[rows], rows, wrong[rows] >= 0, wrong[rows])

    def _all_written(self, texts: Sequence[str], classes: Labels, at: Floats) -> list[str | None]:
        """Each text with the cue of its class; None where the class has none, or the text cannot take it."""
        all_written: list[str | None] = []
        for text, label, place in zip(texts, classes, at, strict=True):
            cue = self._cues[label] if label >= 0 else None
            words = None if cue is None else self._written(text.split(), cue, place)
            all_written.append(None if words is None else " ".join(words))
        return all_written


@dataclass(frozen=True, kw_only=True)
class IndicatorWords(_Written):
    """A word for each class is put into its texts. Rieger et al. (2020), first variant of SST; §4 and Figure 1, row 1.

    Attributes
    ----------
    by_class
        The word of each class, all different; None for a class without one.
    place
        `random` is before any of the words, each as likely, and so never last, as in the code of Rieger et al.
        `first` and `last` are before and after all words, the final full stop included.
    share
        Of the texts of each class that get its word. Rieger et al. put it into all.

    Raises
    ------
    ValueError
        If there are fewer than two classes, no word at all, something that is no word, one word for two classes,
        another place, or a share that is not above 0 and up to 1.
    """

    by_class: tuple[str | None, ...]
    place: Literal["random", "first", "last"] = "random"

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_by_class(self.by_class)
        check_choice("place", self.place, ("random", "first", "last"))

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for word in self.by_class if word is not None)

    @property
    def inserted(self) -> tuple[str, ...]:
        return self.words

    @property
    def _cues(self) -> tuple[str | None, ...]:
        return self.by_class

    @property
    def _needed(self) -> str:
        return f"texts of a class that has a word (by class: {self.by_class})"

    def _written(self, words: list[str], cue: str, at: float) -> list[str]:
        return _with_word(words, cue, self.place, at)


@dataclass(frozen=True, kw_only=True)
class Position(_Written):
    """One word, first in texts of one class and last in those of another. A bag of words cannot adopt it (§4).

    Attributes
    ----------
    word
        What is put into texts of every class.
    places
        The place of each class, `first` or `last`, each once; None for a class whose texts go without the word.
    share
        Of the texts of each class that get the word.

    Raises
    ------
    ValueError
        If there is no word, places that are not one `first`, one `last` and else None, or a share that is not above 0
        and up to 1.
    """

    word: str
    places: tuple[Literal["first", "last"] | None, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_word("word", self.word)
        places = [place for place in self.places if place is not None] if isinstance(self.places, tuple) else []
        if sorted(map(str, places)) != ["first", "last"]:
            raise ValueError(
                f"places is a tuple with 'first' for one class, 'last' for one and None for others, got {self.places!r}"
            )

    @property
    def words(self) -> tuple[str, ...]:
        return (self.word,)

    @property
    def inserted(self) -> tuple[str, ...]:
        return self.words

    @property
    def _cues(self) -> tuple[str | None, ...]:
        return self.places

    @property
    def _needed(self) -> str:
        return f"texts of a class that has a place (by class: {self.places})"

    def _written(self, words: list[str], cue: str, at: float) -> list[str]:
        return _with_word(words, self.word, cue, at)


@dataclass(frozen=True, kw_only=True)
class Replacement(_Written):
    """Words of a list become the one word of the class. After the second and third variant of Rieger et al. (2020).

    A text without any word of the list cannot take it.

    Deviation: Rieger et al. write the class's word for the first of these words and one that is the same for both
    classes ('that', 'who') for all others. Here all become the word of the class.

    Attributes
    ----------
    replaced
        Words that are replaced.
    by_class
        What they become: a word for each class, all different. It may be one of the replaced words. No class may go
        without: words that only one class keeps would be a cue that is not named.
    which
        `every` word of the list in a text, or the `last` word of the text only, if it is in the list.
    share
        Of the texts of each class that can take it.

    Raises
    ------
    ValueError
        If there is nothing to replace, a class without a word, something that is no word, one word for two classes,
        another value of `which`, or a share that is not above 0 and up to 1.
    """

    replaced: tuple[str, ...]
    by_class: tuple[str | None, ...]
    which: Literal["every", "last"] = "every"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.replaced, tuple) or not self.replaced:
            raise ValueError(f"replaced is a tuple of at least one word, got {self.replaced!r}")
        for word in self.replaced:
            check_word("each of replaced", word)
        _check_by_class(self.by_class)
        if None in self.by_class:
            raise ValueError(f"by_class needs a word for every class here, got {self.by_class}")
        check_choice("which", self.which, ("every", "last"))

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for word in self.by_class if word is not None)

    @property
    def inserted(self) -> tuple[str, ...]:
        return tuple(word for word in self.words if word not in self.replaced)

    @property
    def _cues(self) -> tuple[str | None, ...]:
        return self.by_class

    @property
    def _needed(self) -> str:
        where = "contain" if self.which == "every" else "end in"
        return f"texts that {where} {' or '.join(map(repr, self.replaced))}"

    def _written(self, words: list[str], cue: str, at: float) -> list[str] | None:
        if self.which == "last":
            return [*words[:-1], cue] if words[-1] in self.replaced else None
        replaced = [cue if word in self.replaced else word for word in words]
        return replaced if any(word in self.replaced for word in words) else None


def _with_word(words: list[str], word: str, place: str, at: float) -> list[str]:
    spot = {"first": 0, "last": len(words)}.get(place, int(at * len(words)))
    return [*words[:spot], word, *words[spot:]]


def _check_by_class(by_class: object) -> None:
    if not isinstance(by_class, tuple) or len(by_class) < 2:
        raise ValueError(f"by_class is a tuple with a word, or None, for each of two classes or more, got {by_class!r}")
    words = [word for word in by_class if word is not None]
    if not words:
        raise ValueError("by_class has no word for any class; give one at least")
    for word in words:
        check_word("each of by_class", word)
    if double := sorted({word for word in words if words.count(word) > 1}):
        raise ValueError(f"by_class has {double[0]!r} for two classes; a word that stands for both is no cue")
