"""Pairs of records to train a matcher on, drawn from gold clusters: matches, chance pairs and near misses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

Ints = NDArray[np.int64]

_ROWS_AT_ONCE = 500
NEIGHBOURS = 5
"""Records of other entities that a record has near misses with."""


def draw_matches(label: Ints, n: int, rng: np.random.Generator) -> Ints:
    """`(k, 2)` positions of `n` pairs with one label, or of all there are if fewer; each pair is as likely.

    An entity of many records has many pairs: the largest make up most of them.
    """
    order = np.argsort(label, kind="stable")
    pairs = [np.empty((0, 2), dtype=np.int64)]
    for members in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
        pairs.append(members[np.stack(np.triu_indices(len(members), 1), axis=1)])
    every = np.concatenate(pairs)
    drawn: Ints = every[rng.permutation(len(every))[:n]]
    return drawn


def draw_non_matches(label: Ints, texts: Sequence[str], n: int, near_share: float, rng: np.random.Generator) -> Ints:
    """`(n, 2)` positions of pairs with two labels, a share of them near misses, none twice.

    Near misses are drawn from the pairs of a record and one of the `NEIGHBOURS` records of other entities whose texts
    are most like its own (cosine of TF-IDF over runs of three letters within words, above 0); the rest are chance
    pairs. Where the near misses run out, chance pairs take their place.

    Raises
    ------
    ValueError
        A share outside 0 to 1, or fewer than `n` pairs with two labels.
    """
    if not 0 <= near_share <= 1:
        raise ValueError(f"the share of near misses lies between 0 and 1, got {near_share}")
    total = len(label)
    sizes = np.unique(label, return_counts=True)[1]
    available = (total * total - int((sizes**2).sum())) // 2
    if n > available:
        raise ValueError(f"{n} pairs of different entities were asked for, the records hold {available}")
    near = _near_misses(label, texts) if near_share and n else np.empty(0, dtype=np.int64)
    taken = dict.fromkeys(near[rng.permutation(len(near))[: round(near_share * n)]].tolist())
    while len(taken) < n:
        one, other = rng.integers(total, size=2).tolist()
        if label[one] != label[other]:
            taken[min(one, other) * total + max(one, other)] = None
    codes = np.array(list(taken), dtype=np.int64)
    return np.stack([codes // total, codes % total], axis=1)


def _near_misses(label: Ints, texts: Sequence[str]) -> Ints:
    """Pairs as `left * n + right`, sorted."""
    vectors = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3)).fit_transform(texts)
    count = min(NEIGHBOURS, len(label) - 1)
    ends = []
    for at in range(0, len(label), _ROWS_AT_ONCE):
        likeness = (vectors[at : at + _ROWS_AT_ONCE] @ vectors.T).toarray()
        likeness[label[at : at + _ROWS_AT_ONCE, None] == label] = -1
        nearest = np.argsort(-likeness, axis=1, kind="stable")[:, :count]
        rows = np.repeat(np.arange(at, at + len(likeness)), count)
        ends.append(np.stack([rows, nearest.ravel()], axis=1)[np.take_along_axis(likeness, nearest, 1).ravel() > 0])
    pairs = np.sort(np.concatenate(ends), axis=1)
    codes: Ints = np.unique(pairs[:, 0] * len(label) + pairs[:, 1])
    return codes
