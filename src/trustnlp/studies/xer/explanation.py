"""The decisions of many clusters at once, and the cluster that is least certain."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd

from trustnlp.graphs import Partition, explain_cluster
from trustnlp.graphs.pair_graph import Ints

_MOST_AROUND = 14


def least_certain_cluster(found: Partition, decisions: pd.DataFrame, *, at_least: int) -> tuple[list[Hashable], Ints]:
    """Of the clusters with at least so many members, the one with the decision of smallest margin.

    Parameters
    ----------
    decisions
        What `explain_clusters` says.

    Returns
    -------
    Ids of its members; and positions of these and of the records with the heaviest edges to them.
    """
    sizes = found.labels.map(found.labels.value_counts())
    large = decisions[decisions["left"].map(sizes) >= at_least]
    members = found.clusters[found.labels.loc[large.loc[large["margin"].idxmin(), "left"]]]
    inside = [found.graph.places[name] for name in members]
    strength: dict[int, float] = {}
    for node in inside:
        for other, weight in found.graph.neighbours[node].items():
            if other not in inside:
                strength[other] = max(strength.get(other, 0.0), abs(weight))
    nearest = sorted(strength, key=lambda node: -strength[node])[: max(0, _MOST_AROUND - len(inside))]
    return members, np.array(sorted([*inside, *nearest]))


def explain_clusters(found: Partition, gold: pd.Series, *, at_most: int) -> pd.DataFrame:
    """Every scored decision of the first clusters of several members, each pair once, and whether it is wrong.

    Parameters
    ----------
    gold
        True entity of each id.
    at_most
        Number of clusters, in the order of `Partition.clusters`.

    Returns
    -------
    Columns of `explain_cluster`, and `wrong`: joined though the entities differ, or parted though they are the same.
    Pairs without a score are left out, as nothing can reverse those that are never joined.
    """
    clusters = [members for members in found.clusters if len(members) > 1][:at_most]
    table = pd.concat([explain_cluster(found, members[0]) for members in clusters], ignore_index=True)
    table = table[table["weight"].notna()]
    unordered = pd.Series([frozenset(pair) for pair in zip(table["left"], table["right"], strict=True)], table.index)
    table = table[~unordered.duplicated()].reset_index(drop=True)
    same = gold.loc[table["left"]].to_numpy() == gold.loc[table["right"]].to_numpy()
    return table.assign(wrong=table["together"].to_numpy(dtype=bool) != same)
