"""The printed scores of Arnold, Yesilbas and Weinzierl (2023) against each other, and against the sets they are of.

`printed` has the ledger's tables. Every check gives the key of its metric, `printed.…`, and its value.
A score is a share, 0 to 1, printed to four digits.

`broken_guarantee` is a text of two words in which all probabilities are known. Words lie on a line. *left* and *right*
are next to each other, on either side of zero, and *bank* has a sense on either side. The mean of the context is the
vector of the one other word, so *left* or *right* chooses the sense of *bank*. On a line noise of density ∝ exp(−ε|z|)
is Laplace noise, and the chance of a released word is a difference of its distribution function at the borders of the
word's cell (§2.1, §3).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy import stats

from trustnlp.embeddings.senses.disambiguation import choose_senses
from trustnlp.embeddings.senses.sense_inventory import SenseInventory, hash_of
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization.deniability import Floats

# Labelled validation items of GLUE's MRPC and RTE (Wang et al. 2019). The labels of its test parts are not public: its
# server scores them, and gives one decimal of a per cent.
VALIDATION = {"MRPC": 408, "RTE": 277}
TRIALS = 3
ARMS = ("none", "word_90", "word_50", "sense_90", "sense_50")
ROUNDING = 0.00005
WORDS = ("left", "right", "bank", "shore", "loan")
APART = 0.001


def checks_of(printed: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """All checks: abstract and §4.2 on WiC, the averages and gains of Table 2."""
    wic, table = printed["wic"], printed["table2"]
    points = 100 * (wic["sense"] - wic["word"])
    yield "printed.wic.points", points
    yield "printed.wic.relative", points / wic["none"]
    yield "printed.wic.gap_closed", points / (wic["none"] - wic["word"])
    size, trials = int(wic["validation"]), int(wic["trials"])
    distances = [grid_distance(wic[arm], size, trials=trials) for arm in ("none", "word", "sense")]
    yield "printed.wic.granularity", min(distances)
    # Standard error of the difference of two independent accuracies, one trial each.
    variance = sum(wic[arm] * (1 - wic[arm]) for arm in ("word", "sense")) / size
    yield "printed.wic.standard_errors", points / 100 / math.sqrt(variance)
    apart = max(abs(math.fsum(table[arm]) / len(table["tasks"]) - table["average"][arm]) for arm in ARMS)
    yield "printed.table2.average_margin", 2 * ROUNDING - apart
    of_tasks = zip(table["tasks"], table["sense_50"], table["word_50"], strict=True)
    yield "printed.table2.least_gain_50", min(more - less for task, more, less in of_tasks if task != "CoLA")
    # Of each task the score that lies farthest from any accuracy of one trial or three.
    places = {task: table["tasks"].index(task) for task in VALIDATION}
    farthest = [
        max(grid_distance(table[arm][places[task]], n, trials=TRIALS) for arm in ARMS) for task, n in VALIDATION.items()
    ]
    yield "printed.table2.granularity", min(farthest)


def grid_distance(score: float, n: int, *, trials: int = 1) -> float:
    """How far a printed score lies from the nearest average of `trials` accuracies over `n` items, rounding allowed.

    Zero where some such average is printed so, whether its digits are rounded or cut off after the fourth.

    >>> grid_distance(0.5, 638), round(grid_distance(0.6887, 638, trials=3), 6)
    (0.0, 4e-05)
    """
    count = n * trials
    # Averages that are printed as the score lie from half a unit below it (rounded up) to a unit above it (cut off).
    low, high = score - ROUNDING, score + 2 * ROUNDING
    below, above = math.floor(low * count + 1e-9) / count, math.ceil(high * count - 1e-9) / count
    if math.floor(high * count + 1e-9) >= math.ceil(low * count - 1e-9):
        return 0.0
    return min(low - below, above - high)


def broken_guarantee(epsilon: float) -> tuple[float, float]:
    """*left bank* against *right bank*: what equation (1) allows, and the worst of all released texts, in nats.

    Returns
    -------
    ε times the distance of the two words, and the largest logarithm of a ratio of the probabilities of one text.
    """
    vectors, inventory = line_of_words()
    before, after = (choose_senses(inventory, vectors, [word, "bank"]).tolist() for word in ("left", "right"))
    ratios = [
        np.log(released_words(inventory, one, epsilon) / released_words(inventory, other, epsilon))
        for one, other in zip(before, after, strict=True)
    ]
    # Places are drawn independently: the worst text has the worst word in each, all in one direction.
    reached = max(sum(ratio.max() for ratio in ratios), -sum(ratio.min() for ratio in ratios))
    return epsilon * APART, float(reached)


def line_of_words() -> tuple[WordVectors, SenseInventory]:
    """*left* and *right* `APART`; *bank* at −1 and 1 by its senses; *shore* at −2, *loan* at 2."""
    vectors = WordVectors(list(WORDS), np.array([[-APART / 2], [APART / 2], [0.1], [-2], [2]], np.float32), "a line")
    matrix = np.array([[-APART / 2], [APART / 2], [-1], [1], [-2], [2]], np.float32)
    owner, prior = np.array([0, 1, 2, 2, 3, 4]), np.array([1, 1, 0.5, 0.5, 1, 1])
    return vectors, SenseInventory(WORDS, owner, matrix, prior, 0, hash_of(vectors))


def released_words(inventory: SenseInventory, sense: int, epsilon: float) -> Floats:
    """`(V,)` the chance of each word when a sense on a line is released."""
    points = inventory.matrix[:, 0].astype(np.float64)
    order = np.argsort(points)
    borders = np.concatenate([[-np.inf], (points[order][1:] + points[order][:-1]) / 2, [np.inf]])
    noise = stats.laplace(points[sense], 1 / epsilon)
    # From the nearer end: a difference of two numbers near 1 would lose the digits of a small chance.
    below, above = np.diff(noise.cdf(borders)), -np.diff(noise.sf(borders))
    chances = np.where(borders[1:] <= points[sense], below, above)
    of_words = np.zeros(len(inventory.words))
    np.add.at(of_words, inventory.owner[order], chances)
    return of_words
