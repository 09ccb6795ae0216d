"""How ε adds up: over the releases of one input, the coordinates of a vector, and dropped words.

Basic composition (Dwork et al. 2006; for metric privacy Koufogiannis et al. 2016, cited in PrivEmb, §2.2) sums ε and δ.

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
from collections.abc import Sequence

from trustnlp.privacy.accounting.guarantee import Guarantee, check_epsilon
from trustnlp.privacy.accounting.stated_guarantee import ALL_PAIRS, StatedGuarantee

# From here on e^ε overflows.
_LARGE_EPSILON = 700


def compose(guarantees: Sequence[Guarantee]) -> StatedGuarantee:
    """The guarantee of several releases of the same input together: ε and δ add up.

    Under METRIC the sum is per unit of the distance that all of them measure in, so their norms must agree. The result
    carries the largest of the sensitivities, and holds for the pairs of inputs that each of them holds for.

    Raises
    ------
    ValueError
        If there is no guarantee, different relations or norms, or δ adds up to 1.
    """
    if not guarantees:
        raise ValueError("composition needs at least one guarantee")
    kinds = {(guarantee.relation, guarantee.sensitivity.norm) for guarantee in guarantees}
    if len(kinds) > 1:
        listed = ", ".join(sorted(f"{relation.name} in {norm}" for relation, norm in kinds))
        raise ValueError(f"guarantees of one relation and one norm compose, got {listed}; state them alike first")
    apart = any(isinstance(each, StatedGuarantee) and each.covers != ALL_PAIRS for each in guarantees)
    return StatedGuarantee(
        math.fsum(guarantee.epsilon for guarantee in guarantees),
        math.fsum(guarantee.delta for guarantee in guarantees),
        max((guarantee.sensitivity for guarantee in guarantees), key=lambda sensitivity: sensitivity.value),
        "those pairs alone that each of the releases says that it holds for" if apart else ALL_PAIRS,
    )


def dropout_bernoulli(epsilon: float, rate: float) -> float:
    """ε that remains when each word is dropped with probability `rate`, independently. DPNR, Theorem 2; see the head.

    Raises
    ------
    ValueError
        If ε is not positive and finite, or the rate lies outside [0, 1).
    """
    check_epsilon(epsilon)
    check_rate(rate)
    if epsilon > _LARGE_EPSILON:
        return epsilon + math.log1p(-rate)
    return math.log1p((1 - rate) * math.expm1(epsilon))


def dropout_fixed_count(epsilon: float, rate: float) -> float:
    """Bound on the ε that remains when exactly a share `rate` of the words is dropped; see the head.

    ln[(μe^-2ε + 1 - μ) / (μe^-2ε + (1-μ)e^-ε)]. For the count `m` of `n` words, the rate is `m / n`.

    Raises
    ------
    ValueError
        If `dropout_bernoulli` would raise it.
    """
    check_epsilon(epsilon)
    check_rate(rate)
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
        If ε is not positive and finite, or `dim` is below 1.
    """
    if dim < 1:
        raise ValueError(f"a vector has at least 1 coordinate, got {dim}")
    return check_epsilon(epsilon) * dim


def check_rate(rate: float) -> None:
    """ValueError unless the rate of word dropout lies in [0, 1)."""
    if not 0 <= rate < 1:
        raise ValueError(f"the rate is the share of words dropped, at least 0 and below 1, got {rate}")
