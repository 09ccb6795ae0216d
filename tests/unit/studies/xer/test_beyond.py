"""Scores calibrated on the other half: planted overconfidence is repaired, and no curve has seen its own pairs."""

from __future__ import annotations

import numpy as np
import pandas as pd

from trustnlp.data.linkage.stored_scores import StoredScores
from trustnlp.studies.xer.beyond import recalibrate_folds
from trustnlp.studies.xer.data import split_entities

GOLD = pd.Series(np.repeat(np.arange(200), 2))


def recalibrated(rows: list[tuple[int, int, float]]) -> dict[str, float]:
    pairs = pd.DataFrame(rows, columns=["left", "right", "probability"])
    records = pd.DataFrame({"gold": GOLD, "fmwsp": GOLD, "hierarchical": GOLD, "name": "x"})
    return recalibrate_folds(StoredScores(pairs, records), 0)


def test_calibration_across_halves_repairs_overconfident_scores() -> None:
    rows = [(2 * k, 2 * k + 1, 0.9) for k in range(200)]
    rows += [(2 * k, 2 * j + 1, 0.6) for k, j in enumerate(np.random.default_rng(0).permutation(200)) if k != j]
    result = recalibrated(rows)
    assert result["error_after"] < result["error_before"] / 4 and result["f1_after"] == 100


def test_no_curve_has_seen_the_pairs_that_it_corrects() -> None:
    first, second = (np.flatnonzero(half[::2]) for half in split_entities(GOLD, np.random.default_rng(0)))
    rows = [(2 * k, 2 * k + 1, true) for half, true in ((first, 0.9), (second, 0.2)) for k in half]
    rows += [(2 * k, 2 * j + 1, 0.6) for half in (first, second) for k, j in zip(half, np.roll(half, 1), strict=True)]
    assert recalibrated(rows)["error_after"] > 20, "true pairs of the second half look false by the curve of the first"
