"""Inequalities every partition satisfies, and how to find those that a fractional solution breaks.

A *star inequality* has a centre `u` and other nodes `T`:

    sum over v in T of x_uv  −  sum over v < w in T of x_vw  ≤  1.

Two members are a triangle inequality, Eqs. 2–4 of Vadrevu et al. (2021); more are the 2-partition inequalities of
Grötschel and Wakabayashi (1989), which cut off points that all triangles let through. Why each holds: if `k` of the
nodes of `T` share the centre's cluster, the left side is at most k − k (k − 1) / 2, which is at most 1.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np

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


def broken_triangles(x: Floats64, most: int, deadline: float = math.inf) -> list[Star]:
    """The `most` triangle inequalities that are broken worst.

    Parameters
    ----------
    x
        `(N, N)` symmetric, zeros on the diagonal and where pairs are absent.
    deadline
        Of `time.monotonic`; what was found by then is returned.

    Of each centre no more than `most` are kept, so that memory grows with the square of the nodes and not the cube.
    """
    worst, triangles = np.empty(0), np.empty((0, 3), dtype=np.int64)
    for centre, row in enumerate(x):
        support = np.flatnonzero(row > _SUPPORT)
        if len(support) < 2:
            continue
        if time.monotonic() > deadline:
            break
        excess = row[support][:, None] + row[support] - x[np.ix_(support, support)] - 1
        first, second = np.nonzero(np.triu(excess, 1) > _BROKEN_BY)
        values = excess[first, second]
        if len(worst) == most:  # ties go to the first, as they would in one sorting of all
            better = values > worst[-1]
            values, first, second = values[better], first[better], second[better]
        if not len(values):
            continue
        here = np.stack([np.full(len(values), centre), support[first], support[second]], axis=1)
        values = np.concatenate([worst, values])
        heaviest = np.argsort(-values, kind="stable")[:most]
        worst, triangles = values[heaviest], np.concatenate([triangles, here])[heaviest]
    return [(u, (v, w)) for u, v, w in triangles.tolist()]


def broken_stars(x: Floats64, most: int, deadline: float = math.inf) -> list[Star]:
    """Up to `most` broken star inequalities of three members or more, found greedily, worst first.

    From every fractional pair `(u, v)` the star of `u` grows by the node that raises its left side most.
    """
    excess: dict[Star, float] = {}
    for centre, row in enumerate(x):
        if time.monotonic() > deadline:
            break
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
                excess[centre, tuple(sorted(support[members].tolist()))] = total
    return sorted(excess, key=lambda star: -excess[star])[:most]
