"""How lines of nine languages are cut: normalisation, phrases, Chinese by longest match, and what is refused."""

from __future__ import annotations

import pytest
from refusals import assert_refused

from trustnlp.data.gender_words import STATES, WORD_LANGUAGES, word_list
from trustnlp.data.language_words import LanguageWords


@pytest.mark.parametrize(
    ("language", "line", "words"),
    [
        ("en", "It’s a well-known THING, no. 7!", ["it's", "a", "well-known", "thing", "no"]),
        ("de", "Der Junge, 3 junge Leute", ["der", "junge", "junge", "leute"]),
        ("es", "¿La niña? E\u0301l", ["la", "niña", "él"]),  # a combining accent becomes one sign
        ("fr", "L’homme d'État", ["l", "homme", "d", "état"]),
        ("ar", "كَتَبَتِ المُعَلِّمَــةُ أُمّ", ["كتبت", "المعلمة", "أم"]),
        ("fa", "علي كتاب‌ها را ديد", ["علی", "کتاب", "ها", "را", "دید"]),
        ("ur", "ملكه", ["ملکہ"]),
        ("zh", "女孩子的母親是工程师，ABC 3。", ["女孩", "子", "的", "母亲", "是", "工程师", "abc"]),
        ("wo", "Jigéen ñi", ["jigéen", "ñi"]),
    ],
)
def test_a_line_is_normalised_and_cut(language: str, line: str, words: list[str]) -> None:
    assert LanguageWords(language)(line) == words


def test_each_choice_changes_what_it_names() -> None:
    assert LanguageWords("de", lower=False)("Der Junge") == ["Der", "Junge"]
    # Father and August: two words, or one
    father, august = "أب", "آب"
    kept, folded = LanguageWords("ar"), LanguageWords("ar", fold_hamza=True)
    assert kept(father) != kept(august) and folded(father) == folded(august) == ["اب"]
    assert LanguageWords("fa", join_zwnj=True)("کتاب‌ها") == ["کتابها"]


def test_phrases_are_kept_longest_first_and_only_whole() -> None:
    words = LanguageWords("wo", phrases=["doom ju", "Doom ju góor"])
    assert words("doom ju góor ak doom ju jigéen, doom") == ["doom_ju_góor", "ak", "doom_ju", "jigéen", "doom"]


def test_a_word_of_a_list_is_found_in_a_text_that_holds_it() -> None:
    for language in WORD_LANGUAGES:
        for state in ("repaired", "reconciled"):
            for pair in word_list(language, state).pairs.values():
                for word in pair:
                    words = LanguageWords(language, phrases=[word] if " " in word else [])
                    assert words(word) == [words.form(word)], (language, word)


def test_mixed_scripts_empty_lines_and_what_is_refused() -> None:
    assert LanguageWords("ur")("manager مینیجر") == ["manager", "مینیجر"]
    assert LanguageWords("zh")("") == [] == LanguageWords("ar")("123 …")
    assert_refused(
        lambda *given: LanguageWords(*given[:1], **given[1]),
        [
            ("xx", {}, "unknown language 'xx'; choose one of en, zh"),
            ("wo", {"phrases": ["góor"]}, "is one word, no phrase"),
        ],
    )


def test_lists_are_whole_and_refuse_what_they_do_not_know() -> None:
    concepts = [p.concept for p in word_list("en").professions]
    assert len(concepts) == 32 and len(set(concepts)) == 32
    for language in WORD_LANGUAGES:
        each = word_list(language)
        assert [p.concept for p in each.professions] == concepts
        assert all(p.forms and p.source in ("paper", "zhou2019", "own") for p in each.professions), language
        assert len(word_list(language, "printed").pairs) == 7 == len(each.pairs)
    assert STATES == ("printed", "repaired", "reconciled")
    assert_refused(word_list, [("xx", "repaired", "unknown language"), ("en", "final", "unknown state 'final'")])


def test_reconciled_pairs_do_not_repeat_and_are_single_words() -> None:
    for language in WORD_LANGUAGES:
        words = [word for pair in word_list(language, "reconciled").pairs.values() for word in pair]
        assert len(set(words)) == len(words) and not any(" " in word for word in words), language
