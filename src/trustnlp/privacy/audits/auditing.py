"""Lower bounds of ε measured from outside: a mechanism that leaks more than it claims is caught by its releases alone.

If a mechanism is (ε, δ)-private for two inputs x and x', then P[M(x) ∈ S] ≤ e^ε P[M(x') ∈ S] + δ for every event S.
So one event whose probabilities are known to lie above and below two bounds proves ε ≥ ln((p_low - δ) / q_high). The
bounds are those of Clopper and Pearson (1934), each at level α/2, and S is searched for (Jagielski, Ullman and Oprea
2020, "Auditing differentially private machine learning"; Bichsel et al. 2021, "DP-Sniper").

The releases are divided in three. On the first quarter scores are learned, on the second one of them, a threshold and
the order of the inputs are chosen, and the remaining half is counted. Nothing is adapted to that half, which is what
makes the bound hold with probability 1 - α whatever the search did. The scores:

- distances to the two centres and their difference, in the L1, L2 and maximum norm: the difference is the best score
  there is for independent Laplace (L1) and for multivariate Laplace noise (L2), a single distance for bounded noise;
- the projection on the line between the two mean releases, the best score for Gaussian noise;
- the linear discriminant of Fisher (1936), almost unregularised, which finds directions without noise: differences of
  coordinates that share one draw, or a coordinate that was forgotten.

A bound far below the claim is no proof of privacy. Few draws can prove only a small ε (`LowerBound.ceiling`), and in
many dimensions the events with the largest loss are too rare to be drawn: the loss of multivariate Laplace noise at
distance r reaches ε r only in the direction of the pair, and is of the order ε r / √d elsewhere. Half the noise that
the claim needs is therefore not seen in 54 dimensions, not with 30,000 draws. Whoever can state the law of the noise
tests that law instead (`trustnlp.privacy.audits.noise_law`). `trustnlp.privacy.audits.low_bits` reads the last digits
of releases, `trustnlp.privacy.audits.sequential` looks at growing numbers of draws, and
`trustnlp.privacy.audits.examination` does all together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from scipy import special
from torch import Tensor

from trustnlp.evaluation.intervals import clopper_pearson
from trustnlp.privacy.accounting.guarantee import Guarantee, Relation, check_delta
from trustnlp.privacy.audits.distinguish import Floats64, ScoreFunctions, choose
from trustnlp.privacy.noise.randomness import check_generator

LEAST_DRAWS = 40
_VALUES_AT_ONCE = 1 << 22


class NotFiniteError(ValueError):
    """The mechanism released NaN or infinity, so that nothing can be said of its inputs."""


class BlackBox(Protocol):
    """Anything that releases vectors: `(n, d)` to `(n, m)`, every row by itself."""

    def __call__(self, vectors: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
        """The releases `(n, m)`. With None, as they are made for people: from the mechanism's own source."""


@dataclass(frozen=True)
class LowerBound:
    """A proven lower bound of the privacy loss between two inputs.

    Attributes
    ----------
    epsilon
        The loss is at least this, in nats; 0 where nothing was proven.
    confidence
        Probability with which the bound holds, `1 - alpha`.
    delta
        The δ that was granted.
    event
        The event whose probabilities differ, in words.
    counts
        `(k1, n1, k2, n2)`: of `n1` held-out releases of the first input `k1` lay in the event, likewise the second.
    ceiling
        What the same draws would have proven had the two inputs been told apart every time.
    distance
        Of the inputs, where it was given.
    """

    epsilon: float
    confidence: float
    delta: float
    event: str
    counts: tuple[int, int, int, int]
    ceiling: float
    distance: float | None = None

    @property
    def per_distance(self) -> float:
        """ε per unit of distance, for metric privacy. ValueError when the audit was not given the distance."""
        if self.distance is None:
            raise ValueError("no loss per unit of distance: pass the distance of the inputs to audit")
        return self.epsilon / self.distance


