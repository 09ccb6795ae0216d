"""The words of a document that an anonymiser scores, and what it removes without any score: links and addresses.

In the policies many of the owners' names are in link targets, URLs and mail addresses; a redactor that leaves them is
none. So link targets, URLs, bare domains and mail addresses are spans of their own, redacted by rule by every method
and counted by none.

A word is a run of letters and digits of any script, with apostrophes inside it; a possessive *'s* belongs to none. It
is looked up in lower case, without characters that cannot be seen, composed (NFC) and with character entities of HTML
resolved. What stands between words is never changed, so a redacted text keeps its layout. Paragraphs, between blank
lines, are the contexts that word vectors learn from.

A text is read in one of two ways. What is measured is what a browser shows: all between angle brackets is a tag, and a
bare domain has one of a few endings. What is redacted is read thoroughly: a template's `<Name of the agency>` and a
comment are words, so are the values of attributes, and a bare domain has one of many endings, or any before a path.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_PATH = r"[^\s<>\"')\]]"
_LINK = (
    r"(?<=\]\()[^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?(?=\))"  # the target of a markdown link
    r"|<a\s[^<>]*>|<img\s[^<>]*>"
    rf"|(?:https?|ftp|mailto):(?://)?{_PATH}+"
    r"|(?<![\w.+%-])[\w.+%-]+@[\w-]+(?:\.[\w-]+)+"
    rf"|\bwww\.{_PATH}+"
    rf"|(?<![\w.-])(?:[a-z0-9-]+\.)+(?:com|org|net|gov|io|app|social|co\.uk|tv|me|us|eu)\b(?:/{_PATH}*)?"
)
_ENDINGS = (
    "com|org|net|edu|gov|mil|int|info|biz|name|pro|io|app|dev|ai|xyz|social|tv|me|online|site|shop|store|tech|cloud|"
    "blog|news|support|agency|us|ca|mx|uk|ie|fr|de|at|ch|be|nl|lu|es|pt|it|gr|pl|cz|sk|hu|ro|bg|hr|si|se|no|dk|fi|is|"
    "ee|lv|lt|ua|ru|tr|il|ae|sa|in|pk|cn|jp|kr|tw|hk|sg|my|th|vn|id|ph|au|nz|za|ng|ke|eg|ma|br|ar|cl|co|pe|eu|asia"
)
# A domain is all in small letters or all in capitals at its end, since a sentence may begin right after a full stop.
_DOMAIN = (
    rf"|(?<![\w.-])(?![\d-]+\.)(?:[\w-]{{1,63}}\.)+(?:(?-i:{_ENDINGS}|{_ENDINGS.upper()})"
    rf"\b(?:/{_PATH}*)?|(?-i:[a-z]{{2,18}}|[A-Z]{{2,18}})/{_PATH}+)"
)
_LINKS = {thorough: re.compile(_LINK + _DOMAIN * thorough, re.IGNORECASE) for thorough in (False, True)}

_MARKUP = re.compile(r"<[^<>]{1,300}>")
_ELEMENTS = (
    "a|abbr|b|blockquote|body|br|caption|center|code|col|colgroup|dd|del|details|div|dl|dt|em|figcaption|figure|font|"
    "footer|h1|h2|h3|h4|h5|h6|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|main|meta|nav|ol|p|pre|q|s|"
    "script|section|small|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|tfoot|th|thead|title|tr|tt|u|ul"
)
_TAG = re.compile(
    rf"</?(?:{_ELEMENTS}|{_ELEMENTS.upper()})"
    r"(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>]+))*\s*/?>"
)
_VALUE = re.compile(r"=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'<>]+)")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", re.IGNORECASE)
_UNSEEN = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufe0e\ufe0f"
_WORD = re.compile(rf"(?<![^\W_]['’])[^\W_](?:[^\W_]|[{_UNSEEN}])*(?:['’](?!s\b)[^\W_]+)*", re.IGNORECASE)
_WITHOUT_UNSEEN = str.maketrans("’", "'", _UNSEEN)
_PARAGRAPH = re.compile(r"\n\s*\n")
_AS_TEXT = str.maketrans({"<": " ", ">": " ", '"': " ", "'": "’"})  # an entity never begins a tag or ends a value


@dataclass(frozen=True, eq=False)
class DocumentWords:
    """The `T` words of one document.

    Attributes
    ----------
    text
        The document.
    spans
        `(T, 2)`: word `i` is `text[spans[i, 0]:spans[i, 1]]`.
    keys
        The words as they are looked up.
    paragraphs
        `(T,)`: the paragraph of each word, counted from 0.
    links
        Spans that are redacted by rule.
    """

    text: str
    spans: NDArray[np.int64]
    keys: tuple[str, ...]
    paragraphs: NDArray[np.int64]
    links: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.keys)

    def written(self, place: int) -> str:
        """A word as the document has it."""
        start, end = self.spans[place]
        return self.text[start:end]

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where each key stands."""
        standing: dict[str, list[int]] = {}
        for place, key in enumerate(self.keys):
            standing.setdefault(key, []).append(place)
        return standing

    @cached_property
    def contexts(self) -> list[list[str]]:
        """The keys, paragraph by paragraph: what word vectors learn from."""
        cuts = np.flatnonzero(np.diff(self.paragraphs)) + 1
        bounds = [0, *cuts.tolist(), len(self)]
        return [list(self.keys[start:end]) for start, end in pairwise(bounds) if end > start]


