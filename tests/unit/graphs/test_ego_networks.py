"""Ego networks: who is linked to whom, and which graphs of neighbours are refused."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.graphs.ego_networks import SCALE, NeighbourGraph, ego_network, in_units


def graph_of(ids, cosines) -> NeighbourGraph:
    return NeighbourGraph(np.array(ids), np.array(cosines, dtype=np.float32))


@pytest.fixture
def five() -> NeighbourGraph:
    """0 is near 1, 2 and 3; 1 and 2 name each other, 3 names 2 alone, 4 is named by nobody near 0."""
    return graph_of(
        [[1, 2, 3], [0, 2, 4], [0, 1, 4], [2, 4, 0], [3, 2, 1]],
        [[0.9, 0.8, 0.5], [0.9, 0.75, 0.1], [0.8, 0.75, 0.2], [0.5, 0.3, 0.25], [0.3, 0.2, 0.1]],
    )


def test_links_are_those_named_by_either_side_and_the_ego_is_left_out(five):
    nodes, weights = ego_network(five, 0)
    assert nodes.tolist() == [1, 2, 3]
    assert (weights / SCALE).tolist() == [[0, 0.75, 0], [0.75, 0, 0.5], [0, 0.5, 0]]


def test_edges_count_the_neighbours_inside_the_network_that_a_node_names():
    """Node 3 names 4 first, which is no node, then 1 and 2: with one edge it keeps 1, and 2 still names 3."""
    ids = [[1, 2, 3], [2, 0, 4], [3, 0, 1], [4, 1, 2], [3, 2, 1]]
    graph = graph_of(ids, [[0.5, 0.5, 0.5]] * 5)
    linked = {edges: np.argwhere(np.triu(ego_network(graph, 0, edges=edges).weights)).tolist() for edges in (1, 2, 9)}
    assert linked == {1: [[0, 1], [0, 2], [1, 2]], 2: [[0, 1], [0, 2], [1, 2]], 9: [[0, 1], [0, 2], [1, 2]]}
    ids[2] = [0, 4, 1]  # now 2 names 1, and nobody but 3 links 3 to 2
    graph = graph_of(ids, [[0.5, 0.5, 0.5]] * 5)
    linked = {edges: np.argwhere(np.triu(ego_network(graph, 0, edges=edges).weights)).tolist() for edges in (1, 2)}
    assert linked == {1: [[0, 1], [0, 2]], 2: [[0, 1], [0, 2], [1, 2]]}


def test_neighbours_without_similarity_are_no_nodes_and_the_larger_of_two_cosines_counts(five):
    cosines = five.cosines.copy()
    cosines[0] = [0.9, 0.8, 0.0]
    cosines[1, 1] = 0.8
    nodes, weights = ego_network(NeighbourGraph(five.ids, cosines), 0)
    assert nodes.tolist() == [1, 2]
    assert weights[0, 1] == weights[1, 0] == in_units(0.8) == int(np.float32(0.8) * SCALE)


def test_units_are_whole_and_never_negative():
    assert in_units([1.0, 0.5, 2**-20, 2**-21, 0.0, -0.5]).tolist() == [SCALE, SCALE // 2, 1, 0, 0, 0]


def test_bad_graphs_and_rows_are_refused(five):
    good = [[1, 2], [0, 2], [0, 1]]
    fine = [[0.5, 0.2]] * 3
    assert_refused(
        graph_of,
        [
            (good, [[0.5]] * 3, "one shape"),
            ([1, 2], [0.5, 0.2], "one shape"),
            ([[]], [[]], "1 words have between 1 and 0 neighbours"),
            ([[1, 2], [0, 2]], [[0.5, 0.2]] * 2, "between 1 and 1 neighbours"),
            ([[1.0, 2.0]] * 3, fine, "float64"),
            ([[1, 3], [0, 2], [0, 1]], fine, "from 0 to 3"),
            ([[1, -1], [0, 2], [0, 1]], fine, "from -1 to 2"),
            ([[1, 2], [1, 2], [0, 1]], fine, "row 1 names itself"),
            ([[1, 2], [0, 2], [0, 0]], fine, "row 2 .* twice"),
            (good, [[0.2, 0.5], *fine[1:]], "row 0 rise"),
            (good, [[np.nan, 0.5], *fine[1:]], "finite"),
            (good, [[3.0, 0.5], *fine[1:]], "not distances"),
        ],
    )
    assert_refused(
        lambda row, edges: ego_network(five, row, edges=edges),
        [(5, None, "from 0 to 4, got 5"), (-1, None, "got -1"), (0, 0, "edges = 0")],
    )
