"""Composition and word dropout, against closed forms, dp-accounting, and lists of every output and mask."""

from __future__ import annotations

import itertools
import math
import sys

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trustnlp.privacy.accounting.composition import (
    Loss,
    compose,
    dropout_bernoulli,
    dropout_fixed_count,
    text_epsilon,
    text_loss,
    vector_epsilon,
)
from trustnlp.privacy.accounting.guarantee import Guarantee, L1Sensitivity, L2Sensitivity, Relation
from trustnlp.privacy.mechanisms.additive_noise import Gaussian, Laplace, MultivariateLaplace

L1, L2 = L1Sensitivity(2.0, Relation.LOCAL), L2Sensitivity(2.0, Relation.LOCAL)
METRIC = L2Sensitivity(1.0, Relation.METRIC)


# ---- composition ----


def test_epsilon_and_delta_add_up() -> None:
    total = compose([Guarantee(1.0, 1e-6, L2), Guarantee(0.5, 0.0, L2Sensitivity(3.0, Relation.LOCAL))])
    assert total == Guarantee(1.5, 1e-6, L2Sensitivity(3.0, Relation.LOCAL))
    assert compose([Guarantee(1.0, 0.0, METRIC)] * 3).loss_bound(2.0) == 6.0


def test_guarantees_that_do_not_compose() -> None:
    with pytest.raises(ValueError, match="at least one"):
        compose([])
    with pytest.raises(ValueError, match="LOCAL in L2, METRIC in L2"):
        compose([Guarantee(1.0, 0.0, L2), Guarantee(1.0, 0.0, METRIC)])
    with pytest.raises(ValueError, match="LOCAL in L1, LOCAL in L2"):
        compose([Guarantee(1.0, 0.0, L1), Guarantee(1.0, 0.0, L2)])
    with pytest.raises(ValueError, match="delta is a probability"):
        compose([Guarantee(1.0, 0.5, L2)] * 2)


def test_text_loss_by_relation() -> None:
    distances = [0.0, 0.5, 2.0]
    assert text_loss(Guarantee(3.0, 1e-6, METRIC), distances) == Loss(7.5, 2e-6)
    assert text_loss(Guarantee(3.0, 1e-6, L2), distances) == Loss(6.0, 2e-6)
    assert text_loss(Guarantee(3.0, 0.6, L2), distances).delta == 1.0
    assert text_loss(Guarantee(3.0, 0.0, METRIC), []) == Loss(0.0, 0.0)
    for wrong in (-1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="finite and not negative"):
            text_loss(Guarantee(3.0, 0.0, METRIC), [wrong])


def test_text_loss_bounds_the_true_density_ratio() -> None:
    rng = np.random.default_rng(0)
    mechanism = MultivariateLaplace(1.7, METRIC)
    x, y = rng.standard_normal((2, 5, 3))
    distances = np.linalg.norm(x - y, axis=1)
    bound = text_loss(mechanism.guarantee, distances).epsilon
    z = rng.standard_normal((2000, 5, 3)) * 3
    losses = (np.linalg.norm(z - y, axis=2) - np.linalg.norm(z - x, axis=2)).sum(axis=1) / mechanism.scale
    assert losses.max() <= bound
    far = x + 100 * (x - y)
    worst = (np.linalg.norm(far - y, axis=1) - np.linalg.norm(far - x, axis=1)).sum() / mechanism.scale
    assert worst == pytest.approx(bound)


def binary_epsilon(epsilon: float, words: int, delta: float) -> float:
    """ε of `words` randomised responses by listing how many of them point each way."""
    ups = np.arange(words + 1)
    losses = (2 * ups - words) * epsilon
    chances = np.array([math.comb(words, k) for k in ups]) * np.exp(epsilon * ups) / (1 + math.exp(epsilon)) ** words
    low, high = 0.0, words * epsilon
    for _ in range(60):
        middle = (low + high) / 2
        tight = (chances * np.maximum(0, -np.expm1(middle - losses))).sum()
        low, high = (middle, high) if tight > delta else (low, middle)
    return high


@pytest.mark.parametrize(("epsilon", "words", "delta"), [(0.1, 100, 1e-6), (1.0, 30, 1e-6), (0.5, 8, 1e-3)])
def test_any_pure_mechanism_composes_like_randomised_response(epsilon: float, words: int, delta: float) -> None:
    pytest.importorskip("dp_accounting")
    exact = binary_epsilon(epsilon, words, delta)
    found = text_epsilon(MultivariateLaplace(epsilon, L2), words, delta)
    assert exact - 1e-9 <= found <= min(exact + words * epsilon / 2000, words * epsilon)
    assert text_epsilon(Laplace(epsilon, L1), words, delta) < found


