"""Partition pairs that no one process holds: workers read them in parts, find the components together, and solve.

Not in the paper, which says only that connected components are independent and so "parallelizable" (Vadrevu et al.
2021, §7). What travels between workers grows with the nodes, not with the pairs:

1. each part becomes a *forest*, its nodes and for each the first node of its component among the positive pairs of that
   part. Two forests are joined like two parts, until one is left: its components are those of all pairs;
2. each part is read again, and sends the pairs within a component to the *bucket* of that component. Pairs across two
   components add nothing to the best partition (`trustnlp.graphs.partitioning`);
3. each bucket is solved and its proofs are checked where it lies. Labels and sums come back, certificates do not.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from trustnlp.files.missing_values import missing_rows
from trustnlp.graphs.pair_files import read_pairs
from trustnlp.graphs.pair_graph import Absent, GraphError, PairGraph, check_one_form, first_of_each, in_one_form
from trustnlp.graphs.partitioning import at_scheduler, partition_graph

Columns = tuple[str | None, str | None, str | None]
_BUCKETS_A_PART = 4


@dataclass(frozen=True, eq=False)
class PartsPartition:
    """A partition of pairs that lay in parts.

    Attributes
    ----------
    labels
        Cluster of each node, by its id.
    value, bound
        Weight of the partition, and a bound that no partition exceeds, proven where the pairs lay.
    absent
        What a pair without a row meant.
    components, unsettled
        Components of several nodes, and how many of them are not solved to proven optimality.
    seconds
        Wall time.
    """

    labels: pd.Series
    value: float
    bound: float
    absent: Absent
    components: int
    unsettled: int
    seconds: float

    @property
    def optimal(self) -> bool:
        """Whether every component is solved to proven optimality."""
        return not self.unsettled

    @property
    def gap(self) -> float:
        """How much heavier another partition might be."""
        return max(self.bound - self.value, 0.0)


def partition_parts(
    parts: Any,
    *,
    left: str | None = None,
    right: str | None = None,
    score: str | None = None,
    cut: float | None = None,
    absent: Absent = "never",
    time_limit: float = 60.0,
    buckets: int | None = None,
    scheduler: str | None = None,
) -> PartsPartition:
    """Cluster the mentions of scored pairs that lie in parts, each read by whichever worker gets it.

    Parameters
    ----------
    parts
        Files (CSV or Parquet, at a place that the workers reach), tables, delayed tables, or one Dask dataframe. A
        file is read twice, whatever else is kept by the workers in between. A pair may stand in any part, and once in
        each direction.
    left, right, score
        Names of the columns, as for `trustnlp.graphs.pair_files.read_pairs`; of tables `left`, `right` and `score`.
    cut
        Score that speaks neither for nor against: what a file says of itself, else 0.
    absent, time_limit
        As for `trustnlp.graphs.partitioning.partition_graph`.
    buckets
        Groups of components that are solved one by one, each in one worker's memory; four for each part by default.
    scheduler
        Address of a Dask scheduler; without it the present client's, or this process's threads.

    Raises
    ------
    SchedulerError
        If no scheduler answers at the address.
    GraphError
        If there are no parts, a missing column or id, a score that is no finite number, or what `PairGraph.from_pairs`
        refuses of the pairs within a component.

    Examples
    --------
    >>> one = pd.DataFrame([("a", "b", 0.9), ("x", "y", 0.7)], columns=["left", "right", "score"])
    >>> other = pd.DataFrame([("b", "c", 0.8), ("a", "c", 0.1)], columns=["left", "right", "score"])
    >>> found = partition_parts([one, other], cut=0.5)
    >>> found.labels.to_dict(), found.optimal
    ({'a': 0, 'x': 1, 'b': 0, 'y': 1, 'c': 2}, True)
    """
    from dask.base import compute
    from dask.delayed import delayed

    if absent not in get_args(Absent):
        raise GraphError(f"absent is one of {', '.join(get_args(Absent))}, got {absent!r}")
    begun = time.monotonic()
    listed = list(parts.to_delayed()) if hasattr(parts, "to_delayed") else list(parts)
    if not listed:
        raise GraphError("there are no parts; give files, tables or a Dask dataframe")
    number = buckets or _BUCKETS_A_PART * len(listed)
    how = ((left, right, score), cut)
    forests = [delayed(_forest)(part, *how) for part in listed]
    while len(forests) > 1:
        pairs = zip(forests[::2], forests[1::2], strict=False)
        forests = [delayed(_join)(*pair) for pair in pairs] + forests[len(forests) & ~1 :]
    home = delayed(_homes)(forests[0])
    sent = [delayed(_split, nout=number)(part, *how, home, number) for part in listed]
    solved = [delayed(_solve)([pieces[n] for pieces in sent], absent, time_limit) for n in range(number)]
    with at_scheduler(scheduler):
        (nodes, *buckets_solved) = compute(home, *solved)
    return _gathered(nodes.index, buckets_solved, time.monotonic() - begun)


def _read(part: Any, columns: Columns, cut: float | None) -> pd.DataFrame:
    """Columns `left`, `right`, `weight` of one part."""
    if isinstance(part, str | os.PathLike):
        pairs = read_pairs(part, left=columns[0], right=columns[1], score=columns[2])
        table, middle = pairs.table, cut if cut is not None else pairs.cut or 0.0
    else:
        names = [asked or usual for asked, usual in zip(columns, ("left", "right", "score"), strict=True)]
        if lacking := [name for name in names if name not in part.columns]:
            raise GraphError(f"a part has no column {lacking[0]!r}; it has {', '.join(map(str, part.columns))}")
        table, middle = part[names].set_axis(["left", "right", "score"], axis=1), cut or 0.0
    weights = pd.to_numeric(table["score"], errors="coerce").to_numpy(dtype=float, na_value=np.nan) - middle
    if (wrong := np.flatnonzero(~np.isfinite(weights))).size:
        wrong_score = table["score"].iloc[wrong[0]]
        raise GraphError(f"row {wrong[0] + 1} of a part has the score {wrong_score}; scores are finite numbers")
    absent = (missing_rows(table["left"]) | missing_rows(table["right"])).to_numpy()
    if absent.any():
        row = int(np.flatnonzero(absent)[0]) + 1
        raise GraphError(f"row {row} of a part has no id (NaN, None or an empty string)")
    one, other = in_one_form(table["left"], table["right"])
    return pd.DataFrame({"left": one, "right": other, "weight": weights})


def _forest(part: Any, columns: Columns, cut: float | None) -> pd.Series:
    """The nodes of a part, each with the first node of its component among the positive pairs."""
    table = _read(part, columns, cut)
    return _roots(table["left"], table["right"], table["weight"].to_numpy() > 0)


def _join(one: pd.Series, other: pd.Series) -> pd.Series:
    both = pd.concat([one, other])
    return _roots(both.index.to_series(), both, np.ones(len(both), dtype=bool))


def _roots(left: pd.Series, right: pd.Series, joined: NDArray[np.bool_]) -> pd.Series:
    """For each node the first node of its component in the graph of the joined pairs."""
    ends = np.concatenate([np.asarray(left, dtype=object), np.asarray(right, dtype=object)])
    codes, ids = pd.factorize(ends)
    one, other = codes[: len(left)][joined], codes[len(left) :][joined]
    edges = coo_array((np.ones(len(one)), (one, other)), shape=(len(ids), len(ids)))
    labels = connected_components(edges, directed=False)[1] if len(ids) else codes
    return pd.Series(ids[first_of_each(labels)], index=pd.Index(ids, tupleize_cols=False, dtype=object), dtype=object)


def _homes(forest: pd.Series) -> pd.Series:
    """The number of each node's component, the largest counted first; -1 for a node that is one by itself."""
    check_one_form(forest.index)
    codes = pd.factorize(forest.to_numpy())[0]
    sizes = np.bincount(codes)
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return pd.Series(np.where(sizes[codes] > 1, rank[codes], -1), index=forest.index)


