"""Which spread of the scores, and how many true pairs, can be behind printed numbers of edges.

Vadrevu et al. (2021, §5.2 and Table 6) draw scores from N(±mean, spread) and keep those above a threshold. The number
of edges is then a sum of two binomial counts, of the true pairs and of the others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from trustnlp.data.linkage.ecbplus import share_above

_MEAN = 0.5  # of the scores of true pairs; those of others have its opposite


def edge_count(gold_pairs: int, nodes: int, threshold: float, *, spread: float) -> tuple[float, float]:
    """Mean and standard deviation of the number of edges of weight `threshold` or more."""
    counts = (gold_pairs, nodes * (nodes - 1) // 2 - gold_pairs)
    shares = [share_above(threshold, mean, spread) for mean in (_MEAN, -_MEAN)]
    expected = sum(n * p for n, p in zip(counts, shares, strict=True))
    return expected, math.sqrt(sum(n * p * (1 - p) for n, p in zip(counts, shares, strict=True)))


def fit_gold_pairs(edges: Mapping[float, int], nodes: int, *, spread: float) -> tuple[int, float]:
    """The number of true pairs that fits the edges printed for each threshold best, and its `misfit`.

    >>> fit_gold_pairs({-0.3: 317}, 46, spread=0.3)[0]
    75
    """
    misfits = [misfit(edges, nodes, pairs, spread=spread) for pairs in range(nodes * (nodes - 1) // 2 + 1)]
    return misfits.index(min(misfits)), min(misfits)


def misfit(edges: Mapping[float, int], nodes: int, gold_pairs: int, *, spread: float) -> float:
    """Root mean square difference of printed and expected edges, in standard deviations of the counts."""
    total = 0.0
    for threshold, count in edges.items():
        expected, deviation = edge_count(gold_pairs, nodes, threshold, spread=spread)
        total += ((count - expected) / deviation) ** 2
    return math.sqrt(total / len(edges))
