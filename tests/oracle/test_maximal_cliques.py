"""Cliques against networkx, which lists and finds them in its own ways, and against closed forms."""

from __future__ import annotations

import math
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustnlp.graphs.cliques import (
    clustering_coefficient,
    count_cliques,
    count_maximal_cliques,
    maximal_cliques,
)
from trustnlp.graphs.pair_graph import GraphError, PairGraph


def complete(size: int) -> PairGraph:
    left, right = np.triu_indices(size, 1)
    return PairGraph(tuple(range(size)), left, right, np.ones(len(left)))


def random_graph(size: int, density: float, seed: int) -> PairGraph:
    rng = np.random.default_rng(seed)
    left, right = np.nonzero(np.triu(rng.random((size, size)) < density, 1))
    return PairGraph(tuple(range(size)), left, right, rng.normal(size=len(left)))


def as_networkx(graph: PairGraph) -> nx.Graph:
    network = nx.Graph(list(zip(graph.left.tolist(), graph.right.tolist(), strict=True)))
    network.add_nodes_from(range(len(graph)))
    return network


densities = st.sampled_from([0.0, 0.1, 0.3, 0.6, 0.9, 1.0])
graphs = st.builds(random_graph, st.integers(1, 25), densities, st.integers(0, 999))


@given(graphs)
def test_maximal_cliques_are_those_of_networkx_each_once(graph: PairGraph) -> None:
    found = list(maximal_cliques(graph))
    assert sorted(found) == sorted(tuple(sorted(clique)) for clique in nx.find_cliques(as_networkx(graph)))
    assert count_maximal_cliques(graph) == len(found)


@given(st.builds(random_graph, st.integers(1, 12), st.floats(0, 1), st.integers(0, 999)), st.integers(1, 5))
def test_cliques_are_counted_as_listed_by_networkx(graph: PairGraph, smallest: int) -> None:
    count = sum(len(clique) >= smallest for clique in nx.enumerate_all_cliques(as_networkx(graph)))
    assert count_cliques(graph, smallest) == count
    assert count_cliques(graph, smallest, limit=count) == count
    assert count_cliques(graph, smallest, limit=count - 1) is None


def test_a_clique_of_more_nodes_than_the_recursion_limit_is_found_and_counted() -> None:
    size = sys.getrecursionlimit() + 100  # deeper than a function may call itself
    graph = complete(size)
    assert list(maximal_cliques(graph)) == [tuple(range(size))]
    assert count_cliques(graph, smallest=1) == 2**size - 1
    assert count_cliques(graph, smallest=3) == 2**size - 1 - size - math.comb(size, 2)
    assert count_cliques(graph, limit=1_000_000) is None


def test_a_graph_with_as_many_maximal_cliques_as_there_can_be() -> None:
    """Moon and Moser (1965): all pairs but those within ten triples, 3^10 cliques."""
    left, right = np.triu_indices(30, 1)
    apart = left // 3 != right // 3
    graph = PairGraph(tuple(range(30)), left[apart], right[apart], np.ones(int(apart.sum())))
    assert count_maximal_cliques(graph) == 3**10
    assert count_cliques(graph, smallest=1) == 4**10 - 1


def test_nodes_without_an_edge_are_cliques_of_one() -> None:
    graph = PairGraph.from_pairs(["b"], ["d"], [-1.0], nodes="abcd")
    assert sorted(maximal_cliques(graph)) == [(0,), (1, 3), (2,)]
    assert (count_cliques(graph, 1), count_cliques(graph)) == (5, 1)
    assert list(maximal_cliques(PairGraph.from_pairs([], [], []))) == []
    assert count_cliques(PairGraph.from_pairs([], [], []), 1) == 0
    with pytest.raises(GraphError, match="at least one node"):
        count_cliques(graph, smallest=0)
    with pytest.raises(GraphError, match="without nodes"):
        clustering_coefficient(PairGraph.from_pairs([], [], []))


@given(graphs)
def test_clustering_coefficient_is_the_mean_share_of_closed_pairs(graph: PairGraph) -> None:
    near = [set(around) for around in graph.neighbours]
    shares = []
    for around in near:
        closed = sum(b in near[a] for a in around for b in around if a < b)
        shares.append(closed / math.comb(len(around), 2) if len(around) > 1 else 0.0)
    assert clustering_coefficient(graph) == pytest.approx(np.mean(shares))
