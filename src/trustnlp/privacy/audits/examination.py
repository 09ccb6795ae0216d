"""All audits of one mechanism, each at its share of one error probability.

Which audit sees which fault is measured in the chapter on PrivEmb, notebook *audits*. In short: two inputs need no
knowledge of the mechanism and prove a loss; the law of the noise needs the law and sees a wrong scale in any dimension;
repeats and last places see what neither can, since they look at single numbers and not at their distribution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import Guarantee
from trustnlp.privacy.audits.auditing import LEAST_DRAWS, BlackBox, NotFiniteError, audit, draws_needed
from trustnlp.privacy.audits.low_bits import lowest_bits
from trustnlp.privacy.audits.noise_law import Fit, NoiseLaw, direction_fit, length_fit, together
from trustnlp.privacy.audits.repeats import many_calls, repeated_rows

MOST_REPEAT_ROWS = 4000
Pair = tuple[Tensor, Tensor]
Stream = torch.Generator | None


@dataclass(frozen=True)
class AuditFinding:
    """The result of one audit.

    Attributes
    ----------
    audit
        Its name, a key of `AUDITS`.
    convicts
        Whether it refutes what is claimed; None where it could not be tried.
    text
        The result, in words.
    alpha
        Probability with which an innocent mechanism is convicted by this audit, at most.
    """

    audit: str
    convicts: bool | None
    text: str
    alpha: float


@dataclass(frozen=True)
class Subject:
    """A mechanism to audit, with the inputs that it is tried on.

    Attributes
    ----------
    mechanism
        `(n, dim)` to `(n, m)`.
    guarantee
        What it claims.
    dim
        Of its inputs.
    distance
        At most this far apart are the inputs of a pair, in the norm of the guarantee. They lie around 0, at most half
        of `distance` from it, so that a mechanism which clips at that radius leaves them as they are.
    law
        The stated law of its noise, or None: then the audits that need one are not tried.
    dtype
        Of the inputs.
    low, high
        Bounds of every coordinate of its inputs, where they are known.
    """

    mechanism: BlackBox
    guarantee: Guarantee
    dim: int
    distance: float
    law: NoiseLaw | None = None
    dtype: torch.dtype = torch.float32
    low: float = -math.inf
    high: float = math.inf

    @property
    def bounded(self) -> bool:
        """Whether it is known which inputs there are."""
        return math.isfinite(self.high - self.low)

    @property
    def origin(self) -> Tensor:
        """`(dim,)` the input 0, which has no digits of its own, or the one in the domain that is nearest to it."""
        return torch.full((self.dim,), min(max(0.0, self.low), self.high), dtype=self.dtype)

    @property
    def generic(self) -> Tensor:
        """`(dim,)` an input at half of `distance` from the origin, as different from it in every coordinate as can be.

        Its coordinates have one size and many digits, as those of real vectors. In a domain it lies most of the way to
        the bound that is further off, if that is nearer than half of `distance`.
        """
        shares = torch.linspace(0.9, 1.1, self.dim, dtype=torch.float64) if self.dim > 1 else torch.ones(1).double()
        start = float(self.origin[0])
        room = self.high - start if self.high - start >= start - self.low else self.low - start
        # A hair inside the distance, as rounding to float32 may lengthen.
        step = min(self.distance / 2 * (1 - 1e-6) / self.length(shares), 0.9 * abs(room) / 1.1)
        return (start + float(np.sign(room)) * step * shares).to(self.dtype)

    def length(self, step: Tensor) -> float:
        """Of a difference of two inputs, in the norm of the guarantee."""
        order = 1 if self.guarantee.sensitivity.norm == "L1" else 2
        return float(torch.linalg.vector_norm(step.double(), ord=order))


def examine(
    subject: Subject,
    *,
    draws: int,
    alpha: float = 0.05,
    generator: torch.Generator | None = None,
    rng: np.random.Generator | None = None,
) -> list[AuditFinding]:
    """Every audit of `AUDITS` that can be tried; together they convict an innocent with probability `alpha` at most.

    Parameters
    ----------
    draws
        Releases that each audit takes of an input, as described at `AUDITS`.
    generator
        As for `auditing.audit`: None audits the mechanism's own source of randomness.
    rng
        Draws the lengths that `direction_fit` replaces; None for fresh ones.
    """
    tried = [name for name in AUDITS if can_be_tried(name, subject)]
    return each_of(tuple(AUDITS), subject, draws, alpha / len(tried), generator, rng or np.random.default_rng())


def can_be_tried(name: str, subject: Subject) -> bool:
    """Whether what an audit of `AUDITS` needs is known of the subject."""
    return subject.law is not None or name not in NEEDS_LAW


def each_of(
    names: Sequence[str], subject: Subject, draws: int, alpha: float, generator: Stream, rng: np.random.Generator
) -> list[AuditFinding]:
    """The audits of these names, each at `alpha`, or why they are not tried."""
    return [
        AUDITS[name](subject, draws, alpha, generator, rng)
        if can_be_tried(name, subject)
        else AuditFinding(name, None, "not tried: it needs the stated law of the noise", 0.0)
        for name in names
    ]


def audited(
    name: str,
    pairs: Sequence[Pair],
    subject: Subject,
    draws: int,
    alpha: float,
    generator: Stream,
    apart: float | None = None,
) -> AuditFinding:
    """`auditing.audit` of each pair at an equal share of `alpha`: what the worst of them says.

    A pair whose releases are not finite is left out, and said so. The claim is that for the distance of a pair, or for
    inputs that lie `apart`.
    """
    delta, share = subject.guarantee.delta, alpha / len(pairs)
    best, short, broken = None, [], 0
    for place, (first, second) in enumerate(pairs):
        distance = subject.length(second.double() - first.double()) if apart is None else apart
        claimed = subject.guarantee.loss_bound(distance)
        try:
            bound = audit(subject.mechanism, first, second, draws=draws, delta=delta, alpha=share, generator=generator)
        except NotFiniteError:
            if len(pairs) == 1:
                raise
            broken += 1
            continue
        if bound.ceiling <= claimed:
            short.append(claimed)
        elif best is None or bound.epsilon - claimed > best[0].epsilon - best[1]:
            best = bound, claimed, distance, place
    left_out = f"; {broken} of {len(pairs)} pairs were released as NaN" if broken else ""
    if best is not None:
        bound, claimed, distance, place = best
        which = f", pair {place + 1} of {len(pairs)}" if len(pairs) > 1 else ""
        text = (
            f"a loss of at least {bound.epsilon:.3g} nats is proven, {claimed:.3g} claimed at distance "
            f"{distance:.3g}{which} ({bound.event}){left_out}"
        )
        return AuditFinding(name, bound.epsilon > claimed, text, alpha)
    if not short:
        return AuditFinding(name, None, f"not tried: every pair was released as NaN or infinity{left_out}", alpha)
    needed = draws_needed(min(short), delta=delta, alpha=share) if min(short) <= 700 else None
    least = f"takes more than {needed:,} for each input" if needed else "takes more than anybody has"
    return AuditFinding(name, None, f"too few draws: refuting a loss of {min(short):.3g} {least}{left_out}", alpha)


def _two_inputs(
    subject: Subject, draws: int, alpha: float, generator: Stream, rng: np.random.Generator
) -> AuditFinding:
    step = torch.zeros(subject.dim, dtype=subject.dtype)
    step[0] = subject.distance / 2
    return audited("two inputs", [(-step, step)], subject, draws, alpha, generator, subject.distance)


def _axes(subject: Subject, draws: int, alpha: float, generator: Stream, rng: np.random.Generator) -> AuditFinding:
    each = max(LEAST_DRAWS, draws // subject.dim)
    steps = torch.eye(subject.dim, dtype=subject.dtype) * (subject.distance / 2)
    pairs = [(subject.origin - step, subject.origin + step) for step in steps]
    return audited("every axis", pairs, subject, each, alpha, generator, subject.distance)


def _last_digits(
    subject: Subject, draws: int, alpha: float, generator: Stream, rng: np.random.Generator
) -> AuditFinding:
    seen = replace(subject, mechanism=lowest_bits(subject.mechanism))
    return audited("last digits", [(subject.origin, subject.generic)], seen, draws, alpha, generator, subject.distance)


def _length(subject: Subject, draws: int, alpha: float, generator: Stream, rng: np.random.Generator) -> AuditFinding:
    return _fitted("law of the length", subject, draws, alpha, generator, length_fit)


def _direction(subject: Subject, draws: int, alpha: float, generator: Stream, rng: np.random.Generator) -> AuditFinding:
    name = "law of the direction"
    if draws < 2 * subject.dim:
        return AuditFinding(name, None, f"too few draws: directions take at least {2 * subject.dim}", alpha)
    return _fitted(name, subject, draws, alpha, generator, partial(direction_fit, rng=rng))


def _fitted(
    name: str, subject: Subject, draws: int, alpha: float, generator: Stream, fit: Callable[..., list[Fit]]
) -> AuditFinding:
    """Tests of `(n, d)` noise against the law, half of it from each of two inputs."""
    noise = []
    for value, n in ((subject.origin, draws - draws // 2), (subject.generic, draws // 2)):
        released = subject.mechanism(value.repeat(n, 1), generator=generator).detach().cpu().double()
        if released.shape != (n, subject.dim):
            sizes = f"{subject.dim} values go in, the release is {tuple(released.shape)}"
            return AuditFinding(name, None, f"not tried: the noise cannot be read off: {sizes}", alpha)
        noise.append((released - value.double()).numpy())
    return _of_fit(name, together(fit(np.concatenate(noise), subject.law)), alpha)


def _repeats(subject: Subject, draws: int, alpha: float, generator: Stream, rng: np.random.Generator) -> AuditFinding:
    rows = min(draws, MOST_REPEAT_ROWS)
    assert subject.law is not None  # `can_be_tried` asks for one
    releases = many_calls(subject.mechanism, subject.generic, rows, generator)
    return _of_fit("repeated noise", repeated_rows(releases, subject.law), alpha)


def _of_fit(name: str, fit: Fit, alpha: float) -> AuditFinding:
    tested = "" if fit.name == name else f"{fit.name}: "
    return AuditFinding(name, fit.p_value <= alpha, f"{tested}{fit.seen} (p = {fit.p_value:.2g})", alpha)


Audit = Callable[[Subject, int, float, Stream, np.random.Generator], AuditFinding]
AUDITS: Mapping[str, Audit] = {
    "two inputs": _two_inputs,
    "every axis": _axes,
    "law of the length": _length,
    "law of the direction": _direction,
    "repeated noise": _repeats,
    "last digits": _last_digits,
}
"""Name of an audit → what takes a subject, draws, its level, a generator and an rng.

Two inputs and last digits take `draws` releases of each of two inputs, every axis a d-th of that for each axis (40 at
least), the two laws `draws` in all, and repeated noise `draws` in all, 4,000 at most and two per call.
"""
NEEDS_LAW = ("law of the length", "law of the direction", "repeated noise")
