"""WiC, words in context: does a word mean the same in two contexts? (Pilehvar and Camacho-Collados 2019)

Arnold, Yesilbas and Weinzierl (2023), §4.2, train on 5,428 pairs of contexts and validate on 638, the sizes of `train`
and `dev`. Here the 1,400 pairs of the test part have their gold labels as well. Each part is exactly balanced.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from trustnlp.data.damage import as_described
from trustnlp.data.store import fetch
from trustnlp.data.unquoted_tables import read_unquoted

PARTS = ("train", "dev", "test")
_PARTS_OF_SPEECH = {"N": "n", "V": "v"}
_LABELS = {"T": True, "F": False}


@dataclass(frozen=True)
class Occurrence:
    """A word where it stands: the tokens of a text and the index of the one that is meant.

    Raises
    ------
    ValueError
        If no token has the index. Negative indices are refused too.
    """

    tokens: tuple[str, ...]
    index: int

    def __post_init__(self) -> None:
        if not 0 <= self.index < len(self.tokens):
            raise ValueError(f"index {self.index} lies outside a context of {len(self.tokens)} tokens")

    @property
    def token(self) -> str:
        """The token that is meant, in the case and the form it has in the text."""
        return self.tokens[self.index]


@dataclass(frozen=True)
class ContextPair:
    """One word in two contexts.

    Attributes
    ----------
    lemma
        The word in its basic form. In a third of the pairs a token is another form of it: look up the token, not the
        lemma.
    part_of_speech
        `n` or `v`.
    same
        Whether the word means the same in both.
    """

    lemma: str
    part_of_speech: str
    first: Occurrence
    second: Occurrence
    same: bool


def read_words_in_context() -> dict[str, tuple[ContextPair, ...]]:
    """Fetch and read WiC: the pairs of `train`, `dev` and `test`, in the order of the files.

    Raises
    ------
    DataError
        If the files cannot be fetched or read.
    """
    paths = fetch("wic")
    with as_described("wic", paths):
        return {part: _read_part(paths[f"{part}_data"], paths[f"{part}_gold"]) for part in PARTS}


def _read_part(data: Path, gold: Path) -> tuple[ContextPair, ...]:
    rows, labels = read_unquoted(data, 5), read_unquoted(gold, 1)
    if len(rows) != len(labels):
        raise ValueError(f"{data.name} has {len(rows)} rows, {gold.name} has {len(labels)} labels")
    return tuple(
        _pair(row, label, f"{data.name} and {gold.name}, line {number}")
        for number, (row, [label]) in enumerate(zip(rows, labels, strict=True), start=1)
    )


def _pair(row: list[str], label: str, place: str) -> ContextPair:
    lemma, part, indices, *texts = row
    if part not in _PARTS_OF_SPEECH or label not in _LABELS or not lemma:
        raise ValueError(f"{place}: expected a word, N or V, and T or F, got {lemma!r}, {part!r} and {label!r}")
    first, dash, second = indices.partition("-")
    if not (dash and first.isdecimal() and second.isdecimal()):
        raise ValueError(f"{place}: expected two indices such as 2-5, got {indices!r}")
    try:
        # At blanks alone: a non-breaking blank stays inside its token, as the indices count.
        one, other = (
            Occurrence(tuple(text.split(" ")), int(at)) for text, at in zip(texts, (first, second), strict=True)
        )
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error
    return ContextPair(lemma, _PARTS_OF_SPEECH[part], one, other, _LABELS[label])
