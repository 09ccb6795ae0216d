"""Two models compared, by hand and by permuted scores."""

from __future__ import annotations

import numpy as np
import pytest
from explanations import explanation
from made_searches import Says, cell, model

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.debugging_cells import CellResult
from trustnlp.decoys.benchmark.score_tables import score_table
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.written_decoys import IndicatorWords
from trustnlp.studies.decoys.debugging.comparisons import comparison_rows, permuted, validation_rows

MISLED = [explanation({"movie": 0.6, "good": 0.2, "plot": 0.1})] * 3
SOUND = [explanation({"movie": 0.1, "good": 0.6, "plot": 0.2})] * 3
TRUSTING = Inspector(reasons=frozenset({"good"}))


def test_the_model_in_which_a_suspected_word_comes_first_is_mistrusted() -> None:
    buggy = model([cell("lime", MISLED)], [True] * 3)
    [row] = comparison_rows(buggy, [cell("lime", SOUND)], TRUSTING, 50)
    assert (row["explainer"], row["decoy"], row["success"], row["decoy_first"]) == ("lime", "movie", 1.0, 1.0)
    # Three words are first by turns in both models, and one of them is no suspect.
    assert 0.2 < row["above_chance"] < 0.8 and row["decoy_first_above_chance"] > 0.1
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
    assert (contaminated["above_chance"], original["above_chance"]) == (-0.5, 0.5)
    tied = validation_rows(buggy, decoy, Says("good"), Says("good"), dev)
    assert [row["success"] for row in tied] == [0.5, 0.5]
