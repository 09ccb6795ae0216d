"""Errors of distances and inner products, and the paper's bounds on them."""

import math

import pytest
import torch
from refusals import assert_refused
from scipy import stats

from trustnlp.privacy.mechanisms.approximation import (
    approximation_errors,
    distance_bound,
    inner_product_bound,
    noise_length_bound,
)


class Shift:
    """Not private at all: adds a fixed vector to each row, so that every error is known."""

    def __init__(self, offsets: torch.Tensor) -> None:
        self.offsets = offsets

    def __call__(self, vectors: torch.Tensor, *, generator: torch.Generator | None = None) -> torch.Tensor:
        return vectors + self.offsets


def test_errors_are_those_of_the_loop() -> None:
    generator = torch.Generator().manual_seed(0)
    first, second = torch.randn(3, 4, generator=generator), torch.randn(5, 4, generator=generator)
    offsets = torch.randn(8, 4, generator=generator)
    errors = approximation_errors(Shift(offsets), first, second)  # type: ignore[arg-type]
    released = torch.cat([first, second]) + offsets
    for i in range(3):
        for j in range(5):
            w, v = released[i].double(), released[3 + j].double()
            x, y = first[i].double(), second[j].double()
            distance, product = abs((w - v).norm() - (x - y).norm()), abs(w @ v - x @ y)
            assert errors.distance[i, j].item() == pytest.approx(distance.item(), abs=1e-6)
            assert errors.inner_product[i, j].item() == pytest.approx(product.item(), abs=1e-6)


def test_distance_bound_is_the_paper_s() -> None:
    bound = distance_bound(200, 54, epsilon=2.0, beta=0.9, delta=1e-6, tau=6.0)
    assert bound.projection == pytest.approx(2 * 0.9 * 6)
    assert bound.noise == pytest.approx(4 * 54 * math.log(2 * 200 * 54 / 1e-6) / 2)
    assert bound.total == bound.projection + bound.noise


def test_inner_product_bound_is_the_paper_s() -> None:
    log = math.log(2 * 200 * 54 / 1e-6)
    expected = 0.9 * 36 + 8 * 6 * 54 * log / 2 + (2 * 54 * log) ** 2 / 4
    assert inner_product_bound(200, 54, epsilon=2.0, beta=0.9, delta=1e-6, tau=6.0) == pytest.approx(expected)


@pytest.mark.parametrize("gamma", [0.5, 1e-3, 1e-9])
def test_noise_exceeds_its_bound_as_rarely_as_claimed(gamma: float) -> None:
    bound = noise_length_bound(54, gamma, epsilon=10.0, beta=0.9)
    assert stats.gamma(54, scale=1.9 / 10).sf(bound) <= gamma


def test_errors_and_bounds_refuse_what_they_do_not_hold_for() -> None:
    arguments = {"vectors": 10, "epsilon": 1.0, "beta": 0.5, "delta": 1e-6, "tau": 1.0}
    rows = [({"vectors": 0}, "at least one vector"), ({"delta": 1.0}, "delta is a prob"), ({"tau": -4.0}, "tau, the")]
    assert_refused(lambda change: distance_bound(m=5, **(arguments | change)), rows)
    assert_refused(lambda beta: noise_length_bound(3, 0.1, epsilon=1.0, beta=beta), [(-5.0, "beta lies strictly")])
    with pytest.raises(ValueError, match="same number of dimensions, got 3 and 2"):
        approximation_errors(Shift(torch.zeros(1)), torch.eye(3), torch.eye(2))  # type: ignore[arg-type]
