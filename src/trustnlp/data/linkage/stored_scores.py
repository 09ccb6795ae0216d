"""Pair scores that another study stored, with its clusters and the gold: the input of Tables 4 and 5 of xER.

Vadrevu et al. (2021, §5.1 and §6.1) take their scores from the code of F-MWSP (Lokhande et al. 2020): the probability
`p` by dedupe that two records are one entity. F-MWSP minimises costs -2(p - 1/2); xER maximises the weights 2p - 1.
"""

from __future__ import annotations

import json
import logging
import struct
import zlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trustnlp.data.damage import as_described
from trustnlp.data.linkage.node_alignment import Alignment, align_nodes
from trustnlp.data.registry import DataError
from trustnlp.data.store import fetch

logger = logging.getLogger(__name__)

Twice = Literal["last", "first", "error"]
_DATASETS = {"settlements": "fmwsp_settlements", "csv_example": "fmwsp_csv_example", "patent": "fmwsp_patent"}
_PAIRS = ["id1", "id2", "dedupe_probability", "fmwsp_cost"]
_CLUSTERS = ["id", "gold_cluster", "hc_cluster", "fmwsp_cluster", "name"]
_OUTPUT = ["Cluster ID", "confidence_score", "person_id", "Lat", "Lng", "Coauthor", "Name", "Class"]
_GOLDEN = ["person_id", "True Id", "Lat", "Lng", "Coauthor", "Name", "Class", "LatLong"]


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
    alignment
        For `patent`, how the nodes of the stored scores were given their records; None where the scores name records.
    """

    pairs: pd.DataFrame
    records: pd.DataFrame
    alignment: Alignment | None = None

    @property
    def weights(self) -> NDArray[np.float64]:
        """`(E,)` weight 2p - 1 of each pair, from -1 to 1: minus the cost of F-MWSP."""
        return np.asarray(2 * self.pairs["probability"] - 1, dtype=np.float64)


def read_stored_scores(name: str, *, twice: Twice = "last") -> StoredScores:
    """Fetch and read the scores of one of the data sets of Table 4.

    Parameters
    ----------
    name
        `settlements`, `csv_example` or `patent`. The scores of `patent` are of 1,138 numbered nodes; their records are
        found by `trustnlp.data.linkage.node_alignment.align_nodes`.
    twice
        What to do with a record that the gold file puts into two clusters (one of `settlements`): see
        `clusters_from_lists`.

    Raises
    ------
    DataError
        If it is not one of the data sets, or it cannot be fetched, or its files are not what their headers say.
    """
    if name not in _DATASETS:
        raise DataError(f"there are no stored scores of {name!r}; choose from {', '.join(_DATASETS)}")
    dataset = _DATASETS[name]
    paths = fetch(dataset)
    with as_described(dataset, paths):
        scores = _read_patent(paths) if name == "patent" else _read_derived(paths)
        if name == "settlements":
            scores.records["gold"] = read_settlement_gold(paths["gold"], twice=twice).reindex(scores.records.index)
        _check(scores)
    return scores


def clusters_from_lists(lists: Iterable[Sequence[Hashable]], *, twice: Twice = "last") -> pd.Series:
    """Cluster label of each member of some lists, the number of its list from 0; indexed by member.

    Parameters
    ----------
    twice
        For a member of two lists: `last` or `first` keeps one of them and logs a warning, `error` refuses.

    Raises
    ------
    DataError
        If a member is in two lists and `twice` is `error`.
    ValueError
        If `twice` is none of the three.
    """
    if twice not in ("last", "first", "error"):
        raise ValueError(f"twice is 'last', 'first' or 'error', got {twice!r}")
    found: dict[Hashable, int] = {}
    for cluster, members in enumerate(lists):
        for member in members:
            before = found.setdefault(member, cluster)
            if before == cluster:
                continue
            if twice == "error":
                raise DataError(f"{member!r} is in clusters {before} and {cluster}; choose one with twice='last'")
            found[member] = cluster if twice == "last" else before
            logger.warning("%r is in clusters %d and %d; the %s is kept", member, before, cluster, twice)
    return pd.Series(found, name="cluster", dtype=np.int64)


def read_settlement_gold(path: Path, *, twice: Twice = "last") -> pd.Series:
    """Gold clusters of the settlements: one JSON object per line that lists the vertices of a cluster."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return clusters_from_lists((json.loads(line)["data"]["clusteredVertices"] for line in lines), twice=twice)


def _table(path: Path, header: list[str]) -> pd.DataFrame:
    table = pd.read_csv(path)
    if list(table.columns) != header:
        raise ValueError(f"{path.name} has the columns {', '.join(table.columns)}, expected {', '.join(header)}")
    if table.empty:
        raise ValueError(f"{path.name} has a header and no rows")
    return table


