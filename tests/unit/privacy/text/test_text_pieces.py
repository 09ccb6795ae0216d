"""What is a word and what is between words: nothing that could be one slips through."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustnlp.privacy.text.text_pieces import case_of, cut, is_clitic, is_word, with_case


def words(text: str) -> list[str]:
    return [piece.text for piece in cut(text) if piece.is_word]


@given(st.text(alphabet=st.characters(), max_size=40))
def test_pieces_joined_are_the_text(text: str) -> None:
    pieces = cut(text)
    assert "".join(piece.text for piece in pieces) == text
    assert all(piece.text for piece in pieces)


@given(st.text(max_size=40))
def test_between_words_there_are_only_spaces_punctuation_and_signs(text: str) -> None:
    for piece in cut(text):
        if not piece.is_word:
            for character in piece.text:
                category = unicodedata.category(character)
                assert character.isspace() or category[0] == "P" or category == "Sc" or character in "$+<=>^`|~"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("To walk by a river-bank, at sunset.", "To walk by a river bank at sunset"),
        ("don't Can’t ISN'T n't", "do n't Ca n’t IS N'T n't"),
        ("it's we're I'd 'dogs' o'clock James'", "it 's we 're I 'd dogs o clock James"),
        ("does n't , it 's", "does n't it 's"),
        ("$5.50 x_y a/b", "5 50 x y a b"),
        ("na\u0308ive wo\u200brd \u200b", "na\u0308ive wo\u200brd \u200b"),
        ("ok😀 ∞ ☂", "ok😀 ∞ ☂"),
        ("Grüße Привет 漢字 हिन्दी", "Grüße Привет 漢字 हिन्दी"),
    ],
)
def test_what_a_word_is(text: str, expected: str) -> None:
    assert words(text) == expected.split(" ")


def test_tokens_that_are_words() -> None:
    tokens = ("New York", "n't", "...", "$", " ", "", "☂")
    assert [token for token in tokens if is_word(token)] == ["New York", "n't", "☂"]


@pytest.mark.parametrize(
    ("original", "substitute", "released"),
    [
        ("bank", "river", "river"),
        ("Bank", "river", "River"),
        ("BANK", "straße", "STRASSE"),
        ("McBank", "river", "river"),
        ("42", "river", "river"),
        ("U2", "river", "River"),
        ("Don'", "o'neil", "O'neil"),
    ],
)
def test_the_case_pattern_moves_to_the_substitute(original: str, substitute: str, released: str) -> None:
    assert with_case(substitute, case_of(original)) == released


def test_forms() -> None:
    assert is_clitic("'ll") and is_clitic("N’T") and not is_clitic("not") and not is_clitic("'lll")
