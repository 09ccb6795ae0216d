"""Clipped low-dimensional releases and randomised response: exact guarantees, and audits that could refute them."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.privacy.accounting.guarantee import L1Sensitivity, L2Sensitivity, Relation
from trustnlp.privacy.mechanisms.additive_noise import gaussian_sigma
from trustnlp.privacy.mechanisms.low_dimensional import (
    ClippedRelease,
    LabelRelease,
    discriminant_directions,
    randomised_response,
    response_chances,
)


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def vectors_of(n: int, k: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn((n, k), generator=seeded(seed), dtype=dtype)


@given(epsilon=st.floats(1e-3, 30), classes=st.integers(2, 50))
def test_the_chances_of_an_answer_differ_by_exactly_e_to_the_epsilon(epsilon: float, classes: int) -> None:
    true, other = response_chances(epsilon, classes)
    assert true / other == pytest.approx(math.exp(epsilon), rel=1e-12)
    assert true + (classes - 1) * other == pytest.approx(1, rel=1e-12)
    # Over all answers and all pairs of labels: no ratio is larger, and one is attained.
    law = np.full((classes, classes), other) + (true - other) * np.eye(classes)
    assert np.log(law[:, None] / law[None]).max() == pytest.approx(epsilon, rel=1e-9)


def test_answers_follow_their_chances() -> None:
    n, classes, epsilon = 200_000, 4, 1.5
    answers = randomised_response(torch.full((n,), 2), epsilon, classes, generator=seeded(0))
    true, other = response_chances(epsilon, classes)
    expected = n * np.array([other, other, true, other])
    found = np.bincount(answers.numpy(), minlength=classes)
    assert ((found - expected) ** 2 / expected).sum() < 16.3  # χ² with three degrees of freedom, once in 1000


def test_a_large_epsilon_tells_the_truth_and_a_tiny_one_nothing() -> None:
    labels = torch.arange(5).repeat(2000)
    assert torch.equal(randomised_response(labels, 800.0, 5, generator=seeded(1)), labels)
    answers = randomised_response(labels, 1e-9, 5, generator=seeded(1))
    assert float((answers == labels).double().mean()) == pytest.approx(0.2, abs=0.02)


def test_equal_seeds_give_equal_answers_and_no_seed_gives_others() -> None:
    labels = torch.zeros(100, dtype=torch.int64)
    one, two = (randomised_response(labels, 0.5, 3, generator=seeded(s)) for s in (3, 3))
    assert torch.equal(one, two)
    assert not torch.equal(one, randomised_response(labels, 0.5, 3, generator=seeded(4)))
    assert not torch.equal(randomised_response(labels, 0.5, 3), randomised_response(labels, 0.5, 3))


def test_labels_that_are_none_are_refused() -> None:
    assert_refused(
        lambda labels, epsilon, classes: randomised_response(torch.tensor(labels), epsilon, classes),
        [
            ([0, 1], 1.0, 1, "at least 2 values, got 1"),
            ([0, 2], 1.0, 2, "from 0 to 1"),
            ([-1, 0], 1.0, 2, "from 0 to 1"),
            ([0.0], 1.0, 2, TypeError, r"int64 tensor of shape \(n,\), got torch.float32"),
        ],
    )


@given(
    st.sampled_from([0.0, 1e-6]), st.floats(0.01, 100), st.floats(0.1, 50), st.floats(0.01, 1000), st.integers(0, 1000)
)
def test_no_two_clipped_vectors_lie_further_apart_than_the_sensitivity(
    delta: float, radius: float, epsilon: float, stretch: float, seed: int
) -> None:
    directions, centre = vectors_of(3, 6, seed), vectors_of(1, 6, seed + 1)[0]
    release = ClippedRelease(directions, centre, radius, epsilon=epsilon, delta=delta)
    clipped = release.clipped(stretch * vectors_of(20, 6, seed + 2))
    sensitivity = release.guarantee.sensitivity
    order = 2 if delta else 1
    assert isinstance(sensitivity, L2Sensitivity if delta else L1Sensitivity)
    assert sensitivity.relation is Relation.LOCAL and sensitivity.value == 2 * radius
    assert (release.guarantee.epsilon, release.guarantee.delta) == (epsilon, delta)
    assert float(torch.cdist(clipped, clipped, p=order).max()) <= sensitivity.value
    lengths = torch.linalg.vector_norm(clipped, ord=order, dim=1)
    if stretch > 1e3 * radius:
        assert lengths.numpy() == pytest.approx(np.full(20, radius))


@pytest.mark.parametrize(("delta", "order"), [(0.0, 1), (1e-6, 2)])
def test_what_is_short_is_released_as_it_is_and_what_is_long_at_the_radius(delta: float, order: int) -> None:
    directions, centre = torch.eye(2, 4), torch.tensor([1.0, 1.0, 5.0, 5.0])
    release = ClippedRelease(directions, centre, 2.0, epsilon=1.0, delta=delta)
    short, long = torch.tensor([[1.5, 0.75, 9.0, -9.0]]), torch.tensor([[31.0, -39.0, 0.0, 0.0]])
    assert release.clipped(short).tolist() == [[0.5, -0.25]]
    expected = torch.tensor([30.0, -40.0]) * 2 / (70 if order == 1 else 50)
    assert release.clipped(long)[0].numpy() == pytest.approx(expected.numpy())


def test_the_noise_is_that_of_the_guarantee() -> None:
    centre = torch.zeros(3, dtype=torch.float64)
    same = torch.zeros((200_000, 3), dtype=torch.float64)
    laplace = ClippedRelease(torch.eye(3), centre, 0.5, epsilon=2.0)(same, generator=seeded(0))
    assert float(laplace.abs().mean()) == pytest.approx(2 * 0.5 / 2.0, rel=0.01)
    gaussian = ClippedRelease(torch.eye(3), centre, 0.5, epsilon=2.0, delta=1e-6)(same, generator=seeded(0))
    assert float(gaussian.std()) == pytest.approx(2 * 0.5 * gaussian_sigma(2.0, 1e-6), rel=0.01)
    assert float(torch.corrcoef(laplace.T).fill_diagonal_(0).abs().max()) < 0.02


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_equal_seeds_release_equal_vectors(delta: float) -> None:
    release = ClippedRelease(vectors_of(2, 5), torch.zeros(5), 1.0, epsilon=1.0, delta=delta)
    vectors = vectors_of(4, 5, seed=1)
    one, two, other = (release(vectors, generator=seeded(s)) for s in (0, 0, 1))
    assert torch.equal(one, two) and not torch.equal(one, other) and not torch.equal(release(vectors), release(vectors))
    assert one.shape == (4, 2) and one.dtype == torch.float32
    assert release(vectors.double(), generator=seeded(0)).dtype == torch.float64


def test_the_radius_is_a_quantile_of_the_projected_lengths() -> None:
    known, directions = vectors_of(500, 6) + 3, vectors_of(2, 6, seed=1)
    for delta, order in ((0.0, 1), (1e-6, 2)):
        release = ClippedRelease.fitted(known, directions, quantile=0.4, epsilon=1.0, delta=delta)
        images = (known.double() - known.double().mean(dim=0)) @ directions.double().T
        lengths = np.linalg.norm(images.numpy(), ord=order, axis=1)
        assert release.radius == pytest.approx(np.quantile(lengths, 0.4), rel=1e-6)
        # Inside, rows are as they were; the others are on the sphere.
        moved = np.linalg.norm((release.clipped(known) - images).numpy(), axis=1) > 1e-5
        assert moved.mean() == pytest.approx(0.6, abs=0.01)


def test_releases_that_cannot_be_are_refused() -> None:
    settings = {"directions": torch.eye(2, 5), "centre": torch.zeros(5), "radius": 1.0, "epsilon": 1.0}
    with pytest.raises(ValueError, match="made for 5 coordinates, got 4"):
        ClippedRelease(**settings)(torch.zeros(3, 4))  # type: ignore[arg-type]
    assert_refused(
        lambda known, quantile: ClippedRelease.fitted(known, torch.eye(2, 5), quantile=quantile, epsilon=1.0),
        [(vectors_of(9, 5), 0.0, "quantile of the lengths"), (torch.ones(9, 5), 0.5, "radius is positive")],
    )
    assert_refused(
        discriminant_directions,
        [
            (vectors_of(4, 3), "2 to 3 classes on 3 coordinates, got 4"),
            (torch.tensor([[1.0, 0, 0], [0, 1, 0], [1, 0, 0]]), "same weights"),
        ],
    )
    assert_refused(
        lambda changes: ClippedRelease(**(settings | changes)),
        [
            ({"radius": 0.0}, "radius is positive and finite"),
            ({"centre": torch.zeros(4)}, r"each of 5 coordinates, got \(4,\)"),
        ],
    )


def test_the_label_is_that_of_the_classifier() -> None:
    weight, bias = torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([0.0, 0.5])
    sent = LabelRelease(weight, bias, 100.0)(torch.tensor([[1.0, 0.0], [1.0, 0.9]]), generator=seeded(0))
    assert sent.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    guarantee = LabelRelease(weight, bias, 100.0).guarantee
    assert (guarantee.epsilon, guarantee.delta, guarantee.sensitivity.value) == (100.0, 0.0, 2.0)
    with pytest.raises(ValueError, match=r"weights \(c, k\) and biases \(c,\)"):
        LabelRelease(weight, torch.zeros(3), 1.0)


@given(classes=st.integers(2, 6), seed=st.integers(0, 1000))
def test_discriminant_directions_keep_all_differences_of_scores(classes: int, seed: int) -> None:
    weight, vectors = vectors_of(classes, 9, seed).double(), vectors_of(5, 9, seed + 1).double()
    rows = discriminant_directions(weight)
    assert rows.shape == (classes - 1, 9)
    assert torch.allclose(rows @ rows.T, torch.eye(classes - 1, dtype=torch.float64), atol=1e-10)
    through = vectors @ rows.T @ rows
    scores, kept = vectors @ weight.T, through @ weight.T
    assert torch.allclose(scores - scores.mean(1, True), kept - kept.mean(1, True), atol=1e-9)
    assert torch.allclose(rows, discriminant_directions(weight + torch.ones(9, dtype=torch.float64)), atol=1e-7)
