"""Squared distances of all pairs of rows, tile by tile, in float32 with a proven bound of the error.

The squared distances of a tile are one matrix product: `[−2x, ‖x‖², 1] · [x′, 1, ‖x′‖²]`. The rows are centred first,
which changes no distance and makes the cancellation small. With unit roundoff `u` and `K = d + 2` terms, an inner
product is off by at most `K·u/(1 − K·u) · Σ|terms|`, whatever the order of summation, and here `Σ|terms|` is at most
`(‖x‖ + ‖x′‖)²`. Rounding the rows and their squared lengths to float32 adds `2u(‖x‖ + ‖x′‖)²`, and comparing two such
distances a few `u` more: `1.1 (d + 8) u (‖x‖ + ‖x′‖)²` covers all. Pairs that this bound cannot decide are computed
again in float64, from the difference of their rows, so that what is decided is decided as float64 would.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

Floats64 = NDArray[np.float64]
Singles = NDArray[np.float32]
Indices = NDArray[np.int64]
Tile = tuple[slice, slice]
_Result = TypeVar("_Result")

_ROUNDOFF = 2.0**-24
# Float64 differences computed at once: 4096 pairs of 300 dimensions are 10 MB.
CHUNK = 4096
# A float32 squared distance below this many times its error bound is computed again where a relative error matters.
NEAR = 1000


class Distances:
    """Squared distances of rows, one float32 matrix product per tile, each with a bound of its error.

    Distances are those of the rows times `unit`, a power of two (exact) that gives the centred rows length at most 1.
    """

    def __init__(self, rows: Floats64) -> None:
        self.rows = rows
        centred = rows - rows.mean(axis=0)
        squares = np.einsum("ij,ij->i", centred, centred)
        self.exponent = min(max(math.frexp(math.sqrt(squares.max()))[1], -1000), 1000)
        self.unit = math.ldexp(1.0, -self.exponent)
        centred *= self.unit
        squares *= self.unit
        squares *= self.unit
        n, d = rows.shape
        self.right: Singles = np.ones((n, d + 2), dtype=np.float32)
        self.right[:, :d] = centred
        self.right[:, d + 1] = squares
        self.left: Singles = np.ones((n, d + 2), dtype=np.float32)
        np.multiply(self.right[:, :d], -2, out=self.left[:, :d])
        self.left[:, d] = squares
        self.norms: Floats64 = np.sqrt(squares)
        self.slack = 1.1 * (d + 8) * _ROUNDOFF

    def squared(self, first: slice, second: slice) -> tuple[Singles, float]:
        """`(rows, columns)` squared distances of a tile, and how far each can be from that of the float64 rows."""
        values: Singles = self.left[first] @ self.right[second].T
        return values, self.slack * float(self.norms[first].max() + self.norms[second].max()) ** 2 + 1e-36

    def exact(self, first: Indices, second: Indices) -> Floats64:
        """Squared distances in float64, from the differences."""
        steps = (self.rows[first] - self.rows[second]) * self.unit
        squares: Floats64 = np.einsum("ij,ij->i", steps, steps)
        return squares


class Pairs:
    """Distinct vectors and their images in the order of the vectors' lengths, so that a tile's error bound is tight."""

    def __init__(self, vectors: ArrayLike, images: ArrayLike) -> None:
        inputs, values = as_matrix(vectors, "vectors"), as_matrix(images, "images")
        if len(inputs) != len(values):
            raise ValueError(f"every vector needs one image: {len(inputs):,} vectors, {len(values):,} images")
        firsts, same = first_rows(inputs)
        for row in np.flatnonzero(same != np.arange(len(same))):
            if np.abs(values[row] - values[same[row]]).max() > 1e-6 * np.abs(values).max():
                raise ValueError(f"rows {same[row]} and {row} are the same vector but have different images")
        self.n = len(firsts)
        if self.n < 2:
            raise ValueError("a ratio of distances needs at least two distinct vectors")
        distinct = inputs[firsts]
        squares = np.einsum("ij,ij->i", distinct, distinct) - 2 * (distinct @ distinct.mean(axis=0))
        order = firsts[np.argsort(squares, kind="stable")]
        self.inputs, self.images = Distances(inputs[order]), Distances(values[order])
        self.unit = math.ldexp(1.0, self.images.exponent - self.inputs.exponent)

    def measure(self, tile: Tile) -> tuple[Singles, Singles, float, float]:
        """Squared distances and squared image distances of a tile's pairs `(pairs,)`, and the error bound of each."""
        distances, slack = self.inputs.squared(*tile)
        lengths, image_slack = self.images.squared(*tile)
        if tile[0] == tile[1]:
            upper = _upper(len(distances))
            distances, lengths = distances[upper], lengths[upper]
        return distances.ravel(), lengths.ravel(), slack, image_slack

    def locate(self, tile: Tile, flat: Indices) -> tuple[Indices, Indices]:
        """Rows of the pairs at the places `flat` of what `measure` returned."""
        shape = (tile[0].stop - tile[0].start, tile[1].stop - tile[1].start)
        if tile[0] == tile[1]:
            flat = np.flatnonzero(_upper(shape[0]))[flat]
        first, second = np.unravel_index(flat, shape)
        return first + tile[0].start, second + tile[1].start

    def exact(self, first: Indices, second: Indices) -> Floats64:
        """Squared ratios in float64."""
        result = np.empty(len(first))
        for start in range(0, len(first), CHUNK):
            chunk = slice(start, start + CHUNK)
            pair = first[chunk], second[chunk]
            result[chunk] = self.images.exact(*pair) / self.inputs.exact(*pair)
        return result


