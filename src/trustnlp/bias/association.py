"""The Word Embedding Association Test with a choice of measure and statistic, in one call.

Azarpanah and Farhadloo (2021), §2, after Caliskan, Bryson and Narayanan (2017).

>>> import numpy as np
>>> from trustnlp.bias import weat
>>> draw = np.random.default_rng(0).standard_normal
>>> words = [f"word{i}" for i in range(16)]
>>> vectors = dict(zip(words, draw((16, 10))))
>>> result = weat(vectors, test=(words[:4], words[4:8], words[8:12], words[12:]), measure="euclidean")
>>> result.n_partitions, result.method
(70, 'enumeration')
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.bias.covariance import CovarianceFit, shrunk_precision
from trustnlp.bias.measures import MEASURES, Measure, Orientation, check_choice, distance_matrix
from trustnlp.bias.permutation import Alternative, Method, PermutationResult, permutation_test
from trustnlp.bias.statistics import STATISTICS, Statistic, associations, effect_size
from trustnlp.data.weat_stimuli import WeatTest, read_weat_tests

SETS = ("X", "Y", "A", "B")


class Vectors(Protocol):
    """Anything that maps words to vectors: `WordVectors`, gensim's `KeyedVectors`, a dict."""

    def __contains__(self, word: Any, /) -> bool: ...
    def __getitem__(self, word: str, /) -> Any: ...


class StimuliError(ValueError):
    """The four sets do not make a test."""


class MissingWordsError(StimuliError):
    """Too many of a test's words have no vector."""


@dataclass(frozen=True)
class WeatResult:
    """Outcome of one association test.

    Attributes
    ----------
    test
        Number of the test, 0 for sets of one's own.
    measure, statistic, alternative
        What was computed.
    effect_size
        `d`: its absolute value under the alternative `absolute`; otherwise signed, positive when X is nearer to A and
        Y to B than the other way round (Eq. 2 has no direction: positive when its values are larger in X).
    p_value, p_low, p_high, method, n_partitions
        As in `PermutationResult`.
    missing
        Words without vector by set, e.g. `{"Y": ("axe",)}`; sets without such words are not listed.
    sizes
        Number of words used of X, Y, A, B.
    scores
        `(|X| + |Y|,)` the association of each target word, X first, with the sign of `effect_size`.
    covariance
        How the two precision matrices were estimated, if they were estimated here.
    """

    test: int
    measure: Measure
    statistic: Statistic
    alternative: Alternative
    effect_size: float
    p_value: float
    p_low: float
    p_high: float
    method: str
    n_partitions: int
    missing: dict[str, tuple[str, ...]]
    sizes: tuple[int, int, int, int]
    scores: NDArray[np.float64] = field(repr=False, compare=False)
    covariance: tuple[CovarianceFit, CovarianceFit] | None = field(default=None, repr=False, compare=False)


