"""What is proven of Laplace noise in floating point, held against the sampler itself with exact logarithms."""

from __future__ import annotations

import mpmath
import pytest
import torch

from trustnlp.privacy.noise import secure_random
from trustnlp.privacy.noise.arithmetic import laplace_slack, moved
from trustnlp.privacy.noise.grid import GRID_BITS


def test_no_sum_is_further_from_that_of_real_numbers_than_is_stated() -> None:
    """Words of every size from 1 to 2⁶³, each with both ends of the real numbers that it stands for."""
    drawn = torch.Generator().manual_seed(0)
    words = [1, 2, 3, 2**62 + 1, 2**63 - 1]
    for bits in range(2, 63):
        words += (2**bits + torch.randint(2**bits, (20,), generator=drawn)).tolist()
    shares = secure_random._shares(torch.tensor(words).double())
    noise = shares.abs().log_().mul_(-1.0)
    with mpmath.workprec(200):
        for word, found in zip(words, noise.tolist(), strict=True):
            for end in (word, word + 1):
                exact = -mpmath.log(mpmath.mpf(end) / 2**63)
                assert abs(found - exact) <= moved(float(exact), 0.0), word


def test_beyond_a_probability_of_some_2_to_minus_42_values_of_the_grid_are_missing() -> None:
    """The δ of "some 2⁻⁶³" that was stated before: cells without a number lie at 2⁻⁴³ and beyond, and none at 2⁻³⁹."""
    cell = 2.0 ** -(GRID_BITS + 1)
    for exponent, holes in ((-43, True), (-39, False)):
        words = torch.arange(2 ** (63 + exponent), 2 ** (63 + exponent) + 1000).double()
        gaps = secure_random._shares(words).log_().diff()
        assert bool((gaps > cell).any()) == holes
    with pytest.raises(ValueError, match="sparser than its grid"):
        laplace_slack(1, largest=1, apart=1, beyond=29.2)


def test_the_slack_grows_with_the_numbers_and_the_inputs() -> None:
    one, many = laplace_slack(1, largest=10, apart=1), laplace_slack(300, largest=10, apart=1)
    assert many == pytest.approx((300 * one[0], 300 * one[1])) and one[0] < 5e-4 and one[1] < 6e-9
    assert laplace_slack(1, largest=2.0**28, apart=1)[0] > 0.1
    assert laplace_slack(1, largest=10, apart=1, beyond=15)[0] < 4e-6
