"""Inequalities every partition satisfies, and how to find those that a fractional solution breaks.

A *star inequality* has a centre `u` and other nodes `T`:

    sum over v in T of x_uv  −  sum over v < w in T of x_vw  ≤  1.

Two members are a triangle inequality, Eqs. 2–4 of Vadrevu et al. (2021); more are the 2-partition inequalities of
Grötschel and Wakabayashi (1989), which cut off points that all triangles let through. Why each holds: if `k` of the
nodes of `T` share the centre's cluster, the left side is at most k − k (k − 1) / 2, which is at most 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trustnlp.graphs.pair_graph import Floats64

Star = tuple[int, tuple[int, ...]]
"""Centre and, sorted, the other nodes of a star inequality."""

_BROKEN_BY = 1e-6
_SUPPORT = 1e-6


def coefficients(star: Star) -> Iterator[tuple[int, int, int]]:
    """The pairs `(u, v)`, `u < v`, of a star inequality, each with its coefficient 1 or −1."""
    centre, members = star
    for place, member in enumerate(members):
        yield min(centre, member), max(centre, member), 1
        for other in members[place + 1 :]:
            yield member, other, -1


def broken_triangles(x: Floats64, most: int) -> list[Star]:
    """The `most` triangle inequalities that are broken worst.

    Parameters
    ----------
    x
        `(N, N)` symmetric, zeros on the diagonal and where pairs are absent.
    """
    found: list[tuple[NDArray[Any], ...]] = []
    for centre, row in enumerate(x):
        support = np.flatnonzero(row > _SUPPORT)
        if len(support) < 2:
            continue
        excess = row[support][:, None] + row[support] - x[np.ix_(support, support)] - 1
        first, second = np.nonzero(np.triu(excess, 1) > _BROKEN_BY)
        found.append((excess[first, second], np.full(len(first), centre), support[first], support[second]))
    if not found:
        return []
    excess, centres, first, second = (np.concatenate(parts) for parts in zip(*found, strict=True))
    worst = np.argsort(-excess, kind="stable")[:most]
    return [(int(u), (int(v), int(w))) for u, v, w in zip(centres[worst], first[worst], second[worst], strict=True)]


def broken_stars(x: Floats64, most: int) -> list[Star]:
    """Up to `most` broken star inequalities of three members or more, found greedily, worst first.

    From every fractional pair `(u, v)` the star of `u` grows by the node that raises its left side most.
    """
    found: dict[Star, float] = {}
    for centre, row in enumerate(x):
        support = np.flatnonzero(row > _SUPPORT)
        inner, weights = x[np.ix_(support, support)], row[support]
        for start in np.flatnonzero(weights < 1 - _SUPPORT).tolist():
            members, total = [start], float(weights[start])
            gain = weights - inner[start]
            gain[start] = -1
            while gain[best := int(gain.argmax())] > _BROKEN_BY:
                members.append(best)
                total += float(gain[best])
                gain = gain - inner[best]
                gain[members] = -1
            if total > 1 + _BROKEN_BY and len(members) > 2:
                found[centre, tuple(sorted(support[members].tolist()))] = total
    return sorted(found, key=lambda star: -found[star])[:most]
