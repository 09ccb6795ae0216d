"""What is left for somebody who reads a redacted document: sentences and paragraphs without a hole.

Formulas of readability count syllables and words per sentence. A removed word makes both smaller, so a text full of
holes would be called easier; that is why none of them is used.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trustnlp.privacy.text.anonymisation.words import DocumentWords

_FEWEST = 8  # words of what counts as running text
_END = re.compile(r"[.!?]['\"”’)\]*_]*\s")


def sentences_of(words: DocumentWords) -> NDArray[np.int64]:
    """`(T,)` the sentence of each word, counted from 0.

    A sentence ends with its paragraph, and where a full stop, a question or an exclamation mark stands with a blank
    between two words. An abbreviation that ends in a full stop ends one, too.
    """
    if not len(words):
        return np.zeros(0, dtype=np.int64)
    between = zip(words.spans[:-1, 1], words.spans[1:, 0], strict=True)
    ends = np.array([_END.search(words.text, end, start) is not None for end, start in between], dtype=bool)
    new = ends | (np.diff(words.paragraphs) > 0)
    return np.concatenate([[0], np.cumsum(new)]).astype(np.int64)


def share_whole(units: Sequence[NDArray[np.int64]], removed: Sequence[NDArray[np.bool_]]) -> float:
    """Share of the sentences or paragraphs of running text in which nothing was removed.

    Parameters
    ----------
    units
        Per document `(T,)` the number of the sentence or paragraph of each word.
    removed
        Per document `(T,)`.
    """
    whole = []
    for at, gone in zip(units, removed, strict=True):
        sizes, holes = np.bincount(at), np.bincount(at, weights=gone)
        whole.append(holes[sizes >= _FEWEST] == 0)
    return float(np.concatenate(whole).mean())
