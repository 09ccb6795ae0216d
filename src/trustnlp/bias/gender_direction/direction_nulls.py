"""A gender direction where there is no gender: null distributions for its numbers.

A first principal component holds more variance than the others by construction, most so with few pairs and with words
of unlike frequency. So its share says something only beside what it would be without gender. Not in Matthews et al.
(2021). Two nulls of the share, which ask different questions:

re-pairings
    All `n!` ways to marry the female words to the male ones. Each pair is still female–male, so gender is in all of
    them: this asks whether the *pairing* matters, not whether gender does.
like frequency
    Every defining word is replaced by a random word of about its frequency. There is no gender in such pairs.

DirectBias has floors in the same spirit: the professions on directions of such random pairs, and random words of the
professions' frequencies on the true direction. So do the mean scores of the pairs' two sides, and what is gained
without one of the pairs.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from trustnlp.embeddings.static import WordVectors

_MOST_PAIRS = 8  # 40,320 re-pairings
_NEIGHBOURS = 50
_AT_ONCE = 500


def shares_of_repairings(female: NDArray[np.float64], male: NDArray[np.float64]) -> NDArray[np.float64]:
    """`(n!, n)` shares under every re-pairing of female `(n, d)` with male words `(n, d)`, the given one first.

    Raises
    ------
    ValueError
        If there are more than eight pairs, whose re-pairings are too many to list, or none.
    """
    n = len(female)
    if not 1 <= n <= _MOST_PAIRS or female.shape != male.shape:
        raise ValueError(f"expected 1 to {_MOST_PAIRS} pairs of vectors, got shapes {female.shape} and {male.shape}")
    orders = np.array(list(itertools.permutations(range(n))))
    ff, fm, mm = female @ female.T, female @ male.T, male @ male.T
    # (f_i - m_p(i))·(f_j - m_p(j)) from products of single words: no vector is touched again.
    crossed = fm[:, orders].transpose(1, 0, 2)
    grams = ff + mm[orders[:, :, None], orders[:, None, :]] - crossed - crossed.transpose(0, 2, 1)
    return _shares(grams / 4)


def words_of_like_frequency(
    vectors: WordVectors, words: Sequence[str], draws: int, *, exclude: Collection[str] = (), rng: np.random.Generator
) -> NDArray[np.intp]:
    """`(draws, n)` row numbers of random words, each of about the frequency of the word in its place.

    About: among the fifty words nearest in rank (more for many words), those of `words` and `exclude` left aside. The
    order of `vectors` must be that of frequency, as training gives it. A row has no word twice: repeated words would
    make the pairs of the null alike, and its first shares too large.

    Raises
    ------
    ValueError
        If there are no words, fewer than one draw, or too small a vocabulary.
    KeyError
        If a word has no vector.
    """
    if not words or draws < 1:
        raise ValueError(f"expected words and at least one draw, got {len(words)} words and {draws} draws")
    barred = {*words, *exclude}
    free = np.array([row for row, word in enumerate(vectors.words) if word not in barred], dtype=np.intp)
    if len(free) < 2 * max(_NEIGHBOURS, len(words)):
        raise ValueError(
            f"{vectors.name}: {len(free)} other words are too few to match frequencies; expected 100 or "
            "more: use vectors of a larger corpus"
        )
    rank = {word: row for row, word in enumerate(vectors.words)}
    if absent := [word for word in words if word not in rank]:
        raise KeyError(f"{absent[0]!r} is not among the words of {vectors.name}")
    at = np.searchsorted(free, [rank[word] for word in words])
    width = max(_NEIGHBOURS, 2 * len(words))  # so that distinct words can always be found
    start = np.clip(at - width // 2, 0, len(free) - width)
    drawn = start + rng.integers(width, size=(draws, len(words)))
    while (again := _repeats(drawn)).any():
        rows, columns = np.nonzero(again)
        drawn[rows, columns] = start[columns] + rng.integers(width, size=len(rows))
    found: NDArray[np.intp] = free[drawn]
    return found


def _repeats(drawn: NDArray[np.intp]) -> NDArray[np.bool_]:
    """`(draws, n)` whether the number stands further left in its row already."""
    order = np.argsort(drawn, axis=1, kind="stable")
    values = np.take_along_axis(drawn, order, axis=1)
    repeated = np.zeros(drawn.shape, dtype=bool)
    np.put_along_axis(repeated, order[:, 1:], values[:, 1:] == values[:, :-1], axis=1)
    return repeated


def random_pair_shares(
    vectors: WordVectors,
    pairs: Sequence[tuple[str, str]],
    draws: int,
    *,
    rng: np.random.Generator,
    unit: bool = True,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares `(draws, n)` and first directions `(draws, d)` of random pairs of like frequency; errors as above.

    A word that two pairs share is replaced by one word in both.
    """
    shares, directions = [], []
    for drawn in _random_pairs(vectors, pairs, draws, rng=rng, unit=unit):
        share, g = _first_components((drawn[:, 0::2] - drawn[:, 1::2]) / 2)
        shares.append(share)
        directions.append(g)
    return np.concatenate(shares), np.concatenate(directions)


