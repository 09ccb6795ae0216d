"""Texts as bags of words and pairs of neighbouring words, each a row number of an embedding table.

Zouhri and Abecidan (2021), §5.1: "mapping words to vector of low dimension". The released code takes tokeniser, pairs
and vocabulary from torchtext 0.4, whose rules `bag_words` and `Vocabulary` follow: punctuation is a word of its own,
and every n-gram that the vocabulary lacks is row 0, `UNKNOWN`. No training text has that row, so its vector stays as it
was drawn.

Word dropout has three forms (`DROPPING`). The report hides a *word* (§3.3); its code hides an *n-gram*.

`ngrams`
    As released: each word and each pair of words becomes `UNKNOWN` on its own. A hidden word may live on in two pairs.
    (The released code also rounds row numbers as floats, at some rates to a neighbouring row: not done here.)
`words`
    Each word is hidden before pairs are formed: it and the pairs it stands in become `UNKNOWN`.
`left_out`
    As `words`, but what is hidden is left out of the mean, where `UNKNOWN` would add its vector.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import torch
from torch import Tensor

Dropping = Literal["ngrams", "words", "left_out"]
DROPPING: tuple[Dropping, ...] = get_args(Dropping)
UNKNOWN = 0

_APART = re.compile(r"([.,()!?'])")
_BLANK = re.compile(r"<br />|[;:]")


def bag_words(text: str) -> list[str]:
    """The words of a text, lower-cased; quotation marks, colons, semicolons and HTML line breaks are dropped.

    >>> bag_words('It\\'s "over", he said; really<br />(no)?')
    ['it', "'", 's', 'over', ',', 'he', 'said', 'really', '(', 'no', ')', '?']
    """
    return _APART.sub(r" \1 ", _BLANK.sub(" ", text.lower().replace('"', ""))).split()


def ngrams_of(words: Sequence[str]) -> list[str]:
    """The words of a text, then its pairs of neighbouring words.

    >>> ngrams_of(["not", "so", "bad"])
    ['not', 'so', 'bad', 'not so', 'so bad']
    """
    return [*words, *(f"{first} {second}" for first, second in itertools.pairwise(words))]


@dataclass(frozen=True)
class Bags:
    """Texts as row numbers, one after the other: those of text i are `ids[starts[i]:starts[i + 1]]`.

    Attributes
    ----------
    ids
        `(total,)` int64. A text of w words has w rows for its words and then w - 1 for its pairs.
    starts
        `(n + 1,)` int64, from 0 to `total`.
    """

    ids: Tensor
    starts: Tensor

    def __post_init__(self) -> None:
        if self.ids.dtype != torch.int64 or self.starts.dtype != torch.int64 or self.ids.ndim != 1:
            raise TypeError("row numbers and starts are int64 lists")
        lengths = self.lengths
        if not len(lengths) or int(self.starts[0]) != 0 or int(self.starts[-1]) != len(self.ids):
            raise ValueError(f"starts must run from 0 to {len(self.ids)}, the number of rows, for at least one text")
        if int(lengths.min()) < 1:
            raise ValueError(f"text {int(lengths.argmin())} has no row: give UNKNOWN to a text without words")

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Tensor:
        """How many rows each text has, `(n,)`."""
        return self.starts.diff()

    @property
    def texts(self) -> Tensor:
        """To which text each row number belongs, `(total,)`."""
        return torch.repeat_interleave(torch.arange(len(self), device=self.ids.device), self.lengths)

    def to(self, device: torch.device) -> Bags:
        """The same bags on a device."""
        return Bags(self.ids.to(device), self.starts.to(device))

    def take(self, order: Tensor) -> Bags:
        """The texts `order` `(m,)`, in that order."""
        lengths = self.lengths[order]
        starts = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])
        shift = torch.repeat_interleave(self.starts[order] - starts[:-1], lengths)
        return Bags(self.ids[torch.arange(int(starts[-1]), device=self.ids.device) + shift], starts)

    def drop(self, rate: float, how: Dropping, *, generator: torch.Generator) -> Bags:
        """Hide words or pairs, each with probability `rate`; see the head of the module.

        A text of which nothing is left becomes `UNKNOWN` alone.

        Raises
        ------
        ValueError
            If given a rate outside [0, 1], an unknown way of dropping, or texts that were left out of before.
        """
        if how not in DROPPING:
            raise ValueError(f"unknown way of dropping {how!r}; choose from {', '.join(DROPPING)}")
        if not 0 <= rate <= 1:
            raise ValueError(f"the rate is the share that is dropped, from 0 to 1, got {rate}")
        kept = torch.rand(len(self.ids), generator=generator, device=self.ids.device) >= rate
        if how != "ngrams":
            kept = self._kept_by_word(kept)
        if how != "left_out":
            return Bags(torch.where(kept, self.ids, UNKNOWN), self.starts)
        left = torch.zeros_like(self.lengths).index_add_(0, self.texts, kept.to(torch.int64))
        # One row must stay for the mean; it says nothing.
        kept[self.starts[:-1][left == 0]] = True
        ids = self.ids.clone()
        ids[self.starts[:-1][left == 0]] = UNKNOWN
        return Bags(ids[kept], torch.cat([left.new_zeros(1), left.clamp(min=1).cumsum(0)]))

    def _kept_by_word(self, kept: Tensor) -> Tensor:
        """The n-grams kept when only the draws for words count: a pair needs both of its words."""
        if bool((self.lengths % 2 == 0).any()):
            raise ValueError("words can only be told from pairs in whole texts; drop from the texts as they were read")
        positions = torch.arange(len(self.ids), device=self.ids.device)
        place = positions - self.starts[:-1][self.texts]
        words = ((self.lengths + 1) // 2)[self.texts]
        # A pair stands as many places behind its first word as the text has words.
        first = positions - torch.where(place < words, 0, words)
        second = torch.where(place < words, first, first + 1)
        return kept[first] & kept[second]


class Vocabulary:
    """Row numbers of the n-grams of some texts, most frequent first, from 1; every other n-gram is `UNKNOWN`.

    Raises
    ------
    TypeError
        If a single string was given.
    ValueError
        If no text has a word.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        if isinstance(texts, str):
            raise TypeError(f"a vocabulary is made of a list of texts, got the single string {texts[:40]!r}")
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(ngrams_of(bag_words(text)))
        if not counts:
            raise ValueError("no text has a word: a vocabulary needs at least one")
        # Sorted, so that the order of the texts does not matter.
        ranked = sorted(counts, key=lambda ngram: (-counts[ngram], ngram))
        self._rows = {ngram: row for row, ngram in enumerate(ranked, start=UNKNOWN + 1)}

    def __len__(self) -> int:
        """How many rows an embedding table needs, that of `UNKNOWN` included."""
        return len(self._rows) + 1

    def bags(self, texts: Sequence[str]) -> Bags:
        """Texts as row numbers; a text without words is `UNKNOWN` alone.

        Raises
        ------
        TypeError
            If a single string was given.
        ValueError
            If there is no text.
        """
        if isinstance(texts, str):
            raise TypeError(f"give a list of texts, got the single string {texts[:40]!r}")
        if not texts:
            raise ValueError("give at least one text")
        ids: list[int] = []
        starts = np.zeros(len(texts) + 1, dtype=np.int64)
        for place, text in enumerate(texts, start=1):
            ids += [self._rows.get(ngram, UNKNOWN) for ngram in ngrams_of(bag_words(text))] or [UNKNOWN]
            starts[place] = len(ids)
        return Bags(torch.tensor(ids, dtype=torch.int64), torch.from_numpy(starts))
