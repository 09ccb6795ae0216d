"""Distances of senses and the separability of substitutes, where both are known."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from trustnlp.studies.sense_privatization.inventory import (
    LEAST_WORDS,
    least_margin,
    random_distances,
    sense_distances,
    separability,
)


def test_distances_between_the_senses_of_each_word() -> None:
    inventory: Any = SimpleNamespace(
        words=("one", "two", "three", "none"),
        owner=np.array([0, 1, 1, 2, 2, 2, 3]),
        matrix=np.array([[9, 9], [0, 0], [3, 4], [0, 0], [1, 0], [0, 1], [5, 5]], dtype=np.float32),
    )
    found = sense_distances(inventory)
    assert found.keys() == {2, 3}
    assert found[2].tolist() == [5]
    assert found[3].tolist() == pytest.approx([(2 + math.sqrt(2)) / 3])


def test_pairs_are_of_different_rows_and_all_pairs_come() -> None:
    drawn = random_distances(np.array([[0.0], [1.0], [5.0]]), 3000, np.random.default_rng(0))
    assert set(drawn.tolist()) == {1.0, 4.0, 5.0}
    assert drawn.mean() == pytest.approx(10 / 3, abs=0.15)
    with pytest.raises(ValueError, match="needs two rows and a pair"):
        random_distances(np.ones((1, 2)), 3, np.random.default_rng(0))


def test_the_margin_is_that_of_the_group_that_comes_nearest() -> None:
    distances = {2: np.full(LEAST_WORDS, 0.5), 3: np.full(LEAST_WORDS, 0.8), 9: np.full(LEAST_WORDS - 1, 7.0)}
    assert least_margin(distances, 1.0) == pytest.approx(np.full(LEAST_WORDS, 0.2))
    with pytest.raises(ValueError, match="no 20 words"):
        least_margin({2: np.ones(3)}, 1.0)


def test_sets_that_differ_are_told_apart_and_others_are_not() -> None:
    rng = np.random.default_rng(0)
    one, same = rng.normal(size=(2, 200, 5))
    assert separability(one, same + 3, rng) > 0.99
    assert 0.3 < separability(one, same, rng) < 0.7
    with pytest.raises(ValueError, match="needs four vectors"):
        separability(one[:3], same, rng)
