"""What the last digits of a sum exclude: everything but the truth on the old design, nothing on the new one."""

import itertools

import pytest
import torch
from refusals import assert_refused

from trustnlp.privacy.attacks import superseded
from trustnlp.privacy.audits.excluded_inputs import guess, possible
from trustnlp.privacy.mechanisms.releases import release
from trustnlp.privacy.noise.grid import noisy_on_grid

EPSILON = 10.0


def vocabulary(dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(400, 300, generator=torch.Generator().manual_seed(0), dtype=torch.float32).mul_(0.2).to(dtype)


def guesses(released: torch.Tensor, words: torch.Tensor, **arguments) -> tuple[int, int, list[int]]:  # type: ignore[no-untyped-def]
    """Words found with the last digits and without, and how many candidates each release leaves."""
    kept = [possible(row, words, **arguments) for row in released]
    everything = torch.ones(len(words), dtype=torch.bool)
    found = sum(guess(row, words, some) == at for at, (row, some) in enumerate(zip(released, kept, strict=True)))
    nearest = sum(guess(row, words, everything) == at for at, row in enumerate(released))
    return found, nearest, [int(some.sum()) for some in kept]


def test_against_all_noise_there_is_in_half_precision() -> None:
    """65,536 numbers are few enough to try each as noise; sums in half precision through `total`."""
    noise = torch.arange(-(1 << 15), 1 << 15).to(torch.int16).view(torch.float16)
    noise = noise[noise.isfinite()]
    values = torch.tensor([0.3, 1.1, -0.7]).half()

    def half(vectors: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
        return (vectors.half() + noise.half()).to(vectors.dtype)

    for released, candidate in itertools.product(torch.linspace(-1, 1, 300).half(), values):
        tried = bool((candidate + noise == released).any())
        told = possible(released[None].float(), candidate[None, None].float(), total=half, noise_dtype=torch.float16)
        assert bool(told) == tried


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
def test_the_unrounded_sum_excludes_all_but_the_truth(dtype: torch.dtype) -> None:
    words = vocabulary(dtype)
    released = superseded.unrounded(EPSILON)(words[:20], generator=torch.Generator().manual_seed(1))
    found, nearest, left = guesses(released, words, noise_dtype=dtype)
    assert (found, max(left)) == (20, 1)
    assert nearest <= 10


def test_a_release_excludes_nothing() -> None:
    for dtype in (torch.float32, torch.float64):
        words = vocabulary(dtype)
        released = release(words[:20], epsilon=EPSILON, method="plain").vectors
        found, nearest, left = guesses(
            released, words, total=lambda vectors, noise: noisy_on_grid(vectors, noise, 1 / EPSILON)
        )
        assert left == [400] * 20
        assert found == nearest


def test_a_sum_in_float64_that_is_published_in_float32_excludes_nothing() -> None:
    """What `release` did for vectors in float32 before: there the last digits were lost before they could tell."""
    words = vocabulary(torch.float32)
    released = superseded.twister_noise(EPSILON)(words[:20], generator=torch.Generator().manual_seed(1))
    assert guesses(released, words)[2] == [400] * 20


def test_what_cannot_be_compared() -> None:
    words = vocabulary()
    assert_refused(
        possible,
        [
            (words[0].float(), words, ValueError, "float32 of 300 dimensions, got torch.float64 of 300"),
            (words[0, :3], words, ValueError, "of 3 dimensions, got torch.float64 of 300"),
        ],
    )