def first_rows(rows: Floats64) -> tuple[Indices, Indices]:
    """Rows that occur for the first time, and for every row the first one equal to it."""
    same = np.arange(len(rows))
    _, group, sizes = np.unique(rows[:, 0], return_inverse=True, return_counts=True)
    seen: dict[bytes, int] = {}
    for row in np.flatnonzero(sizes[group] > 1).tolist():
        # Adding 0 makes 0.0 of -0.0.
        same[row] = seen.setdefault((rows[row] + 0.0).tobytes(), row)
    return np.flatnonzero(same == np.arange(len(rows))), same


@lru_cache(maxsize=4)
def _upper(n: int) -> NDArray[np.bool_]:
    """`(n, n)` whether the column comes after the row."""
    upper = ~np.tri(n, dtype=np.bool_)
    upper.setflags(write=False)
    return upper


def all_tiles(n: int, block: int) -> list[Tile]:
    if block < 1:
        raise ValueError(f"a tile has at least one row, got block={block}")
    parts = [slice(start, min(start + block, n)) for start in range(0, n, block)]
    # A tile of one row on the diagonal holds no pair.
    return [
        (first, second)
        for place, first in enumerate(parts)
        for second in parts[place:]
        if first != second or first.stop - first.start > 1
    ]


def in_threads(task: Callable[[Tile], _Result], tiles: list[Tile]) -> list[_Result]:
    """One tile per thread at a time, on as many threads as numpy's BLAS uses; each product runs on one.

    That way the products and what is done with them share a core's cache, and no core waits.
    """
    with ThreadPoolExecutor(thread_count()) as workers, _pools().limit(limits=1, user_api="blas"):
        return list(workers.map(task, tiles))


def thread_count() -> int:
    """How many threads numpy's BLAS uses."""
    threads = [int(pool["num_threads"]) for pool in _pools().info() if pool["user_api"] == "blas"]
    return max(threads, default=os.cpu_count() or 1)


@cache
def _pools() -> ThreadpoolController:
    # Finding the loaded libraries takes longer than a small set of tiles.
    return ThreadpoolController()


def as_matrix(values: ArrayLike, name: str) -> Floats64:
    if isinstance(values, torch.Tensor):
        values = values.detach().cpu().numpy()
    try:
        matrix: Floats64 = np.asarray(values, dtype=np.float64)
    except ValueError as error:
        raise ValueError(f"{name} are a matrix of numbers, one row each, all of the same length: {error}") from None
    if matrix.ndim != 2 or 0 in matrix.shape or not np.isfinite(matrix).all():
        raise ValueError(f"{name} are a matrix of finite numbers with at least one row, got shape {matrix.shape}")
    largest = max(float(matrix.max()), -float(matrix.min()))
    if largest and not 1e-152 < largest < 1e152:
        raise ValueError(f"{name} as large as {largest:g} have squares that float64 cannot hold; change their unit")
    return matrix
