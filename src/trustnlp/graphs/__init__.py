"""Graphs of scored pairs: maximal cliques, clique partitioning with proofs, explanations of its decisions."""

from trustnlp.graphs.explanation import explain_cluster, explain_pair
from trustnlp.graphs.pair_graph import GraphError, PairGraph
from trustnlp.graphs.partitioning import Partition, partition, partition_graph

__all__ = [
    "GraphError", "PairGraph", "Partition", "explain_cluster", "explain_pair", "partition", "partition_graph",
]  # fmt: skip