def _split(part: Any, columns: Columns, cut: float | None, home: pd.Series, buckets: int) -> list[pd.DataFrame]:
    """The pairs within a component, by bucket: components are dealt out by size, so that buckets are alike."""
    table = _read(part, columns, cut)
    one, other = (
        home.to_numpy()[home.index.get_indexer(pd.Index(table[end], tupleize_cols=False, dtype=object))]
        for end in ("left", "right")
    )
    inside = (one == other) & (one >= 0) | (table["left"] == table["right"]).to_numpy()
    table, bucket = table[inside], np.maximum(one[inside], 0) % buckets
    return [table[bucket == number] for number in range(buckets)]


def _solve(pieces: Sequence[pd.DataFrame], absent: Absent, time_limit: float) -> PartsPartition:
    """Solve one bucket, and check the proofs of its bound."""
    pairs = pd.concat(pieces, ignore_index=True)
    graph = PairGraph.from_pairs(pairs["left"], pairs["right"], pairs["weight"])
    solved = partition_graph(graph, absent=absent, time_limit=time_limit)
    bound, unsettled = max(solved.check(), solved.value), sum(not part.solution.optimal for part in solved.components)
    return PartsPartition(solved.labels, solved.value, bound, absent, len(solved.components), unsettled, solved.seconds)


def _gathered(nodes: pd.Index, solved: Sequence[PartsPartition], seconds: float) -> PartsPartition:
    cluster, used = np.arange(len(nodes)), len(nodes)
    for bucket in solved:
        cluster[nodes.get_indexer(bucket.labels.index)] = used + bucket.labels.to_numpy()
        used += len(bucket.labels)
    return PartsPartition(
        labels=pd.Series(pd.factorize(cluster)[0], index=nodes, name="cluster"),
        value=math.fsum(bucket.value for bucket in solved),
        bound=math.fsum(bucket.bound for bucket in solved),
        absent=solved[0].absent,
        components=sum(bucket.components for bucket in solved),
        unsettled=sum(bucket.unsettled for bucket in solved),
        seconds=seconds,
    )
