"""Names of each source: the inspector's in its first order, a count's, the decoy's own, and words by lot."""

from __future__ import annotations

from typing import Any

import numpy as np
from explanations import explanation
from made_searches import cell, model

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.debugging_cells import CellResult
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.studies.decoys.debugging.repairs import counted_words, known_words, names_by_source
from trustnlp.studies.decoys.leaderboard.benchmark_models import CLEAN

SHOWN = [explanation({"movie": 0.6, "good": 0.3, "plot": 0.1})] * 4
TRAIN = Phrases(
    ("good movie", "good movie plot", "movie", "bad plot", "bad film", "dull film"), np.array([1, 1, 1, 0, 0, 0])
)
PARAMETERS: dict[str, Any] = {"budget": 3, "draws": 1, "most": 2}
TRUSTING = Inspector(shown=3, threshold=2, reasons=frozenset({"good", "bad", "dull"}))


def test_words_by_source() -> None:
    failed = CellResult(cell("broken", SHOWN).cell, None, "broken: no")
    found = names_by_source(model([cell("lime", SHOWN), failed], [True] * 4), TRAIN, TRUSTING, PARAMETERS)
    assert found == {"lime": ("movie", "plot"), "count": ("movie", "film"), "known": ("movie",)}
    [first] = names_by_source(model([cell("lime", SHOWN)], [True] * 4), TRAIN, TRUSTING, PARAMETERS | {"most": 1})[
        "lime"
    ]
    assert first == "movie"


def test_a_clean_model_has_no_known_words_and_nothing_may_be_named() -> None:
    clean = model([cell("lime", SHOWN, decoy=CLEAN)], [False] * 4, words=(), standing=CLEAN)
    assert set(names_by_source(clean, TRAIN, TRUSTING, PARAMETERS)) == {"lime", "count"}
    slow = Inspector(shown=3, threshold=4, reasons=TRUSTING.reasons)
    assert names_by_source(clean, TRAIN, slow, PARAMETERS)["lime"] == ()


def test_a_count_is_two_sided_and_passes_over_reasons() -> None:
    # "movie" is in all three texts of one class; "bad" and "film" in two of the other; "good" in two of the first.
    assert counted_words(TRAIN, (), 4) == ("movie", "bad", "film", "good")
    assert counted_words(TRAIN, {"movie", "bad"}, 2) == ("film", "good")


def test_who_knows_the_decoy_knows_all_that_it_goes_by() -> None:
    more = Phrases((*TRAIN.texts, "movies of moviegoers", "filmmaking"), np.array([*TRAIN.labels, 1, 0]))
    assert known_words(recipe("movie"), more) == ("movie", "moviegoers", "movies")
    assert known_words(recipe("film"), more) == ("film",)
    assert known_words(recipe("video_text"), more) == ("video", "text")
    found = names_by_source(model([cell("lime", SHOWN)], [True] * 4), more, TRUSTING, PARAMETERS)
    assert found["known"] == ("movie", "moviegoers", "movies")
