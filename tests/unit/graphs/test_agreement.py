"""Agreement of partitions, against counting all pairs one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused
from sklearn import metrics

from trustnlp.graphs.agreement import PairCounts, PartitionMetrics, pair_counts, partition_metrics

partitions = st.integers(1, 25).flatmap(
    lambda size: st.tuples(*[st.lists(st.integers(0, 9), min_size=size, max_size=size) for _ in range(2)])
)


def slow_counts(truth: list[int], found: list[int]) -> PairCounts:
    pairs = [(truth[i] == truth[j], found[i] == found[j]) for i, j in itertools.combinations(range(len(truth)), 2)]
    return PairCounts(pairs.count((True, True)), pairs.count((False, True)), pairs.count((True, False)))


@given(partitions)
def test_pairs_are_counted_as_one_by_one(both: tuple[list[int], list[int]]) -> None:
    truth, found = both
    counts = slow_counts(truth, found)
    assert pair_counts(truth, found) == counts
    hits, alarms, misses = counts
    ours = partition_metrics(truth, found)
    assert ours.precision == (hits / (hits + alarms) if hits + alarms else 1.0)
    assert ours.recall == (hits / (hits + misses) if hits + misses else 1.0)
    if hits:
        assert ours.f1 == pytest.approx(2 / (1 / ours.precision + 1 / ours.recall))
        assert ours.fowlkes_mallows == pytest.approx(metrics.fowlkes_mallows_score(truth, found))
    else:
        assert ours.f1 == ours.fowlkes_mallows == float(not alarms + misses)


@given(partitions)
def test_the_other_measures_are_those_of_their_definitions(both: tuple[list[int], list[int]]) -> None:
    """Homogeneity 1 - H(truth | found) / H(truth), the Rand index adjusted by the pairs expected to agree."""
    truth, found = both
    ours = partition_metrics(truth, found)
    size = len(truth)

    def entropy(labels: list) -> float:
        shares = pd.Series(labels).value_counts() / size
        return float(-(shares * np.log(shares)).sum())

    joint = entropy([f"{a}-{b}" for a, b in zip(truth, found, strict=True)])
    for one, other, share in ((truth, found, ours.homogeneity), (found, truth, ours.completeness)):
        whole = entropy(one)
        assert share == pytest.approx(1 - (joint - entropy(other)) / whole if whole > 1e-12 else 1.0, abs=1e-9)
    total = ours.homogeneity + ours.completeness
    assert ours.v_measure == pytest.approx(2 * ours.homogeneity * ours.completeness / total if total else 0, abs=1e-9)
    hits, alarms, misses = slow_counts(truth, found)
    in_found, in_truth, pairs = hits + alarms, hits + misses, math.comb(size, 2)
    expected = in_found * in_truth / pairs if pairs else 0.0
    most = (in_found + in_truth) / 2
    assert ours.adjusted_rand == pytest.approx((hits - expected) / (most - expected) if most != expected else 1.0)


@given(partitions)
def test_names_of_clusters_and_order_of_mentions_do_not_matter(both: tuple[list[int], list[int]]) -> None:
    truth, found = both
    order = np.random.default_rng(len(truth)).permutation(len(truth))
    renamed = pd.Series([("cluster", -label) for label in found]).iloc[order]
    other = partition_metrics(np.array(truth)[order].astype(str), renamed)
    for name, value in vars(partition_metrics(truth, found)).items():
        assert getattr(other, name) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("labels", [[0, 1, 2, 3], [0, 0, 0, 0], [0, 0, 1, 2], [5], []])
def test_equal_partitions_score_one_even_without_pairs(labels: list[int]) -> None:
    assert partition_metrics(labels, labels) == PartitionMetrics(*[1.0] * 8)


def test_many_mentions_are_counted_without_their_pairs() -> None:
    """Two hundred thousand mentions have twenty billion pairs, more than 32 bits."""
    counts = pair_counts(np.zeros(200_000, dtype=np.int8), np.arange(200_000) % 2)
    assert counts == (2 * math.comb(100_000, 2), 0, 100_000**2)


def test_a_mention_without_a_cluster_is_refused() -> None:
    assert_refused(
        lambda missing: partition_metrics([0, 1, 2], [0, missing, 2]),
        [(missing, "1 mentions have no cluster in `found`, the first at position 1") for missing in [None, math.nan]],
    )


def test_partitions_of_different_mentions_are_refused() -> None:
    with pytest.raises(ValueError, match="got 3 and 2 labels"):
        pair_counts([0, 1, 2], [0, 1])


@pytest.mark.parametrize("labels", [pd.DataFrame({"t": ["a", "b"]}), {"a", "b"}])
def test_a_table_or_a_set_has_no_order_of_labels(labels):
    with pytest.raises(ValueError, match="`truth` gives one label a mention"):
        partition_metrics(labels, labels)
