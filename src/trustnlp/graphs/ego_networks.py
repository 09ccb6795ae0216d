"""Ego networks of words: the nearest neighbours of one word, and which of them are near each other.

Pelevina et al. (2016), §3.2, after Biemann (2006): if a word has several senses, its neighbours fall into groups that
are tightly linked inside and hardly across, once the word itself (the ego) is left out. Arnold, Yesilbas and Weinzierl
(2023), §3, take the 200 nearest neighbours by cosine.

Weights of edges are cosines, kept as whole multiples of 2⁻²⁰. Sums of whole numbers are exact in any order, so that
a tie of two sums is a tie on every machine and with every number of threads (sensegram has multiples of 10⁻⁴).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

SCALE = 2**20  # 2,047 neighbours at cosine 1 still sum up to less than 2³¹


@dataclass(frozen=True, eq=False)
class NeighbourGraph:
    """The `k` nearest neighbours of each of `V` words.

    Attributes
    ----------
    ids
        `(V, k)` rows of the neighbours, nearest first; int32. A word is not its own neighbour.
    cosines
        `(V, k)` their cosines, float32, in falling order.

    Raises
    ------
    ValueError
        If the shapes differ, `k` is not between 1 and min(V, 2048) - 1, a neighbour is unknown, is the word itself or
        is named twice, or cosines are not finite, rise within a row or lie outside [-1, 1] by more than rounding.
    """

    ids: NDArray[np.int32]
    cosines: NDArray[np.float32]

    def __post_init__(self) -> None:
        shape = np.shape(self.ids)
        if len(shape) != 2 or np.shape(self.cosines) != shape:
            raise ValueError(
                f"ids and cosines need one shape (V, k), got {shape} and {np.shape(self.cosines)}; give both as "
                "the search for neighbours returns them"
            )
        size, k = shape
        if not 1 <= k < min(size, 2048):
            raise ValueError(
                f"{size} words have between 1 and {min(size, 2048) - 1} neighbours each, got k = {k}; ask for fewer "
                "neighbours or give more words"
            )
        ids, cosines = np.asarray(self.ids), np.asarray(self.cosines, dtype=np.float32)
        if not np.issubdtype(ids.dtype, np.integer) or ids.min() < 0 or ids.max() >= size:
            raise ValueError(f"ids are rows from 0 to {size - 1}, got {ids.dtype} from {ids.min()} to {ids.max()}")
        ids = ids.astype(np.int32, copy=False)
        # By blocks: sorting needs a copy, and 100,000 words have 20 million neighbours.
        for start in range(0, size, 4096):
            block = np.sort(ids[start : start + 4096], axis=1)
            own = (ids[start : start + 4096] == np.arange(start, min(start + 4096, size))[:, None]).any(axis=1)
            if (bad := np.flatnonzero(own | (block[:, 1:] == block[:, :-1]).any(axis=1))).size:
                raise ValueError(
                    f"row {start + bad[0]} names itself or one neighbour twice; leave the word itself out of its "
                    "neighbours and name each other word once"
                )
        if not np.isfinite(cosines).all() or np.abs(cosines).max() > 1 + 1e-3:
            raise ValueError("cosines are finite and between -1 and 1; give similarities, not distances")
        if (rises := np.flatnonzero((cosines[:, 1:] > cosines[:, :-1]).any(axis=1))).size:
            raise ValueError(f"cosines of row {rises[0]} rise; sort neighbours, the nearest first")
        object.__setattr__(self, "ids", np.ascontiguousarray(ids))
        object.__setattr__(self, "cosines", np.ascontiguousarray(cosines))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def k(self) -> int:
        """Neighbours per word."""
        return int(self.ids.shape[1])


class EgoNetwork(NamedTuple):
    """The neighbours of one word and their links.

    Attributes
    ----------
    nodes
        `(n,)` rows of the neighbours, nearest to the ego first.
    weights
        `(n, n)` symmetric, int64: cosines in units of 1 / `SCALE`, 0 where there is no edge.
    """

    nodes: NDArray[np.int32]
    weights: NDArray[np.int64]


def in_units(cosines: ArrayLike) -> NDArray[np.int64]:
    """Cosines as whole numbers of units of 1 / `SCALE`, rounded down; those below one unit are 0 and make no edge.

    >>> in_units([0.5, 1e-9, -0.2])
    array([524288,      0,      0])
    """
    # Cosines are float32 and `SCALE` is a power of two: the product is exact.
    exact = np.asarray(cosines, dtype=np.float32) * np.float32(SCALE)
    units: NDArray[np.int64] = np.maximum(np.floor(exact), 0).astype(np.int64)
    return units


def ego_network(graph: NeighbourGraph, row: int, *, edges: int | None = None) -> EgoNetwork:
    """The ego network of one word, for reading and drawing; `cluster_ego_networks` handles many words fast.

    Nodes are the word's neighbours with a positive cosine. Two nodes are joined if one is among the `edges` nearest of
    the other's `k` neighbours that are nodes as well, or the other way round. Where rounding gives an edge two cosines,
    the larger counts.

    Parameters
    ----------
    row
        Row of the ego.
    edges
        How many neighbours a node names at most (`n` of sensegram; it may have more edges, as others name it). None
        allows all `k`. Fewer edges give more and smaller clusters.

    Raises
    ------
    ValueError
        If `row` is not a row of the graph, or `edges` is below 1.

    >>> graph = NeighbourGraph([[1, 2], [2, 0], [1, 0], [0, 1]], [[0.5, 0.25], [0.5, 0.5], [0.5, 0.25], [0.1, 0.1]])
    >>> ego_network(graph, 0).weights / SCALE
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    most = checked_edges(graph, edges)
    if not 0 <= row < len(graph):
        raise ValueError(f"the ego is a row from 0 to {len(graph) - 1}, got {row}")
    nodes = graph.ids[row, graph.cosines[row] > 0]
    place = {int(node): at for at, node in enumerate(nodes)}
    weights = np.zeros((len(nodes), len(nodes)), dtype=np.int64)
    for at, node in enumerate(nodes):
        inside = [
            (place[int(other)], units)
            for other, units in zip(graph.ids[node], in_units(graph.cosines[node]), strict=True)
            if int(other) in place and units > 0
        ]
        for other, units in inside[:most]:
            weights[at, other] = weights[other, at] = max(units, weights[at, other])
    return EgoNetwork(nodes, weights)


def checked_edges(graph: NeighbourGraph, edges: int | None) -> int:
    """How many neighbours a node may name: `edges`, at most `k`."""
    if edges is not None and edges < 1:
        raise ValueError(f"a node of an ego network names at least 1 neighbour, got edges = {edges}")
    return graph.k if edges is None else min(edges, graph.k)
