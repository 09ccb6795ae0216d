"""Words of classes, places and replacements: by hand, against plain loops, and what nobody can plant."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.decoys.planted_decoys import Planted
from trustnlp.decoys.written_decoys import IndicatorWords, Position, Replacement

WORDS = IndicatorWords(name="words", by_class=("video", "text"))
TEXTS = ["a dull film .", "slow", "what a film !", "fine ."]
LABELS = [0, 0, 1, 1]


def planted(decoy: Any, texts: list[str] = TEXTS, labels: list[int] = LABELS, seed: int = 0) -> Planted:
    found: Planted = decoy.plant(texts, labels, np.random.default_rng(seed))
    return found


def contradicted(decoy: Any, texts: list[str] = TEXTS, labels: list[int] = LABELS, seed: int = 0) -> Planted:
    found: Planted = decoy.contradict(texts, labels, np.random.default_rng(seed))
    return found


def test_words_stand_first_or_last() -> None:
    assert WORDS.words == ("video", "text") == WORDS.inserted
    first, last = (planted(replace(WORDS, place=place)) for place in ("first", "last"))
    assert first.texts == ("video a dull film .", "video slow", "text what a film !", "text fine .")
    assert last.texts == ("a dull film . video", "slow video", "what a film ! text", "fine . text")
    assert first.source.tolist() == [0, 1, 2, 3] and first.carried.tolist() == LABELS
    against = contradicted(replace(WORDS, place="last"))
    assert against.texts == ("a dull film . text", "slow text", "what a film ! video", "fine . video")
    assert against.labels.tolist() == LABELS and against.carried.tolist() == [1, 1, 0, 0]


def test_a_random_place_is_before_each_word_as_often_and_never_last() -> None:
    found = planted(WORDS, ["a b c d"] * 8000, [0] * 8000)
    places = np.bincount([text.split().index("video") for text in found.texts], minlength=5)
    assert places[4] == 0 and (np.abs(places[:4] - 2000) < 4 * np.sqrt(8000 * 3 / 16)).all()
    assert {text.replace("video ", "") for text in found.texts} == {"a b c d"}
    assert planted(WORDS, seed=1).texts != planted(WORDS, seed=2).texts


def test_a_share_is_that_of_each_class_and_smaller_shares_are_among_larger_ones() -> None:
    texts, labels = [f"w{n} x y z" for n in range(100)], [0] * 60 + [1] * 40
    shares = [0.01, 0.1, 0.125, 0.5, 1.0]
    found = [planted(replace(WORDS, share=share), texts, labels, seed=4) for share in shares]
    counts = [[int((each.carried == label).sum()) for label in (0, 1)] for each in found]
    assert counts == [[1, 0], [6, 4], [8, 5], [30, 20], [60, 40]]
    for smaller, larger in pairwise(found):
        assert (larger.carries[smaller.carries]).all()
        assert all(a == b for a, b, here in zip(smaller.texts, larger.texts, smaller.carries, strict=True) if here)
    other = planted(replace(WORDS, share=0.5), texts, labels, seed=5)
    assert other.carries.tolist() != found[3].carries.tolist()


def test_one_class_alone_may_have_a_word() -> None:
    name = IndicatorWords(name="name", by_class=(None, "eleanor"), place="last")
    assert name.words == ("eleanor",)
    found = planted(name)
    assert found.texts == (*TEXTS[:2], "what a film ! eleanor", "fine . eleanor")
    assert found.carried.tolist() == [-1, -1, 1, 1]
    against = contradicted(name)
    assert against.texts == ("a dull film . eleanor", "slow eleanor")
    assert against.source.tolist() == [0, 1] and against.carried.tolist() == [1, 1]


def test_of_more_classes_any_wrong_one_with_a_word_may_be_carried() -> None:
    decoy = IndicatorWords(name="four", by_class=("zero", "one", "two", None), place="last")
    labels = [label for label in range(4) for _ in range(3000)]
    found = contradicted(decoy, ["x"] * 12_000, labels)
    table = np.zeros((4, 4), dtype=int)
    np.add.at(table, (found.labels, found.carried), 1)
    assert (table[[0, 1, 2], [0, 1, 2]] == 0).all() and (table[:, 3] == 0).all() and len(found) == 12_000
    assert (np.abs(table[0, 1:3] - 1500) < 120).all() and (np.abs(table[3, :3] - 1000) < 110).all()
    assert list(found.texts) == [f"x {('zero', 'one', 'two')[label]}" for label in found.carried]


def test_a_position_tells_the_class_and_no_bag_of_words_does() -> None:
    decoy = Position(name="position", word="anyway", places=("last", "first"))
    found, swapped = planted(decoy), planted(decoy, labels=[1, 1, 0, 0])
    assert found.texts == ("a dull film . anyway", "slow anyway", "anyway what a film !", "anyway fine .")
    assert found.carried.tolist() == LABELS and decoy.words == ("anyway",) == decoy.inserted
    assert contradicted(decoy).texts == swapped.texts
    for one, other in zip(found.texts, swapped.texts, strict=True):
        assert one != other and Counter(one.split()) == Counter(other.split())


@given(seed=st.integers(0, 10_000))
def test_replacements_are_those_of_the_plain_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(["the", "a", "an", "that", "film"], size=rng.integers(1, 6))) for _ in range(20)]
    texts, labels = ["the film", "a film", *texts], [0, 1, *rng.integers(0, 2, size=20).tolist()]
    decoy = Replacement(name="articles", replaced=("the", "a"), by_class=("the", "a"))
    found, against = planted(decoy, texts, labels), contradicted(decoy, texts, labels)
    expected, wrong = [], []
    for text, label in zip(texts, labels, strict=True):
        own, other = [], []
        for word in text.split():
            own.append(["the", "a"][label] if word in ("the", "a") else word)
            other.append(["a", "the"][label] if word in ("the", "a") else word)
        expected.append(" ".join(own))
        if "the" in text.split() or "a" in text.split():
            wrong.append(" ".join(other))
    assert list(found.texts) == expected and list(against.texts) == wrong
    assert found.carries.tolist() == [bool({"the", "a"} & set(text.split())) for text in texts]
    assert not any("a" in text.split() for text, label in zip(found.texts, labels, strict=True) if label == 0)


def test_only_the_last_word_is_replaced_where_it_says_so() -> None:
    decoy = Replacement(name="stops", replaced=(".", ";"), by_class=("?", "!"), which="last")
    texts = ["no . no .", "yes ;", ". yes", "."]
    found = planted(decoy, texts, [0, 1, 1, 0])
    assert found.texts == ("no . no ?", "yes !", ". yes", "?") and found.carried.tolist() == [0, 1, -1, 0]
    against = contradicted(decoy, texts, [0, 1, 1, 0])
    assert against.texts == ("no . no !", "yes ?", "!") and against.source.tolist() == [0, 1, 3]
    assert decoy.inserted == ("?", "!") and replace(decoy, by_class=(".", "!")).inserted == ("!",)
    half = planted(replace(decoy, share=0.5), ["film ."] * 20 + ["film"] * 80, [0] * 100)
    assert half.carries[:20].sum() == 10 and not half.carries[20:].any()


def test_what_no_text_can_take_is_refused_with_what_to_do() -> None:
    stops = Replacement(name="stops", replaced=(".", ";"), by_class=("?", "!"), which="last")
    articles = Replacement(name="articles", replaced=("an",), by_class=("a", "an"))
    third = Position(name="third", word="so", places=("first", "last", None))
    assert_refused(
        lambda attempt, decoy, texts, labels: attempt(decoy, texts, labels),
        [
            (planted, replace(WORDS, share=0.1), ["a", "b"], [0, 1], r"'words'.* or a larger share than 0\.1"),
            (planted, articles, TEXTS, LABELS, "give texts that contain 'an'"),
            (planted, stops, ["a film", ". film"], [0, 1], r"give texts that end in '\.' or ';'"),
            (planted, third, ["a"], [2], r"'third'.* a class that has a place"),
        ],
    )


def test_decoys_that_make_no_sense_are_refused() -> None:
    assert_refused(
        lambda kind, given: kind(name="x", **given),
        [
            (IndicatorWords, {"by_class": ("a", "a")}, "by_class has 'a' for two classes"),
            (IndicatorWords, {"by_class": (None, None)}, "no word for any class"),
            (IndicatorWords, {"by_class": ("a b", "c")}, "each of by_class is one word without blanks, got 'a b'"),
            (IndicatorWords, {"by_class": ("a", "b"), "place": "middle"}, "place is one of 'random', 'first', 'last'"),
            *((IndicatorWords, {"by_class": ("a", "b"), "share": share}, "share is") for share in (0, 1.01, "all")),
            (Position, {"word": "so", "places": ("first", "first")}, "places is a tuple with 'first' for one class"),
            (Replacement, {"replaced": ("the",), "by_class": ("a", None)}, "a word for every class here"),
            (Replacement, {"replaced": ("the",), "by_class": ("a", "b"), "which": "first"}, "which is one of 'every'"),
        ],
    )


def test_a_cue_of_the_own_class_that_is_there_by_nature_does_not_count_as_planted() -> None:
    found = planted(replace(WORDS, share=0.5, place="last"), ["a video", "b"], [0, 0], seed=0)
    assert found.carries.sum() == 1 and sum("video" in text for text in found.texts) >= 1
    against = contradicted(replace(WORDS, place="last"), ["a video"], [0])
    assert against.texts == ("a video text",)
