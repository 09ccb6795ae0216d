"""Both set packings against all partitions of small graphs, and where the bound on partitions bites."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from brute_force_partition import best_partition
from refusals import assert_refused

from trustnlp.graphs.cliques import count_cliques, maximal_cliques
from trustnlp.graphs.pair_graph import GraphError, PairGraph
from trustnlp.graphs.solver.packing import Packing, quadratic_set_packing, set_packing

LIMIT = 60.0
SOLVED_WITHIN = 1e-6  # the absolute gap of HiGHS


def random_graph(size: int, absent: float, tied: bool) -> PairGraph:
    """Some pairs absent; continuous weights or few whole ones, with many ties."""
    rng = np.random.default_rng([size, int(10 * absent), tied])
    weights = rng.integers(-2, 3, (size, size)).astype(float) if tied else rng.normal(0, 1, (size, size))
    weights[rng.random((size, size)) < absent] = math.nan
    return PairGraph.from_matrix(np.triu(weights, 1) + np.triu(weights, 1).T)


def check(packing: Packing, graph: PairGraph, best: float) -> None:
    assert packing.status == "optimal"
    assert packing.value == graph.value(packing.labels) == pytest.approx(best, abs=SOLVED_WITHIN)
    assert packing.bound == pytest.approx(best, abs=SOLVED_WITHIN)
    assert graph.absent_inside(packing.labels) == 0


@pytest.mark.parametrize("tied", [False, True])
def test_both_find_the_best_of_all_partitions(tied: bool) -> None:
    """One graph of each size and density."""
    for size, absent in itertools.product(range(1, 8), (0, 0.2, 0.5, 1)):
        graph = random_graph(size, absent, tied)
        best, labels = best_partition(graph)
        assert graph.value(labels) == pytest.approx(best)
        quadratic = quadratic_set_packing(graph, max(1, len(graph) // 2), LIMIT)
        check(quadratic, graph, best)
        traditional = set_packing(graph, LIMIT)
        check(traditional, graph, best)
        assert traditional.columns == count_cliques(graph, smallest=1) and traditional.rows == len(graph)
        sizes = [len(clique) for clique in maximal_cliques(graph)]
        products = max(1, len(graph) // 2) * sum(math.comb(size, 2) for size in sizes)
        variables = max(1, len(graph) // 2) * sum(sizes)
        assert quadratic.columns == len(graph.weights) + variables + products
        assert quadratic.rows == len(graph.weights) + len(graph) + 3 * products


def three_couples() -> PairGraph:
    """Six nodes that all know each other, one maximal clique, and the optimum is its three couples."""
    weights = np.full((6, 6), -1.0)
    for a, b in ((0, 1), (2, 3), (4, 5)):
        weights[a, b] = weights[b, a] = 1.0
    return PairGraph.from_matrix(weights)


@pytest.mark.parametrize(("partitions", "value"), [(1, 1.0), (2, 2.0), (3, 3.0), (10, 3.0)])
def test_few_partitions_per_clique_cut_off_the_optimum(partitions: int, value: float) -> None:
    graph = three_couples()
    packing = quadratic_set_packing(graph, partitions, LIMIT)
    assert packing.value == pytest.approx(value) and packing.status == "optimal"
    assert len(np.unique(packing.labels)) == 6 - partitions if partitions < 3 else 3  # unassigned nodes are alone
    assert best_partition(graph)[0] == set_packing(graph, LIMIT).value == pytest.approx(3.0)


def test_out_of_time_each_node_is_alone_and_the_bound_still_holds() -> None:
    rng = np.random.default_rng(0)
    weights = rng.normal(-0.2, 1, (18, 18))
    weights[rng.random((18, 18)) < 0.3] = math.nan
    graph = PairGraph.from_matrix(np.triu(weights, 1) + np.triu(weights, 1).T)
    packing = quadratic_set_packing(graph, 3, 0.001)
    assert packing.status == "time_limit"
    assert packing.labels.tolist() == list(range(18)) and packing.value == 0.0
    assert packing.bound >= set_packing(graph, LIMIT).value > 0.0


def test_programs_that_are_too_large_are_refused_before_they_are_built() -> None:
    left, right = np.triu_indices(400, 1)
    clique = PairGraph(tuple(range(400)), left, right, np.ones(len(left)))
    with pytest.raises(GraphError, match=r"more than 2,000,000 columns: 2,0\d\d,\d{3} after"):
        quadratic_set_packing(clique, 25, LIMIT)
    with pytest.raises(GraphError, match="more than 2,000,000 cliques"):
        set_packing(clique, LIMIT)
    with pytest.raises(GraphError, match="more than 77 columns: 78 after 1 "):
        quadratic_set_packing(three_couples(), 3, LIMIT, most_columns=77)


def test_no_time_and_no_partitions_are_refused() -> None:
    for solve in (
        lambda seconds: set_packing(three_couples(), seconds),
        lambda seconds: quadratic_set_packing(three_couples(), 3, seconds),
    ):
        assert_refused(solve, [(seconds, "above 0") for seconds in (0.0, -1.0, math.nan)], error=GraphError)
    with pytest.raises(GraphError, match="at least one partition"):
        quadratic_set_packing(three_couples(), 0, LIMIT)


def test_nothing_to_pack() -> None:
    for nodes in (range(0), range(3)):
        graph = PairGraph.from_pairs([], [], [], nodes=nodes)
        for packing in (quadratic_set_packing(graph, 3, LIMIT), set_packing(graph, LIMIT)):
            assert packing.value == packing.bound == 0.0 and packing.status == "optimal"
            assert packing.labels.tolist() == list(nodes)
