"""Proof of how good a partition can be, and a checker that shares no code with the solver.

The proof is weak duality. For any multipliers λ ≥ 0 of inequalities `a·x ≤ 1` that all partitions satisfy (here star
inequalities, `trustnlp.graphs.solver.star_cuts`), no partition weighs more than

    Σ λ  +  Σ over pairs of max(0, w − Σ λ a),

whatever solver found them. Where one such bound does not settle it, the search splits on a pair, together or apart; the
proof is then a tree, each leaf with multipliers of its own, and the bound is the largest of its leaves. The checker
computes in rational numbers; only the bound that it returns is rounded, once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from trustnlp.graphs.pair_graph import Absent, PairGraph
from trustnlp.graphs.solver.star_cuts import Star

Fixed = tuple[tuple[int, int, bool], ...]
"""Decisions on pairs `(u, v, together)` in the order in which the search took them."""

Weights = dict[tuple[int, int], Fraction]


class CertificateError(ValueError):
    """The certificate does not prove what it says."""


@dataclass(frozen=True)
class Leaf:
    """One end of the search: the decisions that lead to it and the multipliers that bound what lies below."""

    fixed: Fixed
    multipliers: Mapping[Star, float | Fraction]


@dataclass(frozen=True)
class Certificate:
    """A bound on the weight of every partition, with its proof.

    Attributes
    ----------
    bound
        What the search computed; `check_certificate` computes its own.
    leaves
        The decisions of the leaves together leave out no partition that follows `given`.
    given
        Decisions the bound is asked for under; every leaf begins with them.
    """

    bound: float
    leaves: tuple[Leaf, ...]
    given: Fixed = ()


def check_certificate(
    graph: PairGraph, labels: ArrayLike, certificate: Certificate, absent: Absent = "never", tolerance: float = 1e-6
) -> tuple[float, float]:
    """Weight of a partition and the proven bound on all partitions, both computed anew.

    Raises
    ------
    CertificateError
        If the partition holds a pair it may not, the inequalities are not star inequalities of this graph, a multiplier
        is negative, the leaves leave partitions out, or the bound is above the certificate's by more than `tolerance`
        times the smallest weight.
    """
    value, proven = exact_values(graph, labels, certificate, absent, tolerance)
    return float(value), float(proven)


def exact_values(
    graph: PairGraph, labels: ArrayLike, certificate: Certificate, absent: Absent = "never", tolerance: float = 1e-6
) -> tuple[Fraction, Fraction]:
    """The values of `check_certificate`, not rounded."""
    if not np.isfinite(certificate.bound):
        raise CertificateError(f"the bound is {certificate.bound}")
    label = np.unique(np.asarray(labels), return_inverse=True)[1].tolist()
    if absent == "never" and (apart := graph.absent_inside(label)):
        raise CertificateError(f"{apart} pairs share a cluster although they have no edge")
    weights = {(u, v): Fraction(w) for u, v, w in graph.edges}
    depth = len(certificate.given)
    if any(leaf.fixed[:depth] != certificate.given for leaf in certificate.leaves):
        raise CertificateError("a leaf does not follow the decisions the bound is given under")
    if any((label[u] == label[v]) is not together for u, v, together in certificate.given):
        raise CertificateError("the partition does not follow the decisions the bound is given under")
    _check_cover([leaf.fixed for leaf in certificate.leaves], depth)
    bounds = [leaf_bound(weights, leaf, len(graph), absent) for leaf in certificate.leaves]
    proven = max((bound for bound in bounds if bound is not None), default=None)
    if proven is None:
        raise CertificateError("every leaf contradicts itself; no partition is left")
    smallest = float(np.abs(graph.weights[graph.weights != 0]).min(initial=np.inf)) if graph.weights.any() else 0.0
    # A float as large as the weights together is rounded by up to 1e-15 of them.
    room = tolerance * smallest + 1e-15 * float(np.abs(graph.weights).sum())
    if proven > certificate.bound + room:
        raise CertificateError(f"the multipliers prove {float(proven)}, the certificate says {certificate.bound}")
    value = sum((weight for (u, v), weight in weights.items() if label[u] == label[v]), Fraction(0))
    return value, proven


def leaf_bound(weights: Weights, leaf: Leaf, nodes: int, absent: Absent) -> Fraction | None:
    """The bound of a leaf, or None if no partition follows its decisions."""
    if _contradicts(leaf.fixed, weights, nodes, absent):
        return None
    for (centre, members), multiplier in leaf.multipliers.items():
        if not 0 <= multiplier < np.inf:
            raise CertificateError(f"a multiplier is finite and not below 0, got {multiplier}")
        named = {centre, *members}
        if len(named) != len(members) + 1 or not named <= set(range(nodes)):
            raise CertificateError(f"({centre}, {members}) is not a star of this graph")
    total = sum((Fraction(multiplier) for multiplier in leaf.multipliers.values()), Fraction(0))
    decided = {(min(u, v), max(u, v)): together for u, v, together in leaf.fixed}
    for pair, weight in reduced_weights(weights, leaf).items():
        if absent == "never" and pair not in weights:
            continue  # such a pair is apart in every partition, whatever weight it is left with
        total += weight if decided.get(pair) else 0 if pair in decided else max(weight, Fraction(0))
    return total


def reduced_weights(weights: Weights, leaf: Leaf) -> Weights:
    """The weight of each pair, less the multipliers of a leaf."""
    left_over: Weights = defaultdict(Fraction, weights)
    for (centre, members), multiplier in leaf.multipliers.items():
        share = Fraction(multiplier)
        for place, member in enumerate(members):
            left_over[min(centre, member), max(centre, member)] -= share
            for other in members[place + 1 :]:
                left_over[min(member, other), max(member, other)] += share
    return left_over


def _check_cover(paths: Sequence[Fixed], depth: int = 0) -> None:
    """The leaves below a common beginning split on one pair, and both its sides are there."""
    if any(len(path) == depth for path in paths):
        if len(paths) > 1:
            raise CertificateError("a leaf lies below another leaf")
        return
    pairs = {path[depth][:2] for path in paths}
    sides = [[path for path in paths if path[depth][2] is side] for side in (True, False)]
    if len(pairs) != 1 or not all(sides):
        raise CertificateError(f"the search leaves partitions out after {depth} decisions")
    for side in sides:
        _check_cover(side, depth + 1)


def _contradicts(fixed: Fixed, weights: Weights, nodes: int, absent: Absent) -> bool:
    """Whether nodes that are decided to be together hold a pair that may not be."""
    group = list(range(nodes))
    for u, v, together in fixed:
        if together:
            group = [group[u] if label == group[v] else label for label in group]
    if any(group[u] == group[v] for u, v, together in fixed if not together):
        return True
    members: dict[int, list[int]] = defaultdict(list)
    for node, label in enumerate(group):
        members[label].append(node)
    return absent == "never" and any(
        (u, v) not in weights for inside in members.values() for k, u in enumerate(inside) for v in inside[k + 1 :]
    )
