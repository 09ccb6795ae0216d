"""Pair scores that another study stored, with its clusters and the gold: the input of Tables 4 and 5 of xER.

Vadrevu et al. (2021, §5.1 and §6.1) take their scores from the code of F-MWSP (Lokhande et al. 2020): the probability
`p` by dedupe that two records are one entity. F-MWSP minimises costs -2(p - 1/2); xER maximises the weights 2p - 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.io import loadmat

from trustnlp.data.json_lines import read_json_lines
from trustnlp.data.linkage.node_alignment import align_nodes
from trustnlp.data.registry import DataError
from trustnlp.data.store import fetch

_DATASETS = {"settlements": "fmwsp_settlements", "csv_example": "fmwsp_csv_example", "patent": "fmwsp_patent"}


@dataclass(frozen=True, eq=False)
class StoredScores:
    """Scored pairs of records and three clusterings of the records.

    Attributes
    ----------
    pairs
        One row per scored pair: record ids `left` and `right`, and `probability` that they are one entity.
    records
        Indexed by record id: cluster labels `gold`, `hierarchical` and `fmwsp`, and the record's `name`. Records
        without a scored pair are in it too.
    """

    pairs: pd.DataFrame
    records: pd.DataFrame

    @property
    def weights(self) -> NDArray[np.float64]:
        """`(E,)` weight 2p - 1 of each pair, from -1 to 1: minus the cost of F-MWSP."""
        return np.asarray(2 * self.pairs["probability"] - 1, dtype=np.float64)


def read_stored_scores(name: str) -> StoredScores:
    """Fetch and read the scores of one of the data sets of Table 4.

    Parameters
    ----------
    name
        `settlements`, `csv_example` or `patent`. The scores of `patent` are of 1,138 numbered nodes; their records are
        found by `trustnlp.data.linkage.node_alignment.align_nodes`.

    Raises
    ------
    DataError
        If it is not one of the data sets, or it cannot be fetched.
    """
    if name not in _DATASETS:
        raise DataError(f"there are no stored scores of {name!r}; choose from {', '.join(_DATASETS)}")
    paths = fetch(_DATASETS[name])
    if name == "patent":
        return _read_patent(paths)
    scores = _read_derived(paths)
    if name == "settlements":
        scores.records["gold"] = read_settlement_gold(paths["gold"]).reindex(scores.records.index)
    return scores


def read_settlement_gold(path: Path) -> pd.Series:
    """Gold cluster of each settlement: one JSON object per line lists the vertices of a cluster.

    One record is in two of them; the last counts, with which the clusters are those that F-MWSP's files have.
    """
    lines = read_json_lines(path)
    clusters = {member: at for at, line in enumerate(lines) for member in line["data"]["clusteredVertices"]}
    return pd.Series(clusters, name="cluster", dtype=np.int64)


def _read_derived(paths: Mapping[str, Path]) -> StoredScores:
    scored, clusters = pd.read_csv(paths["pair_scores"]), pd.read_csv(paths["clusters"])
    pairs = pd.DataFrame(
        {"left": scored["id1"], "right": scored["id2"], "probability": scored["dedupe_probability"].astype(float)}
    )
    # In `csv_example` labels are floats, and two that differ by a rounding error only (757.0 and 757.0000000000003)
    # count as two clusters, as they did in the evaluation of F-MWSP (F1 95.10; as one cluster 95.11).
    fmwsp = np.unique(clusters["fmwsp_cluster"].to_numpy(), return_inverse=True)[1]
    records = pd.DataFrame(
        {
            "gold": clusters["gold_cluster"].astype(np.int64),
            "hierarchical": clusters["hc_cluster"].astype(np.int64),
            "fmwsp": fmwsp,
            "name": clusters["name"],
        }
    ).set_index(pd.Index(clusters["id"], name="id"))
    return StoredScores(pairs, records)


def _read_patent(paths: Mapping[str, Path]) -> StoredScores:
    golden, hierarchical, fmwsp = (
        pd.read_csv(paths[key]).set_index("person_id") for key in ("golden", "hc_output", "fmwsp_output")
    )
    records = pd.DataFrame(
        {
            "gold": golden["True Id"].astype(np.int64),
            "hierarchical": hierarchical["Cluster ID"].astype(np.int64),
            "fmwsp": fmwsp["Cluster ID"].astype(np.int64),
            "name": golden["Name"],
        }
    ).rename_axis("id")
    # A record alone has a label of its own in the outputs, and no confidence.
    clustered = pd.DataFrame(
        {
            "fmwsp": records["fmwsp"].where(fmwsp["confidence_score"].notna(), 0),
            "hierarchical": records["hierarchical"].where(hierarchical["confidence_score"].notna(), -1),
            "confidence": hierarchical["confidence_score"],
        }
    )
    scored = loadmat(paths["pair_scores"], variable_names=["pairwise"])["pairwise"]
    solution = loadmat(paths["solution"], variable_names=["H"])["H"]["sol_cluster"].item()
    ends = scored[:, :2].astype(np.int64) - 1
    probability = 0.5 - scored[:, 2].astype(float) / 2
    nodes = align_nodes(ends[:, 0], ends[:, 1], probability, solution[:, 0].astype(np.int64), clustered)
    pairs = pd.DataFrame({"left": nodes[ends[:, 0]], "right": nodes[ends[:, 1]], "probability": probability})
    return StoredScores(pairs, records)
