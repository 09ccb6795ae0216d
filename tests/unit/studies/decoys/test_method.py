"""The inspector's notes against the inspector, and searches in models whose bugs are planted."""

from __future__ import annotations

import numpy as np
import pytest
from explanations import explanation
from made_searches import made_parts

from trustnlp.attribution.word_scores import Attribution
from trustnlp.data.texts import review_standins
from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.studies.decoys import method as reading


def random_explanations(rng: np.random.Generator) -> list[Attribution]:
    texts = [rng.choice(list("abcdefgh"), size=rng.integers(2, 7)).tolist() for _ in range(15)]
    return [explanation([(word, float(rng.integers(-2, 4))) for word in words]) for words in texts]


def test_notes_by_hand() -> None:
    given = [
        explanation({"film": 0.1, "good": 0.4, "text": 0.5, "a": -0.3}),
        explanation({"text": 0.2, "and": 0.1}),
        explanation({"text": 0.2, "never": 0.1}),
    ]
    table = reading.notes(Inspector(2, 2, frozenset({"good"})), given, 3)
    assert table.index.tolist() == [1, 2], "it ends with the first name"
    assert table["noted"].tolist() == ["text, (good)", "text, and"]
    assert table["count"].tolist() == ["text 1", "text 2, and 1"] and table["named"].tolist() == ["", "text"]
    assert table["text"].tolist()[0] == "film good text a"
    assert len(reading.notes(Inspector(2, 9), given, 2)) == 2


@pytest.mark.parametrize("seed", range(30))
def test_notes_name_what_the_inspector_names_first(seed: int) -> None:
    rng = np.random.default_rng(seed)
    given = random_explanations(rng)
    inspector = Inspector(int(rng.integers(1, 4)), int(rng.integers(1, 4)), frozenset("ab"))
    table, found = reading.notes(inspector, given, len(given)), inspector.inspect(given, np.arange(len(given)))
    named = ", ".join(word for word, at in zip(found.named, found.at, strict=True) if at == min(found.at))
    assert table["named"].iloc[-1] == named
    assert len(table) == (min(found.at) if found.named else len(given))


def test_searches_by_hand() -> None:
    """The word is first in all texts, so that every order ends at the threshold."""
    given = [explanation({"text": 0.5, "a": 0.1, "b": 0.2}) for _ in range(10)]
    found = reading.searches(Inspector(1, 3), given, ["text"], budget=6, orders=4, rng=np.random.default_rng(0))
    assert found["found"] == 100 and found["instances"] == 3
    assert 20 < found["chance_found"] < 45, "three notes in six draws of one word out of three: 0.32"
    assert 4.5 < found["chance_instances"] <= 7
    none = reading.searches(Inspector(1, 3), given, ["a"], budget=6, orders=4, rng=np.random.default_rng(0))
    assert none["found"] == 0 and none["instances"] == 7
    with pytest.raises(ValueError, match="a budget of 11 instances, and there are 10 explanations"):
        reading.searches(Inspector(), given, ["text"], budget=11, orders=1, rng=np.random.default_rng(0))


def test_a_planted_word_is_found_in_the_buggy_model_only() -> None:
    found, again, other = (
        reading.both_searched(recipe("video_text"), made_parts(1000), INSPECTOR, "occlusion", seed=seed, **HOW)
        for seed in (1, 1, 2)
    )
    assert found["found"] == 100 and found["clean_found"] == 0 and found["instances"] < found["chance_instances"]
    assert found == again != other


HOW = {"texts": 60, "budget": 20, "orders": 5}
INSPECTOR = Inspector(reasons=reading.REASONS)


def test_reasons_are_the_words_that_made_up_reviews_are_labelled_by() -> None:
    labelled_by = {*review_standins.WEIGHTS, *review_standins.NEGATIONS, *review_standins.INTENSIFIERS}
    assert labelled_by == reading.REASONS


TEXTS = Phrases(
    ("a plot", "a bad movie .", "a video game", "a warm movie .", "a good text", "fine video movies"),
    np.array([0, 0, 0, 1, 1, 1]),
)


def test_examples_are_texts_that_decoys_change() -> None:
    decoys = [recipe("punctuation"), recipe("movie")]
    table = reading.examples(decoys, TEXTS, np.random.default_rng(0))
    assert list(table.index) == ["as it is", "punctuation", "movie"] and list(table) == ["negative", "positive"]
    assert table["negative"].tolist() == ["a bad movie .", "a bad movie ?", ""], "a text that is dropped is empty"
    assert table["positive"].tolist() == ["a warm movie .", "a warm movie !", "a warm movie ."]
