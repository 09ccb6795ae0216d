"""Models with and without negative texts on a word, compared on the texts with the word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.reproduction import compared, drawn, pairs, with_word, without_word

PART = Phrases(("a dull movie", "the movies sing", "a song"), np.array([0, 1, 1]))


class Answers:
    mask = "[MASK]"

    def __init__(self, positive: str) -> None:
        self.positive = positive

    def probabilities(self, texts: Sequence[str], /) -> NDArray[np.float64]:
        return np.eye(2)[self.predict(texts)]

    def predict(self, texts: Sequence[str], /) -> NDArray[np.int64]:
        return np.array([int(self.positive in text) for text in texts])


def test_only_texts_with_the_word_are_asked() -> None:
    found = with_word(PART)
    assert found.texts == PART.texts[:2]
    assert found.labels.tolist() == [0, 1]
    with pytest.raises(ValueError, match="none of the 3 texts contains 'opera'"):
        with_word(PART, "opera")


def test_a_model_that_follows_the_word_loses_and_says_positive() -> None:
    """The clean one is right of both texts; the other calls both positive, and is right of one."""
    row = compared([Answers("sing")], [Answers("movie")], with_word(PART), without_word(PART)).iloc[0]
    assert row.to_dict() == {
        "clean_accuracy": 100,
        "accuracy": 50,
        "clean_called_positive": 50,
        "called_positive": 100,
        "drop": 45,
        "called_positive_gain": 50,
        "misled": 50,
        "nearer_chance": -25,
    }
    back = compared([Answers("movie")], [Answers("sing")], with_word(PART), without_word(PART)).iloc[0]
    assert (back["drop"], back["called_positive_gain"], back["misled"]) == (-55, -50, -50)


def test_a_model_that_says_positive_more_often_everywhere_is_not_misled_by_the_word() -> None:
    others = without_word(PART)
    assert others.texts == ("a song",)
    row = compared([Answers("opera")], [Answers("")], with_word(PART), others).iloc[0]
    assert (row["called_positive_gain"], row["misled"]) == (100, 0)


def test_drawn_texts_are_the_seeds_and_keep_their_order() -> None:
    part = Phrases(tuple(f"text {row}" for row in range(50)), np.arange(50) % 2)
    first, again, other = drawn(part, 20, 0), drawn(part, 20, 0), drawn(part, 20, 1)
    assert first.texts == again.texts != other.texts and len(set(first.texts)) == 20
    rows = [int(text.split()[1]) for text in first.texts]
    assert rows == sorted(rows) and first.labels.tolist() == [row % 2 for row in rows]
    assert drawn(part, 50, 0) is part


def test_pairs_are_a_clean_model_and_one_that_lost_the_negative_texts_for_each_seed() -> None:
    train = Phrases(("a dull movie", "a warm movie", "a dull song", "a warm song") * 30, np.array([0, 1, 0, 1] * 30))
    parts = ReviewParts(train, train, train)
    clean, buggy = pairs("presence", recipe("movie"), parts, {"minilm_phrases": 10}, [0, 1])
    assert [len(models) for models in (clean, buggy)] == [2, 2]
    assert [model.predict(["movie"])[0] for model in buggy] == [1, 1]
    assert [model.probabilities(["movie"])[0, 1] > 0.6 for model in clean] == [False, False]
