"""Audits across a domain: every planted fault is found, sound mechanisms pass, and what was not searched is said."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import stats
from torch import Tensor

from trustnlp.privacy.accounting.guarantee import Guarantee, L1Sensitivity, L2Sensitivity, Relation, clip_l2
from trustnlp.privacy.audits.auditing import BlackBox
from trustnlp.privacy.audits.domain_search import directions, search
from trustnlp.privacy.audits.examination import Subject
from trustnlp.privacy.audits.noise_law import NoiseLaw
from trustnlp.privacy.mechanisms.additive_noise import Gaussian, Laplace, MultivariateLaplace
from trustnlp.privacy.noise.grid import noisy_on_grid
from trustnlp.privacy.noise.samplers import laplace
from trustnlp.studies.privemb.audits import FAULTS

LOCAL, METRIC = Relation.LOCAL, Relation.METRIC


def unit_box(mechanism: BlackBox, guarantee: Guarantee, dim: int, law: NoiseLaw | None = None) -> Subject:
    far = Subject(mechanism, guarantee, dim, 1.0).length(torch.ones(dim))
    return Subject(mechanism, guarantee, dim, far, law, torch.float64, low=0.0, high=1.0)


def seeded(seed: int) -> dict[str, object]:
    return {"generator": torch.Generator().manual_seed(seed), "rng": np.random.default_rng(seed)}


def as_written(vectors: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
    """DPNR's Algorithm 2: noise made for the range of one coordinate, on values from 0 to 1."""
    noise = laplace(tuple(vectors.shape), 1.0, generator=generator, dtype=torch.float64)
    return noisy_on_grid(vectors.clamp(0, 1), noise, 1.0)


@pytest.mark.parametrize("dim", [54, 384, 768])
def test_noise_made_for_one_coordinate_is_found(dim: int) -> None:
    subject = unit_box(as_written, Guarantee(1.0, 0.0, L1Sensitivity(float(dim), LOCAL)), dim)
    found = {each.audit: each for each in search(subject, draws=400, **seeded(0))[0]}  # type: ignore[arg-type]
    assert found["directions"].convicts and not found["last digits"].convicts
    pair = search(subject, given=(torch.zeros(dim).double(), torch.ones(dim).double()), draws=400, **seeded(0))[0]  # type: ignore[arg-type]
    assert next(each for each in pair if each.audit == "given pair").convicts


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    found, left = search(FAULTS[fault].subject(), draws=4000, **seeded(1))  # type: ignore[arg-type]
    assert any(each.convicts for each in found), found
    assert any("--low and --high" in each for each in left)


def test_sound_mechanisms_pass_a_hundred_times() -> None:
    """At α = .05: of 100 examinations 5 may convict, and 11 or more do so once in a hundred; here it is none."""
    alarms = 0
    for seed in range(25):
        one = Laplace(1.0, L1Sensitivity(3.0, LOCAL))
        normal = Gaussian(1.0, 0.01, L2Sensitivity(3**0.5, LOCAL))
        many = MultivariateLaplace(1.0, L2Sensitivity(2.0, LOCAL))
        per_unit = MultivariateLaplace(1.0, L2Sensitivity(1.0, METRIC))
        subjects = [
            unit_box(one, one.guarantee, 3, NoiseLaw("laplace", one.scale)),
            unit_box(normal, normal.guarantee, 3, NoiseLaw("gaussian", normal.sigma)),
            unit_box(lambda v, /, *, generator, m=many: m(clip_l2(v, 1.0)[0], generator=generator), many.guarantee, 3),
            unit_box(per_unit, per_unit.guarantee, 3, NoiseLaw("multivariate_laplace", 1.0)),
        ]
        alarms += sum(
            any(each.convicts for each in search(subject, draws=200, **seeded(seed))[0])  # type: ignore[arg-type]
            for subject in subjects
        )
    assert stats.binomtest(alarms, 100, 0.05, alternative="greater").pvalue > 0.01, alarms


@pytest.mark.parametrize("relation", [LOCAL, METRIC])
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-3.0, -1.0), (2.0, 9.0)])
def test_all_inputs_lie_in_the_domain_and_within_the_claim(relation: Relation, low: float, high: float) -> None:
    for kind in (L1Sensitivity, L2Sensitivity):
        for dim, distance in ((1, 0.5), (5, 0.5), (5, 1e9)):
            subject = Subject(as_written, Guarantee(1.0, 0.0, kind(1.0, relation)), dim, distance, low=low, high=high)
            inputs = [each for pair in directions(subject, np.random.default_rng(0)) for each in pair]
            assert all(low <= float(each.min()) and float(each.max()) <= high for each in inputs)
            most = distance * (1 if relation is LOCAL else 3)
            assert all(
                subject.length(two - one) <= most * (1 + 1e-6)
                for one, two in zip(inputs[::2], inputs[1::2], strict=True)
            )
            for each in (subject.origin, subject.generic):
                assert low <= float(each.min()) and float(each.max()) <= high
            assert not torch.equal(subject.origin, subject.generic)


def test_a_claim_for_any_two_inputs_needs_inputs() -> None:
    guarantee = Guarantee(1.0, 0.0, L1Sensitivity(2.0, LOCAL))
    nowhere = Subject(as_written, guarantee, 2, 2.0)
    with pytest.raises(ValueError, match="needs to know which inputs there are"):
        search(nowhere, draws=400)
    for pair, said in (([0, 3], "further than"), ([0, 0, 0], "3 coordinates")):
        given = torch.zeros(len(pair)), torch.tensor(pair, dtype=torch.float32)
        with pytest.raises(ValueError, match=said):
            search(nowhere, given=given, draws=400)
    found, _ = search(nowhere, given=(torch.zeros(2), torch.ones(2)), draws=400, **seeded(0))  # type: ignore[arg-type]
    assert [each.audit for each in found] == ["given pair"]
