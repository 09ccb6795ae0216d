"""Dimensions of PrivEmb, its projection, and the four mechanisms."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused
from scipy import stats

from trustnlp.privacy.accounting.guarantee import Relation
from trustnlp.privacy.mechanisms.projection import (
    ExactRelease,
    PlainRelease,
    PrincipalRelease,
    ProjectedRelease,
    gaussian_projection,
    principal_rows,
    target_dimension,
)
from trustnlp.privacy.noise import secure_random


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def vectors_of(n: int, d: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn((n, d), generator=seeded(seed), dtype=dtype)


def four(vocabulary: torch.Tensor, m: int, epsilon: float = 2.0) -> list[Any]:
    d = vocabulary.shape[1]
    return [
        PlainRelease(epsilon),
        ProjectedRelease.draw(d, epsilon=epsilon, delta=0.1, beta=0.9, generator=seeded(1), m=m),
        ExactRelease(epsilon, vocabulary, gaussian_projection(d, m, generator=seeded(1))),
        PrincipalRelease(epsilon, principal_rows(vocabulary, m)),
    ]


@pytest.mark.parametrize(
    ("beta", "dimension"),
    [(0.93, 50.143), (0.9, 53.542), (0.7, 88.508), (0.66, 99.562), (0.6, 120.469), (0.5, 173.476), (0.468, 198.010)],
)
def test_dimensions_of_the_paper(beta: float, dimension: float) -> None:
    assert target_dimension(300, beta, 1e-6) == pytest.approx(dimension, abs=5e-4)


def test_natural_logarithms_miss_the_papers_dimension() -> None:
    assert target_dimension(300, 0.66, 1e-6, width_log="log") == pytest.approx(85.568, abs=5e-4)  # 99.562 there


@given(d=st.integers(2, 5000), beta=st.floats(0.01, 0.99), delta=st.floats(1e-12, 0.5))
def test_a_refusal_names_a_beta_that_fits(d: int, beta: float, delta: float) -> None:
    try:
        assert target_dimension(d, beta, delta) <= d
    except ValueError as error:
        message = str(error)
        assert f"the vectors have {d}" in message
        if "take beta of at least" in message:
            named = float(message.split("at least ")[1].split(",")[0])
            assert beta < named < 1
            assert math.ceil(target_dimension(d, named, delta)) <= d
            if named > 2e-4:
                with pytest.raises(ValueError, match="take beta"):
                    target_dimension(d, named - 2e-4, delta)
        else:
            assert "no beta below 1" in message


def test_parameters_without_a_dimension() -> None:
    assert_refused(
        lambda arguments: target_dimension(**({"d": 300, "beta": 0.9, "delta": 1e-6} | arguments)),
        [
            ({"beta": 0.0}, "beta lies strictly between 0 and 1"),
            ({"delta": 0.0}, "delta is a probability strictly between 0 and 1"),
            ({"d": 0}, "at least 1 dimension"),
            ({"width_log": "log10"}, "width_log is one of log2, log"),
            ({"beta": 0.2}, "1084.2 dimensions, but the vectors have 300; take beta of at least 0.3803"),
            ({"d": 2}, "no beta below 1 is large enough"),
        ],
    )


def test_the_projection_keeps_squared_lengths_on_average() -> None:
    projection = gaussian_projection(2000, 40, generator=seeded(0))
    assert projection.shape == (40, 2000) and projection.dtype == torch.float64
    # m‖Φu‖² is χ² with m degrees of freedom: here for the 2,000 unit vectors of the axes.
    squares = 40 * (projection**2).sum(dim=0).numpy()
    assert stats.kstest(squares, stats.chi2(40).cdf).pvalue > 0.01
    assert stats.kstest(projection.flatten().numpy() * math.sqrt(40), "norm").pvalue > 0.01


def test_a_projection_without_a_generator_is_drawn_securely(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch's generator would start from 32 random bits: no δ below 2⁻³² could be claimed over its draws."""
    monkeypatch.setattr(secure_random, "normals", lambda n: torch.arange(n, dtype=torch.float64))
    assert torch.equal(gaussian_projection(3, 2), torch.arange(6.0, dtype=torch.float64).view(2, 3) / math.sqrt(2))


