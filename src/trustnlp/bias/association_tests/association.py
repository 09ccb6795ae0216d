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

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.bias.association_tests.covariance import shrunk_precision
from trustnlp.bias.association_tests.measures import MEASURES, Measure, Orientation, check_choice, distance_matrix
from trustnlp.bias.association_tests.permutation import Alternative, Method, PermutationResult, permutation_test
from trustnlp.bias.association_tests.statistics import STATISTICS, Statistic, associations, effect_size
from trustnlp.bias.association_tests.stimuli import Stimuli
from trustnlp.bias.association_tests.word_sets import WordSets, resolve
from trustnlp.data.words.weat_stimuli import WeatTest


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
        Signed `d` under every alternative: positive when X is nearer to A and Y to B than the other way round (Eq. 2
        has no direction: positive when its values are larger in X). The paper prints its absolute value.
    p_value, p_low, p_high, method, n_partitions
        As in `PermutationResult`.
    missing
        Words without vector by set, e.g. `{"Y": ("axe",)}`; sets without such words are not listed.
    built
        Words by set whose vectors were built from character n-grams (`subwords=True`), as for `missing`.
    sizes
        Number of words used of X, Y, A, B.
    raw_sum
        `s(X, Y, A, B)` before it is divided by anything: the sum of the associations of X less that of Y, signed like
        `effect_size`. With unequal sizes it grows with the larger set.
    scores
        `(|X| + |Y|,)` the association of each target word, X first, with the sign of `effect_size`.
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
    raw_sum: float
    scores: NDArray[np.float64] = field(repr=False, compare=False)
    built: dict[str, tuple[str, ...]] = field(default_factory=dict)


def weat(
    vectors: Any,
    test: int | str | WeatTest | WordSets = 6,
    *,
    measure: Measure = "cosine",
    statistic: Statistic = "mean",
    alternative: Alternative = "absolute",
    ddof: int = 1,
    orientation: Orientation = "published",
    precision: tuple[ArrayLike, ArrayLike] | None = None,
    pooled: bool = False,
    method: Method = "auto",
    draws: int = 100_000,
    rng: np.random.Generator | None = None,
    max_missing: float = 0.2,
    lower: bool = False,
    subwords: bool = False,
) -> WeatResult:
    """Do the targets X lean to the attributes A, and Y to B?

    >>> vectors = {"rose": [1, 1], "tulip": [1, 2], "wasp": [-1, 1], "flea": [-1, 2]}
    >>> vectors |= {"good": [1, 0], "kind": [2, 1], "bad": [-1, 0], "vile": [-2, 1]}
    >>> result = weat(vectors, [["rose", "tulip"], ["wasp", "flea"], ["good", "kind"], ["bad", "vile"]])
    >>> round(result.effect_size, 2), round(result.p_value, 2), result.n_partitions
    (1.69, 0.33, 6)

    Parameters
    ----------
    vectors
        Maps words to vectors: a dict, `WordVectors`, gensim's `KeyedVectors`, or a gensim model (its `wv`).
    test
        A number from 1 to 10 (the lists behind the published numbers, `read_weat_tests()`), a `WeatTest`, the four
        lists X, Y, A, B, or a mapping of four sets; see `trustnlp.bias.association_tests.word_sets.resolve`.
    measure, statistic
        See `trustnlp.bias.association_tests.measures` and `trustnlp.bias.association_tests.statistics`.
    alternative
        Which side the p-value counts, as for `permutation_test` and `battery`. `absolute`, the default, is two-sided:
        honest where no side was fixed before looking. `greater` is the one-sided test of "X leans to A", as Caliskan
        et al. have it, for a side that was fixed beforehand. `observed` takes the side that was seen, which doubles
        the level; the stars of the paper's Table 4 follow it.
    ddof
        Of the standard deviation in `d`; 1 gives the published numbers.
    orientation
        See `trustnlp.bias.association_tests.measures`; matters for the statistics `min` and `max` only.
    precision
        For `mahalanobis`: the inverse covariances of A and of B. Without it they are estimated from the attribute words
        by Ledoit-Wolf shrinkage (the paper: graphical lasso on enlarged sets, see
        `trustnlp.bias.association_tests.covariance`).
    pooled
        Estimate one covariance from the words of A and B together. False: one for each, so that the distances to A and
        to B have different scales. The paper's `Σ_A` fits both readings.
    method, draws, rng
        Of the p-value, see `permutation_test`.
    max_missing
        Largest share of the words of a set that may lack a vector. Words that do are left out and listed in the result.
    lower
        Look the words up in lower case, for vectors whose vocabulary is.
    subwords
        Build words that are not in the vocabulary from character n-grams where the vectors can (fastText), and list
        them in the result as `built`. False: such words are missing.

    Raises
    ------
    StimuliError
        If given sets that are empty or overlap (a target that is also an attribute included); fewer than two known
        words in a set; something that is no test.
    MissingWordsError
        If a larger share of a set than `max_missing` has no vector.
    ValueError
        If given vectors with NaN or of length zero, equal scores throughout, unknown names, an unusable precision
        matrix, or `pooled` beside matrices that are given.
    """
    check_choice("measure", measure, MEASURES)
    check_choice("statistic", statistic, STATISTICS)
    stimuli = Stimuli(vectors, resolve(test), max_missing, lower=lower, subwords=subwords)
    if precision is not None and pooled:
        raise ValueError("pooled=True estimates the covariance, precision= gives it; choose one")
    if measure == "mahalanobis" and precision is None:
        precision = shrunk_precisions(stimuli, pooled)
    to_A, to_B = distances(stimuli, measure, precision, orientation)
    scores = directed(associations(to_A, to_B, statistic), measure, statistic, orientation)
    p = permutation_test(scores, stimuli.sizes[0], alternative=alternative, method=method, draws=draws, rng=rng)
    return result(stimuli, measure, statistic, alternative, scores, p, ddof)


def shrunk_precisions(stimuli: Stimuli, pooled: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ledoit-Wolf estimates for A and for B: one each, or (`pooled`) twice that of their union."""
    if pooled:
        fit = shrunk_precision(np.concatenate([stimuli.A, stimuli.B]))
        return fit, fit
    return shrunk_precision(stimuli.A), shrunk_precision(stimuli.B)


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
) -> WeatResult:
    """All of it in one object."""
    n_x = stimuli.sizes[0]
    return WeatResult(
        test=stimuli.test.number,
        measure=measure,
        statistic=statistic,
        alternative=alternative,
        effect_size=effect_size(scores, n_x, ddof=ddof),
        **vars(p),
        missing=dict(stimuli.missing),
        sizes=stimuli.sizes,
        raw_sum=float(scores[:n_x].sum() - scores[n_x:].sum()),
        scores=scores,
        built=dict(stimuli.built),
    )
