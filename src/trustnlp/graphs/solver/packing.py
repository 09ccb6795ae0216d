"""Clique partitioning as set packing: over maximal cliques that may be broken up, or over all cliques.

Phase 2 of xER (Vadrevu et al. 2021, §4.2.2, Eqs. 9-12) and the set packing it is compared with (Eqs. 6-8). Both are
solved by HiGHS through `scipy.optimize.milp`; the paper uses Gurobi. A pair without an edge is never in one cluster.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, milp
from scipy.sparse import coo_array

from trustnlp.graphs.cliques import count_cliques, maximal_cliques
from trustnlp.graphs.pair_graph import Floats64, GraphError, Ints, PairGraph

_STATUS: dict[int, Literal["optimal", "time_limit"]] = {0: "optimal", 1: "time_limit"}
Triplets = tuple[Ints, Ints, Floats64]  # rows, columns and values of a sparse matrix


@dataclass(frozen=True, eq=False)
class Packing:
    """A partition found by an integer program.

    Attributes
    ----------
    labels
        `(N,)` cluster of each node, counted from 0 in the order of the clusters' first nodes.
    value
        Weight of the partition (Eq. 1), summed from the labels.
    bound
        No partition that the program allows weighs more; equal to `value`, up to 1e-6, where `status` is `optimal`.
    status
        `time_limit` where the solver stopped before it had a proof. If it had no solution either, each node is alone.
    columns, rows
        Size of the program: variables and constraints.
    seconds
        Wall time with the listing of the cliques and the building of the program.
    """

    labels: Ints
    value: float
    bound: float
    status: Literal["optimal", "time_limit"]
    columns: int
    rows: int
    seconds: float


def quadratic_set_packing(
    graph: PairGraph, partitions: int, time_limit: float, *, most_columns: int = 2_000_000
) -> Packing:
    """The paper's generalised set packing over maximal cliques, linearised (QSP, Eqs. 9-12; LSP in §4.2.2).

    Each product y_imk · y_jmk of Eq. 10 becomes a variable a with a ≤ y_imk, a ≤ y_jmk and a ≥ y_imk + y_jmk - 1. The
    paper names the linearised program without printing it; this is the common one, exact for binary y. Eq. 11 is an
    inequality: a node that no partition takes is alone.

    The bound M on the partitions per clique can cut off the optimum: where more than M of its clusters lie in a maximal
    clique and in no other. Half the number of nodes is always enough, since a partition of one node is never needed.

    Parameters
    ----------
    partitions
        M; the paper takes 10 for its benchmarks and for weights of +1 and -1, else 3.
    time_limit
        Seconds from the call; HiGHS looks at its clock between steps and may end later.
    most_columns
        Refuse larger programs, before they are built. Two million columns take about five gigabytes.

    Raises
    ------
    GraphError
        If there are no partitions, no time, or a program with more columns than `most_columns`.
    """
    start = time.perf_counter()
    _check_time(time_limit)
    if partitions < 1:
        raise GraphError(f"a clique is broken into at least one partition, got partitions={partitions}")
    columns, cliques = len(graph.weights), []
    for clique in maximal_cliques(graph):
        cliques.append(clique)
        columns += partitions * len(clique) * (len(clique) + 1) // 2
        if columns > most_columns:
            raise GraphError(
                f"with {partitions} partitions per clique the program has more than {most_columns:,} columns: "
                f"{columns:,} after {len(cliques):,} maximal cliques; raise the threshold on the weights or lower M"
            )
    integral, constraints = _linearised(graph, cliques, partitions)
    cost = np.zeros(columns)
    cost[: len(graph.weights)] = -graph.weights
    result = _solve(cost, integral, constraints, time_limit - (time.perf_counter() - start))
    together = np.zeros(0, dtype=np.int64) if result.x is None else np.flatnonzero(result.x[: len(graph.weights)] > 0.5)
    return _packing(graph, graph.components(together), result, constraints, start)


def set_packing(graph: PairGraph, time_limit: float, *, most_cliques: int = 2_000_000) -> Packing:
    """Traditional set packing over all cliques (SPP, Eqs. 6-8), single nodes among them since Eq. 7 is an equality.

    Parameters
    ----------
    time_limit
        As in `quadratic_set_packing`.
    most_cliques
        Refuse graphs with more cliques, each a column of the program. They are counted before they are listed.

    Raises
    ------
    GraphError
        If there is no time, or more cliques than `most_cliques`.
    """
    start = time.perf_counter()
    _check_time(time_limit)
    if count_cliques(graph, smallest=1, limit=most_cliques) is None:
        raise GraphError(
            f"the graph has more than {most_cliques:,} cliques, and each is a column; raise the threshold on the "
            "weights, or solve over maximal cliques (quadratic_set_packing)"
        )
    cliques, weights = _all_cliques(graph)
    sizes = np.array([len(clique) for clique in cliques], dtype=np.int64)
    member = np.fromiter((node for clique in cliques for node in clique), dtype=np.int64, count=int(sizes.sum()))
    sets = np.repeat(np.arange(len(cliques)), sizes)
    incidence = coo_array((np.ones(len(member)), (member, sets)), shape=(len(graph), len(cliques))).tocsc()
    constraints = LinearConstraint(incidence, 1, 1)
    result = _solve(-weights, np.ones(len(cliques)), constraints, time_limit - (time.perf_counter() - start))
    labels = np.arange(len(graph))
    if result.x is not None:
        chosen = result.x[sets] > 0.5
        first = np.array([clique[0] for clique in cliques], dtype=np.int64)
        labels[member[chosen]] = first[sets[chosen]]
    return _packing(graph, labels, result, constraints, start)


def _linearised(graph: PairGraph, cliques: list[tuple[int, ...]], partitions: int) -> tuple[Floats64, LinearConstraint]:
    """Which columns are whole numbers; and the rows, Eq. 10 for each edge, Eq. 11 for each node, three per product.

    Columns: z of each edge; then for each clique and partition y of its nodes and the products of its pairs. A pair
    that shares no clique has z = 0 by Eq. 10, and no column.
    """
    nodes, edges = len(graph), len(graph.weights)
    keys = graph.left * nodes + graph.right
    blocks: list[Triplets] = [(np.arange(edges), np.arange(edges), np.ones(edges))]
    integral = [np.zeros(edges)]
    column, row = edges, edges + nodes
    for clique in cliques:
        member = np.array(clique, dtype=np.int64)
        first, second = np.triu_indices(len(member), 1)
        edge = np.searchsorted(keys, member[first] * nodes + member[second])
        for _ in range(partitions):
            y, product = column + np.arange(len(member)), column + len(member) + np.arange(len(first))
            blocks += [(edge, product, np.full(len(edge), -1.0)), (edges + member, y, np.ones(len(member)))]
            blocks.append(_product_rows(row, product, y[first], y[second]))
            integral += [np.ones(len(member)), np.zeros(len(first))]
            column += len(member) + len(first)
            row += 3 * len(first)
    rows, columns, values = (np.concatenate(part) for part in zip(*blocks, strict=True))
    matrix = coo_array((values, (rows, columns)), shape=(row, column)).tocsc()
    low, high = np.full(row, -np.inf), np.ones(row)
    low[:edges] = high[:edges] = 0
    products = high[edges + nodes :].reshape(-1, 3)
    products[:, :2] = 0
    return np.concatenate(integral), LinearConstraint(matrix, low, high)


def _product_rows(row: int, product: Ints, one: Ints, other: Ints) -> Triplets:
    """a - y_i <= 0, a - y_j <= 0, y_i + y_j - a <= 1 for each product, from row `row` on."""
    base = row + 3 * np.arange(len(product))
    rows = np.concatenate([base, base, base + 1, base + 1, base + 2, base + 2, base + 2])
    columns = np.concatenate([product, one, product, other, one, other, product])
    return rows, columns, np.repeat([1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0], len(product))


def _all_cliques(graph: PairGraph) -> tuple[list[tuple[int, ...]], Floats64]:
    """Every clique with its weight, grown by nodes that come later in the order of the graph."""
    near = graph.neighbours
    later = [{other for other in around if other > node} for node, around in enumerate(near)]
    cliques, weights = [], []
    stack: list[tuple[tuple[int, ...], set[int], float]] = [((node,), later[node], 0.0) for node in range(len(graph))]
    while stack:
        clique, extending, weight = stack.pop()
        cliques.append(clique)
        weights.append(weight)
        for node in extending:
            added = sum(near[node][member] for member in clique)
            stack.append(((*clique, node), extending & later[node], weight + added))
    return cliques, np.array(weights)


def _solve(cost: Floats64, integral: Floats64, constraints: LinearConstraint, seconds: float) -> OptimizeResult:
    """Minimise over variables from 0 to 1, to a gap of zero."""
    options = {"time_limit": max(seconds, 0.01), "mip_rel_gap": 0.0}
    if not len(cost):
        return OptimizeResult(x=np.zeros(0), status=0, mip_dual_bound=0.0)
    result = milp(cost, integrality=integral, bounds=Bounds(0, 1), constraints=constraints, options=options)
    if result.status not in _STATUS:
        raise GraphError(f"HiGHS ended without an answer: {result.message}")
    return result


def _packing(
    graph: PairGraph, labels: Ints, result: OptimizeResult, constraints: LinearConstraint, start: float
) -> Packing:
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    value, bound = graph.value(labels), float(graph.weights[graph.weights > 0].sum())
    if result.mip_dual_bound is not None:
        bound = min(bound, -float(result.mip_dual_bound))
    rows, columns = constraints.A.shape
    seconds = time.perf_counter() - start
    return Packing(labels, value, max(bound, value), _STATUS[result.status], columns, rows, seconds)


def _check_time(time_limit: float) -> None:
    if not time_limit > 0:
        raise GraphError(f"a time limit is a number of seconds above 0, got {time_limit}")
