"""Analogies by vector offset: planted truth, an obvious loop as oracle, and what setting words aside does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.embeddings.analogies import (
    GENDER_PAIRS,
    analogy,
    margin,
    neighbours_answered,
    offset_length,
    pairs_answered,
    planted_pairs,
)
from trustnlp.embeddings.static import WordVectors


def rng(seed=0):
    return np.random.default_rng(seed)


def by_hand(vectors, a, b, c, exclude):
    """The paper's formula as one loop over the words."""
    unit = {word: vectors[word].astype(float) / np.linalg.norm(vectors[word].astype(float)) for word in vectors}
    y = unit[b] - unit[a] + unit[c]
    cosines = {word: unit[word] @ y / np.linalg.norm(y) for word in unit if not (exclude and word in (a, b, c))}
    return sorted(cosines.items(), key=lambda item: -item[1])


@given(st.integers(0, 10**6), st.booleans())
def test_answers_are_those_of_the_obvious_loop(seed, exclude):
    vectors = WordVectors(list("abcdefgh"), rng(seed).standard_normal((8, 5)) * 3, "random")
    found = analogy(vectors, "a", "b", "c", k=4, exclude_question=exclude)
    expected = by_hand(vectors, "a", "b", "c", exclude)
    assert [word for word, _ in found] == [word for word, _ in expected[:4]]
    np.testing.assert_allclose([cosine for _, cosine in found], [cosine for _, cosine in expected[:4]], atol=1e-5)
    for word in "defgh":
        rivals = [cosine for other, cosine in expected if other != word]
        ahead = dict(expected)[word] - max(rivals)
        assert margin(vectors, "a", "b", "c", word, exclude_question=exclude) == pytest.approx(ahead, abs=1e-5)


def test_a_long_planted_offset_is_recovered_with_and_without_the_question_words():
    vectors, pairs = planted_pairs(40, dim=200, length=1.0, rival=0.6, noise=0.0, rng=rng())
    for exclude in (True, False):
        assert pairs_answered(vectors, pairs[1:], base=pairs[0], exclude_question=exclude).all()
    assert not neighbours_answered(vectors, pairs).any()  # the near relative is nearer


def test_a_short_planted_offset_needs_the_question_words_set_aside_and_no_relation():
    vectors, pairs = planted_pairs(40, dim=200, length=0.2, rival=0.6, noise=0.3, rng=rng())
    assert pairs_answered(vectors, pairs[1:], base=pairs[0]).all()
    # y holds x_c, and with it all that is c's alone: a partner that shares only the offset cannot be closer.
    strict = [analogy(vectors, *pairs[0], c, exclude_question=False)[0][0] for c, _ in pairs[1:]]
    assert strict == [c for c, _ in pairs[1:]]
    assert neighbours_answered(vectors, pairs).all()


def test_planted_vectors_follow_their_generator_and_nothing_else():
    first, again, other = (
        planted_pairs(5, dim=7, length=1.0, rival=0.5, noise=0.2, rng=rng(seed))[0].matrix for seed in (3, 3, 4)
    )
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_the_planted_offset_has_the_length_asked_for():
    vectors, pairs = planted_pairs(3, dim=400, length=0.75, rival=0.5, noise=0.0, rng=rng())
    for he, she in pairs:
        assert np.linalg.norm(vectors[she] - vectors[he]) == pytest.approx(0.75, rel=1e-5)
    at_right_angles = WordVectors(["a", "b", "c"], [[2, 0], [0, 3], [5, 0]], "angles")
    np.testing.assert_allclose(offset_length(at_right_angles, [("a", "b"), ("a", "c")]), [np.sqrt(2), 0.0])


def test_what_cannot_be_planted_is_refused():
    def attempt(changed):
        planted_pairs(**{"n_pairs": 5, "dim": 3, "length": 1.0, "rival": 1.0, "noise": 0.0, **changed}, rng=rng())

    wrong = {"n_pairs": 1, "dim": 0, "length": 0.0, "rival": 0.0, "noise": -1.0}
    assert_refused(
        attempt,
        [({name: value}, "expected n_pairs ≥ 2") for name, value in wrong.items()],
    )


def test_unknown_words_and_impossible_answers_are_named():
    vectors = WordVectors(["a", "b", "c"], np.eye(3), "three")
    with pytest.raises(KeyError, match="'x'"):
        analogy(vectors, "a", "b", "x")
    with pytest.raises(ValueError, match="'c' is a word of the question"):
        margin(vectors, "a", "b", "c", "c")


def test_the_papers_example_on_real_vectors(googlenews):
    assert all(word in googlenews for pair in GENDER_PAIRS for word in pair)
    nearest = analogy(googlenews, "man", "woman", "king", k=2, exclude_question=False)
    assert [word for word, _ in nearest] == ["king", "queen"]
    assert analogy(googlenews, "man", "woman", "king")[0] == ("queen", pytest.approx(0.7118, abs=5e-5))
