"""Releases that are equal to the last bit: seen where noise comes again, explained where rounding makes them."""

from __future__ import annotations

import math

import pytest
import torch
from scipy import stats
from torch import Tensor

from trustnlp.privacy.audits.noise_law import NoiseLaw
from trustnlp.privacy.audits.repeats import many_calls, repeated_rows
from trustnlp.privacy.noise.samplers import laplace

LAW = NoiseLaw("multivariate_laplace", 1.0)


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_seeds_of_16_bits_are_caught() -> None:
    seeds = torch.randint(1 << 16, (1500,), generator=seeded(0)).tolist()
    rows = torch.cat([torch.randn(1, 54, generator=seeded(seed)) for seed in seeds])
    found = repeated_rows(rows, LAW)
    assert found.p_value < 1e-12 and not found.seen.startswith("0 of")


def test_in_one_dimension_rounding_makes_as_many_repeats_as_it_explains() -> None:
    """On a coarse grid hundreds of releases are equal; the p-value is below α in no more of the runs than α."""
    step, law = 2.0**-12, NoiseLaw("laplace", 1.0)
    p_values = []
    for seed in range(300):
        noise = laplace((300, 1), 1.0, generator=seeded(seed), dtype=torch.float64)
        p_values.append(repeated_rows((noise / step).round() * step, law).p_value)
    assert sum(p < 1 for p in p_values) / 300 > 0.2
    assert stats.binomtest(sum(p <= 0.05 for p in p_values), 300, 0.05, alternative="greater").pvalue > 0.01


@pytest.mark.parametrize("shared", ["rows of a call", "calls"])
def test_noise_shared_by_rows_or_by_calls_is_seen(shared: str) -> None:
    source = seeded(0)

    def release(vectors: Tensor, /, *, generator: torch.Generator | None) -> Tensor:
        if shared == "calls":
            return vectors + torch.randn(vectors.shape, generator=seeded(7))
        return vectors + torch.randn(1, vectors.shape[1], generator=generator)

    rows = many_calls(release, torch.ones(3), 101, source)
    assert rows.shape == (101, 3)
    assert repeated_rows(rows, LAW).p_value < 1e-12


def test_errors_say_what_to_do() -> None:
    for wrong in (torch.ones(3), torch.ones(1, 3)):
        with pytest.raises(ValueError, match="two or more releases"):
            repeated_rows(wrong, LAW)
    with pytest.raises(ValueError, match="NaN or infinity"):
        repeated_rows(torch.full((3, 2), math.nan), LAW)
