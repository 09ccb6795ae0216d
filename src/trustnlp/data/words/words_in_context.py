"""WiC, words in context: does a word mean the same in two contexts? (Pilehvar and Camacho-Collados 2019)

Arnold, Yesilbas and Weinzierl (2023), §4.2, train on 5,428 pairs of contexts and validate on 638, the sizes of `train`
and `dev`. Here the 1,400 pairs of the test part have their gold labels as well. Each part is exactly balanced.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from trustnlp.data.store import fetch
from trustnlp.data.unquoted_tables import read_unquoted

PARTS = ("train", "dev", "test")


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
        If the files cannot be fetched.
    """
    paths = fetch("wic")
    return {part: _read_part(paths[f"{part}_data"], paths[f"{part}_gold"]) for part in PARTS}


def _read_part(data: Path, gold: Path) -> tuple[ContextPair, ...]:
    return tuple(
        _pair(*row, same=label == "T")
        for row, [label] in zip(read_unquoted(data, 5), read_unquoted(gold, 1), strict=True)
    )


def _pair(lemma: str, part: str, indices: str, *texts: str, same: bool) -> ContextPair:
    # At blanks alone: a non-breaking blank stays inside its token, as the indices count.
    first, second = (
        Occurrence(tuple(text.split(" ")), int(index)) for text, index in zip(texts, indices.split("-"), strict=True)
    )
    return ContextPair(lemma, part.lower(), first, second, same)
