"""Words of the lists: counted in text, looked up in translations, and shown in tables that say each cell's language.

A browser then chooses a font and orders right-to-left words by itself; figures have English concepts only.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.words.gender_words import WORD_LANGUAGES, State, word_list
from trustnlp.studies.gender_bias_languages.data import LanguageText, language_text

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


def cell(words: Iterable[str], language: str) -> str:
    """A table cell of words in a language, `lang` and `dir` set."""
    listed = word_list(language)
    inner = ", ".join(map(html.escape, words)) or "–"
    return f'<td lang="{listed.tag}" dir="{listed.direction}">{inner}</td>'


def _table(caption: str, heads: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> str:
    top = "".join(f'<th scope="col">{html.escape(head)}</th>' for head in heads)
    body = "".join(f'<tr><th scope="row">{html.escape(name)}</th>{"".join(cells)}</tr>' for name, cells in rows)
    return (
        f'<div class="tn-scroll"><table><caption>{html.escape(caption)}</caption>'
        f"<thead><tr><td></td>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def pairs_table(state: State, languages: Sequence[str] = WORD_LANGUAGES) -> str:
    """The defining words of the languages, a row for each concept; a dash where a list has no such pair."""
    lists = {language: word_list(language, state) for language in languages}
    concepts = list(word_list("en").pairs)
    rows = []
    for concept in concepts:
        for side, name in enumerate(concept.split("-")):
            cells = [cell([own.pairs[concept][side]] if concept in own.pairs else [], x) for x, own in lists.items()]
            rows.append((name, cells))
    return _table(f"Defining words, {state}.", [own.name for own in lists.values()], rows)


def professions_table(languages: Sequence[str], kinds: Sequence[str] = ("feminine", "masculine", "neutral")) -> str:
    """Forms of the professions in a few languages, and where each entry comes from."""
    lists = {language: word_list(language) for language in languages}
    heads = [f"{own.name}, {kind}" for own in lists.values() for kind in (*kinds, "source")]
    rows = []
    for number, first in enumerate(word_list("en").professions):
        cells = []
        for language, own in lists.items():
            profession = own.professions[number]
            cells += [cell(getattr(profession, kind), language) for kind in kinds]
            cells.append(f"<td>{profession.source}</td>")
        rows.append((first.concept, cells))
    return _table("Forms of the professions; this is not the authors' list.", heads, rows)
