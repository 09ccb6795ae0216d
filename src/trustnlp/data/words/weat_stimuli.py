"""The ten Word Embedding Association Tests of Caliskan, Bryson and Narayanan (2017), Table 1: their word lists.

`canonical`, the default everywhere in this package, is the one set of lists that gives the published numbers of
word2vec in all ten tests. Two public files hold the lists; each departs from them somewhere, which a test checks:

==========  ==================================  =================================================
test        `wefe`                              `caliskan`
==========  ==================================  =================================================
4 and 5                                         16 names in each target set, not 18: without Jay and Kristen, Tremayne
                                                and Latonya
9                                               'short-term' for 'short'
10          'Bill' for 'Billy'
==========  ==================================  =================================================

`canonical`
    wefe's lists with *Billy* in WEAT 10. With the GoogleNews vectors the 18 names, not the 16, give the effect sizes
    published for tests 4 and 5; 'short', not 'short-term', that of test 9; 'Billy', not 'Bill', that of test 10.
`wefe`
    The 31 lists that the library wefe ships, assembled here into the ten tests and otherwise left as they are.
`caliskan`
    The files that May et al. (2019) made of the published tests, one per test.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from trustnlp.data.store import fetch

Source = Literal["canonical", "caliskan", "wefe"]


@dataclass(frozen=True)
class WeatTest:
    """One association test: do targets X lean to attributes A, and targets Y to B?

    `names` are those of X, Y, A and B, in this order.
    """

    number: int
    title: str
    X: tuple[str, ...]
    Y: tuple[str, ...]
    A: tuple[str, ...]
    B: tuple[str, ...]
    names: tuple[str, str, str, str]

    @property
    def words(self) -> tuple[str, ...]:
        """All stimuli: X, Y, A, B, one after the other."""
        return self.X + self.Y + self.A + self.B


@dataclass(frozen=True)
class _Design:
    """Names of the four sets of a test, for readers, and of its four lists in the wefe file."""

    names: tuple[str, str, str, str]
    wefe: tuple[str, str, str, str]


_EUROPEAN, _AFRICAN = "European American names", "African American names"
_MALE, _FEMALE = "male terms", "female terms"
_DESIGNS: dict[int, _Design] = {
    1: _Design(("flowers", "insects", "pleasant", "unpleasant"), ("flowers", "insects", "pleasant_5", "unpleasant_5a")),
    2: _Design(
        ("instruments", "weapons", "pleasant", "unpleasant"),
        ("instruments", "weapons", "pleasant_5", "unpleasant_5a"),
    ),
    3: _Design(
        (_EUROPEAN, _AFRICAN, "pleasant", "unpleasant"),
        ("european_american_names_5", "african_american_names_5", "pleasant_5", "unpleasant_5b"),
    ),
    4: _Design(
        (_EUROPEAN, _AFRICAN, "pleasant", "unpleasant"),
        ("european_american_names_7", "african_american_names_7", "pleasant_5", "unpleasant_5b"),
    ),
    5: _Design(
        (_EUROPEAN, _AFRICAN, "pleasant", "unpleasant"),
        ("european_american_names_7", "african_american_names_7", "pleasant_9", "unpleasant_9"),
    ),
    6: _Design(("male names", "female names", "career", "family"), ("male_names", "female_names", "career", "family")),
    7: _Design(("math", "arts", _MALE, _FEMALE), ("math", "arts", "male_terms", "female_terms")),
    8: _Design(("science", "arts", _MALE, _FEMALE), ("science", "arts_2", "male_terms_2", "female_terms_2")),
    9: _Design(
        ("mental disease", "physical disease", "temporary", "permanent"),
        ("mental_disease", "physical_disease", "temporary", "permanent"),
    ),
    10: _Design(
        ("young people's names", "old people's names", "pleasant", "unpleasant"),
        ("young_people_names", "old_people_names", "pleasant_9", "unpleasant_9"),
    ),
}


def read_weat_tests(source: Source = "canonical") -> dict[int, WeatTest]:
    """The ten tests by number.

    Parameters
    ----------
    source
        `canonical` and `wefe` are made of the data set `wefe_weat_lists`, for which the package index suffices;
        `caliskan` is the data set `weat_stimuli` and needs the mirror or the network. The head of this module says
        where they differ.

    Raises
    ------
    DataError
        If the data cannot be fetched.
    ValueError
        If given an unknown source.
    """
    if source == "caliskan":
        paths = fetch("weat_stimuli")
        return {number: _test(number, _caliskan_sets(paths[f"weat{number}"])) for number in _DESIGNS}
    if source in ("canonical", "wefe"):
        lists = json.loads(fetch("wefe_weat_lists")["lists"].read_text("utf-8"))
        tests = {number: _test(number, [lists[key] for key in each.wefe]) for number, each in _DESIGNS.items()}
        if source == "canonical":
            young = tuple("Billy" if name == "Bill" else name for name in tests[10].X)
            tests[10] = replace(tests[10], X=young)
        return tests
    raise ValueError(f"unknown source of WEAT lists {source!r}; choose 'canonical', 'caliskan' or 'wefe'")


def _test(number: int, sets: Iterable[Iterable[str]]) -> WeatTest:
    X, Y, A, B = map(tuple, sets)
    names = _DESIGNS[number].names
    x, y, a, b = names
    title = f"{x} and {y}, {a} and {b}"
    return WeatTest(number, title[0].upper() + title[1:], X, Y, A, B, names)


def _caliskan_sets(path: Path) -> list[list[str]]:
    """One sent-bias file: a single JSON object, in spite of its name's ending."""
    content = json.loads(path.read_text("utf-8"))
    return [content[key]["examples"] for key in ("targ1", "targ2", "attr1", "attr2")]
