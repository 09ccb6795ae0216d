"""The anonymiser: what is removed, what stays as it was, and what it says of bad input."""

from __future__ import annotations

import math
import re
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from refusals import assert_refused

from trustnlp.data.words.owner_names import OwnerNames
from trustnlp.privacy.text.anonymisation.documents import AnonymisedDocument, anonymise, fit_anonymiser
from trustnlp.privacy.text.anonymisation.entities import entity_scores
from trustnlp.privacy.text.anonymisation.entity_spans import has_presidio, text_pieces
from trustnlp.privacy.text.anonymisation.scores import log_odds_scores, search_scores, tf_idf_scores
from trustnlp.privacy.text.anonymisation.vectors import cosine_scores, name_targets
from trustnlp.privacy.text.anonymisation.words import document_words
from trustnlp.studies.polarizedtext.standins import made_up_documents

MADE, NAMES = made_up_documents(3, 4, 8, np.random.default_rng(0))
TEXTS = [document.text for document in MADE.documents]
OWNERS = [document.owner for document in MADE.documents]
needs_numba = pytest.mark.skipif(find_spec("numba") is None, reason="needs the extra 'senses'")


def put_back(original: str, found: AnonymisedDocument, replacement: str = "[…]", link: str = "[link]") -> str:
    """The redacted text with what was removed in its place."""
    text = found.text
    for span in found.spans:  # from the left: what comes before is as it was again
        mark = link if span.score is None else replacement
        assert text[span.start :].startswith(mark)
        text = text[: span.start] + original[span.start : span.end] + text[span.start + len(mark) :]
    return text


@pytest.mark.parametrize("method", ["log_odds", "tf_idf", "search"])
def test_what_is_not_removed_stays_as_it_was(method: str) -> None:
    found, report = anonymise(TEXTS, OWNERS, method=method)
    assert [put_back(text, one) for text, one in zip(TEXTS, found, strict=True)] == TEXTS
    assert report.removed == sum(span.score is not None for one in found for span in one.spans) > 0
    assert report.links == sum(span.score is None for one in found for span in one.spans) > 0
    assert not any(re.search(r"https?:|@", one.text) for one in found)


@needs_numba
@pytest.mark.parametrize("method", ["polarised", "skipgram"])
def test_word_vectors_remove_the_name(method: str) -> None:
    found, report = anonymise(TEXTS, OWNERS, method=method, names={owner: owner for owner in NAMES})
    for one in found:
        assert str(one.owner).lower() not in one.text.lower()
    assert report.threshold < 1
    again, _ = anonymise(TEXTS, OWNERS, method=method, names={owner: owner for owner in NAMES})
    assert [one.text for one in found] == [one.text for one in again]


def test_a_share_of_the_words_goes() -> None:
    for share in (0.01, 0.1):
        _, report = anonymise(TEXTS, OWNERS, share=share)
        assert share <= report.removed / report.words < 2 * share + 0.02
    _, by_hand = anonymise(TEXTS, OWNERS, threshold=math.inf)
    assert by_hand.removed == 0


def test_scores_are_those_of_the_formula() -> None:
    documents = [document_words(text) for text in ("a a b", "a c c c")]
    score = log_odds_scores(documents, ["A", "B"])(documents[0], "A")
    by_hand = math.log((2 + 0.5) / (3 + 1.5)) - math.log((1 + 0.5) / (4 + 1.5))
    assert np.allclose(score[:2], by_hand) and score[2] > score[0]
    tf_idf = tf_idf_scores(documents, ["A", "B"])(documents[0], "A")
    assert np.allclose(tf_idf, [0, 0, math.log(2) * math.log(2)])
    unknown = log_odds_scores(documents, ["A", "B"])(document_words("c b"), None)
    assert (unknown > 0).all()  # private to somebody
    with pytest.raises(KeyError, match="none of the 2 owners"):
        log_odds_scores(documents, ["A", "B"])(documents[0], "C")


def test_search_is_for_the_own_name_only() -> None:
    names = {"A": OwnerNames("Alder", ("Alder", "Oak")), "B": OwnerNames("Beech", ("Beech",))}
    words = document_words("Alder, oak and Beech")
    assert search_scores(names)(words, "A").tolist() == [1, 0, 0, 0]
    assert search_scores(names)(words, None).tolist() == [1, 0, 0, 1]


def test_a_document_without_an_owner_is_not_learned_from() -> None:
    fitted = fit_anonymiser([*TEXTS, "Zebra zebra zebra"], [*OWNERS, None])
    assert "1 documents have no owner" in " ".join(fitted.notes)
    found, _ = anonymise([*TEXTS, f"{OWNERS[0]} and the zebra"], [*OWNERS, ""])
    assert OWNERS[0] not in found[-1].text and "zebra" in found[-1].text


