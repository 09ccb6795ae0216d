"""How far a drawn projection stretches every pair of a public vocabulary.

Feyisetan and Kasiviswanathan (2021), §2.3, Definition 2 and Lemma 4. The global sensitivity of a released function is
its largest ratio `‖f(x) − f(x′)‖ / ‖x − x′‖` over all pairs. The paper bounds it by `1 + β` with probability `1 − δ`
over the projection, through Gordon's theorem with an unstated constant and an assumed Gaussian width. For a finite
public vocabulary nothing has to be assumed: `extreme_ratios` computes the sensitivity of the projection that was drawn,
`union_bound` gives a δ that holds, and `trustnlp.privacy.mechanisms.width` measures the widths.

Ratios are those of float64 differences: float32 matrix products only rule pairs out, see
`trustnlp.privacy.mechanisms.pairs`.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import chi2

from trustnlp.privacy.accounting.guarantee import check_delta
from trustnlp.privacy.mechanisms.pairs import Indices, Pairs, Singles, Tile, all_tiles, in_threads


@dataclass(frozen=True)
class PairRatios:
    """The largest `‖f(x) − f(x′)‖ / ‖x − x′‖` over all pairs of distinct vectors.

    Attributes
    ----------
    largest
        The global sensitivity of f on these vectors (Definition 2).
    above
        Number of pairs whose ratio exceeds the threshold; None when none was given. A vector that occurs again counts
        once.
    """

    largest: float
    above: int | None


def extreme_ratios(
    vectors: ArrayLike, images: ArrayLike, *, threshold: float | None = None, block: int = 512
) -> PairRatios:
    """Largest ratio of image distance to distance, over **all** pairs; as exact as float64 differences.

    Memory is that of about three float64 copies of the input and four `block × block` matrices per thread; threads are
    as many as the BLAS of numpy uses. A map for which float32 cannot tell most pairs from the extreme (an isometry, all
    ratios 1) is as exact, but a hundred times slower.

    Parameters
    ----------
    vectors
        `(V, d)` distinct inputs; a row that occurs again is left out.
    images
        `(V, m)` their values. Compute them in float64: the rounding of float32 images shows in pairs that lie close.
    threshold
        Count the pairs with a larger ratio, such as `1 + β`.
    block
        Rows and columns of a tile.

    Raises
    ------
    ValueError
        If there are fewer than two distinct vectors, shapes that do not fit, values that are not finite, or the same
        vector with two images that differ by more than rounding.
    """
    pairs = Pairs(vectors, images)
    limit = math.inf if threshold is None else (max(threshold, 0.0) / pairs.unit) ** 2
    largest, lock = -1.0, threading.Lock()

    def compete(tile: Tile, flat: Indices) -> None:
        nonlocal largest
        value = float(pairs.exact(*pairs.locate(tile, flat)).max(initial=-1.0))
        with lock:
            largest = max(largest, value)

    def scan(tile: Tile) -> int:
        """The number of pairs above the limit; the largest squared ratio is brought up to date."""
        distances, lengths, slack, image_slack = pairs.measure(tile)
        nearest, high = float(distances.min()), math.inf
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = lengths / distances
        if nearest > slack:
            high = (float(ratios.max()) * (1 + 1e-6) + image_slack / nearest) / (1 - slack / nearest)
        if high >= largest:
            compete(tile, np.array([np.where(distances > 4 * slack, ratios, -np.inf).argmax()]))
            excess, margin = _excess(distances, lengths, largest, slack, image_slack)
            compete(tile, np.flatnonzero(excess >= -margin))
        if high < limit or limit == math.inf:
            return 0
        excess, margin = _excess(distances, lengths, limit, slack, image_slack)
        unsure = pairs.exact(*pairs.locate(tile, np.flatnonzero(np.abs(excess) <= margin)))
        return int(np.count_nonzero(excess > margin)) + int(np.count_nonzero(unsure > limit))

    above = sum(in_threads(scan, all_tiles(pairs.n, block)))
    return PairRatios(math.sqrt(largest) * pairs.unit, None if threshold is None else above)


def union_bound(pairs: int, m: int, beta: float) -> float:
    """Lemma 4 without Gordon's theorem: probability at most this that Φ stretches one of `pairs` by more than `1 + β`.

    For a fixed unit vector u and Φ `(m, d)` with entries `N(0, 1/m)`, `m‖Φu‖²` is χ² with m degrees of freedom, so
    `P[some ‖Φu‖ > 1 + β] ≤ pairs · P[χ²_m > m(1 + β)²]`. Capped at 1. `pairs = V(V − 1)/2` for a vocabulary of V words.

    >>> union_bound(13_013 * 13_012 // 2, 54, 0.9) < 1e-6
    True
    """
    _check_counts(pairs, m)
    return min(1.0, pairs * float(chi2.sf(m * (1 + _check_beta(beta)) ** 2, m)))


def smallest_dimension(pairs: int, beta: float, delta: float) -> int:
    """The smallest m for which `union_bound` is at most δ.

    `pairs = 1` is enough for Definition 1: it fixes the two vectors before the probability is taken, and Φ is one of
    the coins, so `P[‖Φu‖ > 1 + β] ≤ δ` for one direction u makes PrivEmb's release (ε, δ)-Lipschitz private, Φ
    published or not, for all vectors and without a width. All pairs of a vocabulary are needed for Lemma 4, where one
    drawn Φ is to serve every pair (and for several words that may all differ, whose δ would add up).

    >>> smallest_dimension(1, 0.9, 1e-6), smallest_dimension(13_013 * 13_012 // 2, 0.9, 1e-6)
    (17, 44)
    """
    _check_counts(pairs, 1)
    check_delta(delta)
    start, limit = 1, 256
    square = (1 + _check_beta(beta)) ** 2
    while True:
        m = np.arange(start, limit + 1)
        enough = np.flatnonzero(pairs * chi2.sf(m * square, m) <= delta)
        if len(enough):
            return int(m[enough[0]])
        start, limit = limit + 1, 2 * limit


def _excess(
    distances: Singles, lengths: Singles, ratio: float, slack: float, image_slack: float
) -> tuple[Singles, float]:
    """Squared image distances minus `ratio` times the squared distances, and how far that can be from its true sign.

    Both are divided by `ratio` where it exceeds 1, so that a huge one does not overflow.
    """
    weight = 1 / max(1.0, ratio)
    excess: Singles = weight * lengths - (weight * ratio) * distances
    return excess, weight * image_slack + weight * ratio * slack


def _check_counts(pairs: int, m: int) -> None:
    if pairs < 1 or m < 1:
        raise ValueError(f"the number of pairs and the dimension are at least 1, got {pairs} and {m}")


def _check_beta(beta: float) -> float:
    if not (beta > 0 and math.isfinite(beta)):
        raise ValueError(f"beta is positive and finite, got {beta}")
    return beta
