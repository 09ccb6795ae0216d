"""Orders of explanations against the plain greedy algorithm, brute force and planted clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from explanations import explanation
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from refusals import assert_refused

from trustnlp.attribution.word_scores import Attribution
from trustnlp.decoys.benchmark.instance_selection import ORDERS, select
from trustnlp.decoys.benchmark.score_tables import score_table


def random_explanations(n: int, vocabulary: int, length: int, seed: int) -> list[Attribution]:
    """Words of unequal frequency, a score of 0 among them now and then."""
    rng = np.random.default_rng(seed)
    share = 1 / np.arange(1, vocabulary + 1)
    found = []
    for _ in range(n):
        words = rng.choice(vocabulary, size=length, replace=False, p=share / share.sum())
        scores = rng.normal(size=length) * (rng.random(length) < 0.8)
        found.append(explanation({f"w{word:04}": score for word, score in zip(words, scores, strict=True)}))
    return found


def order_of(order: str, explanations: Sequence[Attribution], n: int, probabilities: Any = None) -> list[int]:
    return select(order, explanations, probabilities, n, np.random.default_rng(0)).tolist()


def covered(explanations: Sequence[Attribution]) -> tuple[list[set[str]], dict[str, float]]:
    """Words of each explanation, the 10 with the largest sizes at most, and the importance of words: by loops."""
    importance: dict[str, float] = {}
    covers = []
    for each in explanations:
        sizes = {word: abs(float(score)) for word, score in zip(each.words, each.scores, strict=True) if score}
        kept = sorted(sizes, key=lambda word: -sizes[word])[:10]
        covers.append(set(kept))
        for word in kept:
            importance[word] = importance.get(word, 0.0) + sizes[word]
    return covers, {word: math.sqrt(total) for word, total in importance.items()}


def plain_greedy(explanations: Sequence[Attribution], n: int) -> list[int]:
    """Algorithm 2, begun anew where nothing is left to cover."""
    covers, importance = covered(explanations)
    chosen: list[int] = []
    seen: set[str] = set()
    while len(chosen) < n:
        left = [number for number in range(len(covers)) if number not in chosen]
        gains = {number: math.fsum(sorted(importance[word] for word in covers[number] - seen)) for number in left}
        best = max(left, key=lambda number: (round(gains[number], 9), -number))
        if gains[best] > 0:
            chosen.append(best)
            seen |= covers[best]
        elif seen:
            seen = set()
        else:
            chosen += left
    return chosen[:n]


@pytest.mark.parametrize(("n", "vocabulary", "length"), [(40, 60, 6), (60, 25, 15), (30, 8, 2)])
def test_lazy_greedy_is_plain_greedy(n: int, vocabulary: int, length: int) -> None:
    for seed in range(5):
        explanations = random_explanations(n, vocabulary, length, seed)
        assert order_of("submodular_pick", explanations, n) == plain_greedy(explanations, n)


@given(sets=st.lists(st.sets(st.sampled_from("abcdef")), min_size=1, max_size=9))
def test_ties_go_to_the_lowest_number(sets: list[set[str]]) -> None:
    """All scores are equal: gains are sums of roots of counts, and often tie."""
    explanations = [explanation({**dict.fromkeys(sorted(own), 1.0), "x": 0.0}) for own in sets]
    assert order_of("submodular_pick", explanations, len(sets)) == plain_greedy(explanations, len(sets))


def test_uncertainty_shows_the_smallest_margin_first() -> None:
    p = np.array([[0.9, 0.1, 0.0], [0.4, 0.35, 0.25], [0.1, 0.45, 0.45], [0.5, 0.45, 0.05], [0.0, 0.5, 0.5]])
    explanations = [explanation({"a": 1.0})] * 5
    assert order_of("uncertainty", explanations, 5, p) == [2, 4, 1, 3, 0]
    assert order_of("uncertainty", explanations, 2, p) == [2, 4]


def planted(sizes: Sequence[int], seed: int) -> tuple[list[Attribution], NDArray[np.int64]]:
    """Groups of explanations that lean on a word each; all share common words with small scores."""
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return [
        explanation({f"lead{group}": 1.0, **{f"common{n}": rng.normal() / 10 for n in range(9)}}) for group in groups
    ], groups


@pytest.mark.parametrize("sizes", [(30, 14, 50), (60, 12), (15, 16, 17, 18, 40)])
def test_clusters_take_turns_and_the_smallest_is_first(sizes: tuple[int, ...]) -> None:
    explanations, groups = planted(sizes, seed=sum(sizes))
    found = groups[order_of("spectral_clusters", explanations, sum(sizes))]
    by_size = np.argsort(sizes)
    assert found[: 10 * len(sizes)].tolist() == 10 * by_size.tolist()
    largest = int(np.argmax(sizes))
    assert (found[len(sizes) * sorted(sizes)[-2] :] == largest).all()


def test_each_cluster_shows_its_most_typical_explanation_first() -> None:
    explanations, groups = planted((20, 30), seed=1)
    chosen = order_of("spectral_clusters", explanations, 50)
    table = score_table(explanations)
    vectors = np.zeros((50, len(table.words)))
    vectors[table.rows, table.columns] = table.scores
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for group in (0, 1):
        mean = vectors[groups == group].mean(axis=0)
        towards = [vectors[number] @ mean for number in chosen if groups[number] == group]
        assert towards == sorted(towards, reverse=True)


def test_explanations_of_different_labels_are_apart() -> None:
    """The same words with the same scores, of two labels: two clusters."""
    explanations = [explanation({"text": 1.0, f"w{n % 7}": 0.3}, label=int(n >= 30)) for n in range(40)]
    chosen = order_of("spectral_clusters", explanations, 20)
    assert [int(number >= 30) for number in chosen] == [1, 0] * 10


@given(seed=st.integers(0, 50), size=st.sampled_from([1, 2, 3, 25]), data=st.data())
def test_a_selection_begins_as_a_longer_one(seed: int, size: int, data: st.DataObject) -> None:
    explanations = [*random_explanations(size - 1, 20, 6, seed), explanation({"alone": 0.0})]
    p = np.random.default_rng(seed).dirichlet([1, 1], size=size)
    n = data.draw(st.integers(1, size))
    for order in ORDERS:
        everything = order_of(order, explanations, size, p)
        assert sorted(everything) == list(range(size))
        assert order_of(order, explanations, n, p) == everything[:n]


def test_only_the_random_order_draws() -> None:
    explanations = random_explanations(30, 40, 5, 3)
    p = np.random.default_rng(3).dirichlet([1, 1], size=30)
    for order in ORDERS:
        first, other = (select(order, explanations, p, 30, np.random.default_rng(seed)).tolist() for seed in (1, 2))
        assert (first != other) == (order == "random")


def test_bad_input_is_explained() -> None:
    good = [explanation({"a": 1.0}), explanation({"b": 1.0})]
    assert_refused(
        lambda order, explanations, n=1, p=None: select(order, explanations, p, n, np.random.default_rng(0)),
        [
            ("submodular", good, "no order of selection is called 'submodular'; did you mean 'submodular_pick'"),
            ("random", good, 3, "expected to select 1 to 2 explanations, as there are, got n=3"),
            ("uncertainty", good, "uncertainty needs the model's probabilities"),
            ("uncertainty", good, 1, np.full((3, 2), 0.5), r"the model returned the shape \(3, 2\)"),
        ],
    )
