"""The linear relaxation of clique partitioning, in HiGHS: rows come and go, bounds are weak duality's.

Columns are pairs, `x` 1 for two nodes in one cluster; the objective is that of Vadrevu et al. (2021), Eq. 1. Rows are
the star inequalities that the search has met broken (`trustnlp.graphs.solver.star_cuts`).
"""

from __future__ import annotations

import highspy
import numpy as np
from numpy.typing import NDArray

from trustnlp.graphs.pair_graph import Floats64, PairGraph
from trustnlp.graphs.solver.certificate import Fixed
from trustnlp.graphs.solver.must_links import typical_weight
from trustnlp.graphs.solver.star_cuts import Star, coefficients

_WIDE = 1e3  # largest over typical weight: from here on the typical one is the unit of the relaxation
_SLACK = 0.05  # rows further from their bound than this leave the relaxation
_INTEGRAL = 1e-6


class Relaxation:
    """The linear program over the pairs with the inequalities found so far, its weights scaled to about 1."""

    def __init__(self, graph: PairGraph, forced: bool) -> None:
        self._graph = graph
        largest, typical = float(np.abs(graph.weights).max()), typical_weight(graph)
        self._scale = largest if largest <= _WIDE * typical else typical
        # A pair against which speaks more than for all clusters together is apart, however much more, unless forced.
        least = -np.inf if forced else -float(graph.weights[graph.weights > 0].sum())
        self._weights = np.maximum(graph.weights, least) / self._scale
        edges, nodes = len(graph.weights), len(graph)
        self._column = np.full((nodes, nodes), -1)
        self._column[graph.left, graph.right] = self._column[graph.right, graph.left] = np.arange(edges)
        self._lower, self._upper = np.zeros(edges), np.ones(edges)
        self._stars: list[Star] = []
        self._rows: list[tuple[NDArray[np.int32], Floats64]] = []
        self.rounds = self.cuts = 0
        self._highs = highspy.Highs()
        # One thread and one seed: the same partition every time.
        options = {"output_flag": False, "threads": 1, "random_seed": 1, "presolve": "off"}
        for name, option in options.items():
            self._highs.setOptionValue(name, option)
        self._highs.addVars(edges, self._lower, self._upper)
        self._highs.changeColsCost(edges, np.arange(edges, dtype=np.int32), -self._weights)

    def fix(self, fixed: Fixed) -> None:
        """Set the bounds of the variables to these decisions, and to no others."""
        lower, upper = np.zeros_like(self._lower), np.ones_like(self._upper)
        for u, v, together in fixed:
            column = self._column[u, v]
            lower[column] = upper[column] = float(together)
        changed = np.flatnonzero((lower != self._lower) | (upper != self._upper)).astype(np.int32)
        if len(changed):
            self._highs.changeColsBounds(len(changed), changed, lower[changed], upper[changed])
        self._lower, self._upper = lower, upper

    def solve(self, seconds: float) -> str:
        self._highs.setOptionValue("time_limit", self._highs.getRunTime() + max(seconds, 0.0))
        self._highs.run()
        self.rounds += 1
        status = self._highs.getModelStatus()
        if status == highspy.HighsModelStatus.kOptimal:
            return "optimal"
        return "infeasible" if status == highspy.HighsModelStatus.kInfeasible else "stopped"

    def x(self) -> Floats64:
        """`(N, N)` the solution, 0 where pairs are absent."""
        values: Floats64 = np.append(np.clip(self._values(), 0.0, 1.0), 0.0)
        return np.asarray(values[self._column])

    def bound(self) -> tuple[float, dict[Star, float]]:
        """The bound that the multipliers of this solution prove, by weak duality, and the multipliers."""
        dual = np.array(self._highs.getSolution().row_dual)
        left_over, total = self._weights.copy(), 0.0
        multipliers = {}
        for row in np.flatnonzero(dual < 0):
            columns, signs = self._rows[row]
            left_over[columns] += dual[row] * signs
            total -= dual[row]
            multipliers[self._stars[row]] = -dual[row] * self._scale
        total += float(np.maximum(left_over * self._lower, left_over * self._upper).sum())
        return total * self._scale, multipliers

    def add(self, stars: list[Star]) -> int:
        """Add the inequalities that are not there yet; how many those are."""
        there = set(self._stars)
        new = [star for star in dict.fromkeys(stars) if star not in there]
        rows = [self._row(star) for star in new]
        if new:
            starts = np.cumsum([0, *(len(columns) for columns, _ in rows)])[:-1].astype(np.int32)
            columns = np.concatenate([columns for columns, _ in rows])
            signs = np.concatenate([signs for _, signs in rows])
            self._highs.addRows(
                len(new), np.full(len(new), -highspy.kHighsInf), np.ones(len(new)), len(columns), starts, columns, signs
            )
        self._stars += new
        self._rows += rows
        self.cuts += len(new)
        return len(new)

    def drop_slack_rows(self) -> None:
        """Take out inequalities that the present solution is far from breaking."""
        values = np.array(self._highs.getSolution().row_value)
        slack = np.flatnonzero(values < 1 - _SLACK).astype(np.int32)
        if len(slack):
            self._highs.deleteRows(len(slack), slack)
            gone = set(slack.tolist())
            self._stars = [star for row, star in enumerate(self._stars) if row not in gone]
            self._rows = [entries for row, entries in enumerate(self._rows) if row not in gone]

    def most_fractional(self) -> tuple[int, int] | None:
        """The pair whose variable is nearest to one half; None if all are whole."""
        values = self._values()
        distance = np.abs(values - 0.5)
        pair = int(distance.argmin())
        if distance[pair] >= 0.5 - _INTEGRAL:
            return None
        return int(self._graph.left[pair]), int(self._graph.right[pair])

    def _values(self) -> Floats64:
        return np.array(self._highs.getSolution().col_value)

    def _row(self, star: Star) -> tuple[NDArray[np.int32], Floats64]:
        entries = [(self._column[u, v], sign) for u, v, sign in coefficients(star)]
        columns_there = [(column, sign) for column, sign in entries if column >= 0]
        return (
            np.array([column for column, _ in columns_there], dtype=np.int32),
            np.array([sign for _, sign in columns_there], dtype=float),
        )
