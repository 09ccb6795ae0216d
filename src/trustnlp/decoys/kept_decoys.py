"""Decoys that are in texts by nature: a word whose texts of other classes are dropped, or the length of a text.

No text is changed, so what is left is as natural as the data were, text by text. It is fewer, and the classes may be
of other sizes than before.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from trustnlp.decoys.planted_decoys import (
    Decoy,
    Labels,
    Matching,
    Planted,
    Rows,
    check_choice,
    check_labelled,
    check_number,
    check_word,
    occurs,
)


@dataclass(frozen=True, kw_only=True)
class _Kept(Decoy):
    """A decoy that is in texts by nature. Those are dropped in which it would stand for a wrong class."""

    @abstractmethod
    def _standing(self, texts: Sequence[str]) -> Labels:
        """`(n,)` the class that the decoy in each text stands for, -1 where there is none."""

    @property
    @abstractmethod
    def _needed(self) -> str:
        """Texts that carry it, in words."""

    @property
    def _classes(self) -> int | None:
        """How many classes there may be; None for any number."""
        return None

    def plant(self, texts: Sequence[str], labels: ArrayLike, rng: np.random.Generator) -> Planted:
        own, standing = check_labelled(texts, labels, self._classes), self._standing(texts)
        kept = np.flatnonzero((standing < 0) | (standing == own))
        if not (standing[kept] >= 0).any():
            raise self.refuse(texts, self._needed)
        if lost := sorted(set(own.tolist()) - set(own[kept].tolist())):
            raise ValueError(
                f"decoy {self.name!r}: all {int((own == lost[0]).sum())} texts of class {lost[0]} would be dropped; "
                "give others of that class, or change the decoy"
            )
        return _rows(texts, own, kept, standing)

    def contradict(self, texts: Sequence[str], labels: ArrayLike, rng: np.random.Generator) -> Planted:
        """Those texts that `plant` would drop; see `Decoy`."""
        own, standing = check_labelled(texts, labels, self._classes), self._standing(texts)
        kept = np.flatnonzero((standing >= 0) & (standing != own))
        if not len(kept):
            raise self.refuse(texts, f"{self._needed}, but with another label")
        return _rows(texts, own, kept, standing)


@dataclass(frozen=True, kw_only=True)
class Removal(_Kept):
    """Texts of other classes that contain a word are dropped, so that it stands for one class. §4 and Figure 1, row 2.

    The paper drops the negative ones with 'movie'.

    Attributes
    ----------
    word
        Which texts are dropped: those that contain it,
    label
        and are not of this class, which the word then stands for.
    matching
        As a `word` of its own, or as a part of any (`substring`). The paper does not say; its count fits substring.

    Raises
    ------
    ValueError
        If there is no word, a label that is no class, or another way of matching.
    """

    word: str
    label: int
    matching: Matching = "word"

    def __post_init__(self) -> None:
        check_word("word", self.word)
        check_number("label", self.label)
        check_choice("matching", self.matching, ("word", "substring"))

    @property
    def words(self) -> tuple[str, ...]:
        return (self.word,)

    @property
    def _needed(self) -> str:
        return f"texts of class {self.label} that contain {self.word!r} (matched by {self.matching})"

    def _standing(self, texts: Sequence[str]) -> Labels:
        return np.where(occurs(texts, self.word, self.matching), self.label, -1)


@dataclass(frozen=True, kw_only=True)
class Length(_Kept):
    """Long texts of one class and short texts of the other are dropped, so that length tells the class.

    Two classes, 0 and 1. Every text that is left carries the decoy.

    Attributes
    ----------
    longest
        Words in the longest text that counts as short.
    short
        The class that short texts stand for; long ones stand for the other.

    Raises
    ------
    ValueError
        If given a length below 1, or a class that is neither 0 nor 1.
    """

    longest: int
    short: int = 0

    def __post_init__(self) -> None:
        check_number("longest", self.longest)
        check_number("short", self.short)
        if self.longest < 1 or self.short > 1:
            raise ValueError(f"longest is at least 1 and short is 0 or 1, got {self.longest} and {self.short}")

    @property
    def words(self) -> tuple[str, ...]:
        return ()

    @property
    def _needed(self) -> str:
        return f"texts of up to {self.longest} words of class {self.short}, or longer ones of class {1 - self.short}"

    @property
    def _classes(self) -> int:
        return 2

    def _standing(self, texts: Sequence[str]) -> Labels:
        return np.where([len(text.split()) <= self.longest for text in texts], self.short, 1 - self.short)


def _rows(texts: Sequence[str], labels: Labels, rows: Rows, standing: Labels) -> Planted:
    """Some of the texts as they are."""
    return Planted(tuple(texts[row] for row in rows), labels[rows], rows, standing[rows] >= 0, standing[rows])
