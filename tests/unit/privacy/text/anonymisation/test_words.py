"""Words and links of a document, and names among the words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustnlp.data.words.owner_names import OwnerNames
from trustnlp.privacy.text.anonymisation.name_search import find_name_words, find_names, name_words, own_name
from trustnlp.privacy.text.anonymisation.words import document_words


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Corvane's e-mail, don't!", ("corvane", "e", "mail", "don't")),
        ("X’s rules’ text", ("x", "rules", "text")),
        ("Face\u200bbook and \ufeffso", ("facebook", "and", "so")),
        ("a<br>b &nbsp; c <!-- Alder --> <Alder House> <span class='x'>d</span>", ("a", "b", "c", "d")),
        ("_Ünïted_ Straße 14(c)", ("ünïted", "straße", "14", "c")),
        (" \n | --- | \n", ()),
    ],
)
def test_words(text: str, keys: tuple[str, ...]) -> None:
    assert document_words(text).keys == keys


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("see [the page](https://a.example/b_(c)) now", ["https://a.example/b_(c)"]),
        ("see [the page](/en/policies) now", ["/en/policies"]),
        (
            "to team@corvane.example, or https://corvane.example/x.",
            ["team@corvane.example", "https://corvane.example/x."],
        ),
        ("at www.corvane.org/help and corvane.com/a", ["www.corvane.org/help", "corvane.com/a"]),
        ('<a href="https://corvane.example">us</a>', ['<a href="https://corvane.example">']),
        ("no link. At all, e.g. here.", []),
    ],
)
def test_links_are_spans_and_no_words(text: str, links: list[str]) -> None:
    found = document_words(text)
    assert [text[start:end] for start, end in found.links] == links
    for start, end in found.links:
        assert not any(start <= at < end for at in found.spans[:, 0])


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("<Alder House> of <MARK MILLER>", ("alder", "house", "of", "mark", "miller")),
        ("<!-- Alder secret -->", ("alder", "secret")),
        ("x<Alder and Tarn>y", ("x", "alder", "and", "tarn", "y")),
        ("<b title='Alder' id=oak class=\"a b\">c</b><BR/>", ("alder", "oak", "a", "b", "c")),
        ("<Tarn>d</Tarn>", ("tarn", "d", "tarn")),  # no element of HTML
        ("<span title='of https://alder.example/x'>", ("of",)),
        ("AT&Alder; and &Tarn;", ("at", "alder", "and", "tarn")),  # no entities of HTML
    ],
)
def test_a_redactor_reads_what_is_in_tags(text: str, keys: tuple[str, ...]) -> None:
    assert document_words(text, thorough=True).keys == keys


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Cafe\u0301", "café"),
        ("&#65;lder", "alder"),
        ("Stra&szlig;e", "straße"),
        ("caf&#x65;&#x301;", "café"),
        ("don&#39;t", "don't"),
        ("Al&shy;der", "alder"),
        ("\u1112\u1161\u11ab", "한"),
    ],
)
def test_a_word_is_found_however_its_characters_are_written(text: str, key: str) -> None:
    found = document_words(f"so {text}, so")
    assert found.keys == ("so", key, "so") and found.written(1) == text


def test_an_entity_is_no_tag() -> None:
    for thorough in (False, True):
        assert document_words("&lt;Alder&gt;&nbsp;b &quot;c&quot;", thorough=thorough).keys == ("alder", "b", "c")


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("at alder.ca, alder.ai and ALDER.DE.", ["alder.ca", "alder.ai", "ALDER.DE"]),
        ("at x.alder.edu/a or alder.mil or alder.xyz", ["x.alder.edu/a", "alder.mil", "alder.xyz"]),
        ("at café.fr and t.co/x and alder.wiki/b", ["café.fr", "t.co/x", "alder.wiki/b"]),
        ("at cafe\u0301.fr; a@b&#46;ie", ["cafe\u0301.fr", "a@b&#46;ie"]),
        ("It ends.It begins. 3.in all, e.g. 2.a.it and the end.", []),
    ],
)
def test_a_redactor_finds_bare_domains_of_many_endings(text: str, links: list[str]) -> None:
    found = document_words(text, thorough=True)
    assert [text[start:end] for start, end in found.links] == links


@given(st.text(alphabet="aB é\n.<>[]()@/:_'’\u200b1\u0301&#;=", max_size=60), st.booleans())
def test_every_span_is_its_word_and_spans_do_not_overlap(text: str, thorough: bool) -> None:
    found = document_words(text, thorough=thorough)
    assert (found.spans[1:, 0] >= found.spans[:-1, 1]).all()
    for place, key in enumerate(found.keys):
        assert key and document_words(found.written(place)).keys == (key,)


def test_long_runs_take_no_long_time() -> None:
    for text in ("x" * 200_000, "a." * 100_000, "<b " * 50_000, "<b a=" * 50_000, "&a" * 50_000):
        document_words(text, thorough=True)


def test_paragraphs_are_contexts() -> None:
    found = document_words("One two\nthree.\n\n  \nFour five\n\nsix")
    assert found.contexts == [["one", "two", "three"], ["four", "five"], ["six"]]
    assert document_words("").contexts == []


NAMES = OwnerNames("Office of Tides", ("Office of Tides", "OOT", "e-Tide"), ("Tide",))


def test_names_are_runs_of_words_and_cased_ones_keep_their_case() -> None:
    words = document_words("The office of\ntides (oot) has an e-Tide; the Tide, not the tide. Offices of tides.")
    found, small = find_names(words, NAMES)
    assert " ".join(words.keys[place] for place in np.flatnonzero(found)) == "office of tides oot e tide tide"
    assert [words.keys[place] for place in np.flatnonzero(small)] == ["of"]
    singles = find_name_words(words, NAMES)
    assert " ".join(words.keys[place] for place in np.flatnonzero(singles)) == "office of tides of tides"
    assert name_words(NAMES, small=False) == ("office", "tides")


def test_the_own_name_is_searched_in_the_case_that_it_needs() -> None:
    cased = OwnerNames("LINE", ("LY Corporation",), ("LINE",))
    words = document_words("LINE and a line of LY Corporation")
    assert find_names(words, own_name(cased))[0].tolist() == [True] + [False] * 6