def random_side_means(
    vectors: WordVectors,
    pairs: Sequence[tuple[str, str]],
    draws: int,
    *,
    rng: np.random.Generator,
    unit: bool = True,
) -> NDArray[np.float64]:
    """`(draws, 2)` mean signed score of the first and of the second words of random pairs of like frequency.

    What "the female words lean female, and more so than male words lean male" is worth: each random set is scored on
    its own direction, whose sign follows the same rule as that of gender (`Σ g·(f - m) > 0`). So the first words lie
    above the second by construction, and only how far says something. The words of a real pair share a topic, as random
    ones do not, which moves both sides together. Errors as for `random_pair_shares`.
    """
    means = []
    for drawn in _random_pairs(vectors, pairs, draws, rng=rng, unit=unit):
        halves = (drawn[:, 0::2] - drawn[:, 1::2]) / 2
        g = _first_components(halves)[1]
        g *= np.where(np.einsum("bnd,bd->b", halves, g) < 0, -1.0, 1.0)[:, None]
        scores = np.einsum("bnd,bd->bn", drawn, g) / np.linalg.norm(drawn, axis=2)
        means.append(np.stack([scores[:, 0::2].mean(axis=1), scores[:, 1::2].mean(axis=1)], axis=1))
    return np.concatenate(means)


def random_gap_gains(
    vectors: WordVectors,
    pairs: Sequence[tuple[str, str]],
    without: Sequence[int],
    draws: int,
    *,
    rng: np.random.Generator,
    unit: bool = True,
) -> NDArray[np.float64]:
    """`(draws,)` how much the first share minus the second grows in random pairs when those at `without` are left out.

    With fewer pairs each component holds more, so that the difference grows in most random sets. Errors as for
    `random_pair_shares`, and ValueError if fewer than two pairs are left.
    """
    reduced = [place for place in range(len(pairs)) if place not in without]
    if len(reduced) < 2:
        raise ValueError(f"{len(reduced)} of {len(pairs)} pairs are left, and two components need two")
    gains = []
    for drawn in _random_pairs(vectors, pairs, draws, rng=rng, unit=unit):
        halves = (drawn[:, 0::2] - drawn[:, 1::2]) / 2
        shares = [_shares(rows @ np.swapaxes(rows, -1, -2)) for rows in (halves[:, reduced], halves)]
        gains.append(np.subtract(*(share[:, 0] - share[:, 1] for share in shares)))
    return np.concatenate(gains)


def _random_pairs(
    vectors: WordVectors, pairs: Sequence[tuple[str, str]], draws: int, *, rng: np.random.Generator, unit: bool
) -> Iterator[NDArray[np.float64]]:
    """Blocks `(b, 2n, d)` of random words in the places of the pairs' words, one word for each distinct one."""
    words = [word for pair in pairs for word in pair]
    distinct = list(dict.fromkeys(words))
    rows = words_of_like_frequency(vectors, distinct, draws, rng=rng)[:, [distinct.index(word) for word in words]]
    source = vectors.unit if unit else vectors.matrix
    for start in range(0, draws, _AT_ONCE):
        yield source[rows[start : start + _AT_ONCE]].astype(np.float64)


def _first_components(halves: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares `(b, n)` and first components `(b, d)`, of either sign, of halved differences `(b, n, d)`."""
    grams = halves @ np.swapaxes(halves, -1, -2)
    g = np.einsum("bn,bnd->bd", np.linalg.eigh(grams)[1][:, :, -1], halves)
    return _shares(grams), g / np.linalg.norm(g, axis=1, keepdims=True)


def p_value_of_share(observed: float, null: NDArray[np.float64], *, exact: bool) -> float:
    """Share of a null distribution `(m,)` at or above the observed value; it is one of them (`exact`) or added.

    Raises
    ------
    ValueError
        If the null distribution is empty.
    """
    if not len(null):
        raise ValueError("an empty null distribution gives no p-value")
    reached = int((null >= observed - 1e-12).sum())
    return reached / len(null) if exact else (reached + 1) / (len(null) + 1)


def _shares(grams: NDArray[np.float64]) -> NDArray[np.float64]:
    variances = np.clip(np.linalg.eigvalsh(grams)[..., ::-1], 0.0, None)
    totals = variances.sum(axis=-1, keepdims=True)
    if not (totals > 0).all():
        raise ValueError("the two words of every pair have the same vector, so that there is no direction")
    shares: NDArray[np.float64] = variances / totals
    return shares
