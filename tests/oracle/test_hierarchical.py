"""Hierarchical clustering against dedupe's own, and against the clusters that F-MWSP's code stored."""

from __future__ import annotations

import logging
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustnlp.graphs.agreement import pair_counts, partition_metrics
from trustnlp.graphs.hierarchical import hierarchical_clustering
from trustnlp.graphs.pair_graph import GraphError, PairGraph


def random_scores(size: int, density: float, seed: int) -> PairGraph:
    """Scores in the single precision of dedupe, near 0 and near 1 as a classifier gives them."""
    rng = np.random.default_rng(seed)
    left, right = np.nonzero(np.triu(rng.random((size, size)) < density, 1))
    scores = rng.beta(0.4, 0.4, len(left)).clip(1e-4, 1 - 1e-4).astype(np.float32)
    return PairGraph(tuple(range(size)), left, right, scores.astype(float))


def dedupe_labels(graph: PairGraph, threshold: float, most_nodes: int) -> np.ndarray:
    clustering = pytest.importorskip("dedupe.clustering")
    scored = np.zeros(len(graph.weights), dtype=[("pairs", "i8", 2), ("score", "f4")])
    scored["pairs"], scored["score"] = np.stack([graph.left, graph.right], axis=1), graph.weights
    labels = np.arange(len(graph))
    for members, _ in clustering.cluster(scored, threshold, most_nodes):
        labels[list(members)] = min(members)
    return labels


random_graphs = st.builds(
    random_scores, st.integers(2, 40), st.sampled_from([0.03, 0.1, 0.3, 1.0]), st.integers(0, 999)
)


@given(random_graphs, st.sampled_from([0.1, 0.3, 0.5, 0.7, 0.9]), st.sampled_from([30_000, 12, 4]))
def test_same_clusters_as_dedupe(graph: PairGraph, threshold: float, most_nodes: int) -> None:
    logging.getLogger("dedupe.clustering").setLevel(logging.ERROR)
    if len(graph.weights):  # dedupe has no answer for no pairs
        try:
            theirs = dedupe_labels(graph, threshold, most_nodes)
        except ValueError:  # nor for a component of which no pair is left
            assert most_nodes < len(graph)
            return
        ours = hierarchical_clustering(graph, threshold, most_nodes=most_nodes)
        assert pair_counts(theirs, ours)[1:] == (0, 0)


def test_a_tree_by_hand() -> None:
    """0-1 merge at .1. Their centroid lies at sqrt(.2² - .1²/4) from 2, which is .19: below .195, above .18."""
    graph = PairGraph.from_pairs([0, 0, 1], [1, 2, 2], [0.9, 0.8, 0.8])
    assert math.sqrt(0.2**2 - 0.1**2 / 4) == pytest.approx(0.1936, abs=1e-4)
    assert hierarchical_clustering(graph, 0.805).tolist() == [0, 0, 0]
    assert hierarchical_clustering(graph, 0.82).tolist() == [0, 0, 1]
    assert hierarchical_clustering(graph, 0.805, "complete").tolist() == [0, 0, 1]
    assert hierarchical_clustering(graph, 0.91).tolist() == [0, 1, 2]


def test_clusters_may_hold_pairs_that_were_never_scored() -> None:
    chain = PairGraph.from_pairs("ab", "bc", [0.9, 0.9])
    assert hierarchical_clustering(chain, 0.5, "single").tolist() == [0, 0, 0]
    assert hierarchical_clustering(chain, 0.5, "complete").tolist() == [0, 0, 1]
    assert hierarchical_clustering(chain, 0.2).tolist() == [0, 0, 0]


def test_a_pair_alone_must_exceed_the_threshold() -> None:
    graph = PairGraph.from_pairs(["a", "c"], ["b", "d"], [0.5, 0.6], nodes="abcde")
    assert hierarchical_clustering(graph).tolist() == [0, 1, 2, 2, 3]
    assert hierarchical_clustering(PairGraph.from_pairs([], [], [], nodes="ab")).tolist() == [0, 1]


def test_a_component_that_is_too_large_loses_its_weakest_pairs() -> None:
    """Logits 0, .8 and 4.6: all within one of the lowest go, and two at least."""
    graph = PairGraph.from_pairs("abc", "bcd", [0.5, 0.69, 0.99])
    assert hierarchical_clustering(graph, 0.1, "single").tolist() == [0, 0, 0, 0]
    assert hierarchical_clustering(graph, 0.1, "single", most_nodes=3).tolist() == [0, 1, 2, 2]


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
