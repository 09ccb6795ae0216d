"""Exact nearest neighbours, and the recovery attack on mechanisms whose recovery rate is known."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused
from scipy import special
from torch import Tensor

from trustnlp.privacy.attacks import recovery
from trustnlp.privacy.attacks.recovery import nearest, recovery_rate
from trustnlp.privacy.audits.auditing import BlackBox


def brute_force(queries: Tensor, vocabulary: Tensor) -> list[int]:
    """One query after the other, all in double precision; the first of equal distances."""
    rows = []
    for query in queries.double():
        distances = (query - vocabulary.double()).square().sum(dim=1)
        rows.append(int(torch.nonzero(distances == distances.min())[0]))
    return rows


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@given(
    seed=st.integers(0, 10_000),
    size=st.integers(1, 60),
    dim=st.integers(1, 40),
    block=st.integers(1, 70),
    offset=st.sampled_from([0.0, 1.0, 1e3, 1e6]),
    spread=st.sampled_from([1e-7, 1e-3, 1.0, 1e4]),
    scale=st.sampled_from([1e-25, 1e-12, 1.0, 1e12, 1e25]),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
def test_equals_brute_force_whatever_the_vectors(
    seed: int, size: int, dim: int, block: int, offset: float, spread: float, scale: float, dtype: torch.dtype
) -> None:
    """Clusters of near-duplicates far from the origin, where the expanded square cancels, of any size."""
    centres = normal(3, dim, seed=seed)
    members = torch.randint(0, 3, (size,), generator=torch.Generator().manual_seed(seed))
    vocabulary = ((centres[members] + spread * normal(size, dim, seed=seed + 1) + offset) * scale).to(dtype)
    queries = ((centres + spread * normal(3, dim, seed=seed + 2) + offset) * scale).to(dtype)
    # Double precision of the exact values times a power of two, so that the oracle's squares do not overflow either.
    unit = 2.0 ** -round(math.log2(scale))
    expected = brute_force(queries.double() * unit, vocabulary.double() * unit)
    assert nearest(queries, vocabulary, block=block).tolist() == expected


@pytest.mark.parametrize(("unit", "dtype"), [(1e-40, torch.float32), (1e-310, torch.float64), (3e307, torch.float64)])
def test_vectors_at_the_ends_of_their_type(unit: float, dtype: torch.dtype) -> None:
    vocabulary = torch.tensor([[1.0, 2.0], [3.0, 4.0], [-5.0, 1.0]], dtype=dtype) * unit
    assert nearest(vocabulary, vocabulary).tolist() == [0, 1, 2]


def test_single_precision_alone_would_be_wrong() -> None:
    """The neighbours differ in the last bits; the expanded square in float32 cannot see it."""
    vocabulary = 1000 + 1e-3 * normal(200, 50)
    queries = vocabulary + 1e-4 * normal(200, 50, seed=1)
    expanded = vocabulary.square().sum(dim=1) / 2 - queries @ vocabulary.T
    assert (expanded.argmin(dim=1) != torch.arange(200)).float().mean() > 0.5
    assert nearest(queries, vocabulary).tolist() == brute_force(queries, vocabulary) == list(range(200))


@pytest.mark.parametrize("block", [1, 2, 3, 100])
def test_ties_go_to_the_first(block: int) -> None:
    point = normal(1, 5)
    vocabulary = torch.cat([point + 1, point, point, point - 1, point])
    assert nearest(torch.cat([point, point + 0.9]), vocabulary, block=block).tolist() == [1, 0]
    square = torch.tensor([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    assert nearest(torch.zeros(1, 2), square, block=block).tolist() == [0]


def test_more_queries_than_are_compared_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    vocabulary, queries = normal(80, 6), normal(50, 6, seed=1)
    monkeypatch.setattr(recovery, "_QUERIES", 16)
    monkeypatch.setattr(recovery, "_VALUES_AT_ONCE", 20)
    assert nearest(queries, vocabulary, block=30).tolist() == brute_force(queries, vocabulary)


@pytest.mark.gpu
def test_the_gpu_finds_the_same() -> None:
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    vocabulary, queries = normal(20_000, 300), normal(500, 300, seed=1)
    expected = nearest(queries, vocabulary)
    before = torch.get_float32_matmul_precision()
    try:
        for precision in ("highest", "high"):
            torch.set_float32_matmul_precision(precision)
            assert torch.equal(nearest(queries.cuda(), vocabulary.cuda()).cpu(), expected)
    finally:
        torch.set_float32_matmul_precision(before)


def no_noise(vectors: Tensor, *, generator: torch.Generator) -> Tensor:
    return vectors


def gaussian(sigma: float) -> BlackBox:
    def release(vectors: Tensor, *, generator: torch.Generator) -> Tensor:
        return vectors + sigma * torch.randn(vectors.shape, generator=generator)

    return release


def test_without_noise_every_word_is_recovered() -> None:
    vocabulary = normal(50, 6)
    result = recovery_rate(no_noise, vocabulary, torch.arange(50))
    assert result.rate == 1 and result.by_word.tolist() == [1.0] * 50 and result.chance == 0.02


def test_of_two_words_the_rate_is_that_of_the_normal_distribution() -> None:
    """Gaussian noise crosses the middle of two words at distance 2 with probability Φ(-1/σ)."""
    vocabulary = torch.tensor([[-1.0, 0.0], [1.0, 0.0]])
    generator = torch.Generator().manual_seed(0)
    result = recovery_rate(gaussian(0.8), vocabulary, torch.tensor([0, 1, 1]), draws=5000, generator=generator)
    expected = float(special.ndtr(1 / 0.8))
    assert result.rate == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / 15_000))
    assert result.by_word.shape == (3,) and result.by_word.mean() == pytest.approx(result.rate)


def test_a_projected_release_is_compared_with_the_projected_vocabulary() -> None:
    vocabulary, matrix = normal(30, 12), normal(12, 5, seed=1)

    def project(vectors: Tensor, *, generator: torch.Generator) -> Tensor:
        return vectors @ matrix

    assert recovery_rate(project, vocabulary, torch.arange(30), reference=vocabulary @ matrix).rate == 1
    with pytest.raises(ValueError, match="cannot be compared"):
        recovery_rate(project, vocabulary, torch.arange(30))


def test_of_equal_words_only_the_first_is_guessed() -> None:
    vocabulary = torch.tensor([[0.0, 1.0], [0.0, 1.0], [2.0, 0.0]])
    assert recovery_rate(no_noise, vocabulary, torch.arange(3)).by_word.tolist() == [1.0, 0.0, 1.0]


def test_seeds_both_ways() -> None:
    vocabulary = normal(40, 4)

    def run(seed: int | None) -> list[float]:
        generator = None if seed is None else torch.Generator().manual_seed(seed)
        found = recovery_rate(gaussian(0.7), vocabulary, torch.arange(40), draws=20, generator=generator)
        return found.by_word.tolist()

    assert run(3) == run(3) != run(4)
    assert run(None) != run(None)


def test_errors_say_what_to_do() -> None:
    vocabulary, one = normal(5, 3), torch.tensor([1])
    assert_refused(
        lambda queries, words, block=None: nearest(queries, words, block=block),
        [
            (normal(2, 4), vocabulary, "cannot be compared"),
            (torch.tensor([[0.0, math.nan, 0.0]]), vocabulary, "NaN"),
            (normal(1, 3), torch.full((2, 3), math.inf), "NaN or infinity"),
            (normal(2, 3).numpy(), vocabulary, TypeError, "ndarray"),
            (normal(2, 3).half(), vocabulary, TypeError, "float32 or float64"),
            (normal(0, 3), vocabulary, "shape"),
            (normal(2, 3), vocabulary, 0, "block"),
        ],
    )
    assert_refused(
        lambda rows, settings: recovery_rate(no_noise, vocabulary, rows, **settings),
        [
            (torch.tensor([0.0]), {}, TypeError, "integers"),
            (torch.tensor([5]), {}, "0 to 4"),
            (torch.tensor([-1]), {}, "0 to 4"),
            (torch.tensor([], dtype=torch.int64), {}, "0 to 4"),
            (one, {"draws": 0}, "draws=0"),
            (one, {"reference": normal(4, 3)}, "4 vectors for the 5"),
        ],
    )
