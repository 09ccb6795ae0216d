"""The arms of `mechanism_arms` for many draws: one search for all ε, with proposals of bfloat16 where the CPU has them.

Substitutes are those of `Arm` with the same generator: only the time differs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import torch
from torch import Tensor

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.bfloat16_search import quick_search
from trustnlp.embeddings.exact_search import ExactSearch
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.accounting.guarantee import L2Sensitivity, Relation
from trustnlp.privacy.mechanisms.additive_noise import MultivariateLaplace
from trustnlp.privacy.noise.randomness import mixed_generator
from trustnlp.studies.sense_privatization.deniability.deniability_curves import Curves, Draw, calibrated, curves
from trustnlp.studies.sense_privatization.models.mechanism_arms import Arm, rows_for

_ROWS_AT_ONCE = 4096
_TRIES = 100
_PER_DISTANCE = L2Sensitivity(1.0, Relation.METRIC)


@dataclass(frozen=True, eq=False)
class QuickArm(Arm):
    """An arm that is asked at many ε."""

    @cached_property
    def search(self) -> ExactSearch:
        return quick_search(self.table)

    def at(self, epsilon: float, generator: torch.Generator | None = None) -> Draw:
        noise = MultivariateLaplace(epsilon, _PER_DISTANCE)

        def draw(rows: Tensor) -> Tensor:
            noisy = (noise(self.table[some].double(), generator=generator) for some in rows.split(_ROWS_AT_ONCE))
            return self.owner[torch.cat([self.search.search(some) for some in noisy])]

        return draw


def quickened(arms: Mapping[str, Arm]) -> dict[str, QuickArm]:
    """The same arms in less time."""
    return {name: QuickArm(arm.table, arm.owner) for name, arm in arms.items()}


def words_and_senses(vectors: WordVectors, inventory: SenseInventory) -> dict[str, QuickArm]:
    """`word` and `sense` of `mechanism_arms.arms_of`."""
    return {
        "word": QuickArm(torch.tensor(vectors.matrix), torch.arange(len(vectors))),
        "sense": QuickArm(torch.tensor(inventory.matrix), torch.tensor(inventory.owner)),
    }


def calibrations(
    arms: Mapping[str, Arm],
    queries: Sequence[Occurrence],
    inventory: SenseInventory,
    vectors: WordVectors,
    epsilons: Sequence[float],
    draws: int,
) -> dict[str, Curves]:
    """For each arm the curves by which its ε is set (§4.1)."""
    words = rows_for("word", queries, inventory, vectors)
    return {
        name: curves(
            partial(arm.at, generator=mixed_generator([place, 11])),
            rows_for(name, queries, inventory, vectors),
            words,
            epsilons,
            draws,
        )
        for place, (name, arm) in enumerate(arms.items())
    }


def resampled_epsilon(found: Curves, quantile: float, seed: int) -> float:
    """ε at which N_w is at most one half for a `quantile` of the words, of one bootstrap of the words.

    So results over seeds vary by the words that set ε, too. A resample without such an ε is drawn again.

    Raises
    ------
    ValueError
        The curves reach one half for no resample: a wider range of ε is needed.
    """
    n = found.kept.shape[1]
    rng = np.random.default_rng([seed, 12])
    for _ in range(_TRIES):
        take = rng.integers(0, n, n)
        epsilon = calibrated(Curves(found.epsilons, found.kept[:, take], found.support[:, take]), quantile)
        if np.isfinite(epsilon):
            return epsilon
    raise ValueError(
        f"N_w passes one half for the {quantile:g} quantile of the words at no ε of {found.epsilons.tolist()}: give "
        "smaller or larger ones"
    )
