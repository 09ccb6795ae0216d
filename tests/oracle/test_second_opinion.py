"""CP-SAT against all partitions of small graphs; out of time its bound holds above our own integer program."""

from __future__ import annotations

import itertools
import math
import sys

import numpy as np
import pytest
from brute_force_partition import best_partition

from trustnlp.graphs.pair_graph import GraphError, PairGraph
from trustnlp.graphs.solver import second_opinion
from trustnlp.graphs.solver.integer_program import solve

pytest.importorskip("ortools")
LIMIT = 60.0


def random_graph(seed: int, most: int) -> PairGraph:
    """Some pairs absent; continuous weights of any size, or few whole ones with many ties."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, most + 1))
    weights = rng.normal(0, 1, (size, size)) if seed % 2 else rng.integers(-2, 3, (size, size)).astype(float)
    weights *= rng.choice([1e-6, 1, 1e6])
    weights[rng.random((size, size)) < rng.choice([0, 0.2, 0.5, 1])] = math.nan
    return PairGraph.from_matrix(np.triu(weights, 1) + np.triu(weights, 1).T)


def check(graph: PairGraph, best: float) -> None:
    opinion = second_opinion.solve_with_cp_sat(graph, LIMIT)
    largest = float(np.abs(graph.weights).max(initial=0))
    rounding = len(graph.weights) * largest / second_opinion.STEPS
    assert opinion.optimal and opinion.seconds > 0
    assert opinion.value == graph.value(opinion.labels) and graph.absent_inside(opinion.labels) == 0
    # A sum of floats depends on its order: hence the second term.
    assert abs(opinion.value - best) <= rounding + 1e-12 * len(graph.weights) * largest
    assert best - 1e-12 * largest <= opinion.bound <= opinion.value + rounding + 1e-12 * largest
    firsts = [opinion.labels.tolist().index(label) for label in range(opinion.labels.max(initial=-1) + 1)]
    assert firsts == sorted(firsts)


def test_the_best_of_all_partitions() -> None:
    for seed in range(80):
        graph = random_graph(seed, most=8)
        check(graph, best_partition(graph)[0])


def test_weights_below_the_resolution_are_rounded_and_the_bound_allows_for_it() -> None:
    """Four nodes joined by a weight that rounds to 0, beside a pair 10^10 times as heavy."""
    pairs = [*itertools.combinations("abcd", 2), ("x", "y")]
    left, right = zip(*pairs, strict=True)
    graph = PairGraph.from_pairs(left, right, [1e-10] * 6 + [1.0])
    best = best_partition(graph)[0]
    opinion = second_opinion.solve_with_cp_sat(graph, LIMIT)
    assert opinion.optimal and 1.0 <= opinion.value <= best <= opinion.bound
    assert opinion.bound - opinion.value <= 7 / second_opinion.STEPS


def test_out_of_time_the_bound_still_holds() -> None:
    rng = np.random.default_rng(0)
    weights = rng.normal(0, 1, (30, 30))
    graph = PairGraph.from_matrix(np.triu(weights, 1) + np.triu(weights, 1).T)
    opinion = second_opinion.solve_with_cp_sat(graph, 0.001)
    ours = solve(graph, time_limit=0.5)
    assert not opinion.optimal
    assert opinion.value == graph.value(opinion.labels) < opinion.bound
    assert opinion.bound >= ours.value


def test_nothing_to_partition() -> None:
    for nodes in (range(0), range(3)):
        opinion = second_opinion.solve_with_cp_sat(PairGraph.from_pairs([], [], [], nodes=nodes), LIMIT)
        assert opinion.labels.tolist() == list(nodes) and opinion.value == opinion.bound == 0 and opinion.optimal
    zero = second_opinion.solve_with_cp_sat(PairGraph.from_pairs("a", "b", [0.0]), LIMIT)
    assert zero.value == zero.bound == 0 and zero.optimal


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = PairGraph.from_pairs("aab", "bcc", [1.0, 1.0, 1.0])
    for limit, workers in ((0.0, 1), (-1.0, 1), (math.nan, 1), (1.0, 0)):
        with pytest.raises(GraphError, match="above 0 seconds, with a worker or more"):
            second_opinion.solve_with_cp_sat(graph, limit, workers)
    monkeypatch.setattr(second_opinion, "MOST_CONSTRAINTS", 2)
    with pytest.raises(GraphError, match="3 transitivity constraints, at most 2"):
        second_opinion.solve_with_cp_sat(graph, LIMIT)
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    with pytest.raises(ImportError, match=r"trustnlp\[graphs\]"):
        second_opinion.solve_with_cp_sat(graph, LIMIT)
