"""Mechanisms: the noise they add, the guarantee they state, and what they refuse."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import torch
from refusals import assert_refused
from scipy import stats

from trustnlp.privacy.accounting.guarantee import L1Sensitivity, L2Sensitivity, Relation
from trustnlp.privacy.mechanisms.additive_noise import (
    Gaussian,
    Laplace,
    Mechanism,
    MultivariateLaplace,
    gaussian_log_delta,
    gaussian_sigma,
)

L1 = L1Sensitivity(2.0, Relation.LOCAL)
L2 = L2Sensitivity(2.0, Relation.LOCAL)
ALPHA = 1e-4


def all_three() -> list[Mechanism]:
    return [Laplace(4.0, L1), MultivariateLaplace(4.0, L2), Gaussian(4.0, 1e-6, L2)]


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def exact_delta(epsilon: float, sigma: float) -> float:
    """δ of Balle and Wang (2018), Theorem 8, with 60 digits."""
    with mpmath.workdps(60):
        s, e = mpmath.mpf(sigma), mpmath.mpf(epsilon)

        def cdf(x: mpmath.mpf) -> mpmath.mpf:
            return mpmath.erfc(-x / mpmath.sqrt(2)) / 2

        return float(cdf(1 / (2 * s) - e * s) - mpmath.exp(e) * cdf(-1 / (2 * s) - e * s))


@pytest.mark.parametrize("epsilon", [1e-4, 0.01, 0.5, 1.0, 8.0, 100.0, 1e4])
@pytest.mark.parametrize("delta", [0.9, 0.1, 1e-3, 1e-6, 1e-12])
def test_sigma_is_the_smallest_that_keeps_delta(epsilon: float, delta: float) -> None:
    sigma = gaussian_sigma(epsilon, delta)
    assert exact_delta(epsilon, sigma) == pytest.approx(delta, rel=1e-8)
    assert exact_delta(epsilon, sigma * 0.9999) > delta


def test_sigma_far_below_and_above_the_classic_range() -> None:
    # ε = 1, δ = 1e-5: the classic √(2 ln(1.25/δ))/ε is 4.8448; the value is dp-accounting's own calibration.
    assert gaussian_sigma(1.0, 1e-5) == pytest.approx(3.730632, abs=1e-6)
    assert gaussian_sigma(1e4, 1e-300) == pytest.approx(0.0091, rel=0.05)
    assert gaussian_log_delta(1e-300, 1e200) == -math.inf
    for epsilon, delta, advice in ((1e-6, 1e-100, "raise δ"), (1e12, 1e-6, "lower ε")):
        with pytest.raises(ValueError, match=f"float64 cannot resolve .*; {advice}"):
            gaussian_sigma(epsilon, delta)


def test_the_noise_has_the_scale_that_the_guarantee_needs() -> None:
    zeros = torch.zeros(20_000, 5, dtype=torch.float64)
    laplace, multivariate, gaussian = all_three()
    coordinates = laplace(zeros, generator=seeded()).numpy().ravel()
    assert stats.kstest(coordinates, stats.laplace(scale=0.5).cdf).pvalue > ALPHA
    lengths = multivariate(zeros, generator=seeded()).norm(dim=1).numpy()
    assert stats.kstest(lengths, stats.gamma(5, scale=0.5).cdf).pvalue > ALPHA
    coordinates = gaussian(zeros, generator=seeded()).numpy().ravel()
    assert stats.kstest(coordinates, stats.norm(scale=2 * gaussian_sigma(4.0, 1e-6)).cdf).pvalue > ALPHA


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_density_ratios_of_pure_mechanisms_stay_below_epsilon_and_reach_it(epsilon: float) -> None:
    rng = np.random.default_rng(0)
    x, y, z = rng.standard_normal((3, 500, 4))
    for order, sensitivity in ((1, L1Sensitivity(1.0, Relation.METRIC)), (2, L2Sensitivity(1.0, Relation.METRIC))):
        mechanism = Laplace(epsilon, sensitivity) if order == 1 else MultivariateLaplace(epsilon, sensitivity)
        loss = (np.linalg.norm(z - y, order, axis=1) - np.linalg.norm(z - x, order, axis=1)) / mechanism.scale
        bounds = [mechanism.guarantee.loss_bound(d) for d in np.linalg.norm(x - y, order, axis=1)]
        assert (loss <= np.array(bounds) + 1e-12).all()
        far = x + 5 * (x - y)
        loss = (np.linalg.norm(far - y, order, axis=1) - np.linalg.norm(far - x, order, axis=1)) / mechanism.scale
        assert loss == pytest.approx(bounds)


@pytest.mark.parametrize("index", [0, 1, 2])
def test_seeds(index: int) -> None:
    mechanism = all_three()[index]
    vectors = torch.linspace(-1, 1, 12).reshape(3, 4)
    kept = vectors.clone()
    first = mechanism(vectors, generator=seeded(1))
    assert first.dtype == vectors.dtype
    assert torch.equal(first, mechanism(vectors, generator=seeded(1)))
    assert not (first == mechanism(vectors, generator=seeded(2))).any()
    torch.manual_seed(0)
    unseeded = mechanism(vectors)
    torch.manual_seed(0)
    assert not (unseeded == mechanism(vectors)).any()
    assert torch.equal(vectors, kept)
    assert not (first - vectors)[0].allclose((first - vectors)[1])


def test_the_sensitivity_of_the_other_norm_is_refused() -> None:
    assert_refused(
        lambda mechanism, *arguments: mechanism(1.0, *arguments),
        [
            (Laplace, L2, TypeError, "Laplace noise is made for an L1Sensitivity, got L2"),
            (MultivariateLaplace, L1, TypeError, "MultivariateLaplace noise is made for an L2Sensitivity, got L1"),
            (Gaussian, 1e-6, L1, TypeError, "Gaussian noise is made for an L2Sensitivity, got L1Sensitivity"),
        ],
    )


def test_parameters_out_of_range() -> None:
    assert_refused(
        lambda function, *arguments: function(*arguments),
        [
            (Laplace, 0.0, L1, "epsilon is positive and finite"),
            (MultivariateLaplace, math.inf, L2, "epsilon is positive and finite"),
            (Gaussian, 1.0, 0.0, L2, "delta is a probability"),
            (gaussian_log_delta, 1.0, 0.0, "both finite"),
        ],
    )


def test_gaussian_noise_has_no_metric_guarantee() -> None:
    with pytest.raises(ValueError, match="square of the distance"):
        Gaussian(1.0, 1e-6, L2Sensitivity(1.0, Relation.METRIC))


def test_noise_beyond_float32_becomes_its_largest_number() -> None:
    """Whatever the vectors are: an error here would tell something about them."""
    for mechanism in (Laplace(1e-38, L1), MultivariateLaplace(1e-38, L2)):
        released = mechanism(torch.zeros(50, 3), generator=seeded())
        assert released.abs().max() == torch.finfo(torch.float32).max
        assert mechanism(torch.zeros(50, 3, dtype=torch.float64), generator=seeded()).abs().max() > 1e38
    with pytest.raises(ValueError, match="scale of noise is positive and finite"):
        Laplace(5e-324, L1)(torch.zeros(1, 1))


@pytest.mark.parametrize("source", [None, seeded()], ids=["secure", "simulated"])
def test_values_that_would_swallow_the_noise_are_cut_off(source: torch.Generator | None) -> None:
    for mechanism in (Laplace(1e7, L1), MultivariateLaplace(1e7, L2)):
        limit = 2.0**30 * mechanism.scale
        for value in (1e4, 1e30, -1e30):
            vectors = torch.full((2, 3), value, dtype=torch.float64)
            released = mechanism(vectors, generator=source)
            assert not (released == vectors).any()
            assert released.abs().max() < 1.01 * limit
            assert (released.sign() == vectors.sign()).all()


def test_the_gradient_is_that_of_a_sum() -> None:
    for mechanism in all_three():
        vectors = torch.rand(4, 3, requires_grad=True)
        released = mechanism(vectors, generator=seeded())
        assert torch.equal(released, mechanism(vectors.detach(), generator=seeded()))
        released.sum().backward()
        assert torch.equal(vectors.grad, torch.ones(4, 3))


def test_vectors_and_generators_that_do_not_fit_are_refused() -> None:
    mechanism = MultivariateLaplace(1.0, L2)
    assert_refused(
        lambda vectors: mechanism(vectors, generator=seeded()),
        [
            (torch.zeros(3), "vectors have shape"),
            (torch.tensor([[math.nan]]), "NaN or infinity"),
        ],
    )

    class OnGPU(torch.Generator):
        device = torch.device("cuda")  # type: ignore[assignment]

    with pytest.raises(ValueError, match="the generator is on cuda, the vectors on cpu"):
        mechanism(torch.zeros(2, 2), generator=OnGPU())


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_on_a_gpu() -> None:
    vectors = torch.zeros(4, 3, device="cuda")
    for mechanism in all_three():
        first, second = (mechanism(vectors, generator=torch.Generator("cuda").manual_seed(0)) for _ in range(2))
        assert first.device.type == "cuda"
        assert torch.equal(first, second)
        assert not (mechanism(vectors) == first).any()
        with pytest.raises(ValueError, match="the generator is on cpu, the vectors on cuda"):
            mechanism(vectors, generator=seeded())
