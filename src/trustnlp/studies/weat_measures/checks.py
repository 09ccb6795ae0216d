"""Print against print: printed effect sizes against the sentences beside them, where no vectors are needed.

Azarpanah and Farhadloo (2021), §4 and Table 4. An effect size d of two sets of n words each is the difference of their
means in standard deviations of all 2n words. Over all equal divisions of the words this difference has mean 0 and
variance 2/n, and is nearly normal, so that d alone tells the p-value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
from scipy.stats import norm

_LEVEL = 0.01  # of one star
Check = tuple[str, float]


def one_sided_p(effect_size: float, words: int) -> float:
    """One-sided p-value of an effect size of two sets of so many words each, by the normal limit of the permutations.

    >>> round(one_sided_p(0.19, 32), 2)
    0.22
    """
    return float(norm.sf(effect_size / (2 / words) ** 0.5))


def printed_stars(ledger: Mapping[str, Any]) -> pd.DataFrame:
    """Table 4's stars, a row for each readable cell: `test`, `measure`, `statistic`, number of `stars`.

    Parameters
    ----------
    ledger
        `measures` and `statistics` in the order of the columns, and `stars`: test → a number for each, None where the
        cell cannot be read.
    """
    columns = pd.MultiIndex.from_product([ledger["measures"], ledger["statistics"]], names=["measure", "statistic"])
    table = pd.DataFrame.from_dict(ledger["stars"], orient="index").rename_axis("test").set_axis(columns, axis=1)
    return table.stack(["measure", "statistic"], future_stack=True).dropna().rename("stars").reset_index()


def checks_of(printed: Mapping[str, Any]) -> Iterator[Check]:
    """`paper.…`: key and value.

    `elmo_weat3_above_level` is positive if ELMo's printed effect size in a test that the text calls significant is not.
    `gpt_median_reveals` is positive if all printed effect sizes of GPT have the p-values that the text says: above the
    level with the mean, below it with the median.

    Parameters
    ----------
    printed
        The ledger's tables `set_sizes`, `elmo_mean_euclidean` and `gpt_cosine`.
    """
    sizes, elmo, gpt = printed["set_sizes"], printed["elmo_mean_euclidean"], printed["gpt_cosine"]
    p = {test: one_sided_p(effect, sizes[test]) for test, effect in elmo["shared_cell"].items()}
    for test, value in p.items():
        yield f"paper.elmo_weat{test}_p", value
    yield "paper.elmo_weat3_above_level", p[3] - _LEVEL
    margins = [one_sided_p(gpt["mean"][test], sizes[test]) - _LEVEL for test in gpt["mean"]]
    margins += [_LEVEL - one_sided_p(gpt["median"][test], sizes[test]) for test in gpt["median"]]
    yield "paper.gpt_median_reveals", min(margins)
