"""Whether one set of word vectors betrays the words of another: counterparts by cosine, and orthogonal alignment.

The study of DPNR (Zouhri and Abecidan 2021, §1.2): an attacker intercepts vectors of a private model and answers each
with the nearest word of a model of its own. Two models trained apart agree only up to a rotation, since word2vec's
objective depends on inner products, so the honest attack first rotates one space into the other by a few words it can
guess (orthogonal Procrustes; Schönemann 1966).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.embeddings.static import WordVectors

_BLOCK = 2048  # queries compared with all words at once; bounds the memory


def procrustes(source: ArrayLike, target: ArrayLike) -> NDArray[np.float64]:
    """Schönemann (1966): the orthogonal `R` `(d, d)` that minimises `‖source R − target‖` (Frobenius).

    `R = U Vᵀ` with `source' target = U S Vᵀ`. A reflection is allowed. With fewer pairs than dimensions the rest of the
    rotation is arbitrary, but still orthogonal.

    Parameters
    ----------
    source, target
        `(n, d)`; row `i` of one belongs to row `i` of the other.

    Raises
    ------
    ValueError
        If the shapes differ, there is no pair, or a value is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> turned = procrustes([[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [-1.0, 0.0]])
    >>> np.round(turned, 6) + 0.0
    array([[ 0.,  1.],
           [-1.,  0.]])
    """
    a, b = np.asarray(source, dtype=np.float64), np.asarray(target, dtype=np.float64)
    if a.ndim != 2 or a.shape != b.shape or 0 in a.shape:
        raise ValueError(f"both sides need the same shape (n, d) with at least one pair, got {a.shape} and {b.shape}")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise ValueError("a vector holds NaN or infinity; leave it out")
    left, _, right = np.linalg.svd(a.T @ b)
    rotation: NDArray[np.float64] = left @ right
    return rotation


def align(private: WordVectors, attacker: WordVectors, anchors: Sequence[str]) -> WordVectors:
    """Private vectors rotated into the attacker's space by the anchors, whose counterparts the attacker knows.

    Vectors are brought to unit length before the rotation is fitted, so that frequent words with long vectors do not
    decide it alone. Rotation changes no cosine among the private vectors.

    Raises
    ------
    KeyError
        If an anchor is unknown to one side.
    TypeError
        If `anchors` is a single string.
    ValueError
        If there are no anchors, one twice, or the dimensions differ.
    """
    _check_dims(private, attacker)
    if not anchors or len(set(anchors)) < len(anchors):
        raise ValueError(f"name each anchor once, and at least one; got {len(anchors)}, {len(set(anchors))} distinct")
    rotation = procrustes(_unit(private.stack(anchors)), _unit(attacker.stack(anchors)))
    return WordVectors(private.words, private.matrix @ rotation, f"{private.name}, aligned by {len(anchors)} words")


def align_unaided(
    private: WordVectors, attacker: WordVectors, *, first: int = 100, most: int = 2000, steps: int = 15
) -> WordVectors:
    """Private vectors rotated into the attacker's space without knowing a single word of them.

    The first guess pairs the `first` most frequent vectors of both sides by rank: the attacker sees how often each
    vector is sent. Then, over and over, words that are each other's nearest are paired and the rotation is fitted anew
    (self-learning, as Artetxe et al. 2018 align languages). Needs both vocabularies in the order of frequency.

    Parameters
    ----------
    first
        Pairs of the first guess; fewer where a vocabulary is smaller.
    most
        Most frequent words of either side that take part.
    steps
        Times the rotation is fitted anew.

    Raises
    ------
    ValueError
        If `first` or `most` is below 1, `steps` below 0, or the dimensions differ.
    """
    _check_dims(private, attacker)
    if min(first, most) < 1 or steps < 0:
        raise ValueError(f"expected first ≥ 1, most ≥ 1 and steps ≥ 0, got {first}, {most} and {steps}")
    source, target = _unit(private.matrix[:most]), _unit(attacker.matrix[:most])
    first = min(first, len(source), len(target))
    rotation = procrustes(source[:first], target[:first])
    for _ in range(steps):
        cosines = source @ rotation @ target.T
        to, back = cosines.argmax(axis=1), cosines.argmax(axis=0)
        mutual = np.flatnonzero(back[to] == np.arange(len(source)))  # never empty: the largest cosine is mutual
        rotation = procrustes(source[mutual], target[to[mutual]])
    return WordVectors(private.words, private.matrix @ rotation, f"{private.name}, aligned by themselves")


def centred(vectors: WordVectors) -> WordVectors:
    """Unit vectors less their mean: a direction that all words share says nothing about which word is which."""
    return WordVectors(vectors.words, vectors.unit - vectors.unit.mean(axis=0), f"{vectors.name}, centred")


def counterpart_ranks(private: WordVectors, attacker: WordVectors) -> NDArray[np.int64]:
    """Rank of each private word's counterpart, the same word in the attacker's model, among all its words by cosine.

    Rank 1 is the nearest; equal cosines rank in the order of the attacker's words; 0 says that the attacker does not
    know the word. Exact, compared block by block.

    Returns
    -------
    `(V,)` in the order of the private words.

    Raises
    ------
    ValueError
        If the dimensions differ.
    """
    _check_dims(private, attacker)
    place = {word: row for row, word in enumerate(attacker.words)}
    column = np.array([place.get(word, -1) for word in private.words])
    ranks = np.zeros(len(private), dtype=np.int64)
    known = np.flatnonzero(column >= 0)
    for start in range(0, len(known), _BLOCK):
        rows = known[start : start + _BLOCK]
        cosines = private.unit[rows] @ attacker.unit.T
        own = cosines[np.arange(len(rows)), column[rows], None]
        ahead = np.count_nonzero(cosines > own, axis=1)
        tied = [np.count_nonzero(line[:here] == line[here]) for line, here in zip(cosines, column[rows], strict=True)]
        ranks[rows] = 1 + ahead + tied
    return ranks


def scored(private: WordVectors, exclude: Collection[str]) -> NDArray[np.bool_]:
    """`(V,)` which private words count once some are excluded. TypeError when `exclude` is a single string."""
    if isinstance(exclude, str):
        raise TypeError(f"exclude takes a list of words, got the single string {exclude!r}")
    left_out = set(exclude)
    return np.array([word not in left_out for word in private.words])


def recovery_of_ranks(ranks: ArrayLike, n: int) -> NDArray[np.float64]:
    """`(n,)` share of ranks from 1 to 1, 2, …, n (study of DPNR, §1.2).

    As in the study's notebook a word that the attacker does not know (rank 0) is a failure: no share can exceed the
    share of words that both know.

    >>> recovery_of_ranks([1, 2, 0, 9], 3).tolist()
    [0.25, 0.5, 0.5]
    """
    places = np.asarray(ranks)
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n}")
    if places.size == 0:
        raise ValueError("no word is left to score; exclude fewer")
    found = places[:, None]
    shares: NDArray[np.float64] = ((found >= 1) & (found <= np.arange(1, n + 1))).mean(axis=0)
    return shares


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    values = rows.astype(np.float64)
    unit: NDArray[np.float64] = values / np.linalg.norm(values, axis=1, keepdims=True)
    return unit


def _check_dims(private: WordVectors, attacker: WordVectors) -> None:
    if private.dim != attacker.dim:
        raise ValueError(
            f"both models need the same number of dimensions to be compared, got {private.dim} and {attacker.dim}"
        )
