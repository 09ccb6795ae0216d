"""Weighted graphs of scored pairs, the input of clique partitioning (Vadrevu et al. 2021, §2)."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from trustnlp.files.missing_values import text_or_none
from trustnlp.files.same_rows import check_no_tensors, in_one_order

Absent = Literal["never", "zero"]
"""What a pair without an edge means: `never` in one cluster (the cliques of xER), or weight `zero`."""

Ints = NDArray[np.int64]
Floats64 = NDArray[np.float64]
MOST_NODES_IN_MATRIX = 5_000
_RAISED = str.maketrans("12345", "¹²³⁴⁵")
_POINT = re.compile(r"(-?\d+)\.0*")
_SAME = 1e-12  # of a pair scored in both directions


class GraphError(ValueError):
    """The pairs do not make a graph that can be partitioned."""


@dataclass(frozen=True, eq=False)
class PairGraph:
    """Mentions and the weights of their scored pairs.

    Attributes
    ----------
    ids
        Name of each of the `N` nodes, any hashable; nodes are counted in this order.
    left, right
        `(E,)` end nodes of each edge as positions in `ids`, `left < right`, sorted, no pair twice.
    weights
        `(E,)` above 0 where the pair looks like one entity, below 0 where it does not.
    """

    ids: tuple[Hashable, ...]
    left: Ints
    right: Ints
    weights: Floats64

    @classmethod
    def from_pairs(
        cls,
        left: Sequence[Hashable] | NDArray[Any] | pd.Series,
        right: Sequence[Hashable] | NDArray[Any] | pd.Series,
        weights: ArrayLike,
        nodes: Iterable[Hashable] = (),
    ) -> PairGraph:
        """A graph of named pairs; names need be neither numbers nor contiguous.

        >>> graph = PairGraph.from_pairs(["Ada", "Ada"], ["A. L.", "Bob"], [0.9, -0.4])
        >>> graph.ids, graph.weights.tolist()
        (('Ada', 'A. L.', 'Bob'), [0.9, -0.4])

        Parameters
        ----------
        nodes
            Nodes to count first, in this order; those without an edge stay as clusters of one. Nodes met in the pairs
            alone follow in the order of their first appearance.

        Raises
        ------
        GraphError
            If given columns of different length, a missing id, a node named twice, a weight that is not finite, a node
            paired with itself, ids that are one number in two forms (2 and "2", "2" and "2.0"), or a pair that stands
            twice with different weights (twice with the same, but for rounding, it counts once, with the first);
            weights that are no real numbers, or add up to more than a float holds; Series with other labels.
        """
        check_no_tensors(left=left, right=right)
        try:
            left, right, weights = in_one_order(left=left, right=right, weights=weights)
        except ValueError as error:
            raise GraphError(str(error)) from None
        weight = _floats(weights)
        if not len(left) == len(right) == weight.size or weight.ndim != 1:
            raise GraphError(
                f"pairs need as many left ids as right ids and weights, got {len(left)}, {len(right)} and "
                f"{weight.shape}"
            )
        named = list(nodes)
        if len(set(named)) < len(named):
            raise GraphError("a node stands twice in the list of nodes")
        codes, ids = _numbered(named, left, right)
        if (codes < 0).any():
            raise GraphError("an id is missing (NaN or None)")
        check_one_form(ids)
        ends = codes[len(named) :].reshape(-1, 2)
        _check_weights(ids, ends, weight)
        ends = np.sort(ends, axis=1)
        order = np.lexsort((ends[:, 1], ends[:, 0]))
        ends, weight = ends[order], weight[order]
        same = (ends[1:] == ends[:-1]).all(axis=1)
        if (bad := np.flatnonzero(same & ~np.isclose(weight[1:], weight[:-1], rtol=_SAME, atol=_SAME))).size:
            at = bad[0]
            raise GraphError(
                f"the pair ({ids[ends[at, 0]]!r}, {ids[ends[at, 1]]!r}) stands twice with different weights, "
                f"{weight[at]:g} and {weight[at + 1]:g}; keep one of them"
            )
        keep = np.r_[True, ~same][: len(ends)]
        return cls(ids, ends[keep, 0], ends[keep, 1], weight[keep])

    @classmethod
    def from_matrix(cls, weights: ArrayLike) -> PairGraph:
        """The graph of a symmetric `(N, N)` matrix; NaN marks an absent pair, the diagonal is not read."""
        matrix = _floats(weights)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise GraphError(f"a matrix of weights is square, got {matrix.shape}")
        left, right = np.triu_indices(len(matrix), 1)
        if not np.allclose(matrix[left, right], matrix[right, left], rtol=_SAME, atol=_SAME, equal_nan=True):
            raise GraphError("a matrix of weights is symmetric")
        there = ~np.isnan(matrix[left, right])
        left, right = left[there], right[there]
        return cls.from_pairs(left, right, matrix[left, right], nodes=range(len(matrix)))

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def places(self) -> dict[Hashable, int]:
        """Position of each id."""
        return {name: place for place, name in enumerate(self.ids)}

    @property
    def edges(self) -> Iterator[tuple[int, int, float]]:
        """Positions of the two nodes, the smaller first, and weight of each edge."""
        return zip(self.left.tolist(), self.right.tolist(), self.weights.tolist(), strict=True)

    @cached_property
    def neighbours(self) -> list[dict[int, float]]:
        """For each node its neighbours and the weights of the edges to them."""
        near: list[dict[int, float]] = [{} for _ in self.ids]
        for u, v, weight in self.edges:
            near[u][v] = near[v][u] = weight
        return near

    def matrix(self) -> Floats64:
        """`(N, N)` weights, NaN for absent pairs and on the diagonal.

        Raises
        ------
        GraphError
            If there are more than `MOST_NODES_IN_MATRIX` nodes.
        """
        if len(self) > MOST_NODES_IN_MATRIX:
            raise GraphError(f"a matrix of {len(self):,} nodes is too large; at most {MOST_NODES_IN_MATRIX:,}")
        matrix = np.full((len(self), len(self)), np.nan)
        matrix[self.left, self.right] = matrix[self.right, self.left] = self.weights
        return matrix

    def above(self, threshold: float) -> PairGraph:
        """The graph without the edges whose weight is below `threshold` (blocking, §5.2); every node stays."""
        keep = self.weights >= threshold
        return PairGraph(self.ids, self.left[keep], self.right[keep], self.weights[keep])

    def subgraph(self, nodes: ArrayLike) -> PairGraph:
        """The graph of some nodes (positions, in the order given) and the edges between them."""
        chosen = np.asarray(nodes, dtype=np.int64)
        place = np.full(len(self), -1, dtype=np.int64)
        place[chosen] = np.arange(len(chosen))
        inside = (place[self.left] >= 0) & (place[self.right] >= 0)
        ends = np.sort(np.stack([place[self.left[inside]], place[self.right[inside]]], axis=1), axis=1)
        order = np.lexsort((ends[:, 1], ends[:, 0]))
        ids = tuple(self.ids[node] for node in chosen.tolist())
        return PairGraph(ids, ends[order, 0], ends[order, 1], self.weights[inside][order])

    def components(self, edges: NDArray[np.bool_] | Ints) -> Ints:
        """`(N,)` connected component of each node in the graph that has only these edges (a mask, or positions)."""
        if not len(self):
            return np.empty(0, dtype=np.int64)
        ends = self.left[edges], self.right[edges]
        joined = coo_array((np.ones(len(ends[0])), ends), shape=(len(self), len(self)))
        return np.asarray(connected_components(joined, directed=False)[1], dtype=np.int64)

    def value(self, labels: ArrayLike) -> float:
        """Weight of a partition: the sum over edges inside clusters (Eq. 1)."""
        label = _labels(labels, len(self))
        return float(self.weights[label[self.left] == label[self.right]].sum())

    def absent_inside(self, labels: ArrayLike) -> int:
        """Pairs that share a cluster although they have no edge; 0 for a partition into cliques."""
        label = _labels(labels, len(self))
        sizes = np.unique(label, return_counts=True)[1]
        inside = int((label[self.left] == label[self.right]).sum())
        return int((sizes * (sizes - 1) // 2).sum()) - inside


def places_by_label(labels: Ints) -> list[Ints]:
    """The places of each label, in the order of the labels.

    >>> [places.tolist() for places in places_by_label(np.array([0, 2, 0, 1]))]
    [[0, 2], [3], [1]]
    """
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(labels) else []


def check_one_form(ids: Iterable[Hashable]) -> None:
    """GraphError where an id stands as a number and as text, or with a point and without: two nodes for one record."""
    listed = list(ids)
    doubtful = [name for name in listed if not isinstance(name, str) or _POINT.fullmatch(name)]
    if not any(isinstance(name, str) for name in listed) or not doubtful:
        return
    texts = {name for name in listed if isinstance(name, str)}
    for name in doubtful:
        plain = _POINT.sub(r"\1", name) if isinstance(name, str) else text_or_none(name)
        if isinstance(name, str | int | float | np.number) and plain in texts:
            raise GraphError(
                f"the ids {name!r} and {plain!r} may be one record in two forms; write all ids in one form, or give "
                "records that differ names that differ"
            )


def first_of_each(labels: Ints) -> Ints:
    """For each place the first one that has its label.

    >>> first_of_each(np.array([5, 2, 5])).tolist()
    [0, 1, 0]
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return first[inverse]


