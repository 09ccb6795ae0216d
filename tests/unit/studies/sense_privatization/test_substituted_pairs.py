"""Cosines of substitutes, correlations and gaps, where they are known."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trustnlp.data.similarity_sets import RatedPair
from trustnlp.data.words_in_context import ContextPair, Occurrence
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization.substituted_pairs import (
    gap,
    in_context,
    mean_by_meaning,
    of_means,
    pooled,
    rated,
    substituted_cosines,
)

VECTORS = WordVectors(["a", "b", "c"], [[1, 0], [0, 2], [3, 3]], "three")


def test_pairs_with_a_word_that_has_no_vector_are_left_out_and_counted() -> None:
    context = (Occurrence(("An", "A", "b"), 1), Occurrence(("C",), 0))
    alone = [RatedPair("a", other, rating, None, None) for other, rating in (("B", 3.0), ("z", 9.0))]
    found = rated([*alone, RatedPair("a", "c", 5.0, None, context)], VECTORS)
    assert [first.token for first in found.first] == ["a", "a"] and [s.token for s in found.second] == ["b", "c"]
    assert found.first[1].tokens == ("an", "a", "b") and found.value.tolist() == [3.0, 5.0] and found.lacking == 1
    pair = ContextPair("a", "n", Occurrence(("A", "b"), 0), Occurrence(("x", "a"), 1), same=True)
    assert in_context([pair], VECTORS).value.tolist() == [1.0]


def test_cosines_of_substitutes_and_whether_they_are_one_word() -> None:
    space = torch.tensor(VECTORS.matrix)
    shifted = substituted_cosines(lambda rows: (rows + 1) % 3, torch.tensor([0, 2]), torch.tensor([1, 2]), space, 2)
    assert shifted[0] == pytest.approx(np.array([[np.sqrt(0.5)] * 2, [1, 1]]))
    assert shifted[1].tolist() == [[0, 0], [1, 1]]


def test_pooling_keeps_the_noise_that_averaging_takes_away() -> None:
    rng = np.random.default_rng(0)
    ratings = np.arange(200.0)
    cosines = ratings[:, None] / 200 + rng.normal(0, 1, (200, 25))
    assert 0.15 < pooled(cosines, ratings) < 0.4 < 0.7 < of_means(cosines, ratings)
    assert pooled(ratings[:, None], ratings) == pytest.approx(1)


def test_the_gap_leaves_out_equal_substitutes_and_its_interval_holds_it() -> None:
    rng = np.random.default_rng(0)
    same = np.repeat([1.0, 0.0], 300)
    cosines = rng.normal(0.2, 0.1, (600, 5)) + 0.1 * same[:, None]
    equal = np.zeros_like(cosines)
    cosines[:, 0], equal[:, 0] = 1.0, 1.0
    one, other = mean_by_meaning(cosines, equal, same)
    assert one == pytest.approx(0.3, abs=0.01) and other == pytest.approx(0.2, abs=0.01)
    found, low, high = gap(cosines, equal, same, 300)
    assert found == one - other and low < found < high and high - low < 0.03
    _, low, high = gap(cosines, equal, np.tile([1.0, 0.0], 300), 300)
    assert low < 0 < high