def weat(
    vectors: Vectors,
    test: int | WeatTest | Sequence[Sequence[str]] = 6,
    *,
    measure: Measure = "cosine",
    statistic: Statistic = "mean",
    signed: bool = False,
    ddof: int = 1,
    orientation: Orientation = "published",
    precision: tuple[ArrayLike, ArrayLike] | None = None,
    method: Method = "auto",
    draws: int = 100_000,
    rng: np.random.Generator | None = None,
    max_missing: float = 0.2,
) -> WeatResult:
    """Do the targets X lean to the attributes A, and Y to B?

    Parameters
    ----------
    vectors
        Maps words to vectors.
    test
        A number from 1 to 10, for which the word lists that wefe ships are fetched (from the package index, and the
        ones behind the published numbers); a `WeatTest`; or the four lists X, Y, A, B.
    measure, statistic
        See `trustnlp.bias.measures` and `trustnlp.bias.statistics`.
    signed
        False: `|d|` and the p-value of the absolute difference, as in the paper. True: signed `d` and the one-sided
        p-value of "X leans to A", as Caliskan et al. have it.
    ddof
        Of the standard deviation in `d`; 1 gives the published numbers.
    orientation
        See `trustnlp.bias.measures`; matters for the statistics `min` and `max` only.
    precision
        For `mahalanobis`: the inverse covariances of A and of B. Without it they are estimated from the attribute words
        by Ledoit-Wolf shrinkage (the paper: graphical lasso on enlarged sets, see `trustnlp.bias.covariance`).
    method, draws, rng
        Of the p-value, see `permutation_test`.
    max_missing
        Largest share of the words of a set that may lack a vector. Words that do are left out and listed in the result.

    Raises
    ------
    StimuliError
        Sets that are empty, overlap or have unequal numbers of targets; fewer than two known words in a set.
    MissingWordsError
        A larger share of a set than `max_missing` has no vector.
    ValueError
        Vectors with NaN or of length zero, equal scores throughout, unknown names, an unusable precision matrix.
    """
    check_choice("measure", measure, MEASURES)
    check_choice("statistic", statistic, STATISTICS)
    stimuli = Stimuli(vectors, resolve(test), max_missing)
    fits = None
    if measure == "mahalanobis" and precision is None:
        fits = (shrunk_precision(stimuli.A), shrunk_precision(stimuli.B))
        precision = (fits[0].precision, fits[1].precision)
    to_A, to_B = distances(stimuli, measure, precision, orientation)
    scores = directed(associations(to_A, to_B, statistic), measure, statistic, orientation)
    alternative: Alternative = "greater" if signed else "absolute"
    p = permutation_test(scores, stimuli.sizes[0], alternative=alternative, method=method, draws=draws, rng=rng)
    return result(stimuli, measure, statistic, alternative, scores, p, ddof, fits)


def resolve(test: int | WeatTest | Sequence[Sequence[str]]) -> WeatTest:
    """The test meant by a number, a test or four lists; StimuliError when its sets do not make one."""
    if isinstance(test, WeatTest):
        chosen = test
    elif isinstance(test, int):
        tests = read_weat_tests("wefe") if 1 <= test <= 10 else {}
        if test not in tests:
            raise StimuliError(f"there are the tests 1 to 10, got {test}; give four lists of words for another")
        chosen = tests[test]
    else:
        sets = list(test)
        if len(sets) != len(SETS) or any(isinstance(words, str) for words in sets):
            raise StimuliError(f"expected four lists of words (X, Y, A, B), got {len(sets)} items")
        X, Y, A, B = (tuple(words) for words in sets)
        chosen = WeatTest(0, "own sets", X, Y, A, B, SETS)
    _check_sets(chosen)
    return chosen


def _check_sets(test: WeatTest) -> None:
    sets = {name: getattr(test, name) for name in SETS}
    for name, words in sets.items():
        if not words:
            raise StimuliError(f"set {name} is empty")
        if len(set(words)) < len(words):
            twice = sorted({word for word in words if words.count(word) > 1})
            raise StimuliError(f"set {name} holds {', '.join(map(repr, twice))} more than once")
    for first, second in (("X", "Y"), ("A", "B")):
        both = sorted(set(sets[first]) & set(sets[second]))
        if both:
            raise StimuliError(f"{', '.join(map(repr, both))} are in both {first} and {second}; choose one side")
    if len(test.X) != len(test.Y):
        raise StimuliError(
            f"the target sets X and Y have {len(test.X)} and {len(test.Y)} words; the test is defined for equally many"
        )


