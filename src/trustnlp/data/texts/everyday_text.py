"""Everyday text to train word vectors on: phrase-book sentences, questions, tweets.

The study of DPNR (Zouhri and Abecidan 2021, §1.2) plays a user and an attacker who each train word2vec on such text.
Here is the text it names, as far as it can be had: an earlier package of the same phrase book (142,787 pairs where the
study had 179,903), a small part of the same questions (11,367 pairs of 404,290), other tweets.
"""

from __future__ import annotations

import csv
import string
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np

from trustnlp.data.registry import DataError
from trustnlp.data.store import fetch

Columns = dict[str, tuple[str, ...]]
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def read_columns(name: str) -> Columns:
    """Fetch one of the collections and read its columns of texts, as they stand in the files.

    Parameters
    ----------
    name
        `anki_fra_eng` (columns `english` and `french`, a row is a pair), `quora_pairs` (`question1` and `question2`, a
        row is a pair) or `tweets_emoji` (`tweet`).

    Raises
    ------
    DataError
        If it is not one of the collections, or it cannot be fetched.
    """
    if name not in _READERS:
        raise DataError(f"{name!r} is not a collection of everyday text; choose from {', '.join(_READERS)}")
    return _READERS[name](fetch(name))


def words_as_reported(text: str) -> list[str]:
    """Words as the study's notebook cuts them: lower-cased, ASCII punctuation deleted, cut at each blank.

    Apostrophes go without a trace and other punctuation stays. A non-breaking blank, as French has before some marks,
    does not cut and stays with its word. Two blanks leave an empty word there; here it is dropped.

    >>> words_as_reported("Tom's well-known --  isn't he?")
    ['toms', 'wellknown', 'isnt', 'he']
    """
    return [word for word in text.lower().translate(_NO_PUNCTUATION).split(" ") if word]


def distinct_sentences(texts: Iterable[str], *, longest: int | None = None) -> list[list[str]]:
    """Each text as a list of words (`words_as_reported`), in order; those that have been met before are left out.

    Parameters
    ----------
    longest
        Words kept of each text, from its start (the study keeps ten of a tweet). Texts are compared before they are
        cut, as in the study's notebook.
    """
    met = dict.fromkeys(" ".join(words_as_reported(text)) for text in texts)
    return [text.split(" ")[:longest] for text in met if text]


def draw_share(sentences: list[list[str]], share: float, rng: np.random.Generator) -> list[list[str]]:
    """A share of the sentences in random order, without replacement; at least one."""
    rows = rng.permutation(len(sentences))[: max(1, round(share * len(sentences)))]
    return [sentences[row] for row in rows]


def _read_anki(paths: Mapping[str, Path]) -> Columns:
    """One pair per line, separated by a tab. Read in memory: nothing is unpacked to disk."""
    with zipfile.ZipFile(paths["archive"]) as archive:
        lines = _lines(archive.read("fra.txt").decode("utf-8"))
    english, french = zip(*(line.split("\t") for line in lines), strict=True)
    return {"english": english, "french": french}


def _read_quora(paths: Mapping[str, Path]) -> Columns:
    """Two files with the duplicates, line by line, and a table with columns `question1` and `question2`."""
    with paths["labelled"].open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {
        column: (*_lines(paths[key].read_text(encoding="utf-8")), *(row[column] for row in rows))
        for column, key in (("question1", "first"), ("question2", "second"))
    }


def _read_tweets(paths: Mapping[str, Path]) -> Columns:
    """One tweet per line."""
    return {"tweet": tuple(line for path in paths.values() for line in _lines(path.read_text(encoding="utf-8")))}


def _lines(content: str) -> list[str]:
    """Not splitlines: signs of Unicode that end a line there occur inside texts."""
    return content.removesuffix("\n").split("\n")


_READERS: dict[str, Callable[[Mapping[str, Path]], Columns]] = {
    "anki_fra_eng": _read_anki,
    "quora_pairs": _read_quora,
    "tweets_emoji": _read_tweets,
}
