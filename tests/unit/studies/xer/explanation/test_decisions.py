"""Decisions on pairs of a clustering: which are wrong, and which cluster is least certain."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from trustnlp.graphs import PairGraph, partition_graph
from trustnlp.studies.xer.explanation.decisions import explain_clusters, least_certain_cluster


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
