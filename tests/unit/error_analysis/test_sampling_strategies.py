"""Strategies by hand, what each learns from, and precision at k with ties."""

from __future__ import annotations

import numpy as np
import pytest
from counted_tables import counted_features, planted_errors
from hypothesis import given
from hypothesis import strategies as st
from refusals import assert_refused

from trustnlp.error_analysis.sampling_strategies import (
    STRATEGIES,
    UNCERTAINTY,
    BaseOutput,
    error_counts,
    label_order,
    score_texts,
)

P = np.array([[0.5, 0.3, 0.2], [0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.4, 0.3, 0.3]])


def pool_of(texts: int, seed: int = 0, *, informative: str = "features") -> BaseOutput:
    """Errors hang on a feature, or on the label that was predicted."""
    rng = np.random.default_rng(seed)
    table = counted_features(texts, 6, 0.4, rng)
    predicted = rng.integers(0, 3, size=texts)
    probabilities = np.eye(3)[predicted] * 0.4 + rng.dirichlet([5, 5, 5], size=texts) * 0.6
    if informative == "features":
        wrong = planted_errors(table, 0.9, 0.2, rng)
    else:
        wrong = rng.random(texts) < np.array([0.1, 0.5, 0.9])[predicted]
    return BaseOutput(table, predicted, probabilities, wrong)


def test_uncertainty_by_hand() -> None:
    assert UNCERTAINTY["least_confidence"](P) == pytest.approx([0.5, 0.5, 0, 0.6])
    assert UNCERTAINTY["margin"](P) == pytest.approx([-0.2, 0, -1, -0.1])
    expected = [-sum(p * np.log(p) for p in row if p > 0) for row in P]
    assert UNCERTAINTY["entropy"](P) == pytest.approx(expected)
    # The three agree on what is certain and on nothing else.
    assert [int(score(P).argmax()) for score in UNCERTAINTY.values()] == [3, 1, 3]


def test_each_learns_from_its_own_columns() -> None:
    """What hangs on a feature the features find, what hangs on the predicted label the base's word finds."""
    for informative, good, blind in (("features", "aec", "predicted_class"), ("labels", "predicted_class", "aec")):
        labelled, pool = pool_of(600, 2, informative=informative), pool_of(600, 3, informative=informative)
        assert pool.wrong is not None
        found = {}
        for strategy in (good, blind, "aec_with_probabilities", "oracle"):
            rng = np.random.default_rng(0)
            scores = score_texts(strategy, pool, labelled=labelled, learner="shallow_tree", rng=rng)
            [found[strategy]] = error_counts(scores, pool.wrong, [100], rng=rng)
        assert found["oracle"] == 100
        assert found[good] > 75 and found[good] > found[blind] + 20
        assert found["aec_with_probabilities"] > found[blind] + 10


def test_the_pool_keeps_its_secret() -> None:
    """Only the oracle changes with the pool's errors."""
    labelled, pool = pool_of(200, 0), pool_of(80, 1)
    assert pool.wrong is not None
    other = BaseOutput(pool.features, pool.predicted, pool.probabilities, ~pool.wrong)
    for strategy in STRATEGIES:
        one, two = (
            score_texts(strategy, each, labelled=labelled, learner="shallow_tree", rng=np.random.default_rng(0))
            for each in (pool, other)
        )
        assert (one == two).all() == (strategy != "oracle")


@given(seed=st.integers(0, 1000))
def test_counts_are_those_of_the_plain_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, wrong = rng.permutation(30).astype(float), rng.random(30) < 0.4
    order = sorted(range(30), key=lambda row: -scores[row])
    assert label_order(scores, rng=rng).tolist() == order
    counts = error_counts(scores, wrong, range(1, 31), rng=rng)
    assert counts.tolist() == [sum(bool(wrong[row]) for row in order[:k]) for k in range(1, 31)]


def test_ties_are_not_broken_by_the_order_of_the_file() -> None:
    """All scores equal, errors first: the file's order would find ten of ten."""
    wrong = np.arange(100) < 50
    found = [int(error_counts(np.zeros(100), wrong, [10], rng=np.random.default_rng(s))[0]) for s in range(200)]
    assert np.mean(found) == pytest.approx(5, abs=0.4)


def test_bad_input_is_explained() -> None:
    pool, rng = pool_of(40), np.random.default_rng(0)
    bare = BaseOutput(pool.features, pool.predicted)
    assert_refused(
        lambda call: call(),
        [
            (lambda: score_texts("uncertain", pool, rng=rng), "called 'uncertain'; there are random, oracle"),
            (lambda: score_texts("oracle", bare, rng=rng), "needs to know where the base errs"),
            (lambda: score_texts("margin", bare, rng=rng), "needs the base's probabilities, and the base gives none"),
            (lambda: score_texts("aec", pool, rng=rng), "aec learns where the base errs: give `labelled`"),
            (lambda: error_counts(np.zeros(39), pool.wrong, [1], rng=rng), "as many scores as flags"),
            (lambda: error_counts(np.zeros(40), pool.wrong, [10, 41], rng=rng), "k is 41; .* of 40 texts takes a k"),
            (lambda: error_counts(np.full(40, np.nan), pool.wrong, [1], rng=rng), "40 of 40 scores are NaN"),
        ],
    )
