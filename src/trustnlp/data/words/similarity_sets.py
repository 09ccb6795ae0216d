"""Pairs of words and how alike people find them: WordSim-353, SimLex-999 and SCWS.

Arnold, Yesilbas and Weinzierl (2023), §4.2 and Table 1, correlate these ratings with cosines between substitutes.
`wordsim353` (Finkelstein et al. 2002) rates relatedness, `simlex999` (Hill et al. 2015) similarity, both without a
context; `scws` (Huang et al. 2012) rates two words each within a text of its own.

Nothing is left out or merged. WordSim-353 has *money* and *cash* twice with two ratings, *bank* and *money* in both
orders, and *tiger* with itself; SCWS has 241 pairs of a word with itself, in 76 of them as two parts of speech.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from trustnlp.data.damage import as_described
from trustnlp.data.registry import DataError
from trustnlp.data.store import fetch
from trustnlp.data.unquoted_tables import read_unquoted
from trustnlp.data.words.words_in_context import Occurrence

_HIGHEST = 10.0
_RATINGS = 10  # individual ratings of a pair of SCWS


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

    def __post_init__(self) -> None:
        if not (self.first and self.second) or not 0 <= self.rating <= _HIGHEST:
            raise ValueError(f"expected two words and a rating of 0 to {_HIGHEST:g}, got {self}")
        if self.parts_of_speech and not set(self.parts_of_speech) <= {"n", "v", "a"}:
            raise ValueError(f"expected the parts of speech n, v or a, got {self.parts_of_speech}")


def read_similarity(name: str) -> tuple[RatedPair, ...]:
    """Fetch and read one of the sets, in the order of its file.

    Parameters
    ----------
    name
        `wordsim353` (353 pairs), `simlex999` (999) or `scws` (2,003).

    Raises
    ------
    DataError
        If it is not one of the sets, or it cannot be fetched or read.
    """
    if name not in _READERS:
        raise DataError(f"{name!r} is not a set of rated pairs; choose from {', '.join(_READERS)}")
    paths = fetch(name)
    with as_described(name, paths):
        return _READERS[name](paths["pairs"])


def _read_wordsim(path: Path) -> tuple[RatedPair, ...]:
    rows = read_unquoted(path, 3, header="Word 1\tWord 2\tHuman (mean)")
    return _parse(path, rows, lambda row: RatedPair(row[0], row[1], float(row[2])))


def _read_simlex(path: Path) -> tuple[RatedPair, ...]:
    names = ("word1", "word2", "POS", "SimLex999", "conc(w1)", "conc(w2)", "concQ", "Assoc(USF)", "SimAssoc333")
    rows = read_unquoted(path, 10, header="\t".join([*names, "SD(SimLex)"]))
    return _parse(path, rows, lambda row: RatedPair(row[0], row[1], float(row[3]), (row[2].lower(), row[2].lower())))


def _read_scws(path: Path) -> tuple[RatedPair, ...]:
    """Columns: number, word, part of speech, word, part of speech, two contexts, mean, ten ratings."""
    return _parse(path, read_unquoted(path, 8 + _RATINGS), _scws_pair)


def _scws_pair(row: list[str]) -> RatedPair:
    mean = sum(map(float, row[8:])) / _RATINGS
    if not math.isclose(mean, float(row[7]), abs_tol=1e-6):
        raise ValueError(f"the mean rating is {row[7]}, but that of the single ones is {mean:g}")
    contexts = (_marked(row[5], row[1]), _marked(row[6], row[3]))
    return RatedPair(row[1], row[3], float(row[7]), (row[2], row[4]), contexts)


def _marked(text: str, word: str) -> Occurrence:
    """A context without its marks: `the <b> bank </b> of` is the second of three tokens."""
    tokens = text.split(" ")
    if (tokens.count("<b>"), tokens.count("</b>")) != (1, 1):
        raise ValueError(f"expected one <b> and one </b> in the context of {word!r}")
    index = tokens.index("<b>")
    if tokens[index + 2 : index + 3] != ["</b>"] or tokens[index + 1].lower() != word.lower():
        raise ValueError(f"expected {word!r} alone between <b> and </b>, got {tokens[index + 1 : index + 4]}")
    return Occurrence((*tokens[:index], tokens[index + 1], *tokens[index + 3 :]), index)


def _parse(path: Path, rows: list[list[str]], parse: Callable[[list[str]], RatedPair]) -> tuple[RatedPair, ...]:
    pairs = []
    for number, row in enumerate(rows, start=1):
        try:
            pairs.append(parse(row))
        except ValueError as error:
            raise ValueError(f"{path.name}, row {number}: {error}") from error
    return tuple(pairs)


_READERS: dict[str, Callable[[Path], tuple[RatedPair, ...]]] = {
    "wordsim353": _read_wordsim,
    "simlex999": _read_simlex,
    "scws": _read_scws,
}
