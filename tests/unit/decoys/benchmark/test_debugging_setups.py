"""Comparison, removal and uncovering, worked out by hand and against brute force."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from explanations import explanation
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.decoys.benchmark.debugging_setups import compare, uncover, words_to_remove
from trustnlp.decoys.benchmark.simulated_inspector import Inspection, Inspector

CLEAN = [
    explanation({"text": 0.0, "good": 0.6, "film": 0.1}),
    explanation({"text": 0.1, "good": 0.5, "the": 0.1}),
    explanation({"the": 0.2, "good": 0.4, "film": 0.1}),
    explanation({"the": 0.3, "dull": 0.2, "text": 0.1}),
]
BUGGY = [
    explanation({"text": 0.7, "good": 0.2, "film": 0.1}),
    explanation({"text": 0.8, "good": 0.3, "the": 0.1}),
    explanation({"the": 0.2, "good": 0.4, "film": 0.1}),
    explanation({"the": 0.3, "dull": 0.2, "text": 0.1}),
]


def test_the_model_with_the_odd_word_is_chosen() -> None:
    # First places: text 0 and 2, good 3 and 1: what the buggy model neglects differs as much as what it should.
    found = compare(CLEAN, BUGGY)
    assert found.ranking.words[:2] == ("good", "text") and found.ranking.values.tolist() == [2, 2, 0, 0, 0]
    assert found.chosen is None and (found.success(0), found.success(1)) == (0.5, 0.5)
    trusting = compare(CLEAN, BUGGY, reasons={"good", "dull"})
    assert trusting.ranking.words == ("text", "film", "the") and trusting.chosen == 1
    assert (trusting.success(1), trusting.success(0)) == (1, 0)
    assert compare(BUGGY, CLEAN, reasons={"good"}).chosen == 0
    assert compare(BUGGY, CLEAN, reasons={"text"}).chosen == 1


SCORES = st.lists(st.tuples(*[st.integers(-3, 3)] * 4), min_size=1, max_size=6)


@given(first=SCORES, data=st.data())
def test_a_comparison_does_not_depend_on_which_model_is_first(
    first: list[tuple[int, ...]], data: st.DataObject
) -> None:
    second = data.draw(st.lists(st.tuples(*[st.integers(-3, 3)] * 4), min_size=len(first), max_size=len(first)))
    one, other = ([explanation(dict(zip("abcd", own, strict=True))) for own in each] for each in (first, second))
    there, back = compare(one, other), compare(other, one)
    assert there.ranking.words == back.ranking.words and there.ranking.values.tolist() == back.ranking.values.tolist()
    assert there.success(0) + back.success(0) == 1
    assert compare(one, one).chosen is None


def test_the_words_named_first_are_removed() -> None:
    found = Inspection(Inspector(), ("the", "text", "a"), np.array([4, 6, 6]), 10)
    assert words_to_remove(found) == ("the",) and words_to_remove(found, 2) == ("the", "text")


TEXTS = ["text the film", "the film", "a text text", "the good", "dull film"]
CONTAMINATED = np.array([True, False, True, False, False])


def test_contaminated_texts_are_uncovered() -> None:
    assert uncover(TEXTS, CONTAMINATED, ("text",), 2) == 2
    # "the" and "text": the first text has both; of the three with one of them, one is contaminated.
    assert uncover(TEXTS, CONTAMINATED, ("the", "text"), 2) == pytest.approx(1 + 1 / 3)
    assert uncover(TEXTS, CONTAMINATED, ("the", "text"), 4) == 2
    # Part of a word is not the word.
    assert uncover(["video texts", "text"], np.array([False, True]), ("text",), 1) == 1


@given(
    held=st.lists(st.integers(0, 2), min_size=1, max_size=6), truth=st.lists(st.booleans(), min_size=6, max_size=6),
    data=st.data(),
)  # fmt: skip
def test_ties_count_as_a_random_order_of_them(held: list[int], truth: list[bool], data: st.DataObject) -> None:
    first = data.draw(st.integers(1, len(held)))
    texts = [("film", "film text", "film text the")[number] for number in held]
    contaminated = np.array(truth[: len(held)])
    found = uncover(texts, contaminated, ("text", "the"), first)
    orders = [sorted(order, key=lambda at: -held[at])[:first] for order in permutations(range(len(held)))]
    assert found == pytest.approx(np.mean([contaminated[order].sum() for order in orders]))
    assert uncover(texts, contaminated, (), first) == pytest.approx(first * contaminated.mean())


def test_bad_input_is_explained() -> None:
    every_word = {"text", "good", "film", "the", "dull"}
    assert_refused(
        lambda call: call(),
        [
            (lambda: compare(CLEAN, BUGGY[:3]), "the two models are explained on different texts"),
            (lambda: compare(CLEAN, BUGGY, reasons=every_word), "no word is left to compare"),
            (lambda: uncover(TEXTS, CONTAMINATED[:2], ("text",), 1), "one truth value for each of 5 texts"),
            (lambda: uncover(TEXTS, CONTAMINATED, ("text",), 6), "expected to check 1 to 5 texts, .* got first=6"),
        ],
    )
