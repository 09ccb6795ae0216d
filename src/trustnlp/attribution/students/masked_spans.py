"""Texts with a span masked, and what the teacher makes of them: the data that a student learns from.

Kumar, Dixit and Shah (2021), §3.1 and §4.1.1: a text x, the same text with its span i replaced by one mask token, and
the teacher's z = M(x) and z'_i = M(x_mask^i). For training the spans are constituents, for evaluation single words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from trustnlp.attribution.students.text_teacher import Teacher, representations_once

Words = tuple[str, ...]
Span = tuple[int, int]


@dataclass(frozen=True)
class MaskedSpan:
    """A text, of which the words `start` to `stop` (not included) are replaced by one mask token.

    Raises
    ------
    ValueError
        If given a text without words, a blank word, or a span that is empty or reaches beyond the text.
    """

    words: Words
    start: int
    stop: int

    def __post_init__(self) -> None:
        if isinstance(self.words, str) or not self.words or not all(word.strip() for word in self.words):
            raise ValueError(f"a text is a tuple of words, at least one and none of them blank, got {self.words!r}")
        if not 0 <= self.start < self.stop <= len(self.words):
            raise ValueError(
                f"a span holds at least one of the {len(self.words)} words, from number 0 on, got {self.start} to "
                f"{self.stop} of {self.text!r}"
            )

    @property
    def text(self) -> str:
        """The text, unmasked."""
        return " ".join(self.words)

    @property
    def token(self) -> str:
        """The masked words."""
        return " ".join(self.words[self.start : self.stop])

    def context(self, mask: str) -> Words:
        """The words with the mask in the place of the span."""
        return (*self.words[: self.start], mask, *self.words[self.stop :])

    def masked_text(self, mask: str) -> str:
        """The text with the mask in the place of the span."""
        return " ".join(self.context(mask))

    def replaced(self, token: str) -> Words:
        """The words with another word, or other words, in the place of the span."""
        return (*self.words[: self.start], *token.split(), *self.words[self.stop :])


def each_word(words: Words) -> list[MaskedSpan]:
    """A text once for each of its words, that word masked."""
    if not words:
        raise ValueError("a text without words has none to mask; leave it out")
    return [MaskedSpan(words, at, at + 1) for at in range(len(words))]


def every_word(texts: Sequence[Words]) -> list[MaskedSpan]:
    """Texts one after another, each once for each of its words."""
    return [span for words in texts for span in each_word(words)]


def draw_spans(
    texts: Sequence[Words], spans: Sequence[Sequence[Span] | None], count: int, rng: np.random.Generator
) -> list[MaskedSpan]:
    """Draw different pairs of a text and one of its spans, from all texts alike.

    Texts are visited in random order, round after round; each visit takes one of the text's spans that is left, all
    equally likely. How many pairs the paper draws from a text it does not say; all of them, about forty a sentence,
    would not fit into its six hours.

    Parameters
    ----------
    spans
        Of each text its spans, or None where it has none. The whole text is left out: masked, nothing is left of it.
    count
        How many pairs.

    Raises
    ------
    ValueError
        If there are fewer pairs than asked for, or not one list of spans for each text.
    """
    if len(spans) != len(texts):
        raise ValueError(f"one list of spans for each text is needed, got {len(spans)} for {len(texts)} texts")
    left = [
        [span for span in dict.fromkeys(found or ()) if span != (0, len(words))]
        for words, found in zip(texts, spans, strict=True)
    ]
    most = sum(map(len, left))
    if not 1 <= count <= most:
        raise ValueError(f"these texts have {most} spans that are not the whole text; {count} were asked for")
    order = rng.permutation(len(texts))
    drawn: list[MaskedSpan] = []
    while len(drawn) < count:
        for at in order:
            if left[at] and len(drawn) < count:
                start, stop = left[at].pop(int(rng.integers(len(left[at]))))
                drawn.append(MaskedSpan(texts[at], start, stop))
    return drawn


@dataclass(frozen=True, eq=False)
class MaskedPairs:
    """Masked spans and the teacher's view of them.

    Attributes
    ----------
    full
        z `(n, d)` of the texts.
    masked
        z' `(n, d)` of the texts with the span masked.
    teacher
        Its fingerprint.
    """

    spans: tuple[MaskedSpan, ...]
    full: Tensor
    masked: Tensor
    teacher: str

    def __post_init__(self) -> None:
        if not len(self.spans) == len(self.full) == len(self.masked) or self.full.shape != self.masked.shape:
            raise ValueError(
                f"{len(self.spans)} spans need z and z' of as many rows and of one width, got {tuple(self.full.shape)} "
                f"and {tuple(self.masked.shape)}"
            )
        if not bool(torch.isfinite(self.full).all() and torch.isfinite(self.masked).all()):
            raise ValueError("the teacher's representations hold NaN or infinity")

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def influence(self) -> Tensor:
        """z - z' `(n, d)`: what a student is to predict."""
        return self.full - self.masked

    def check_teacher(self, teacher: Teacher) -> None:
        """Raises
        ------
        ValueError
            If the representations are another teacher's.
        """
        if self.teacher != teacher.fingerprint:
            raise ValueError("these pairs hold the representations of another teacher; make them with this one")


def masked_pairs(teacher: Teacher, spans: Sequence[MaskedSpan], *, folder: Path | None = None) -> MaskedPairs:
    """Ask the teacher about every span, about equal texts once; its answers are kept in a folder.

    Raises
    ------
    ValueError
        If there are no spans, or a damaged file in the folder.
    """
    if not len(spans):
        raise ValueError("no masked spans were given")
    full = representations_once(teacher, [span.text for span in spans], folder)
    masked = representations_once(teacher, [span.masked_text(teacher.mask) for span in spans], folder)
    return MaskedPairs(tuple(spans), full, masked, teacher.fingerprint)
