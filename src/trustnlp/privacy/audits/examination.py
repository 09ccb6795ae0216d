"""All audits of one mechanism, each at its share of one error probability.

Which audit sees which fault is measured in the chapter on PrivEmb, notebook *audits*. In short: two inputs need no
knowledge of the mechanism and prove a loss; the law of the noise needs the law and sees a wrong scale in any dimension;
repeats and last places see what neither can, since they look at single numbers and not at their distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import Guarantee
from trustnlp.privacy.audits.auditing import LEAST_DRAWS, BlackBox, LowerBound, audit, audit_axes, draws_needed
from trustnlp.privacy.audits.distinguish import Floats64
from trustnlp.privacy.audits.low_bits import lowest_bits
from trustnlp.privacy.audits.noise_law import Fit, NoiseLaw, direction_fit, length_fit, together
from trustnlp.privacy.audits.repeats import many_calls, repeated_rows

MOST_REPEAT_ROWS = 4000


@dataclass(frozen=True)
class Finding:
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
    """

    mechanism: BlackBox
    guarantee: Guarantee
    dim: int
    distance: float
    law: NoiseLaw | None = None
    dtype: torch.dtype = torch.float32

    @property
    def claimed(self) -> float:
        """The loss that the guarantee allows between the inputs of a pair, in nats."""
        return self.guarantee.loss_bound(self.distance)

    @property
    def origin(self) -> Tensor:
        """`(dim,)` the input 0, which has no digits of its own."""
        return torch.zeros(self.dim, dtype=self.dtype)

    @property
    def generic(self) -> Tensor:
        """`(dim,)` an input at half of `distance` from the origin, as different from it in every coordinate as can be.

        Its coordinates have one size and many digits, as those of real vectors.
        """
        shares = torch.linspace(0.9, 1.1, self.dim, dtype=torch.float64) if self.dim > 1 else torch.ones(1).double()
        order = 1 if self.guarantee.sensitivity.norm == "L1" else 2
        # A hair inside the distance, as rounding to float32 may lengthen.
        length = float(torch.linalg.vector_norm(shares, ord=order))
        return (shares * (self.distance / 2 * (1 - 1e-6) / length)).to(self.dtype)


def examine(
    subject: Subject,
    *,
    draws: int,
    alpha: float = 0.05,
    generator: torch.Generator | None = None,
    rng: np.random.Generator | None = None,
) -> list[Finding]:
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
    tried = [name for name in AUDITS if subject.law is not None or name not in NEEDS_LAW]
    share = alpha / len(tried)
    source = np.random.default_rng() if rng is None else rng
    return [
        AUDITS[name](subject, draws, share, generator, source)
        if name in tried
        else Finding(name, None, "not tried: it needs the stated law of the noise", 0.0)
        for name in AUDITS
    ]


def _two_inputs(
    subject: Subject, draws: int, alpha: float, generator: torch.Generator | None, rng: np.random.Generator
) -> Finding:
    step = torch.zeros(subject.dim, dtype=subject.dtype)
    step[0] = subject.distance / 2
    delta = subject.guarantee.delta
    bound = audit(subject.mechanism, -step, step, draws=draws, delta=delta, alpha=alpha, generator=generator)
    return _of_bound("two inputs", bound, subject, alpha)


def _generic_inputs(
    subject: Subject, draws: int, alpha: float, generator: torch.Generator | None, rng: np.random.Generator
) -> Finding:
    pair, delta = (subject.origin, subject.generic), subject.guarantee.delta
    bound = audit(lowest_bits(subject.mechanism), *pair, draws=draws, delta=delta, alpha=alpha, generator=generator)
    return _of_bound("last digits", bound, subject, alpha)


