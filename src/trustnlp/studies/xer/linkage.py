"""From raw records to clusters: one split, one training, and every way to cluster the scores of unseen entities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trustnlp.evaluation.calibration import calibrate, expected_calibration_error, reliability, weight_of
from trustnlp.graphs import Partition, partition_graph
from trustnlp.graphs.agreement import partition_metrics
from trustnlp.graphs.hierarchical import hierarchical_clustering
from trustnlp.graphs.pair_graph import Absent
from trustnlp.studies.xer.data import FIELDS, raw_records, split_entities
from trustnlp.studies.xer.models import Linker, ScoredPairs, train_linker
from trustnlp.studies.xer.standins import SimilarityLinker, train_similarity_linker

CLUSTERINGS = {
    "components": "joined above one half",
    "hierarchical": "hierarchical",
    "optimum": "optimum",
    "optimum_zero": "optimum, unscored pairs may join",
    "optimum_calibrated": "optimum, calibrated scores",
    "optimum_log_odds": "optimum, calibrated log-odds",
}
"""Ways to cluster scored pairs, and how pages call them."""
SCORERS: dict[str, Callable[..., Linker | SimilarityLinker]] = {
    "dedupe": train_linker,
    "similarity": train_similarity_linker,
}
"""What learns the scores: the library that the paper uses, and a small stand-in that is always there."""


@dataclass(frozen=True, eq=False)
class LinkageRun:
    """One run of the pipeline.

    Attributes
    ----------
    scored
        Pairs of the test half, whose entities the training did not see.
    table
        One row per clustering of `CLUSTERINGS`: `precision`, `recall`, `f1` (per cent), `gap` (share of the value that
        is not proven) and `seconds`.
    calibration_error
        Expected calibration error of the scores as they come and calibrated on the training half.
    curves
        Reliability of both (`trustnlp.evaluation.calibration.reliability`).
    best_f1
        F1, in per cent, of exactly the scored pairs that are true.
    """

    scored: ScoredPairs
    table: pd.DataFrame
    calibration_error: Mapping[str, float]
    curves: Mapping[str, pd.DataFrame]
    best_f1: float


def link(
    name: str,
    seed: int,
    *,
    scorer: str = "dedupe",
    share: float = 0.5,
    training_pairs: int = 500,
    time_limit: float = 30.0,
) -> LinkageRun:
    """Split by entities, train the scorer on one half, score the other, and cluster it in each of the ways.

    Parameters
    ----------
    name
        A set of `trustnlp.studies.xer.data.FIELDS`.
    scorer
        One of `SCORERS`.
    training_pairs
        True pairs, and as many false ones.
    time_limit
        Seconds for each component of the graph.

    Raises
    ------
    ImportError
        If the scorer is dedupe, which is not installed.
    """
    rng = np.random.default_rng(seed)
    data = raw_records(name, rng)
    train, test = split_entities(data.gold, share, rng)
    linker = SCORERS[scorer](
        data.records, data.gold, train, FIELDS[name], seed, n_matches=training_pairs, n_non_matches=training_pairs
    )
    scored, seen = (linker.score(data.records, data.gold, rows) for rows in (test, train))
    repair = calibrate(seen.probability, seen.same)
    calibrated = np.asarray(repair(scored.probability), dtype=float)
    weights = {
        "optimum": weight_of(scored.probability),
        "optimum_zero": weight_of(scored.probability),
        "optimum_calibrated": weight_of(calibrated),
        "optimum_log_odds": weight_of(calibrated, "log_odds"),
    }
    rows = {}
    for way, weight in weights.items():
        absent: Absent = "zero" if way == "optimum_zero" else "never"
        found = partition_graph(scored.graph(weight), absent=absent, time_limit=time_limit)
        rows[way] = _row(scored, found.codes, found)
    rows["hierarchical"] = _row(scored, hierarchical_clustering(scored.graph()))
    rows["components"] = _row(scored, scored.graph().components(scored.probability > 0.5))
    table = pd.DataFrame(rows).T.loc[list(CLUSTERINGS)]
    probabilities = {"as they come": scored.probability, "calibrated": calibrated}
    return LinkageRun(
        scored,
        table,
        {label: expected_calibration_error(p, scored.same) for label, p in probabilities.items()},
        {label: reliability(p, scored.same) for label, p in probabilities.items()},
        100 * 2 * scored.recall / (1 + scored.recall),
    )


def _row(scored: ScoredPairs, labels: NDArray[Any], found: Partition | None = None) -> dict[str, float]:
    agreed = partition_metrics(scored.gold, labels)
    return {
        "precision": 100 * agreed.precision,
        "recall": 100 * agreed.recall,
        "f1": 100 * agreed.f1,
        # Rounding leaves a gap of some 1e-15 to an optimum, which is none.
        "gap": 0.0 if found is None or found.optimal else 100 * found.gap / max(found.value, 1.0),
        "seconds": found.seconds if found else np.nan,
    }
