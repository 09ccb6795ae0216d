"""Composition and word dropout, against closed forms and lists of every output and mask."""

from __future__ import annotations

import itertools

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.privacy.accounting.composition import (
    compose,
    dropout_bernoulli,
    dropout_fixed_count,
    vector_epsilon,
)
from trustnlp.privacy.accounting.guarantee import Guarantee, L1Sensitivity, L2Sensitivity, Relation
from trustnlp.privacy.accounting.stated_guarantee import StatedGuarantee
from trustnlp.privacy.mechanisms.additive_noise import Laplace

L1, L2 = L1Sensitivity(2.0, Relation.LOCAL), L2Sensitivity(2.0, Relation.LOCAL)
METRIC = L2Sensitivity(1.0, Relation.METRIC)


# ---- composition ----


def test_epsilon_and_delta_add_up() -> None:
    total = compose([Guarantee(1.0, 1e-6, L2), Guarantee(0.5, 0.0, L2Sensitivity(3.0, Relation.LOCAL))])
    assert total == StatedGuarantee(1.5, 1e-6, L2Sensitivity(3.0, Relation.LOCAL))
    assert compose([Guarantee(1.0, 0.0, METRIC)] * 3).loss_bound(2.0) == 6.0


def test_guarantees_that_do_not_compose() -> None:
    assert_refused(
        compose,
        [
            ([], "at least one"),
            ([Guarantee(1.0, 0.0, L2), Guarantee(1.0, 0.0, METRIC)], "LOCAL in L2, METRIC in L2"),
            ([Guarantee(1.0, 0.0, L1), Guarantee(1.0, 0.0, L2)], "LOCAL in L1, LOCAL in L2"),
            ([Guarantee(1.0, 0.5, L2)] * 2, "delta is a probability"),
        ],
    )


# ---- word dropout ----


@given(epsilon=st.floats(1e-6, 1e4), rate=st.floats(0, 1 - 1e-9))
def test_dropout_equals_its_formula_with_many_digits(epsilon: float, rate: float) -> None:
    with mpmath.workdps(50):
        e, m = mpmath.mpf(epsilon), mpmath.mpf(rate)
        bernoulli = float(mpmath.log((1 - m) * mpmath.exp(e) + m))
        above = m * mpmath.exp(-2 * e)
        fixed = float(mpmath.log((above + 1 - m) / (above + (1 - m) * mpmath.exp(-e))))
    assert dropout_bernoulli(epsilon, rate) == pytest.approx(bernoulli, rel=1e-12)
    assert dropout_fixed_count(epsilon, rate) == pytest.approx(fixed, rel=1e-12)


def test_dropout_and_dimension_errors() -> None:
    assert_refused(
        lambda rule, *arguments: rule(*arguments),
        [
            (dropout_bernoulli, 1.0, -0.1, "at least 0 and below 1"),
            (dropout_fixed_count, 0.0, 0.5, "epsilon is positive"),
            (vector_epsilon, 1.0, 0, "at least 1 coordinate"),
            (vector_epsilon, -1.0, 3, "epsilon is positive"),
        ],
    )


NULL, ALPHABET = 0, (0, 1, 2)


def random_release(epsilon: float, n: int, rng: np.random.Generator) -> dict[tuple[int, ...], np.ndarray]:
    """P(output | text) of a mechanism that looks at all words at once, with loss at most ε per changed word."""
    texts = list(itertools.product(ALPHABET, repeat=n))
    apart = np.array([[sum(a != b for a, b in zip(x, y, strict=True)) for y in texts] for x in texts])
    # The smallest function above random values that changes by at most 1 from a text to its neighbour.
    score = (rng.exponential(n, size=(len(texts), 6))[None, :, :] - apart[:, :, None]).max(axis=1)
    weight = np.exp(epsilon / 2 * score)  # normalising doubles the loss
    weight /= weight.sum(axis=1, keepdims=True)
    return dict(zip(texts, weight, strict=True))


def masks(n: int, rate: float, *, fixed: bool) -> list[tuple[tuple[bool, ...], float]]:
    every = list(itertools.product((False, True), repeat=n))
    if fixed:
        every = [mask for mask in every if sum(mask) == round(rate * n)]
        return [(mask, 1 / len(every)) for mask in every]
    return [(mask, rate ** sum(mask) * (1 - rate) ** (n - sum(mask))) for mask in every]


def largest_loss(release: dict[tuple[int, ...], np.ndarray], n: int, rate: float, *, fixed: bool) -> float:
    """Over every pair of texts that differ in one word, every mask and every output."""
    listed, texts = masks(n, rate, fixed=fixed), list(itertools.product((1, 2), repeat=n))
    law = {
        text: sum(
            p * release[tuple(NULL if gone else w for w, gone in zip(text, mask, strict=True))] for mask, p in listed
        )
        for text in texts
    }
    pairs = [(x, y) for x, y in itertools.permutations(texts, 2) if sum(a != b for a, b in zip(x, y, strict=True)) == 1]
    return max(float(np.log(law[x] / law[y]).max()) for x, y in pairs)


@given(st.integers(0, 2**32 - 1), st.floats(0.2, 4), st.sampled_from([1, 2]))
@settings(max_examples=20)
def test_no_release_of_whole_texts_exceeds_the_bounds(seed: int, loss: float, dropped: int) -> None:
    n, rate, release = 3, dropped / 3, random_release(loss, 3, np.random.default_rng(seed))
    neighbours = [(x, y) for x in release for y in release if sum(a != b for a, b in zip(x, y, strict=True)) == 1]
    epsilon = max(float(np.log(release[x] / release[y]).max()) for x, y in neighbours)
    assert largest_loss(release, n, rate, fixed=False) <= dropout_bernoulli(epsilon, rate) + 1e-12
    assert largest_loss(release, n, rate, fixed=True) <= dropout_fixed_count(epsilon, rate) + 1e-12


# ---- coordinates ----


def test_epsilon_of_a_vector() -> None:
    assert vector_epsilon(0.05, 768) == pytest.approx(38.4)
    assert Laplace(vector_epsilon(0.5, 6), L1Sensitivity(6, Relation.LOCAL)).scale == 1 / 0.5
