"""Words of the lists: counted in text, looked up in translations, and shown in tables that say each cell's language.

A browser then chooses a font and orders right-to-left words by itself; figures have English concepts only.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence

from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.words.gender_words import WORD_LANGUAGES, State, word_list
from trustnlp.studies.gender_bias_languages.data import LanguageText


def usable(text: LanguageText, *, min_count: int) -> dict[str, int]:
    """Pairs, and professions with a form, that occur often enough to get vectors."""
    often = {word for word, count in text.counts.items() if count >= min_count}
    return {
        "pairs": sum(often.issuperset(pair) for pair in text.pairs().values()),
        "professions": sum(not often.isdisjoint(forms) for forms in text.professions().values()),
    }


def attested(sentences: Mapping[str, Sequence[str]]) -> dict[str, dict[str, tuple[int, int]]]:
    """Language → concept → how many translations have one of its forms, of how many English sentences with the word.

    Forms of several words are looked for in a row, and a sign at the end of a word (plural, case) is no match.
    """
    english = [set(LanguageWords("en")(line)) for line in sentences["en"]]
    shares: dict[str, dict[str, tuple[int, int]]] = {}
    for language in (x for x in WORD_LANGUAGES if x != "en"):
        professions, form = word_list(language).professions, LanguageWords(language).form
        words = LanguageWords(language, phrases=[w for p in professions for w in p.forms if "_" in form(w)])
        lines = list(zip(english, (set(words(line)) for line in sentences[language]), strict=True))
        shares[language] = {}
        for profession in professions:
            forms = set(map(words.form, profession.forms))
            hits = [not forms.isdisjoint(theirs) for ours, theirs in lines if profession.concept in ours]
            shares[language][profession.concept] = (sum(hits), len(hits))
    return shares


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


def pairs_table(state: State) -> str:
    """The defining words of the languages, a row for each concept; a dash where a list has no such pair."""
    lists = {language: word_list(language, state) for language in WORD_LANGUAGES}
    rows = [
        (name, [cell([own.pairs[concept][side]] if concept in own.pairs else [], x) for x, own in lists.items()])
        for concept in word_list("en").pairs
        for side, name in enumerate(concept.split("-"))
    ]
    return _table(f"Defining words, {state}.", [own.name for own in lists.values()], rows)


def professions_table(languages: Sequence[str], kinds: Sequence[str] = ("feminine", "masculine", "neutral")) -> str:
    """Forms of the professions in a few languages, and where each entry comes from."""
    lists = {language: word_list(language) for language in languages}
    heads = [f"{own.name}, {kind}" for own in lists.values() for kind in (*kinds, "source")]
    rows = []
    for own in zip(*(listed.professions for listed in lists.values()), strict=True):
        cells = []
        for language, profession in zip(lists, own, strict=True):
            cells += [cell(getattr(profession, kind), language) for kind in kinds]
            cells.append(f"<td>{profession.source}</td>")
        rows.append((own[0].concept, cells))
    return _table("Forms of the professions; this is not the authors' list.", heads, rows)
