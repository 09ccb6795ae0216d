"""Words that have a gender, and professions, in nine languages: `gender_words.toml` beside this module.

Matthews et al. (2021), Table 1 and §2.2. The defining pairs come in three states: `printed` (our copy of the paper,
letter by letter), `repaired` (what text extraction damaged put right, nothing else) and `reconciled` (only pairs of
single words that differ in gender alone). The forms of the 32 professions were written out for this book from the
paper's rules; they are not the authors' list, which is not public.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, get_args

State = Literal["printed", "repaired", "reconciled"]
STATES: tuple[State, ...] = get_args(State)
WORD_LANGUAGES = ("en", "zh", "es", "ar", "de", "fr", "fa", "ur", "wo")


@dataclass(frozen=True)
class Profession:
    """Forms of one profession: for women, for men, for both, and where they come from (`paper`, `zhou2019`, `own`)."""

    concept: str
    feminine: tuple[str, ...]
    masculine: tuple[str, ...]
    neutral: tuple[str, ...]
    source: str

    @property
    def forms(self) -> tuple[str, ...]:
        """All forms, feminine first."""
        return self.feminine + self.masculine + self.neutral


@dataclass(frozen=True)
class WordList:
    """The words of one language.

    Attributes
    ----------
    language, name, tag, direction
        Code, English name, and the `lang` and `dir` of HTML.
    pairs
        Concept ("woman-man") → (female, male). A concept without a pair of single words is left out.
    professions
        In the order of the paper.
    notes
        What is unequal about the printed pairs.
    """

    language: str
    name: str
    tag: str
    direction: str
    pairs: dict[str, tuple[str, str]]
    professions: tuple[Profession, ...]
    notes: tuple[str, ...]


def word_list(language: str, state: State = "repaired") -> WordList:
    """The list of a language.

    Raises
    ------
    ValueError
        Nobody knows the language or the state.
    """
    if language not in WORD_LANGUAGES:
        raise ValueError(f"unknown language {language!r}; choose one of {', '.join(WORD_LANGUAGES)}")
    if state not in STATES:
        raise ValueError(f"unknown state {state!r} of the list; choose one of {', '.join(STATES)}")
    raw = _content()
    entry = raw["language"][language]
    pairs = dict(zip(raw["concepts"], map(tuple, entry[state]), strict=True))
    professions = tuple(
        Profession(concept, *(tuple(forms.get(kind, ())) for kind in "fmn"), forms["source"])
        for concept, forms in raw["profession"][language].items()
    )
    return WordList(
        language,
        entry["name"],
        entry["tag"],
        entry["direction"],
        {concept: pair for concept, pair in pairs.items() if all(pair)},
        professions,
        tuple(entry["notes"]),
    )


def pronouns(language: str) -> tuple[str, str]:
    """She and he."""
    female, male = _content()["language"][language]["pronouns"]
    return female, male


def possessives(language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is written for her and for his, before a noun; KeyError for the languages that have no entry."""
    female, male = _content()["language"][language]["possessives"]
    return tuple(female), tuple(male)


def words_of_lists(language: str) -> set[str]:
    """Every word of a language's lists, in all states."""
    lists = [word_list(language, state) for state in STATES]
    defining = {word for each in lists for pair in each.pairs.values() for word in pair}
    return defining | {form for profession in lists[0].professions for form in profession.forms}


@cache
def _content() -> dict[str, Any]:
    return tomllib.loads((resources.files("trustnlp.data") / "gender_words.toml").read_text(encoding="utf-8"))
