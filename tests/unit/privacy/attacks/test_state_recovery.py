"""Noise is taken off releases of the old design, and of a generator given for an experiment; not off a release."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from refusals import assert_refused
from torch import Tensor

from trustnlp.privacy.attacks import superseded
from trustnlp.privacy.attacks.gf2 import ContradictionError, UnderdeterminedError
from trustnlp.privacy.attacks.state_recovery import _known_bits, find_seed, take_noise_off
from trustnlp.privacy.mechanisms.projection import PlainRelease, gaussian_projection
from trustnlp.privacy.mechanisms.releases import release
from trustnlp.privacy.noise.grid import grid_of
from trustnlp.privacy.noise.randomness import fresh_generator, mixed_generator
from trustnlp.privacy.noise.samplers import multivariate_laplace

SCALE = 1.0


def private(n: int, d: int = 300, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(n, d, generator=torch.Generator().manual_seed(0), dtype=torch.float64).mul_(0.3).to(dtype)


def attack(released: Tensor, images: Tensor, known: Tensor, **arguments: float) -> float:
    """The largest error of a coordinate in the rows that the attacker does not know."""
    found = take_noise_off(released, known, images[known].double(), **({"scale": SCALE} | arguments))
    unknown = torch.ones(len(released), dtype=torch.bool)
    unknown[known] = False
    return float((found - images)[unknown].abs().max())


@pytest.mark.parametrize(("n", "m"), [(3, 20), (4, 54), (5, 300), (2, 37)])
def test_the_known_bits_are_bits_of_the_generator(n: int, m: int) -> None:
    """Against numpy's generator of the same seed, whose words are those of torch."""
    noise = multivariate_laplace(n, m, SCALE, generator=torch.Generator().manual_seed(3), dtype=torch.float64).numpy()
    words = np.random.RandomState(3).randint(0, 1 << 32, 2 * n * m, dtype=np.uint32)
    rows = np.array([0, n - 1])
    for error in (1e-12, 1e-6, 1e-2):
        places, masks, values = _known_bits(noise[rows], np.full((2, m), error), rows, n)
        assert np.array_equal(words[places] & masks, values & masks)
        assert set(places // 2 // m) <= set(rows)
    assert (np.diff(places) > 0).all()


@pytest.mark.slow
def test_the_noise_of_the_old_design_is_taken_off() -> None:
    images = private(32, dtype=torch.float32)
    released = superseded.twister_noise(1 / SCALE)(images)
    assert (released - images).abs().mean() > 10
    assert attack(released, images, torch.arange(20)) < 1e-5


@pytest.mark.slow
def test_a_release_is_not_undone() -> None:
    images = private(32)
    released = release(images, epsilon=1 / SCALE, method="plain").vectors
    with pytest.raises(ContradictionError, match="contradict"):
        attack(released, images, torch.arange(16), grid=grid_of(SCALE))


@pytest.mark.slow
def test_rounding_alone_protects_nothing() -> None:
    images = private(32)
    released = PlainRelease(1 / SCALE)(images, generator=fresh_generator())
    assert attack(released, images, torch.arange(16), grid=grid_of(SCALE)) < grid_of(SCALE)


@pytest.mark.slow
def test_a_projected_release_from_rows_in_any_place() -> None:
    projection = gaussian_projection(300, 54, generator=fresh_generator())
    images = private(128) @ projection.T
    released = superseded.twister_noise(1 / 1.9)(images)
    known = torch.randperm(128, generator=torch.Generator().manual_seed(1))[:88].sort().values
    assert attack(released, images, known, scale=1.9) < 1e-12


def test_too_few_rows_and_wrong_shapes_are_refused() -> None:
    images = private(32)
    released = superseded.twister_noise(1 / SCALE)(images)
    few = torch.arange(2)
    assert_refused(
        lambda rows, known, originals: take_noise_off(rows, known, originals, scale=SCALE),
        [
            (released, few, images[few], UnderdeterminedError, "too few are known; more rows are needed"),
            (released, few, images, ValueError, "as many originals of 300 dimensions"),
            (released, few[:0], images[:0], ValueError, "at least one known row"),
        ],
    )


@pytest.mark.parametrize("seed", [41, -3])
def test_a_small_seed_is_found_and_its_noise_goes(seed: int) -> None:
    vectors = private(5)
    public = release(vectors, epsilon=1.0, method="projected", insecure_seed=seed)
    assert public.projection is not None
    assert find_seed(public.projection, range(-5, 60)) == seed
    again = mixed_generator([abs(seed), int(seed < 0), 1])
    noise = multivariate_laplace(5, 54, 1.9, generator=again, dtype=torch.float64)
    assert public.vectors - noise == pytest.approx(vectors @ public.projection.T, abs=grid_of(1.9))


def test_a_release_has_no_small_seed() -> None:
    public = release(private(5), epsilon=1.0, method="projected")
    assert public.projection is not None
    assert find_seed(public.projection, range(2_000)) is None
    assert_refused(find_seed, [(torch.ones(3, 5), range(3), "too small, it takes 16 numbers")])
