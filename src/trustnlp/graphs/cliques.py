"""Maximal cliques of a pair graph, and the number of all cliques (Vadrevu et al. 2021, §4.1, Tables 1 and 6).

Phase 1 of xER lists the maximal cliques with the algorithm of Bron and Kerbosch (1973), "pivot-based … with node
ordering": here Tomita's pivot (the node with most neighbours among the candidates) and degeneracy order (Eppstein et
al. 2010). A set of nodes is a Python integer whose bits are the nodes, so that one machine operation handles 64 nodes.
The paper's version is recursive; this one keeps its own stack, and a clique of thousands of nodes is no problem.

All cliques, the input of traditional set packing, are counted without listing them (Jain and Seshadhri 2020): a pivot
and the nodes that go with it may each be in or out, which makes a whole family of cliques at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import networkx as nx
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from trustnlp.graphs.pair_graph import GraphError, Ints, PairGraph, places_by_label

_TAKEN = np.iinfo(np.int64).max // 2  # the degree of a node that is already in the order


def maximal_cliques(graph: PairGraph) -> Iterator[tuple[int, ...]]:
    """Each clique that no other clique contains, once, as a sorted tuple of node positions.

    Every edge counts, whatever its weight; a node without an edge is a clique of one. The order is deterministic.

    >>> triangle_and_tail = PairGraph.from_pairs("aabc", "bccd", [1, 1, 1, 1])
    >>> sorted(maximal_cliques(triangle_and_tail))
    [(0, 1, 2), (2, 3)]
    """
    for nodes, near in _components(graph):
        yield from _grow(nodes, near)


def count_maximal_cliques(graph: PairGraph) -> int:
    """Number of maximal cliques, |MC| in Tables 1 and 6."""
    return sum(1 for _ in maximal_cliques(graph))


def count_cliques(graph: PairGraph, smallest: int = 2, limit: int | None = None) -> int | None:
    """Number of all cliques with at least `smallest` nodes, |C| in Tables 1 and 6.

    The paper does not say whether nodes and edges count, and no printed number decides it: each |C| exceeds the nodes
    and edges together. Set packing needs both (`smallest=1`): Eq. 7 is an equality, so a node alone must be a set too.

    Parameters
    ----------
    limit
        Stop counting beyond this number.

    Returns
    -------
    int or None
        The exact number, as large as 2^N; None where it exceeds `limit`.

    Raises
    ------
    GraphError
        If `smallest` is below 1.
    """
    if smallest < 1:
        raise GraphError(f"a clique has at least one node, got smallest={smallest}")
    total = 0
    for nodes, near in _components(graph):
        for fixed, free in _families(near, (1 << len(nodes)) - 1):
            total += 2**free - sum(math.comb(free, more) for more in range(smallest - fixed))
            if limit is not None and total > limit:
                return None
    return total


def clustering_coefficient(graph: PairGraph) -> float:
    """Mean over all nodes of the share of a node's pairs of neighbours that are edges (CC in Table 6).

    The paper cites Wang et al. (2017), who compare weighted generalisations, and does not say which it uses; this is
    the unweighted coefficient of Watts and Strogatz. It is 0 for a node with fewer than two neighbours.

    Raises
    ------
    GraphError
        If the graph has no nodes.
    """
    if not len(graph):
        raise GraphError("a graph without nodes has no clustering coefficient")
    network = nx.Graph(zip(graph.left.tolist(), graph.right.tolist(), strict=True))
    network.add_nodes_from(range(len(graph)))
    return float(nx.average_clustering(network))


def _grow(nodes: list[int], near: list[int]) -> Iterator[tuple[int, ...]]:
    """The maximal cliques of one component; `nodes[bit]` is the position of the node, `near[bit]` its neighbours."""
    for first, around in enumerate(near):
        if not around:
            yield (nodes[first],)
            continue
        later, earlier = around >> (first + 1) << (first + 1), around & ((1 << first) - 1)
        # Each entry: a clique, the nodes that extend it, and those that would but were used before.
        stack: list[tuple[tuple[int, ...], int, int]] = [((nodes[first],), later, earlier)]
        while stack:
            clique, candidates, used = stack.pop()
            # A maximal clique holds the pivot or one of its non-neighbours, or it could be extended by the pivot.
            branches = candidates & ~near[_pivot(candidates, used, near)]
            while branches:
                bit = branches & -branches
                node = bit.bit_length() - 1
                inner, outer = candidates & near[node], used & near[node]
                if inner & (inner - 1):
                    stack.append(((*clique, nodes[node]), inner, outer))
                elif inner:  # a single candidate: most branches end here, and need no pivot
                    last = inner.bit_length() - 1
                    if not outer & near[last]:
                        yield tuple(sorted((*clique, nodes[node], nodes[last])))
                elif not outer:
                    yield tuple(sorted((*clique, nodes[node])))
                candidates ^= bit
                used |= bit
                branches ^= bit


def _pivot(candidates: int, used: int, near: list[int]) -> int:
    """The node with most neighbours among the candidates; the search ends at one that no other can surpass."""
    size, most, pivot = candidates.bit_count(), -1, 0
    for pool, enough in ((used, size), (candidates, size - 1)):
        while pool:
            node = pool.bit_length() - 1
            joined = (candidates & near[node]).bit_count()
            if joined > most:
                most, pivot = joined, node
                if most >= enough:
                    return pivot
            pool ^= 1 << node
    return pivot


def _families(near: list[int], candidates: int) -> Iterator[tuple[int, int]]:
    """Families of cliques that share no clique and leave none out: (nodes fixed, nodes that may each be in or out).

    A clique lies within the pivot and its neighbours, which makes the pivot free; or it holds a node that is no
    neighbour of the pivot, and the first of these is fixed.
    """
    stack = [(candidates, 0, 0)]
    while stack:
        candidates, fixed, free = stack.pop()
        while candidates:
            pivot = _pivot(candidates, 0, near)
            inside = candidates & near[pivot]
            apart = candidates ^ inside ^ (1 << pivot)
            candidates ^= 1 << pivot
            while apart:
                bit = apart & -apart
                stack.append((candidates & near[bit.bit_length() - 1], fixed + 1, free))
                candidates ^= bit
                apart ^= bit
            candidates = inside
            free += 1
        yield fixed, free


def _components(graph: PairGraph) -> Iterator[tuple[list[int], list[int]]]:
    """For each connected component its nodes in degeneracy order, and the neighbours of each as bits in that order.

    Bits are counted within the component: a set takes as many as the component has nodes, not the graph.
    """
    size = len(graph)
    ends = np.concatenate([graph.left, graph.right]), np.concatenate([graph.right, graph.left])
    adjacency = coo_array((np.ones(len(ends[0]), dtype=np.int8), ends), shape=(size, size)).tocsr()
    around = np.split(adjacency.indices, adjacency.indptr[1:-1])
    degree = np.diff(adjacency.indptr).astype(np.int64)
    bit = np.empty(size, dtype=np.int64)
    component = connected_components(adjacency, directed=False)[1] if size else np.empty(0, dtype=np.int64)
    for members in places_by_label(component):
        order = _degeneracy_order(members, around, degree)
        bit[order] = np.arange(len(order))
        yield order.tolist(), [_bits(bit[around[node]], len(order)) for node in order.tolist()]


def _degeneracy_order(members: Ints, around: list[Ints], degree: Ints) -> Ints:
    """Again and again the node with the fewest neighbours among those left; `degree` is used up."""
    order = np.empty_like(members)
    for place in range(len(members)):
        node = members[degree[members].argmin()]
        order[place] = node
        degree[around[node]] -= 1
        degree[node] = _TAKEN
    return order


def _bits(places: Ints, size: int) -> int:
    flags = np.zeros(size, dtype=bool)
    flags[places] = True
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
