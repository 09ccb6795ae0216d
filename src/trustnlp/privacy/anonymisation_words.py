"""The words of a document that an anonymiser scores, and what it removes without any score: links and addresses.

In the policies more than a third of the owners' names are in link targets, URLs and mail addresses; a redactor that
leaves them is none. So link targets, URLs, bare domains and mail addresses are spans of their own, redacted by rule by
every method and counted by none. Tags and character entities of HTML are neither words nor text.

A word is a run of letters and digits of any script, with apostrophes inside it; a possessive *'s* belongs to none. It
is looked up in lower case, without characters that cannot be seen. What stands between words is never changed, so a
redacted text keeps its layout. Paragraphs, between blank lines, are the contexts that word vectors learn from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_LINK = re.compile(
    r"(?<=\]\()[^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?(?=\))"  # the target of a markdown link
    r"|<a\s[^<>]*>|<img\s[^<>]*>"
    r"|(?:https?|ftp|mailto):(?://)?[^\s<>\"')\]]+"
    r"|(?<![\w.+%-])[\w.+%-]+@[\w-]+(?:\.[\w-]+)+"
    r"|\bwww\.[^\s<>\"')\]]+"
    r"|(?<![\w.-])(?:[a-z0-9-]+\.)+(?:com|org|net|gov|io|app|social|co\.uk|tv|me|us|eu)\b(?:/[^\s<>\"')\]]*)?",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"<[^<>]{1,300}>|&#?\w{2,8};")
_UNSEEN = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufe0e\ufe0f"
_WORD = re.compile(rf"(?<![^\W_]['’])[^\W_](?:[^\W_]|[{_UNSEEN}])*(?:['’](?!s\b)[^\W_]+)*", re.IGNORECASE)
_WITHOUT_UNSEEN = str.maketrans("’", "'", _UNSEEN)
_PARAGRAPH = re.compile(r"\n\s*\n")


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
        found: dict[str, list[int]] = {}
        for place, key in enumerate(self.keys):
            found.setdefault(key, []).append(place)
        return found

    @cached_property
    def contexts(self) -> list[list[str]]:
        """The keys, paragraph by paragraph: what word vectors learn from."""
        cuts = np.flatnonzero(np.diff(self.paragraphs)) + 1
        bounds = [0, *cuts.tolist(), len(self)]
        return [list(self.keys[start:end]) for start, end in pairwise(bounds) if end > start]


def document_words(text: str) -> DocumentWords:
    """Find the words and the links of a document; an empty text has neither.

    >>> found = document_words("See [our policy](https://corvane.example/a) of Corvane.")
    >>> found.keys, [found.text[start:end] for start, end in found.links]
    (('see', 'our', 'policy', 'of', 'corvane'), ['https://corvane.example/a'])
    """
    links = tuple(found.span() for found in _LINK.finditer(text) if found.end() > found.start())
    hidden = sorted([*links, *(found.span() for found in _MARKUP.finditer(text))])
    spans: list[tuple[int, int]] = []
    at = 0
    for start, end in [*hidden, (len(text), len(text))]:
        spans += [found.span() for found in _WORD.finditer(text, at, max(at, start))]
        at = max(at, end)
    places = np.array(spans, dtype=np.int64).reshape(-1, 2)
    keys = tuple(text[start:end].lower().translate(_WITHOUT_UNSEEN) for start, end in spans)
    breaks = np.array([found.start() for found in _PARAGRAPH.finditer(text)], dtype=np.int64)
    return DocumentWords(text, places, keys, np.searchsorted(breaks, places[:, 0], side="right"), links)