def _integers(values: pd.Series) -> pd.Series:
    whole = values.astype(np.int64)
    if not (whole == values).all():
        raise ValueError(f"the column {values.name} holds other values than whole numbers")
    return whole


def _as_written(values: pd.Series) -> pd.Series:
    """Labels as the file writes them, numbered in their order.

    In `csv_example` they are floats, and two that differ by a rounding error only (757.0 and 757.0000000000003) count
    as two clusters, as they did in the evaluation of F-MWSP (F1 95.10; as one cluster 95.11).
    """
    if values.isna().any():
        raise ValueError(f"the column {values.name} has empty cells")
    return pd.Series(np.unique(values.to_numpy(), return_inverse=True)[1], index=values.index)


def _read_derived(paths: Mapping[str, Path]) -> StoredScores:
    scored, clusters = _table(paths["pair_scores"], _PAIRS), _table(paths["clusters"], _CLUSTERS)
    if not np.allclose(scored["fmwsp_cost"], 1 - 2 * scored["dedupe_probability"], rtol=0, atol=1e-6):
        raise ValueError(f"{paths['pair_scores'].name}: fmwsp_cost is not -2 (dedupe_probability - 1/2)")
    pairs = pd.DataFrame(
        {"left": scored["id1"], "right": scored["id2"], "probability": scored["dedupe_probability"].astype(float)}
    )
    records = pd.DataFrame(
        {
            "gold": _integers(clusters["gold_cluster"]),
            "hierarchical": _integers(clusters["hc_cluster"]),
            "fmwsp": _as_written(clusters["fmwsp_cluster"]),
            "name": clusters["name"],
        }
    ).set_index(pd.Index(_integers(clusters["id"]), name="id"))
    return StoredScores(pairs, records)


def _read_patent(paths: Mapping[str, Path]) -> StoredScores:
    golden = _table(paths["golden"], _GOLDEN).set_index("person_id")
    outputs = {key: _table(paths[key], _OUTPUT).set_index("person_id") for key in ("hc_output", "fmwsp_output")}
    for key, output in outputs.items():
        if not output.index.equals(golden.index):
            raise ValueError(f"{paths[key].name} has other records than {paths['golden'].name}")
    hierarchical, fmwsp = outputs["hc_output"], outputs["fmwsp_output"]
    records = pd.DataFrame(
        {
            "gold": _integers(golden["True Id"]),
            "hierarchical": _integers(hierarchical["Cluster ID"]),
            "fmwsp": _integers(fmwsp["Cluster ID"]),
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
    scored = _matrix(paths["pair_scores"], "pairwise")
    solution = _matrix(paths["solution"], "H", "sol_cluster")
    ends = scored[:, :2].astype(np.int64) - 1
    if scored.shape[1] != 3 or solution.shape[1] != 1 or not 0 <= ends.min() <= ends.max() < len(solution):
        raise ValueError(f"pairs {scored.shape} and solution {solution.shape} do not fit each other")
    probability = 0.5 - scored[:, 2].astype(float) / 2
    alignment = align_nodes(ends[:, 0], ends[:, 1], probability, solution[:, 0].astype(np.int64), clustered)
    ids = alignment.records.astype(np.int64)
    pairs = pd.DataFrame({"left": ids[ends[:, 0]], "right": ids[ends[:, 1]], "probability": probability})
    return StoredScores(pairs, records, alignment)


def _matrix(path: Path, variable: str, field: str | None = None) -> NDArray[np.generic]:
    """A matrix of numbers in a Matlab v5 file; anything else in it is refused."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        value = loadmat(path, variable_names=[variable])[variable]
    except (MatReadError, NotImplementedError, OSError, struct.error, zlib.error) as error:
        raise ValueError(f"{path.name} is not a Matlab v5 file: {error}") from error
    if field is not None:
        value = value[field].item()
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "iuf" or value.ndim != 2 or not value.size:
        raise ValueError(f"{path.name}: {variable} is not a matrix of numbers")
    return value


def _check(scores: StoredScores) -> None:
    """Whether pairs and records belong together."""
    known = scores.records.index
    ends = pd.concat([scores.pairs["left"], scores.pairs["right"]])
    if not known.is_unique:
        raise ValueError("a record stands twice")
    if scores.records[["gold", "hierarchical", "fmwsp"]].isna().to_numpy().any():
        raise ValueError("a record has no cluster")
    if not ends.isin(known).all():
        raise ValueError(f"a pair names record {ends[~ends.isin(known)].iloc[0]}, which is not in the clusters")
    if not scores.pairs["probability"].between(0, 1).all():
        raise ValueError("a probability is not between 0 and 1")
