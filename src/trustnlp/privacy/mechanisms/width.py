"""Gaussian widths, estimated: the quantity that the paper's dimension rests on.

Feyisetan and Kasiviswanathan (2021), §2.3, Definition 3 and Lemma 4. Gordon's theorem takes the width of a set of unit
vectors. Lemma 4 needs that of the **normalised differences** of all pairs (`difference_width`); its proof bounds that
of the differences as they are, and the experiments assume `√log d`.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import ArrayLike
from scipy.integrate import quad
from scipy.stats import norm

from trustnlp.privacy.mechanisms.pairs import (
    CHUNK,
    NEAR,
    Distances,
    Floats64,
    Singles,
    Tile,
    all_tiles,
    as_matrix,
    first_rows,
    in_threads,
)  # fmt: skip
from trustnlp.privacy.noise.randomness import check_generator


def gaussian_width(points: ArrayLike, *, draws: int, generator: torch.Generator | None = None) -> tuple[float, float]:
    """Definition 3, `ω = E max ⟨x, g⟩` over the rows of `points` `(n, d)`: Monte Carlo mean and standard error.

    Gordon's theorem speaks of points on the unit sphere; they are taken as given, so normalise them first.

    Raises
    ------
    ValueError
        If there are fewer than two draws, or points that are not a matrix of finite numbers.
    """
    rows = as_matrix(points, "points")
    directions = _gaussian(rows.shape[1], draws, generator)
    return _mean((rows @ directions).max(axis=0))


def difference_width(
    vectors: ArrayLike,
    *,
    draws: int,
    generator: torch.Generator | None = None,
    block: int = 256,
) -> tuple[float, float]:
    """Gaussian width of `{(x − x′) / ‖x − x′‖}` over all pairs of `vectors` `(V, d)`, the set that Lemma 4 speaks of.

    Monte Carlo mean and standard error. The supremum of each draw is that of all pairs within a relative error of
    0.0005. The width of `{x − x′}` is twice `gaussian_width`.

    Raises
    ------
    ValueError
        If there are fewer than two draws or two distinct vectors, or vectors that are not a matrix of finite numbers.
    """
    rows = as_matrix(vectors, "vectors")
    rows = rows[first_rows(rows)[0]]
    if len(rows) < 2:
        raise ValueError("a width of differences needs at least two distinct vectors")
    directions = _gaussian(rows.shape[1], draws, generator)
    measured = Distances(rows)
    projected = (rows - rows.mean(axis=0)) @ directions * measured.unit
    scores: Singles = np.ascontiguousarray(projected.T, dtype=np.float32)

    def suprema(tile: Tile) -> Floats64:
        squared, slack = measured.squared(*tile)
        near = squared < NEAR * slack
        squared[near] = np.inf
        inverse = 1 / np.sqrt(squared)
        best = np.empty(draws)
        for draw, line in enumerate(scores):
            slopes = np.subtract.outer(line[tile[0]], line[tile[1]])
            slopes *= inverse
            best[draw] = max(slopes.max(), -slopes.min())
        first, second = (index + part.start for index, part in zip(np.nonzero(near), tile, strict=True))
        upper = first < second
        for start in range(0, int(upper.sum()), CHUNK):
            chunk = slice(start, start + CHUNK)
            steps = measured.rows[first[upper][chunk]] - measured.rows[second[upper][chunk]]
            steps /= np.linalg.norm(steps, axis=1, keepdims=True)
            best = np.maximum(best, np.abs(steps @ directions).max(axis=0))
        return best

    return _mean(np.max(in_threads(suprema, all_tiles(len(rows), block)), axis=0))


def orthogonal_width(p: int) -> float:
    """Gaussian width of `p` orthogonal unit vectors: the expected maximum of `p` independent standard normal numbers.

    PrivEmb §2.3 says of any `p` points of the sphere that ω² ≤ log p. Of these, ω² comes near 2 ln p as p grows.

    >>> round(orthogonal_width(2), 4)  # 1/√π
    0.5642

    Raises
    ------
    ValueError
        If p is below 1.
    """
    if p < 1:
        raise ValueError(f"a width needs at least one point, got {p}")
    # E max = ∫₀^∞ P[max > x] - P[max < -x] dx
    width: float = quad(lambda x: -math.expm1(p * norm.logcdf(x)) - norm.cdf(-x) ** p, 0, 40, points=[1, 5, 10])[0]
    return width


def _gaussian(d: int, draws: int, generator: torch.Generator | None) -> Floats64:
    """`(d, draws)` standard Gaussian directions."""
    if draws < 2:
        raise ValueError(f"a standard error needs at least two draws, got {draws}")
    source = check_generator(generator, torch.device("cpu"))
    return torch.randn((d, draws), dtype=torch.float64, generator=source).numpy()


def _mean(values: Floats64) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))
