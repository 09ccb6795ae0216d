"""Whether calibrated scores partition better: two halves of the entities, each calibrated on the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trustnlp.data.linkage.stored_scores import StoredScores
from trustnlp.evaluation.calibration import calibrate, expected_calibration_error, weight_of
from trustnlp.graphs import PairGraph, partition_graph
from trustnlp.graphs.agreement import partition_metrics
from trustnlp.graphs.pair_graph import Floats64
from trustnlp.studies.xer.data import split_entities


@dataclass(frozen=True)
class Recalibration:
    """F1 of the optimum and expected calibration error, in per cent, with the scores as they come and calibrated."""

    f1_before: float
    f1_after: float
    error_before: float
    error_after: float


def recalibrate_folds(scores: StoredScores, seed: int, *, time_limit: float = 60.0) -> Recalibration:
    """Deal the entities into two halves, calibrate each half's scores on the other's, and partition anew.

    A pair with an end in each half is calibrated on the half of its right end. No curve has seen the pair itself.
    """
    pairs, gold = scores.pairs, scores.records["gold"]
    first, _ = split_entities(gold, np.random.default_rng(seed))
    half = dict(zip(gold.index, first.tolist(), strict=True))
    sides = np.array([[half[name] for name in pairs[end]] for end in ("left", "right")])
    same = gold.loc[pairs["left"]].to_numpy() == gold.loc[pairs["right"]].to_numpy()
    before = pairs["probability"].to_numpy(dtype=float)
    after = before.copy()
    for side in (True, False):
        seen, wanted = (sides == side).all(axis=0), sides[0] != side
        after[wanted] = calibrate(before[seen], same[seen])(before[wanted])
    return Recalibration(
        _f1(scores, before, time_limit),
        _f1(scores, after, time_limit),
        100 * expected_calibration_error(before, same),
        100 * expected_calibration_error(after, same),
    )


def _f1(scores: StoredScores, probabilities: Floats64, time_limit: float) -> float:
    pairs, gold = scores.pairs, scores.records["gold"]
    graph = PairGraph.from_pairs(pairs["left"], pairs["right"], weight_of(probabilities), nodes=gold.index)
    found = partition_graph(graph, time_limit=time_limit)
    return 100 * partition_metrics(gold, found.labels.loc[gold.index]).f1
