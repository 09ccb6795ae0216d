"""How well a partition of mentions agrees with the truth: pairwise F1 and the five measures of Table 5.

xER (Vadrevu et al. 2021, Tables 4 to 7) scores the pairs of mentions that share a cluster. A thousand mentions have
half a million pairs, so they are counted from the sizes of clusters and of their overlaps, never one by one.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score, homogeneity_completeness_v_measure
from sklearn.metrics.cluster import pair_confusion_matrix

from trustnlp.files.same_rows import check_no_tensors, in_one_order

Labels: TypeAlias = Sequence[Hashable] | NDArray[Any] | pd.Series | Mapping[Hashable, Hashable]


class PairCounts(NamedTuple):
    """Pairs of mentions that share a cluster: in both partitions, in the found one only, in the truth only."""

    true_positives: int
    false_positives: int
    false_negatives: int


@dataclass(frozen=True)
class PartitionMetrics:
    """Agreement of two partitions; each number is 1 where they are equal.

    Attributes
    ----------
    precision, recall, f1
        Over pairs that share a cluster. A share of no pairs is 1, since none of them is wrong: precision is 1 where
        each mention was found alone, and recall where each is alone in truth. F1 = 2 TP / (2 TP + FP + FN) is 1 where
        neither partition has a pair, and 0 where only one of them has.
    homogeneity, completeness, v_measure
        Rosenberg and Hirschberg (2007); natural logarithms cancel.
    adjusted_rand
        Hubert and Arabie (1985); about 0 for unrelated partitions, may be negative.
    fowlkes_mallows
        Geometric mean of precision and recall. Without any pair scikit-learn has 0; here it is 1 as F1.
    """

    precision: float
    recall: float
    f1: float
    homogeneity: float
    completeness: float
    v_measure: float
    adjusted_rand: float
    fowlkes_mallows: float


def pair_counts(truth: Labels, found: Labels) -> PairCounts:
    """Count pairs from the contingency table, in time and memory of the order of the mentions.

    Parameters
    ----------
    truth, found
        `(N,)` cluster of each mention, any hashable; the names of the two need not agree. Two Series, or dicts, are
        compared mention by mention, by their labels; lists and arrays by position.

    Raises
    ------
    ValueError
        If given different lengths or labels, not one-dimensional, or a mention without a cluster (NaN or None).

    >>> pair_counts("aabbc", [1, 1, 1, 2, 3])
    PairCounts(true_positives=1, false_positives=2, false_negatives=1)
    """
    (_, alarms), (misses, hits) = pair_confusion_matrix(*_codes(truth, found)).tolist()
    return PairCounts(hits // 2, alarms // 2, misses // 2)  # each pair is counted in both directions


def partition_metrics(truth: Labels, found: Labels) -> PartitionMetrics:
    """All measures of Table 5 with precision and recall; arguments and errors as in `pair_counts`.

    >>> measures = partition_metrics("aabbc", [1, 1, 1, 2, 3])
    >>> round(measures.f1, 2), round(measures.adjusted_rand, 2)
    (0.4, 0.21)
    """
    hits, alarms, misses = pair_counts(truth, found)
    precision = hits / (hits + alarms) if hits + alarms else 1.0
    recall = hits / (hits + misses) if hits + misses else 1.0
    truth_code, found_code = _codes(truth, found)
    with warnings.catch_warnings():
        # scikit-learn takes many small clusters for a regression target.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        homogeneity, completeness, v_measure = homogeneity_completeness_v_measure(truth_code, found_code)
        adjusted_rand = adjusted_rand_score(truth_code, found_code)
    return PartitionMetrics(
        precision=precision,
        recall=recall,
        f1=2 * hits / (2 * hits + alarms + misses) if hits + alarms + misses else 1.0,
        homogeneity=float(homogeneity),
        completeness=float(completeness),
        v_measure=float(v_measure),
        adjusted_rand=float(adjusted_rand),
        fowlkes_mallows=math.sqrt(precision * recall),
    )


def _codes(truth: Labels, found: Labels) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Clusters as whole numbers from 0."""
    codes = []
    check_no_tensors(truth=truth, found=found)
    truth, found = in_one_order(truth=truth, found=found)
    for name, labels in (("truth", truth), ("found", found)):
        if isinstance(labels, pd.DataFrame | AbstractSet):
            raise ValueError(
                f"`{name}` gives one label a mention, in order: a list, array or Series, no table and no set"
            )
        series = pd.Series(list(labels), dtype=object)
        code = pd.factorize(series)[0]
        if (missing := np.flatnonzero(code < 0)).size:
            raise ValueError(
                f"{missing.size} mentions have no cluster in `{name}`, the first at position {missing[0]}; give a "
                "mention that is alone a cluster of its own"
            )
        codes.append(code.astype(np.int64))
    if len(codes[0]) != len(codes[1]):
        raise ValueError(f"both partitions are of the same mentions, got {len(codes[0])} and {len(codes[1])} labels")
    return codes[0], codes[1]
