"""How lines of nine languages are cut: normalisation, phrases, Chinese by longest match, and what is refused."""

import unicodedata

import pytest
from refusals import assert_refused

from trustnlp.data.languages.language_words import LanguageWords
from trustnlp.data.words.gender_words import STATES, WORD_LANGUAGES, second_meanings, word_list


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
def test_a_line_is_normalised_and_cut(language, line, words):
    assert LanguageWords(language)(line) == words


def test_each_choice_changes_what_it_names():
    assert LanguageWords("de", lower=False)("Der Junge") == ["Der", "Junge"]
    # Father and August: two words, or one
    father, august = "أب", "آب"
    kept, folded = LanguageWords("ar"), LanguageWords("ar", fold_hamza=True)
    assert kept(father) != kept(august) and folded(father) == folded(august) == ["اب"]
    assert LanguageWords("fa", join_zwnj=True)("کتاب‌ها") == ["کتابها"]


UNSEEN = "\u00ad\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"


def test_signs_that_are_not_seen_do_not_cut_words():
    assert LanguageWords("de")("Wissen\u00adschaftler \u2066Frau\u2069") == ["wissenschaftler", "frau"]
    for sign in UNSEEN:
        assert LanguageWords("en")(f"{sign}moth{sign}er ") == ["mother"], hex(ord(sign))
        assert LanguageWords("ar")(f"رج{sign}ل") == ["رجل"] and LanguageWords("zh")(f"女{sign}孩") == ["女孩"]
    assert LanguageWords("es")("e\u00ad\u0301l") == ["él"]  # the accent finds its letter
    # Of the same category: what says where a word ends, and what is seen, cuts.
    for sign in "\u200b\u200c\u200d\u06dd":
        assert unicodedata.category(sign) == "Cf" and LanguageWords("ar")(f"رج{sign}ل") == ["رج", "ل"]
    punctuation = [sign for sign in map(chr, range(0x2000, 0x2070)) if unicodedata.category(sign) == "Cf"]
    cutting = [sign for sign in punctuation if LanguageWords("fr")(f"mè{sign}re") != ["mère"]]
    assert len(punctuation) > 20 and cutting == ["\u200b", "\u200c", "\u200d"]


def test_what_stands_for_the_non_joiner_in_farsi_is_handled_as_it_is():
    for sign in f"\u200c{UNSEEN}":
        line = f"{sign}کتاب{sign}ها{sign} را"
        assert LanguageWords("fa")(line) == ["کتاب", "ها", "را"]
        assert LanguageWords("fa", join_zwnj=True)(line) == ["کتابها", "را"]


@pytest.mark.parametrize(
    ("language", "line", "words"),
    [
        ("ar", "\ufee3\ufeaa\ufef3\ufee8\ufe94 \ufefb", ["مدينة", "لا"]),
        ("ar", "رسول\ufdfaو", ["رسول", "صلى", "الله", "عليه", "وسلم", "و"]),
        ("ar", "\ufdf2 ا\ufdf2 وا\ufdf2", ["الله", "الله", "والله"]),
        ("ar", "5 \ufdfc", []),
        ("ar", "\ufe8d\u0653ب", ["آب"]),  # a mark above joins the letter that the form becomes
        ("ar", "م\ufe70عل\ufc60م\ufe71", ["معلم"]),  # marks that stand alone have a blank in their decomposition
        ("fa", "\ufedf\ufef2 \ufbfc \ufed9", ["لی", "ی", "ک"]),
        ("ur", "\ufee3\ufee0\ufedc\ufeea \ufba6", ["ملکہ", "ہ"]),
    ],
)
def test_presentation_forms_become_letters(language, line, words):
    assert LanguageWords(language)(line) == words


def test_phrases_are_kept_longest_first_and_only_whole():
    words = LanguageWords("wo", phrases=["doom ju", "Doom ju góor"])
    assert words("doom ju góor ak doom ju jigéen, doom") == ["doom_ju_góor", "ak", "doom_ju", "jigéen", "doom"]


def test_a_word_of_a_list_is_found_in_a_text_that_holds_it():
    for language in WORD_LANGUAGES:
        for state in ("repaired", "reconciled"):
            for pair in word_list(language, state).pairs.values():
                for word in pair:
                    words = LanguageWords(language, phrases=[word] if " " in word else [])
                    assert words(word) == [words.form(word)], (language, word)