def test_a_projection_has_between_one_and_all_dimensions() -> None:
    for project in (lambda m: gaussian_projection(3, m), lambda m: principal_rows(torch.eye(3), m)):
        assert_refused(project, [(m, f"keeps between 1 and 3 of them, got {m}") for m in (0, 4)])


def test_the_noise_is_scaled_to_each_mechanisms_constant() -> None:
    vocabulary = vectors_of(60, 12)
    constants = []
    for mechanism in four(vocabulary, m=5, epsilon=2.0):
        constant = mechanism.guarantee.sensitivity.value
        constants.append(constant)
        assert mechanism.scale == constant / 2.0
        assert mechanism.guarantee.epsilon == 2.0
        assert mechanism.guarantee.relation is Relation.METRIC
        rows = vocabulary.repeat(100, 1)
        images = rows.double() if mechanism.projection is None else rows.double() @ mechanism.projection.T
        lengths = torch.linalg.vector_norm(mechanism(rows, generator=seeded(2)).double() - images, dim=1)
        law = stats.gamma(images.shape[1], scale=constant / 2.0)
        assert stats.kstest(lengths.numpy(), law.cdf).pvalue > 0.001
    assert constants[0] == constants[3] == 1
    assert constants[1] == 1.9
    assert [mechanism.guarantee.delta for mechanism in four(vocabulary, m=5)] == [0, 0.1, 0, 0]


def test_the_constant_bounds_what_the_projection_does_to_every_pair() -> None:
    vocabulary = vectors_of(80, 10, dtype=torch.float64)
    _, projected, exact, principal = four(vocabulary, m=4)
    first, second = torch.triu_indices(80, 80, 1)
    steps = vocabulary[first] - vocabulary[second]
    for mechanism, tight in ((exact, True), (principal, False)):
        ratios = (steps @ mechanism.projection.T).norm(dim=1) / steps.norm(dim=1)
        constant = mechanism.guarantee.sensitivity.value
        assert float(ratios.max()) <= constant * (1 + 1e-12)
        assert not tight or float(ratios.max()) == pytest.approx(constant, rel=1e-12)
    # The same Φ: the exact constant exceeds 1 + β here, since m is far below what Lemma 4 asks for.
    assert torch.equal(projected.projection, exact.projection)


def test_seeds_decide_the_release_and_nothing_else_does() -> None:
    vocabulary = vectors_of(6, 8)
    torch.manual_seed(0)
    state = torch.get_rng_state()
    for mechanism in four(vocabulary, m=3):
        first = mechanism(vocabulary, generator=seeded(5))
        assert torch.equal(first, mechanism(vocabulary, generator=seeded(5)))
        assert not torch.equal(first, mechanism(vocabulary, generator=seeded(6)))
        assert not torch.equal(mechanism(vocabulary), mechanism(vocabulary))
        assert first.dtype == vocabulary.dtype and len(first) == 6
        assert mechanism(vocabulary.double(), generator=seeded(5)).float().equal(first)
    assert torch.equal(state, torch.get_rng_state())
    first, again, other = (gaussian_projection(50, 20, generator=seeded(seed)) for seed in (1, 1, 2))
    assert torch.equal(first, again) and not torch.equal(first, other)


def test_exact_release_refuses_vectors_outside_its_vocabulary() -> None:
    vocabulary = vectors_of(30, 6)
    vocabulary[0, 0] = 0.0
    mechanism = ExactRelease(1.0, vocabulary, gaussian_projection(6, 3, generator=seeded(0)))
    asked = vocabulary[[3, 3, 0]].double()
    asked[2, 0] = -0.0
    assert mechanism(asked).shape == (3, 3)
    asked[1, 2] += 1e-9
    asked[2, 5] += 1e-9
    with pytest.raises(ValueError, match="row 1 and 1 more are not vectors of the public vocabulary"):
        mechanism(asked)


