"""Which spread of the scores, and how many true pairs, can be behind printed numbers of edges.

Vadrevu et al. (2021, §5.2 and Table 6) draw scores from N(±mean, spread) and keep those above a threshold. The number
of edges is then a sum of two binomial counts, of the true pairs and of the others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from trustnlp.data.linkage.ecbplus import share_above


class EdgeFit(NamedTuple):
    """The number of true pairs that fits printed numbers of edges best, and how badly it does.

    `misfit` is the root mean square of the differences, each in standard deviations of its count.
    """

    gold_pairs: int
    misfit: float


def edge_count(
    gold_pairs: int, nodes: int, threshold: float, *, spread: float, mean: float = 0.5
) -> tuple[float, float]:
    """Mean and standard deviation of the number of edges of weight `threshold` or more."""
    other_pairs = nodes * (nodes - 1) // 2 - gold_pairs
    kept = [share_above(threshold, sign * mean, spread) for sign in (1, -1)]
    expected = gold_pairs * kept[0] + other_pairs * kept[1]
    variance = sum(n * p * (1 - p) for n, p in zip((gold_pairs, other_pairs), kept, strict=True))
    return expected, math.sqrt(variance)


def fit_gold_pairs(edges: Mapping[float, int], nodes: int, *, spread: float, mean: float = 0.5) -> EdgeFit:
    """The number of true pairs, of all that are possible, that fits the edges printed for each threshold best.

    Raises
    ------
    ValueError
        If no edges are given, or more than there are pairs.

    >>> fit_gold_pairs({-0.3: 317}, 46, spread=0.3).gold_pairs
    75
    """
    pairs = nodes * (nodes - 1) // 2
    if not edges or max(edges.values()) > pairs:
        raise ValueError(f"{nodes} nodes have {pairs} pairs, got the edges {dict(edges)}")
    return min((EdgeFit(g, misfit(edges, nodes, g, spread=spread, mean=mean)) for g in range(pairs + 1)), key=_worst)


def misfit(edges: Mapping[float, int], nodes: int, gold_pairs: int, *, spread: float, mean: float = 0.5) -> float:
    """Root mean square difference of printed and expected edges, in standard deviations of the counts."""
    total = 0.0
    for threshold, count in edges.items():
        expected, deviation = edge_count(gold_pairs, nodes, threshold, spread=spread, mean=mean)
        total += ((count - expected) / deviation) ** 2
    return math.sqrt(total / len(edges))


def _worst(fit: EdgeFit) -> float:
    return fit.misfit
