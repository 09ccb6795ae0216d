"""All audits of one mechanism together: what cannot be tried, and how rarely the innocent suffer."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import stats
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import Guarantee, L1Sensitivity, L2Sensitivity, Relation
from trustnlp.privacy.audits.auditing import audit
from trustnlp.privacy.audits.examination import AUDITS, NEEDS_LAW, Subject, audited, examine
from trustnlp.privacy.audits.noise_law import NoiseLaw
from trustnlp.privacy.mechanisms.additive_noise import MultivariateLaplace
from trustnlp.privacy.mechanisms.low_dimensional import ClippedRelease
from trustnlp.privacy.noise.samplers import laplace

METRIC, LOCAL = Relation.METRIC, Relation.LOCAL


def l2(dim: int, epsilon: float = 1.0, *, stated: bool = True, dtype: torch.dtype = torch.float64) -> Subject:
    mechanism = MultivariateLaplace(epsilon, L2Sensitivity(1.0, METRIC))
    law = NoiseLaw("multivariate_laplace", mechanism.scale) if stated else None
    return Subject(mechanism, mechanism.guarantee, dim, 1 / epsilon, law, dtype)


def seeded(seed: int) -> dict[str, object]:
    return {"generator": torch.Generator().manual_seed(seed), "rng": np.random.default_rng(seed)}


def test_alarms_of_all_audits_together_stay_below_alpha() -> None:
    """60 examinations of a right mechanism at α = 0.2."""
    alarms = sum(
        any(found.convicts for found in examine(l2(2), draws=100, alpha=0.2, **seeded(seed)))  # type: ignore[arg-type]
        for seed in range(60)
    )
    assert stats.binomtest(alarms, 60, 0.2, alternative="greater").pvalue > 0.01


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("dim", [1, 54])
def test_the_package_is_not_convicted_on_its_own_source_of_randomness(dim: int, dtype: torch.dtype) -> None:
    """Without a generator; at α = 1e-6 it fails by chance about never."""
    findings = examine(l2(dim, 4.0, dtype=dtype), draws=4000, alpha=1e-6)
    assert [found.audit for found in findings] == list(AUDITS)
    assert not [found for found in findings if found.convicts]


def test_the_level_is_divided_among_the_audits_that_are_tried() -> None:
    findings = examine(l2(2, stated=False), draws=200, alpha=0.03, **seeded(0))  # type: ignore[arg-type]
    untried = [found for found in findings if found.convicts is None]
    assert [found.audit for found in untried] == list(NEEDS_LAW)
    assert all("needs the stated law" in found.text and found.alpha == 0 for found in untried)
    assert {found.alpha for found in findings if found.convicts is not None} == {0.01}


def test_what_cannot_be_tried_says_why() -> None:
    few = {found.audit: found for found in examine(l2(54), draws=100, **seeded(0))}  # type: ignore[arg-type]
    assert few["law of the direction"].convicts is None and "at least 108" in few["law of the direction"].text
    assert few["every axis"].convicts is None and "takes more than" in few["every axis"].text

    def projected(vectors: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
        return l2(1).mechanism(vectors[:, :1], generator=generator)

    subject = Subject(projected, l2(3).guarantee, 3, 1.0, NoiseLaw("multivariate_laplace", 1.0))
    other = {found.audit: found for found in examine(subject, draws=400, **seeded(0))}  # type: ignore[arg-type]
    for name in ("law of the length", "law of the direction"):
        assert other[name].convicts is None and "cannot be read off" in other[name].text
    assert other["repeated noise"].convicts is False


def test_pairs_share_the_error_probability_and_the_worst_is_told() -> None:
    """No noise in the fourth coordinate, which a pair along another axis never shows."""

    def release(vectors: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
        noise = laplace(tuple(vectors.shape), 1.0, generator=generator, dtype=torch.float64)
        noise[:, 3] = 0
        return vectors + noise

    subject = Subject(release, Guarantee(1.0, 0.0, L1Sensitivity(1.0, METRIC)), 6, 1.0, dtype=torch.float64)
    finding = AUDITS["every axis"](subject, 1200, 0.06, torch.Generator().manual_seed(0), np.random.default_rng(0))
    bare = audit(release, torch.zeros(6).double(), torch.eye(6).double()[3], draws=200, alpha=0.01)
    assert finding.convicts and "pair 4 of 6" in finding.text
    assert f"at least {bare.ceiling:.3g} nats is proven, 1 claimed at distance 1" in finding.text


def test_pairs_without_a_finite_release_are_left_out() -> None:
    def release(vectors: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
        return torch.where(vectors.sum(dim=1, keepdim=True) < -1, torch.nan, vectors)

    subject = Subject(release, Guarantee(1.0, 0.0, L1Sensitivity(1.0, METRIC)), 1, 1.0)
    one, two = torch.zeros(1), torch.ones(1)
    finding = audited("pairs", [(-2 * two, one), (one, two)], subject, 400, 0.05, None)
    assert finding.convicts and finding.text.endswith("1 of 2 pairs were released as NaN")
    none = audited("pairs", [(-2 * two, one)] * 2, subject, 400, 0.05, None)
    assert none.convicts is None and "every pair was released as NaN" in none.text


@pytest.mark.parametrize("relation", [METRIC, LOCAL])
def test_inputs_lie_within_half_the_distance_of_the_claim(relation: Relation) -> None:
    for sensitivity, order in ((L1Sensitivity(3.0, relation), 1), (L2Sensitivity(3.0, relation), 2)):
        for dim in (1, 7):
            subject = Subject(lambda v, /, *, generator: v, Guarantee(1.0, 0.0, sensitivity), dim, 3.0)
            away = float(torch.linalg.vector_norm(subject.generic.double() - subject.origin.double(), ord=order))
            assert 1.5 * (1 - 1e-5) < away <= 1.5
            assert subject.generic.shape == (dim,) and bool((subject.generic > 0).all())


def test_a_mechanism_that_clips_at_half_the_distance_is_innocent() -> None:
    dim, sensitivity = 8, L1Sensitivity(1.0, Relation.LOCAL)
    clipping = ClippedRelease(torch.eye(dim), torch.zeros(dim), radius=0.5, epsilon=1.0)
    subject = Subject(clipping, clipping.guarantee, dim, 1.0, NoiseLaw("laplace", 1.0))
    assert clipping.guarantee.sensitivity == sensitivity
    found = examine(
        subject, draws=4000, alpha=1e-4, generator=torch.Generator().manual_seed(0), rng=np.random.default_rng(0)
    )
    assert not any(finding.convicts for finding in found), found
