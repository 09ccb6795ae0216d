"""The substitutes of a mechanism that is asked often: ranks among the neighbours, and parts of speech.

Asghar et al. (2024) find of the mechanism of Feyisetan et al. (2020), which Arnold, Yesilbas and Weinzierl (2023) build
on, that it returns either the word itself or a word from far away, and near neighbours rarely. Rank 0 is the word
itself, 1 the nearest other word, and so on, by Euclidean distance of the word vectors. Mattern et al. (2022) object to
word-by-word mechanisms that what comes out is not grammatical.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization.deniability import Draw

Rows = NDArray[np.int64]


_DRAWS_AT_ONCE = 1 << 16


def repeated(draw: Draw, rows: Rows, draws: int) -> Rows:
    """`(n, draws)` substitutes, as rows of the vocabulary, for what is looked up in `rows` `(n,)`; all independent.

    Raises
    ------
    ValueError
        If no draw is asked for.
    """
    if draws < 1:
        raise ValueError(f"at least one draw for each row is needed, got {draws}")
    asked = np.repeat(np.asarray(rows, dtype=np.int64), draws)
    found = np.empty(len(asked), dtype=np.int64)
    for start in range(0, len(asked), _DRAWS_AT_ONCE):
        part = slice(start, start + _DRAWS_AT_ONCE)
        found[part] = draw(torch.from_numpy(asked[part])).cpu().numpy()
    return found.reshape(-1, draws)


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
        If there is not one row for each word, or no draw.
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


UNKNOWN = -1


# A share of fewer substitutes is not stated.
FEWEST = 30


def numbered_classes(words: Sequence[str], classes: Mapping[str, str]) -> Rows:
    """`(V,)` a number for the class of each word, `UNKNOWN` for words without one."""
    numbers = {name: number for number, name in enumerate(sorted(set(classes.values())))}
    return np.array([numbers[classes[word]] if word in classes else UNKNOWN for word in words], dtype=np.int64)


def share_of_class(
    at: Callable[[float], Draw],
    rows: ArrayLike,
    words: ArrayLike,
    classes: Rows,
    epsilons: Sequence[float],
    draws: int,
) -> tuple[Floats, float]:
    """Of the substitutes that are another word with a class, the share that have the class of the word they replace.

    Parameters
    ----------
    at
        From ε to the mechanism.
    rows
        `(n,)` rows of the mechanism's table that are looked up.
    words
        `(n,)` rows of the words; those without a class are left out.
    classes
        `numbered_classes` of the vocabulary.
    draws
        For each word and ε.

    Returns
    -------
    `(E,)` shares, NaN where fewer than `FEWEST` count; and the share among all words with a class, drawn with equal
    probability.

    Raises
    ------
    ValueError
        If there is not one row for each word, none of the words has a class, or no draw.
    """
    looked_up, originals = (np.asarray(given, dtype=np.int64) for given in (rows, words))
    if looked_up.shape != originals.shape:
        raise ValueError(f"one row is needed for each word, got {looked_up.shape} for {originals.shape}")
    known = classes[originals] != UNKNOWN
    if not known.any():
        raise ValueError(f"none of the {len(originals)} words has a known part of speech")
    looked_up, originals = looked_up[known], originals[known]
    wanted = classes[originals][:, None]
    shares = np.empty(len(epsilons))
    for place, epsilon in enumerate(epsilons):
        found = repeated(at(float(epsilon)), looked_up, draws)
        judged = (found != originals[:, None]) & (classes[found] != UNKNOWN)
        shares[place] = (classes[found] == wanted)[judged].mean() if judged.sum() >= FEWEST else np.nan
    size = np.bincount(classes[classes != UNKNOWN])
    return shares, float((size[wanted] / size.sum()).mean())
