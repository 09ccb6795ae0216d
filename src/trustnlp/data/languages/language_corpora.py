"""Text in nine languages to train word vectors on: novels, newspapers, read-aloud sentences, Bibles.

Matthews et al. (2021), §3, train on the Wikipedias of 2020-06-20, which are not here; `read_language` takes a folder of
extracts of such a dump in their place. The corpora at hand differ in size (0.2 to 6 million words) and in kind, so
that languages are comparable with care only: novels of one collection for German, English, Spanish and French.

Traps, each handled here: ELTeC's novels are separated by an empty line and ordered by identifier, so that a corpus is
a list of documents and a sample of it takes whole ones (`corpus_documents.draw_documents`). Persian verse is a corpus
of its own and not part of Farsi. The Wolof news are published twice; one copy is registered.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np

from trustnlp.data.languages.wikipedia_extracts import read_extracts
from trustnlp.data.registry import DataError
from trustnlp.data.store import fetch
from trustnlp.data.texts.corpus_documents import Corpus, Document
from trustnlp.data.words.gender_words import check_language

# Prose of each language, the largest corpus first.
OF_LANGUAGE: dict[str, tuple[str, ...]] = {
    "en": ("eltec_en",),
    "zh": ("classics_zh", "commonvoice_zh", "tatoeba_zh"),
    "es": ("eltec_es",),
    "ar": ("saudinewsnet",),
    "de": ("eltec_de",),
    "fr": ("eltec_fr",),
    "fa": ("farsi_news", "commonvoice_fa", "farsi_feeds"),
    "ur": ("ted_ur", "commonvoice_ur"),
    "wo": ("books_wo", "bible_wo", "news_wo"),
}
LANGUAGES = tuple(OF_LANGUAGE)
_CHAPTER = re.compile(r"第.{1,6}回")
_LINES_TOGETHER = 50
_VERSE_COUNT = re.compile(r"number of beyts:|\w+\.txt$")
Texts = Iterator[tuple[str, list[str]]]


def read_language(
    language: str,
    wikipedia: Path | str | None = None,
    *,
    date: str | None = None,
    characters: int | None = None,
    rng: np.random.Generator | None = None,
) -> Corpus:
    """All prose of a language, or the extracts of a Wikipedia dump.

    Parameters
    ----------
    language
        One of `LANGUAGES`.
    wikipedia
        Folder that WikiExtractor wrote (`trustnlp.data.languages.wikipedia_extracts`), in place of the corpora at hand.
    date, characters, rng
        Of `read_extracts`: day of the dump, and how much of it is drawn. Without `wikipedia` they must be left out.

    Raises
    ------
    ValueError
        If nobody knows the language, or something of a dump is asked for without one.
    DataError
        If a corpus cannot be fetched, or `read_extracts` would raise it.
    """
    check_language(language, LANGUAGES)
    if wikipedia is not None:
        return read_extracts(wikipedia, language, date=date, characters=characters, rng=rng)
    if date is not None or characters is not None:
        raise ValueError("date and characters are of a Wikipedia dump; give its folder (wikipedia=), or leave them out")
    parts = [read_corpus(name) for name in OF_LANGUAGE[language]]
    return Corpus("+".join(part.name for part in parts), language, tuple(d for part in parts for d in part.documents))


def read_corpus(name: str) -> Corpus:
    """Fetch and read one corpus of the registry, documents in the order of the file.

    Parameters
    ----------
    name
        One of those in `OF_LANGUAGE`, or `ganjoor_poems` (Persian verse).

    Raises
    ------
    DataError
        If it is not one of these corpora, or it cannot be fetched.
    """
    if name not in _LAYOUTS:
        raise DataError(f"{name!r} is no corpus of the nine languages; choose from {', '.join(_LAYOUTS)}")
    language, cut = _LAYOUTS[name]
    paths = fetch(name)
    with lzma.open(paths["text"], "rt", encoding="utf-8", newline="\n") as stream:
        texts = list(cut([line.rstrip("\n") for line in stream]))
    if "novels" in paths:  # a list beside the file: a path and a number of words to a line
        listed = paths["novels"].read_text(encoding="utf-8").splitlines()
        texts = [(Path(row.split("\t")[0]).stem, lines) for row, (_, lines) in zip(listed, texts, strict=True)]
    stripped = ((title, tuple(filter(None, map(str.strip, lines)))) for title, lines in texts)
    return Corpus(name, language, tuple(Document(title, lines) for title, lines in stripped if lines))


def _between_empty_lines(lines: list[str]) -> Texts:
    """One document between two empty lines."""
    blocks = (list(block) for full, block in groupby(lines, key=lambda line: bool(line.strip())) if full)
    return ((f"text {number}", block) for number, block in enumerate(blocks, start=1))


def _under_headers(lines: Iterable[str]) -> Texts:
    """One document under each line that opens with three number signs."""
    title, block = "", list[str]()
    for line in lines:
        if line.startswith("### "):
            yield title, block
            title, block = line[4:], []
        else:
            block.append(line)
    yield title, block


def _chapters(lines: list[str]) -> Texts:
    """The chapters of the four classic novels; what stands before the first is one of its own."""
    for book, text in _under_headers(lines):
        starts = [0, *(at for at, line in enumerate(text) if at and _CHAPTER.match(line)), len(text)]
        for number, (start, stop) in enumerate(pairwise(starts)):
            yield f"{book} {number}", text[start:stop]


def _verses(lines: list[str]) -> Texts:
    """Fifty lines of a poet together, without the lines that count them."""
    for poet, text in _under_headers(lines):
        verses = [line for line in text if line.strip() and not _VERSE_COUNT.match(line)]
        yield from ((f"{poet} {title}", block) for title, block in _blocks(verses))


def _blocks(lines: list[str]) -> Texts:
    """Fifty lines together: sentences without documents, or captions of talks that are not told apart."""
    starts = range(0, len(lines), _LINES_TOGETHER)
    return ((f"lines {number}", lines[at : at + _LINES_TOGETHER]) for number, at in enumerate(starts))


def _mandarin_column(lines: list[str]) -> Texts:
    """The second column of a table with the header `eng`, `cmn`."""
    return _blocks([row.split("\t")[1] for row in lines[1:]])


# Language of each corpus, and how its lines become documents with names.
_LAYOUTS: dict[str, tuple[str, Callable[[list[str]], Texts]]] = {
    **{f"eltec_{code}": (code, _between_empty_lines) for code in ("de", "en", "es", "fr")},
    "saudinewsnet": ("ar", _between_empty_lines),
    "farsi_news": ("fa", _between_empty_lines),
    "farsi_feeds": ("fa", _between_empty_lines),
    "commonvoice_fa": ("fa", _blocks),
    "ganjoor_poems": ("fa", _verses),
    "ted_ur": ("ur", _blocks),
    "commonvoice_ur": ("ur", _blocks),
    "classics_zh": ("zh", _chapters),
    "commonvoice_zh": ("zh", _blocks),
    "tatoeba_zh": ("zh", _mandarin_column),
    "books_wo": ("wo", _under_headers),
    "bible_wo": ("wo", _blocks),
    "news_wo": ("wo", _blocks),
}
