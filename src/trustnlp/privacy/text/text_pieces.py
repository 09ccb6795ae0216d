"""A text cut into words and what stands between them, so that joining the pieces gives it back; and the case of words.

What is called a word decides what is protected: `trustnlp.privacy.text.text_release` releases everything else
unchanged. So only white space and punctuation (Unicode's categories P and Sc, and the ASCII signs $+<=>^`|~) count as
something else. Letters of all scripts, digits, combining marks, emoji and characters that cannot be seen belong to
words.

Forms that English contracts are cut as GloVe's tokeniser does: ``don't`` into ``do`` and ``n't``, ``it's`` into ``it``
and ``'s``. Hyphens, slashes and decimal points are punctuation: ``well-known`` is two words.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import Literal, NamedTuple

Case = Literal["lower", "capitalised", "upper", "other"]

_SIGNS = frozenset("$+<=>^`|~")
_CLITIC = r"(?i:n['’]t|['’](?:s|re|ve|ll|d|m))"


class Piece(NamedTuple):
    """A word, or a stretch of white space and punctuation between words."""

    text: str
    is_word: bool


def cut(text: str) -> list[Piece]:
    """The pieces of a text in their order; their texts joined are the text.

    >>> [piece.text for piece in cut("It's a well-known bank.") if piece.is_word]
    ['It', "'s", 'a', 'well', 'known', 'bank']
    """
    pieces, end = [], 0
    for match in _word_pattern().finditer(text):
        if match.start() > end:
            pieces.append(Piece(text[end : match.start()], False))
        word, end = match[0], match.end()
        if len(word) > 3 and word[-2] in "'’":  # "don't": no other word has an apostrophe there
            pieces.append(Piece(word[:-3], True))
            word = word[-3:]
        pieces.append(Piece(word, True))
    if end < len(text):
        pieces.append(Piece(text[end:], False))
    return pieces


def is_word(token: str) -> bool:
    """Whether a token holds more than white space and punctuation.

    >>> is_word("don't"), is_word("7"), is_word(" ,")
    (True, True, False)
    """
    return _word_pattern().search(token) is not None


def looked_up(word: str) -> str:
    """The form of a word in a lower-cased vocabulary, with the typewriter's apostrophe.

    >>> looked_up("Don’t")
    "don't"
    """
    return word.lower().replace("’", "'")


def is_clitic(word: str) -> bool:
    """Whether a word is one that English writes against the word before it, such as ``n't``.

    >>> is_clitic("n't"), is_clitic("not")
    (True, False)
    """
    return re.fullmatch(_CLITIC, word) is not None


def case_of(word: str) -> Case:
    """Which of four patterns the case of a word has; a single capital letter counts as capitalised.

    >>> [case_of(word) for word in ("bank", "Bank", "I", "BANK", "McBank")]
    ['lower', 'capitalised', 'capitalised', 'upper', 'other']
    """
    if word == word.lower():
        return "lower"
    if word[0].isupper() and word[1:] == word[1:].lower():
        return "capitalised"
    return "upper" if word.isupper() else "other"


def with_case(word: str, case: Case) -> str:
    """The word in a pattern; `lower` and `other` leave it as the vocabulary writes it."""
    if case == "capitalised":
        return word[:1].upper() + word[1:]
    return word.upper() if case == "upper" else word


@functools.cache
def _word_pattern() -> re.Pattern[str]:
    # Beyond the first two planes Unicode has ideographs, tags and variation selectors only.
    between = [chr(code) for code in range(0x20000) if _is_between(chr(code))]
    letter = rf"[^\s{re.escape(''.join(between))}]"
    return re.compile(rf"{letter}+(?:(?<=[nN])['’][tT](?!{letter}))?|{_CLITIC}(?!{letter})")


def _is_between(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] == "P" or category == "Sc" or character in _SIGNS
