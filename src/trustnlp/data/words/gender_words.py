"""Words that have a gender, and professions, in nine languages: `gender_words.toml` beside this module.

Matthews et al. (2021), Table 1 and §2.2. The defining pairs come in three states: `printed` (our copy of the paper,
letter by letter), `repaired` (what text extraction damaged put right, nothing else) and `reconciled` (only pairs of
single words that differ in gender alone). §4.1: *Junge* and *fille* mean more than boy and girl; such forms are listed
with a dictionary for each, and can be left out. The forms of the 32 professions were written out for this book from the
paper's rules; they are not the authors' list, which is not public.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Any, Literal, get_args

State = Literal["printed", "repaired", "reconciled"]
STATES: tuple[State, ...] = get_args(State)
_KINDS = {"feminine": "f", "masculine": "m", "neutral": "n"}
WORD_LANGUAGES = ("en", "zh", "es", "ar", "de", "fr", "fa", "ur", "wo")


@dataclass(frozen=True)
class Profession:
    """Forms of one profession: for women, for men, for both, and for each where it comes from.

    Attributes
    ----------
    sources
        Form → `paper`, `zhou2019` or `own`.
    """

    concept: str
    feminine: tuple[str, ...]
    masculine: tuple[str, ...]
    neutral: tuple[str, ...]
    sources: Mapping[str, str]

    @property
    def forms(self) -> tuple[str, ...]:
        """All forms, feminine first."""
        return self.feminine + self.masculine + self.neutral

    @property
    def source(self) -> str:
        """The sources of all forms, each once."""
        return ", ".join(dict.fromkeys(self.sources[form] for form in self.forms))

    def _each_kind(self, change: Callable[[tuple[str, ...]], Iterable[str]]) -> dict[str, tuple[str, ...]]:
        return {kind: tuple(change(getattr(self, kind))) for kind in _KINDS}

    def _kept(self, keep: Callable[[str], bool]) -> Profession:
        return replace(self, **self._each_kind(lambda forms: filter(keep, forms)))  # type: ignore[arg-type]

    def _written(self, form: Callable[[str], str]) -> Profession:
        sources = {form(word): source for word, source in self.sources.items()}
        return replace(self, sources=sources, **self._each_kind(lambda forms: map(form, forms)))  # type: ignore[arg-type]


@dataclass(frozen=True)
class SecondMeaning:
    """A form of the lists that text also has in another everyday sense.

    Attributes
    ----------
    form, meaning, source
        As the lists write it; the other sense; dictionary and headword.
    folded
        Only in text whose hamza is dropped.
    """

    form: str
    meaning: str
    source: str
    folded: bool = False


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
    normalised
        Whether the words went through a text's normalisation (`written`); the lists themselves did not, so that a
        printed word with damaged letters is not found in text without it.
    """

    language: str
    name: str
    tag: str
    direction: str
    pairs: dict[str, tuple[str, str]]
    professions: tuple[Profession, ...]
    notes: tuple[str, ...]
    normalised: bool = False

    def written(self, form: Callable[[str], str]) -> WordList:
        """The list as words occur in a text, such as by `LanguageWords.form`: normalised, cased, phrases joined.

        Raises
        ------
        ValueError
            If it went through a normalisation already.
        """
        if self.normalised:
            raise ValueError(f"the {self.name} list is normalised already; take a fresh one from word_list")
        return replace(
            self,
            pairs={concept: (form(female), form(male)) for concept, (female, male) in self.pairs.items()},
            professions=tuple(profession._written(form) for profession in self.professions),
            normalised=True,
        )


def word_list(
    language: str, state: State = "repaired", *, homographs: bool = True, fold_hamza: bool = False
) -> WordList:
    """The list of a language, its words as they were written down.

    Parameters
    ----------
    language
        One of `WORD_LANGUAGES`.
    state
        Of the pairs.
    homographs
        False leaves out the forms that have an everyday second meaning (`second_meanings`), each with its pair, and
        a profession of which no form is left.
    fold_hamza
        Whether the text drops hamza, so that more forms have one.

    Raises
    ------
    ValueError
        If nobody knows the language or the state.
    """
    check_language(language)
    if state not in STATES:
        raise ValueError(f"unknown state {state!r} of the list; choose one of {', '.join(STATES)}")
    raw = _content()
    entry = raw["language"][language]
    pairs = dict(zip(raw["concepts"], map(tuple, entry[state]), strict=True))
    professions = [
        Profession(
            concept, **{kind: tuple(forms.get(key, ())) for kind, key in _KINDS.items()}, sources=_sources(forms)
        )
        for concept, forms in raw["profession"][language].items()
    ]
    barred = set() if homographs else {m.form for m in second_meanings(language) if fold_hamza or not m.folded}
    remaining = (profession._kept(lambda form: form not in barred) for profession in professions)
    return WordList(
        language,
        entry["name"],
        entry["tag"],
        entry["direction"],
        {concept: pair for concept, pair in pairs.items() if all(pair) and not barred & {*pair}},
        tuple(profession for profession in remaining if profession.forms),
        tuple(entry["notes"]),
    )


def check_language(language: str, known: Sequence[str] = WORD_LANGUAGES) -> None:
    """ValueError for a code that is none of those known, with the nearest code or the code of the name given."""
    if language in known:
        return
    names = {_content()["language"][code]["name"].lower(): code for code in known}
    names |= {"persian": "fa"} if "fa" in known else {}
    asked = str(language).lower().replace("_", "-")
    near = get_close_matches(asked, names, n=1, cutoff=0.6)
    base = asked.split("-")[0]
    code = names[near[0]] if near else base if base in known else None
    if code is None and len(base) <= 3:  # "deu" is near "de"; of longer words every code is a chance hit
        code = next(iter(get_close_matches(base, known, 1, 0.6)), None)
    hint = f" Did you mean {code!r}?" if code else ""
    raise ValueError(f"unknown language {language!r}; choose one of {', '.join(known)}.{hint}")


def second_meanings(language: str) -> tuple[SecondMeaning, ...]:
    """Forms of a language's lists that have an everyday second meaning; empty where none is known to us."""
    check_language(language)
    return tuple(SecondMeaning(**entry) for entry in _content()["language"][language]["second_meanings"])


def _sources(forms: Mapping[str, Any]) -> dict[str, str]:
    stated = forms["source"]
    if isinstance(stated, str):
        return {form: stated for kind in "fmn" for form in forms.get(kind, ())}
    return {form: source for source, own in stated.items() for form in own}


def words_of_lists(language: str) -> set[str]:
    """Every word of a language's lists, in all states."""
    lists = [word_list(language, state) for state in STATES]
    defining = {word for each in lists for pair in each.pairs.values() for word in pair}
    return defining | {form for profession in lists[0].professions for form in profession.forms}


@cache
def _content() -> dict[str, Any]:
    return tomllib.loads((resources.files("trustnlp.data.words") / "gender_words.toml").read_text(encoding="utf-8"))
