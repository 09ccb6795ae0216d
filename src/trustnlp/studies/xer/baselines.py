"""The paper's direct program as printed, with every transitivity constraint from the start, in HiGHS.

Vadrevu et al. (2021, Eqs. 1-5) say of it that it "does not scale". This is that program and nothing else: no constraint
is left out until it is broken, as `trustnlp.graphs.solver.integer_program` does.
`trustnlp.graphs.solver.second_opinion` has the same program in CP-SAT.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from trustnlp.graphs.pair_graph import PairGraph
from trustnlp.graphs.solver.second_opinion import transitivity


def solve_all_at_once(graph: PairGraph, time_limit: float) -> tuple[float, float, bool]:
    """Weight of the partition found, the bound proven, and whether they are proven equal.

    Without a solution every node is alone; without a bound it is infinite. HiGHS may overrun the limit.

    Raises
    ------
    GraphError
        If there are more constraints than `trustnlp.graphs.solver.second_opinion.MOST_CONSTRAINTS`.
    """
    triangles = transitivity(graph)
    rows, signs = np.arange(len(triangles)), np.array([1.0, 1.0, -1.0])
    there = (triangles >= 0).ravel()
    matrix = coo_array(
        (np.tile(signs, len(rows))[there], (np.repeat(rows, 3)[there], triangles.ravel()[there])),
        shape=(len(rows), len(graph.weights)),
    )
    solution = milp(
        -graph.weights, integrality=np.ones(len(graph.weights)), bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix.tocsc(), -np.inf, 1),
        options={"time_limit": time_limit, "mip_rel_gap": 0.0},
    )  # fmt: skip
    together = np.zeros(len(graph.weights), dtype=bool) if solution.x is None else solution.x > 0.5
    proven = solution.get("mip_dual_bound")
    return graph.value(graph.components(together)), np.inf if proven is None else -float(proven), solution.status == 0
