"""Released lists, aligned sentences and counts: sizes of the real files."""

from refusals import assert_refused

from trustnlp.data.languages.parallel_sentences import read_parallel
from trustnlp.data.words.gender_words import word_list
from trustnlp.data.words.released_word_lists import read_bolukbasi, read_zhou
from trustnlp.data.words.word_counts import read_word_counts


def test_real_lists(mirror):
    lists = read_bolukbasi()
    assert len(lists.pairs) == 10 and len(lists.professions) == 320 and ("she", "he") in lists.pairs
    spanish, french = read_zhou("es"), read_zhou("fr")
    assert len(spanish.occupations) == 58 and len(french.feminine_nouns) > 4000
    assert_refused(read_zhou, [("de", "Spanish .es. and French")])
    # An entry that names the list as its source has a pair of it.
    for language, released in (("es", spanish), ("fr", french)):
        named = [p for p in word_list(language).professions if p.source == "zhou2019"]
        assert named
        for profession in named:
            pairs = {(f, m) for f in profession.feminine for m in profession.masculine}
            assert pairs & set(released.occupations), profession


def test_real_sentences_and_counts(mirror):
    assert {language: len(rows) for language, rows in read_parallel().items()} == dict.fromkeys(
        ("en", "zh", "es", "ar", "de", "fr", "fa", "ur", "wo"), 1997
    )
    assert sum(read_word_counts().values()) > 6_000_000
