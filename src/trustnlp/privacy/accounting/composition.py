"""How ε adds up: over the releases of one input, the words of a text, the coordinates of a vector, and dropped words.

Basic composition (Dwork et al. 2006; for metric privacy Koufogiannis et al. 2016, cited in PrivEmb, §2.2) sums ε and δ.
Where a small δ is allowed, `text_epsilon` gives the far smaller ε of the privacy-loss distribution (dp-accounting, the
optional extra `privacy`).

Word dropout (Lyu et al. 2020, "DPNR", Theorem 2): each word of a text is replaced by a null symbol with probability μ
before the text is released. Two bounds on the loss that remains between texts which differ in one word, for a release
whose loss is at most ε for *any* change of one word, to the null symbol as well:

`dropout_bernoulli`
    Each word is dropped on its own: ln((1-μ)e^ε + μ), the formula of the theorem. Let `B` and `B'` be the probabilities
    of an output for the two texts given that word i is kept, and `A` given that it is dropped, which is the same for
    both. What happens to the other words does not depend on word i, so dropping it is one change of one word and
    `A ≥ e^-ε·max(B, B')`. Under this and `B' ≥ e^-ε·B`, `(μA + (1-μ)B) / (μA + (1-μ)B')` is at most the formula.
`dropout_fixed_count`
    Exactly a share μ of the words is dropped, as the paper's text says. Dropping word i then keeps another one: two
    changes, so only `A ≥ e^-2ε·max(B, B')` holds and the bound is larger. It is attained, hence the theorem's formula
    does not hold here: see the test that lists every mask of a small text.

In both, ε is the loss of the whole vector released (`vector_epsilon`), not that of a coordinate.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scipy.optimize import brentq

from trustnlp.privacy.accounting.guarantee import Guarantee, Relation, check_delta, check_epsilon
from trustnlp.privacy.mechanisms.additive_noise import Gaussian, Laplace, Mechanism, gaussian_log_delta

# Privacy losses are rounded up to multiples of ε / 2000.
_LOSS_STEPS = 2000
# From here on e^ε overflows.
_LARGE_EPSILON = 700


class Loss(NamedTuple):
    """Largest privacy loss `epsilon` in nats, and the probability `delta` with which it may be exceeded."""

    epsilon: float
    delta: float


def compose(guarantees: Sequence[Guarantee]) -> Guarantee:
    """What several releases that depend on the same input promise together: ε and δ add up.

    Under METRIC the sum is per unit of the distance that all of them measure in, so their norms must agree. The result
    carries the largest of the sensitivities.

    Raises
    ------
    ValueError
        No guarantee, different relations or norms, or δ adds up to 1.
    """
    if not guarantees:
        raise ValueError("composition needs at least one guarantee")
    kinds = {(guarantee.relation, guarantee.sensitivity.norm) for guarantee in guarantees}
    if len(kinds) > 1:
        given = ", ".join(sorted(f"{relation.name} in {norm}" for relation, norm in kinds))
        raise ValueError(f"guarantees of one relation and one norm compose, got {given}; state them alike first")
    return Guarantee(
        math.fsum(guarantee.epsilon for guarantee in guarantees),
        math.fsum(guarantee.delta for guarantee in guarantees),
        max((guarantee.sensitivity for guarantee in guarantees), key=lambda sensitivity: sensitivity.value),
    )


def text_loss(guarantee: Guarantee, distances: Iterable[float]) -> Loss:
    """Loss between two texts of equal length whose words are each released under `guarantee`.

    Parameters
    ----------
    guarantee
        Of one word.
    distances
        Distance of the two words in each position, in the norm of the sensitivity; 0 where the words agree.

    Returns
    -------
    Loss
        METRIC: `ε · Σ distances`. LOCAL: ε times the number of positions that differ. δ times that number in both.

    Raises
    ------
    ValueError
        A distance is negative or not finite.
    """
    apart = list(distances)
    if not all(distance >= 0 and math.isfinite(distance) for distance in apart):
        raise ValueError(f"distances are finite and not negative, got {apart}")
    different = [distance for distance in apart if distance > 0]
    return Loss(
        math.fsum(guarantee.loss_bound(distance) for distance in different),
        min(1.0, guarantee.delta * len(different)),
    )


def text_epsilon(mechanism: Mechanism, words: int, delta: float) -> float:
    """Smallest provable ε, at a total `delta`, of `words` words each released by `mechanism`: any two texts.

    `Gaussian`: exact, as n releases with σ lose as much as one with σ/√n; the δ of a single release plays no part.
    `Laplace`: privacy-loss distribution of n Laplace releases, rounded up by at most 1/2000 of `words · ε`.
    Others: the tight composition of any (ε, δ) releases (Kairouz, Oh and Viswanath 2015), rounded up alike; infinite
    when their own δ add up to more than `delta`.

    At a `delta` below about 1e-15, where dp-accounting cuts the tails off, the last two fall back to `words · ε`.

    Laplace noise on a vector loses most when the L1 sensitivity is spent on one coordinate, so the one-dimensional
    distribution covers all. Proof: each release is a mixture of randomised responses of losses ±t, and a larger t
    loses more. With probability measured by the geometric mean of the two densities, the loss of a shift a has mass
    e^(-a/2)/2 at ±a and density e^(-a/2)/4 between. Two shifts a and b convolve to at least e^(-(a+b)/2)/4 everywhere
    between ±(a+b): never less than one shift of a+b has there. So no t is exceeded more often by the two.

    Raises
    ------
    ValueError
        Fewer than one word, δ not strictly between 0 and 1, or a METRIC guarantee (see `text_loss`).
    ImportError
        dp-accounting is missing (not needed for `Gaussian`).
    """
    check_delta(delta)
    guarantee = mechanism.guarantee
    if words < 1:
        raise ValueError(f"a text has at least one word, got {words}")
    if guarantee.relation is not Relation.LOCAL:
        raise ValueError("under METRIC the loss depends on how far apart the words are: use text_loss")
    if isinstance(mechanism, Gaussian):
        return _gaussian_epsilon(mechanism.sigma / mechanism.sensitivity.value / math.sqrt(words), delta)
    try:
        from dp_accounting.pld import privacy_loss_distribution as distributions
        from dp_accounting.pld.common import DifferentialPrivacyParameters
    except ImportError as error:
        raise ImportError('tight composition needs dp-accounting: pip install "trustnlp[privacy]"') from error
    basic = words * guarantee.epsilon if words * guarantee.delta <= delta else math.inf
    step = guarantee.epsilon / _LOSS_STEPS
    if isinstance(mechanism, Laplace):
        one = distributions.from_laplace_mechanism(1 / guarantee.epsilon, value_discretization_interval=step)
    elif guarantee.epsilon > _LARGE_EPSILON:
        return basic
    else:
        parameters = DifferentialPrivacyParameters(guarantee.epsilon, guarantee.delta)
        one = distributions.from_privacy_parameters(parameters, value_discretization_interval=step)
    return min(float(one.self_compose(words).get_epsilon_for_delta(delta)), basic)


def dropout_bernoulli(epsilon: float, rate: float) -> float:
    """ε that remains when each word is dropped with probability `rate`, independently. DPNR, Theorem 2; see the head.

    Raises
    ------
    ValueError
        ε is not positive and finite, or the rate lies outside [0, 1).
    """
    _check_rate(epsilon, rate)
    if epsilon > _LARGE_EPSILON:
        return epsilon + math.log1p(-rate)
    return math.log1p((1 - rate) * math.expm1(epsilon))


def dropout_fixed_count(epsilon: float, rate: float) -> float:
    """Bound on the ε that remains when exactly a share `rate` of the words is dropped; see the head.

    ln[(μe^-2ε + 1 - μ) / (μe^-2ε + (1-μ)e^-ε)]. For the count `m` of `n` words, the rate is `m / n`.

    Raises
    ------
    ValueError
        As for `dropout_bernoulli`.
    """
    _check_rate(epsilon, rate)
    if epsilon > _LARGE_EPSILON:
        return epsilon
    return math.log1p((1 - rate) * math.expm1(epsilon) / (rate * math.exp(-epsilon) + 1 - rate))


def vector_epsilon(epsilon: float, dim: int) -> float:
    """ε of a vector of `dim` coordinates with Laplace noise of scale range/ε, where each can change by its range.

    That is `dim · ε`: the L1 sensitivity is `dim` times the range of a coordinate. Values scaled to [0, 1] with noise
    of scale 1/ε (DPNR, §3.3.1) are such a vector.

    Raises
    ------
    ValueError
        ε is not positive and finite, or `dim` is below 1.
    """
    return check_epsilon(epsilon) * _check_dim(dim)


def _gaussian_epsilon(sigma: float, delta: float) -> float:
    """Smallest ε at which Gaussian noise of `sigma` sensitivities has `delta`; 0 where δ covers any loss."""
    log_target = math.log(delta)

    def excess(epsilon: float) -> float:
        return max(gaussian_log_delta(epsilon, sigma), -1e6) - log_target

    if excess(0.0) <= 0:
        return 0.0
    high = 1.0
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, 0.0, high, xtol=1e-12))


def _check_rate(epsilon: float, rate: float) -> None:
    check_epsilon(epsilon)
    if not 0 <= rate < 1:
        raise ValueError(f"the rate is the share of words dropped, at least 0 and below 1, got {rate}")


def _check_dim(dim: int) -> int:
    if dim < 1:
        raise ValueError(f"a vector has at least 1 coordinate, got {dim}")
    return dim
