"""The rank of a substitute among the neighbours of the original: does noise ever return a near synonym?

Asghar et al. (2024) find of the mechanism of Feyisetan et al. (2020), which Arnold, Yesilbas and Weinzierl (2023) build
on, that it returns either the word itself or a word from far away, and near neighbours rarely. Rank 0 is the word
itself, 1 the nearest other word, and so on, by Euclidean distance of the word vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization.critique.repeated_draws import Rows, repeated
from trustnlp.studies.sense_privatization.deniability.deniability_curves import Draw

Floats = NDArray[np.float64]
BANDS = ("itself", "nearest", "2 to 10", "11 to 100", "beyond")
_LAST = np.array([0, 1, 10, 100])  # the last rank of each band but the last
_QUERIES_AT_ONCE = 64


def rank_shares(
    at: Callable[[float], Draw],
    rows: ArrayLike,
    words: ArrayLike,
    vectors: WordVectors,
    epsilons: Sequence[float],
    draws: int,
) -> Floats:
    """`(E, n, 5)` share of the draws in each of `BANDS`, for each ε and word.

    Parameters
    ----------
    at
        From ε to the mechanism, such as `lambda epsilon: arm.at(epsilon, generator)`.
    rows
        `(n,)` rows of the mechanism's table that are looked up.
    words
        `(n,)` rows of the words in `vectors`, which substitutes are rows of too.
    draws
        For each word and ε.

    Raises
    ------
    ValueError
        Not one row for each word, or no draw.
    """
    looked_up, originals = (np.asarray(given, dtype=np.int64) for given in (rows, words))
    if looked_up.ndim != 1 or looked_up.shape != originals.shape or not len(originals):
        raise ValueError(f"one row is needed for each word, got {looked_up.shape} for {originals.shape}")
    near = nearest_words(vectors, originals, int(_LAST[-1]))
    shares = np.empty((len(epsilons), len(originals), len(BANDS)))
    for place, epsilon in enumerate(epsilons):
        ranks = ranks_of(repeated(at(float(epsilon)), looked_up, draws), originals, near)
        band = np.searchsorted(_LAST, ranks)
        shares[place] = (band[:, :, None] == np.arange(len(BANDS))).mean(axis=1)
    return shares


def ranks_of(found: Rows, words: Rows, near: Rows) -> Rows:
    """`(n, draws)` ranks of substitutes `(n, draws)` of `words` `(n,)`, from `nearest_words`; k + 1 if beyond."""
    ladder = np.concatenate([words[:, None], near], axis=1)
    size = 1 + max(int(ladder.max()), int(found.max()))
    lift = np.arange(len(words))[:, None] * size
    order = np.argsort(ladder, axis=1)
    keys = (np.take_along_axis(ladder, order, axis=1) + lift).ravel()
    at = np.searchsorted(keys, found + lift).clip(max=len(keys) - 1)
    ranks: Rows = np.where(keys[at] == found + lift, order.ravel()[at], ladder.shape[1])
    return ranks


def nearest_words(vectors: WordVectors, words: Rows, k: int) -> Rows:
    """`(n, k)` the k others nearest to each word, nearest first, the lowest row among equals; all others if fewer.

    Exact: products propose all rows that can be among the k by the bound of their error, and differences decide, both
    in float64. `trustnlp.embeddings.exact_search.k_nearest` answers for every row of a table, this for some.
    """
    k = min(k, len(vectors) - 1)
    table = vectors.matrix.astype(np.float64)
    table -= table.mean(axis=0)
    squares = np.einsum("vd,vd->v", table, table)
    # Of ‖v‖² − 2 q·v + ‖q‖², and as much again for the sum of squared differences.
    slack = 2 * (vectors.dim + 4) * 2.0**-52 * (np.sqrt(squares[words]) + np.sqrt(squares.max())) ** 2
    found = np.empty((len(words), k), dtype=np.int64)
    for start in range(0, len(words), _QUERIES_AT_ONCE):
        some = words[start : start + _QUERIES_AT_ONCE]
        scores = squares - 2 * table[some] @ table.T + squares[some, None]
        scores[np.arange(len(some)), some] = np.inf
        reach = np.partition(scores, k - 1, axis=1)[:, k - 1] + 2 * slack[start : start + len(some)]
        for number, word in enumerate(some):
            rows = np.flatnonzero(scores[number] <= reach[number])
            distances = np.square(vectors.matrix[rows].astype(np.float64) - vectors.matrix[word]).sum(axis=1)
            found[start + number] = rows[np.argsort(distances, kind="stable")[:k]]
    return found
