"""The inputs of an anonymiser: which it refuses, and which it remarks on.

A redactor that is silent about bad input leaves names in: a threshold of NaN removes nothing, a name for an owner that
does not exist is looked for nowhere.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from trustnlp.data.words.owner_names import OwnerNames
from trustnlp.files.missing_values import is_missing, text_or_none
from trustnlp.privacy.text.anonymisation.name_search import name_words
from trustnlp.privacy.text.anonymisation.words import DocumentWords


def checked_texts(documents: Sequence[str], owners: Sequence[Any]) -> tuple[list[str], list[str | None]]:
    """Documents, and owners as text with None for those that are missing; TypeError for what is neither.

    Owners may be a column of a table: text, whole numbers, numbers or truth values, also numpy's, and any of None, NaN,
    pandas' NA and "" where nobody knows.
    """
    for values, called in ((documents, "documents"), (owners, "owners")):
        _check_list(values, called)
    texts = list(documents)
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"document {place} is a {type(text).__name__}; give its text, or leave it out")
    for place, owner in enumerate(owners):
        if not (is_missing(owner) or isinstance(owner, str | Real | np.bool_)):
            raise TypeError(f"owner of document {place} is {owner!r}; give text, a number, or None if nobody knows")
    return texts, [text_or_none(owner) for owner in owners]


def _check_list(values: Any, called: str) -> None:
    """TypeError for a single string, a generator, a mapping, a set, and what cannot be listed at all."""
    if isinstance(values, str):
        raise TypeError(f"anonymise takes a list of {called}, got a single string")
    if isinstance(values, Iterator):
        raise TypeError(
            f"{called} can be read only once, being a {type(values).__name__}, and they are read twice; give list(...)"
        )
    if isinstance(values, Mapping) or not (hasattr(values, "__len__") and hasattr(values, "__getitem__")):
        raise TypeError(f"anonymise takes a list of {called}, one for each document in one order, got {values!r:.60}")


def check_settings(threshold: float | None, share: float, replacement: str, seed: int) -> None:
    """TypeError unless they are numbers, text and a whole number; ValueError if no word could be removed, or all."""
    for value, called in ((threshold, "threshold, a score,"), (share, "share, a part of the words,")):
        optional = value is None and called.startswith("threshold")
        if isinstance(value, bool | np.bool_) or not (optional or isinstance(value, Real)):
            raise TypeError(f"{called} is a number, got {value!r}")
    if not isinstance(replacement, str):
        raise TypeError(
            f"replacement is the text that stands in the place of a word, got {replacement!r}; give '' to leave nothing"
        )
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise TypeError(f"seed is a whole number from 0 on, got {seed!r}")
    if threshold is not None and math.isnan(threshold):
        raise ValueError("threshold is a score, got NaN, which no word reaches: nothing would be removed")
    if not 0 < share < 1:
        raise ValueError(f"share is the part of the words to remove, between 0 and 1, got {share}")


def notes_on(
    words: Sequence[DocumentWords], owners: Sequence[str], listed: Mapping[str, OwnerNames], unknown: int, empty: int
) -> list[str]:
    """Warnings to read before trusting the result: what may be missed, and what may go though it is harmless.

    Parameters
    ----------
    words, owners
        Of the documents that were learned from.
    listed
        Owner → its name.
    unknown, empty
        How many documents have no owner, and how many no word.
    """
    notes = []
    if unknown:
        notes.append(f"{unknown} documents have no owner: their words are judged by the highest score over all owners")
    if empty:
        notes.append(f"{empty} documents have no word and stay as they are")
    alone = sorted(owner for owner, count in Counter(owners).items() if count == 1)
    if alone:
        notes.append(
            f"one document only of {', '.join(alone[:5])}{' and others' if len(alone) > 5 else ''}: what is private to "
            "the owner cannot be told from what is peculiar to the document"
        )
    held: dict[str, set[str]] = {}
    for each, owner in zip(words, owners, strict=True):
        for key in each.places:
            held.setdefault(key, set()).add(owner)
    for owner, entry in listed.items():
        keys = name_words(entry, small=False)
        if not keys:
            notes.append(f"the name {entry.name!r} has no word")
        elif not any(key in held for key in keys):
            notes.append(
                f"the name {entry.name!r} never occurs; vectors of sub-words can stand for it, a search cannot"
            )
        elif others := set.intersection(*(held.get(key, set()) for key in keys)) - {owner}:
            notes.append(
                f"the name {entry.name!r} is also in documents of {len(others)} other owners, perhaps as a word"
            )
    return notes
