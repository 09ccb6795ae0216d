"""The recovery attack on mechanisms whose recovery rate is known."""

from __future__ import annotations

import math

import pytest
import torch
from refusals import assert_refused
from scipy import special
from torch import Tensor

from trustnlp.privacy.attacks.recovery import nearest, recovery_rate
from trustnlp.privacy.audits.auditing import BlackBox


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def no_noise(vectors: Tensor, *, generator: torch.Generator) -> Tensor:
    return vectors


def gaussian(sigma: float) -> BlackBox:
    def release(vectors: Tensor, *, generator: torch.Generator) -> Tensor:
        return vectors + sigma * torch.randn(vectors.shape, generator=generator)

    return release


def test_of_two_words_the_rate_is_that_of_the_normal_distribution() -> None:
    """Gaussian noise crosses the middle of two words at distance 2 with probability Φ(-1/σ)."""
    vocabulary = torch.tensor([[-1.0, 0.0], [1.0, 0.0]])
    generator = torch.Generator().manual_seed(0)
    rate = recovery_rate(gaussian(0.8), vocabulary, torch.tensor([0, 1, 1]).repeat(5000), generator=generator)
    expected = float(special.ndtr(1 / 0.8))
    assert rate == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / 15_000))


def test_a_projected_release_is_compared_with_the_projected_vocabulary() -> None:
    vocabulary, matrix = normal(30, 12), normal(12, 5, seed=1)

    def project(vectors: Tensor, *, generator: torch.Generator) -> Tensor:
        return vectors @ matrix

    assert recovery_rate(project, vocabulary, torch.arange(30), reference=vocabulary @ matrix) == 1
    with pytest.raises(ValueError, match="12 dimensions, the queries have 5"):
        recovery_rate(project, vocabulary, torch.arange(30))


def test_of_equal_words_only_the_first_is_guessed() -> None:
    vocabulary = torch.tensor([[0.0, 1.0], [0.0, 1.0], [2.0, 0.0]])
    assert nearest(vocabulary, vocabulary).tolist() == [0, 0, 2]
    assert recovery_rate(no_noise, vocabulary, torch.arange(3)) == pytest.approx(2 / 3)


def test_seeds_both_ways() -> None:
    vocabulary = normal(40, 4)

    def run(seed: int | None) -> float:
        generator = None if seed is None else torch.Generator().manual_seed(seed)
        return recovery_rate(gaussian(0.7), vocabulary, torch.arange(40).repeat(500), generator=generator)

    assert run(3) == run(3) != run(4)
    assert run(None) != run(None)


def test_errors_say_what_to_do() -> None:
    vocabulary, one = normal(5, 3), torch.tensor([1])
    assert_refused(
        lambda rows, reference=None: recovery_rate(no_noise, vocabulary, rows, reference=reference),
        [
            (torch.tensor([0.0]), TypeError, "integers"),
            (torch.tensor([5]), "0 to 4"),
            (torch.tensor([], dtype=torch.int64), "0 to 4"),
            (one, normal(4, 3), "4 vectors for the 5"),
        ],
    )
