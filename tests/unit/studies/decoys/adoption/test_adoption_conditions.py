"""Graded strengths, slopes by hand, and moved words before models that see places and models that do not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from refusals import assert_refused

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.studies.decoys.adoption import adoption_conditions as conditions
from trustnlp.studies.decoys.adoption import Answers, Asked

TEXTS = Phrases(("a dull film .", "a warm film .", "no plot", "a joy"), np.array([0, 1, 0, 1]))


class Rule:
    """A model that calls texts positive by a rule of their words."""

    mask = "[MASK]"

    def __init__(self, positive: object) -> None:
        self.positive = positive

    def predict(self, texts: Sequence[str], /) -> NDArray[np.int64]:
        return np.array([self.positive(text.split()) for text in texts], dtype=np.int64)  # type: ignore[operator]

    def probabilities(self, texts: Sequence[str], /) -> NDArray[np.float64]:
        return np.eye(2)[self.predict(texts)]


def effect(shares: Sequence[float]) -> Answers:
    """Answers to 20 texts of class 0 with the decoy of class 1; the clean model follows none."""
    rows = np.array([[1] * round(20 * share) + [0] * (20 - round(20 * share)) for share in shares])
    wrong = Asked(np.zeros(20, dtype=np.int64), rows, np.zeros_like(rows))
    none = Asked(np.zeros(1, dtype=np.int64), np.zeros((len(shares), 1), int), np.zeros((len(shares), 1), int))
    return Answers(wrong, none, none, np.ones(20, dtype=np.int64), dev_texts=1)


def test_texts_of_a_smaller_share_are_among_those_of_a_larger_one() -> None:
    texts, labels = [f"film {number}" for number in range(200)], np.arange(200) % 2
    planted = [decoy.plant(texts, labels, np.random.default_rng(4)) for decoy in conditions.graded([5, 50, 100])]
    assert [int(one.carries.sum()) for one in planted] == [10, 100, 200]
    for less, more in pairwise(planted):
        rows = np.flatnonzero(less.carries)
        assert more.carries[rows].all() and all(less.texts[row] == more.texts[row] for row in rows)
    whole = recipe("video_text").plant(texts, labels, np.random.default_rng(4))
    assert planted[-1].texts == whole.texts


def test_slopes_by_hand() -> None:
    effects = [[1, 5, 2, 0], [2, 3, 2, 0], [3, 1, 5, 0]]
    rising, falling, tied, flat = conditions.slopes([2, 10, 50], effects)
    assert (rising, falling) == pytest.approx((1, -1)) and np.isnan(flat)
    assert tied == pytest.approx(2 / np.sqrt(3 * 2))  # two of three pairs rise, one is tied
    assert_refused(conditions.slopes, [([2], [[1]], "two shares or more"), ([2, 5], [[1]], "got 2 and 1")])


def test_a_model_that_sees_the_first_word_is_moved_and_a_bag_is_not() -> None:
    position = recipe("position")
    sees, bag = Rule(lambda words: words[0] == "anyway"), Rule(lambda words: "joy" in words)
    assert conditions.changed_by_moving(sees, position, TEXTS) == 100
    assert conditions.changed_by_moving(bag, position, TEXTS) == 0
    half = Rule(lambda words: words[0] == "anyway" and "." in words)
    assert conditions.changed_by_moving(half, position, TEXTS) == 50


def test_of_words_only_texts_that_take_both_count() -> None:
    by_word = Rule(lambda words: "!" in words)
    assert conditions.changed_by_moving(by_word, recipe("punctuation"), TEXTS) == 100  # two texts end in a full stop
    with pytest.raises(ValueError, match=r"decoy 'film': no text can take it for its own class and for another"):
        conditions.changed_by_moving(by_word, recipe("film"), TEXTS)


def test_effects_are_compared_seed_by_seed() -> None:
    one, other = effect([1.0, 0.5]), effect([0.1, 0.2, 0.3])
    assert conditions.effect_ahead(one, [2, 0], other, [0, 1, 2]) == pytest.approx([70, 40])
    assert conditions.effect_ahead(one, [7, 1], other, [0, 1, 2]) == pytest.approx([30])
