"""Many association tests on one embedding: tests × measures × statistics.

Azarpanah and Farhadloo (2021), §4, Table 4.

The distances of a test are computed once for its five statistics, and the inverse covariance of an attribute set once
for all tests that use it (tests 1 to 4 share their pleasant words).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.bias.association_tests.association import WeatResult, directed, distances, result
from trustnlp.bias.association_tests.covariance import Estimator, HasNeighbours, enlarge, fit_precision
from trustnlp.bias.association_tests.measures import MEASURES, Measure, Orientation, check_choice
from trustnlp.bias.association_tests.permutation import Alternative, permutation_test
from trustnlp.bias.association_tests.statistics import STATISTICS, Statistic, associations
from trustnlp.bias.association_tests.stimuli import Lookup, Stimuli
from trustnlp.bias.association_tests.word_sets import MissingWordsError, WordSets, resolve
from trustnlp.data.words.weat_stimuli import WeatTest


def battery(
    vectors: Any,
    tests: Iterable[int | str | WeatTest | WordSets],
    *,
    measures: Sequence[Measure] = MEASURES,
    statistics: Sequence[Statistic] = STATISTICS,
    alternative: Alternative = "absolute",
    ddof: int = 1,
    orientation: Orientation = "published",
    precisions: Mapping[tuple[str, ...], ArrayLike] | None = None,
    covariance: Estimator = "ledoit_wolf",
    neighbours: int = 0,
    pooled: bool = False,
    incomplete: Literal["raise", "skip"] = "raise",
    max_missing: float = 0.2,
    lower: bool = False,
    subwords: bool = False,
) -> list[WeatResult]:
    """All tests with all measures and statistics, with exact (or proven) p-values.

    Parameters
    ----------
    vectors, alternative, ddof, orientation, max_missing, lower, subwords
        As for `weat`.
    tests
        What `weat` takes as `test`.
    precisions
        Inverse covariance `(d, d)` by attribute set, the key being the set's words as they are looked up. Sets that
        are not there are estimated.
    covariance, neighbours
        Estimator of missing precisions, and by how many near neighbours each attribute word is enlarged before
        (needs `vectors.nearest`).
    pooled
        One covariance of A and B together, each with its neighbours; the key in `precisions` is then A followed by B.
    incomplete
        `skip` leaves out tests whose words are missing beyond `max_missing`; `raise` stops at the first.

    Returns
    -------
    list of WeatResult
        By test, measure and statistic, in the order given.

    Raises
    ------
    StimuliError, MissingWordsError, CovarianceError, ValueError
        If `weat` or `fit_precision` would raise it.
    """
    check_choice("incomplete", incomplete, ("raise", "skip"))
    known = dict(precisions or {})
    results = []
    lookup = Lookup(vectors, subwords=subwords)
    for test in tests:
        try:
            stimuli = Stimuli(vectors, resolve(test), max_missing, lower=lower, subwords=subwords)
        except MissingWordsError:
            if incomplete == "raise":
                raise
            continue
        for measure in measures:
            precision = None
            if measure == "mahalanobis":
                A, B = stimuli.test.A, stimuli.test.B
                used = (A + B, A + B) if pooled else (A, B)
                for words in used:
                    if words not in known:
                        known[words] = fit_attribute_set(lookup, words, covariance, neighbours)
                precision = (known[used[0]], known[used[1]])
            to_A, to_B = distances(stimuli, measure, precision, orientation)
            for statistic in statistics:
                scores = directed(associations(to_A, to_B, statistic), measure, statistic, orientation)
                p = permutation_test(scores, stimuli.sizes[0], alternative=alternative)
                results.append(result(stimuli, measure, statistic, alternative, scores, p, ddof))
    return results


def fit_attribute_set(
    lookup: Lookup, words: Sequence[str], estimator: Estimator, neighbours: int
) -> NDArray[np.float64]:
    """Inverse covariance of the known words of an attribute set and `neighbours` near neighbours of each.

    Raises
    ------
    ValueError
        If neighbours are asked of vectors that cannot find them.
    CovarianceError
        If `fit_precision` would raise it.
    """
    used = [word for word in words if word in lookup]
    if neighbours:
        vectors = lookup.vectors
        if not isinstance(vectors, HasNeighbours):
            raise ValueError(
                f"{type(vectors).__name__} cannot find near neighbours; wrap it in WordVectors or use neighbours=0"
            )
        used = enlarge(words, vectors, neighbours)
    return fit_precision(np.stack([np.asarray(lookup[word], dtype=np.float64) for word in used]), estimator)
