"""Planted representations: what is known of them is true of them, and robust training finds it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from trustnlp.privacy.mechanisms.representation import noise_layer, normalise
from trustnlp.studies.dpnr.standins import (
    accuracy_without_robustness,
    best_accuracy,
    planted_representations,
)

DIM = 64


def draw(n: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    return planted_representations(n, DIM, rng=np.random.default_rng(seed))


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def accuracy(train: torch.Tensor, labels: torch.Tensor, test: torch.Tensor, truth: torch.Tensor) -> float:
    model = LogisticRegression(C=1e4, solver="newton-cholesky")
    return float(model.fit(train.double().numpy(), labels.numpy()).score(test.double().numpy(), truth.numpy()))


def test_scaling_changes_nothing_and_a_seed_repeats() -> None:
    vectors, labels = draw(500, 0)
    assert vectors.shape == (500, DIM) and vectors.dtype == torch.float32 and set(labels.tolist()) == {0, 1}
    assert torch.equal(normalise(vectors), vectors)
    assert torch.equal(vectors, draw(500, 0)[0]) and not torch.equal(vectors, draw(500, 1)[0])


def test_the_difference_of_the_classes_adds_up_to_nothing() -> None:
    vectors, labels = draw(40_000, 2)
    difference = vectors[labels == 1].mean(0) - vectors[labels == 0].mean(0)
    assert abs(float(difference.sum())) < 0.04
    assert difference[2:4].tolist() == pytest.approx([0.02, -0.02], abs=1e-3)
    assert difference[4:6].tolist() == pytest.approx([0.034, -0.034], abs=5e-3)
    assert difference[:2].tolist() == [0, 0]


def test_robust_training_reaches_the_planted_accuracy_and_plain_training_does_not() -> None:
    variance = 2 / 10.0**2
    (train, labels), (test, truth) = draw(6000, 0), draw(8000, 1)
    layer = noise_layer("as_written", 10.0, DIM)
    noisy = layer(test, generator=seeded(1))
    robust = accuracy(layer(train, generator=seeded(0)), labels, noisy, truth)
    plain = accuracy(train, labels, noisy, truth)
    assert robust == pytest.approx(best_accuracy(DIM, variance), abs=0.02) and robust > plain + 0.1
    assert plain == pytest.approx(accuracy_without_robustness(DIM, variance), abs=0.03)
    assert accuracy(train, labels, test, truth) == pytest.approx(best_accuracy(DIM), abs=0.01)


def test_one_number_added_to_all_coordinates_costs_nothing() -> None:
    train, labels = draw(4000, 0)
    test, truth = draw(8000, 1)
    layer = noise_layer("released", 0.05, DIM)
    found = accuracy(layer(train, generator=seeded(0)), labels, layer(test, generator=seeded(1)), truth)
    assert found == pytest.approx(best_accuracy(DIM), abs=0.01)


def test_known_accuracies_fall_with_the_noise() -> None:
    variances = [0.0, 1e-3, 0.1, 10.0, 1e6]
    best = [best_accuracy(DIM, v) for v in variances]
    plain = [accuracy_without_robustness(DIM, v) for v in variances]
    assert best == sorted(best, reverse=True) and best[-1] == pytest.approx(0.5, abs=1e-3)
    assert plain[0] == best[0] and all(p < b for p, b in zip(plain[1:], best[1:], strict=True))