def test_notes_say_what_may_surprise() -> None:
    texts = ["Alder threads the needle", "Beech has threads", "Beech again"]
    _, report = anonymise(texts, ["Threads", "Beech", "Beech"], names={"Beech": "Birch"})
    said = str(report)
    assert "one document only of Threads" in said
    assert "'Birch' never occurs" in said and "vectors of sub-words can stand for it" in said
    assert "'Threads' is also in documents of 1 other owners" in said


@needs_numba
@pytest.mark.parametrize("method", ["log_odds", "polarised", "skipgram"])
def test_empty_documents_come_back_empty_and_stop_no_training(method: str) -> None:
    found, report = anonymise([*TEXTS, "", "\n"], [*OWNERS, OWNERS[0], "Nobody"], method=method)
    assert "2 documents have no word" in str(report)
    plain, _ = anonymise(TEXTS, OWNERS, method=method)
    assert [one.text for one in found] == [*(one.text for one in plain), "", "\n"]


def test_a_name_inside_a_tag_is_redacted() -> None:
    name = OWNERS[0]
    inside = f"<{name} House> <!-- {name} --> <b title='{name}'>x<{name} and Tarn>y</b> <br>"
    found, report = anonymise([TEXTS[0] + inside, *TEXTS[1:]], OWNERS)
    assert name not in found[0].text and found[0].text.endswith("</b> <br>") and "<b title='[…]'>" in found[0].text
    words = len(document_words(TEXTS[0])) + len([name, "House", name, name, *"x", name, "and", "Tarn", *"y"])
    assert report.words == words + sum(len(document_words(text)) for text in TEXTS[1:])


def test_a_word_that_is_only_in_tags_is_learned() -> None:
    tagged = ["<Tarn hall>" if owner == OWNERS[0] else "hall" for owner in OWNERS]
    found, _ = anonymise([f"{text}\n\n{tag}" for text, tag in zip(TEXTS, tagged, strict=True)], OWNERS)
    assert all("<[…] hall>" in one.text for one in found if one.owner == OWNERS[0])


def test_a_name_is_found_in_any_spelling_of_its_characters() -> None:
    texts = [f"{text} Caf\u00e9" if owner == OWNERS[0] else text for text, owner in zip(TEXTS, OWNERS, strict=True)]
    found, _ = anonymise([texts[0] + " Cafe\u0301 &#67;af&eacute;", *texts[1:]], OWNERS)
    assert found[0].text.endswith("[…] […] […]")


def test_a_note_says_if_far_more_goes_than_was_asked_for() -> None:
    _, report = anonymise(["one two three"] * 4, ["A", "A", "B", "B"], share=0.05)
    assert report.removed == report.words and "100% of the words go, and 5% were asked for" in str(report)
    _, usual = anonymise(TEXTS, OWNERS, share=0.1)
    assert "were asked for" not in str(usual)


@needs_numba
@pytest.mark.parametrize("method", ["polarised", "skipgram", "search"])
def test_a_name_without_a_word_is_refused(method: str) -> None:
    with pytest.raises(ValueError, match=rf"that of '{OWNERS[0]}' has no word, '!!!'"):
        anonymise(TEXTS, OWNERS, method=method, names={OWNERS[0]: "!!!"})
    owners = ["???" if owner == OWNERS[0] else owner for owner in OWNERS]
    _, counted = anonymise(TEXTS, owners)  # counts need no name
    assert counted.removed and "the name '???' has no word" in str(counted)


@pytest.mark.parametrize(
    ("owner", "text"),
    [
        (0, "0"), (0.0, "0"), (np.int64(0), "0"), (np.float32(0), "0"), ("0", "0"), (False, "false"),
        (np.bool_(False), "false"), (" ", " "), ("nan", "nan"), ("None", "None"),
    ],
    ids=repr,
)  # fmt: skip
def test_an_owner_that_reads_as_nothing_is_an_owner(owner: object, text: str) -> None:
    texts = ["shared words granite", "shared words granite", "shared words slate", "shared words slate"]
    found, report = anonymise(texts, [owner, owner, "B", "B"], share=0.3)
    assert [one.text for one in found] == ["shared words […]"] * 4
    assert [one.owner for one in found] == [text] * 2 + ["B"] * 2
    assert "have no owner" not in str(report)
    if text.strip():
        named, _ = anonymise(texts, [owner, owner, "B", "B"], method="search", names={owner: "granite", "B": "slate"})
        assert [one.text for one in named] == ["shared words […]"] * 4


