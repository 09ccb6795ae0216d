"""Chinese Whispers in compiled code: the same partition as the obvious loop, whatever the threads."""

from __future__ import annotations

import sys
from importlib import import_module

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.graphs.chinese_whispers import cluster_ego_networks
from trustnlp.graphs.ego_networks import NeighbourGraph, ego_network

WORD = 2**64 - 1


def mix(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & WORD
    return z ^ (z >> 31)


def whispered(weights: np.ndarray, seed: int, ego: int, passes: int = 20) -> list[int]:
    """The stated rule in plain Python: every node in every pass, sums over all other nodes, whole numbers."""
    n = len(weights)
    label, order, state = list(range(n)), list(range(n)), mix((mix(seed) + ego) & WORD)
    for _ in range(passes):
        before = label.copy()
        for i in range(n - 1, 0, -1):
            state = (state + 0x9E3779B97F4A7C15) & WORD
            other = (mix(state) >> 32) * (i + 1) >> 32
            order[i], order[other] = order[other], order[i]
        for i in order:
            sums: dict[int, int] = {}
            for j in range(n):
                if weights[i, j]:
                    sums[label[j]] = sums.get(label[j], 0) + int(weights[i, j])
            if sums:
                label[i] = min(one for one in sums if sums[one] == max(sums.values()))
        if label == before:
            break
    return [list(dict.fromkeys(label)).index(one) for one in label]


def drawn_graph(seed: int, size: int, k: int, grain: int | None) -> NeighbourGraph:
    """Any neighbours with cosines from -.2 to 1; with a grain, cosines of few values, so that sums tie."""
    rng = np.random.default_rng(seed)
    ids = np.stack([rng.permutation(np.delete(np.arange(size), row))[:k] for row in range(size)])
    cosines = -np.sort(-rng.uniform(-0.2, 1, (size, k)), axis=1)
    return NeighbourGraph(ids, (cosines if grain is None else np.round(cosines * grain) / grain).astype(np.float32))


@pytest.mark.parametrize("edges", [None, 1, 3])
@pytest.mark.parametrize(("size", "k", "grain"), [(12, 8, None), (12, 11, 4), (40, 20, 3), (2, 1, None), (90, 60, 2)])
def test_partitions_are_those_of_the_obvious_loop(size, k, grain, edges):
    graph = drawn_graph(size + k, size, k, grain)
    found = cluster_ego_networks(graph, seed=7, edges=edges)
    assert found.shape == (size, k) and found.dtype == np.int16
    for row in range(size):
        weights = ego_network(graph, row, edges=edges).weights
        want = whispered(weights, 7, row) + [-1] * (k - len(weights))
        assert found[row].tolist() == want
        assert ((graph.cosines[row] > 0) == (found[row] >= 0)).all()


def test_few_passes_are_those_of_the_obvious_loop():
    graph = drawn_graph(3, 80, 50, 8)
    for passes in (1, 2, 3):
        found = cluster_ego_networks(graph, [5], seed=2**64 - 1, passes=passes)[0]
        weights = ego_network(graph, 5).weights
        assert found[: len(weights)].tolist() == whispered(weights, 2**64 - 1, 5, passes)


def test_neither_threads_nor_company_change_a_partition_but_the_seed_does():
    graph = drawn_graph(1, 600, 60, None)
    alone = cluster_ego_networks(graph, seed=1, threads=1)
    assert np.array_equal(alone, cluster_ego_networks(graph, seed=1, threads=5))
    some = np.array([500, 3, 3])
    assert np.array_equal(alone[some], cluster_ego_networks(graph, some, seed=1))
    assert not np.array_equal(alone, cluster_ego_networks(graph, seed=2))
    assert cluster_ego_networks(graph, np.array([], dtype=int), seed=1).shape == (0, 60)


def test_bad_arguments_are_refused():
    graph = drawn_graph(0, 6, 3, None)
    assert_refused(
        lambda rows, options: cluster_ego_networks(graph, rows, **{"seed": 0, **options}),
        [
            ([6], {}, "from 0 to 5, got 6 to 6"),
            ([-1], {}, "got -1"),
            ([0.5], {}, "float64"),
            ([[0]], {}, "one dimension"),
            (None, {"seed": -1}, "got -1"),
            (None, {"seed": 2**64}, "2\\*\\*64"),
            (None, {"edges": 0}, "edges = 0"),
            (None, {"passes": 0}, "got 0 and None"),
            (None, {"threads": 0}, "got 20 and 0"),
        ],
    )


def test_without_numba_the_error_names_the_extra(monkeypatch, forget):
    monkeypatch.setitem(sys.modules, "numba", None)
    forget("trustnlp.graphs.chinese_whispers")
    with pytest.raises(ImportError, match=r"pip install 'trustnlp\[senses\]'"):
        import_module("trustnlp.graphs.chinese_whispers")
