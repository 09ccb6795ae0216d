"""Audits repeated many times: right mechanisms are rarely accused, wrong ones nearly always, and bounds are tight."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
import torch
from scipy import stats
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import L1Sensitivity, L2Sensitivity, Relation
from trustnlp.privacy.audits.auditing import BlackBox, audit, with_companion
from trustnlp.privacy.mechanisms.additive_noise import Gaussian, Laplace, MultivariateLaplace

ALPHA = 0.2
DRAWS = 400
REPETITIONS = 50


def accusations(mechanism: BlackBox, first: Tensor, second: Tensor, claimed: float, **options: float) -> int:
    """How many of the repetitions prove more than the claim."""
    generator = torch.Generator().manual_seed(5)
    run = partial(audit, mechanism, first, second, draws=DRAWS, alpha=ALPHA, generator=generator, **options)
    return sum(run().epsilon > claimed for _ in range(REPETITIONS))


def largest_alarm_rate(claimed: float, delta: float = 0.0, n: int = DRAWS // 2) -> float:
    """How often a right mechanism can be accused at most, by two binomial counts of the `n` draws that are held out.

    Over all events a claim allows, on a grid of their probability. It is well below α, because either bound must err.
    """
    k = np.arange(n + 1)
    low = np.where(k > 0, stats.beta.ppf(ALPHA / 2, k, n - k + 1), 0.0)
    high = np.where(k < n, stats.beta.ppf(1 - ALPHA / 2, k + 1, n - k), 1.0)
    alarm = low[:, None] - delta > math.exp(claimed) * high
    likelier = np.linspace(delta, 1, 401)[1:]
    return max(
        float(stats.binom.pmf(k, n, p) @ alarm @ stats.binom.pmf(k, n, (p - delta) * math.exp(-claimed)))
        for p in likelier
    )


def l1(epsilon: float) -> Laplace:
    return Laplace(epsilon, L1Sensitivity(1.0, Relation.METRIC))


def l2(epsilon: float) -> MultivariateLaplace:
    return MultivariateLaplace(epsilon, L2Sensitivity(1.0, Relation.METRIC))


def bit(vectors: Tensor, /, *, generator: torch.Generator) -> Tensor:
    """Randomised response at ε = ln 3, every event of which has the full loss."""
    keep = torch.rand(vectors.shape, generator=generator) < 0.75
    return torch.where(keep, vectors, 1 - vectors)


RIGHT = {
    "randomised response": (bit, 1, 1.0, math.log(3)),
    "one coordinate, small": (l1(0.3), 1, 1.0, 0.3),
    "one coordinate": (l1(1.0), 1, 1.0, 1.0),
    "independent": (l1(1.0), 4, 1.0, 1.0),
    "multivariate, d = 2": (l2(1.0), 2, 1.0, 1.0),
    "multivariate, d = 8, far": (l2(1.0), 8, 4.0, 4.0),
    "beside a companion": (with_companion(l1(1.0), torch.tensor([3.0]), same_call=False), 1, 1.0, 1.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGHT)
def test_right_mechanisms_are_accused_as_rarely_as_counts_allow(name: str) -> None:
    """Right audits fail this with probability 1 % at most, an audit that errs three times in ten passes with 3 %."""
    mechanism, dim, distance, loss = RIGHT[name]
    first, second = torch.zeros(dim), distance * torch.eye(dim)[0]
    alarms = accusations(mechanism, first, second, claimed=loss)
    rate = largest_alarm_rate(loss)
    assert 0.02 < rate < ALPHA / 2
    assert stats.binomtest(alarms, REPETITIONS, rate, alternative="greater").pvalue > 0.01


@pytest.mark.slow
def test_the_gaussian_mechanism_is_not_accused_at_its_delta() -> None:
    mechanism = Gaussian(1.0, 0.05, L2Sensitivity(1.0, Relation.LOCAL))
    first, second = torch.zeros(2), torch.eye(2)[0]
    alarms = accusations(mechanism, first, second, claimed=1.0, delta=0.05)
    rate = largest_alarm_rate(1.0, delta=0.05)
    assert stats.binomtest(alarms, REPETITIONS, rate, alternative="greater").pvalue > 0.01
    assert audit(mechanism, first, second, draws=100_000, delta=0.0).epsilon > 1.2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "dim", "least"),
    # In two dimensions the full loss lies on one line only; half-planes reach 93 % of it.
    [(l1(0.5), 1, 0.425), (l1(1.0), 1, 0.95), (l1(3.0), 1, 2.85), (l2(2.0), 2, 1.6)],
)
def test_the_bound_comes_close_to_the_truth(mechanism: Laplace, dim: int, least: float) -> None:
    generator = torch.Generator().manual_seed(0)
    bound = audit(mechanism, torch.zeros(dim), torch.eye(dim)[0], draws=100_000, generator=generator)
    assert least < bound.epsilon <= mechanism.guarantee.epsilon
