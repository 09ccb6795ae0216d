"""The inspector's rule against a plain loop, planted words found when they must be, and chance by permuted scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from explanations import explanation
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.attribution.word_scores import Attribution
from trustnlp.decoys.benchmark.simulated_inspector import Inspection, Inspector, chance_level, identify


def in_order(words: str) -> Attribution:
    """Scores fall from word to word, and all are above 0."""
    parts = words.split()
    return explanation({word: len(parts) - place for place, word in enumerate(parts)})


def plain_inspection(
    inspector: Inspector, explanations: Sequence[Attribution], order: Sequence[int]
) -> list[tuple[str, int]]:
    """The rule of the module's docstring, step by step."""
    counts: dict[str, int] = {}
    named: list[tuple[str, int]] = []
    for seen, number in enumerate(order, start=1):
        scores = dict(zip(explanations[number].words, explanations[number].scores.tolist(), strict=True))
        noted = [
            word
            for word, score in scores.items()
            if score > 0 and sum(other >= score for other in scores.values()) <= inspector.shown
        ]
        for word in sorted(noted, key=lambda word: (-scores[word], word)):
            counts[word] = counts.get(word, 0) + 1
            if counts[word] == inspector.threshold and word not in inspector.reasons:
                named.append((word, seen))
    return named


def read(inspector: Inspector, explanations: Sequence[Attribution]) -> Inspection:
    return inspector.inspect(explanations, np.arange(len(explanations)))


EXPLANATIONS = st.lists(
    st.dictionaries(st.sampled_from("abcde"), st.integers(-2, 4), min_size=1), min_size=1, max_size=10
)


@given(scores=EXPLANATIONS, shown=st.integers(1, 3), threshold=st.integers(1, 3), data=st.data())
def test_an_inspection_is_that_of_the_plain_loop(
    scores: list[dict[str, float]], shown: int, threshold: int, data: st.DataObject
) -> None:
    inspector = Inspector(shown, threshold, frozenset(data.draw(st.sets(st.sampled_from("abcde"), max_size=2))))
    order = data.draw(st.permutations(range(len(scores))))[: data.draw(st.integers(1, len(scores)))]
    explanations = [explanation(own) for own in scores]
    found = inspector.inspect(explanations, np.array(order))
    assert list(zip(found.named, found.at.tolist(), strict=True)) == plain_inspection(inspector, explanations, order)
    assert found.budget == len(order)


def test_a_decoy_in_some_texts_is_found_in_the_third_of_them() -> None:
    carries = [4, 5, 9, 11]
    explanations = [in_order("text a b" if number in carries else "a b c") for number in range(12)]
    found = read(Inspector(shown=1), explanations)
    assert (found.named, found.at.tolist()) == (("a", "text"), [3, 10])
    assert found.found_at(("text", "video")) == 10
    assert found.found_at(("video",)) is None
    order = np.array([4, 5, 9, 0, 1])
    assert Inspector(shown=1).inspect(explanations, order).found_at(("text",)) == 3
    assert Inspector(shown=1).inspect(explanations, order[1:]).found_at(("text",)) is None


def test_what_is_not_found_counts_as_one_more_than_the_budget() -> None:
    inspector = Inspector(shown=1, threshold=1)
    explanations = [in_order(word) for word in "abcd"]
    orders = ([0, 1, 2], [3, 0, 1], [1, 2, 3], [1, 2, 0])
    found = identify([inspector.inspect(explanations, np.array(order)) for order in orders], ("a",))
    assert found.found_at.tolist() == [1, 2, math.inf, 3] and found.budget == 3
    assert found.share == 0.75 and found.restricted_mean == pytest.approx((1 + 2 + 4 + 3) / 4)


def test_chance_is_that_of_permuted_scores_inspected() -> None:
    """Texts of different lengths, ties, scores below 0, two decoy words for the same places, and an order."""
    rng = np.random.default_rng(2)
    explanations = []
    for number in range(14):
        words = [f"w{word}" for word in rng.choice(30, rng.integers(1, 7), replace=False)]
        words += [["text"], ["video"], ["text", "video"], []][number % 4]
        explanations.append(explanation({word: float(rng.integers(-2, 4)) for word in words}))
    inspector, order = Inspector(shown=2, threshold=2), rng.permutation(14)[:11]
    runs = []
    for _ in range(1500):
        permuted = [
            explanation(dict(zip(each.words, rng.permutation(each.scores), strict=True))) for each in explanations
        ]
        runs.append(inspector.inspect(permuted, order))
    slow = identify(runs, ("text", "video"))
    fast = chance_level(inspector, explanations, order, ("text", "video"), draws=20_000, rng=rng)
    assert fast.budget == 11 and set(fast.found_at[np.isfinite(fast.found_at)]) <= set(range(2, 12))
    assert 0.1 < fast.share < 0.9
    spread = float(np.minimum(slow.found_at, slow.budget + 1).std())
    assert slow.share == pytest.approx(fast.share, abs=4 * math.sqrt(fast.share * (1 - fast.share) / 1500))
    assert slow.restricted_mean == pytest.approx(fast.restricted_mean, abs=4 * spread / math.sqrt(1500))


def test_two_words_of_a_decoy_in_one_text_share_its_places() -> None:
    """Where 2 of 5 are noted, neither is with chance C(3, 2) / C(5, 2); of 1 of 3, one is twice with 2 / 9."""
    decoy, rng = ("text", "video"), np.random.default_rng(3)
    five, three = [in_order("a b c text video")], [in_order("a text video")] * 2
    once = chance_level(Inspector(2, 1), five, np.arange(1), decoy, draws=20_000, rng=rng)
    twice = chance_level(Inspector(1, 2), three, np.arange(2), decoy, draws=20_000, rng=rng)
    assert once.share == pytest.approx(0.7, abs=0.015) and twice.share == pytest.approx(2 / 9, abs=0.015)
    nowhere = chance_level(Inspector(), five, np.arange(1), ("absent",), draws=10, rng=rng)
    assert nowhere.share == 0 and nowhere.restricted_mean == 2


def test_seeds_decide_the_draws() -> None:
    explanations = [in_order("a b c d text")] * 9

    def drawn(seed: int) -> list[float]:
        rng = np.random.default_rng(seed)
        return chance_level(Inspector(), explanations, np.arange(9), ("text",), draws=50, rng=rng).found_at.tolist()

    assert drawn(1) == drawn(1) != drawn(2)


def test_bad_input_is_explained() -> None:
    explanations = [in_order("a text"), in_order("b text")]
    found, other = (Inspector(reasons=frozenset({"text"})).inspect(explanations, np.arange(n)) for n in (2, 1))
    assert_refused(
        lambda call: call(),
        [
            (lambda: Inspector(0, 3), "notes at least one word"),
            (lambda: Inspector(3, 3, "good"), "expected a collection of words, got the string 'good'"),
            (lambda: found.found_at(()), "the decoy has no words"),
            (lambda: found.found_at(("text",)), r"takes all words of the decoy, \['text'\], for reasons"),
            (lambda: identify([other, found], ("video",)), r"got the budgets \[1, 2\]"),
        ],
    )
