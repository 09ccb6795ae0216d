"""Articles of a Wikipedia dump, as WikiExtractor writes them: whoever has the dumps runs the paper's own corpora.

Matthews et al. (2021), §3, train on Wikipedias "downloaded on 2020-06-20". WikiExtractor turns a dump into folders
`AA`, `AB`, ... of files `wiki_00`, `wiki_01`, ..., either with an element `<doc id= url= title=>` around each article,
or (`--json`) with one object to a line; `-c` compresses each with bzip2. All are read here, one article at a time, and
give the same articles: the plain form repeats the title above the text, which is left out, and entities such as
`&amp;` become the signs they stand for.
"""

from __future__ import annotations

import bz2
import html
import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date as day
from heapq import heappop, heappush
from itertools import islice
from pathlib import Path
from typing import TextIO

import numpy as np

from trustnlp.data.languages.scripts import script_of
from trustnlp.data.registry import DataError
from trustnlp.data.texts.corpus_documents import Corpus, Document, Dump
from trustnlp.data.words.gender_words import check_language

PAPERS_DATE = "2020-06-20"
_OPENING = re.compile(r'<doc id="[^"]*".* title="(.*)">')
_SCRIPTS = {"LATIN": ("en", "de", "es", "fr", "wo"), "ARABIC": ("ar", "fa", "ur"), "CJK": ("zh",)}  # in Unicode's names
_SCRIPT_OF = {language: script for script, languages in _SCRIPTS.items() for language in languages}
_LETTERS_LOOKED_AT = 5_000
_DATE = re.compile(r"(?<!\d)(20\d\d)-?([01]\d)-?([0-3]\d)(?!\d)")


class Articles:
    """The articles with text below a folder, read from its files each time they are gone through.

    Making one reads everything once, so that damage is found before anything is trained; errors as for `articles_of`.
    """

    def __init__(self, folder: Path | str) -> None:
        self._folder = Path(folder)
        self._number = sum(1 for _ in articles_of(folder))

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[Document]:
        return articles_of(self._folder)


def articles_of(folder: Path | str) -> Iterator[Document]:
    """Each article with text below a folder, one after the other, in the order of the files' names.

    Parameters
    ----------
    folder
        What was WikiExtractor's `--output`.

    Raises
    ------
    DataError
        If there is no such folder, no file `wiki_*` below it, one that is there both compressed and plain, a file that
        is not UTF-8 or has another form (a text that is no string, an article without an end), or no article with text.
    """
    files = _files(Path(folder))
    any_text = False
    for path in files:
        try:
            with (bz2.open if path.suffix == ".bz2" else open)(path, "rt", encoding="utf-8-sig") as file:
                for title, text in _articles(file):
                    if lines := _lines(title, text):
                        any_text = True
                        yield Document(title, lines)
        except (OSError, EOFError, ValueError) as error:  # UnicodeDecodeError and JSON's error are ValueErrors
            raise DataError(f"{path}: not a file of WikiExtractor in UTF-8 ({error})") from error
    if not any_text:
        raise DataError(f"{folder}: {len(files)} files, but no article with text; extract the dump again")


def read_extracts(
    folder: Path | str,
    language: str,
    *,
    date: str | None = None,
    characters: int | None = None,
    rng: np.random.Generator | None = None,
) -> Corpus:
    """A dump's articles as a corpus: all of them, left on disk, or whole ones drawn at random up to a size.

    A dump of another script (Latin, Arabic, Chinese) than the language's is refused, by most of the first letters.
    Languages that share a script are not told apart: a French dump passes for Wolof.

    Parameters
    ----------
    folder
        What was WikiExtractor's `--output`.
    language
        Code of the language of the dump, one of nine.
    date
        Day of the dump, such as `2020-06-20`. None takes it from the nearest folder that has one in its name, as in
        `wikipedia-20200620/wo`; without one the dump's date is unknown, and the corpus is not taken for the paper's.
    characters
        Draw articles at random until they hold this many characters, the last one whole; they are kept in memory, in
        the order of the dump. One pass over the files, whatever the size. None, or more than there are, takes all.
    rng
        Draws the articles; needed with `characters`.

    Raises
    ------
    DataError
        If `articles_of` would raise it, or most letters are of another script.
    ValueError
        If nobody knows the language, the date is none, or `characters` is below 1 or without `rng`.
    """
    check_language(language)
    known = _date(Path(folder), date)
    name = f"wikipedia_{language}"
    if characters is not None and (characters < 1 or rng is None):
        raise ValueError(f"drawing articles takes 1 character or more and a generator (rng), got {characters}, {rng}")
    _check_script(folder, language)
    if characters is None or rng is None:
        articles = Articles(folder)
        return Corpus(name, language, articles, Dump(len(articles), known))
    drawn, number = _drawn(folder, characters, rng)
    return Corpus(name, language, drawn, Dump(number, known))


