"""The printed numbers of Misra, Liu and Mahmud (2021) against each other.

A precision among the K tweets ranked highest is a count of errors divided by K, so each cell of Table 4 is a small
count. `printed` has the ledger's tables. A margin of `checks_of` is positive where the numbers fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import Any

import pandas as pd

from trustnlp.evaluation.intervals import wilson_interval
from trustnlp.evaluation.printed_numbers import count_behind, count_gap

METHODS = ("uncertainty", "aec")
LEVEL = 0.05
ROUNDING = 0.005  # half a unit of the last of two decimals


def least_p_value(more: int, fewer: int, k: int) -> float:
    """Smallest two-sided p-value of Fisher's test for two lists of `k` tweets, over all that the lists may share.

    Tweets of both lists say nothing about their difference, and how many there are is not printed. Of `o` shared tweets
    `h` are errors; the test compares the errors among the `k - o` tweets that each list has for itself.

    Parameters
    ----------
    more, fewer
        Errors in the two lists; their order does not matter.
    k
        Tweets in each list.

    >>> round(least_p_value(33, 30, 40), 3), least_p_value(38, 37, 50)
    (0.1, 1.0)
    """
    most, least = max(more, fewer), min(more, fewer)
    values = [
        _fisher(most - errors, least - errors, k - errors - correct)
        for errors in range(least + 1)
        for correct in range(k - most + 1)
    ]
    return min(values)


def at_error_rate(precision: float, share: float) -> float:
    """Precision above the same threshold where errors are `share` of all tweets and no longer one half.

    What a score does to an error and to a correct prediction stays as it is, so the odds of an error among the tweets
    above the threshold change by the ratio of the odds among all tweets. The list then has another length.

    >>> round(at_error_rate(0.76, 0.4), 4), at_error_rate(0.76, 0.5)
    (0.6786, 0.76)
    """
    errors = precision * share
    return errors / (errors + (1 - precision) * (1 - share))


def precision_table(printed: Mapping[str, Any]) -> pd.DataFrame:
    """Table 4 as counts, with what they can tell.

    Returns
    -------
    DataFrame
        One row for each method and K: `precision` as printed, `errors`, `low` and `high` (the 95 % interval of Wilson
        1927, as if tweets were drawn), `added` (errors since the shorter list), and `stream`, the precision above the
        same threshold at the share of errors of Table 3.
    """
    table = pd.DataFrame({method: printed["table4"][method] for method in METHODS}, printed["table4"]["top"])
    precision = table.unstack().rename_axis(["method", "k"])
    k = precision.index.get_level_values("k").to_numpy()
    behind = [count_behind(100 * share, of, decimals=0) for share, of in zip(precision, k.tolist(), strict=True)]
    errors = pd.Series(behind, precision.index)
    low, high = wilson_interval(errors.to_numpy(), k)
    added = errors.groupby("method").diff().fillna(errors).astype(int)
    stream = at_error_rate(errors / k, printed["table3"]["incorrect"] / printed["table3"]["total"])
    columns = {"precision": precision, "errors": errors, "low": low, "high": high, "added": added, "stream": stream}
    return pd.DataFrame(columns)


def leads(printed: Mapping[str, Any]) -> pd.DataFrame:
    """AEC's lead at each K of Table 4.

    Returns
    -------
    DataFrame
        One row for each K: `tweets` by which AEC finds more errors, `p_apart`, Fisher's two-sided p-value if the two
        lists share no tweet, and `p_least`, the smallest one over all that they may share.
    """
    errors = precision_table(printed)["errors"].unstack("method")
    cells = list(zip(errors["aec"], errors["uncertainty"], errors.index, strict=True))
    p_values = {
        "p_apart": [_fisher(*cell) for cell in cells],
        "p_least": [least_p_value(*cell) for cell in cells],
    }
    return pd.DataFrame({"tweets": errors["aec"] - errors["uncertainty"], **p_values})


def checks_of(printed: Mapping[str, Any]) -> dict[str, float]:
    """All checks by key: sums of Tables 2 and 3, the balanced set and its split, Table 4, lists of features."""
    table2, table3, split = printed["table2"], printed["table3"], printed["split"]
    total, correct, incorrect = table3["total"], table3["correct"], table3["incorrect"]
    balanced = 2 * min(correct, incorrect)
    train = round(split["train_share"] * balanced)
    table4, k = precision_table(printed), printed["table4"]["top"]
    gaps = [count_gap(100 * precision, of) for (_, of), precision in table4["precision"].items()]
    emotions = printed["emotions"]
    checks = {
        "table2.sum_margin": 0.5 - abs(sum(table2.values()) - total),
        "table3.sum_margin": 0.5 - abs(correct + incorrect - total),
        "table3.accuracy_margin": ROUNDING - abs(100 * correct / total - table3["accuracy"]),
        "table3.above_majority": 100 * (correct - max(table2.values())) / total,
        "balanced": balanced,
        "split.train": train,
        "split.test": balanced - train,
        "split.missing": abs(balanced - train - printed["test_of_table4"]),
        # A unit of the last digit, so that numbers may be rounded or cut off.
        "table4.grid_margin": 1 - max(gaps),
        "table4.beyond_chance": LEVEL - float(leads(printed)["p_least"].iloc[1:].min()),
        "table4.aec.last_step_above_half": int(table4.loc[("aec", k[-1]), "added"]) - (k[-1] - k[-2]) / 2,
        "emotions.excess": len(emotions["listed"]) - emotions["said"],
        "table6.undescribed": len(set(printed["table6"]["lexical"]) - set(printed["conversation"])),
    }
    return {f"printed.{key}": value for key, value in checks.items()}


def _fisher(more: int, fewer: int, n: int) -> float:
    """Two-sided p-value of Fisher's exact test for `more` and `fewer` errors of `n` each; 1 if there is none of either.

    All ways to deal as many errors to two lists count that are no likelier than the one observed; whole numbers.
    """
    errors = more + fewer
    ways = {first: comb(n, first) * comb(n, errors - first) for first in range(max(0, errors - n), min(n, errors) + 1)}
    return sum(each for each in ways.values() if each <= ways[more]) / sum(ways.values())
