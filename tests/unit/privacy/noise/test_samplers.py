"""The noise samplers against the distributions they claim to draw from."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from refusals import assert_refused
from scipy import stats
from torch import Tensor

from trustnlp.privacy.audits.noise_law import NoiseLaw, direction_fit, length_fit
from trustnlp.privacy.noise.samplers import gaussian, laplace, multivariate_laplace

# A right sampler fails one of these tests with this probability; seeds are fixed, so it either always passes or never.
ALPHA = 1e-4
SAMPLES = 20_000


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def smallest_p_value(noise: Tensor, scale: float) -> float:
    """Whether `(n, d)` rows have Gamma(d, scale) lengths and, independent of them, uniform directions."""
    rows, law = noise.double().numpy(), NoiseLaw("multivariate_laplace", scale)
    fits = length_fit(rows, law) + direction_fit(rows, law, rng=np.random.default_rng(1))
    lengths = np.linalg.norm(rows, axis=1)
    apart = stats.spearmanr(lengths, (rows[:, 0] / lengths) ** 2).pvalue if rows.shape[1] > 1 else 1.0
    return min(apart, *(fit.p_value for fit in fits))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("dim", [1, 2, 3, 50, 300])
def test_multivariate_laplace_has_gamma_lengths_and_uniform_directions(dim: int, dtype: torch.dtype) -> None:
    noise = multivariate_laplace(SAMPLES, dim, 0.37, generator=seeded(), dtype=dtype)
    assert noise.shape == (SAMPLES, dim)
    assert noise.dtype == dtype
    assert smallest_p_value(noise, 0.37) > ALPHA > smallest_p_value(noise * 1.05, 0.37)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_laplace_and_gaussian_follow_their_laws(dtype: torch.dtype) -> None:
    for law, noise in (
        (stats.laplace(scale=2.5), laplace((200, 100), 2.5, generator=seeded(), dtype=dtype)),
        (stats.norm(scale=2.5), gaussian((200, 100), 2.5, generator=seeded(), dtype=dtype)),
    ):
        assert noise.shape == (200, 100)
        assert noise.dtype == dtype
        values = noise.double().numpy().ravel()
        assert stats.kstest(values, law.cdf).pvalue > ALPHA
        assert stats.kstest(1.05 * values, law.cdf).pvalue < ALPHA


@pytest.mark.parametrize("sampler", [laplace, gaussian])
def test_float32_noise_is_the_float64_noise_rounded(sampler) -> None:
    single, double = (sampler((50, 7), 3.0, generator=seeded(), dtype=d) for d in (torch.float32, torch.float64))
    assert torch.equal(single, double.float())


def draw_all(generator: torch.Generator | None) -> list[Tensor]:
    return [
        laplace((5, 4), 1.0, generator=generator),
        multivariate_laplace(5, 4, 1.0, generator=generator),
        gaussian((5, 4), 1.0, generator=generator),
    ]


def test_equal_seeds_give_equal_noise_and_only_they_do() -> None:
    first, again, other = (draw_all(seeded(seed)) for seed in (1, 1, 2))
    for a, b, c in zip(first, again, other, strict=True):
        assert torch.equal(a, b)
        assert not (a == c).any()


def test_the_end_of_the_uniform_interval_gives_finite_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.Tensor, "uniform_", lambda self, low, high, generator: self.fill_(low))
    assert laplace((2,), 1.0, generator=seeded()).tolist() == pytest.approx([-36.7368] * 2, abs=1e-4)


def test_a_direction_of_zeros_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, normal = [], torch.Tensor.normal_

    def first_rows_zero(self: Tensor, *, generator: torch.Generator) -> Tensor:
        calls.append(self.shape)
        normal(self, generator=generator)
        if len(calls) <= 2:
            self[:2] = 0
        return self

    monkeypatch.setattr(torch.Tensor, "normal_", first_rows_zero)
    noise = multivariate_laplace(5, 3, 1.0, generator=seeded())
    assert calls == [(5, 3), (2, 3), (2, 3)]
    assert torch.isfinite(noise).all()
    assert (noise != 0).all()


def test_what_no_noise_is_drawn_for() -> None:
    assert_refused(
        lambda draw, *arguments: draw(*arguments),
        [
            (laplace, (2,), 0.0, "positive and finite"),
            (multivariate_laplace, 2, 2, -1.0, "positive and finite"),
            (laplace, (0, 3), 1.0, "at least one"),
        ],
    )
    with pytest.raises(TypeError, match="float32 or float64"):
        multivariate_laplace(2, 2, 1.0, dtype=torch.float16)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_on_a_gpu_the_laws_are_the_same() -> None:
    generator = torch.Generator(device="cuda").manual_seed(0)
    noise = multivariate_laplace(SAMPLES, 50, 0.37, generator=generator)
    assert noise.device.type == "cuda"
    assert smallest_p_value(noise.cpu(), 0.37) > ALPHA
    for law, values in (
        (stats.laplace(), laplace((SAMPLES,), 1.0, generator=generator)),
        (stats.norm(), gaussian((SAMPLES,), 1.0, generator=generator)),
    ):
        assert stats.kstest(values.double().cpu().numpy(), law.cdf).pvalue > ALPHA
    again = torch.Generator(device="cuda").manual_seed(0)
    assert torch.equal(multivariate_laplace(SAMPLES, 50, 0.37, generator=again), noise)