def _check_script(folder: Path | str, language: str) -> None:
    """Refuse a dump most of whose first letters are not of the language's script."""
    letters = (sign for article in articles_of(folder) for line in article.lines for sign in line if sign.isalpha())
    scripts = Counter(script_of(sign) for sign in islice(letters, _LETTERS_LOOKED_AT))
    own, looked_at = _SCRIPT_OF[language], scripts.total()
    if 2 * scripts[own] < looked_at:
        raise DataError(
            f"{folder}: {scripts[own]:,} of the first {looked_at:,} letters are {own}, the script of {language!r} "
            f"(most are {scripts.most_common(1)[0][0]}); give the folder of a dump in that language"
        )


def _drawn(folder: Path | str, characters: int, rng: np.random.Generator) -> tuple[tuple[Document, ...], int]:
    """The first articles of a random order that hold so many characters, and how many articles there are.

    Each article gets a random key; those of the smallest keys are kept. So nothing but them is ever in memory.
    """
    heap: list[tuple[float, int, int, Document]] = []  # largest key first
    held = number = 0
    for number, article in enumerate(articles_of(folder), start=1):
        size = sum(map(len, article.lines))
        heappush(heap, (-float(rng.random()), number, size, article))
        held += size
        while held - heap[0][2] >= characters:
            held -= heappop(heap)[2]
    return tuple(article for _, _, _, article in sorted(heap, key=lambda entry: entry[1])), number


def _files(root: Path) -> list[Path]:
    if root.is_file():
        raise DataError(f"{root} is a file; give the folder that WikiExtractor wrote (its --output)")
    files = sorted(path for path in root.glob("**/wiki_*") if path.is_file()) if root.is_dir() else []
    if not files:
        state = "is empty" if root.is_dir() and not any(root.iterdir()) else "has no files wiki_* below it"
        state = state if root.is_dir() else "does not exist"
        raise DataError(f"{root} {state}; give the folder that WikiExtractor wrote (its --output)")
    if twice := [path for path in files if path.suffix == ".bz2" and path.with_suffix("") in files]:
        raise DataError(f"{twice[0]} is there plain as well: its articles would count twice; remove one of the two")
    return files


def _date(folder: Path, stated: str | None) -> str | None:
    """The date given, else that in the name of the folder or of one above it."""
    if stated is not None:
        try:
            return day.fromisoformat(stated).isoformat()
        except ValueError as error:
            raise ValueError(f"expected the day of the dump as 2020-06-20, got {stated!r}") from error
    for part in reversed(folder.resolve().parts):
        if written := _DATE.search(part):
            try:
                return day(*map(int, written.groups())).isoformat()
            except ValueError:  # 20201399 is no day
                continue
    return None


def _lines(title: str, text: list[str]) -> tuple[str, ...]:
    lines = [line for raw in text if (line := html.unescape(raw).strip())]
    return tuple(lines[1:] if lines and lines[0] == title else lines)


def _articles(stream: TextIO) -> Iterator[tuple[str, list[str]]]:
    """Title and lines of each article of a file, in either form."""
    title: str | None = None
    lines: list[str] = []
    for number, raw in enumerate(stream, start=1):
        line = raw.strip()
        if title is None and line.startswith("{"):
            article = {"title": f"line {number}", "text": ""} | json.loads(line)
            for key in ("title", "text"):
                if not isinstance(article[key], str):
                    raise ValueError(f"line {number}: the {key} is {article[key]!r:.40}, expected a string")
            yield html.unescape(article["title"]), article["text"].split("\n")
        elif title is None and (opening := _OPENING.match(line)):
            title, lines = html.unescape(opening[1]), []
        elif title is None and line:
            raise ValueError(f"line {number} is neither an object nor inside a <doc>")
        elif title is not None and line == "</doc>":
            yield title, lines
            title = None
        elif line.startswith("<doc "):  # in text, WikiExtractor writes &lt;
            raise ValueError(f"line {number} opens an article before {title!r} has ended, expected </doc> first")
        elif line:
            lines.append(line)
    if title is not None:
        raise ValueError(f"the article {title!r} has no end")