def audit(
    mechanism: BlackBox,
    first: Tensor,
    second: Tensor,
    *,
    draws: int,
    delta: float = 0.0,
    alpha: float = 0.05,
    distance: float | None = None,
    centres: tuple[Tensor, Tensor] | None = None,
    generator: torch.Generator | None = None,
) -> LowerBound:
    """The largest ε that `draws` releases of each of two inputs prove; see the head of this module.

    Parameters
    ----------
    mechanism
        Its rows are taken to be independent releases. Where they are not, because the noise is reused, look with
        `with_companion`.
    first, second
        `(d,)` two different inputs that the guarantee speaks of.
    draws
        Releases of each input; `draws_needed` tells how many a claim takes at least.
    delta
        The δ that the mechanism is granted; 0 is pure privacy.
    alpha
        Probability with which the bound may be too high.
    distance
        Of the inputs, in the norm of the guarantee, for `LowerBound.per_distance` and `violates`.
    centres
        `(m,)` each: where the inputs are released but for the noise, if that is public (a projection). By default the
        inputs themselves when `m == d`; estimated centres are always tried as well.
    generator
        Passed on to the mechanism, on the device of the inputs. None is passed on too, so that what is audited is the
        release that people get, cryptographic source included; a generator makes the audit repeatable.

    Raises
    ------
    ValueError
        If there are too few draws, α or δ out of range, inputs that are equal or do not fit, or releases of another
        shape than `(n, m)`.
    NotFiniteError
        If a release holds NaN or infinity.
    """
    _check_inputs(first, second, draws, delta, alpha, distance)
    if generator is not None:
        check_generator(generator, first.device)
    quarter = draws // 4
    sample = [np.concatenate(list(_releases(mechanism, x, quarter, generator))) for x in (first, second)]
    scores = ScoreFunctions.learn(sample[0], sample[1], _centres(first, second, centres, width=sample[0].shape[1]))
    trial = [np.concatenate([scores(y) for y in _releases(mechanism, x, quarter, generator)]) for x in (first, second)]
    column, threshold, above, swapped = choose(trial[0], trial[1], delta, alpha)
    held_out = draws - 2 * quarter
    hits = [0, 0]
    for which, x in enumerate((first, second)):
        for releases in _releases(mechanism, x, held_out, generator):
            hits[which] += int(np.count_nonzero((scores(releases)[:, column] >= threshold) == above))
    likelier, other = (hits[1], hits[0]) if swapped else (hits[0], hits[1])
    names = ("second", "first") if swapped else ("first", "second")
    return LowerBound(
        epsilon=_proven(likelier, other, held_out, delta, alpha),
        confidence=1 - alpha,
        delta=delta,
        event=f"{scores.names[column]} {'≥' if above else '<'} {threshold:.6g}, likelier for the {names[0]} input",
        counts=(hits[0], held_out, hits[1], held_out),
        ceiling=_proven(held_out, 0, held_out, delta, alpha),
        distance=distance,
    )


