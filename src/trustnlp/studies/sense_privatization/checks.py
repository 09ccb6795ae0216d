"""The printed scores of Arnold, Yesilbas and Weinzierl (2023) against each other, and against the sets they are of.

`printed` has the ledger's tables. Every check gives the key of its metric, `printed.…`, value and unit.
A score is a share, 0 to 1, printed to four digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

# Labelled validation items of GLUE's MRPC and RTE (Wang et al. 2019). The labels of its test parts are not public: its
# server scores them, and gives one decimal of a per cent.
VALIDATION = {"MRPC": 408, "RTE": 277}
TRIALS = 3
ARMS = ("none", "word_90", "word_50", "sense_90", "sense_50")
ROUNDING = 0.00005


def checks_of(printed: Mapping[str, Any]) -> Iterator[tuple[str, float, str]]:
    """All checks: abstract and §4.2 on WiC, the averages and gains of Table 2."""
    yield from _wic(printed["wic"])
    table = printed["table2"]
    means = {arm: math.fsum(table[arm]) / len(table["tasks"]) for arm in ARMS}
    apart = max(abs(means[arm] - table["average"][arm]) for arm in ARMS)
    yield "printed.table2.average_margin", 2 * ROUNDING - apart, "score"
    gains = dict(zip(table["tasks"], map(_minus, table["sense_50"], table["word_50"]), strict=True))
    yield "printed.table2.least_gain_50", min(gain for task, gain in gains.items() if task != "CoLA"), "score"
    yield "printed.table2.granularity", min(_farthest(table, task) for task in VALIDATION), "score"


def grid_distance(score: float, n: int, *, trials: int = 1) -> float:
    """How far a printed score lies from the nearest average of `trials` accuracies over `n` items, rounding allowed.

    Zero where some such average is printed so, whether its digits are rounded or cut off after the fourth.

    >>> grid_distance(0.5, 638), round(grid_distance(0.6887, 638, trials=3), 6)
    (0.0, 4e-05)

    Raises
    ------
    ValueError
        The score lies outside [0, 1], or there is no item or trial.
    """
    if not 0 <= score <= 1 or n < 1 or trials < 1:
        raise ValueError(f"a score of 0 to 1 over at least one item and trial, got {score} over {n}, {trials} times")
    count = n * trials
    # Averages that are printed as the score lie from half a unit below it (rounded up) to a unit above it (cut off).
    low, high = score - ROUNDING, score + 2 * ROUNDING
    below, above = math.floor(low * count + 1e-9) / count, math.ceil(high * count - 1e-9) / count
    if math.floor(high * count + 1e-9) >= math.ceil(low * count - 1e-9):
        return 0.0
    return min(low - below, above - high)


def _wic(wic: Mapping[str, float]) -> Iterator[tuple[str, float, str]]:
    points = 100 * (wic["sense"] - wic["word"])
    yield "printed.wic.points", points, "points"
    yield "printed.wic.relative", points / wic["none"], "%"
    yield "printed.wic.gap_closed", points / (wic["none"] - wic["word"]), "%"
    size, trials = int(wic["validation"]), int(wic["trials"])
    distances = [grid_distance(wic[arm], size, trials=trials) for arm in ("none", "word", "sense")]
    yield "printed.wic.granularity", min(distances), "score"
    # Standard error of the difference of two independent accuracies, one trial each.
    variance = sum(wic[arm] * (1 - wic[arm]) for arm in ("word", "sense")) / size
    yield "printed.wic.standard_errors", points / 100 / math.sqrt(variance), "ratio"


def _farthest(table: Mapping[str, Any], task: str) -> float:
    """`grid_distance` of that score of a task which lies farthest from any accuracy of one trial or three."""
    place = table["tasks"].index(task)
    return max(grid_distance(table[arm][place], VALIDATION[task], trials=TRIALS) for arm in ARMS)


def _minus(more: float, less: float) -> float:
    return more - less
