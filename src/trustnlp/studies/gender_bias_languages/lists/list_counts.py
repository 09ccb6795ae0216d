"""Words of the lists counted in text: what can be used, the paper's stories of counts, and a check by translation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.words.gender_words import WORD_LANGUAGES, word_list
from trustnlp.studies.gender_bias_languages.data.language_runs import LanguageText, language_text

_ASTRONOMER = "عالم الفلك"  # the phrase that §3.2 prints


def usable(text: LanguageText, *, min_count: int) -> dict[str, int]:
    """Pairs, distinct pairs, professions and their gendered forms that occur often enough to get vectors."""

    def often(word: str) -> bool:
        return text.counts[word] >= min_count

    pairs = [pair for pair in text.pairs().values() if all(map(often, pair))]
    form = text.words.form
    professions = word_list(text.language).professions
    return {
        "pairs": len(pairs),
        "distinct_pairs": len(set(pairs)),
        "professions": sum(any(often(form(word)) for word in p.forms) for p in professions),
        "feminine_forms": sum(often(form(word)) for p in professions for word in p.feminine),
        "masculine_forms": sum(often(form(word)) for p in professions for word in p.masculine),
    }


def german_and_arabic(*, planted_tokens: int | None = None) -> dict[str, float]:
    """§3.2 and §4.1 again: capitalised words in lower-cased German, junge as an adjective, a phrase in Arabic.

    With `planted_tokens`, in made text, whose German is lower-cased and has no adjective.
    """
    texts = {
        language: language_text(language, planted_tokens=planted_tokens, rng=np.random.default_rng(0))
        for language in ("de", "ar")
    }
    listed = {word for pair in word_list("de", "printed").pairs.values() for word in pair}
    numbers: dict[str, float] = {
        "counts.de.capitalised_in_lower_case": float(sum(texts["de"].counts[word] for word in listed)),
        "counts.ar.astronomer_as_one_word": float(texts["ar"].counts[_ASTRONOMER]),
    }
    cased = texts["de"]
    if planted_tokens is None:
        cased = language_text("de", lower=False, rng=np.random.default_rng(0))
    lower, upper = cased.counts["junge"], cased.counts["Junge"]
    numbers["counts.de.junge_adjective_majority"] = lower / (lower + upper) - 0.5 if lower + upper else 0.0
    return numbers


def attested(sentences: Mapping[str, Sequence[str]]) -> dict[str, dict[str, tuple[int, int]]]:
    """Language → concept → how many translations have one of its forms, of how many English sentences with the word.

    Forms of several words are looked for in a row, and a sign at the end of a word (plural, case) is no match.
    """
    english = LanguageWords("en")
    has = [set(english(line)) for line in sentences["en"]]
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for language in WORD_LANGUAGES:
        if language == "en":
            continue
        professions = word_list(language).professions
        spaced = [word for p in professions for word in p.forms if "_" in LanguageWords(language).form(word)]
        words = LanguageWords(language, phrases=spaced)
        rows = [set(words(line)) for line in sentences[language]]
        own = {}
        for profession in professions:
            forms = {words.form(form) for form in profession.forms}
            lines = [row for row, line in enumerate(has) if profession.concept in line]
            own[profession.concept] = (sum(bool(rows[row] & forms) for row in lines), len(lines))
        found[language] = own
    return found
