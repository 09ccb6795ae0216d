"""Pairs in parts: however they are divided, what is found is what one process finds, and so are the mistakes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from trustnlp.graphs import GraphError, PairGraph, partition, partition_graph
from trustnlp.graphs.distributed_pairs import PartsPartition, partition_parts
from trustnlp.graphs.pair_graph import Absent
from trustnlp.graphs.partitioning import SchedulerError
from trustnlp.graphs.planted import planted_components


def planted_pairs(seed: int = 0) -> pd.DataFrame:
    """Pairs of three hundred records in random order and direction."""
    rng = np.random.default_rng(seed)
    graph, _ = planted_components(300, 12, rng)
    table = pd.DataFrame({"left": graph.left, "right": graph.right, "score": graph.weights})
    turned = rng.random(len(table)) < 0.5
    table.loc[turned, ["left", "right"]] = table.loc[turned, ["right", "left"]].to_numpy()
    return table.sample(frac=1, random_state=seed, ignore_index=True)


def in_parts(table: pd.DataFrame, number: int) -> list[pd.DataFrame]:
    return [table.iloc[place::number] for place in range(number)]


def same_clusters(found: PartsPartition, labels: pd.Series) -> bool:
    here = pd.DataFrame({"one": found.labels, "other": labels.reindex(found.labels.index)})
    pairs = here.drop_duplicates()
    return len(found.labels) == len(labels) and pairs["one"].is_unique and pairs["other"].is_unique


@pytest.mark.parametrize("absent", ["never", "zero"])
@pytest.mark.parametrize(("parts", "buckets"), [(1, None), (2, 1), (5, 3), (7, 40)])
def test_parts_are_partitioned_as_the_whole(parts: int, buckets: int | None, absent: Absent) -> None:
    table = planted_pairs()
    whole = partition(table, absent=absent)
    found = partition_parts(in_parts(table, parts), absent=absent, buckets=buckets)
    assert found.optimal and found.components == len(whole.components) > 20
    assert found.value == pytest.approx(whole.value) == pytest.approx(found.bound) and found.gap < 1e-6
    assert same_clusters(found, whole.labels)


def test_a_component_may_hang_together_over_all_parts_and_lone_nodes_stay() -> None:
    chain = pd.DataFrame({"left": range(9), "right": range(1, 10), "score": 1.0})
    alone = pd.DataFrame({"left": [3, 20], "right": [20, 21], "score": [-1.0, 0.0]})
    found = partition_parts([*in_parts(chain, 9), alone], absent="zero")
    assert found.components == 1 and found.value == 9.0
    assert found.labels.loc[list(range(10))].nunique() == 1 and found.labels.nunique() == 3


def test_a_pair_in_two_parts_counts_once_and_two_scores_are_refused() -> None:
    one = pd.DataFrame([("a", "b", 1.0)], columns=["left", "right", "score"])
    turned = pd.DataFrame([("b", "a", 1.0)], columns=["left", "right", "score"])
    assert partition_parts([one, turned]).value == 1.0
    with pytest.raises(GraphError, match="twice with different weights"):
        partition_parts([one, turned.assign(score=0.5)])


def test_workers_read_files_with_splinks_columns(tmp_path: Path) -> None:
    rows = [("007", "NA", 0.97), ("NA", "x", 0.91), ("007", "x", 0.12), ("p", "q", 0.8)]
    names = ["unique_id_l", "unique_id_r", "match_probability"]
    for number, row in enumerate(rows):
        pd.DataFrame([row], columns=names).to_csv(tmp_path / f"part{number}.csv", index=False)
    found = partition_parts(sorted(tmp_path.glob("*.csv")))
    assert found.value == pytest.approx(0.8) and found.labels.to_dict() == {"007": 0, "NA": 0, "x": 0, "p": 1, "q": 1}


def test_a_cluster_of_workers_and_delayed_tables_find_the_same() -> None:
    from dask import delayed
    from distributed import LocalCluster

    table = planted_pairs(1)
    whole = partition(table)
    tables = [delayed(part) for part in in_parts(table, 4)]

    class Frame:
        """What a Dask dataframe offers of itself; `dask.dataframe` needs pyarrow, which is not locked."""

        def to_delayed(self) -> list[object]:
            return tables

    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        there = partition_parts(Frame(), scheduler=cluster.scheduler_address)
    assert there.optimal and same_clusters(there, whole.labels)


def test_an_unsettled_component_keeps_its_gap() -> None:
    weights = np.random.default_rng(0).normal(0, 1, (40, 40))
    graph = PairGraph.from_matrix(np.triu(weights, 1) + np.triu(weights, 1).T)
    table = pd.DataFrame({"left": graph.left, "right": graph.right, "score": graph.weights})
    found = partition_parts(in_parts(table, 3), time_limit=0.001)
    assert not found.optimal and found.unsettled == 1 and found.gap > 0
    assert found.value <= partition_graph(graph, time_limit=1.0).value <= found.bound + 1e-9


@pytest.mark.parametrize(
    ("rows", "settings", "told"),
    [
        ([("a", "b", np.nan)], {}, "row 1 of a part has the score nan"),
        ([("a", "b", np.inf)], {}, "finite numbers"),
        ([("a", None, 1.0)], {}, "row 1 of a part has no id"),
        ([("", "b", 1.0)], {}, "row 1 of a part has no id"),
        ([("a", "a", 1.0)], {}, "'a' is paired with itself"),
        ([("a", "b", 1.0)], {"score": "weight"}, "no column 'weight'; it has left, right, score"),
        ([("a", "b", 1.0)], {"absent": "perhaps"}, "absent is one of never, zero"),
        ([("a", "b", 1.0)], {"time_limit": 0.0}, "time limit is above 0"),
    ],
)
def test_mistakes_are_told(rows: list[tuple[object, ...]], settings: dict[str, object], told: str) -> None:
    table = pd.DataFrame(rows, columns=["left", "right", "score"])
    with pytest.raises(GraphError, match=told):
        partition_parts([table], **settings)  # type: ignore[arg-type]


def test_no_parts_and_no_scheduler_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(address: str) -> None:
        raise OSError("Timed out")

    with pytest.raises(GraphError, match="there are no parts"):
        partition_parts([])
    monkeypatch.setattr("distributed.Client", silent)
    table = pd.DataFrame([("a", "b", 1.0)], columns=["left", "right", "score"])
    with pytest.raises(SchedulerError, match="no Dask scheduler answers at tcp://nowhere:1: Timed out"):
        partition_parts([table], scheduler="tcp://nowhere:1")
