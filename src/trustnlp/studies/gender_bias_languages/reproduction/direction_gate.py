"""Whether a gender direction is about gender: does it put pairs of words in order that are none of its own?

The pairs that made a direction cannot tell, nor can a pair whose words are under test. So the direction of Table 1 is
tried on other pairs (`trustnlp.studies.gender_bias_languages.data.other_pairs`), at least twenty of them, by an exact
test against a coin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from trustnlp.bias.gender_direction.direct_bias import signed_scores
from trustnlp.bias.gender_direction.pair_directions import Pair, usable_pairs
from trustnlp.embeddings.static import WordVectors

FEWEST_FURTHER = 20
LEVEL = 0.05
_SHARE = 0.8  # of pairs that a direction orders, for the power that is told


@dataclass(frozen=True)
class GenderGate:
    """What other pairs say of a direction.

    Attributes
    ----------
    pairs, right
        Pairs with vectors in every seed; the share of them that is in order, on average over the seeds.
    p_value
        Chance that a coin puts as many in order, one-sided and exact; 1 without pairs.
    power
        Chance that the test, at its level, passes a direction that orders four fifths of so many pairs.
    """

    pairs: int
    right: float
    p_value: float
    power: float

    @property
    def passed(self) -> bool:
        """Twenty pairs or more, and a p-value of at most 5 %."""
        return self.pairs >= FEWEST_FURTHER and self.p_value <= LEVEL


def further_margins(vectors: WordVectors, g: NDArray[np.float64], pairs: Sequence[Pair]) -> dict[Pair, float]:
    """`cos(female, g) - cos(male, g)` of the pairs that have vectors; above zero a pair is in order."""
    used = usable_pairs(vectors, dict.fromkeys(pairs))
    return {pair: float(np.subtract(*signed_scores(vectors, pair, g))) for pair in used}


def gender_gate(margins: Sequence[Mapping[Pair, float]]) -> GenderGate:
    """The test over the pairs that all seeds have; a pair counts as in order where its mean margin is above zero."""
    shared = [pair for pair in margins[0] if all(pair in own for own in margins)]
    right = sum(bool(np.mean([own[pair] for own in margins]) > 0) for pair in shared)
    if not shared:
        return GenderGate(0, 0.0, 1.0, 0.0)
    number = len(shared)
    p_value = stats.binomtest(right, number, alternative="greater").pvalue
    needed = int(stats.binom.isf(LEVEL, number, 0.5)) + 1  # the fewest that a coin reaches at most so often
    return GenderGate(number, right / number, float(p_value), float(stats.binom.sf(needed - 1, number, _SHARE)))