def test_mixed_scripts_empty_lines_and_what_is_refused():
    assert LanguageWords("ur")("manager مینیجر") == ["manager", "مینیجر"]
    assert LanguageWords("zh")("") == [] == LanguageWords("ar")("123 …")
    assert_refused(lambda phrase: LanguageWords("wo", phrases=[phrase]), [("góor", "is one word, no phrase")])


def test_lists_are_whole_and_refuse_what_they_do_not_know():
    concepts = [p.concept for p in word_list("en").professions]
    assert len(set(concepts)) == len(concepts) == 32
    for language in WORD_LANGUAGES:
        each = word_list(language)
        assert [p.concept for p in each.professions] == concepts
        for p in each.professions:
            assert p.forms and set(p.sources) == set(p.forms), (language, p)
            assert set(p.sources.values()) <= {"paper", "zhou2019", "own"}, (language, p)
        assert len(word_list(language, "printed").pairs) == 7 == len(each.pairs)
        words = [word for pair in word_list(language, "reconciled").pairs.values() for word in pair]
        assert len(set(words)) == len(words) and not any(" " in word for word in words), language
    assert_refused(word_list, [("en", "final", "unknown state 'final'")])


@pytest.mark.parametrize("call", [word_list, LanguageWords, second_meanings])
def test_an_unknown_language_is_refused_with_the_nearest_code(call):
    said = "unknown language '{}'; choose one of en, zh.*wo."
    hints = {"german": "de", "deu": "de", "Persian": "fa", "en-US": "en", "FR": "fr"}
    rows = [(name, f"{said.format(name)} Did you mean '{code}'\\?$") for name, code in hints.items()]
    assert_refused(call, [*rows, ("klingon", f"{said.format('klingon')}$")])


def test_a_form_has_a_source_of_its_own_where_they_differ():
    teacher = next(p for p in word_list("fr").professions if p.concept == "teacher")
    assert teacher.sources["enseignante"] == "zhou2019" and teacher.sources["institutrice"] == "own"
    assert teacher.source == "zhou2019, own"


def test_every_second_meaning_is_of_a_listed_form_and_names_its_dictionary():
    for language in WORD_LANGUAGES:
        listed = {word for state in STATES for pair in word_list(language, state).pairs.values() for word in pair}
        listed |= {form for profession in word_list(language).professions for form in profession.forms}
        entries = second_meanings(language)
        assert {entry.form for entry in entries} <= listed and len({entry.form for entry in entries}) == len(entries)
        assert all(entry.meaning and entry.source for entry in entries)


def test_homographs_leave_with_their_pairs_and_a_profession_with_its_last_form():
    german = word_list("de", homographs=False)
    assert word_list("de").pairs.keys() - german.pairs.keys() == {"mother-father", "girl-boy", "madam-sir"}
    farmer = next(p for p in german.professions if p.concept == "farmer")
    assert farmer.masculine == () and farmer.feminine == ("Bäuerin",)
    assert "person" not in [p.concept for p in word_list("fr", homographs=False).professions]
    assert word_list("es", homographs=False).pairs == word_list("es").pairs  # hija is a daughter and nothing else


def test_father_is_a_homograph_only_where_hamza_is_dropped():
    entries = {m.form: m for m in second_meanings("ar")}
    assert entries["أب"].folded and not entries["أم"].folded
    kept, folded = (word_list("ar", homographs=False, fold_hamza=folded) for folded in (False, True))
    assert not {("أم", "أب")} & {*kept.pairs.values(), *folded.pairs.values()}
    assert len(folded.pairs) <= len(kept.pairs)


def test_a_list_knows_whether_it_was_normalised():
    listed = word_list("ur", "printed")
    written = listed.written(LanguageWords("ur").form)
    assert not listed.normalised and written.normalised
    assert listed.pairs["daughter-son"] == ("بىٹى", "بىٹا") and written.pairs["daughter-son"] == ("بیٹی", "بیٹا")
    with pytest.raises(ValueError, match="the Urdu list is normalised already"):
        written.written(str)