def test_laplace_composition_equals_a_simulation() -> None:
    pytest.importorskip("dp_accounting")
    epsilon, words, rng = 0.5, 20, np.random.default_rng(0)
    noise = rng.laplace(scale=1 / epsilon, size=(200_000, words))
    losses = epsilon * (np.abs(noise + 1) - np.abs(noise)).sum(axis=1)
    delta = 0.01
    found = text_epsilon(Laplace(epsilon, L1), words, delta)
    terms = np.maximum(0, -np.expm1(found - losses))
    assert abs(terms.mean() - delta) < 5 * terms.std() / math.sqrt(len(terms))
    assert found < 0.9 * words * epsilon


@pytest.mark.parametrize("share", [0.1, 0.5])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 5.0])
def test_laplace_loses_most_when_one_coordinate_changes(epsilon: float, share: float) -> None:
    distributions = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")

    def loss(part: float):  # type: ignore[no-untyped-def]
        return distributions.from_laplace_mechanism(1 / part, value_discretization_interval=epsilon / 4000)

    one, split = loss(epsilon), loss(share * epsilon).compose(loss((1 - share) * epsilon))
    grid = np.linspace(0, 0.98 * epsilon, 50)
    apart = np.array([one.get_delta_for_epsilon(e) - split.get_delta_for_epsilon(e) for e in grid])
    assert apart.min() > -1e-6
    assert apart.max() > 1e-3


@pytest.mark.parametrize(("words", "delta"), [(1, 1e-6), (50, 1e-6), (50, 1e-3)])
def test_gaussian_composition_is_exact(words: int, delta: float) -> None:
    mechanism = Gaussian(2.0, 1e-6, L2)
    found = text_epsilon(mechanism, words, delta)
    if (words, delta) == (1, 1e-6):
        assert found == pytest.approx(2.0, rel=1e-9)
    distributions = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    theirs = distributions.from_gaussian_mechanism(mechanism.sigma, sensitivity=2.0).self_compose(words)
    assert found == pytest.approx(theirs.get_epsilon_for_delta(delta), rel=1e-3)


def test_a_delta_that_covers_everything_leaves_no_epsilon() -> None:
    assert text_epsilon(Gaussian(0.01, 1e-6, L2), 1, 0.5) == 0.0


def test_losses_too_large_for_an_exponential_add_up() -> None:
    pytest.importorskip("dp_accounting")
    for mechanism in (MultivariateLaplace(800.0, L2), Laplace(800.0, L1)):
        assert text_epsilon(mechanism, 3, 1e-6) == 2400.0


def test_a_delta_below_that_of_the_words_leaves_no_bound() -> None:
    pytest.importorskip("dp_accounting")

    class Leaky(MultivariateLaplace):
        guarantee = Guarantee(1.0, 1e-3, L2)  # type: ignore[assignment]

    assert text_epsilon(Leaky(1.0, L2), 3, 1e-6) == math.inf
    assert text_epsilon(Leaky(1.0, L2), 3, 4e-3) <= 3.0


def test_texts_that_do_not_compose_tightly(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="use text_loss"):
        text_epsilon(MultivariateLaplace(1.0, METRIC), 3, 1e-6)
    with pytest.raises(ValueError, match="at least one word"):
        text_epsilon(Laplace(1.0, L1), 0, 1e-6)
    with pytest.raises(ValueError, match="delta is a probability"):
        text_epsilon(Laplace(1.0, L1), 3, 0.0)
    monkeypatch.setitem(sys.modules, "dp_accounting.pld", None)
    with pytest.raises(ImportError, match=r'pip install "trustnlp\[privacy\]"'):
        text_epsilon(Laplace(1.0, L1), 3, 1e-6)


# ---- word dropout ----


@pytest.mark.parametrize(
    ("epsilon", "bernoulli", "fixed"),
    [
        (0.05, {0.1: 0.0451, 0.3: 0.0353, 0.5: 0.0253, 0.8: 0.0102}, 0.0259),
        (1.0, {0.1: 0.935, 0.3: 0.790, 0.5: 0.620, 0.8: 0.295}, 0.814),
        (5.0, {0.1: 4.895, 0.3: 4.646, 0.5: 4.314, 0.8: 3.417}, 4.993),
    ],
)
def test_table_of_dropout(epsilon: float, bernoulli: dict[float, float], fixed: float) -> None:
    digits = 4 if epsilon < 1 else 3
    assert {rate: round(dropout_bernoulli(epsilon, rate), digits) for rate in bernoulli} == bernoulli
    assert round(dropout_fixed_count(epsilon, 0.5), digits) == fixed


