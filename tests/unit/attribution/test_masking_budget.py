"""Algorithm 1 against the loop as it is printed (sorted the right way round), and the search against all sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from refusals import assert_refused

from trustnlp.attribution.masking_budget import (
    MaskedCounts,
    fewest_masked,
    hybrid_scores,
    masked_until_turned,
    supporting_scores,
)

MASK = "[MASK]"
WEIGHTS = {"good": 2.0, "fine": 1.0, "bad": -2.0, "dull": -1.0, "film": 0.1, "a": 0.0}
WORDS = tuple(WEIGHTS)
Text = tuple[str, ...]


class Bag:
    """Label 1 where the weights sum to more than 0; keeps how many texts each call had."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def __call__(self, texts: Sequence[str]) -> NDArray[np.int64]:
        self.calls.append(len(texts))
        return np.array([int(sum(WEIGHTS.get(word, 0) for word in text.split()) > 0) for text in texts])


def random_texts(n: int, seed: int) -> tuple[list[Text], list[NDArray[np.float64]]]:
    rng = np.random.default_rng(seed)
    texts = [tuple(rng.choice(WORDS, size=rng.integers(1, 8)).tolist()) for _ in range(n)]
    return texts, [rng.integers(-2, 3, size=len(text)).astype(float) for text in texts]


def as_printed(text: Text, scores: NDArray[np.float64], budget: int) -> int:
    predict, words = Bag(), list(text)
    whole = predict([" ".join(words)])[0]
    order = sorted(range(len(words)), key=lambda place: (-scores[place], place))
    for k, place in enumerate(order[:budget], start=1):
        words[place] = MASK
        if predict([" ".join(words)])[0] != whole:
            return k
    return -1


@pytest.mark.parametrize("budget", [1, 5])
def test_the_counts_are_those_of_the_loop_over_texts(budget: int) -> None:
    texts, scores = random_texts(60, budget)
    expected = [as_printed(text, found, budget) for text, found in zip(texts, scores, strict=True)]
    found = masked_until_turned(Bag(), texts, scores, budget, MASK)
    assert found.counts.tolist() == expected and found.budget == budget
    assert -1 in expected and max(expected) >= 1


def test_the_highest_score_is_masked_first_not_the_lowest() -> None:
    """Algorithm 1 as printed sorts ascending, which masks the word that matters last."""
    text, scores = ("a", "good", "a", "a"), np.array([0.1, 0.9, 0.2, 0.3])
    assert masked_until_turned(Bag(), [text], [scores], 4, MASK).counts.tolist() == [1]
    assert masked_until_turned(Bag(), [text], [-scores], 4, MASK).counts.tolist() == [4]


def test_the_search_finds_the_fewest_words_of_all_sets() -> None:
    texts, _ = random_texts(40, 3)
    predict = Bag()
    for text, count in zip(texts, fewest_masked(predict, texts, 7, MASK).counts, strict=True):
        turning = [
            size
            for size in range(1, len(text) + 1)
            for chosen in combinations(range(len(text)), size)
            if Bag()([" ".join(MASK if i in chosen else w for i, w in enumerate(text))]) != Bag()([" ".join(text)])
        ]
        assert count == min(turning, default=-1)
    assert len(predict.calls) == 8


def test_the_search_takes_long_texts_with_small_budgets_only() -> None:
    assert fewest_masked(Bag(), [("good",) * 12], 12, MASK).counts.tolist() == [12]
    assert fewest_masked(Bag(), [("a",) * 60 + ("good",)], 2, MASK).counts.tolist() == [1]
    with pytest.raises(ValueError, match=r"text 1 has 13 words, of which 8,191 sets .* lower the budget"):
        fewest_masked(Bag(), [("a",), ("a",) * 13], 13, MASK)


def test_coverage_and_length_of_known_counts() -> None:
    found = MaskedCounts(np.array([1, 3, -1, 2]), 4)
    assert found.coverage() == 75 and found.average_length() == 2
    assert found.coverage(1) == 25 and found.average_length(2) == 1.5
    assert found.coverage_curve().tolist() == [25, 50, 75, 75]
    never = MaskedCounts(np.array([-1, -1]), 2)
    assert never.coverage() == 0 and math.isnan(never.average_length())


def test_scores_are_turned_for_the_other_label() -> None:
    turned = supporting_scores([np.array([0.5, -1.0]), np.array([0.5])], np.array([0, 1]))
    assert [found.tolist() for found in turned] == [[-0.5, 1.0], [0.5]]
    with pytest.raises(ValueError, match="2 lists of scores need as many predictions, got 1"):
        supporting_scores([np.array([1.0])] * 2, np.array([1]))


def test_hybrid_scores_fall_back_text_by_text() -> None:
    unlike = [np.array([0.0, 0.0]), np.array([0.0, 0.2]), np.array([1.0, 1.0])]
    influence = [np.array([0.3, 0.1]), np.array([0.9, 0.1]), np.array([0.5, 0.6])]
    assert [found.tolist() for found in hybrid_scores(unlike, influence)] == [[0.3, 0.1], [0.0, 0.2], [0.5, 0.6]]
    with pytest.raises(ValueError, match="for the same words of the same texts"):
        hybrid_scores(unlike, influence[:2])


def test_bad_input_is_explained() -> None:
    text, scores = ("a", "good"), np.array([0.0, 1.0])
    assert_refused(
        lambda call: call(),
        [
            (lambda: masked_until_turned(Bag(), [text], [scores], 0, MASK), "may be masked, at least 1; got 0"),
            (lambda: fewest_masked(Bag(), ["a good"], 1, MASK), "expected its words"),
            (lambda: MaskedCounts(np.array([1, -1]), 3).coverage(4), "up to a budget of 3, which says nothing of 4"),
            (lambda: fewest_masked(Bag(), [], 3, MASK).average_length(), "no text to take a share of"),
        ],
    )
    assert masked_until_turned(Bag(), [], [], 3, MASK).counts.shape == (0,)