class Stimuli:
    """The words of a test that have a vector, and their vectors.

    Attributes
    ----------
    test
        The test.
    T, A, B
        `(|X| + |Y|, d)`, `(|A|, d)` and `(|B|, d)`, float64: all targets, X first, and the attribute sets.
    sizes, missing
        As in `WeatResult`.

    Raises
    ------
    StimuliError, MissingWordsError, ValueError
        As for `weat`.
    """

    def __init__(self, vectors: Vectors, test: WeatTest, max_missing: float) -> None:
        self.test = test
        known = {name: [word for word in getattr(test, name) if word in vectors] for name in SETS}
        self.missing: dict[str, tuple[str, ...]] = {}
        for name, words in known.items():
            all_words: tuple[str, ...] = getattr(test, name)
            absent = tuple(word for word in all_words if word not in words)
            share = len(absent) / len(all_words)
            if absent:
                self.missing[name] = absent
            if len(words) < 2 or share > max_missing:
                shown = ", ".join(absent[:5]) + (", …" if len(absent) > 5 else "")
                need = "two known words are needed" if len(words) < 2 else f"at most {max_missing:.0%} may be missing"
                raise (MissingWordsError if absent else StimuliError)(
                    f"WEAT {test.number}, set {name}: {len(words)} of {len(all_words)} words known ({share:.0%} missing"
                    f"{': ' + shown if absent else ''}), but {need}; check the case of names or use other vectors"
                )
        X, Y, self.A, self.B = (self._stack(vectors, words) for words in known.values())
        dims = {len(M[0]) for M in (X, Y, self.A, self.B)}
        if len(dims) > 1:
            raise ValueError(f"the vectors have different dimensions: {sorted(dims)}")
        self.T = np.concatenate([X, Y])
        self.sizes = (len(X), len(Y), len(self.A), len(self.B))

    def _stack(self, vectors: Vectors, words: Iterable[str]) -> NDArray[np.float64]:
        rows = []
        for word in words:
            row = np.asarray(vectors[word], dtype=np.float64)
            if row.ndim != 1 or not np.isfinite(row).all() or not row.any():
                problem = f"has shape {row.shape}" if row.ndim != 1 else "is zero, NaN or infinite"
                raise ValueError(f"the vector of {word!r} {problem}; leave the word out or repair the vectors")
            rows.append(row)
        if len({len(row) for row in rows}) > 1:
            raise ValueError(f"the vectors have different dimensions: {sorted({len(row) for row in rows})}")
        return np.stack(rows)


def distances(
    stimuli: Stimuli, measure: Measure, precision: tuple[ArrayLike, ArrayLike] | None, orientation: Orientation
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`(T, A)` and `(T, B)`: the measure of all targets to A and to B, Mahalanobis with the precision of each."""
    of_A, of_B = precision if precision is not None else (None, None)
    return (
        distance_matrix(stimuli.T, stimuli.A, measure, precision=of_A, orientation=orientation),
        distance_matrix(stimuli.T, stimuli.B, measure, precision=of_B, orientation=orientation),
    )


def directed(
    scores: NDArray[np.float64], measure: Measure, statistic: Statistic, orientation: Orientation
) -> NDArray[np.float64]:
    """Scores whose sign says "nearer to A": the opposite of Eq. 1 for distances. Eq. 2 has no direction."""
    near_is_large = orientation == "similarity" or (orientation == "published" and measure == "cosine")
    return scores if near_is_large or statistic == "eq2" else -scores


def result(
    stimuli: Stimuli,
    measure: Measure,
    statistic: Statistic,
    alternative: Alternative,
    scores: NDArray[np.float64],
    p: PermutationResult,
    ddof: int,
    fits: tuple[CovarianceFit, CovarianceFit] | None,
) -> WeatResult:
    """All of it in one object."""
    d = effect_size(scores, stimuli.sizes[0], ddof=ddof)
    return WeatResult(
        test=stimuli.test.number,
        measure=measure,
        statistic=statistic,
        alternative=alternative,
        effect_size=abs(d) if alternative == "absolute" else d,
        p_value=p.p_value,
        p_low=p.p_low,
        p_high=p.p_high,
        method=p.method,
        n_partitions=p.n_partitions,
        missing=dict(stimuli.missing),
        sizes=stimuli.sizes,
        scores=scores,
        covariance=fits,
    )
