"""Pairs beyond Table 1: none of its words, none of a profession that is scored, none of the pair under test."""

from __future__ import annotations

from pathlib import Path

import pytest

from trustnlp.data.words.gender_words import WORD_LANGUAGES, words_of_lists
from trustnlp.studies.gender_bias_languages.data import SOURCES, further_pairs


@pytest.mark.parametrize("language", WORD_LANGUAGES)
def test_no_pair_has_a_word_that_is_under_test(language: str) -> None:
    pairs = further_pairs(language, released=False)
    listed = {word.lower() for word in words_of_lists(language)}
    assert not listed & {word for pair in pairs for word in pair}
    assert len(set(pairs)) == len(pairs) and all(female != male for female, male in pairs)
    assert bool(pairs) == (language in SOURCES and language != "en")


@pytest.mark.mirror
def test_released_lists_come_first_and_lose_the_pair_under_test(mirror: Path) -> None:
    english = further_pairs("en")
    assert ("aunt", "uncle") in english and ("she", "he") in english and ("mary", "john") in english
    words = {word for pair in english for word in pair}
    assert not words & {"wives", "husbands", "wife", "husband", "woman", "man"}
    assert further_pairs("es")[0] == ("ella", "él") and ("hermana", "hermano") in further_pairs("es")
    assert ("infirmière", "infirmier") not in further_pairs("fr") and ("tante", "oncle") in further_pairs("fr")
    assert all(len(further_pairs(language)) >= 20 for language in SOURCES)


def test_an_unknown_language_is_told() -> None:
    with pytest.raises(ValueError, match="unknown language"):
        further_pairs("it")
