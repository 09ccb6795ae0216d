"""Which decisions are wrong, and which cluster is least certain."""

from __future__ import annotations

import pandas as pd

from trustnlp.graphs import PairGraph, partition_graph
from trustnlp.studies.xer.explanation import explain_clusters, least_certain_cluster


def test_least_certain_cluster_and_wrong_decisions() -> None:
    weights = [0.9, 0.2, 0.1, 0.8, 0.7, 0.6, -0.5]
    found = partition_graph(PairGraph.from_pairs([0, 1, 0, 3, 4, 3, 2], [1, 2, 2, 4, 5, 5, 3], weights))
    table = explain_clusters(found, pd.Series([0, 0, 1, 2, 2, 2]), at_most=10)
    assert len(table) == 7 and table["exact"].all()
    wrong = table.loc[table["wrong"], ["left", "right"]].to_numpy()
    assert set(map(frozenset, wrong)) == {frozenset((1, 2)), frozenset((0, 2))}
    members, nodes = least_certain_cluster(found, table, at_least=3)
    assert members == [0, 1, 2] and nodes.tolist() == [0, 1, 2, 3]
