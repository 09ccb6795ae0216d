"""Tables of words in nine languages for a page: each cell says its language and its direction of writing.

A browser then chooses a font and orders right-to-left words by itself; figures have English concepts only.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence

from trustnlp.data.words.gender_words import WORD_LANGUAGES, State, word_list


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


def counts_table(language: str, counts: Mapping[str, int], forms: Mapping[str, Sequence[str]]) -> str:
    """How often each form of a concept occurs."""
    rows = [
        (concept, [cell(words, language), f"<td>{', '.join(f'{counts.get(w, 0):,}' for w in words)}</td>"])
        for concept, words in forms.items()
    ]
    return _table(f"Counts, {word_list(language).name}.", ["forms", "occurrences"], rows)
