"""Articles of a Wikipedia dump, as WikiExtractor writes them: whoever has the dumps runs the paper's own corpora.

Matthews et al. (2021), §3, use the dumps of 2020-06-20. WikiExtractor turns a dump into folders `AA`, `AB`, ... of
files `wiki_00`, `wiki_01`, ..., either with an element `<doc id= url= title=>` around each article, or (`--json`) with
one object to a line; `-c` compresses each with bzip2. Both forms are read here, compressed or not.
"""

from __future__ import annotations

import bz2
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from trustnlp.data.corpus_documents import Corpus, Document
from trustnlp.data.registry import DataError

_OPENING = re.compile(r'<doc id="[^"]*".* title="([^"]*)"[^>]*>')


def read_extracts(folder: Path | str, language: str) -> Corpus:
    """All articles below a folder, in the order of the files' names. Articles without text are left out.

    Parameters
    ----------
    folder
        What was WikiExtractor's `--output`.
    language
        Code of the language, for the corpus.

    Raises
    ------
    DataError
        No such folder, no file `wiki_*` below it, a file that is not UTF-8 or has another form, or no article with
        text.
    """
    root = Path(folder)
    files = sorted(root.glob("**/wiki_*")) if root.is_dir() else []
    if not files:
        raise DataError(f"{root}: no files wiki_* below it; give the folder that WikiExtractor wrote (its --output)")
    documents = []
    for path in files:
        try:
            with (
                bz2.open(path, "rt", encoding="utf-8") if path.suffix == ".bz2" else path.open(encoding="utf-8") as file
            ):
                documents += [Document(title, lines) for title, lines in _articles(file) if lines]
        except (OSError, EOFError, ValueError) as error:  # UnicodeDecodeError and JSON's error are ValueErrors
            raise DataError(f"{path}: not a file of WikiExtractor in UTF-8 ({error})") from error
    if not documents:
        raise DataError(f"{root}: {len(files)} files, but no article with text")
    return Corpus(f"wikipedia_{language}", language, tuple(documents))


def _articles(stream: TextIO) -> Iterator[tuple[str, tuple[str, ...]]]:
    title: str | None = None
    lines: list[str] = []
    for number, raw in enumerate(stream, start=1):
        line = raw.strip()
        if title is None and line.startswith("{"):
            article = json.loads(line)
            text = str(article["text"]) if isinstance(article, dict) and "text" in article else ""
            yield str(article.get("title", f"line {number}")), tuple(x for y in text.split("\n") if (x := y.strip()))
        elif title is None and (opening := _OPENING.match(line)):
            title, lines = opening[1], []
        elif title is None and line:
            raise ValueError(f"line {number} is neither an object nor inside a <doc>")
        elif title is not None and line == "</doc>":
            yield title, tuple(lines)
            title = None
        elif line:
            lines.append(line)
    if title is not None:
        raise ValueError(f"the article {title!r} has no end")