def document_words(text: str, *, thorough: bool = False) -> DocumentWords:
    """Find the words and the links of a document; an empty text has neither.

    Parameters
    ----------
    text
        Plain, or with markdown and HTML.
    thorough
        Read it as a redactor ought to, see above.

    >>> words = document_words("See [our policy](https://corvane.example/a) of Corvane.")
    >>> words.keys, [words.text[start:end] for start, end in words.links]
    (('see', 'our', 'policy', 'of', 'corvane'), ['https://corvane.example/a'])
    """
    read, begins, stops = _composed(text)
    linked = [match.span() for match in _LINKS[thorough].finditer(read) if match.end() > match.start()]
    hidden = sorted([*linked, *(_tag_parts(read) if thorough else (match.span() for match in _MARKUP.finditer(read)))])
    spans: list[tuple[int, int]] = []
    at = 0
    for start, end in [*hidden, (len(read), len(read))]:
        spans += [match.span() for match in _WORD.finditer(read, at, max(at, start))]
        at = max(at, end)
    keys = tuple(read[start:end].lower().translate(_WITHOUT_UNSEEN) for start, end in spans)
    links = tuple((begins[start], stops[end - 1]) for start, end in linked)
    places = np.array([(begins[start], stops[end - 1]) for start, end in spans], dtype=np.int64).reshape(-1, 2)
    breaks = np.array([match.start() for match in _PARAGRAPH.finditer(text)], dtype=np.int64)
    return DocumentWords(text, places, keys, np.searchsorted(breaks, places[:, 0], side="right"), links)


def _composed(text: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """The text with one character for each that is written as an entity or with combining marks; where each is."""
    if unicodedata.is_normalized("NFC", text) and not _ENTITY.search(text):
        return text, range(len(text)), range(1, len(text) + 1)
    clusters: list[tuple[str, int, int]] = []
    for character, start, end in _characters(text):
        # Marks and the later parts of a Korean syllable belong to what is before them.
        joins = all(unicodedata.combining(each) or "\u1160" <= each <= "\u11ff" for each in character)
        before, first = (clusters.pop()[:2]) if joins and clusters else ("", start)
        clusters.append((before + character, first, end))
    placed = [(each, start, end) for cluster, start, end in clusters for each in unicodedata.normalize("NFC", cluster)]
    read, begins, stops = zip(*placed, strict=True) if placed else ((), (), ())
    return "".join(read), begins, stops


def _characters(text: str) -> Iterator[tuple[str, int, int]]:
    at = 0
    for match in _ENTITY.finditer(text):
        meant = html.unescape(match.group())
        if len(meant) <= 2:  # else there is no such entity
            yield from ((text[place], place, place + 1) for place in range(at, match.start()))
            yield meant.translate(_AS_TEXT), match.start(), match.end()
            at = match.end()
    yield from ((text[place], place, place + 1) for place in range(at, len(text)))


def _tag_parts(text: str) -> Iterator[tuple[int, int]]:
    """Spans of elements of HTML that are no words: all but the values of attributes."""
    for tag in _TAG.finditer(text):
        at = tag.start()
        for value in _VALUE.finditer(text, tag.start(), tag.end()):
            yield at, value.start(1)
            at = value.end(1)
        yield at, tag.end()