@given(epsilon=st.floats(1e-6, 1e4), rate=st.floats(0, 1 - 1e-9))
def test_dropout_equals_its_formula_with_many_digits(epsilon: float, rate: float) -> None:
    with mpmath.workdps(50):
        e, m = mpmath.mpf(epsilon), mpmath.mpf(rate)
        bernoulli = float(mpmath.log((1 - m) * mpmath.exp(e) + m))
        above = m * mpmath.exp(-2 * e)
        fixed = float(mpmath.log((above + 1 - m) / (above + (1 - m) * mpmath.exp(-e))))
    assert dropout_bernoulli(epsilon, rate) == pytest.approx(bernoulli, rel=1e-12)
    assert dropout_fixed_count(epsilon, rate) == pytest.approx(fixed, rel=1e-12)


@given(epsilon=st.floats(1e-3, 1e3), rate=st.floats(0, 0.99))
def test_order_of_the_dropout_bounds(epsilon: float, rate: float) -> None:
    bernoulli, fixed = dropout_bernoulli(epsilon, rate), dropout_fixed_count(epsilon, rate)
    slack = 1 + 1e-12
    assert 0 < bernoulli <= fixed * slack
    assert fixed <= epsilon * slack
    assert dropout_bernoulli(epsilon, rate + 0.005) <= bernoulli * slack
    assert dropout_bernoulli(epsilon * 1.1, rate) >= bernoulli
    assert dropout_bernoulli(epsilon, 0.0) == pytest.approx(epsilon)
    assert dropout_fixed_count(epsilon, 0.0) == pytest.approx(epsilon)


def test_dropout_and_dimension_errors() -> None:
    for rule in (dropout_bernoulli, dropout_fixed_count):
        for rate in (-0.1, 1.0, math.nan):
            with pytest.raises(ValueError, match="at least 0 and below 1"):
                rule(1.0, rate)
        with pytest.raises(ValueError, match="epsilon is positive"):
            rule(0.0, 0.5)
    with pytest.raises(ValueError, match="at least 1 coordinate"):
        vector_epsilon(1.0, 0)
    with pytest.raises(ValueError, match="epsilon is positive"):
        vector_epsilon(-1.0, 3)


NULL, ALPHABET = 0, (0, 1, 2)
TEXTS = {n: list(itertools.product((1, 2), repeat=n)) for n in (1, 2, 3, 4)}


def response(epsilon: float, n: int) -> dict[tuple[int, ...], np.ndarray]:
    """P(output | text) of randomised response on each word; nulling a word is one change of one word."""
    outputs = list(itertools.product(ALPHABET, repeat=n))
    weight = {
        text: np.array([-epsilon * sum(a != b for a, b in zip(text, out, strict=True)) for out in outputs])
        for text in outputs
    }
    return {text: np.exp(w) / np.exp(w).sum() for text, w in weight.items()}


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
    listed = masks(n, rate, fixed=fixed)
    law = {
        text: sum(
            p * release[tuple(NULL if gone else w for w, gone in zip(text, mask, strict=True))] for mask, p in listed
        )
        for text in TEXTS[n]
    }
    pairs = [
        (x, y) for x, y in itertools.permutations(TEXTS[n], 2) if sum(a != b for a, b in zip(x, y, strict=True)) == 1
    ]
    return max(float(np.log(law[x] / law[y]).max()) for x, y in pairs)


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 5.0])
@pytest.mark.parametrize(("n", "dropped"), [(1, 0), (2, 1), (3, 1), (3, 2), (4, 2)])
def test_randomised_response_attains_both_bounds(epsilon: float, n: int, dropped: int) -> None:
    rate, release = dropped / n, response(epsilon, n)
    bernoulli, fixed = (largest_loss(release, n, rate, fixed=f) for f in (False, True))
    assert bernoulli == pytest.approx(dropout_bernoulli(epsilon, rate), rel=1e-9)
    assert fixed <= dropout_fixed_count(epsilon, rate) * (1 + 1e-12)
    if dropped == n - 1:
        assert fixed == pytest.approx(dropout_fixed_count(epsilon, rate), rel=1e-9)
    if dropped:
        assert fixed > dropout_bernoulli(epsilon, rate) * 1.01


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
    # One text scaled to (0, 1, ..., 1), another to (1, 0, ..., 0): every coordinate changes by 1.
    dim, epsilon = 6, 0.5
    x, y = np.ones(dim), np.zeros(dim)
    x[0], y[0] = 0, 1
    z = 10 * (x - y)
    assert epsilon * (np.abs(z - y) - np.abs(z - x)).sum() == pytest.approx(vector_epsilon(epsilon, dim))
    assert Laplace(vector_epsilon(epsilon, dim), L1Sensitivity(dim, Relation.LOCAL)).scale == 1 / epsilon
