"""Averaged word vectors against loops over the words of each sentence."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.encoders.bag_of_words import BagOfWords, Coverage

WORDS = ("good", "Paris", "paris", "cast", "of")


def slow_average(texts: list[str], table: dict[str, list[float]], dim: int) -> list[list[float]]:
    means = []
    for text in texts:
        known = [
            table[token] if token in table else table[token.lower()]
            for token in text.split()
            if token in table or token.lower() in table
        ]
        means.append([math.fsum(v[i] for v in known) / len(known) if known else 0.0 for i in range(dim)])
    return means


tokens = st.sampled_from(["good", "Good", "Paris", "paris", "PARIS", "cast", "of", "unknown", ".", "n't"])


@given(st.lists(st.lists(tokens, max_size=6), max_size=6), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_averages_are_those_of_the_loop(texts, most_tokens, seed):
    sentences = [" ".join(text) for text in texts]
    matrix = np.random.default_rng(seed).standard_normal((len(WORDS), 3)).astype(np.float32)
    bag = BagOfWords(sentences, WORDS)
    expected = np.array(slow_average(sentences, dict(zip(WORDS, matrix.tolist(), strict=True)), 3)).reshape(-1, 3)
    assert bag.average(matrix).dtype == np.float32
    np.testing.assert_allclose(bag.average(matrix), expected, atol=1e-6)
    asked: list[int] = []

    def draw(rows: np.ndarray) -> np.ndarray:
        asked.extend(rows)
        return matrix[rows]

    if len(bag.rows):
        np.testing.assert_allclose(bag.average_draws(draw, most_tokens), expected, atol=1e-6)
    assert asked == bag.rows.tolist()


def test_words_are_looked_up_as_they_stand_then_in_lower_case():
    bag = BagOfWords(["Paris paris PARIS Good OF xyz", "", "?"], WORDS)
    assert bag.rows.tolist() == [1, 2, 2, 0, 4]
    assert bag.coverage == Coverage(tokens=7, known=5)
    assert bag.coverage.share_known == 5 / 7
    assert len(bag) == 3


def test_every_occurrence_has_its_own_draw_in_one_way_and_none_in_the_other():
    """A word twice: noise of one draw per word stays, noise of two draws averages out."""
    bag = BagOfWords(["good good"] * 4000, WORDS)
    rng = np.random.default_rng(0)
    per_word = bag.average(rng.standard_normal((len(WORDS), 1)))
    per_token = bag.average_draws(lambda rows: rng.standard_normal((len(rows), 1)), most_tokens=999)
    assert np.unique(per_word).size == 1
    assert per_token.var() == pytest.approx(0.5, abs=0.05)


def test_pieces_hold_no_more_tokens_than_asked_for_unless_a_sentence_does():
    bag = BagOfWords(["good " * n for n in (3, 2, 2, 9, 0, 1)], WORDS)
    sizes: list[int] = []

    def draw(rows: np.ndarray) -> np.ndarray:
        sizes.append(len(rows))
        return np.ones((len(rows), 1))

    np.testing.assert_allclose(bag.average_draws(draw, 5)[:, 0], [1, 1, 1, 1, 0, 1])
    assert sizes == [5, 2, 9, 1]
    sizes.clear()
    few = BagOfWords(["?", "good", "?", "", "cast of", "?"], WORDS)
    assert few.average_draws(draw, most_tokens=1)[:, 0].tolist() == [0, 1, 0, 0, 1, 0]
    assert sizes == [1, 2]  # a piece without known words is not drawn for


def test_tables_of_another_size_are_refused():
    bag = BagOfWords(["good cast"], WORDS)
    ones = np.ones((2, 2))
    cases = [
        (lambda: bag.average(np.ones((4, 2))), r"one row per word, shape \(5, d\), got \(4, 2\)"),
        (lambda: bag.average_draws(lambda rows: ones[:1]), r"one row per token asked for, .* got \(1, 2\)"),
        (lambda: bag.average_draws(lambda rows: ones, most_tokens=0), "most_tokens must be at least 1"),
        (lambda: BagOfWords(["?", "??"], WORDS).average_draws(np.ones), "none of the 2 tokens is known"),
        (lambda: BagOfWords([], ["a", "a"]), "2 words, but only 1 distinct"),
        (lambda: BagOfWords("good", WORDS), TypeError, "got the single string 'good'"),
    ]
    assert_refused(lambda action: action(), cases)
