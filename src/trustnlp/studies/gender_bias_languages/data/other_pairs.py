"""Pairs of words that differ in gender and are none of Table 1 of Matthews et al. (2021).

A direction made from the pairs of Table 1 is about gender if it puts *other* pairs in order. Released lists come first:
in English the equalised and defining pairs of Bolukbasi et al. (2016), in Spanish and French the defining pairs and
occupations of Zhou et al. (2019). `other_pairs.toml` beside this module has more, written by this project.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from trustnlp.data.words.gender_words import check_language, words_of_lists
from trustnlp.data.words.released_word_lists import read_equalized, read_zhou_pairs

Pair = tuple[str, str]
SOURCES = {
    "en": "Bolukbasi et al. (2016)",
    "es": "Zhou et al. (2019), and ours",
    "fr": "Zhou et al. (2019), and ours",
    "de": "ours",
    "ar": "ours",
}


def further_pairs(language: str, *, released: bool = True) -> tuple[Pair, ...]:
    """(female, male) pairs of a language, as its lists write them, each once; none where there is no list.

    Left out are pairs with a word of Table 1 or of a profession that the paper scores, and any wording of the pair
    *wife–husband*, whose words are under test.

    Parameters
    ----------
    released
        Whether released lists are read, which have to be fetched.

    Raises
    ------
    ValueError
        Nobody knows the language.
    DataError
        A released list cannot be fetched or read.
    """
    check_language(language)
    entry = _content().get(language, {"pairs": [], "tested": []})
    listed = [tuple(pair.split()) for pair in entry["pairs"]]
    if released:
        listed = [*_released(language), *listed]
    barred = {word.lower() for word in words_of_lists(language)} | set(entry["tested"])
    lowered = dict.fromkeys((female.lower(), male.lower()) for female, male in listed)
    return tuple(pair for pair in lowered if not barred & set(pair))


def _released(language: str) -> tuple[Pair, ...]:
    if language == "en":
        return read_equalized()
    if language == "es":
        return read_zhou_pairs("es")
    return read_zhou_pairs("fr") if language == "fr" else ()


@cache
def _content() -> dict[str, Any]:
    text = (resources.files("trustnlp.studies.gender_bias_languages.data") / "other_pairs.toml").read_text(
        encoding="utf-8"
    )
    found: dict[str, Any] = tomllib.loads(text)["language"]
    return found
