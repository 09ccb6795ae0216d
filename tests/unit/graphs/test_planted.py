"""Planted components: their sizes, clusters and scores, and that a seed fixes them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.graphs import PairGraph, partition_graph
from trustnlp.graphs.pair_graph import GraphError
from trustnlp.graphs.planted import planted_components

ALL = float("-inf")  # a threshold that keeps every pair, so that the blocks can be seen


def blocks(graph: PairGraph) -> list[int]:
    """Sizes of the blocks of a graph of all pairs: each ends where the last partner of its first node stands."""
    sizes, first = [], 0
    last = {int(u): int(v) for u, v in zip(graph.left, graph.right, strict=True)}  # pairs are sorted
    while first < len(graph):
        sizes.append(last.get(first, first) + 1 - first)
        first += sizes[-1]
    return sizes


@given(st.integers(1, 80), st.integers(2, 12), st.integers(0, 2**32))
def test_blocks_hold_all_their_pairs_and_no_others(nodes: int, largest: int, seed: int) -> None:
    graph, truth = planted_components(nodes, largest, np.random.default_rng(seed), ALL)
    sizes = blocks(graph)
    assert sum(sizes) == nodes == len(graph) == len(truth)
    assert all(2 <= size <= largest for size in sizes[:-1]) and sizes[-1] <= largest
    block = np.repeat(np.arange(len(sizes)), sizes)
    left, right = np.triu_indices(nodes, 1)
    same = block[left] == block[right]
    assert graph.left.tolist() == left[same].tolist() and graph.right.tolist() == right[same].tolist()
    assert set(truth.tolist()) == set(range(truth.max() + 1))
    assert all(len(set(block[truth == cluster])) == 1 for cluster in range(truth.max() + 1))
    again = PairGraph.from_pairs(graph.left.tolist(), graph.right.tolist(), graph.weights, nodes=range(nodes))
    assert again.ids == graph.ids and np.array_equal(again.weights, graph.weights)


def test_a_seed_fixes_the_graph_and_another_changes_it() -> None:
    one, same, other = (planted_components(500, 20, np.random.default_rng(seed)) for seed in (1, 1, 2))
    for field in ("left", "right", "weights"):
        assert np.array_equal(getattr(one[0], field), getattr(same[0], field))
    assert np.array_equal(one[1], same[1]) and not np.array_equal(one[1], other[1])


def test_sizes_and_scores_are_those_asked_for() -> None:
    """100,000 draws: each figure within five standard errors."""
    graph, truth = planted_components(100_000, 41, np.random.default_rng(0), ALL, mean=0.4, spread=0.2, mean_size=2.5)
    sizes = np.array(blocks(graph)[:-1])
    counts = np.bincount(sizes, minlength=42)[2:]
    assert np.abs(counts - len(sizes) / 40).max() < 5 * np.sqrt(len(sizes) / 40)
    inside = truth[graph.left] == truth[graph.right]
    for weights, centre in ((graph.weights[inside], 0.4), (graph.weights[~inside], -0.4)):
        assert abs(weights.mean() - centre) < 5 * 0.2 / np.sqrt(len(weights))
        assert weights.std() == pytest.approx(0.2, rel=0.01)
    # A node begins a cluster with probability 1 / 2.5, or because its block begins.
    begins = len(sizes) + 1 + (100_000 - len(sizes) - 1) / 2.5
    assert truth.max() + 1 == pytest.approx(begins, abs=5 * np.sqrt(100_000 * 0.4 * 0.6))
    # Clusters are numbered by where they would begin; mixed, they run backwards as often as forwards.
    assert (np.diff(truth) < 0).mean() > 0.3


def test_without_noise_the_clusters_come_back() -> None:
    graph, truth = planted_components(300, 15, np.random.default_rng(0), ALL, spread=0.0)
    found = partition_graph(graph)
    assert found.optimal
    assert len(set(zip(found.codes.tolist(), truth.tolist(), strict=True))) == len(set(truth)) == len(found.clusters)


def test_what_is_refused() -> None:
    assert_refused(
        lambda nodes, largest, mean_size: planted_components(
            nodes, largest, np.random.default_rng(0), mean_size=mean_size
        ),
        [
            (nodes, largest, mean_size, f"got nodes={nodes}, largest={largest}")
            for nodes, largest, mean_size in [(0, 5, 3.0), (5, 1, 3.0), (5, 5, 0.5), (5, 5, np.nan)]
        ],
        error=GraphError,
    )
