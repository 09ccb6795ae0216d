"""Pairs of words and how alike people find them: WordSim-353, SimLex-999 and SCWS.

Arnold, Yesilbas and Weinzierl (2023), §4.2 and Table 1, correlate these ratings with cosines between substitutes.
`wordsim353` (Finkelstein et al. 2002) rates relatedness, `simlex999` (Hill et al. 2015) similarity, both without a
context; `scws` (Huang et al. 2012) rates two words each within a text of its own.

Nothing is left out or merged. WordSim-353 has *money* and *cash* twice with two ratings, *bank* and *money* in both
orders, and *tiger* with itself; SCWS has 241 pairs of a word with itself, in 76 of them as two parts of speech.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from trustnlp.data.registry import DataError
from trustnlp.data.store import fetch
from trustnlp.data.unquoted_tables import read_unquoted
from trustnlp.data.words.words_in_context import Occurrence


@dataclass(frozen=True)
class RatedPair:
    """Two words and the mean of their ratings.

    Attributes
    ----------
    rating
        0 (nothing in common) to 10. SimLex-999 comes mapped to this range from 0 to 6.
    parts_of_speech
        Of the first and the second word: `n`, `v` or `a`. None where the set has none.
    contexts
        The first word in its text and the second in its own. None where people saw the words alone.
    """

    first: str
    second: str
    rating: float
    parts_of_speech: tuple[str, str] | None = None
    contexts: tuple[Occurrence, Occurrence] | None = None


def read_similarity(name: str) -> tuple[RatedPair, ...]:
    """Fetch and read one of the sets, in the order of its file.

    Parameters
    ----------
    name
        `wordsim353` (353 pairs), `simlex999` (999) or `scws` (2,003).

    Raises
    ------
    DataError
        If it is not one of the sets, or it cannot be fetched.
    """
    if name not in _READERS:
        raise DataError(f"{name!r} is not a set of rated pairs; choose from {', '.join(_READERS)}")
    return tuple(_READERS[name](fetch(name)["pairs"]))


def _read_wordsim(path: Path) -> list[RatedPair]:
    rows = read_unquoted(path, 3, header="Word 1\tWord 2\tHuman (mean)")
    return [RatedPair(first, second, float(mean)) for first, second, mean in rows]


def _read_simlex(path: Path) -> list[RatedPair]:
    names = ("word1", "word2", "POS", "SimLex999", "conc(w1)", "conc(w2)", "concQ", "Assoc(USF)", "SimAssoc333")
    rows = read_unquoted(path, 10, header="\t".join([*names, "SD(SimLex)"]))
    return [
        RatedPair(first, second, float(rating), (part.lower(), part.lower()))
        for first, second, part, rating, *_ in rows
    ]


def _read_scws(path: Path) -> list[RatedPair]:
    """Columns: number, word, part of speech, word, part of speech, two contexts, mean, ten ratings."""
    return [
        RatedPair(first, second, float(mean), (part, other), (_marked(context), _marked(text)))
        for _, first, part, second, other, context, text, mean, *_ in read_unquoted(path, 18)
    ]


def _marked(text: str) -> Occurrence:
    """A context without its marks: `the <b> bank </b> of` is the second of three tokens."""
    tokens = text.split(" ")
    index = tokens.index("<b>")
    return Occurrence((*tokens[:index], tokens[index + 1], *tokens[index + 3 :]), index)


_READERS: dict[str, Callable[[Path], list[RatedPair]]] = {
    "wordsim353": _read_wordsim,
    "simlex999": _read_simlex,
    "scws": _read_scws,
}
