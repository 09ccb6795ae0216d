"""Scores calibrated on the other half: planted overconfidence is repaired."""

from __future__ import annotations

import numpy as np
import pandas as pd

from trustnlp.data.linkage.stored_scores import StoredScores
from trustnlp.studies.xer.beyond import recalibrate_folds


def test_calibration_across_halves_repairs_overconfident_scores() -> None:
    gold = pd.Series(np.repeat(np.arange(200), 2))
    rows = [(2 * k, 2 * k + 1, 0.9) for k in range(200)]
    rows += [(2 * k, 2 * j + 1, 0.6) for k, j in enumerate(np.random.default_rng(0).permutation(200)) if k != j]
    pairs = pd.DataFrame(rows, columns=["left", "right", "probability"])
    records = pd.DataFrame({"gold": gold, "fmwsp": gold, "hierarchical": gold, "name": "x"})
    result = recalibrate_folds(StoredScores(pairs, records), 0)
    assert result["error_after"] < result["error_before"] / 4 and result["f1_after"] == 100
