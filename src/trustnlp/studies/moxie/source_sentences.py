"""Contexts that come out of one sentence are not independent: which sentence, and intervals that know it.

The training phrases of SST-2 are nested in each other: "a charming film" is part of "it is a charming film", and both
give the context "a [MASK] film". The 67,349 phrases, and the contexts in them (F.1), stem from fewer than seven
thousand sentences. The data do not say from which; here a phrase belongs to the longest phrase that holds its words one
after another, the first of equally long ones. A phrase of a word or two may have been cut from several sentences and is
put to one of them, so a little dependence is left.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Words = tuple[str, ...]
_WEIGHTS_AT_ONCE = 1 << 22


class SourceSentences:
    """Phrases that are part of no other phrase, and which of them a text belongs to.

    For each phrase, longest first, only the sentences that hold its rarest word are looked through: seconds for the
    67,349 phrases of SST-2.

    Parameters
    ----------
    phrases
        At least one, each as its words: those between the blanks of the file. A tokeniser may cut the end of a phrase
        otherwise than the middle of its sentence.

    Attributes
    ----------
    sentences
        The phrases that are part of no other, longest first, without repetitions.

    Raises
    ------
    ValueError
        No phrases, a phrase without words, or a word that is empty or holds a blank.
    """

    def __init__(self, phrases: Sequence[Words]) -> None:
        if isinstance(phrases, str) or not len(phrases):
            raise ValueError("expected at least one phrase as its words")
        for number, words in enumerate(phrases):
            _check_words(words, f"phrase {number}")
        distinct = list(dict.fromkeys(tuple(words) for words in phrases))
        self._phrases_with = Counter(word for words in distinct for word in set(words))
        self._sentences_with: defaultdict[str, list[int]] = defaultdict(list)
        self._padded: list[str] = []
        self.sentences: list[Words] = []
        for words in sorted(distinct, key=len, reverse=True):
            if self._first_that_holds(words) is None:
                for word in set(words):
                    self._sentences_with[word].append(len(self.sentences))
                self.sentences.append(words)
                self._padded.append(_padded(words))

    def of(self, texts: Sequence[Words]) -> NDArray[np.int64]:
        """`(n,)` number of the sentence that each text belongs to: the longest that holds its words in a row.

        Raises
        ------
        ValueError
            No phrase holds a text's words in a row.
        """
        numbers: dict[Words, int] = {}
        for place, words in enumerate(texts):
            if tuple(words) not in numbers:
                _check_words(words, f"text {place}")
                found = self._first_that_holds(tuple(words))
                if found is None:
                    raise ValueError(
                        f"no phrase holds the words of text {place}, {' '.join(words)[:60]!r}, in a row; were both cut "
                        "into words alike, and is a word of it replaced?"
                    )
                numbers[tuple(words)] = found
        return np.array([numbers[tuple(words)] for words in texts], dtype=np.int64)

    def _first_that_holds(self, words: Words) -> int | None:
        rarest = min(words, key=self._phrases_with.__getitem__)
        part = _padded(words)
        # Sentences are numbered from the longest, so the first is the longest.
        return next((n for n in self._sentences_with.get(rarest, ()) if part in self._padded[n]), None)


@dataclass(frozen=True)
class RatioInterval:
    """A ratio of two sums over contexts, and where it may lie for other sentences.

    Attributes
    ----------
    value
        Sum of the numerators over sum of the denominators.
    low, high
        Ends of the interval; `high` is infinite where sentences without a denominator are drawn too often.
    sentences
        How many groups of contexts were resampled.
    """

    value: float
    low: float
    high: float
    sentences: int


def ratio_interval(
    numerator: ArrayLike,
    denominator: ArrayLike,
    sentences: ArrayLike,
    *,
    rng: np.random.Generator,
    level: float = 0.95,
    resamples: int = 10_000,
) -> RatioInterval:
    """Percentile bootstrap interval of a ratio: sentences are drawn with replacement, each with all its contexts.

    A relative size has 1 for every context's denominator, an accuracy 1 for every claim; the ratio of two sets has
    whether a context is in the one, and in the other. Resamples in which both sums are 0 tell nothing and are left out.

    Parameters
    ----------
    numerator, denominator
        `(n,)` for each context, not negative denominators.
    sentences
        `(n,)` what each context is drawn with, from `SourceSentences.of`.
    rng, level, resamples
        Source of the draws, coverage aimed at, and how many ratios it is read from.

    Raises
    ------
    ValueError
        Arrays of different lengths, fewer than two sentences, numbers that are not finite, a negative denominator or
        none above 0, a level outside (0, 1), or no resample.
    """
    top, bottom, groups = np.asarray(numerator, np.float64), np.asarray(denominator, np.float64), np.asarray(sentences)
    if top.ndim != 1 or top.shape != bottom.shape or top.shape != groups.shape:
        raise ValueError(f"expected three arrays (n,), got shapes {top.shape}, {bottom.shape} and {groups.shape}")
    if not (np.isfinite(top).all() and np.isfinite(bottom).all()) or (bottom < 0).any() or not bottom.any():
        raise ValueError("numerators and denominators are finite, denominators not negative and not all 0")
    if not 0 < level < 1 or resamples < 1:
        raise ValueError(f"expected a level between 0 and 1 and at least one resample, got {level} and {resamples}")
    names, member = np.unique(groups, return_inverse=True)
    count = len(names)
    if count < 2:
        raise ValueError(f"an interval over sentences needs at least two of them, got {count}")
    sums = np.stack([np.bincount(member, weights=values, minlength=count) for values in (top, bottom)], axis=1)
    # Sentences with equal sums are alike, and there are few kinds of them: only their numbers need to be drawn.
    kinds, numbers = np.unique(sums, axis=0, return_counts=True)
    drawn = np.empty((resamples, 2))
    block = max(1, _WEIGHTS_AT_ONCE // len(kinds))
    for start in range(0, resamples, block):
        weights = rng.multinomial(count, numbers / count, size=min(block, resamples - start))
        drawn[start : start + len(weights)] = weights @ kinds
    drawn = drawn[drawn.any(axis=1)]
    with np.errstate(divide="ignore"):
        ratios = drawn[:, 0] / drawn[:, 1]
    low, high = np.quantile(ratios, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
    return RatioInterval(float(top.sum() / bottom.sum()), float(low), float(high), count)


def _padded(words: Words) -> str:
    return f" {' '.join(words)} "


def _check_words(words: Words, called: str) -> None:
    if isinstance(words, str) or not len(words):
        raise ValueError(f"{called} is {words!r}; expected its words, at least one, such as ('a', 'film')")
    if not all(words) or any(" " in word for word in words):
        raise ValueError(f"a word of {called} is empty or holds a blank: {tuple(words)!r}")
