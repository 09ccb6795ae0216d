"""Feature tables of texts that do not exist, and errors that one feature causes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trustnlp.error_analysis.readable_features import FeatureTable

CAUSE, TWIN = "cause", "twin"


def counted_features(texts: int, features: int, prevalence: float, rng: np.random.Generator) -> FeatureTable:
    """Counts over length, as of readable features: most are rare, some frequent.

    The first is the cause, in a share `prevalence` of the texts. The second, its twin, comes with it in seven texts of
    ten, and never without it. The others are in 1 to 40 % of the texts, independent of all.
    """
    lengths = rng.integers(5, 30, size=texts)
    shares = np.exp(rng.uniform(np.log(0.01), np.log(0.4), size=features))
    shares[0] = prevalence
    present = rng.random((texts, features)) < shares
    present[:, 1] = present[:, 0] & (rng.random(texts) < 0.7)
    counts = present * (1 + rng.poisson(0.3, size=present.shape))
    names = (CAUSE, TWIN, *(f"feature {number}" for number in range(2, features)))
    return FeatureTable(names, counts / lengths[:, None], ("made",) * features)


def planted_errors(
    table: FeatureTable, with_cause: float, without: float, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Errors at two rates: of the texts that have the cause, and of the others."""
    rates = np.where(table.values[:, table.names.index(CAUSE)] > 0, with_cause, without)
    wrong: NDArray[np.bool_] = rng.random(len(rates)) < rates
    return wrong
