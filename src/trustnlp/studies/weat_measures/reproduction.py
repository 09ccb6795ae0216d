"""Many association tests as one table (Tables 3 and 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from trustnlp.bias.association_tests.association import WeatResult

# The four columns of Table 3 of Azarpanah & Farhadloo (2021).
TABLE_3 = (("cosine", "mean"), ("euclidean", "mean"), ("mahalanobis", "mean"), ("mahalanobis", "eq2"))


def effect_table(results: Mapping[str, Sequence[WeatResult]], *, alpha: float) -> pd.DataFrame:
    """One row per test of an embedding.

    Returns
    -------
    DataFrame
        Columns `embedding`, `test`, `measure`, `statistic`, `effect_size` (signed), `p_value` (of the alternative that
        the tests were made with) and `significant` (p ≤ alpha).
    """
    rows = [
        (name, r.test, r.measure, r.statistic, r.effect_size, r.p_value)
        for name, tests in results.items()
        for r in tests
    ]
    table = pd.DataFrame(rows, columns=["embedding", "test", "measure", "statistic", "effect_size", "p_value"])
    return table.assign(significant=table.p_value <= alpha)