def _axes(
    subject: Subject, draws: int, alpha: float, generator: torch.Generator | None, rng: np.random.Generator
) -> Finding:
    each = max(LEAST_DRAWS, draws // subject.dim)
    axis, bound = audit_axes(
        subject.mechanism, subject.origin, distance=subject.distance, draws=each, delta=subject.guarantee.delta,
        alpha=alpha, generator=generator,
    )  # fmt: skip
    return _of_bound("every axis", bound, subject, alpha, where=f", axis {axis}")


def _of_bound(name: str, bound: LowerBound, subject: Subject, alpha: float, where: str = "") -> Finding:
    claimed = subject.claimed
    if bound.ceiling <= claimed:
        needed = draws_needed(claimed, delta=bound.delta, alpha=alpha / bound.pairs)
        text = f"too few draws: refuting a loss of {claimed:.3g} takes more than {needed:,} for each input"
        return Finding(name, None, text, alpha)
    against = f"{claimed:.3g} claimed at distance {subject.distance:.3g}"
    text = f"a loss of at least {bound.epsilon:.3g} nats is proven, {against}{where} ({bound.event})"
    return Finding(name, bound.epsilon > claimed, text, alpha)


def _noise(subject: Subject, draws: int, generator: torch.Generator | None) -> Floats64 | str:
    """`(n, d)` noise, half of it from each of two inputs, or why there is none."""
    rows = []
    for value, n in ((subject.origin, draws - draws // 2), (subject.generic, draws // 2)):
        released = subject.mechanism(value.repeat(n, 1), generator=generator).detach().cpu().double()
        if released.shape != (n, subject.dim):
            return f"the noise cannot be read off: {subject.dim} values go in, the release is {tuple(released.shape)}"
        rows.append((released - value.double()).numpy())
    return np.concatenate(rows)


def _length(
    subject: Subject, draws: int, alpha: float, generator: torch.Generator | None, rng: np.random.Generator
) -> Finding:
    noise = _noise(subject, draws, generator)
    if isinstance(noise, str) or subject.law is None:
        return Finding("law of the length", None, f"not tried: {noise}", alpha)
    return _of_fit("law of the length", together(length_fit(noise, subject.law)), alpha)


def _direction(
    subject: Subject, draws: int, alpha: float, generator: torch.Generator | None, rng: np.random.Generator
) -> Finding:
    name = "law of the direction"
    if draws < 2 * subject.dim:
        return Finding(name, None, f"too few draws: directions take at least {2 * subject.dim}", alpha)
    noise = _noise(subject, draws, generator)
    if isinstance(noise, str) or subject.law is None:
        return Finding(name, None, f"not tried: {noise}", alpha)
    return _of_fit(name, together(direction_fit(noise, subject.law, rng=rng)), alpha)


def _repeats(
    subject: Subject, draws: int, alpha: float, generator: torch.Generator | None, rng: np.random.Generator
) -> Finding:
    rows = min(draws, MOST_REPEAT_ROWS)
    assert subject.law is not None  # `examine` tries this with a law only
    found = repeated_rows(many_calls(subject.mechanism, subject.generic, rows, generator), subject.law)
    return _of_fit("repeated noise", found, alpha)


def _of_fit(name: str, fit: Fit, alpha: float) -> Finding:
    tested = "" if fit.name == name else f"{fit.name}: "
    return Finding(name, fit.p_value <= alpha, f"{tested}{fit.seen} (p = {fit.p_value:.2g})", alpha)


Audit = Callable[[Subject, int, float, "torch.Generator | None", np.random.Generator], Finding]
AUDITS: Mapping[str, Audit] = {
    "two inputs": _two_inputs,
    "every axis": _axes,
    "law of the length": _length,
    "law of the direction": _direction,
    "repeated noise": _repeats,
    "last digits": _generic_inputs,
}
"""Name of an audit → what takes a subject, draws, its level, a generator and an rng.

Two inputs and last digits take `draws` releases of each of two inputs, every axis a d-th of that for each axis (40 at
least), the two laws `draws` in all, and repeated noise `draws` in all, 4,000 at most and two per call.
"""
NEEDS_LAW = ("law of the length", "law of the direction", "repeated noise")
