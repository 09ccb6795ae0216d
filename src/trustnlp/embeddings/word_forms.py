"""Another form in which vectors have a word that they seem to lack: another case, accents, a prefix or a tag."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable
from itertools import islice

_LOOKED_AT = 1000  # words, for prefixes and tags
_AROUND = re.compile(r"(?P<before>.*[/:#])?.*?(?P<behind>[_|/][A-Z]+)?")  # /c/fr/, fr:, _NOUN


def form_there(word: str, words: Container[str]) -> str | None:
    """How `words` write a word that they do not have as it stands; None where they have no form of it.

    >>> form_there("Femme", ["femme"]), form_there("femme", ["/c/fr/homme", "/c/fr/femme"]), form_there("a", ["b"])
    ('femme', '/c/fr/femme', None)
    """
    around = {("", "")}
    if isinstance(words, Iterable):
        parts = (_AROUND.fullmatch(str(each)) for each in islice(words, _LOOKED_AT))
        around |= {(each["before"] or "", each["behind"] or "") for each in parts if each}
    cases = (word, word.lower(), word.capitalize(), word.upper(), word.title(), word.replace(" ", "_"))
    forms = (
        f"{before}{unicodedata.normalize(composed, case)}{behind}"
        for before, behind in sorted(around)
        for case in cases
        for composed in ("NFC", "NFD")
    )
    return next((form for form in forms if form != word and form in words), None)
