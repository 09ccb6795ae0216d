"""The exact nearest rows of a table: float32 matrix products propose, float64 decides what float32 cannot.

Approximate search would change a mechanism that ends in a nearest neighbour, so the answer here is that of float64: the
row with the least sum over the coordinates of (vⱼ − qⱼ)², the lowest row among equals.

`ExactSearch` compares S(v) = s (½‖v‖² − q·v) instead: ½ s ‖v − q‖² less a number that depends on q alone. Rows and
queries are centred at the mean row (no distance changes; the cancellation becomes small) and scaled by powers of two:
rows to lengths of at most M ≤ 1, and each query by s ≤ 1 of its own so that no number exceeds 1. Then S is one inner
product of K = d + 1 terms, `[s q, s] · [−v, ½‖v‖²]`.

**Error.** Let u = 2⁻²⁴. Summed in any order, with fused operations or without, an inner product is off by at most
K u / (1 − K u) · Σ|terms|; rounding both factors to float32 adds 2 u Σ|terms|. By Cauchy and Schwarz
Σ|terms| ≤ M (½ s M + ‖s q‖). What underflows, among factors, products and sums, is below 2⁻¹²⁶ each time, also where it
is flushed to zero: (d + 1) 2⁻¹²⁴ in all. Hence

    E₃₂(q) = 1.1 (d + 4) u M (½ s M + ‖s q‖) + (d + 1) 2⁻¹²⁴,

where 1.1 covers 1 / (1 − K u) up to a million dimensions, and the rounding of this formula. The float64 sum of squared
differences is itself off by at most 1.1 (d + 2) 2⁻⁵³ times (‖q‖ + M)², in units of S

    E₆₄(q) = 1.1 · ½ (d + 2) 2⁻⁵³ (‖s q‖ + s M)² / s.

A row whose float32 score exceeds the least one by more than 2 (E₃₂ + E₆₄) is farther in float64, too, than the row with
the least score. All others, few as a rule, are compared in float64.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Floats64 = NDArray[np.float64]
Indices = NDArray[np.int64]
QUERIES_AT_ONCE = 1024
_SCORES_AT_ONCE = 1 << 21  # 8 MB of float32: still in the cache when their minimum is taken
_UNDECIDED_AT_ONCE = 1 << 20
_PAIRS_AT_ONCE = 1 << 12
_LARGEST = 2.0**900
_MOST_DIMENSIONS = 1_000_000
_ROWS_AT_ONCE = 512  # of `k_nearest`
_SPARE = 16  # `k_nearest` compares so many more than k in float64
_SAMPLE = 4096


class ExactSearch:
    """The nearest row of a table for each query, in Euclidean distance, as float64 decides it.

    Scores are computed on the device of the table, undecided rows on the CPU. There is never a V × n matrix, but a few
    million scores at a time. The table is kept as it is, beside a float32 copy in another form; do not write to it.

    >>> nearest = ExactSearch(torch.tensor([[0.0, 1.0], [3.0, 0.0], [0.0, 1.0]]))
    >>> nearest.search(torch.tensor([[1.0, 1.0], [2.0, 0.0]]))
    tensor([0, 1])

    Parameters
    ----------
    table
        `(V, d)` float32 or float64, at least one row.

    Raises
    ------
    TypeError
        If not a dense tensor of float32 or float64.
    ValueError
        If not `(V, d)`, empty, of more than a million dimensions, NaN, infinite or above 2⁹⁰⁰.
    """

    def __init__(self, table: Tensor) -> None:
        self.table = _checked(table, "the table").detach()
        # The table itself where it is on the CPU.
        self._rows = self.table.cpu().numpy()
        values = self._rows.astype(np.float64)
        self._centre: Floats64 = values.mean(axis=0)
        values -= self._centre
        self._exponent = _exponent_of_lengths(values)
        values *= math.ldexp(1.0, -self._exponent)
        squares = np.einsum("ij,ij->i", values, values)
        self._longest = math.sqrt(squares.max())
        right = np.empty((len(values), values.shape[1] + 1), dtype=np.float32)
        np.negative(values, out=right[:, :-1], casting="same_kind")
        right[:, -1] = squares / 2
        self._right = torch.from_numpy(right).to(table.device)

    def __len__(self) -> int:
        return len(self.table)

    def search(self, queries: Tensor) -> Tensor:
        """`(n,)` int64: for each query `(n, d)` its nearest row, the lowest among equally near ones.

        The result is on the device of the queries.

        Raises
        ------
        TypeError, ValueError
            If the table would raise it; queries of another number of dimensions; off the CPU also a torch that has been
            told to round the factors of matrix products, for which the bound of the error does not hold.
        """
        _checked(queries, "the queries")
        if queries.shape[1] != self.table.shape[1]:
            raise ValueError(f"the table has {self.table.shape[1]} dimensions, the queries have {queries.shape[1]}")
        values = queries.detach().cpu().numpy().astype(np.float64)
        parts = [self._nearest(values[at : at + QUERIES_AT_ONCE]) for at in range(0, len(values), QUERIES_AT_ONCE)]
        return torch.from_numpy(np.concatenate(parts)).to(queries.device)

    def _nearest(self, queries: Floats64) -> Indices:
        left, slack, factors = self._scaled(queries)
        n, device = len(queries), self._right.device
        best = _Best(self._rows, queries, factors)
        least = torch.full((n,), math.inf, device=device)
        limit, pending = least, list[tuple[Tensor, Tensor, Tensor]]()
        size = min(len(self), max(1, _SCORES_AT_ONCE // n))
        space = torch.empty(n * size, device=device)
        for start in range(0, len(self), size):
            scores = _product(left.to(device), self._right[start : start + size], space)
            lowest = scores.amin(dim=1)
            least = torch.minimum(least, lowest)
            limit = _next(least + slack.to(device), math.inf)
            # Only queries with a row within reach of their best so far are looked at again: fewer with every block.
            near = (lowest <= limit).nonzero()[:, 0]
            at, column = _places((scores if len(near) == n else scores[near]) <= limit[near, None])
            pending.append((near[at], column + start, scores[near[at], column]))
            last = start + size >= len(self)
            if last or sum(len(part[0]) for part in pending) > _UNDECIDED_AT_ONCE:
                best.update(pending, limit)
                pending = []
        return best.row

    def _scaled(self, queries: Floats64) -> tuple[Tensor, Tensor, Floats64]:
        """`[s q, s]`, twice the bound of the error, and the power of two by which differences of a query are scaled."""
        d = queries.shape[1]
        values = queries - self._centre
        sizes = np.abs(values).max(axis=1)
        further = np.where(sizes > 0, np.frexp(sizes)[1] - self._exponent, 0).clip(min=0)
        factors = np.ldexp(1.0, -(self._exponent + further))
        values *= factors[:, None]
        scale = np.ldexp(1.0, -further)
        lengths = np.sqrt(np.einsum("ij,ij->i", values, values))
        single = (d + 4) * 2.0**-24 * self._longest * (scale * self._longest / 2 + lengths)
        with np.errstate(divide="ignore", over="ignore"):  # a query so far away that float64 decides everything
            double = (d + 2) * 2.0**-54 * (lengths + scale * self._longest) ** 2 / scale
            slack = torch.from_numpy(2.2 * (single + double) + (d + 1) * 2.0**-123).float()
        left = np.concatenate([values, scale[:, None]], axis=1).astype(np.float32)
        return torch.from_numpy(left), _next(slack, math.inf), factors


class _Best:
    """The nearest row found so far for each query, by float64 distance."""

    def __init__(self, rows: NDArray[np.floating], queries: Floats64, factors: Floats64) -> None:
        self._rows, self._queries, self._factors = rows, queries, factors
        self._distance = np.full(len(queries), math.inf)
        self.row: Indices = np.full(len(queries), len(rows))

    def update(self, pending: list[tuple[Tensor, Tensor, Tensor]], limit: Tensor) -> None:
        """Compare what is pending, `(query, row, score)`, where the score is within the limit. Rows only ascend."""
        query, row, score = (torch.cat(parts) for parts in zip(*pending, strict=True))
        keep = score <= limit[query]
        at, rows = query[keep].cpu().numpy(), row[keep].cpu().numpy()
        for start in range(0, len(at), _PAIRS_AT_ONCE):
            some = slice(start, start + _PAIRS_AT_ONCE)
            self._compare(at[some], rows[some])

    def _compare(self, at: Indices, rows: Indices) -> None:
        steps = self._rows[rows].astype(np.float64)
        steps -= self._queries[at]
        # A power of two changes no digit, and keeps the squares from overflowing.
        steps *= self._factors[at, None]
        distances = np.square(steps, out=steps).sum(axis=1)
        lowest = self._distance.copy()
        np.minimum.at(lowest, at, distances)
        self.row[lowest < self._distance] = len(self._rows)
        self._distance = lowest
        equal = distances == lowest[at]
        np.minimum.at(self.row, at[equal], rows[equal])


def k_nearest(table: Tensor, k: int, *, cosine: bool = True) -> tuple[Tensor, Tensor]:
    """For each row of a table the k others that are most similar to it, most similar first, blocked.

    Float32 products propose, with a bound of their error as at the head of this module. Similarities are those of
    float64; among equal ones the lowest row comes first.

    Parameters
    ----------
    table
        `(V, d)` float32 or float64, on any device that has float64.
    k
        From 1 to V − 1.
    cosine
        Similarity is the cosine; otherwise minus the Euclidean distance.

    Returns
    -------
    `(V, k)` int64 rows and `(V, k)` float32 similarities, on the device of the table.

    Raises
    ------
    TypeError
        If `ExactSearch` would raise it.
    ValueError
        If `ExactSearch` would raise it, k is out of range, or a row is zero and has no cosine.
    """
    size, d = _checked(table, "the table").shape
    if not 1 <= k < size:
        raise ValueError(f"a row of {size} has {size - 1} others; asked for the {k} nearest")
    values = table.detach().cpu().numpy().astype(np.float64)
    if cosine:
        # In two steps, so that no square overflows or vanishes.
        largest = np.abs(values).max(axis=1, keepdims=True)
        if not largest.all():
            raise ValueError(f"row {int(largest.argmin())} is zero and has no cosine; leave it out")
        values /= largest
        values /= np.sqrt(np.einsum("ij,ij->i", values, values))[:, None]
        unit, left = 1.0, values.astype(np.float32)
        right = left
    else:
        values -= values.mean(axis=0)
        unit = math.ldexp(1.0, _exponent_of_lengths(values))
        values /= unit
        halves = np.einsum("ij,ij->i", values, values)[:, None] / 2
        left = np.concatenate([values, np.ones_like(halves)], axis=1).astype(np.float32)
        right = np.concatenate([values, -halves], axis=1).astype(np.float32)
    # Twice E₃₂ + E₆₄ for lengths of at most 1.
    slack = 2.2 * 1.5 * (d + 4) * (2.0**-24 + 2.0**-52) + (d + 1) * 2.0**-123
    exact, lefts, rights = (torch.from_numpy(part).to(table.device) for part in (values, left, right))
    rows = torch.empty((size, k), dtype=torch.int64, device=table.device)
    similarities = torch.empty((size, k), dtype=torch.float32, device=table.device)
    count = max(1, min(_ROWS_AT_ONCE, 8 * _SCORES_AT_ONCE // size))
    space = torch.empty(count * size, device=table.device)
    for start in range(0, size, count):
        some = torch.arange(start, min(start + count, size), device=table.device)
        scores = _product(lefts[some], rights, space)
        scores[some - start, some] = -math.inf
        settled, columns, proposed = _proposed(scores, k, slack)
        rows[some], similarities[some] = _ordered(exact, some, columns, proposed, k, cosine)
        for at in (~settled).nonzero()[:, 0].tolist():
            # Many are as near as the k-th: all of them are compared.
            least = _next(scores[at].topk(k).values[-1] - slack, -math.inf)
            column = (scores[at] >= least).nonzero()[:, 0][None]
            one = some[at : at + 1]
            rows[one], similarities[one] = _ordered(exact, one, column, scores[at][column], k, cosine)
    return rows, similarities.mul_(1.0 if cosine else unit)


def _proposed(scores: Tensor, k: int, slack: float) -> tuple[Tensor, Tensor, Tensor]:
    """For each query: whether the columns named hold all that may be among its k best, the columns, their scores.

    A sample of the columns tells a score above which few others lie; the k-th best of these tells which may be as near.
    Columns rise; what is left over at the end of a list has the score minus infinity.
    """
    size = scores.shape[1]
    step = max(1, size // _SAMPLE)
    sample = scores[:, ::step]
    expected = (k + _SPARE) * sample.shape[1] / size
    rank = min(sample.shape[1], math.ceil(expected + (4 * math.sqrt(expected) + 8 if step > 1 else 0)))
    floor = _at_rank(sample, rank)
    # Very many equal scores of one query would make all lists as long; it is dealt with by itself.
    counts, values, columns = _lists(scores, scores >= floor[:, None], 2 * (rank * step + k))
    reach = _next(_at_rank(values, min(k, values.shape[1])) - slack, -math.inf)
    settled = (counts >= k) & (counts <= values.shape[1]) & (reach >= floor)
    near, values, places = _lists(values, values >= reach[:, None], k + _SPARE)
    return settled & (near <= values.shape[1]), columns.gather(1, places), values


def _lists(scores: Tensor, mask: Tensor, most: int) -> tuple[Tensor, Tensor, Tensor]:
    """For each row how many are in the mask, and the scores and columns of up to `most` of them."""
    at, column = _places(mask)
    counts = torch.bincount(at, minlength=len(mask))
    place = torch.arange(len(at), device=at.device) - (counts.cumsum(0) - counts)[at]
    width = min(int(counts.max()), most)
    if int(counts.max()) > width:
        inside = place < width
        at, column, place = at[inside], column[inside], place[inside]
    values = scores.new_full((len(mask), width), -math.inf)
    columns = at.new_zeros(values.shape)
    values[at, place] = scores[at, column]
    columns[at, place] = column
    return counts, values, columns


def _at_rank(scores: Tensor, rank: int) -> Tensor:
    """The score of this rank in each row, the greatest being of rank 1."""
    if scores.device.type != "cpu":
        return scores.topk(rank, dim=1).values[:, -1]
    # numpy's selection is ten times as fast as torch's.
    place = scores.shape[1] - rank
    return torch.from_numpy(np.partition(scores.numpy(), place, axis=1)[:, place])


def _ordered(
    exact: Tensor, queries: Tensor, columns: Tensor, scores: Tensor, k: int, cosine: bool
) -> tuple[Tensor, Tensor]:
    """`(n, k)` of the rising columns by falling float64 similarity, then as they come, and these similarities."""
    similarities = _similarities(exact, queries, columns, cosine)
    similarities[scores == -math.inf] = -math.inf
    best = similarities.sort(dim=1, descending=True, stable=True)
    return columns.gather(1, best.indices[:, :k]), best.values[:, :k].float()


def _similarities(exact: Tensor, queries: Tensor, columns: Tensor, cosine: bool) -> Tensor:
    """`(n, w)` float64. Every sum is made alike: equal rows have equal similarities."""
    if exact.device.type != "cpu":
        rows, own = exact[columns], exact[queries][:, None, :]
        return (rows * own).sum(dim=2) if cosine else (rows - own).square_().sum(dim=2).sqrt_().neg_()
    table, wanted = exact.numpy(), columns.numpy()
    similarities = np.empty(wanted.shape)
    # The rows of one query at a time, always in the same place: half a megabyte, which stays in the cache.
    space = np.empty((wanted.shape[1], table.shape[1]))
    for at, query in enumerate(queries.tolist()):
        others = np.take(table, wanted[at], axis=0, out=space, mode="clip")
        if cosine:
            np.einsum("wd,d->w", others, table[query], out=similarities[at])
        else:
            others -= table[query]
            np.negative(np.sqrt(np.einsum("wd,wd->w", others, others)), out=similarities[at])
    return torch.from_numpy(similarities)


def _product(left: Tensor, right: Tensor, space: Tensor) -> Tensor:
    """`left @ right.T`, written to `space`."""
    out = space[: len(left) * len(right)].view(len(left), len(right))
    if left.device.type == "cpu":
        # numpy's product: as fast as torch's or faster, and not subject to its settings of precision.
        np.matmul(left.numpy(), right.numpy().T, out=out.numpy())
        return out
    if torch.get_float32_matmul_precision() != "highest":
        raise ValueError(
            "torch rounds the factors of float32 products here, and exact search would be wrong; call "
            'torch.set_float32_matmul_precision("highest")'
        )
    return torch.matmul(left, right.T, out=out)


def _places(mask: Tensor) -> tuple[Tensor, Tensor]:
    """Row and column of each true value, row by row."""
    # numpy's search for rare true values is five times as fast as torch's.
    on_cpu = mask.device.type == "cpu"
    flat = torch.from_numpy(np.flatnonzero(mask.numpy())) if on_cpu else mask.flatten().nonzero()[:, 0]
    return flat // mask.shape[1], flat % mask.shape[1]


def _next(values: Tensor, towards: float) -> Tensor:
    """The neighbouring floating-point numbers: a rounded sum becomes a bound of the sum."""
    return torch.nextafter(values, torch.full_like(values, towards))


def _exponent_of_lengths(values: Floats64) -> int:
    """An e ≥ -900 such that no row is longer than 2ᵉ."""
    return max(-900, math.frexp(float(np.abs(values).max()))[1] + (math.isqrt(values.shape[1]) + 1).bit_length())


def _checked(values: Tensor, name: str) -> Tensor:
    if not isinstance(values, Tensor) or values.dtype not in (torch.float32, torch.float64):
        given = values.dtype if isinstance(values, Tensor) else type(values).__name__
        raise TypeError(f"{name}: a torch.Tensor of float32 or float64 is needed, got {given}")
    if values.layout != torch.strided:
        raise TypeError(f"{name}: a dense tensor is needed, got a sparse one; call .to_dense()")
    if values.ndim != 2 or 0 in values.shape or values.shape[1] > _MOST_DIMENSIONS:
        raise ValueError(
            f"{name}: the shape is (n, d) with at least one row and 1 to {_MOST_DIMENSIONS:,} columns, got "
            f"{tuple(values.shape)}"
        )
    # In float32 the limit is infinity, which a value may not be.
    if not bool((torch.isfinite(values) & (values.abs() <= _LARGEST)).all()):
        raise ValueError(f"{name}: a value is NaN, infinite or above 2^900; leave its row out, or scale all rows")
    return values
