"""How many of the `C(N, m)` ways to pick `m` of `N` scores reach a given sum, without listing them.

Both algorithms below start from the best pick, the `m` largest scores, and count by what other picks lose
against it. Put a pivot `c` between the `m`-th and the next score. A pick that gives up the set `R` of the top
scores for an equally large set `Q` of the others has the sum `best - Σ_R (u - c) - Σ_Q (c - u)`: with the
*losses* `a = u - c ≥ 0` of the top and `b = c - u ≥ 0` of the rest,

    sum(pick) ≥ threshold   ⇔   Σ_R a + Σ_Q b ≤ best - threshold =: budget.

So the count is `Σ_j #{(R, Q): |R| = |Q| = j, Σ_R a + Σ_Q b ≤ budget}`: two small problems, joined by size and
sum. The budget cuts off most of both when the threshold is extreme, and where the other tail is the smaller
one, that tail is counted instead.

`count_exactly` lists and sorts the subset sums of both sides (meet in the middle): exact, `2^25` sums a side
for 25 of 50. `count_on_grid` rounds the losses to multiples of a small unit, which turns both sides into
histograms, and proves from the roundings a lower and an upper bound for the true count.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats64 = NDArray[np.float64]

# Cells of the first grid and the most that are tried. 2^17 cells take about a second for 32 of 64.
_FIRST_CELLS = 1 << 11
_MOST_CELLS = 1 << 17
# Subset sums from which threads pay, and the number of threads at most.
_WORTH_THREADS = 1 << 21
_MOST_THREADS = 4
# Needles that are searched in one go.
_BLOCK = 4096
# Counts up to here are held as integers, and beyond as float64 with a bound on its error.
_INT64 = 2**63 - 1


@dataclass(frozen=True)
class Losses:
    """A counting problem: losses `a` `(m,)` and `b` `(N - m,)`, ascending and not negative, and the budget."""

    a: Floats64
    b: Floats64
    budget: float

    @property
    def feasible(self) -> int:
        """The largest number of swaps `j` that the budget can pay for; -1 when it is negative."""
        if self.budget < 0:
            return -1
        most = min(len(self.a), len(self.b))
        return int(np.count_nonzero(np.cumsum(self.a[:most] + self.b[:most]) <= self.budget))

    @property
    def sums(self) -> int:
        """How many subset sums `count_exactly` would list at most."""
        sizes = range(self.feasible + 1)
        return sum(math.comb(len(self.a), j) + math.comb(len(self.b), j) for j in sizes)


def losses(scores: Floats64, size: int, threshold: float) -> Losses:
    """The counting problem of "`size` of the `scores` sum to `threshold` or more"."""
    ordered = np.sort(scores)[::-1]
    top, rest = ordered[:size], ordered[size:]
    pivot = (top[-1] + rest[0]) / 2
    a, b = (top - pivot)[::-1], pivot - rest
    budget = float(top.sum() - threshold)
    # A loss that the budget cannot pay together with the cheapest of the other side occurs in no counted pick.
    return Losses(a[a + b[0] <= budget], b[b + a[0] <= budget], budget)


def count_exactly(problem: Losses) -> int:
    """The count, exactly, from sorted subset sums of both sides. Memory: two size classes a thread."""
    most = problem.feasible
    a_sums, b_sums = _SubsetSums(problem.a, most), _SubsetSums(problem.b, most)

    def hits(j: int) -> int:
        left = a_sums.affordable(j, problem.budget - float(problem.b[:j].sum()))
        right = b_sums.affordable(j, problem.budget - float(problem.a[:j].sum()))
        # Ascending needles: neighbouring searches touch the same memory.
        return _sum_of_ranks(left, problem.budget - right[::-1])

    sizes = range(most + 1)
    if problem.sums < _WORTH_THREADS:
        return sum(map(hits, sizes))
    # numpy releases the interpreter lock while it sorts and searches.
    with ThreadPoolExecutor(max_workers=min(_MOST_THREADS, os.cpu_count() or 1)) as pool:
        return sum(pool.map(hits, sizes))


def _sum_of_ranks(ordered: Floats64, needles: Floats64) -> int:
    """`Σ_t #{s ≤ t}` over `needles` t and `ordered` s, both ascending."""
    if len(needles) <= _BLOCK:
        return int(ordered.searchsorted(needles, side="right").sum())
    # A block of needles meets a short stretch of `ordered`, which stays in the cache.
    edges = [*ordered.searchsorted(needles[::_BLOCK], side="right").tolist(), len(ordered)]
    total = 0
    for block, (start, stop) in enumerate(pairwise(edges)):
        part = needles[block * _BLOCK : (block + 1) * _BLOCK]
        total += start * len(part) + int(ordered[start:stop].searchsorted(part, side="right").sum())
    return total


class _SubsetSums:
    """Sums of the subsets of up to `most` of the `values`, made when asked for, from the tables of two halves."""

    def __init__(self, values: Floats64, most: int) -> None:
        # Every other value: neither half is all cheap or all dear.
        self._low, self._high = _sums_by_size(values[::2], most), _sums_by_size(values[1::2], most)

    def affordable(self, size: int, limit: float) -> Floats64:
        """Sums `(n,)` of the subsets of `size` values that do not exceed `limit`, ascending."""
        tables = []
        for part in range(max(0, size - len(self._high) + 1), min(size, len(self._low) - 1) + 1):
            low, high = self._low[part], self._high[size - part]
            if low[-1] + high[-1] > limit:
                # Rows and columns of the table of sums that start beyond the limit are left out.
                low = low[: low.searchsorted(limit - high[0], side="right")]
                high = high[: high.searchsorted(limit - low[0], side="right")] if len(low) else high
            tables.append((low, high))
        ends = np.cumsum([0, *(len(low) * len(high) for low, high in tables)]).tolist()
        sums = np.empty(ends[-1])
        for (low, high), (start, stop) in zip(tables, pairwise(ends), strict=True):
            np.add(low[:, None], high, out=sums[start:stop].reshape(len(low), len(high)))
        sums.sort()
        return sums[: sums.searchsorted(limit, side="right")]


def _sums_by_size(values: Floats64, most: int) -> list[Floats64]:
    """`table[k]` `(C(n, k),)`: sums of the `k`-subsets of `n` values, ascending, for `k` up to `most`."""
    table = [np.zeros(1)]
    for value in values:
        longer = [sums + value for sums in table]
        grown = [np.concatenate(pair) for pair in zip(table[1:], longer[:-1], strict=True)]
        table = [table[0], *grown, longer[-1]][: most + 1]
    for sums in table:
        sums.sort()
    return table


def all_sums(scores: Floats64, size: int) -> Floats64:
    """`(C(N, size),)` the sums of every pick of `size` of the `N` scores, ascending."""
    left_out = len(scores) - size
    if size <= left_out:
        return _SubsetSums(scores, size).affordable(size, math.inf)
    sums: Floats64 = scores.sum() - _SubsetSums(scores, left_out).affordable(left_out, math.inf)[::-1]
    return sums


def count_on_grid(problem: Losses, rtol: float, subtract_from: int | None = None) -> tuple[int, int]:
    """Bounds `(low, high)` of the count with `high - low ≤ rtol · count` where the grid can be made
    fine enough, and in any case with `low ≤ count ≤ high`.

    Write each loss as `unit · (k + r)`, `k` the nearest integer and `|r| ≤ 1/2`. A pick that swaps `j` and `j`
    is counted if `Σk + Σr ≤ budget / unit`. Its `Σr` lies between the sum of the `j` smallest and that of the
    `j` largest `r` of `a`, plus the same for `b`. So `Σk ≤ budget/unit - (largest)` proves that it counts, and
    `Σk > budget/unit - (smallest)` that it does not. Numbers of picks by `j` and `Σk` are histograms that one
    pass over the losses fills for `a` and for `b`. Bounds from several grids all hold, so the best are kept.

    Parameters
    ----------
    problem
        What to count.
    rtol
        Relative width aimed at.
    subtract_from
        A total that the count will be subtracted from: the width is then relative to the difference.
    """
    if problem.feasible < 1:
        return (problem.feasible + 1,) * 2
    low, high = 0, math.comb(len(problem.a) + len(problem.b), len(problem.a))
    cells = _FIRST_CELLS
    while True:
        new_low, new_high = _bounds(problem, cells)
        low, high = max(low, new_low), min(high, new_high)
        wanted = rtol * (low if subtract_from is None else subtract_from - high)
        if high - low <= wanted or cells >= _MOST_CELLS:
            return low, high
        # The width falls as one over the number of cells.
        factor = 1.2 * (high - low) / wanted if wanted else 8.0
        cells = min(_MOST_CELLS, math.ceil(cells * min(max(factor, 1.5), 64.0)))


def _bounds(problem: Losses, cells: int) -> tuple[int, int]:
    """Bounds of the count from one grid of `budget / cells`."""
    unit = problem.budget / cells or 1.0  # budget 0: all losses left are 0
    most = problem.feasible
    exact = [side / unit for side in (problem.a, problem.b)]
    rounded = [np.rint(side).astype(np.int64) for side in exact]
    rests = [np.sort(side - whole) for side, whole in zip(exact, rounded, strict=True)]
    swaps = np.arange(most + 1)
    cheapest, dearest = (
        sum(np.concatenate([[0.0], np.cumsum(rest)])[swaps] for rest in ordered)
        for ordered in (rests, [rest[::-1] for rest in rests])
    )
    # The losses, their rests and the sums of them carry rounding errors of float64; this is far above them.
    slack = 16 * np.finfo(np.float64).eps * (len(problem.a) + len(problem.b)) * cells
    certain = np.floor(cells - dearest - slack).astype(np.int64)
    possible = np.floor(cells - cheapest + slack).astype(np.int64)
    floors = [np.concatenate([[0], np.cumsum(whole)])[swaps] for whole in rounded]
    picks = math.comb(len(problem.a) + len(problem.b), len(problem.a))
    integers = picks <= _INT64
    left, right = (
        _histograms(whole, possible - other, integers) for whole, other in zip(rounded, floors[::-1], strict=True)
    )
    low: int | float = 0
    high: int | float = 0
    for j in range(most + 1):
        reached = np.cumsum(right[j], dtype=np.int64 if integers else np.float64)
        low += _pairs(left[j], reached, int(certain[j]))
        high += _pairs(left[j], reached, int(possible[j]))
    if integers:
        return int(low), int(high)
    # Sums of non-negative float64 numbers: one relative error of eps an addition at most.
    error = 4 * np.finfo(np.float64).eps * (len(problem.a) + len(problem.b) + 4 * cells)
    return max(1, math.floor(low * (1 - error))), math.ceil(high * (1 + error))


def _histograms(values: NDArray[np.int64], caps: NDArray[np.int64], integers: bool) -> list[NDArray[Any]]:
    """`rows[j][s]`: how many `j`-subsets of the ascending `values` sum to `s`, for `s` up to `caps[j]`."""
    most = len(caps) - 1
    # A row feeds the next one, so it must reach at least as far.
    caps = np.maximum(np.maximum.accumulate(caps[::-1])[::-1], 0)
    largest = max(math.comb(len(values), j) for j in range(most + 1))
    dtype = np.float64 if not integers else np.uint32 if largest < 2**32 else np.int64
    rows = [np.zeros(cap + 1, dtype) for cap in caps]
    rows[0][0] = 1
    floor = np.concatenate([[0], np.cumsum(values)])
    reach = [0] + [-1] * most
    for taken, value in enumerate(values.tolist()):
        # From many to few, so that this value enters each subset once, and the sums are added in place.
        for j in range(min(taken + 1, most), 0, -1):
            start, stop = int(floor[j - 1]), min(reach[j - 1], int(caps[j]) - value)
            if start <= stop:
                rows[j][start + value : stop + value + 1] += rows[j - 1][start : stop + 1]
                reach[j] = max(reach[j], stop + value)
    return rows


def _pairs(left: NDArray[Any], reached: NDArray[Any], limit: int) -> int | float:
    """Number of pairs with `s + t ≤ limit`: `left[s]` on one side, `reached[t]` up to `t` on the other."""
    if limit < 0:
        return 0
    left = left[: limit + 1].astype(reached.dtype)
    full = max(0, min(len(left), limit - len(reached) + 1))  # every t goes with these s
    partner = reached[limit - len(left) + 1 : limit - full + 1][::-1]
    total = left[:full].sum() * reached[-1] + left[full:] @ partner
    pairs: int | float = total.item()
    return pairs
