"""Word dropout: the law of the masks, the release that attains both bounds, and audits that tell the two apart."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.privacy.accounting.composition import dropout_bernoulli, dropout_fixed_count
from trustnlp.privacy.mechanisms.word_dropout import (
    SECRET,
    bernoulli_law,
    bernoulli_mask,
    count_release,
    fixed_count_law,
    fixed_count_mask,
    largest_loss,
    text_pair,
)

NULL = 0.0


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def slow_density(text: tuple[float, ...], law: dict[tuple[bool, ...], float], epsilon: float, output: float) -> float:
    """Density of the release at one output, mask by mask."""
    total = 0.0
    for mask, probability in law.items():
        left = [word if keep else NULL for word, keep in zip(text, mask, strict=True)]
        count = sum(word != NULL for word in left[1:]) - (left[0] == SECRET)
        total += probability * epsilon / 2 * math.exp(-epsilon * abs(output - count))
    return total


# ---- masks ----


@pytest.mark.parametrize("dropped", [0, 1, 3, 4])
def test_a_fixed_count_is_exact_and_every_mask_equally_likely(dropped: int) -> None:
    masks = fixed_count_mask(40_000, 4, dropped, generator=seeded(0))
    assert masks.dtype == torch.bool and bool(((~masks).sum(dim=1) == dropped).all())
    law = fixed_count_law(4, dropped)
    assert math.fsum(law.values()) == pytest.approx(1) and len(law) == math.comb(4, dropped)
    for mask, probability in law.items():
        share = float((masks == torch.tensor(mask)).all(dim=1).double().mean())
        assert abs(share - probability) < 5 * math.sqrt(0.25 / 40_000)


def test_bernoulli_masks_follow_their_law() -> None:
    masks = bernoulli_mask(40_000, 3, 0.3, generator=seeded(0))
    law = bernoulli_law(3, 0.3)
    assert math.fsum(law.values()) == pytest.approx(1) and len(law) == 8
    for mask, probability in law.items():
        share = float((masks == torch.tensor(mask)).all(dim=1).double().mean())
        assert abs(share - probability) < 5 * math.sqrt(0.25 / 40_000)
    assert bool(bernoulli_mask(50, 3, 0.0).all())


@pytest.mark.parametrize("draw", [partial(bernoulli_mask, rate=0.5), partial(fixed_count_mask, dropped=4)])
def test_masks_repeat_with_a_seed_and_only_then(draw) -> None:  # type: ignore[no-untyped-def]
    first, again, other = (draw(20, 8, generator=seeded(seed)) for seed in (1, 1, 2))
    assert torch.equal(first, again) and not torch.equal(first, other)
    assert not torch.equal(draw(20, 8), draw(20, 8))


# ---- the release ----


@given(epsilon=st.floats(0.01, 20), words=st.integers(1, 6), share=st.floats(0, 0.99))
def test_the_release_attains_both_bounds(epsilon: float, words: int, share: float) -> None:
    alone = largest_loss(epsilon, bernoulli_law(words, share))
    assert alone == pytest.approx(dropout_bernoulli(epsilon, share), rel=1e-9)
    dropped = int(share * words)
    together = largest_loss(epsilon, fixed_count_law(words, dropped))
    assert together == pytest.approx(dropout_fixed_count(epsilon, dropped / words), rel=1e-9)


@pytest.mark.parametrize("law", [bernoulli_law(4, 0.25), fixed_count_law(4, 2), fixed_count_law(4, 1)])
def test_the_exact_loss_equals_a_slow_search_of_all_outputs(law: dict[tuple[bool, ...], float]) -> None:
    epsilon, (first, second) = 1.3, (tuple(text.tolist()) for text in text_pair(4))
    ratios = [
        abs(math.log(slow_density(first, law, epsilon, o) / slow_density(second, law, epsilon, o)))
        for o in np.arange(-8, 8, 0.125)
    ]
    assert largest_loss(epsilon, law) == pytest.approx(max(ratios), rel=1e-9)


def test_released_counts_follow_the_density() -> None:
    release = count_release(1.0, partial(fixed_count_mask, dropped=2))
    first, _ = text_pair(4)
    drawn = release(first.repeat(100_000, 1), generator=seeded(3))
    assert drawn.shape == (100_000, 1) and drawn.dtype == first.dtype
    # Half the masks keep the secret and leave a count of 0, the others leave one of 2.
    assert float(drawn.mean()) == pytest.approx(1.0, abs=0.03)
    assert float(drawn.var()) == pytest.approx(2 + 1, rel=0.03)


# ---- errors ----


def test_errors_say_what_was_given() -> None:
    assert_refused(
        lambda function, *arguments: function(*arguments),
        [
            (bernoulli_mask, 2, 3, -0.1, "at least 0 and below 1"),
            (fixed_count_law, 3, 4, r"round\(μ · d\)"),
            (bernoulli_mask, 0, 3, 0.5, "0 texts of 3 words"),
            (bernoulli_law, 21, 0.5, "1 to 20 words can be listed, got 21"),
            (largest_loss, 1.0, {(True,): 0.5}, r"add up to 0\.5"),
            (count_release, -1.0, bernoulli_mask, "epsilon is positive"),
        ],
    )
