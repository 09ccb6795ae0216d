"""Find an owner's names in the words of a document: search-and-replace, and the truth of what a list of names holds.

A name matches words that follow each other, whatever stands between them but a link. `e-QIP` is two words, as in
`trustnlp.privacy.text.text_pieces`. Small words inside a longer name (*of*, *and*) are found and marked as such: nobody
could tell them from the same words elsewhere, so a count of errors leaves them out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.words.owner_names import OwnerNames
from trustnlp.privacy.text.anonymisation.words import DocumentWords, document_words

SMALL_WORDS = frozenset(["a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"])

Flags = NDArray[np.bool_]


def find_names(words: DocumentWords, names: OwnerNames) -> tuple[Flags, Flags]:
    """Which words belong to one of the names `(T,)`, and which of these are small words inside a longer one `(T,)`."""
    named = np.zeros(len(words), dtype=bool)
    for name in names.names:
        _mark(named, words, document_words(name).keys)
    for name in names.cased:
        _mark(named, words, document_words(name).keys, written=tuple(name.split()))
    small = named & np.fromiter((key in SMALL_WORDS for key in words.keys), dtype=bool, count=len(words))
    return named, small


def find_name_words(words: DocumentWords, names: OwnerNames) -> Flags:
    """Each word of the owner's own name wherever it stands, replaced one by one `(T,)`."""
    wanted = set(name_words(names))
    return np.fromiter((key in wanted for key in words.keys), dtype=bool, count=len(words))


def name_words(names: OwnerNames, *, small: bool = True) -> tuple[str, ...]:
    """The words of the owner's own name as they are looked up; without small words if `small` is False."""
    keys = document_words(names.name).keys
    return keys if small else tuple(key for key in keys if key not in SMALL_WORDS) or keys


def own_name(names: OwnerNames) -> OwnerNames:
    """Only the name that a reader would search for, in the case that it needs."""
    cased = names.name in names.cased
    return OwnerNames(names.name, () if cased else (names.name,), (names.name,) if cased else ())


def _mark(named: Flags, words: DocumentWords, name: tuple[str, ...], written: tuple[str, ...] = ()) -> None:
    """Mark every run of words that is the name, in its own case if that is given."""
    for start in words.places.get(name[0], ()) if name else ():
        run = range(start, min(start + len(name), len(words)))
        if words.keys[run.start : run.stop] != name:
            continue
        if not written or tuple(map(words.written, run)) == written:
            named[run.start : run.stop] = True
