"""Hierarchical clustering by hand, and against the clusters that F-MWSP's code stored, which are dedupe's."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
import pytest

from trustnlp.graphs.agreement import pair_counts, partition_metrics
from trustnlp.graphs.hierarchical import hierarchical_clustering
from trustnlp.graphs.pair_graph import GraphError, PairGraph


def test_a_tree_by_hand() -> None:
    """0-1 merge at .1. Their centroid lies at sqrt(.2² - .1²/4) from 2, which is .19: below .195, above .18."""
    graph = PairGraph.from_pairs([0, 0, 1], [1, 2, 2], [0.9, 0.8, 0.8])
    assert math.sqrt(0.2**2 - 0.1**2 / 4) == pytest.approx(0.1936, abs=1e-4)
    assert hierarchical_clustering(graph, 0.805).tolist() == [0, 0, 0]
    assert hierarchical_clustering(graph, 0.82).tolist() == [0, 0, 1]
    assert hierarchical_clustering(graph, 0.91).tolist() == [0, 1, 2]


def test_clusters_may_hold_pairs_that_were_never_scored() -> None:
    chain = PairGraph.from_pairs("ab", "bc", [0.9, 0.9])
    assert hierarchical_clustering(chain, 0.5).tolist() == [0, 0, 1]
    assert hierarchical_clustering(chain, 0.2).tolist() == [0, 0, 0]


def test_a_pair_alone_must_exceed_the_threshold() -> None:
    graph = PairGraph.from_pairs(["a", "c"], ["b", "d"], [0.5, 0.6], nodes="abcde")
    assert hierarchical_clustering(graph).tolist() == [0, 1, 2, 2, 3]
    assert hierarchical_clustering(PairGraph.from_pairs([], [], [], nodes="ab")).tolist() == [0, 1]


def test_a_component_that_is_too_large_loses_its_weakest_pairs() -> None:
    """Logits 0, .8 and 4.6: all within one of the lowest go, and two at least."""
    graph = PairGraph.from_pairs("abc", "bcd", [0.5, 0.69, 0.99])
    assert hierarchical_clustering(graph, 0.01).tolist() == [0, 0, 0, 0]
    assert hierarchical_clustering(graph, 0.01, most_nodes=3).tolist() == [0, 1, 2, 2]


def test_what_is_no_probability_is_refused() -> None:
    with pytest.raises(GraphError, match="takes probabilities as weights, got -1 to"):
        hierarchical_clustering(PairGraph.from_pairs([0, 1], [1, 2], [-1.0, 0.5]))
    with pytest.raises(GraphError, match=r"between 0 and 1, got 1\.5"):
        hierarchical_clustering(PairGraph.from_pairs([0], [1], [0.5]), threshold=1.5)
    with pytest.raises(GraphError, match="at least two nodes"):
        hierarchical_clustering(PairGraph.from_pairs([0], [1], [0.5]), most_nodes=1)


@pytest.mark.mirror
@pytest.mark.parametrize(("name", "f1"), [("settlements", 95.27), ("csv_example", 94.37)])
def test_the_stored_clusters_of_fmwsp_are_found_at_one_half(mirror: Path, name: str, f1: float) -> None:
    folder = mirror / "entity_resolution" / "fmwsp"
    scores = pd.read_csv(folder / f"{name}_pair_scores.csv")
    stored = pd.read_csv(folder / f"{name}_clusters.csv").sort_values("id")
    graph = PairGraph.from_pairs(scores["id1"], scores["id2"], scores["dedupe_probability"], nodes=stored["id"])
    labels = hierarchical_clustering(graph)
    assert pair_counts(stored["hc_cluster"], labels)[1:] == (0, 0)
    assert pair_counts(stored["hc_cluster"], hierarchical_clustering(graph, 0.49))[1:] != (0, 0)
    assert round(100 * partition_metrics(stored["gold_cluster"], labels).f1, 2) == f1
