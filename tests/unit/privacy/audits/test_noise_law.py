"""Fit of the stated law of noise: exact p-values, faults that are seen with few draws, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from refusals import assert_refused
from scipy import stats

from trustnlp.privacy.audits.noise_law import Family, Fit, NoiseLaw, direction_fit, length_fit, together

FAMILIES: tuple[Family, ...] = ("multivariate_laplace", "laplace", "gaussian")


def drawn(family: Family, n: int, dim: int, rng: np.random.Generator, scale: float = 1.0) -> NDArray[np.float64]:
    """Noise of the law, by numpy's own samplers."""
    if family == "laplace":
        return rng.laplace(scale=scale, size=(n, dim))
    normal = rng.standard_normal((n, dim))
    if family == "gaussian":
        return scale * normal
    return scale * rng.gamma(dim, size=(n, 1)) * normal / np.linalg.norm(normal, axis=1, keepdims=True)


def all_fits(noise: NDArray[np.float64], law: NoiseLaw, rng: np.random.Generator) -> list[Fit]:
    return length_fit(noise, law) + direction_fit(noise, law, rng=rng)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("dim", [1, 5])
def test_p_values_of_the_right_law_are_uniform(family: Family, dim: int) -> None:
    """Each of the six over 250 seeds; the smallest corrected p-value is below α in no more of them than α allows."""
    law = NoiseLaw(family, 2.0)
    values: dict[str, list[float]] = {}
    smallest = []
    for seed in range(250):
        rng = np.random.default_rng([seed, dim, FAMILIES.index(family)])
        fits = all_fits(drawn(family, 24, dim, rng, scale=2.0), law, rng)
        smallest.append(together(fits).p_value)
        for fit in fits:
            values.setdefault(fit.name, []).append(fit.p_value)
    assert len(values) == 6
    for name, found in values.items():
        if name == "dependence of coordinates" and dim == 1:
            assert set(found) == {1.0}
        elif name == "spread by coordinate" and dim > 1:  # corrected for the choice of a coordinate, so not uniform
            assert stats.kstest(found, "uniform", alternative="greater").pvalue > 0.001
        else:
            assert stats.kstest(found, "uniform").pvalue > 0.001, name
    alarms = int(np.sum(np.array(smallest) <= 0.1))
    assert stats.binomtest(alarms, 250, 0.1, alternative="greater").pvalue > 0.01


@pytest.mark.parametrize("family", FAMILIES)
def test_half_the_scale_in_54_dimensions_is_seen_with_eight_draws(family: Family) -> None:
    for seed in range(20):
        noise = drawn(family, 8, 54, np.random.default_rng(seed), scale=0.5)
        fit = together(length_fit(noise, NoiseLaw(family, 1.0)))
        assert fit.p_value < 1e-6 and fit.name == "total length"


@pytest.mark.parametrize("family", FAMILIES)
def test_directions_are_judged_apart_from_lengths(family: Family) -> None:
    """Lengths of another law alarm the lengths and not the directions; a linear dependence the other way round."""
    rng = np.random.default_rng(0)
    law = NoiseLaw(family, 1.0)
    noise = drawn(family, 500, 6, rng)
    wrong = noise * rng.uniform(0, 4, size=(500, 1))
    assert together(length_fit(wrong, law)).p_value < 1e-6
    assert together(direction_fit(wrong, law, rng=rng)).p_value > 0.01
    turned = noise.copy()
    turned[:, 3] = 0.7 * turned[:, 3] + math.sqrt(0.51) * turned[:, 1]
    turned *= (law.lengths(noise) / law.lengths(turned))[:, None]
    assert together(length_fit(turned, law)).p_value > 0.01
    assert together(direction_fit(turned, law, rng=rng)).p_value < 1e-6


@pytest.mark.parametrize("family", FAMILIES)
def test_each_fault_of_directions_is_named(family: Family) -> None:
    rng = np.random.default_rng(1)
    law = NoiseLaw(family, 1.0)

    def named(noise: NDArray[np.float64]) -> str:
        fit = together(direction_fit(noise, law, rng=rng))
        assert fit.p_value < 1e-4
        return fit.name

    noise = drawn(family, 400, 6, rng)
    bare = noise.copy()
    bare[:, 4] = 0
    assert named(bare) == "spread by coordinate"
    assert "coordinate 4" in together(direction_fit(bare, law, rng=rng)).seen
    shared = np.repeat(noise[:, :1], 6, axis=1)
    assert named(shared) == "spread by coordinate"
    balanced = noise - noise.mean(axis=1, keepdims=True)
    assert named(balanced) in ("spread by coordinate", "dependence of coordinates")
    assert named(np.abs(noise)) in ("mean direction", "law of the coordinates")
    assert named(np.sign(drawn("gaussian", 4000, 6, rng))) == "law of the coordinates"


def test_noise_that_rounds_to_zero_has_a_length_and_no_direction() -> None:
    rng = np.random.default_rng(2)
    law = NoiseLaw("multivariate_laplace", 1.0)
    assert together(length_fit(np.zeros((50, 3)), law)).p_value < 1e-12
    assert together(direction_fit(np.zeros((50, 3)), law, rng=rng)).p_value > 0.01


@pytest.mark.parametrize("dim", [1, 2, 3, 7])
def test_the_peak_is_that_of_the_density(dim: int) -> None:
    """The density of the law of the length is that of the noise times the surface of a sphere of that radius."""
    assert NoiseLaw("laplace", 3.0).log_peak(dim) == pytest.approx(dim * stats.laplace.logpdf(0))
    assert NoiseLaw("gaussian", 3.0).log_peak(dim) == pytest.approx(dim * stats.norm.logpdf(0))
    surface = {1: 2, 2: 2 * math.pi, 3: 4 * math.pi, 7: 16 * math.pi**3 / 15}[dim]
    radius = 0.3
    at = stats.gamma.logpdf(radius, dim) - math.log(surface * radius ** (dim - 1))
    assert NoiseLaw("multivariate_laplace", 3.0).log_peak(dim) == pytest.approx(at + radius)


def test_the_same_numbers_for_the_same_rng() -> None:
    law, noise = NoiseLaw("gaussian", 1.0), drawn("gaussian", 30, 2, np.random.default_rng(3))
    first, again, other = (direction_fit(noise, law, rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_errors_say_what_to_do() -> None:
    law, rng = NoiseLaw("laplace", 1.0), np.random.default_rng(0)
    assert_refused(
        NoiseLaw,
        [("cauchy", 1.0, "the law is one of"), ("laplace", 0.0, "positive and"), ("laplace", math.inf, "and finite")],
    )
    assert_refused(
        length_fit, [(np.zeros(3), law, r"shape \(n, d\)"), (np.full((3, 2), np.nan), law, "NaN or infinity")]
    )
    with pytest.raises(ValueError, match="5 rows are too few for directions in 3 dimensions: it takes at least 6"):
        direction_fit(np.ones((5, 3)), law, rng=rng)
