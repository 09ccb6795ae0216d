"""The optimum beside two other clusterings of the same stored scores (Vadrevu et al. 2021, Tables 4 and 5)."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from trustnlp.data.linkage.stored_scores import StoredScores
from trustnlp.graphs import PairGraph, Partition, partition_graph
from trustnlp.graphs.agreement import pair_counts, partition_metrics
from trustnlp.graphs.hierarchical import hierarchical_clustering
from trustnlp.graphs.pair_graph import Absent

METHODS = {"optimum": "optimum", "fmwsp": "F-MWSP", "hierarchical": "hierarchical"}
"""The clusterings of Table 4 and how pages call them."""
_INDICES = ("adjusted_rand", "fowlkes_mallows")  # the others are printed in per cent


@dataclass(frozen=True, eq=False)
class StoredComparison:
    """Stored scores, the heaviest partition of them, and how well each clustering agrees with the gold.

    Attributes
    ----------
    metrics
        One row per clustering of `METHODS`, the measures of Table 5 as columns: indices from 0 to 1, the others in per
        cent.
    """

    scores: StoredScores
    found: Partition
    metrics: pd.DataFrame

    @property
    def gold(self) -> pd.Series:
        """True cluster of each record."""
        return self.scores.records["gold"]

    def value(self, labels: pd.Series) -> float:
        """Weight of any clustering of the records on these scores; a pair without a score weighs nothing."""
        return self.found.graph.value(labels.reindex(self.found.graph.ids).to_numpy())

    def unscored_inside(self, labels: pd.Series) -> int:
        """Pairs without a score that share a cluster."""
        return self.found.graph.absent_inside(labels.reindex(self.found.graph.ids).to_numpy())


def compare_stored(
    scores: StoredScores, *, absent: Absent = "never", time_limit: float = 60.0, workers: int = 1
) -> StoredComparison:
    """Partition the records on weights 2p − 1, and measure the result beside the stored clusterings."""
    pairs, records = scores.pairs, scores.records
    graph = PairGraph.from_pairs(pairs["left"], pairs["right"], scores.weights, nodes=records.index)
    found = partition_graph(graph, absent=absent, time_limit=time_limit, workers=workers)
    clusterings = {"optimum": found.labels.loc[records.index]} | {m: records[m] for m in ("fmwsp", "hierarchical")}
    rows = {name: asdict(partition_metrics(records["gold"], labels)) for name, labels in clusterings.items()}
    metrics = pd.DataFrame(rows).T
    percent = [column for column in metrics if column not in _INDICES]
    metrics[percent] *= 100
    return StoredComparison(scores, found, metrics)


def cuts_of_hierarchy(compared: StoredComparison, thresholds: list[float]) -> pd.DataFrame:
    """Hierarchical clustering cut at each threshold: its weight on the scores, and its F1 in per cent.

    Returns
    -------
    Indexed by threshold: `value`, `f1`.
    """
    graph, gold = compared.found.graph, compared.gold
    probabilities = PairGraph(graph.ids, graph.left, graph.right, (graph.weights + 1) / 2)
    rows = []
    for threshold in thresholds:
        labels = hierarchical_clustering(probabilities, threshold)
        agreed = partition_metrics(gold.reindex(graph.ids), labels)
        rows.append({"threshold": threshold, "value": graph.value(labels), "f1": 100 * agreed.f1})
    return pd.DataFrame(rows).set_index("threshold")


def best_f1_of_blocking(compared: StoredComparison) -> tuple[float, float]:
    """Recall and F1, in per cent, of keeping exactly the scored pairs that are true: no partition can do better.

    A true pair without a score counts as missed, even where transitivity would join it: the recall that blocking lets
    a clustering into cliques have.
    """
    pairs, gold = compared.scores.pairs, compared.gold
    same = gold.loc[pairs["left"]].to_numpy() == gold.loc[pairs["right"]].to_numpy()
    true = pair_counts(gold, gold).true_positives
    recall = float(np.count_nonzero(same)) / true
    return 100 * recall, 100 * 2 * recall / (1 + recall)
