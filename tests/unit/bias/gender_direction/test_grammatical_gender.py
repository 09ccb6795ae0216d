"""Grammatical gender taken out of a direction: planted axes, Eq. of Zhou et al., and bad input."""

import numpy as np
import pytest
from refusals import assert_refused

from trustnlp.bias.gender_direction.grammatical_gender import grammatical_direction, without_direction

FEMININE, MASCULINE = [f"la{i}" for i in range(60)], [f"el{i}" for i in range(60)]


def nouns(rng: np.random.Generator, dim: int = 30) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Nouns with a grammatical axis, and a nuisance axis that varies more and tells nothing."""
    axis, nuisance = np.linalg.qr(rng.standard_normal((dim, 2)))[0].T
    vectors = {
        word: side * 1.5 * axis + 4 * rng.standard_normal() * nuisance + 0.5 * rng.standard_normal(dim)
        for side, words in ((1, FEMININE), (-1, MASCULINE))
        for word in words
    }
    return vectors, axis


def test_the_planted_axis_is_found_with_its_sign_in_spite_of_a_larger_nuisance():
    for seed in range(5):
        vectors, axis = nouns(np.random.default_rng(seed))
        assert grammatical_direction(vectors, [*FEMININE, "unknown"], MASCULINE) @ axis > 0.8
        assert grammatical_direction(vectors, MASCULINE, FEMININE) @ axis < -0.8


def test_what_is_left_is_orthogonal_and_of_unit_length():
    rng = np.random.default_rng(0)
    g, other = rng.standard_normal(20), 3 * rng.standard_normal(20)
    left = without_direction(g, other)
    assert left @ other == pytest.approx(0, abs=1e-12) and np.linalg.norm(left) == pytest.approx(1)
    unit = other / np.linalg.norm(other)
    by_hand = g - (g @ unit) * unit
    np.testing.assert_allclose(left, by_hand / np.linalg.norm(by_hand))


def test_what_is_refused():
    vectors, axis = nouns(np.random.default_rng(1))
    assert_refused(
        lambda f, m: grammatical_direction(vectors, f, m),
        [(FEMININE[:9], MASCULINE, "9 and 60 nouns"), ([*FEMININE, "el0"], MASCULINE, "on both lists, first 'el0'")],
    )
    assert_refused(
        without_direction,
        [(axis, 2 * axis, "nothing is left"), (axis, axis[:5], "one dimension"), (axis, 0 * axis, "one dimension")],
    )
