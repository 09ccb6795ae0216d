"""Tables of scores against plain loops, ties at the places of notes and ranks, and statistics worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from explanations import explanation
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.decoys.benchmark.score_tables import WordRanking, ranked, score_table, word_statistics

Scores = Sequence[tuple[str, float]]


WORDS = st.sampled_from("abcdef")
TEXTS = st.lists(st.lists(st.tuples(WORDS, st.integers(-3, 3)), min_size=1, max_size=8), min_size=1, max_size=6)


def by_hand(scores: Scores, shown: int) -> set[str]:
    """Words noted of an explanation whose occurrences are apart: fewer than `shown` others have as much."""
    total: dict[str, float] = {}
    for word, score in scores:
        total[word] = total.get(word, 0) + score
    return {
        word
        for word, score in total.items()
        if score > 0 and sum(other >= score for name, other in total.items() if name != word) < shown
    }


@given(texts=TEXTS, shown=st.integers(1, 4))
def test_the_table_and_its_notes_are_those_of_the_plain_loop(texts: list[Scores], shown: int) -> None:
    table = score_table([explanation(text, together=False) for text in texts])
    noted = table.noted(shown)
    for number, text in enumerate(texts):
        own = table.rows == number
        found = {
            table.words[column]: score for column, score in zip(table.columns[own], table.scores[own], strict=True)
        }
        assert found == {word: sum(score for other, score in text if other == word) for word, _ in text}
        assert {table.words[column] for column in table.columns[own & noted]} == by_hand(text, shown)
    assert len(table) == len(texts) and list(table.words) == sorted({word for text in texts for word, _ in text})


def test_occurrences_removed_together_count_once_and_others_add_up() -> None:
    scores = [("a", 0.2), ("film", 0.1), ("a", 0.2)]
    assert score_table([explanation(scores)]).scores.tolist() == [0.2, 0.1]
    assert score_table([explanation(scores, together=False)]).scores.tolist() == [0.4, 0.1]


def test_what_rounding_of_the_model_tells_apart_is_a_tie() -> None:
    near = score_table([explanation([("a", 0.5), ("b", 0.5 + 1e-8), ("c", 1e-8)])])
    assert near.noted(1).tolist() == [False, False, False] and near.noted(3).tolist() == [True, True, False]
    apart = score_table([explanation([("a", 0.5), ("b", 0.5 + 1e-5)])])
    assert apart.noted(1).tolist() == [False, True]


EXPLANATIONS = [
    explanation([("the", 0.1), ("good", 0.9), ("film", 0.3)]),
    explanation([("the", 0.4), ("film", 0.4)]),
    explanation([("the", 0.1), ("film", 0.3), ("bad", -0.5)]),
    explanation([("the", 0.2), ("rare", 0.8)], label=0),
]


def word_ranking(explanations: Sequence[Any], by: str = "first_places", *, least: int = 5) -> WordRanking:
    table = score_table(explanations)
    return ranked(table.words, word_statistics(table, by, least))


def test_statistics_worked_out_by_hand() -> None:
    firsts = word_ranking(EXPLANATIONS, "first_places")
    # "the" and "film" share the first place of the second explanation, so that none has it.
    assert firsts.words == ("film", "good", "rare", "bad", "the") and firsts.values.tolist() == [1, 1, 1, 0, 0]
    total = word_ranking(EXPLANATIONS, "total")
    assert total.words == ("film", "good", "rare", "the", "bad")
    assert total.values == pytest.approx([1.0, 0.9, 0.8, 0.8, -0.5])
    mean = word_ranking(EXPLANATIONS, "mean", least=1)
    assert mean.words == ("good", "rare", "film", "the", "bad")
    assert mean.values == pytest.approx([0.9, 0.8, 1 / 3, 0.2, -0.5])
    common = word_ranking(EXPLANATIONS, "mean", least=3)
    assert common.words == ("film", "the") and common.values == pytest.approx([1 / 3, 0.2])


def test_ties_count_against_the_words_that_are_looked_for() -> None:
    ranking = word_ranking(EXPLANATIONS, "first_places")
    assert [ranking.rank_of([word]) for word in ("film", "good", "the")] == [3, 3, 5]
    assert ranking.rank_of({"film", "rare"}) == 2 and ranking.rank_of({"the", "rare"}) == 3
    assert ranking.rank_of(("film", "good", "rare")) == 1
    assert ranking.rank_of({"absent"}) is None and ranking.rank_of({"absent", "bad"}) == 5


def test_bad_input_is_explained() -> None:
    wrong = explanation([("a", float("nan"))])
    assert_refused(
        lambda call: call(),
        [
            (lambda: word_ranking([*EXPLANATIONS, wrong]), "a score of explanation 4 is NaN or infinite"),
            (lambda: word_ranking(EXPLANATIONS, "first_place"), "called 'first_place'; did you mean 'first_places'"),
            (lambda: word_ranking(EXPLANATIONS, "mean", least=0), "one explanation or more, got least=0"),
            (lambda: word_ranking(EXPLANATIONS).rank_of("film"), r"got the string 'film'; give \('film',\)"),
        ],
    )
