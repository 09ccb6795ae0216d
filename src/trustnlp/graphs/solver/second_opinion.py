"""The integer program of the paper as it stands, in another solver: OR-tools CP-SAT, all transitivity at once.

Vadrevu et al. (2021, Eqs. 1–5) with a variable for every edge and every transitivity constraint from the start. It
shares nothing with `trustnlp.graphs.solver.integer_program`, neither the cuts nor the solver, and so can judge its
optima.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from trustnlp.graphs.pair_graph import GraphError, Ints, PairGraph

STEPS = 10**9
"""CP-SAT counts in whole numbers: weights are rounded to the largest weight divided by this."""
MOST_CONSTRAINTS = 5_000_000


@dataclass(frozen=True, eq=False)
class SecondOpinion:
    """A partition found by CP-SAT, in the terms of the weights that were given.

    Attributes
    ----------
    labels
        `(N,)` cluster of each node, counted from 0 in the order of the clusters' first nodes.
    value
        Weight of the partition (Eq. 1), with the weights as given.
    bound
        No partition weighs more: the bound that CP-SAT proves for the rounded weights, and what rounding took away.
    optimal
        CP-SAT proves that no partition is heavier by the rounded weights. By the weights as given one may be, by at
        most `bound - value`, which is at most `E` times the largest weight / `STEPS`, where `E` is the number of edges.
    seconds
        Wall time with the building of the program.
    """

    labels: Ints
    value: float
    bound: float
    optimal: bool
    seconds: float


def transitivity(graph: PairGraph) -> Ints:
    """Eqs. 2–4 over the edges alone: `(K, 3)` rows `(a, b, c)` of edge numbers that mean x_a + x_b - x_c ≤ 1.

    Edges a and b share a node; c joins their other ends, -1 where that pair is absent, never in one cluster. A
    constraint with an absent pair among a and b always holds and is left out.

    Raises
    ------
    GraphError
        If there are more than `MOST_CONSTRAINTS`.
    """
    nodes, edges = len(graph), np.arange(len(graph.weights))
    start, end = np.concatenate([graph.left, graph.right]), np.concatenate([graph.right, graph.left])
    order = np.argsort(start, kind="stable")
    other, edge = end[order], np.concatenate([edges, edges])[order]
    firsts = np.searchsorted(start[order], np.arange(nodes + 1))
    degree = np.diff(firsts)
    if (count := int((degree * (degree - 1) // 2).sum())) > MOST_CONSTRAINTS:
        raise GraphError(
            f"the program has {count:,} transitivity constraints, at most {MOST_CONSTRAINTS:,} are built at once; "
            "use trustnlp.graphs.partition_graph, which adds those that matter, or raise the threshold on the weights"
        )
    keys = graph.left * nodes + graph.right
    triplets = [np.empty((0, 3), dtype=np.int64)]
    for begin, stop in zip(firsts[:-1].tolist(), firsts[1:].tolist(), strict=True):
        a, b = np.triu_indices(stop - begin, 1)
        ends = np.sort(np.stack([other[begin + a], other[begin + b]]), axis=0)
        key = ends[0] * nodes + ends[1]
        place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        closing = np.where(keys[place] == key, place, -1)
        triplets.append(np.stack([edge[begin + a], edge[begin + b], closing], axis=1))
    return np.concatenate(triplets)


def solve_with_cp_sat(graph: PairGraph, time_limit: float, workers: int = 1) -> SecondOpinion:
    """The heaviest partition into cliques by Eqs. 1–5, or the best that CP-SAT finds in the time.

    Parameters
    ----------
    time_limit
        Seconds from the call; a program that takes longer to build is still searched for an instant.
    workers
        Threads of CP-SAT. With one, the same partition every time that the limit is not reached.

    Raises
    ------
    GraphError
        If there is no time, no workers, or more constraints than `MOST_CONSTRAINTS`.
    ImportError
        If OR-tools is not installed.
    """
    begun = time.perf_counter()
    if not time_limit > 0 or workers < 1:
        raise GraphError(f"a time limit is above 0 seconds, with a worker or more; got {time_limit} and {workers}")
    try:
        from ortools.sat.python import cp_model
    except ImportError as error:
        raise ImportError("a second opinion needs OR-tools: pip install 'trustnlp[graphs]'") from error
    unit = float(np.abs(graph.weights).max(initial=0.0)) / STEPS or 1.0
    rounded = np.rint(graph.weights / unit).astype(np.int64)
    model = cp_model.CpModel()
    x = [model.new_bool_var("") for _ in range(len(rounded))]
    apart = [~variable for variable in x]
    for a, b, c in transitivity(graph).tolist():
        model.add_bool_or(apart[a], apart[b], x[c]) if c >= 0 else model.add_bool_or(apart[a], apart[b])
    model.maximize(cp_model.LinearExpr.weighted_sum(x, rounded.tolist()))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = max(time_limit - (time.perf_counter() - begun), 0.01)
    solver.parameters.num_workers = workers
    solver.parameters.random_seed = 1
    status = solver.solve(model)
    solved = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    together = np.array([solved and solver.boolean_value(variable) for variable in x], dtype=bool)
    labels = graph.components(together)
    value = graph.value(labels)
    lost = np.maximum(graph.weights - rounded * unit, 0.0).sum()
    proven = solver.best_objective_bound if solved else float(np.maximum(rounded, 0).sum())
    bound = max(value, float(proven * unit + lost))
    return SecondOpinion(labels, value, bound, status == cp_model.OPTIMAL, time.perf_counter() - begun)
