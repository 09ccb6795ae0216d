"""Texts in many languages: speech prompts, novels, news, poems, subtitles, translations, a word count.

Each function takes the files of a recipe in its order and gives what the data set's
file holds before it is compressed.
"""

from __future__ import annotations

import html
import io
import json
import random
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from xml.etree import ElementTree


class SourceFile(NamedTuple):
    """A file of a public repository at a commit."""

    repository: str
    commit: str
    path: str
    content: bytes


Files = Sequence[SourceFile]

_WORD = re.compile(r"[^\W\d_]+(?:['’-]+[^\W\d_]+)*")
_SAUDI_ARTICLES = 20_647  # as many as six million words need


def as_published(files: Files, key: str = "text") -> dict[str, bytes]:
    """One file as it is, under its key in the registry."""
    return {key: files[0].content}


def prompts(files: Files) -> dict[str, bytes]:
    """Common Voice: each sentence of the versions once, where it first stands; those of three characters or less go."""
    lines: dict[str, None] = {}
    for file in files:
        text = file.content.decode(errors="replace")
        of_json = file.path.endswith(".json")
        sentences = [each["sentence"] for each in json.loads(text)] if of_json else text.splitlines()
        stripped = (re.sub(r"[ \t\xa0]+", " ", sentence).strip() for sentence in sentences)
        lines.update(dict.fromkeys(line for line in stripped if len(line) > 3))
    return {"text": _lines(lines)}


def novels(files: Files) -> dict[str, bytes]:
    """ELTeC's TEI: a paragraph, heading or verse a line, a blank line after each novel; and words a novel.

    A note or reference goes with all text to the next end of one. Where a novel has references without content, that is
    the text between the first of them and the first note at its end: the file in use was made so.
    """
    lines_of = {file.path: _tei_lines(file.content.decode("utf-8-sig")) for file in files}
    text = "".join("\n".join(lines) + "\n\n" for lines in lines_of.values())
    counts = "".join(f"{path}\t{sum(len(_WORD.findall(line)) for line in lines)}\n" for path, lines in lines_of.items())
    return {"text": text.encode(), "novels": counts.encode()}


def _tei_lines(tei: str) -> list[str]:
    body = tei[re.search(r"<text[ >]", tei).start() :]  # type: ignore[union-attr]
    body = re.sub(r"<(?:note|ref)\b.*?</(?:note|ref)>", "", body, flags=re.DOTALL)
    pieces = re.findall(r"<(?:p|head|l)(?:\s[^>]*)?>(.*?)</(?:p|head|l)>", body, flags=re.DOTALL)
    return [line for piece in pieces if (line := _flat(html.unescape(re.sub(r"<[^>]+>", "", piece))))]


def saudi_news(files: Files) -> dict[str, bytes]:
    """SaudiNewsNet: title and text of 20,647 distinct articles in the order of a shuffle with seed 0."""
    articles: dict[str, str] = {}
    for file in files:
        with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
            for member in archive.namelist():
                for each in json.loads(archive.read(member)):
                    if text := _flat(each.get("content") or ""):
                        articles.setdefault(text, _paragraphs(each.get("title"), text))
    distinct = list(articles.values())
    random.Random(0).shuffle(distinct)
    return {"text": "".join(f"{article}\n\n" for article in distinct[:_SAUDI_ARTICLES]).encode()}


def persian_news(files: Files) -> dict[str, bytes]:
    """Title, abstract and paragraphs of each distinct article, a line each; a blank line after an article."""
    articles = {
        _paragraphs(each.get("title"), each.get("abstract"), *each["paragraphs"]): None
        for file in files
        for each in json.loads(file.content)
    }
    return {"text": "".join(f"{article}\n\n" for article in articles).encode()}


def persian_feeds(files: Files) -> dict[str, bytes]:
    """Title and summary of each item, a line each; a blank line between items."""
    items = [_paragraphs(each["title"], each["summary"]) for file in files for each in json.loads(file.content)]
    return {"text": ("\n\n".join(items) + "\n").encode()}


def poems(files: Files) -> dict[str, bytes]:
    """Each poet's file under its name."""
    return {"text": _under_names((file.path.rsplit("/", 1)[-1], file.content.decode().strip()) for file in files)}


def wolof_books(files: Files) -> dict[str, bytes]:
    """Each book under its path; blanks are one blank, empty lines one empty line."""
    return {"text": _under_names((file.path, _tidy(file.content.decode("utf-8-sig"))) for file in files)}


def _tidy(text: str) -> str:
    return re.sub(r"\n\s*\n", "\n\n", re.sub(r"[ \t]+", " ", text.replace("\r\n", "\n"))).strip()


def chinese_classics(files: Files) -> dict[str, bytes]:
    """Each novel under its name, a paragraph a line, without blanks."""
    return {"text": _under_names((file.path, _without_blanks(file.content.decode())) for file in files)}


def _without_blanks(text: str) -> str:
    return "\n".join(dense for line in text.splitlines() if (dense := re.sub(r"\s+", "", line)))


def verses(files: Files) -> dict[str, bytes]:
    """A Bible in XML, a verse a line."""
    tree = ElementTree.fromstring(files[0].content)
    return {"text": _lines(filter(None, (_flat(verse.text or "") for verse in tree.iter("seg"))))}


def translated_pairs(files: Files) -> dict[str, bytes]:
    """English and Chinese sentences under a heading."""
    return {"text": b"eng\tcmn\n" + files[0].content}


def translations(files: Files) -> dict[str, bytes]:
    """NTREX-128: sentences of one rank side by side, under the names of the languages."""
    names = [file.path.rsplit("/", 1)[-1].split(".")[1] for file in files]
    columns = [file.content.decode("utf-8-sig").splitlines() for file in files]
    rows = ("\t".join(sentence.strip().replace("\t", " ") for sentence in row) for row in zip(*columns, strict=True))
    return {"table": _lines(["\t".join(names), *rows])}


def reviews(files: Files) -> dict[str, bytes]:
    """IMDB: part, label, number, rating and text of each review in a line; breaks are blanks."""
    rows = []
    for file in files:
        part, label, name = file.path.split("/")[-3:]
        number, rating = name.removesuffix(".txt").split("_")
        rows.append(((part, label, int(number)), rating, _flat(file.content.decode().replace("<br />", " "))))
    lines = ("\t".join((*map(str, place), rating, text)) for place, rating, text in sorted(rows))
    return {"text": _lines(["split\tlabel\tid\trating\ttext", *lines])}


def _flat(text: str) -> str:
    return " ".join(text.split())


def _paragraphs(*pieces: str | None) -> str:
    return "\n".join(line for piece in pieces if piece and (line := _flat(piece)))


def _under_names(texts: Iterable[tuple[str, str]]) -> bytes:
    return ("\n\n".join(f"### {name}\n{text}" for name, text in texts) + "\n").encode()


def _lines(lines: Iterable[str] | Mapping[str, None]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
