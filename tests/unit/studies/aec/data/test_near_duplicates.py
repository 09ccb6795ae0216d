"""Which texts each rule keeps, and its quick comparison of words against the comparison of every pair."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.studies.aec.data.near_duplicates import RULES, first_rows, kept_rows, unlike_rows

TEXTS = ("A fine film .", "dull", "a fine film .", "dull", "A fine film !", "held back", "so so", "So  so .")
HELD_OUT = ("held back", "DULL", "so so")


def test_each_rule_drops_what_it_says() -> None:
    expected = {
        "none": [0, 1, 2, 3, 4, 5, 6, 7],
        "equal": [0, 1, 2, 4, 5, 6, 7],
        "held out": [0, 1, 2, 3, 4, 7],
        "held out, equal": [0, 1, 2, 4, 7],
        "letters and digits": [0, 1, 5, 6],
        "held out, letters and digits": [0],
        # Of words in lower case: {a, fine, film, .} and {a, fine, film, !} share three of five, {so} and {so, .} half.
        "overlap .9": [0, 1, 4, 5, 6, 7],
        "overlap .85": [0, 1, 4, 5, 6, 7],
        "overlap .8": [0, 1, 4, 5, 6, 7],
    }
    assert {rule: kept_rows(TEXTS, HELD_OUT, rule).tolist() for rule in RULES} == expected


def test_an_overlap_of_just_the_limit_is_a_repetition() -> None:
    nine, ten = list("abcdefghi"), list("abcdefghij")
    assert unlike_rows([nine, ten], 0.9).tolist() == [0]
    assert unlike_rows([ten, nine], 0.9).tolist() == [0]
    assert unlike_rows([nine, ten], 0.901).tolist() == [0, 1]
    # .28 · 25 is a trifle more than 7 in floating point.
    assert unlike_rows([list("abcdefg"), list("abcdefghijklmnopqrstuvwxy")], 0.28).tolist() == [0]
    assert unlike_rows([[], ["a"], []], 0.5).tolist() == [0, 1]


@given(
    st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6), max_size=12), st.sampled_from([0.3, 0.5, 0.6, 0.8, 1])
)
def test_the_quick_comparison_is_that_of_every_pair(texts: list[list[str]], overlap: float) -> None:
    def alike(one: Sequence[str], other: Sequence[str]) -> bool:
        either = set(one) | set(other)
        return not either or len(set(one) & set(other)) / len(either) >= overlap

    kept: list[int] = []
    for row, text in enumerate(texts):
        if not any(alike(text, texts[other]) for other in kept):
            kept.append(row)
    assert unlike_rows(texts, overlap).tolist() == kept


def test_first_rows_of_nothing_are_none() -> None:
    assert first_rows([]).tolist() == []


def test_unknown_rules_and_shares_are_refused() -> None:
    assert_refused(lambda rule: kept_rows(TEXTS, HELD_OUT, rule), [("exact", "no rule is called 'exact'.*'equal'")])
    assert_refused(lambda overlap: unlike_rows([["a"]], overlap), [(0.0, r"\(0, 1\], got 0.0"), (1.1, "got 1.1")])
