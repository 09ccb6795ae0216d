"""Distances of senses and the separability of substitutes, where both are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from planted_inventory import inventory_of

from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization.inventory import (
    LEAST_WORDS,
    figure_1,
    random_distances,
    sense_distances,
    separability,
)


def test_distances_between_the_senses_of_each_word() -> None:
    words = WordVectors(["one", "two", "three", "none"], np.ones((4, 2)), "four")
    senses = [[[9, 9]], [[1, 1], [4, 5]], [[1, 1], [2, 1], [1, 2]], [[5, 5]]]
    found = sense_distances(inventory_of(words, senses))
    assert found.keys() == {2, 3}
    assert found[2].tolist() == [5]
    assert found[3].tolist() == pytest.approx([(2 + math.sqrt(2)) / 3])


def test_pairs_are_of_different_rows_and_all_pairs_come() -> None:
    drawn = random_distances(np.array([[0.0], [1.0], [5.0]]), 3000, np.random.default_rng(0))
    assert set(drawn.tolist()) == {1.0, 4.0, 5.0}
    assert drawn.mean() == pytest.approx(10 / 3, abs=0.15)


def test_the_margin_is_that_of_the_group_that_comes_nearest() -> None:
    within = {2: np.full(LEAST_WORDS, 0.5), 3: np.full(LEAST_WORDS, 0.8), 9: np.full(LEAST_WORDS - 1, 7.0)}
    measured = {key: mean for key, (mean, _) in figure_1(np.array([0.9, 1.1]), within).items()}
    assert measured == pytest.approx({"between": 1, "margin": 0.2, "senses2": 0.5, "senses3": 0.8})


def test_sets_that_differ_are_told_apart_and_others_are_not() -> None:
    rng = np.random.default_rng(0)
    one, same = rng.normal(size=(2, 200, 5))
    assert separability(one, same + 3, rng) > 0.99
    assert 0.3 < separability(one, same, rng) < 0.7
