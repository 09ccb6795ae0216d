"""What the chapter on entity resolution measures: on made scores with known answers, and on the mirror's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from trustnlp.data.ecbplus import planted_chains
from trustnlp.data.stored_scores import StoredScores, read_stored_scores
from trustnlp.graphs import GraphError, PairGraph, partition_graph
from trustnlp.graphs.agreement import partition_metrics
from trustnlp.graphs.packing import quadratic_set_packing
from trustnlp.studies.xer.coreference_graphs import (
    draw_graph,
    f1_of_largest,
    measure_draws,
    time_formulations,
    truth_as_weights,
)
from trustnlp.studies.xer.decisions import explain_clusters, least_certain_cluster
from trustnlp.studies.xer.recalibration import recalibrate_folds
from trustnlp.studies.xer.stored_comparison import best_f1_of_blocking, compare_stored, cuts_of_hierarchy


def made_scores() -> StoredScores:
    """Two entities of three records; one of them loses a pair, and one pair across looks true."""
    rows = [(0, 1, 0.9), (0, 2, 0.8), (1, 2, 0.3), (3, 4, 0.95), (4, 5, 0.9), (2, 3, 0.6)]
    pairs = pd.DataFrame(rows, columns=["left", "right", "probability"])
    records = pd.DataFrame(
        {"gold": [0, 0, 0, 1, 1, 1], "fmwsp": [0, 0, 0, 1, 1, 1], "hierarchical": [0, 0, 1, 2, 2, 3], "name": "x"}
    )
    return StoredScores(pairs, records)


def test_each_clustering_is_compared_with_the_gold() -> None:
    compared = compare_stored(made_scores())
    assert compared.found.clusters == [[0, 1, 2], [3, 4], [5]]
    assert compared.metrics.loc["fmwsp", "f1"] == 100 and compared.metrics.loc["fmwsp", "adjusted_rand"] == 1
    assert compared.metrics.loc["optimum", "f1"] == pytest.approx(100 * 2 * 4 / (4 + 6))
    # 3 and 5 have no score: they weigh nothing, and are one pair without a score.
    assert compared.value(compared.gold) == pytest.approx(0.8 + 0.6 - 0.4 + 0.9 + 0.8)
    assert compared.unscored_inside(compared.gold) == 1
    # Where missing scores weigh nothing, the one false score joins both entities.
    assert compare_stored(made_scores(), absent="zero").found.clusters == [[0, 1, 2, 3, 4, 5]]


def test_blocking_bounds_recall_and_f1() -> None:
    recall, f1 = best_f1_of_blocking(compare_stored(made_scores()))
    assert recall == pytest.approx(100 * 5 / 6) and f1 == pytest.approx(100 * 10 / 11)


def test_cuts_of_a_hierarchy_have_the_weight_of_their_clusters() -> None:
    cuts = cuts_of_hierarchy(compare_stored(made_scores()), [0.01, 0.5, 0.99])
    assert cuts.loc[0.99, "value"] == 0 and cuts.loc[0.99, "f1"] == 0
    assert cuts.loc[0.5, "value"] <= compare_stored(made_scores()).found.value


@pytest.mark.parametrize(("name", "f1", "value"), [("settlements", 95.74, 3828.314), ("csv_example", 95.11, 5730.599)])
def test_the_optimum_of_the_stored_scores(mirror: Path, name: str, f1: float, value: float) -> None:
    compared = compare_stored(read_stored_scores(name))
    assert compared.found.optimal and compared.found.value == pytest.approx(value, abs=5e-4)
    assert compared.found.check() == pytest.approx(compared.found.value, rel=1e-9)
    assert compared.metrics.loc["optimum", "f1"] == pytest.approx(f1, abs=0.005)


def test_ground_truth_is_found_unless_the_number_of_parts_is_bounded() -> None:
    chains = [0, 0, 1, 1, 2, 2, 3]
    graph = truth_as_weights(chains)
    assert partition_metrics(chains, partition_graph(graph).codes).f1 == 1
    for parts in (1, 2, 3):
        packed = quadratic_set_packing(graph, parts, 30.0)
        assert 100 * partition_metrics(chains, packed.labels).f1 == pytest.approx(f1_of_largest(chains, parts))


def test_draws_are_of_their_seed_and_lose_edges_with_the_threshold() -> None:
    chains = planted_chains(16, 3.0, np.random.default_rng(0))
    table = measure_draws(chains, [0, 1], [-0.7, -0.2], most_cliques=100_000)
    assert table.equals(measure_draws(chains, [0, 1], [-0.7, -0.2], most_cliques=100_000))
    edges = table.pivot(index="seed", columns="threshold", values="edges")
    assert (edges[-0.7] > edges[-0.2]).all() and table["optimal"].all()
    assert (table["all"] >= table["maximal"] - 16).all()
    assert measure_draws(chains, [0], [-0.7], most_cliques=10)["all"].isna().all()


def test_formulations_agree_and_say_when_they_were_stopped() -> None:
    graph = draw_graph(planted_chains(16, 3.0, np.random.default_rng(1)), 1).above(-0.2)
    names = ["cliques", "direct", "at_once", "quadratic", "packing"]
    timed = time_formulations(graph, names, partitions=8, time_limit=60)
    assert timed.index.tolist() == names and timed["optimal"].all() and (timed["seconds"] > 0).all()
    values = timed.loc[names[1:], "value"].astype(float)
    assert values.max() - values.min() < 1e-6
    assert timed.loc["quadratic", "columns"] > timed.loc["direct", "columns"] == len(graph.weights)
    stopped = time_formulations(graph, ["direct"], partitions=8, time_limit=1e-6).loc["direct"]
    assert not stopped["optimal"] and stopped["seconds"] == 1e-6


def test_a_program_too_large_to_build_counts_as_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object) -> None:
        raise GraphError("too large")

    monkeypatch.setattr("trustnlp.studies.xer.coreference_graphs.set_packing", refuse)
    graph = draw_graph(planted_chains(8, 3.0, np.random.default_rng(1)), 1)
    row = time_formulations(graph, ["packing"], partitions=2, time_limit=5.0).loc["packing"]
    assert not row["optimal"] and row["seconds"] == 5.0 and row["columns"] > 0


def test_least_certain_cluster_and_wrong_decisions() -> None:
    weights = np.full((6, 6), np.nan)
    for u, v, w in [(0, 1, 0.9), (1, 2, 0.2), (0, 2, 0.1), (3, 4, 0.8), (4, 5, 0.7), (3, 5, 0.6), (2, 3, -0.5)]:
        weights[u, v] = weights[v, u] = w
    found = partition_graph(PairGraph.from_matrix(weights))
    gold = pd.Series([0, 0, 1, 2, 2, 2])
    table = explain_clusters(found, gold, at_most=10)
    assert len(table) == 7 and table["exact"].all()
    wrong = {frozenset(pair) for pair in table.loc[table["wrong"], ["left", "right"]].to_numpy().tolist()}
    assert wrong == {frozenset((1, 2)), frozenset((0, 2))}
    shaky = least_certain_cluster(found, table, at_least=3)
    assert shaky.members == [0, 1, 2] and shaky.margin == pytest.approx(0.3) and shaky.nodes.tolist() == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="no decision is on a cluster of 4"):
        least_certain_cluster(found, table, at_least=4)


def test_calibration_across_halves_repairs_overconfident_scores() -> None:
    rng = np.random.default_rng(0)
    n = 400
    gold = pd.Series(np.repeat(np.arange(n // 2), 2))
    rows = [(2 * k, 2 * k + 1, 0.9) for k in range(n // 2)]
    rows += [(2 * k, 2 * j + 1, 0.6) for k, j in zip(range(n // 2), rng.permutation(n // 2), strict=True) if k != j]
    pairs = pd.DataFrame(rows, columns=["left", "right", "probability"])
    records = pd.DataFrame({"gold": gold, "fmwsp": gold, "hierarchical": gold, "name": "x"})
    result = recalibrate_folds(StoredScores(pairs, records), 0)
    assert result.error_after < result.error_before / 4
    assert result.f1_after == 100
