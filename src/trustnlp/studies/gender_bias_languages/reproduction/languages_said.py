"""Which languages a number holds for, as sentences: a page then says what its record says, whatever that is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trustnlp.data.words.gender_words import WORD_LANGUAGES
from trustnlp.studies.gender_bias_languages.reproduction.language_figures import name_of

Metric = Mapping[str, Any]


def named(languages: Iterable[str]) -> str:
    """English names of languages in a row; "no language" for none.

    >>> named(["es", "de", "fr"]), named([])
    ('Spanish, German and French', 'no language')
    """
    names = [name_of(language) for language in languages]
    if len(names) < 2:
        return names[0] if names else "no language"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def of_languages(metrics: Mapping[str, Metric], name: str) -> dict[str, Metric]:
    """Language → its metric of a name ("defining.husband"); languages without it are left out."""
    keys = {language: f"{language}.{name}" for language in WORD_LANGUAGES}
    return {language: metrics[key] for language, key in keys.items() if key in metrics}


def by_side(metrics: Mapping[str, Metric]) -> dict[str, list[str]]:
    """Languages whose whole interval is above zero, below zero, or that zero divides: `above`, `below`, `open`."""
    found: dict[str, list[str]] = {"above": [], "below": [], "open": []}
    for language, metric in metrics.items():
        low, high = (metric["mean"] if metric[end] is None else metric[end] for end in ("low", "high"))
        found["above" if low > 0 else "below" if high < 0 else "open"].append(language)
    return found


def sides_said(what: str, metrics: Mapping[str, Metric], *, above: str, below: str) -> str:
    """One sentence on the sign of a number in all languages that have it.

    >>> told = {"en": {"mean": 0.2, "low": 0.1, "high": 0.3}, "fr": {"mean": -0.2, "low": -0.3, "high": -0.1}}
    >>> sides_said("Husband", told, above="leans female", below="leans male")
    'Husband leans female in English, leans male in French, and its interval holds zero in no language.'
    """
    found = by_side(metrics)
    return (
        f"{what} {above} in {named(found['above'])}, {below} in {named(found['below'])}, "
        f"and its interval holds zero in {named(found['open'])}."
    )