def check_exact_ids(*columns: pd.Series) -> None:
    """GraphError where ids are floating-point numbers so large that neighbours are one number: two records in one."""
    for column in columns:
        held = pd.Series(column.cat.categories) if isinstance(column.dtype, pd.CategoricalDtype) else column
        if held.dtype == object and pd.api.types.infer_dtype(held, skipna=True) != "string":
            held = held[held.map(lambda name: isinstance(name, float))].astype(float)
        if not pd.api.types.is_float_dtype(held.dtype):
            continue
        bits = {2: 11, 4: 24}.get(getattr(held.dtype, "itemsize", 8), 53)
        if (large := held[held.abs() >= 2**bits]).size:
            raise GraphError(
                f"the id {large.iloc[0]:.0f} is a floating-point number, which cannot tell whole numbers above "
                f"2{str(bits).translate(_RAISED)} apart; save ids as whole numbers or as text"
            )


def in_one_form(left: pd.Series, right: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Both columns of ids as they are, or as text where one of them holds numbers and the other text."""
    check_exact_ids(left, right)
    kinds = {pd.api.types.is_numeric_dtype(column.dtype) for column in (left, right)}
    if len(kinds) == 2:
        left, right = left.map(text_or_none), right.map(text_or_none)
    check_one_form(pd.unique(pd.concat([left.astype(object), right.astype(object)])))
    return left, right


def _floats(weights: ArrayLike) -> Floats64:
    """Weights as floats; missing ones as NaN."""
    if isinstance(weights, pd.Series) and pd.api.types.is_extension_array_dtype(weights.dtype):
        weights = weights.to_numpy(dtype=object, na_value=np.nan)
    array = np.asarray(weights)
    if array.dtype == object and not any(isinstance(weight, complex | np.complexfloating) for weight in array.flat):
        try:
            array = array.astype(float)
        except (TypeError, ValueError):
            raise GraphError("a weight is no number; weights are real numbers") from None
    if array.dtype.kind not in "fiub":
        raise GraphError(f"weights are real numbers, got {array.dtype}; of complex ones give the part that is meant")
    return array.astype(float)


def _numbered(
    named: Sequence[Hashable],
    left: Sequence[Hashable] | NDArray[Any] | pd.Series,
    right: Sequence[Hashable] | NDArray[Any] | pd.Series,
) -> tuple[Ints, tuple[Hashable, ...]]:
    """The number of each id, of the named and then of both ends of each pair, -1 where it is missing; and the ids."""
    columns = [_as_ids(column) for column in (left, right, *([named] if named else []))]
    if len({column.dtype for column in columns}) > 1:
        columns = [column.astype(object) for column in columns]
    one, other, *first = columns
    every = np.concatenate([*first, np.stack([one, other], axis=1).ravel()])
    codes, unique = pd.factorize(every)
    return codes.astype(np.int64), tuple(unique.tolist())


def _as_ids(values: Sequence[Hashable] | NDArray[Any] | pd.Series) -> NDArray[Any]:
    """Ids as an array: whole numbers as such, anything else as the objects that they are."""
    series = values if isinstance(values, pd.Series) else None
    if series is None and isinstance(values, np.ndarray):
        series = pd.Series(values)
    if series is None:
        array = np.empty(len(values), dtype=object)
        array[:] = list(values)
        return array
    if pd.api.types.is_integer_dtype(series.dtype) and not series.isna().any():
        return np.asarray(series.to_numpy(dtype=np.int64 if series.dtype.kind == "i" else object))
    return np.asarray(series.astype(object))


def _check_weights(ids: Sequence[Hashable], ends: Ints, weights: Floats64) -> None:
    if (bad := np.flatnonzero(~np.isfinite(weights))).size:
        at = bad[0]
        raise GraphError(
            f"the pair ({ids[ends[at, 0]]!r}, {ids[ends[at, 1]]!r}) has the weight {weights[at]}; weights are finite "
            f"numbers ({bad.size} are not)"
        )
    with np.errstate(over="ignore"):
        if not np.isfinite(2 * np.abs(weights).sum()):
            raise GraphError(
                f"the weights add up to more than a float holds (the largest is {np.abs(weights).max():g}); divide all "
                "of them by the same number"
            )
    if (loops := np.flatnonzero(ends[:, 0] == ends[:, 1])).size:
        name = ids[ends[loops[0], 0]]
        raise GraphError(f"{name!r} is paired with itself; a node is always in one cluster with itself")


def _labels(labels: ArrayLike, nodes: int) -> Ints:
    label = np.asarray(labels)
    if label.shape != (nodes,):
        raise GraphError(f"a partition of {nodes} nodes has one label for each, got {label.shape}")
    return np.unique(label, return_inverse=True)[1].astype(np.int64)
