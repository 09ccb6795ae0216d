"""Analogies by vector offset: a is to b as c is to …?

The method of Mikolov, Yih and Zweig (2013), §4, with the one decision their formula leaves open made visible: whether
the three words of the question may be the answer.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trustnlp.embeddings.static import WordVectors

# Pairs of words that name the same role for a man and for a woman, in plain English use: kin, rank, trade.
# Chosen for their meaning before any vector was looked at; pairs that fail stay in the list.
GENDER_PAIRS: tuple[tuple[str, str], ...] = (
    ("boy", "girl"), ("father", "mother"), ("son", "daughter"), ("brother", "sister"), ("uncle", "aunt"),
    ("nephew", "niece"), ("husband", "wife"), ("grandfather", "grandmother"), ("grandson", "granddaughter"),
    ("stepfather", "stepmother"), ("groom", "bride"), ("widower", "widow"), ("king", "queen"), ("prince", "princess"),
    ("duke", "duchess"), ("lord", "lady"), ("actor", "actress"), ("waiter", "waitress"), ("host", "hostess"),
    ("policeman", "policewoman"), ("monk", "nun"), ("hero", "heroine"), ("wizard", "witch"),
)  # fmt: skip


def offset(vectors: WordVectors, a: str, b: str, c: str) -> NDArray[np.float64]:
    """The point where the answer to "a is to b as c is to …?" is looked for (Mikolov et al. 2013, §4).

    y = x_b − x_a + x_c, each x at unit length.

    returns : (d,)
    raises  : KeyError for a word the vectors do not know
    """
    x_a, x_b, x_c = (np.asarray(vectors[word], dtype=np.float64) for word in (a, b, c))
    point: NDArray[np.float64] = x_b / np.linalg.norm(x_b) - x_a / np.linalg.norm(x_a) + x_c / np.linalg.norm(x_c)
    return point


def analogy(
    vectors: WordVectors, a: str, b: str, c: str, *, k: int = 1, exclude_question: bool = True
) -> list[tuple[str, float]]:
    """The `k` best answers to "a is to b as c is to …?" with their cosines, best first (Mikolov et al. 2013, §4).

    Parameters
    ----------
    exclude_question
        Pass over a, b and c. The paper's formula takes the maximum over all words; common software, word2vec's own
        among it, passes over them without saying so in the formula.

    >>> man, woman, king = [1, 0, 0], [0, 1, 0], [1, 0, 1]
    >>> toy = WordVectors(["man", "woman", "king", "queen"], [man, woman, king, [0, 1, 1]], "toy")
    >>> analogy(toy, "man", "woman", "king")[0][0]
    'queen'
    """
    return vectors.nearest(offset(vectors, a, b, c), k, exclude=(a, b, c) if exclude_question else ())


def margin(vectors: WordVectors, a: str, b: str, c: str, expected: str, *, exclude_question: bool = True) -> float:
    """Cosine of the expected answer minus that of its best rival; above zero the expected word is the answer.

    raises : KeyError for an unknown word; ValueError when `expected` is a word of the question that is passed over
    """
    if exclude_question and expected in (a, b, c):
        raise ValueError(f"{expected!r} is a word of the question and cannot be the answer when these are passed over")
    point = offset(vectors, a, b, c)
    wanted = np.asarray(vectors[expected], dtype=np.float64)
    cosine = float(wanted @ point / np.linalg.norm(wanted) / np.linalg.norm(point))
    passed_over = {expected, a, b, c} if exclude_question else {expected}
    [(_, best_rival)] = vectors.nearest(point, 1, exclude=passed_over)
    return cosine - best_rival


def pairs_answered(
    vectors: WordVectors,
    pairs: Sequence[tuple[str, str]],
    *,
    base: tuple[str, str] = ("man", "woman"),
    exclude_question: bool = True,
) -> NDArray[np.int64]:
    """For each pair (c, d): 1 where `base` and c give d, else 0.

    returns : (n,)
    """
    answers = [analogy(vectors, *base, c, exclude_question=exclude_question)[0][0] for c, _ in pairs]
    return np.array([int(answer == d) for answer, (_, d) in zip(answers, pairs, strict=True)])


def neighbours_answered(vectors: WordVectors, pairs: Sequence[tuple[str, str]]) -> NDArray[np.int64]:
    """For each pair (c, d): 1 where d is the nearest other word to c, else 0. No offset is used.

    What an analogy test would score if the relation counted for nothing and the words of the question were passed over
    (the check of Linzen 2016, §3).

    returns : (n,)
    """
    hits = [vectors.nearest(vectors[c], 1, exclude=(c,))[0][0] == d for c, d in pairs]
    return np.array(hits, dtype=np.int64)


def shares_by_method(
    vectors: WordVectors, pairs: Sequence[tuple[str, str]], *, base: tuple[str, str]
) -> tuple[float, float, float]:
    """Share of pairs answered with the question's words passed over, as printed, and by the neighbour alone."""
    excluding = pairs_answered(vectors, pairs, base=base).mean()
    as_printed = pairs_answered(vectors, pairs, base=base, exclude_question=False).mean()
    return float(excluding), float(as_printed), float(neighbours_answered(vectors, pairs).mean())


def offset_length(vectors: WordVectors, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
    """For each pair (c, d) the length of x_d − x_c, both at unit length: 0 for one direction, √2 for a right angle.

    returns : (n,)
    """
    lengths = []
    for pair in pairs:
        c, d = (np.asarray(vectors[word], dtype=np.float64) for word in pair)
        lengths.append(np.linalg.norm(d / np.linalg.norm(d) - c / np.linalg.norm(c)))
    return np.array(lengths)


def planted_pairs(
    n_pairs: int, *, dim: int, length: float, rival: float, noise: float, rng: np.random.Generator
) -> tuple[WordVectors, list[tuple[str, str]]]:
    """Vectors in which the two words of each pair differ by one common offset, up to noise.

    Word `he0` has a random unit vector, `she0` the same plus the offset, `kin0` the same plus a vector of its own, and
    so on for `n_pairs` pairs; then every vector gets Gaussian noise. `kin0` is the near relative that a real word has
    (its plural, say): closer to `he0` than `she0` is when the offset is longer than `rival`.

    n_pairs : int, at least 2
    dim     : int, dimensions; random directions are nearly orthogonal when it is large
    length  : float > 0, length of the offset in units of a word's length
    rival   : float > 0, length of the vector that leads to the near relative, in the same units
    noise   : float ≥ 0, root mean square length of the noise, in the same units
    returns : vectors of 3·n_pairs words, and the pairs (he, she)
    """
    if n_pairs < 2 or dim < 1 or length <= 0 or rival <= 0 or noise < 0:
        raise ValueError(
            "expected n_pairs ≥ 2, dim ≥ 1, length > 0, rival > 0 and noise ≥ 0, "
            f"got {n_pairs}, {dim}, {length}, {rival}, {noise}"
        )

    def directions(count: int) -> NDArray[np.float64]:
        drawn: NDArray[np.float64] = rng.standard_normal((count, dim))
        drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
        return drawn

    bases = directions(n_pairs)
    matrix = np.concatenate([bases, bases + length * directions(1), bases + rival * directions(n_pairs)])
    matrix += noise / np.sqrt(dim) * rng.standard_normal(matrix.shape)
    words = [f"{kind}{i}" for kind in ("he", "she", "kin") for i in range(n_pairs)]
    return WordVectors(words, matrix, "planted pairs"), list(zip(words, words[n_pairs : 2 * n_pairs], strict=False))