@pytest.mark.parametrize("nobody", [None, math.nan, np.float32("nan"), np.datetime64("NaT"), pd.NA, pd.NaT, ""])
def test_a_missing_owner_is_nobody(nobody: object) -> None:
    texts = ["shared words granite", "shared words granite", "shared words slate", "shared words slate slate"]
    found, report = anonymise([*texts, texts[0]], ["A", "A", "B", "B", nobody], share=0.3)
    assert [one.owner for one in found] == ["A", "A", "B", "B", None]
    assert "1 documents have no owner" in str(report) and found[-1].text == "shared words […]"


def test_bad_documents_and_owners() -> None:
    assert_refused(
        anonymise,
        [
            ("one text", ["A"], TypeError, "a list of documents"),
            (["a", "b"], "AB", TypeError, "a list of owners"),
            (iter(TEXTS), OWNERS, TypeError, "documents can be read only once, being a list_iterator"),
            (TEXTS, None, TypeError, "takes a list of owners"),
            (["a", None], ["A", "B"], TypeError, "document 1 is a NoneType"),
            (["a", "b"], [["A"], "B"], TypeError, r"owner of document 0 is \['A'\]"),
            (TEXTS, OWNERS[:-1], "need as many owners"),
            (TEXTS, [None] * len(TEXTS), "all documents belong to nobody"),
            (["", ""], ["A", "B"], "no document has a word"),
            (["word", ""], ["A", "B"], "only documents of A have words"),
        ],
    )


def test_bad_settings() -> None:
    assert_refused(
        lambda settings: anonymise(TEXTS, OWNERS, **settings),
        [
            ({"method": "magic"}, "method is one of"),
            ({"share": 5}, "between 0 and 1"),
            ({"share": None}, TypeError, "share, a part of the words, is a number, got None"),
            ({"threshold": math.nan}, "got NaN"),
            ({"threshold": True}, TypeError, "threshold, a score, is a number, got True"),
            ({"replacement": None}, TypeError, "replacement is the text that stands in the place of a word, got None"),
            ({"seed": "a"}, TypeError, "seed is a whole number from 0 on, got 'a'"),
            ({"names": {"Elsewhere": "Else"}}, "a name is given for 'Elsewhere', who owns none"),
        ],
    )


def test_a_target_without_a_vector_is_an_error_and_not_a_score() -> None:
    class Nothing:
        def stack(self, words: list[str]) -> np.ndarray:
            return np.zeros((len(words), 3), dtype=np.float32)

    with pytest.raises(ValueError, match="target of 'A' has no vector"):
        cosine_scores(Nothing(), name_targets(Nothing(), {"A": OwnerNames("A", ("A",))}))


def test_five_megabytes_are_read_in_pieces() -> None:
    text = ("word " * 400 + "\n\n") * 2000 + "x" * 1_500_000
    assert len(text) > 5_000_000
    pieces = list(text_pieces(text))
    assert max(len(part) for _, part in pieces) <= 100_000
    for offset, part in pieces[:: len(pieces) // 50]:
        assert text[offset : offset + len(part)] == part
    assert sum(len(part) for _, part in pieces) >= sum(map(len, text.split()))


def test_entities_reach_the_words_that_they_touch_and_pieces_are_read_once() -> None:
    asked: list[str] = []

    def finder(texts: list[str]) -> list[list[tuple[int, int, float]]]:
        asked.extend(texts)
        return [[(found.start(), found.end(), 0.7) for found in re.finditer("Alder Inc", text)] for text in texts]

    scores = entity_scores(finder)
    words = document_words("We at Alder Incorporated.\n\nBeech.\n\nBeech.")
    assert scores(words, None).tolist() == [0, 0, 0.7, 0.7, 0, 0]
    scores(words, "A")
    assert asked == ["We at Alder Incorporated.", "Beech."]


@pytest.mark.skipif(has_presidio(), reason="presidio-analyzer is installed")
def test_presidio_is_named_where_it_is_missing() -> None:
    with pytest.raises(ImportError, match="pip install presidio-analyzer"):
        anonymise(TEXTS, OWNERS, method="presidio")


def test_columns_and_arrays_are_lists() -> None:
    frame = pd.DataFrame({"text": TEXTS, "owner": OWNERS}, index=range(100, 100 + len(TEXTS)))
    expected = [one.text for one in anonymise(TEXTS, OWNERS)[0]]
    for documents, owners in ((frame["text"], frame["owner"]), (np.array(TEXTS), np.array(OWNERS))):
        assert [one.text for one in anonymise(documents, owners)[0]] == expected