def test_a_release_is_unmoved_when_its_projection_is_edited() -> None:
    vocabulary, projection = vectors_of(5, 4), gaussian_projection(4, 2, generator=seeded(0))
    mechanism = ExactRelease(1.0, vocabulary, projection)
    before = mechanism(vocabulary, generator=seeded(1))
    projection *= 100
    assert torch.equal(before, mechanism(vocabulary, generator=seeded(1)))


def test_principal_rows_are_those_of_a_singular_value_decomposition() -> None:
    vocabulary = vectors_of(200, 7) * torch.tensor([1.0, 5, 2, 3, 0.5, 4, 6]) + 10
    rows = principal_rows(vocabulary, 4)
    assert torch.allclose(rows @ rows.T, torch.eye(4, dtype=torch.float64), atol=1e-12)
    centred = vocabulary.double().numpy() - vocabulary.double().numpy().mean(axis=0)
    expected = np.linalg.svd(centred, full_matrices=False)[2][:4]
    assert np.abs((rows.numpy() * expected).sum(axis=1)) == pytest.approx(np.ones(4), abs=1e-10)
    assert (rows.gather(1, rows.abs().argmax(dim=1, keepdim=True)) > 0).all()


def test_principal_release_refuses_a_matrix_that_stretches() -> None:
    assert PrincipalRelease(1.0, torch.eye(3)[:2]).guarantee.sensitivity.value == 1
    with pytest.raises(ValueError, match=r"stretches vectors up to 1\.5 times"):
        PrincipalRelease(1.0, 1.5 * torch.eye(3))
    with pytest.raises(ValueError, match=r"stretches vectors up to 1\.00000\d+ times; .* in float64"):
        PrincipalRelease(1.0, torch.linalg.qr(vectors_of(40, 40)).Q * (1 + 1e-6))


def test_epsilon_is_positive_and_finite() -> None:
    for make in (PlainRelease, lambda epsilon: ProjectedRelease(epsilon, 0.1, 0.9, torch.eye(4))):
        assert_refused(make, [(0.0, "epsilon is positive and finite")])


def test_vectors_that_a_mechanism_cannot_take() -> None:
    plain, *projected = four(vectors_of(5, 4), m=2)
    for mechanism in projected:
        with pytest.raises(ValueError, match="made for 4 dimensions, the vectors have 3"):
            mechanism(torch.zeros(2, 3))
    elsewhere: Any = SimpleNamespace(device=torch.device("cuda"))
    with pytest.raises(ValueError, match="the generator is on cuda, the vectors on cpu"):
        plain(torch.zeros(2, 3), generator=elsewhere)
    with pytest.raises(ValueError, match="made for 4 dimensions, the vectors have 3"):
        ExactRelease(1.0, torch.eye(3), torch.eye(4))
    with pytest.raises(ValueError, match="sensitivity is positive"):
        ExactRelease(1.0, torch.eye(3), torch.zeros(2, 3))
    assert PlainRelease(1e-38)(torch.zeros(2, 300)).abs().max() == torch.finfo(torch.float32).max


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_releases_stay_on_the_gpu() -> None:
    vocabulary = vectors_of(50, 8).cuda()
    for mechanism in four(vocabulary, m=3):
        released = mechanism(vocabulary, generator=torch.Generator(device="cuda").manual_seed(0))
        assert released.device.type == "cuda" and len(released) == 50


def test_too_few_rows_for_the_delta_that_is_claimed() -> None:
    with pytest.raises(ValueError, match=r"with m = 1 rows a single pair is stretched .* probability 0.057"):
        ProjectedRelease.draw(300, epsilon=1.0, delta=1e-6, beta=0.9, m=1)
    assert ProjectedRelease.draw(300, epsilon=1.0, delta=0.1, beta=0.9, m=1).guarantee.delta == 0.1
