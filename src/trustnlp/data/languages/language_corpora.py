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
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trustnlp.data.damage import as_described
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
Texts = Iterable[tuple[str, list[str]]]


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
        If a corpus cannot be fetched or read.
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
        If it is not one of these corpora, or it cannot be fetched or read.
    """
    if name not in _LAYOUTS:
        raise DataError(f"{name!r} is no corpus of the nine languages; choose from {', '.join(_LAYOUTS)}")
    layout = _LAYOUTS[name]
    paths = fetch(name)
    with as_described(name, paths), lzma.open(paths["text"], "rt", encoding="utf-8", newline="\n") as stream:
        texts = layout.cut(line.rstrip("\n") for line in stream)
        documents = tuple(
            Document(title, kept)
            for title, lines in texts
            if (kept := tuple(x for line in lines if (x := line.strip())))
        )
        if "novels" in paths:
            documents = _named(documents, paths)
        return Corpus(name, layout.language, documents)


def _named(documents: tuple[Document, ...], paths: Mapping[str, Path]) -> tuple[Document, ...]:
    """Novels with the names of the list beside the file, a path and a number of words to a line."""
    listed = paths["novels"].read_text(encoding="utf-8").splitlines()
    if len(listed) != len(documents):
        raise ValueError(f"{len(documents)} novels, but the list names {len(listed)}")
    names = [Path(row.split("\t")[0]).stem for row in listed]
    return tuple(Document(name, d.lines) for name, d in zip(names, documents, strict=True))


def _between_empty_lines(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """One document between two empty lines."""
    block: list[str] = []
    number = 0
    for line in lines:
        if line.strip():
            block.append(line)
        elif block:
            number += 1
            yield f"text {number}", block
            block = []
    if block:
        yield f"text {number + 1}", block


def _under_headers(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """One document under each line that opens with three number signs."""
    title, block = "", list[str]()
    for line in lines:
        if line.startswith("### "):
            if block:
                yield title, block
            title, block = line[4:], []
        else:
            block.append(line)
    yield title, block


def _chapters(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """The chapters of the four classic novels; what stands before the first is one of its own."""
    for book, text in _under_headers(lines):
        number, block = 0, list[str]()
        for line in text:
            if _CHAPTER.match(line) and block:
                yield f"{book} {number}", block
                number, block = number + 1, []
            block.append(line)
        yield f"{book} {number}", block


def _verses(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Fifty lines of a poet together, without the lines that count them."""
    for poet, text in _under_headers(lines):
        kept = [line for line in text if line.strip() and not _VERSE_COUNT.match(line)]
        yield from ((f"{poet} {title}", block) for title, block in _blocks(kept))


def _blocks(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Fifty lines together: sentences without documents, or captions of talks that are not told apart."""
    block: list[str] = []
    number = 0
    for line in lines:
        block.append(line)
        if len(block) == _LINES_TOGETHER:
            yield f"lines {number}", block
            number, block = number + 1, []
    if block:
        yield f"lines {number}", block


def _mandarin_column(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """The second column of a table with the header `eng`, `cmn`."""
    rows = iter(lines)
    if next(rows, "").split("\t") != ["eng", "cmn"]:
        raise ValueError("expected the columns eng and cmn")
    yield from _blocks(row.split("\t")[1] for row in rows)


@dataclass(frozen=True)
class _Layout:
    language: str
    cut: Callable[[Iterable[str]], Texts]


_LAYOUTS: dict[str, _Layout] = {
    **{f"eltec_{code}": _Layout(code, _between_empty_lines) for code in ("de", "en", "es", "fr")},
    "saudinewsnet": _Layout("ar", _between_empty_lines),
    "farsi_news": _Layout("fa", _between_empty_lines),
    "farsi_feeds": _Layout("fa", _between_empty_lines),
    "commonvoice_fa": _Layout("fa", _blocks),
    "ganjoor_poems": _Layout("fa", _verses),
    "ted_ur": _Layout("ur", _blocks),
    "commonvoice_ur": _Layout("ur", _blocks),
    "classics_zh": _Layout("zh", _chapters),
    "commonvoice_zh": _Layout("zh", _blocks),
    "tatoeba_zh": _Layout("zh", _mandarin_column),
    "books_wo": _Layout("wo", _under_headers),
    "bible_wo": _Layout("wo", _blocks),
    "news_wo": _Layout("wo", _blocks),
}