def with_companion(mechanism: BlackBox, companion: Tensor, *, same_call: bool) -> BlackBox:
    """The mechanism as seen by someone who holds a release of `companion` `(d,)` as well: only the difference `(n, m)`.

    With independent noise the companion is worthless, and the privacy loss of the pair at most what it was. Noise that
    is reused cancels in the difference, and `audit` finds it there: noise shared by the rows of a call with
    `same_call=True`, noise repeated from one call to the next, as by a seed that is set again, with `same_call=False`.
    """

    def release(vectors: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
        fixed = companion.expand_as(vectors)
        if same_call:
            both = mechanism(torch.cat([vectors, fixed]), generator=generator)
            return both[: len(vectors)] - both[len(vectors) :]
        return mechanism(vectors, generator=generator) - mechanism(fixed, generator=generator)

    return release


def violates(bound: LowerBound, guarantee: Guarantee, distance: float | None = None) -> bool:
    """Whether the bound proves that the guarantee does not hold between inputs at `distance` (by default the bound's).

    Raises
    ------
    ValueError
        If the question cannot be answered: a metric guarantee without a distance, a bound that grants less δ than the
        guarantee, or too few draws to refute the claim even if every release told the inputs apart.
    """
    distance = bound.distance if distance is None else distance
    if distance is None and guarantee.relation is Relation.METRIC:
        raise ValueError("a guarantee per unit of distance needs the distance of the two inputs, in its norm")
    if bound.delta < guarantee.delta:
        raise ValueError(f"the guarantee grants δ = {guarantee.delta:g}; audit with delta={guarantee.delta:g}")
    claimed = guarantee.loss_bound(1.0 if distance is None else distance)
    if bound.ceiling <= claimed:
        needed = draws_needed(claimed, delta=bound.delta, alpha=1 - bound.confidence)
        raise ValueError(
            f"the draws can prove ε ≥ {bound.ceiling:.3g} at most, the claim is {claimed:.3g}: it takes more than "
            f"{needed:.3g} draws, or a closer pair of inputs"
        )
    return bound.epsilon > claimed


def draws_needed(epsilon: float, *, delta: float = 0.0, alpha: float = 0.05) -> int:
    """Draws with which an audit proves a loss of `epsilon` if every release tells the inputs apart.

    About `2 (1 + e^epsilon) ln(2 / alpha)`: every nat costs a factor of e.

    Raises
    ------
    ValueError
        If ε is negative or above 700, α or δ out of range.

    Examples
    --------
    >>> [draws_needed(epsilon) for epsilon in (0.05, 1, 5, 10)]
    [40, 40, 1100, 162510]
    """
    _check_levels(delta, alpha)
    if not 0 <= epsilon <= 700:
        raise ValueError(f"no number of draws proves a loss of {epsilon}; give one between 0 and 700")
    each = math.log(alpha / 2) / math.log1p(-(1 - delta) * float(special.expit(-epsilon)))
    return max(LEAST_DRAWS, 2 * math.ceil(each))


def _proven(likelier: int, other: int, draws: int, delta: float, alpha: float) -> float:
    low, _ = clopper_pearson(likelier, draws, alpha / 2)
    _, high = clopper_pearson(other, draws, alpha / 2)
    return math.log((low - delta) / high) if low - delta > high else 0.0


def _releases(mechanism: BlackBox, value: Tensor, draws: int, generator: torch.Generator | None) -> Iterator[Floats64]:
    """`draws` releases of one input in blocks, in float64."""
    most = max(1, _VALUES_AT_ONCE // len(value))
    for start in range(0, draws, most):
        rows = min(most, draws - start)
        released = mechanism(value.repeat(rows, 1), generator=generator)
        if released.ndim != 2 or len(released) != rows or not released.numel():
            raise ValueError(
                f"the mechanism made {tuple(released.shape)} of {rows} vectors; expected ({rows}, m), m of at least 1"
            )
        block: Floats64 = released.detach().to(device="cpu", dtype=torch.float64).numpy()
        if not np.isfinite(block).all():
            raise NotFiniteError("the mechanism released NaN or infinity; find out where it overflows")
        yield block


def _centres(
    first: Tensor, second: Tensor, centres: tuple[Tensor, Tensor] | None, width: int
) -> tuple[Floats64, Floats64] | None:
    if centres is None:
        if len(first) != width:
            return None
        centres = first, second
    near, far = (centre.detach().to(device="cpu", dtype=torch.float64).numpy() for centre in centres)
    if near.shape != (width,) or far.shape != (width,):
        raise ValueError(f"the releases have {width} dimensions, the centres shapes {near.shape} and {far.shape}")
    return near, far


def _check_levels(delta: float, alpha: float) -> None:
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is the probability of a bound that is too high, between 0 and 1, got {alpha}")
    if delta != 0:
        check_delta(delta)


def _check_inputs(
    first: Tensor, second: Tensor, draws: int, delta: float, alpha: float, distance: float | None
) -> None:
    _check_levels(delta, alpha)
    if first.ndim != 1 or first.shape != second.shape or 0 in first.shape:
        raise ValueError(f"two inputs of one shape (d,) are compared, got {tuple(first.shape)}, {tuple(second.shape)}")
    if not bool(torch.isfinite(first).all() and torch.isfinite(second).all()):
        raise ValueError("an input holds NaN or infinity")
    if bool((first == second).all()):
        raise ValueError("the two inputs are equal: no mechanism can tell them apart; give a pair that differs")
    if distance is not None and not (distance > 0 and math.isfinite(distance)):
        raise ValueError(f"the distance of two different inputs is positive and finite, got {distance}")
    if draws < LEAST_DRAWS:
        raise ValueError(
            f"{draws} draws are too few: an audit takes at least {LEAST_DRAWS}, and about "
            f"{2 * math.log(2 / alpha):.0f} (1 + e^ε) to refute a claim of ε (see draws_needed)"
        )
