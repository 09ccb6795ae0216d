"""From raw records to clusters: one split, one training, and every way to cluster the scores of unseen entities."""

from __future__ import annotations

import numpy as np

from trustnlp.evaluation.calibration import calibrate, expected_calibration_error, weight_of
from trustnlp.graphs import partition_graph
from trustnlp.graphs.agreement import partition_metrics
from trustnlp.graphs.hierarchical import hierarchical_clustering
from trustnlp.studies.xer.data import FIELDS, raw_records, split_entities
from trustnlp.studies.xer.models import train_linker
from trustnlp.studies.xer.standins import train_similarity_linker

CLUSTERINGS = {
    "components": "joined above one half",
    "hierarchical": "hierarchical",
    "optimum": "optimum",
    "optimum_zero": "optimum, unscored pairs may join",
    "optimum_calibrated": "optimum, calibrated scores",
    "optimum_log_odds": "optimum, calibrated log-odds",
}
"""Ways to cluster scored pairs, and how pages call them."""
SCORERS = {"dedupe": train_linker, "similarity": train_similarity_linker}
"""What learns the scores: the library that the paper uses, and a small stand-in that is always there."""


def link(
    name: str, seed: int, *, scorer: str = "dedupe", training_pairs: int = 500, time_limit: float = 30.0
) -> dict[str, float]:
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

    Returns
    -------
    In per cent, on the half whose entities the training did not see: `{way}.f1` for each of `CLUSTERINGS`;
    `blocking.f1`, that of exactly the scored pairs that are true; `error.as` and `error.calibrated`, the expected
    calibration error of the scores as they come and calibrated on the training half.

    Raises
    ------
    ImportError
        If the scorer is dedupe, which is not installed.
    """
    rng = np.random.default_rng(seed)
    data = raw_records(name, rng)
    train, test = split_entities(data.gold, rng)
    linker = SCORERS[scorer](data.records, data.gold, train, FIELDS[name], seed, n_pairs=training_pairs)
    scored, seen = (linker.score(data.records, data.gold, rows) for rows in (test, train))
    probability = scored.probability
    calibrated = np.asarray(calibrate(seen.probability, seen.same)(probability), dtype=float)
    plain = scored.graph(weight_of(probability))
    graphs = {
        "optimum": plain,
        "optimum_calibrated": scored.graph(weight_of(calibrated)),
        "optimum_log_odds": scored.graph(weight_of(calibrated, "log_odds")),
    }
    labels = {way: partition_graph(graph, time_limit=time_limit).codes for way, graph in graphs.items()}
    labels["optimum_zero"] = partition_graph(plain, absent="zero", time_limit=time_limit).codes
    labels["hierarchical"] = hierarchical_clustering(scored.graph())
    labels["components"] = scored.graph().components(probability > 0.5)
    return {
        **{f"{way}.f1": 100 * partition_metrics(scored.gold, labels[way]).f1 for way in CLUSTERINGS},
        "blocking.f1": 100 * 2 * scored.recall / (1 + scored.recall),
        "error.as": 100 * expected_calibration_error(probability, scored.same),
        "error.calibrated": 100 * expected_calibration_error(calibrated, scored.same),
    }
