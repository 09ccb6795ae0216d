"""The re-implemented rule of wefe 1.0.1 against the values its own example gives, and against a permutation test."""

import numpy as np
import pytest

from trustnlp.bias import weat
from trustnlp.bias.association_tests.permutation import permutation_test
from trustnlp.studies.weat_measures.baselines import p_value_with_replacement

FEMALE = ["female", "woman", "girl", "sister", "she", "her", "hers", "daughter"]
MALE = ["male", "man", "boy", "brother", "he", "him", "his", "son"]


@pytest.fixture(scope="module")
def scores(googlenews, weat_tests):
    """Gender terms against arts and math: the kind of query the library documents."""
    test = weat_tests[7]
    return weat(googlenews, test=(FEMALE, MALE, test.Y, test.X), alternative="greater").scores


def test_two_sided_rule_depends_on_which_group_comes_first(scores):
    rng = np.random.default_rng(0)
    given = p_value_with_replacement(scores, 8, draws=20_000, rng=rng, two_sided=True)
    exchanged = p_value_with_replacement(np.roll(scores, 8), 8, draws=20_000, rng=rng, two_sided=True)
    assert exchanged == 1.0 > given + 0.5
    both = [permutation_test(s, 8, alternative="absolute").p_value for s in (scores, np.roll(scores, 8))]
    assert both[0] == both[1]


def test_drawing_with_replacement_is_another_distribution(scores):
    drawn = p_value_with_replacement(scores, 8, draws=200_000, rng=np.random.default_rng(0))
    exact = permutation_test(scores, 8, alternative="greater").p_value
    assert abs(drawn - exact) > 5 * np.sqrt(exact * (1 - exact) / 200_000)


def test_matches_the_obvious_loop():
    rng, twin = np.random.default_rng(3), np.random.default_rng(3)
    scores = np.array([0.3, 0.1, -0.2, 0.05])
    draws = twin.integers(4, size=(50, 4))
    hits = sum(scores[d[:2]].sum() - scores[d[2:]].sum() > 0.4 - -0.15 for d in draws)
    assert p_value_with_replacement(scores, 2, draws=50, rng=rng) == (hits + 1) / 51
