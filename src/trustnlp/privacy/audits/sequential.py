"""An audit that stops early: looks at growing numbers of draws, with the probability of an error divided among them.

In one dimension at one nat, a fifth of the noise that is needed shows in a hundred draws and nine tenths of it in about
a hundred thousand (measured in the chapter on PrivEmb), and nobody knows beforehand which it is. Look k audits with
fresh draws, twice as many as the look before, at α · 2⁻ᵏ. The levels of all looks sum to less than α, so whichever look
stops, its bound is too high with probability α at most (a union bound, which holds for any rule of stopping). An
innocent mechanism costs less than twice the draws of the last look.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import Guarantee, Relation
from trustnlp.privacy.audits.auditing import BlackBox, LowerBound, audit, draws_needed, violates


@dataclass(frozen=True)
class Looks:
    """How a sequential audit ended.

    Attributes
    ----------
    bound
        Of the look that stopped, or the largest of all looks; it holds with probability `1 - alpha` of the whole.
    violated
        Whether a look refuted the guarantee.
    draws
        Releases of each input, all looks together.
    looks
        How many looks were made.
    """

    bound: LowerBound
    violated: bool
    draws: int
    looks: int


def audit_until_refuted(
    mechanism: BlackBox,
    first: Tensor,
    second: Tensor,
    guarantee: Guarantee,
    *,
    most_draws: int,
    distance: float | None = None,
    alpha: float = 0.05,
    generator: torch.Generator | None = None,
) -> Looks:
    """`trustnlp.privacy.audits.auditing.audit` in looks, until one refutes the guarantee or the draws are used up.

    Parameters
    ----------
    mechanism, first, second, distance, generator
        As for `audit`; a metric guarantee needs the distance.
    most_draws
        Releases of each input that all looks together may take. The first look takes three times as many as refute the
        claim if every release tells the inputs apart.
    alpha
        Probability with which an innocent mechanism may be convicted, all looks together.

    Raises
    ------
    ValueError
        If `audit` or `violates` would raise it, or `most_draws` does not allow the first look.
    """
    if distance is None and guarantee.relation is Relation.METRIC:
        raise ValueError("a guarantee per unit of distance needs the distance of the two inputs, in its norm")
    claimed = guarantee.loss_bound(1.0 if distance is None else distance)
    size = 3 * draws_needed(claimed, delta=guarantee.delta, alpha=alpha / 2)
    if size > most_draws:
        raise ValueError(f"the first look takes {size:,} draws of each input, at most {most_draws:,} are allowed")
    best: LowerBound | None = None
    spent = looks = 0
    while spent + size <= most_draws:
        looks += 1
        level = alpha * 2.0**-looks
        bound = audit(
            mechanism, first, second, draws=size, delta=guarantee.delta, alpha=level, distance=distance,
            generator=generator,
        )  # fmt: skip
        spent += size
        violated = bound.ceiling > claimed and violates(bound, guarantee)
        if best is None or bound.epsilon > best.epsilon or violated:
            best = replace(bound, confidence=1 - alpha)
        if violated:
            return Looks(best, True, spent, looks)
        size *= 2
    assert best is not None  # the first look fits
    return Looks(best, False, spent, looks)
