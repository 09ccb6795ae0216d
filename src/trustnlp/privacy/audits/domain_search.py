"""Pairs of inputs to audit: those that a claim speaks of, dense and sparse, across the domain of the mechanism.

A claim for any two inputs is a claim about the two that lie furthest apart, and these differ in every coordinate: noise
made for one coordinate loses d times as much between two corners of a box. `examination` compares inputs near 0, along
one axis at a time. Here pairs come from the bounds of a `Subject`, each as far apart as claim and domain allow:

- *directions*: both inputs the same way from the centre in all coordinates (in a box its opposite corners), two random
  corners and their opposites, one random direction; per unit of distance at two distances, as a loss may grow faster;
- *chosen axes*: every axis with a few releases, and the few on which they differ most, with fresh draws. The choice
  costs no level, since what it looked at is not counted again; a weak fault of one axis it may miss;
- *given pair*: two inputs of the user's own.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import Relation
from trustnlp.privacy.audits.auditing import LEAST_DRAWS, draws_needed
from trustnlp.privacy.audits.distinguish import Floats64
from trustnlp.privacy.audits.examination import AUDITS, AuditFinding, Pair, Subject, audited, can_be_tried, each_of

CHOSEN_AXES = 3
PAIRS_OF_DIRECTIONS = 4
_FURTHER = 3.0
_NEAR_ZERO = ("two inputs", "every axis")


def search(
    subject: Subject,
    *,
    given: Pair | None = None,
    draws: int,
    alpha: float = 0.05,
    generator: torch.Generator | None = None,
    rng: np.random.Generator | None = None,
) -> tuple[list[AuditFinding], list[str]]:
    """Every audit that fits what is known of the domain, at equal shares of `alpha`; and what was not searched.

    Parameters
    ----------
    subject
        Without bounds, inputs lie around 0, unless the claim is LOCAL, for which they may be none that it speaks of,
        and the given pair alone is compared.
    given
        `(d,)` two inputs that the claim speaks of.
    draws, alpha, generator, rng
        As for `examination.examine`.

    Raises
    ------
    ValueError
        If given a LOCAL claim with neither a domain nor a pair; a given pair outside the domain or further apart than
        claimed.
    """
    source = np.random.default_rng() if rng is None else rng
    bounded, local = subject.bounded, subject.guarantee.relation is Relation.LOCAL
    if local and not bounded and given is None:
        raise ValueError("a claim for any two inputs needs to know which inputs there are: a domain, or a pair of them")
    if given is not None:
        _check_pair(given, subject)
    anywhere = bounded or not local
    names = [name for name in AUDITS if anywhere and not (bounded and name in _NEAR_ZERO)]
    pairs = {"directions": directions(subject, source) if anywhere else [], "given pair": [given] if given else []}
    tried = sum(can_be_tried(name, subject) for name in names)
    share = alpha / (tried + sum(map(bool, pairs.values())) + anywhere)
    with np.errstate(invalid="ignore"):  # a mechanism may release NaN, which is told
        findings = each_of(names, subject, draws, share, generator, source)
    findings += [audited(name, each, subject, draws, share, generator) for name, each in pairs.items() if each]
    if anywhere:
        chosen, seen = suspicious_axes(subject, draws, generator)
        finding = audited("chosen axes", [_axis(subject, axis) for axis in chosen], subject, draws, share, generator)
        findings.append(replace(finding, text=f"{finding.text}; {seen}"))
    return findings, _not_searched(subject, draws, share)


def directions(subject: Subject, rng: np.random.Generator) -> list[Pair]:
    """Pairs along dense and random directions, as far apart as may be; metric claims also further than `distance`."""
    ones = torch.ones(subject.dim, dtype=torch.float64)
    signs = [torch.from_numpy(rng.choice([-1.0, 1.0], subject.dim)) for _ in range(PAIRS_OF_DIRECTIONS - 2)]
    ways = [ones, *signs, torch.from_numpy(rng.standard_normal(subject.dim))]
    further = [] if subject.guarantee.relation is Relation.LOCAL else [_FURTHER * subject.distance]
    return [_along(way, subject, reach) for reach in (subject.distance, *further) for way in ways]


def suspicious_axes(subject: Subject, draws: int, generator: torch.Generator | None) -> tuple[list[int], str]:
    """The axes along which a few releases differ most for their spread, and how many were looked at for it."""
    each = max(8, min(LEAST_DRAWS, draws // subject.dim))
    scores = []
    for axis in range(subject.dim):
        first, second = (_released(subject, value, each, generator) for value in _axis(subject, axis))
        spread = np.sqrt((first.var(axis=0) + second.var(axis=0)) / each)
        apart = np.abs(first.mean(axis=0) - second.mean(axis=0))
        scores.append(float((apart / np.maximum(spread, 1e-12 * (1 + np.abs(first).max()))).max()))
    chosen = np.argsort(scores)[::-1][:CHOSEN_AXES].tolist()
    return chosen, f"of {subject.dim} axes seen with {each} releases each, {len(chosen)} were audited"


def _axis(subject: Subject, axis: int) -> Pair:
    way = torch.nn.functional.one_hot(torch.tensor(axis), subject.dim).double()
    return _along(way, subject, subject.distance)


def _along(way: Tensor, subject: Subject, reach: float) -> Pair:
    """Two inputs on either side of the centre, `reach` apart along a direction or as far as the domain goes."""
    centre = (subject.low + subject.high) / 2 if subject.bounded else 0.0
    half = reach / 2 * (1 - 1e-6) / subject.length(way)  # a hair inside, as rounding to float32 may lengthen
    half = min(half, (subject.high - subject.low) / 2 / float(way.abs().max()))
    ends = (torch.clamp(centre + sign * half * way, subject.low, subject.high) for sign in (-1, 1))
    first, second = (end.to(subject.dtype) for end in ends)
    return first, second


def _released(subject: Subject, value: Tensor, rows: int, generator: torch.Generator | None) -> Floats64:
    released = subject.mechanism(value.repeat(rows, 1), generator=generator).detach().cpu().double().numpy()
    finite: Floats64 = np.nan_to_num(released)
    return finite


def _check_pair(pair: Pair, subject: Subject) -> None:
    for value in pair:
        if value.shape != (subject.dim,):
            raise ValueError(f"the pair has {value.numel()} coordinates an input, the mechanism takes {subject.dim}")
        if not bool(((value >= subject.low) & (value <= subject.high)).all()):
            raise ValueError(f"an input of the pair leaves the domain, {subject.low:g} to {subject.high:g}")
    apart = subject.length(pair[1].double() - pair[0].double())
    if subject.guarantee.relation is Relation.LOCAL and apart > subject.distance * (1 + 1e-6):
        raise ValueError(f"the pair is {apart:g} apart, further than the {subject.distance:g} that the claim speaks of")


def _not_searched(subject: Subject, draws: int, alpha: float) -> list[str]:
    """The limits of an acquittal, in words."""
    most = max((value for value in np.arange(0.1, 40, 0.1) if draws_needed(value, alpha=alpha) <= draws), default=0.0)
    where = []
    if not subject.bounded:
        where.append("inputs other than those around 0 or given (give --low and --high, or --pair)")
    if subject.guarantee.relation is Relation.METRIC:
        where.append("a claim for any two inputs, however far apart (give --relation local)")
    return [*where, f"pairs but these, and losses above {most:.1f} nats, which take more than {draws:,} releases"]
