"""Word vectors with planted truth: stand-ins that let a test be tested before it is believed.

A stand-in is made from a seed by the code below, has the interface of the real vectors (`WordVectors` over the stimuli
of one WEAT) and says `stand-in` in its name.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.words.weat_stimuli import WeatTest
from trustnlp.embeddings.static import WordVectors

# Share of every attribute word's direction that lies along its set's own axis; the rest is noise that differs from
# word to word, so that the mean, the median and the extremes over a set are different numbers.
_ALIGNMENT = 0.6
# The largest |cosine| of a target word with the axis between the two attribute sets.
_LARGEST_LEAN = 0.5


def planted_vectors(test: WeatTest, effect_size: float, *, dim: int, rng: np.random.Generator) -> WordVectors:
    """Vectors whose cosine-mean WEAT effect size (ddof 1, X over Y) is `effect_size` exactly, up to float32 rounding.

    Why the effect is known. Let `a` and `b` be orthonormal axes and `α` a constant.

    1. Attribute words of A are `α a + √(1-α²) n`, of B `α b + √(1-α²) n`. The noise vectors `n` are unit, orthogonal to
       `a` and `b`, and **sum to zero over each set** (opposite pairs and triples at 120°). All attribute
       words are unit vectors, so the mean cosine of any unit vector `t` with A is `α t·a`: the noise cancels in the
       mean, though in general not in the median, the minimum or the maximum.
    2. Target word `w` is `c_w g + √(1-c_w²) m`, with `g = (a-b)/√2` and unit noise `m` orthogonal to `a` and `b`.
       Hence `s(w, A, B) = α (t·a - t·b) = √2 α c_w`: the association is the planted lean `c_w`, times a constant.
    3. The effect size `d` does not change when all `s` are scaled, so it is that of the `c_w`. These are `+δ/2` in X
       and `-δ/2` in Y plus draws with mean zero within X and within Y, of total square sum `S`. With `N = |X| + |Y|`
       and `q = |X||Y|/N` the square sum about the grand mean is `S + δ² q`, so `d = δ / √((S + δ² q)/(N-1))`, which is
       solved for `δ = d √(S / (N-1 - d² q))`. No `d` at or beyond `√((N-1)/q)`, where `S` would have to vanish, exists.

    Every vector is then given a random length, which no cosine sees but the Euclidean and Manhattan distances do.

    Parameters
    ----------
    test
        The stimuli, at least two in each set; no word may stand in two sets, as it can have one vector only.
    effect_size
        Positive: X leans to A.
    dim
        At least 4.

    Raises
    ------
    ValueError
        If the effect size is beyond what the sets can reach.
    """
    axes = np.linalg.qr(rng.standard_normal((dim, 2)))[0].T  # (2, dim): a, b
    leans = _leans(len(test.X), len(test.Y), effect_size, rng)
    difference = (axes[0] - axes[1]) / math.sqrt(2)
    noise = _off_axes(rng.standard_normal((len(leans), dim)), axes)
    targets = leans[:, None] * difference + np.sqrt(1 - leans**2)[:, None] * noise
    attributes = [
        _ALIGNMENT * axis + math.sqrt(1 - _ALIGNMENT**2) * _balanced_noise(len(words), axes, rng)
        for axis, words in zip(axes, (test.A, test.B), strict=True)
    ]
    directions = np.concatenate([targets, *attributes])
    lengths = np.exp(rng.normal(0.0, 0.3, size=(len(directions), 1)))
    return WordVectors(test.words, directions * lengths, f"stand-in with planted effect size {effect_size:g}")


def null_vectors(test: WeatTest, *, dim: int, rng: np.random.Generator) -> WordVectors:
    """Isotropic vectors: every word an independent draw from a standard normal, so no set leans to any other.

    Given the attribute vectors, the associations of the targets are independent and identically distributed, so every
    partition of the targets is as likely as the observed one: the exact permutation test of any measure and statistic
    has a uniform p-value (on the grid of its attainable values).
    """
    return WordVectors(test.words, rng.standard_normal((len(test.words), dim)), "stand-in without association")


def _leans(size_x: int, size_y: int, effect_size: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """The `c_w` of step 3, `(|X| + |Y|,)`, scaled so that the largest is `_LARGEST_LEAN`."""
    total, q = size_x + size_y, size_x * size_y / (size_x + size_y)
    bound = math.sqrt((total - 1) / q)
    if not abs(effect_size) < bound:
        raise ValueError(
            f"an effect size of {effect_size} cannot be planted: with {size_x} and {size_y} target words every effect "
            f"size lies within ±{bound:.4f}"
        )
    within = [draws - draws.mean() for draws in (rng.standard_normal(size_x), rng.standard_normal(size_y))]
    squares = sum(float(draws @ draws) for draws in within)
    delta = effect_size * math.sqrt(squares / (total - 1 - effect_size**2 * q))
    leans = np.concatenate([within[0] + delta / 2, within[1] - delta / 2])
    scale = _LARGEST_LEAN / float(np.abs(leans).max())
    return leans * scale


def _off_axes(rows: NDArray[np.float64], axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows `(n, dim)` made orthogonal to the orthonormal `axes` `(2, dim)`, and of unit length."""
    rows = rows - (rows @ axes.T) @ axes
    unit: NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def _balanced_noise(count: int, axes: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """`count` unit vectors `(count, dim)` orthogonal to `axes` whose sum is zero: opposite pairs and triples at 120°.

    Triples where they fit: pairs alone would make the noise symmetric, and the median would equal the mean.
    """
    n_pairs = {0: 0, 2: 1, 1: 2}[count % 3]
    n_triples = (count - 2 * n_pairs) // 3
    pairs = _off_axes(rng.standard_normal((n_pairs, axes.shape[1])), axes)
    half, height = 0.5, math.sqrt(3) / 2
    rows = [pairs, -pairs]
    for _ in range(n_triples):
        # The QR keeps the axes' plane first, so the last two columns are an orthonormal pair off it.
        columns = np.concatenate([axes, rng.standard_normal((2, axes.shape[1]))]).T
        first, second = np.linalg.qr(columns)[0].T[2:]
        rows.append(np.stack([first, -half * first + height * second, -half * first - height * second]))
    return np.concatenate(rows)
