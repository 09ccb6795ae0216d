"""The printed numbers of Misra, Liu and Mahmud (2021) against each other and against the published file.

A precision among the K tweets ranked highest is a count of errors divided by K, so each cell of Table 4 is a small
count, and lists of growing K hold each other. `printed` has the ledger's tables. Every check of
`checks_of` gives the key of its metric, `printed.…`, value and unit. A margin is positive where the numbers fit.

Table 2 has 11,664 tweets, the published file 14,640. If the paper's tweets were drawn from them without regard to the
label, their numbers of each label follow the multivariate hypergeometric law. `draw_p_value` says how many such draws
lie at least as far from the expected numbers as the printed ones. A low answer speaks against a plain random draw; a
high one does not prove one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import chdtrc
from scipy.stats import binomtest

from trustnlp.evaluation.printed_numbers import count_gap

Check = tuple[str, float, str]
METHODS = ("uncertainty", "aec")
LEVEL = 0.05
ROUNDING = 0.005  # half a unit of the last of two decimals
_SLIP = 1e-9  # of float64; no two shares of so few tweets are as close


def errors_behind(precision: float, k: int) -> int:
    """How many of `k` tweets are errors if their share has these two decimals; a tie may be rounded either way.

    >>> errors_behind(0.83, 40), errors_behind(0.82, 40), errors_behind(0.77, 30)
    (33, 33, 23)

    Raises
    ------
    ValueError
        If given a share that none or several counts are printed as.
    """
    found = [count for count in range(k + 1) if abs(count / k - precision) <= ROUNDING + _SLIP]
    if len(found) != 1:
        raise ValueError(f"{len(found) or 'no'} counts of {k} are printed as {precision:.2f}; check K and the number")
    return found[0]


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
    found = precision * share
    return found / (found + (1 - precision) * (1 - share))


def precision_table(printed: Mapping[str, Any]) -> pd.DataFrame:
    """Table 4 as counts, with what they can tell.

    Returns
    -------
    DataFrame
        One row for each method and K: `precision` as printed, `errors`, `low` and `high` (the 95 % interval of Wilson
        1927, as if tweets were drawn), `added` (errors since the shorter list), and `stream`, the precision above the
        same threshold at the share of errors of Table 3.

    Raises
    ------
    ValueError
        If given a cell that is no count of its K.
    """
    share = printed["table3"]["incorrect"] / printed["table3"]["total"]
    rows = {}
    for method in METHODS:
        counts = _counts(printed, method)
        for (k, errors), added in zip(counts.items(), np.diff([0, *counts.values()]), strict=True):
            low, high = binomtest(errors, k).proportion_ci(1 - LEVEL, method="wilson")
            rows[method, k] = {
                "precision": printed["table4"][method][list(counts).index(k)],
                "errors": errors,
                "low": float(low),
                "high": float(high),
                "added": added,
                "stream": at_error_rate(errors / k, share),
            }
    table = pd.DataFrame.from_dict(rows, orient="index")
    table.index = pd.MultiIndex.from_tuples(table.index, names=["method", "k"])
    return table.astype({"errors": int, "added": int})


def leads(printed: Mapping[str, Any]) -> pd.DataFrame:
    """AEC's lead at each K of Table 4.

    Returns
    -------
    DataFrame
        One row for each K: `tweets` by which AEC finds more errors, `p_apart`, Fisher's two-sided p-value if the two
        lists share no tweet, and `p_least`, the smallest one over all that they may share.

    Raises
    ------
    ValueError
        If `precision_table` would raise it.
    """
    uncertainty, aec = (_counts(printed, method) for method in METHODS)
    rows = {
        k: {
            "tweets": aec[k] - uncertainty[k],
            "p_apart": _fisher(aec[k], uncertainty[k], k),
            "p_least": least_p_value(aec[k], uncertainty[k], k),
        }
        for k in aec
    }
    return pd.DataFrame.from_dict(rows, orient="index").astype({"tweets": int}).rename_axis("k")


def checks_of(printed: Mapping[str, Any]) -> Iterator[Check]:
    """All checks: sums of Tables 2 and 3, the balanced set and its split, Table 4, lists of features."""
    yield from _sizes(printed)
    yield from _table_4(printed)
    yield (
        "printed.emotions.excess",
        len(printed["emotions"]["listed"]) - printed["emotions"]["said"],
        "number of classes",
    )
    undescribed = set(printed["table6"]["lexical"]) - set(printed["conversation"])
    yield "printed.table6.undescribed", len(undescribed), "number of features"


def _sizes(printed: Mapping[str, Any]) -> Iterator[Check]:
    """Tables 2 and 3, and 9,310, 7,448, 1,862 and 1,832 of §3.3 and §4.1."""
    table2, table3, split = printed["table2"], printed["table3"], printed["split"]
    total, correct, incorrect = table3["total"], table3["correct"], table3["incorrect"]
    yield "printed.table2.sum_margin", 0.5 - abs(sum(table2.values()) - total), "number of tweets"
    yield "printed.table3.sum_margin", 0.5 - abs(correct + incorrect - total), "number of tweets"
    yield "printed.table3.accuracy_margin", ROUNDING - abs(100 * correct / total - table3["accuracy"]), "points"
    yield "printed.table3.majority", 100 * max(table2.values()) / total, "%"
    yield "printed.table3.above_majority", 100 * (correct - max(table2.values())) / total, "points"
    balanced = 2 * min(correct, incorrect)
    train = round(split["train_share"] * balanced)
    yield "printed.balanced", balanced, "count of tweets"
    yield "printed.split.train", train, "count of tweets"
    yield "printed.split.test", balanced - train, "count of tweets"
    yield "printed.split.missing", abs(balanced - train - printed["test_of_table4"]), "number of tweets"
    errors = 100 * incorrect / total
    yield "printed.stream.errors", errors, "%"
    # The test set is a random fifth of the balanced set: half of it are errors.
    yield "printed.stream.excess", 50 - errors, "points"


def _table_4(printed: Mapping[str, Any]) -> Iterator[Check]:
    table, lead = precision_table(printed), leads(printed)
    cells = [
        (100 * value, k)
        for method in METHODS
        for k, value in zip(printed["table4"]["top"], printed["table4"][method], strict=True)
    ]
    # A unit of the last digit, so that numbers may be rounded or cut off.
    yield "printed.table4.grid_margin", 1 - max(count_gap(value, k) for value, k in cells), "points"
    steps = np.diff([0, *lead.index])
    room = [min(added, step - added) for m in METHODS for added, step in zip(table.loc[m, "added"], steps, strict=True)]
    yield "printed.table4.nested_margin", 0.5 + min(room), "number of tweets"
    later = lead.index > min(lead.index)
    yield "printed.table4.least_p_apart", float(lead.loc[later, "p_apart"].min()), "p-value"
    yield "printed.table4.beyond_chance", LEVEL - float(lead.loc[later, "p_least"].min()), "none"
    for k, row in lead.iterrows():
        yield f"printed.table4.lead.k{k}", int(row["tweets"]), "number of tweets"
    last = max(lead.index)
    for method in METHODS:
        yield f"printed.stream.{method}.k{last}", float(table.loc[(method, last), "stream"]), "share"
        added = int(table.loc[(method, last), "added"])
        yield f"printed.table4.{method}.last_step_above_half", added - steps[-1] / 2, "number of tweets"


def _counts(printed: Mapping[str, Any], method: str) -> dict[int, int]:
    """K → errors, in the order of the table."""
    table = printed["table4"]
    return {k: errors_behind(value, k) for k, value in zip(table["top"], table[method], strict=True)}


def _fisher(more: int, fewer: int, n: int) -> float:
    """Two-sided p-value of Fisher's exact test for `more` and `fewer` errors of `n` each; 1 if there is none of either.

    All ways to deal as many errors to two lists count that are no likelier than the one observed; whole numbers.
    """
    errors = more + fewer
    ways = {first: comb(n, first) * comb(n, errors - first) for first in range(max(0, errors - n), min(n, errors) + 1)}
    return sum(each for each in ways.values() if each <= ways[more]) / sum(ways.values())


def draw_p_value(drawn: Sequence[int], population: Sequence[int]) -> float:
    """Share of random draws without replacement whose numbers of three labels lie as far from the average, or farther.

    X² = Σ (observed - expected)² / expected · (N - 1) / (N - n) for n drawn of N, and χ² with two degrees of freedom.
    The last factor is for drawing without replacement: who draws nearly all has little left to chance.

    Parameters
    ----------
    drawn, population
        How many have each label among those drawn, and among those that were drawn from.
    """
    there, seen = np.array(population, dtype=np.int64), np.array(drawn, dtype=np.int64)
    size, n = there.sum(), seen.sum()
    expected = n * there / size
    statistic = ((seen - expected) ** 2 / expected).sum() * (size - 1) / (size - n)
    return float(chdtrc(len(there) - 1, statistic))
