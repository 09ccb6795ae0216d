"""Audits in looks: early ends for gross faults, and rare alarms whatever the number of looks."""

from __future__ import annotations

import pytest
import torch
from scipy import stats
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import Guarantee, L2Sensitivity, Relation
from trustnlp.privacy.audits.auditing import BlackBox
from trustnlp.privacy.audits.sequential import Looks, audit_until_refuted

ZERO, ONE = torch.zeros(1), torch.ones(1)
CLAIM = Guarantee(1.0, 0.0, L2Sensitivity(1.0, Relation.METRIC))


def noisy(scale: float) -> BlackBox:
    def release(vectors: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
        uniform = torch.rand(2, *vectors.shape, generator=generator, dtype=torch.float64).clamp(min=1e-300)
        return vectors + scale * (uniform[0].log() - uniform[1].log())

    return release


def looked(scale: float, most: int, seed: int = 0, alpha: float = 0.05) -> Looks:
    generator = torch.Generator().manual_seed(seed)
    return audit_until_refuted(
        noisy(scale), ZERO, ONE, CLAIM, most_draws=most, distance=1.0, alpha=alpha, generator=generator
    )


def test_a_gross_fault_ends_at_the_first_look_and_a_smaller_one_later() -> None:
    gross, small = looked(0.1, 100_000), looked(0.8, 400_000)
    assert gross.violated and gross.looks == 1 and gross.bound.epsilon > 1
    assert small.violated and small.looks > 3
    assert gross.draws < 200 < small.draws < 400_000


def test_a_right_mechanism_uses_the_draws_up() -> None:
    found = looked(1.0, 20_000)
    assert not found.violated and found.bound.epsilon <= 1
    assert found.draws <= 20_000 < 2 * found.draws + found.draws // (2**found.looks - 1)
    assert found.bound.confidence == pytest.approx(0.95)


def test_alarms_of_all_looks_together_stay_below_alpha() -> None:
    """Randomised response at its full loss, the hardest innocent: 150 audits at α = 0.2."""

    def bit(vectors: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
        keep = torch.rand(vectors.shape, generator=generator) < 0.7310586
        return torch.where(keep, vectors, 1 - vectors)

    source = torch.Generator().manual_seed(1)
    alarms = sum(
        audit_until_refuted(
            bit, ZERO, ONE, CLAIM, most_draws=700, distance=1.0, alpha=0.2, generator=source
        ).violated
        for _ in range(150)
    )  # fmt: skip
    assert stats.binomtest(alarms, 150, 0.2, alternative="greater").pvalue > 0.01


def test_errors_say_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"the first look takes \d+ draws of each input, at most 50 are allowed"):
        looked(1.0, 50)
    with pytest.raises(ValueError, match="needs the distance"):
        audit_until_refuted(noisy(1.0), ZERO, ONE, CLAIM, most_draws=1000)
