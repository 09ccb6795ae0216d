"""The four word sets of an association test: the forms it may be given in, and the checks that they make one.

Caliskan, Bryson and Narayanan (2017), §"Methods": two sets of targets X, Y and two of attributes A, B. A test is given
as its number, as a `WeatTest`, as four lists, or as a mapping of four sets; each is turned into a `WeatTest` or refused
in one line. Targets of unequal number are accepted: all statistics here are differences of means, and the permutation
test keeps the sizes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import TypeGuard

import numpy as np

from trustnlp.data.words.weat_stimuli import WeatTest, read_weat_tests

SETS = ("X", "Y", "A", "B")
WordSets = Sequence[Collection[str]] | Mapping[str, Collection[str]]


class StimuliError(ValueError):
    """The four sets do not make a test."""


class MissingWordsError(StimuliError):
    """Too many of a test's words have no vector."""


def resolve(test: int | str | WeatTest | WordSets) -> WeatTest:
    """The test meant.

    Parameters
    ----------
    test
        A number from 1 to 10 (an `int`, a numpy integer or its digits), for which the lists behind the published
        numbers are read; a `WeatTest`; the four lists X, Y, A, B; or a mapping with the keys X, Y, A, B, or with four
        other keys, which then name X, Y, A and B in their order. Python sets are put into alphabetical order.

    Raises
    ------
    StimuliError
        If it is none of these, or its sets are empty, overlap or hold a word twice.
    """
    if isinstance(test, WeatTest):
        chosen = test
    elif _is_number(test):
        chosen = _numbered(int(test))
    elif isinstance(test, Mapping):
        names = SETS if set(test) == set(SETS) else tuple(str(name) for name in test)
        chosen = _own([test[name] for name in (SETS if names == SETS else test)], names)
    elif isinstance(test, (bool, np.bool_, str)) or not isinstance(test, Sequence):
        raise StimuliError(
            f"{test!r} is no test; give its number from 1 to 10, a WeatTest, four lists of words (X, Y, A, B), or a "
            "mapping of four sets"
        )
    else:
        chosen = _own(list(test), SETS)
    check_sets(chosen)
    return chosen


def lowered(test: WeatTest) -> WeatTest:
    """The test in lower case, for vectors whose words are. StimuliError when two of its words become one."""
    lower = {name: tuple(word.lower() for word in getattr(test, name)) for name in SETS}
    changed = replace(test, X=lower["X"], Y=lower["Y"], A=lower["A"], B=lower["B"])
    check_sets(changed)
    return changed


def check_sets(test: WeatTest) -> None:
    """StimuliError unless the sets hold words, each of them once, and no word stands in two sets."""
    sets: dict[str, tuple[str, ...]] = {name: getattr(test, name) for name in SETS}
    for name, words in sets.items():
        if not words:
            raise StimuliError(f"set {name} is empty")
        strange = [word for word in words if not isinstance(word, str)]
        if strange:
            raise StimuliError(f"set {name} holds {strange[0]!r}, a {type(strange[0]).__name__}; give words as strings")
        if len(set(words)) < len(words):
            twice = sorted({word for word in words if words.count(word) > 1})
            raise StimuliError(f"set {name} holds {_some(twice)} more than once")
    for first, second in (("X", "Y"), ("A", "B"), ("X", "A"), ("X", "B"), ("Y", "A"), ("Y", "B")):
        both = sorted(set(sets[first]) & set(sets[second]))
        if both:
            kind = (first in "XY") == (second in "XY")
            why = "choose one side" if kind else "a word is nearest to itself, whatever it means: leave it out of one"
            raise StimuliError(f"{_some(both)} are in both {first} and {second}; {why}")


def _is_number(test: object) -> TypeGuard[int | str]:
    if isinstance(test, str):
        return test.strip().isdecimal()
    return isinstance(test, Integral) and not isinstance(test, bool)


def _numbered(number: int) -> WeatTest:
    if not 1 <= number <= 10:
        raise StimuliError(f"there are the tests 1 to 10, got {number}; give four lists of words for another")
    return read_weat_tests()[number]


def _own(sets: list[Collection[str]], names: tuple[str, ...]) -> WeatTest:
    if len(sets) != len(SETS) or any(isinstance(words, str) or not isinstance(words, Collection) for words in sets):
        raise StimuliError(f"expected four lists of words (X, Y, A, B), got {len(sets)} items")
    X, Y, A, B = (
        tuple(sorted(words, key=str)) if isinstance(words, (set, frozenset)) else tuple(words) for words in sets
    )
    x, y, a, b = names
    return WeatTest(0, "own sets", X, Y, A, B, (x, y, a, b))


def _some(words: list[str]) -> str:
    return ", ".join(map(repr, words[:5])) + (", …" if len(words) > 5 else "")
