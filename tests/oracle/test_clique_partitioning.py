"""Clique partitioning: the optimum against all partitions, and certificates that a checker accepts or refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from brute_force_partition import best_partition

from trustnlp.graphs import GraphError, PairGraph, partition_graph
from trustnlp.graphs.pair_graph import Absent
from trustnlp.graphs.planted import planted_components
from trustnlp.graphs.solver.certificate import Certificate, CertificateError, Leaf, check_certificate
from trustnlp.graphs.solver.contraction import greedy_contraction, improve
from trustnlp.graphs.solver.integer_program import solve
from trustnlp.graphs.solver.star_cuts import broken_stars, broken_triangles

SEEDS = range(100)


def random_graph(seed: int, most: int = 8, missing: float = 0.3) -> PairGraph:
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(2, most + 1))
    weights = rng.normal(0, 1, (nodes, nodes)).round(int(rng.integers(0, 4)))
    weights = np.triu(weights, 1) + np.triu(weights, 1).T
    absent = np.triu(rng.random((nodes, nodes)) < missing, 1)
    weights[absent | absent.T] = np.nan
    return PairGraph.from_matrix(weights)


def fractional_graph() -> PairGraph:
    """One node tied to five that repel each other: triangles alone leave its pairs at one half."""
    weights = np.full((6, 6), -1.0)
    weights[0] = weights[:, 0] = 1.0
    return PairGraph.from_matrix(weights)


def noisy_graph(seed: int, nodes: int = 24) -> PairGraph:
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.normal(0, 1, (nodes, nodes)), 1)
    return PairGraph.from_matrix(weights + weights.T)


@pytest.mark.parametrize("absent", ["never", "zero"])
def test_the_optimum_is_that_of_all_partitions(absent: Absent) -> None:
    for seed in SEEDS:
        graph = random_graph(seed)
        found = partition_graph(graph, absent=absent)
        assert found.optimal
        assert found.value == pytest.approx(best_partition(graph, absent)[0], abs=1e-9)
        assert found.value == pytest.approx(graph.value(found.codes), abs=1e-12)
        assert absent == "zero" or graph.absent_inside(found.codes) == 0
        assert found.check() == pytest.approx(found.value, abs=1e-6)


@pytest.mark.parametrize("absent", ["never", "zero"])
def test_the_heuristic_is_feasible_and_never_above_the_optimum(absent: Absent) -> None:
    for seed in SEEDS:
        graph = random_graph(seed)
        first = greedy_contraction(graph, absent)
        better = improve(graph, first, absent)
        best = best_partition(graph, absent)[0]
        assert graph.value(first) <= graph.value(better) + 1e-9 <= best + 2e-9
        assert absent == "zero" or graph.absent_inside(better) == 0


def test_a_decision_given_is_followed_at_the_smallest_loss() -> None:
    for seed in range(60):
        graph = random_graph(seed, most=6)
        if not len(graph.weights):
            continue
        u, v = int(graph.left[0]), int(graph.right[0])
        for together in (True, False):
            heavy = graph.weights.copy()
            heavy[0] += 1000 if together else -1000
            forced, labels = best_partition(PairGraph(graph.ids, graph.left, graph.right, heavy))
            found = solve(graph, time_limit=10, given=((u, v, together),))
            assert (found.labels[u] == found.labels[v]) == together == (labels[u] == labels[v])
            assert found.value == pytest.approx(forced - (1000 if together else 0), abs=1e-6)
            value, bound = check_certificate(graph, found.labels, found.certificate)
            assert bound == pytest.approx(value, abs=1e-6)


def test_stars_cut_off_what_triangles_let_through() -> None:
    x = np.zeros((6, 6))
    x[0, 1:] = x[1:, 0] = 0.5
    assert broken_triangles(x, 100) == []
    assert broken_stars(x, 100)[0] == (0, (1, 2, 3, 4, 5))
    assert broken_triangles(np.eye(6) + x, 9, deadline=0.0) == [] == broken_stars(x, 9, deadline=0.0)
    found = solve(fractional_graph(), time_limit=10)
    assert found.optimal and found.splits == 0 and found.value == pytest.approx(1.0)


def test_a_hard_graph_is_split_and_its_tree_is_proven() -> None:
    split = 0
    for seed in (0, 4, 6):  # where the relaxation is fractional
        graph = noisy_graph(seed, nodes=16)
        found = solve(graph, time_limit=60)
        value, bound = check_certificate(graph, found.labels, found.certificate)
        assert found.optimal and bound - value <= 1e-5
        assert len(found.certificate.leaves) == found.splits + 1
        split += found.splits
    assert split > 0


def test_the_bound_under_a_time_limit_holds_and_is_not_called_optimal() -> None:
    graph = noisy_graph(3)
    stopped, whole = solve(graph, time_limit=1e-9), solve(graph, time_limit=60)
    assert not stopped.optimal and stopped.value <= whole.value
    value, bound = check_certificate(graph, stopped.labels, stopped.certificate)
    assert value <= whole.value <= bound and bound > value
    found = partition_graph(graph, time_limit=1e-9)
    assert not found.optimal and found.gap > 0 and found.check() >= whole.value


def test_a_component_too_large_for_the_program_reports_its_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trustnlp.graphs.solver.integer_program.MOST_EDGES", 10)
    for absent in ("never", "zero"):
        found = partition_graph(noisy_graph(0), absent=absent, time_limit=0.5)
        assert not found.optimal and found.gap > 0 and found.check() >= found.value


def test_several_workers_find_the_same() -> None:
    rng = np.random.default_rng(0)
    graphs = [random_graph(seed, missing=0.1) for seed in range(40)]
    starts = np.cumsum([0] + [len(graph) for graph in graphs])
    left = np.concatenate([graph.left + start for graph, start in zip(graphs, starts, strict=False)])
    right = np.concatenate([graph.right + start for graph, start in zip(graphs, starts, strict=False)])
    weights = np.concatenate([graph.weights for graph in graphs])
    order = rng.permutation(len(weights))
    whole = PairGraph.from_pairs(left[order].tolist(), right[order].tolist(), weights[order], nodes=range(starts[-1]))
    one, two = partition_graph(whole), partition_graph(whole, workers=2)
    assert np.array_equal(one.codes, two.codes) and one.value == two.value
    assert one.value == pytest.approx(sum(partition_graph(graph).value for graph in graphs))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"bound": 0.5}, "prove"),
        ({"bound": np.nan}, "the bound is"),
        ({"bound": np.inf}, "the bound is"),
        ({"leaves": (Leaf((), {}),)}, "prove"),
        ({"leaves": (Leaf((), {(0, (1, 2)): -1.0}),)}, "a multiplier is finite and not below 0"),
        ({"leaves": (Leaf((), {(0, (1, 2)): np.inf}),)}, "a multiplier is finite"),
        ({"leaves": (Leaf((), {(0, (0, 1)): 1.0}),)}, "not a star"),
        ({"leaves": (Leaf((), {(0, (1, 1)): 1.0}),)}, "not a star"),
        ({"leaves": (Leaf((), {(0, (1, 6)): 1.0}),)}, "not a star"),
        ({"leaves": (Leaf(((0, 1, True),), {}),), "bound": 100.0}, "leaves partitions out"),
        ({"leaves": (), "bound": 100.0}, "leaves partitions out"),
    ],
)
def test_a_certificate_that_proves_nothing_is_refused(changes: dict[str, Any], said: str) -> None:
    found = solve(fractional_graph(), time_limit=10)
    with pytest.raises(CertificateError, match=said):
        check_certificate(fractional_graph(), found.labels, replace(found.certificate, **changes))


def test_a_partition_that_the_certificate_is_not_of_is_refused() -> None:
    graph = PairGraph.from_matrix([[0, 1, np.nan], [1, 0, 1], [np.nan, 1, 0]])
    with pytest.raises(CertificateError, match="no edge"):
        check_certificate(graph, [0, 0, 0], Certificate(2.0, (Leaf((), {}),)))
    assert check_certificate(graph, [0, 0, 0], Certificate(2.0, (Leaf((), {}),)), "zero") == (2.0, 2.0)
    forced = solve(fractional_graph(), time_limit=10, given=((0, 1, False),))
    with pytest.raises(CertificateError, match="does not follow"):
        check_certificate(fractional_graph(), np.zeros(6), forced.certificate)


def test_decisions_that_contradict_each_other_are_refused() -> None:
    graph = PairGraph.from_matrix([[0, 1, np.nan], [1, 0, 1], [np.nan, 1, 0]])
    with pytest.raises(GraphError, match="follows the decisions"):
        solve(graph, time_limit=1, given=((0, 2, True),))


def test_scales_far_from_one_are_solved_and_checked_alike() -> None:
    for seed in range(20):
        graph = random_graph(seed, missing=0.1)
        for scale in (1e-12, 1e12, 1e15):
            scaled = PairGraph(graph.ids, graph.left, graph.right, graph.weights * scale)
            found = partition_graph(scaled)
            assert found.optimal and found.check() == pytest.approx(found.value, rel=1e-6, abs=1e-5 * scale)
            assert found.value == pytest.approx(best_partition(graph)[0] * scale, rel=1e-6)


def test_a_partition_changed_after_it_was_found_fails_its_check() -> None:
    found = partition_graph(PairGraph.from_pairs("ac", "bd", [1.0, 1.0]))
    with pytest.raises(GraphError, match="weighs"):
        replace(found, value=99.0).check()
    with pytest.raises(GraphError, match="no edge"):
        replace(found, codes=np.zeros(4, dtype=np.int64)).check()


def test_decisions_on_a_component_too_large_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trustnlp.graphs.solver.integer_program.MOST_EDGES", 5)
    with pytest.raises(GraphError, match="at most 5 edges at once"):
        solve(fractional_graph(), time_limit=1, given=((0, 1, True),))


def test_a_dask_cluster_finds_the_same() -> None:
    from distributed import LocalCluster

    graph, _ = planted_components(400, 30, np.random.default_rng(0))
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        there = partition_graph(graph, scheduler=cluster.scheduler_address)
    here = partition_graph(graph)
    assert there.optimal and there.value == here.value and np.array_equal(there.codes, here.codes)
