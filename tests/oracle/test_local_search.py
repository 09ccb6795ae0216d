"""Perturb and improve: valid partitions, never lighter, optima of small graphs, better than peers on noisy ones."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from brute_force_partition import best_partition

from trustnlp.graphs import PairGraph, partition_graph
from trustnlp.graphs.pair_graph import Absent
from trustnlp.graphs.solver.contraction import greedy_contraction, improve
from trustnlp.graphs.solver.local_search import LocalSearch, clusters_as_nodes


def leiden_values(graph: PairGraph, runs: int) -> list[float]:
    """Weights of igraph's clusters, one seed a run: without one, a test beside them would pass or fail by chance."""
    igraph = pytest.importorskip("igraph")
    network = igraph.Graph(len(graph), list(zip(graph.left.tolist(), graph.right.tolist(), strict=True)))
    weights, values = graph.weights.tolist(), []
    for seed in range(runs):
        igraph.set_random_number_generator(random.Random(seed))
        found = network.community_leiden("CPM", weights=weights, resolution=0.0, n_iterations=-1)
        values.append(graph.value(found.membership))
    igraph.set_random_number_generator(random)
    return values


def noisy_graph(nodes: int, seed: int, missing: float = 0.0, mean: float = 0.3, spread: float = 0.8) -> PairGraph:
    rng = np.random.default_rng(seed)
    cluster = np.arange(nodes) // 6
    left, right = np.triu_indices(nodes, 1)
    weights = rng.normal(np.where(cluster[left] == cluster[right], mean, -mean), spread)
    kept = rng.random(len(left)) >= missing
    return PairGraph(tuple(range(nodes)), left[kept].astype(np.int64), right[kept].astype(np.int64), weights[kept])


@pytest.mark.parametrize("absent", ["never", "zero"])
def test_it_finds_the_optimum_of_small_graphs_and_keeps_cliques(absent: Absent) -> None:
    for seed in range(40):
        graph = noisy_graph(8, seed, missing=0.3 * (seed % 2))
        search = LocalSearch(graph, absent)
        search.settle()
        settled = graph.value(search.labels)
        search.take(300)
        value = graph.value(search.labels)
        assert settled <= value + 1e-9 and value == pytest.approx(best_partition(graph, absent)[0], abs=1e-9)
        assert absent == "zero" or graph.absent_inside(search.labels) == 0


@pytest.mark.parametrize("absent", ["never", "zero"])
def test_it_never_gets_lighter_and_beats_the_greedy_start(absent: Absent) -> None:
    graph = noisy_graph(150, 0, missing=0.1)
    greedy = improve(graph, greedy_contraction(graph, absent), absent)
    search = LocalSearch(graph, absent, greedy)
    values = [graph.value(greedy)]
    for _ in range(20):
        search.take(100)
        values.append(graph.value(search.labels))
        assert absent == "zero" or graph.absent_inside(search.labels) == 0
    assert (np.diff(values) >= -1e-9).all() and values[-1] > values[0] + 1


def test_as_many_steps_of_one_seed_find_the_same() -> None:
    graph = noisy_graph(60, 1)
    labels = []
    for seed in (1, 1, 2):
        search = LocalSearch(graph, seed=seed)
        search.settle()
        search.take(50)
        labels.append(search.labels.tolist())
    assert labels[0] == labels[1] != labels[2]


@pytest.mark.parametrize("absent", ["never", "zero"])
def test_clusters_come_apart_in_groups_where_that_gains(absent: Absent) -> None:
    """Two pairs in the cluster of the other: no node gains by a move alone, both together do."""
    rows = [("a", "b", 3.0), ("c", "d", 3.0), ("a", "c", -1.0), ("b", "d", -1.0), ("a", "d", -1.0), ("b", "c", -1.0)]
    left, right, weights = zip(*rows, strict=True)
    search = LocalSearch(PairGraph.from_pairs(left, right, weights), absent, labels=[0, 0, 0, 0])
    search._settle_nodes()
    assert len(set(search.labels)) == 1
    search.settle()
    assert search.labels[0] == search.labels[1] != search.labels[2] == search.labels[3]


def test_graphs_without_room_to_search_are_left_as_they_are() -> None:
    for graph in (PairGraph.from_pairs([], [], []), PairGraph.from_pairs("a", "b", [-1.0])):
        search = LocalSearch(graph)
        search.run(time.monotonic() + 10)
        assert search.labels.tolist() == list(range(len(graph))) and search.steps == 0


def test_clusters_as_nodes_weigh_what_lies_between_them() -> None:
    graph = PairGraph.from_pairs([0, 0, 1, 2], [1, 2, 2, 3], [1.0, 0.5, -0.2, 2.0])
    above = clusters_as_nodes(graph, np.array([0, 0, 1, 1]), "zero")
    assert len(above) == 2 and above.weights.tolist() == [0.3]
    assert not len(clusters_as_nodes(graph, np.array([0, 0, 1, 1]), "never").weights), "no clique of all four"
    assert clusters_as_nodes(graph, np.array([0, 0, 1, 2]), "never").weights.tolist() == [0.3, 2.0]


def test_modularity_over_all_pairs_is_no_lower_than_three_hundred_runs_of_leiden_find() -> None:
    """Every pair has a weight of its degrees: a perturbation of two clusters never leaves the first optimum."""
    rng = np.random.default_rng(2)
    heavy = rng.pareto(1.5, 100) + 1
    left, right = np.triu_indices(100, 1)
    edge = rng.random(len(left)) < np.minimum(0.9, 0.012 * heavy[left] * heavy[right])
    degree = np.bincount(left[edge], minlength=100) + np.bincount(right[edge], minlength=100)
    weights = degree.sum() * edge - degree[left] * degree[right].astype(float)
    graph = PairGraph(tuple(range(100)), left.astype(np.int64), right.astype(np.int64), weights)
    assert partition_graph(graph, time_limit=5.0).value >= max(leiden_values(graph, 300))
