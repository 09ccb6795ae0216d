"""Many explanations as one table of scores: what a reader notes of each, and words ranked over all of them.

What is said here of "a word's score in an explanation" is the sum over its occurrences in that text; occurrences that
the explainer removed together have one score and count once. A word is compared with the other words of its explanation
to six digits of that explanation's largest score: smaller differences are rounding of the model, and are ties.

No order is the order: counting first places, adding up and averaging rank different words first. Totals favour words of
many texts (commas), means favour words of few, so that they need a least count. The statistic is therefore an argument.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from trustnlp.attribution.model_calls import Floats
from trustnlp.attribution.word_scores import Attribution

STATISTICS = ("first_places", "total", "mean")
_DIGITS = 6

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of the distinct words of n explanations: m entries, ordered by explanation and then by word.

    Attributes
    ----------
    words
        `V` distinct words of all explanations, alphabetically.
    labels
        `(n,)` label that each explanation is of.
    rows, columns
        `(m,)` number of the explanation, and of the word.
    scores
        `(m,)` towards the explanation's label.
    """

    words: tuple[str, ...]
    labels: Integers
    rows: Integers
    columns: Integers
    scores: Floats

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    def noted(self, shown: int) -> NDArray[np.bool_]:
        """`(m,)` whether the word is among the `shown` of its explanation with the largest scores.

        Only words that speak for the label are noted: those with a score above 0. Words that tie for a place are noted
        only if there is a place for each of them.
        """
        largest = np.zeros(len(self))
        np.maximum.at(largest, self.rows, np.abs(self.scores))
        scores = np.round(self.scores / np.where(largest > 0, largest, 1.0)[self.rows], _DIGITS)
        order = np.lexsort((-scores, self.rows))
        rows, ordered = self.rows[order], scores[order]
        new = np.concatenate([[True], (rows[1:] != rows[:-1]) | (ordered[1:] != ordered[:-1]), [True]])
        last_of_tie = np.flatnonzero(new[1:])[np.cumsum(new[:-1]) - 1]
        rank = last_of_tie - np.searchsorted(rows, rows) + 1
        is_noted = np.empty(len(rows), dtype=np.bool_)
        is_noted[order] = (rank <= shown) & (ordered > 0)
        return is_noted


@dataclass(frozen=True, eq=False)
class WordRanking:
    """Words by a statistic, the largest first; of equal ones alphabetically.

    Attributes
    ----------
    words
        `V`
    values
        `(V,)`
    """

    words: tuple[str, ...]
    values: Floats

    def rank_of(self, words: Collection[str]) -> int | None:
        """Rank of the best of `words` among all others, 1 for the first; None if none of them is in the ranking.

        Words with the same value stand before it: ties count against `words`.
        """
        looked_for = decoy_words(words)
        own = np.array([word in looked_for for word in self.words])
        return None if not own.any() else 1 + int((self.values[~own] >= self.values[own].max()).sum())


def score_table(explanations: Sequence[Attribution] | ScoreTable) -> ScoreTable:
    """The table of explanations; what is a table already stays as it is.

    Raises
    ------
    ValueError
        If there are no explanations, or a score that is NaN or infinite: of which explanation.
    """
    if isinstance(explanations, ScoreTable):
        return explanations
    if not len(explanations):
        raise ValueError("there are no explanations; explain at least one text")
    scores = np.concatenate([each.scores for each in explanations])
    rows = np.repeat(np.arange(len(explanations)), [len(each.words) for each in explanations])
    if not np.isfinite(scores).all():
        number = rows[~np.isfinite(scores)][0]
        raise ValueError(f"a score of explanation {number} is NaN or infinite; leave such explanations out")
    words = tuple(sorted({word for each in explanations for word in each.words}))
    numbers = {word: number for number, word in enumerate(words)}
    columns = np.array([numbers[word] for each in explanations for word in each.words], dtype=np.int64)
    units = np.concatenate([each.units for each in explanations])
    once = np.unique(rows * (units.max() + 1) + units, return_index=True)[1]
    entries, places = np.unique((rows * len(words) + columns)[once], return_inverse=True)
    return ScoreTable(
        words=words,
        labels=np.array([each.label for each in explanations], dtype=np.int64),
        rows=entries // len(words),
        columns=entries % len(words),
        scores=np.bincount(places, weights=scores[once]).astype(np.float64),
    )


def word_statistics(explanations: Sequence[Attribution] | ScoreTable, by: str, least: int) -> Floats:
    """`(V,)` statistic of each word of the table; NaN where `mean` has fewer than `least` explanations.

    `first_places`: the number of explanations in which the word alone has the largest score, above 0; `total`: the sum
    of its scores; `mean`: the mean of its scores over the explanations that contain it.

    Raises
    ------
    ValueError
        If given an unknown statistic, with the nearest name, or a least count below 1.
    """
    check_name(by, STATISTICS, "statistic")
    if least < 1:
        raise ValueError(f"a mean needs one explanation or more, got least={least}")
    table = score_table(explanations)
    size = len(table.words)
    if by == "first_places":
        return np.bincount(table.columns[table.noted(1)], minlength=size).astype(np.float64)
    total = np.bincount(table.columns, weights=table.scores, minlength=size).astype(np.float64)
    if by == "total":
        return total
    count = np.bincount(table.columns, minlength=size)
    return np.where(count >= least, total / count, np.nan)


def ranked(words: Sequence[str], values: Floats) -> WordRanking:
    """Alphabetical `words` by their values `(V,)`, those without one left out."""
    order = np.argsort(-values, kind="stable")
    order = order[~np.isnan(values[order])]
    return WordRanking(tuple(words[at] for at in order), values[order])


def decoy_words(words: Collection[str]) -> frozenset[str]:
    """The words of a decoy as a set; ValueError if there are none to look for."""
    own = word_set(words)
    if not own:
        raise ValueError(
            "the decoy has no words (such as one of length or position): who looks at scores of words cannot name it"
        )
    return own


def word_set(words: Collection[str]) -> frozenset[str]:
    """The words as a set; ValueError for a single string, whose letters they would be."""
    if isinstance(words, str):
        raise ValueError(f"expected a collection of words, got the string {words!r}; give ({words!r},)")
    return frozenset(words)


def check_name(given: str, names: Sequence[str], called: str) -> None:
    """ValueError with the nearest name unless `given` is among `names`."""
    if given not in names:
        near = difflib.get_close_matches(str(given), names, n=1, cutoff=0.0)
        raise ValueError(f"no {called} is called {given!r}; did you mean {near[0]!r}? There are {', '.join(names)}")
