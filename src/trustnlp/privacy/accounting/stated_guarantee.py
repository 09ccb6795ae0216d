"""A guarantee as people read it: between which inputs, for which pairs, but for what, and what a further release costs.

`Guarantee` holds the numbers that are computed with. (ε, δ) alone can mislead. Where a random matrix is drawn once and
published, δ is a probability over its draw: for the matrix as it is, the bound holds for a pair or fails for good. The
ratio by which that matrix stretches *some* pair, its spectral norm, is public, and gives what holds for all of them.

The sentence that ends a statement is about computers. A law's ε holds for real numbers; noise is computed in floating
point, and what is proven of that is little: see `trustnlp.privacy.noise.arithmetic`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from trustnlp.privacy.accounting.guarantee import Guarantee

ALL_PAIRS = "all pairs of inputs"
VOCABULARY = "all pairs of vectors of the public vocabulary, and no others"
ADDS_UP = "k releases of one input cost k·ε and k·δ"
IN_EXACT_ARITHMETIC = "in exact arithmetic; rounding is not covered"
REAL_NUMBERS = "δ leaves out the rounding of floating-point noise"


@dataclass(frozen=True)
class StatedGuarantee(Guarantee):
    """A guarantee with the pairs of inputs that it `covers`, in words; its text leaves nothing to guess.

    >>> from trustnlp.privacy.mechanisms.projection import PlainRelease
    >>> print(stated(PlainRelease(10.0)).claim)
    (10, 0)-differential privacy, per unit of distance, L2 sensitivity 1, for all pairs of inputs
    """

    covers: str = ALL_PAIRS

    @property
    def claim(self) -> str:
        """The guarantee of one release."""
        return f"{super().__str__()}, for {self.covers}"

    def __str__(self) -> str:
        return f"{self.claim}; {ADDS_UP}; {REAL_NUMBERS}"


class Guaranteed(Protocol):
    """A mechanism, or anything else, that states its guarantee."""

    @property
    def guarantee(self) -> Guarantee: ...


def stated(mechanism: Guaranteed) -> StatedGuarantee:
    """A mechanism's guarantee, with the pairs that it holds for."""
    guarantee = mechanism.guarantee
    if isinstance(guarantee, StatedGuarantee):
        return guarantee
    return StatedGuarantee(guarantee.epsilon, guarantee.delta, guarantee.sensitivity)
