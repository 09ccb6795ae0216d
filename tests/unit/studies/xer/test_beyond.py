"""Scores calibrated on the other half: planted overconfidence is repaired."""

from __future__ import annotations

import numpy as np
import pandas as pd

from trustnlp.data.linkage.stored_scores import StoredScores
from trustnlp.studies.xer.beyond import recalibrate_folds


def test_calibration_across_halves_repairs_overconfident_scores() -> None:
    rng = np.random.default_rng(0)
    n = 400
    gold = pd.Series(np.repeat(np.arange(n // 2), 2))
    rows = [(2 * k, 2 * k + 1, 0.9) for k in range(n // 2)]
    rows += [(2 * k, 2 * j + 1, 0.6) for k, j in zip(range(n // 2), rng.permutation(n // 2), strict=True) if k != j]
    pairs = pd.DataFrame(rows, columns=["left", "right", "probability"])
    records = pd.DataFrame({"gold": gold, "fmwsp": gold, "hierarchical": gold, "name": "x"})
    result = recalibrate_folds(StoredScores(pairs, records), 0)
    assert result.error_after < result.error_before / 4
    assert result.f1_after == 100
