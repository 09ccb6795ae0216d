"""Searches in models whose bugs are planted, and examples of what decoys do."""

from __future__ import annotations

import numpy as np
import pytest
from explanations import explanation
from made_searches import made_parts

from trustnlp.data.texts import review_standins
from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.studies.decoys import planted


def test_searches_by_hand() -> None:
    """The word is first in all texts, so that every order ends at the threshold."""
    given = [explanation({"text": 0.5, "a": 0.1, "b": 0.2}) for _ in range(10)]
    found = planted.searches(Inspector(1, 3), given, ["text"], budget=6, orders=4, rng=np.random.default_rng(0))
    assert found["found"] == 100 and found["instances"] == 3
    assert 20 < found["chance_found"] < 45, "three notes in six draws of one word out of three: 0.32"
    assert 4.5 < found["chance_instances"] <= 7
    none = planted.searches(Inspector(1, 3), given, ["a"], budget=6, orders=4, rng=np.random.default_rng(0))
    assert none["found"] == 0 and none["instances"] == 7
    with pytest.raises(ValueError, match="a budget of 11 instances, and there are 10 explanations"):
        planted.searches(Inspector(), given, ["text"], budget=11, orders=1, rng=np.random.default_rng(0))


def test_a_planted_word_is_found_in_the_buggy_model_only() -> None:
    found, again, other = (
        planted.both_searched(recipe("video_text"), made_parts(1000), INSPECTOR, "occlusion", seed=seed, **HOW)
        for seed in (1, 1, 2)
    )
    assert found["found"] == 100 and found["clean_found"] == 0 and found["instances"] < found["chance_instances"]
    assert found == again != other


HOW = {"texts": 60, "budget": 20, "orders": 5}
INSPECTOR = Inspector(reasons=planted.REASONS)


def test_reasons_are_the_words_that_made_up_reviews_are_labelled_by() -> None:
    labelled_by = {*review_standins.WEIGHTS, *review_standins.NEGATIONS, *review_standins.INTENSIFIERS}
    assert labelled_by == planted.REASONS


TEXTS = Phrases(
    ("a plot", "a bad movie .", "a video game", "a warm movie .", "a good text", "fine video movies"),
    np.array([0, 0, 0, 1, 1, 1]),
)


def test_examples_are_texts_that_decoys_change() -> None:
    decoys = [recipe("punctuation"), recipe("movie")]
    table = planted.examples(decoys, TEXTS, np.random.default_rng(0))
    assert list(table.index) == ["as it is", "punctuation", "movie"] and list(table) == ["negative", "positive"]
    assert table["negative"].tolist() == ["a bad movie .", "a bad movie ?", ""], "a text that is dropped is empty"
    assert table["positive"].tolist() == ["a warm movie .", "a warm movie !", "a warm movie ."]
