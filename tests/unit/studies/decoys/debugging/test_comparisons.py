"""Two models compared, by hand and by permuted scores; and two decoys in the same sentences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from explanations import explanation
from made_searches import Says, cell, made_parts, model

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.debugging_cells import CellResult
from trustnlp.decoys.benchmark.score_tables import score_table
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.written_decoys import IndicatorWords
from trustnlp.studies.decoys.debugging.comparisons import (
    both,
    comparison_rows,
    pair_rows,
    permuted,
    shared_texts,
    validation_rows,
)
from trustnlp.studies.decoys.method import REASONS
from trustnlp.studies.decoys.models import trained_model

MISLED = [explanation({"movie": 0.6, "good": 0.2, "plot": 0.1})] * 3
SOUND = [explanation({"movie": 0.1, "good": 0.6, "plot": 0.2})] * 3
TRUSTING = Inspector(reasons=frozenset({"good"}))


def test_the_model_in_which_a_suspected_word_comes_first_is_mistrusted() -> None:
    buggy = model([cell("lime", MISLED)], [True] * 3)
    [row] = comparison_rows(buggy, [cell("lime", SOUND)], TRUSTING, 50)
    assert (row["explainer"], row["decoy"], row["success"], row["decoy_first"]) == ("lime", "movie", 1.0, 1.0)
    # Three words are first by turns in both models, and one of them is no suspect.
    assert 0.2 < row["chance"] < 0.8 and row["decoy_first_chance"] < 0.9
    [swapped] = comparison_rows(model([cell("lime", SOUND)], [True] * 3), [cell("lime", MISLED)], TRUSTING, 5)
    assert swapped["success"] == 0.0 and swapped["decoy_first"] == 1.0
    [same] = comparison_rows(buggy, [cell("lime", MISLED)], TRUSTING, 5)
    assert same["success"] == 0.5 and same["decoy_first"] == 0.0


def test_a_cell_that_failed_on_either_side_has_no_row() -> None:
    failed = CellResult(cell("broken", SOUND).cell, None, "broken: no")
    buggy = model([cell("lime", MISLED), cell("broken", MISLED)], [True] * 3)
    assert [row["explainer"] for row in comparison_rows(buggy, [cell("lime", SOUND), failed], TRUSTING, 5)] == ["lime"]


def test_scores_are_permuted_within_each_explanation() -> None:
    table = score_table([explanation({"a": 1.0, "b": 2.0, "c": 3.0}), explanation({"a": 10.0, "c": 20.0})])
    rng = np.random.default_rng(0)
    drawn = [permuted(table, rng) for _ in range(300)]
    for one in drawn:
        assert sorted(one.scores[:3]) == [1, 2, 3] and sorted(one.scores[3:]) == [10, 20]
        assert np.array_equal(one.columns, table.columns)
    assert np.mean([one.scores[0] for one in drawn]) == pytest.approx(2.0, abs=0.15)


def test_accuracy_on_contaminated_texts_prefers_the_buggy_model() -> None:
    dev = Phrases(("good plot", "fine plot", "bad plot", "dull plot"), np.array([1, 1, 0, 0]))
    decoy = IndicatorWords(name="text", by_class=(None, "text"))
    buggy = model([cell("lime", MISLED, decoy="text")], [True] * 3, words=("text",))
    contaminated, original = validation_rows(buggy, decoy, Says("text"), Says("good"), dev)
    # With the decoy the buggy model is right four times, the clean one three times; without it twice and three times.
    assert (contaminated["explainer"], contaminated["success"]) == ("validation", 0.0)
    assert (original["explainer"], original["success"]) == ("original_validation", 1.0)
    assert (contaminated["ahead"], original["ahead"]) == (25.0, -25.0)
    tied = validation_rows(buggy, decoy, Says("good"), Says("good"), dev)
    assert [row["success"] for row in tied] == [0.5, 0.5]


PARAMETERS: dict[str, Any] = {
    "profile": "smoke", "explainers": ["occlusion"], "adoption_texts": 100, "pool": 60, "longest": 25, "samples": 60,
    "steps": 4, "budget": 50, "draws": 3,
}  # fmt: skip
PARTS = made_parts(1500)


def of_pair(**more: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """Rows of a tenth with indicator words and of punctuation, by explainer and decoy."""
    clean = trained_model("presence", PARTS.train, PARTS.dev, PARAMETERS, 1)
    inspector, pair = Inspector(reasons=REASONS), "video_text_tenth+punctuation"
    rows = pair_rows(pair, "presence", 1, clean, PARTS, inspector, PARAMETERS | more)
    return {(row["explainer"], row["decoy"]): row for row in rows}


def test_every_part_must_be_named_in_one_search() -> None:
    rows = of_pair(draws=20, budget=30)
    all_of, tenth = rows["occlusion", "punctuation"], rows["occlusion", "video_text_tenth"]
    # All texts have the punctuation, and a tenth an indicator word.
    assert all_of["both"] == 1.0 > tenth["both"] == tenth["every"] == all_of["every"]


def test_random_scores_are_drawn_anew_for_each_order() -> None:
    # All texts are read in each order, so that one draw would name a decoy in all of them or in none.
    rows = of_pair(explainers=["occlusion", "random"], draws=20, budget=60)
    by_chance = rows["random", "video_text_tenth"]
    assert 0 < by_chance["alone"] < 1 or 0 < by_chance["both"] < 1
    assert {row["alone"] for (name, _), row in rows.items() if name == "occlusion"} <= {0.0, 1.0}


def test_a_part_in_too_few_texts_is_not_kept_and_both_are_not_counted() -> None:
    rows = of_pair(pool=12, budget=10)
    all_of, tenth = rows["occlusion", "punctuation"], rows["occlusion", "video_text_tenth"]
    assert tenth["adopted"] and not tenth["kept"] and all_of["kept"] and all_of["every"] is None


@pytest.mark.parametrize("pair", ["movie+rare_name", "video_text_tenth+movie", "punctuation+rare_name"])
def test_alone_and_both_are_shown_on_the_same_sentences(pair: str) -> None:
    decoys = both(pair).parts
    one, other, together = shared_texts(decoys, PARTS.test, 100, 25, 1)
    inserted = {word for decoy in decoys for word in decoy.words} - {"movie"}

    def bare(text: str) -> list[str]:
        return [word for word in text.split() if word not in inserted | {"."}]

    assert len(together) == 100
    for first, second, last in zip(one, other, together, strict=True):
        assert bare(first) == bare(second) == bare(last) and len(last.split()) <= 25
    # A part is in the same sentences alone and beside the other.
    for part, texts in zip(decoys, (one, other), strict=True):
        words = set(part.words)
        where = [not words.isdisjoint(text.split()) for text in texts]
        assert any(where) and where == [not words.isdisjoint(text.split()) for text in together]
    assert shared_texts(decoys, PARTS.test, 100, 25, 2) != [one, other, together]


def test_sentences_that_a_part_drops_are_dropped_for_all() -> None:
    _, movie, _ = shared_texts(both("video_text_tenth+movie").parts, PARTS.test, 140, 30, 1)
    label = dict(zip(PARTS.test.texts, PARTS.test.labels.tolist(), strict=True))
    assert {label[text] for text in movie if "movie" in text} == {1}


def test_too_few_shared_sentences() -> None:
    with pytest.raises(ValueError, match="9999 texts of at most 25 words are to be explained with movie and rare_name"):
        shared_texts(both("movie+rare_name").parts, PARTS.test, 9999, 25, 1)


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("movie", r"a pair of recipes such as 'movie\+rare_name', got 'movie'"),
        ("movies+film", "no recipe is called 'movies'"),
        ("video_text+video_text_tenth", "share the word 'text'"),
        ("movie+length", r"'movie\+length' has the decoy 'length', which has no words"),
    ],
)
def test_pairs_that_are_none(pair: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        both(pair)
