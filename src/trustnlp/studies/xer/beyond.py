"""Whether calibrated scores partition better: two halves of the entities, each calibrated on the other."""

from __future__ import annotations

import numpy as np

from trustnlp.data.linkage.stored_scores import StoredScores
from trustnlp.evaluation.calibration import calibrate, expected_calibration_error, weight_of
from trustnlp.graphs import PairGraph, partition_graph
from trustnlp.graphs.agreement import partition_metrics
from trustnlp.studies.xer.data import split_entities


def recalibrate_folds(scores: StoredScores, seed: int) -> dict[str, float]:
    """Deal the entities into two halves, calibrate each half's scores on the other's, and partition anew.

    A pair with an end in each half is calibrated on the half of its right end. No curve has seen the pair itself.

    Returns
    -------
    In per cent, `f1_before` and `f1_after`, F1 of the optimum with the scores as they come and calibrated; and
    `error_before`, `error_after`, their expected calibration error.
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
    numbers = {}
    for when, probability in (("before", before), ("after", after)):
        graph = PairGraph.from_pairs(pairs["left"], pairs["right"], weight_of(probability), nodes=gold.index)
        partition = partition_graph(graph)
        numbers[f"f1_{when}"] = 100 * partition_metrics(gold, partition.labels.loc[gold.index]).f1
        numbers[f"error_{when}"] = 100 * expected_calibration_error(probability, same)
    return numbers
