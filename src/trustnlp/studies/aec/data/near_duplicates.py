"""Texts that are nearly equal: rules by which a corpus can be rid of them, for the paper does not say which it took.

Misra, Liu and Mahmud (2021), §3.1: "A preprocessing step to remove near duplicates gives a training set distribution as
shown in Table 1". `RULES` are those tried here. One of them gives the three numbers of Table 1 exactly, which does not
prove that it was the paper's: nine were tried, and none of them drops more than 16 of the 8,544 texts.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]


def letters_and_digits(text: str) -> str:
    """What is left of a text without blanks, signs and capitals.

    >>> letters_and_digits("Well , it 's No. 1 !")
    'wellitsno1'
    """
    return "".join(sign for sign in text.lower() if sign.isalnum())


@dataclass(frozen=True)
class Rule:
    """Which texts count as one; the first of them is kept.

    Attributes
    ----------
    held_out
        Whether texts that also occur in the held-out parts are dropped, all of them.
    key
        Texts with equal keys are one; None lets equal texts be.
    overlap
        Texts are one if the words that both have are at least this share of the words that either has (the Jaccard
        index, of lower-cased words between blanks); None compares no words.
    """

    held_out: bool = False
    key: Callable[[str], str] | None = None
    overlap: float | None = None


# Takes a text as it is.
_AS_IT_IS = str
# The one that gives Table 1.
PRINTED_RULE = "held out, equal"
RULES = {
    "none": Rule(),
    "equal": Rule(key=_AS_IT_IS),
    "held out": Rule(held_out=True),
    PRINTED_RULE: Rule(held_out=True, key=_AS_IT_IS),
    "letters and digits": Rule(key=letters_and_digits),
    "held out, letters and digits": Rule(held_out=True, key=letters_and_digits),
    "overlap .9": Rule(overlap=0.9),
    "overlap .85": Rule(overlap=0.85),
    "overlap .8": Rule(overlap=0.8),
}


def kept_rows(texts: Sequence[str], held_out: Sequence[str], rule: str) -> Rows:
    """Numbers of the texts that a rule keeps, in ascending order.

    Parameters
    ----------
    held_out
        Texts of the other parts of the corpus, dev and test.
    rule
        One of `RULES`.

    Raises
    ------
    ValueError
        Another rule.
    """
    if rule not in RULES:
        raise ValueError(f"no rule is called {rule!r}; there are {', '.join(map(repr, RULES))}")
    found = RULES[rule]
    key = found.key or _AS_IT_IS
    excluded = {key(text) for text in held_out} if found.held_out else set()
    rows = [row for row, text in enumerate(texts) if key(text) not in excluded]
    if found.key is not None:
        rows = [rows[at] for at in first_rows([key(texts[row]) for row in rows])]
    if found.overlap is not None:
        rows = [rows[at] for at in unlike_rows([texts[row].lower().split() for row in rows], found.overlap)]
    return np.array(rows, dtype=np.int64)


def first_rows(keys: Sequence[object]) -> Rows:
    """Where each key stands first, in ascending order.

    >>> first_rows(["b", "a", "b", "c"]).tolist()
    [0, 1, 3]
    """
    first: dict[object, int] = {}
    for row, key in enumerate(keys):
        first.setdefault(key, row)
    return np.array(list(first.values()), dtype=np.int64)


def unlike_rows(texts: Sequence[Sequence[str]], overlap: float) -> Rows:
    """Texts, as their words, that are unlike every text kept before them.

    Two sets of words x and y with a Jaccard index of at least t have t·|x| words in common, so every selection of more
    than |x| - t·|x| words of x meets y. Each text is compared with those alone that share one of its rarest words
    (prefix filtering: Chaudhuri, Ganti and Kaushik, 2006). Texts without words are equal.

    Raises
    ------
    ValueError
        An overlap outside (0, 1].
    """
    if not 0 < overlap <= 1:
        raise ValueError(f"the overlap lies in (0, 1], got {overlap}")
    sets = [frozenset(words) for words in texts]
    frequency = Counter(word for words in sets for word in words)
    kept: list[int] = []
    kept_with: defaultdict[str, list[int]] = defaultdict(list)
    for row, words in enumerate(sets):
        rarest = sorted(words, key=lambda word: (frequency[word], word))
        # A trifle less than t·|x|, lest rounding upwards should hide a text that is just alike enough.
        prefix = rarest[: len(words) - math.ceil(overlap * len(words) - 1e-9) + 1] or [""]
        others = {other for word in prefix for other in kept_with[word]}
        if not any(_jaccard(words, sets[other]) >= overlap for other in others):
            kept.append(row)
            for word in prefix:
                kept_with[word].append(row)
    return np.array(kept, dtype=np.int64)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    either = len(one | other)
    return len(one & other) / either if either else 1.0
