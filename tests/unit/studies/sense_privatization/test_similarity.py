"""Cosines of substitutes, correlations and gaps, where they are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from planted_inventory import two_ways

from trustnlp.data.words.similarity_sets import RatedPair
from trustnlp.data.words.words_in_context import ContextPair, Occurrence
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization import similarity
from trustnlp.studies.sense_privatization.deniability import resampled

VECTORS = WordVectors(["a", "b", "c"], [[1, 0], [0, 2], [3, 3]], "three")


def test_pairs_with_a_word_that_has_no_vector_are_left_out_and_counted() -> None:
    context = (Occurrence(("An", "A", "b"), 1), Occurrence(("C",), 0))
    alone = [RatedPair("a", other, rating, None, None) for other, rating in (("B", 3.0), ("z", 9.0))]
    found = similarity.rated([*alone, RatedPair("a", "c", 5.0, None, context)], VECTORS)
    assert [first.token for first in found.first] == ["a", "a"] and [s.token for s in found.second] == ["b", "c"]
    assert found.first[1].tokens == ("an", "a", "b") and found.value.tolist() == [3.0, 5.0]
    pair = ContextPair("a", "n", Occurrence(("A", "b"), 0), Occurrence(("x", "a"), 1), same=True)
    assert similarity.in_context([pair], VECTORS).value.tolist() == [1.0]


def test_cosines_of_substitutes_and_whether_they_are_one_word() -> None:
    space = torch.tensor(VECTORS.matrix)
    shifted = similarity.substituted_cosines(
        lambda rows: (rows + 1) % 3, torch.tensor([0, 2]), torch.tensor([1, 2]), space, 2
    )
    assert shifted[0] == pytest.approx(np.array([[np.sqrt(0.5)] * 2, [1, 1]]))
    assert shifted[1].tolist() == [[0, 0], [1, 1]]


def test_pooling_keeps_the_noise_that_averaging_takes_away() -> None:
    rng = np.random.default_rng(0)
    ratings = np.arange(200.0)
    cosines = ratings[:, None] / 200 + rng.normal(0, 1, (200, 25))
    assert 0.15 < similarity.pooled(cosines, ratings) < 0.4 < 0.7 < similarity.of_means(cosines, ratings)
    assert similarity.pooled(ratings[:, None], ratings) == pytest.approx(1)


def test_the_gap_leaves_out_equal_substitutes_and_its_interval_holds_it() -> None:
    same = np.repeat([1.0, 0.0], 300)
    cosines = np.random.default_rng(0).normal(0.2, 0.1, (600, 5)) + 0.1 * same[:, None]
    equal = np.zeros_like(cosines)
    cosines[:, 0], equal[:, 0] = 1.0, 1.0
    chosen = resampled(600, 300, np.random.default_rng(0))
    assert similarity.means_by_meaning(cosines, equal, same, chosen)[0] == pytest.approx([0.3, 0.2], abs=0.01)
    for meanings, truth in ((same, 0.1), (np.tile([1.0, 0.0], 300), 0.0)):
        one, two = similarity.means_by_meaning(cosines, equal, meanings, chosen).T
        gap, *others = one - two
        low, high = np.quantile(others, [0.025, 0.975])
        assert low < gap < high and low < truth < high and high - low < 0.03


@pytest.mark.parametrize(
    ("difference", "interval", "expected"),
    [
        (0.01, (0.005, 0.015), (0.01, 0.005, 0.015)),
        (-0.01, (-0.015, -0.005), (0.01, 0.005, 0.015)),
        (0.001, (-0.03, 0.032), (0.019, -0.012, 0.02)),  # too uncertain for either answer
        (0.001, (-0.01, 0.012), (0.019, 0.008, 0.02)),
        (-0.05, (-0.06, -0.04), (-0.03, -0.04, -0.02)),
    ],
)
def test_almost_identical_needs_the_whole_interval_inside(difference, interval, expected) -> None:
    margin, around = similarity.alike(difference, interval)
    assert [margin, *around] == pytest.approx(expected)


def test_without_context_senses_are_those_of_the_largest_prior() -> None:
    inventory, vectors = two_ways()
    inventory = replace(inventory, prior=np.array([1, 1, 0.6, 0.4, 0.5, 0.5, 1]))
    by_money = (Occurrence(("money", "bank"), 1), Occurrence(("river",), 0))
    pairs = similarity.rated([RatedPair("bank", "river", 1.0, None, by_money)], vectors)
    looked_up = {
        arm: [int(rows[0]) for rows in similarity.rows_of(arm, pairs, inventory, vectors)]
        for arm in ("sense", "prior", "word")
    }
    assert looked_up == {"sense": [3, 0], "prior": [2, 0], "word": [2, 0]}
