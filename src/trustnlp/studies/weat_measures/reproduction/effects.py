"""Results of many association tests as one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from trustnlp.bias.association_tests.association import WeatResult
from trustnlp.bias.association_tests.measures import MEASURES
from trustnlp.bias.association_tests.statistics import STATISTICS

# The four columns of Table 3 of Azarpanah & Farhadloo (2021).
TABLE_3 = (("cosine", "mean"), ("euclidean", "mean"), ("mahalanobis", "mean"), ("mahalanobis", "eq2"))


@dataclass(frozen=True)
class EffectGrid:
    """Effect sizes and p-values of one embedding, `(tests, measures × statistics)`; NaN where it lacks the words."""

    effect_sizes: np.ndarray
    p_values: np.ndarray

    def __post_init__(self) -> None:
        if self.effect_sizes.ndim != 2 or self.effect_sizes.shape != self.p_values.shape:
            raise ValueError(
                "effect sizes and p-values must be tables of one shape, got "
                f"{self.effect_sizes.shape} and {self.p_values.shape}"
            )


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


def count_significant(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Number of significant tests per embedding (rows) and value of `column` (columns)."""
    return table.pivot_table(index="embedding", columns=column, values="significant", aggfunc="sum", sort=False)


def effect_grid(group: pd.DataFrame, tests: Sequence[int]) -> EffectGrid:
    """Effect sizes and p-values of one embedding as tables `(len(tests), measures × statistics)`; NaN where absent."""
    columns = pd.MultiIndex.from_product([MEASURES, STATISTICS])

    def spread(values: str) -> np.ndarray:
        wide = group.pivot_table(index="test", columns=["measure", "statistic"], values=values)
        return np.asarray(wide.reindex(index=list(tests), columns=columns))

    return EffectGrid(spread("effect_size"), spread("p_value"))


def printed_stars(ledger: Mapping[str, Any]) -> pd.DataFrame:
    """Table 4's stars, a row for each readable cell: `test`, `measure`, `statistic`, number of `stars`.

    Parameters
    ----------
    ledger
        `measures` and `statistics` in the order of the columns, and `stars`: test → a number for each, None where the
        cell cannot be read.
    """
    order = [(measure, statistic) for measure in ledger["measures"] for statistic in ledger["statistics"]]
    rows = [
        (test, *column, stars)
        for test, row in ledger["stars"].items()
        for column, stars in zip(order, row, strict=True)
        if stars is not None
    ]
    return pd.DataFrame(rows, columns=["test", "measure", "statistic", "stars"])
