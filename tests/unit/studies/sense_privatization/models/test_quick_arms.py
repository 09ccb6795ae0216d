"""Quick arms draw what arms draw, and the ε of a resample lies where that of all words does."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trustnlp.privacy.noise.randomness import mixed_generator
from trustnlp.studies.sense_privatization.deniability import Curves, calibrated
from trustnlp.studies.sense_privatization.models import (
    Arm,
    QuickArm,
    calibrations,
    draw_queries,
    resampled_epsilon,
    words_and_senses,
)
from trustnlp.studies.sense_privatization.standins import planted_senses

VECTORS = planted_senses(np.random.default_rng(0)).vectors


@pytest.mark.parametrize("epsilon", [3.0, 60.0, 1000.0])
def test_substitutes_are_those_of_the_arm(epsilon: float) -> None:
    owner = torch.arange(len(VECTORS)) // 2
    rows = torch.randint(len(VECTORS), (5000,), generator=torch.Generator().manual_seed(0))
    slow, quick = (
        kind(torch.tensor(VECTORS.matrix), owner).at(epsilon, mixed_generator([1]))(rows) for kind in (Arm, QuickArm)
    )
    assert torch.equal(slow, quick)


def test_an_arm_searches_one_table_at_all_epsilons() -> None:
    arm = QuickArm(torch.tensor(VECTORS.matrix), torch.arange(len(VECTORS)))
    assert arm.search is arm.search


def test_both_arms_are_calibrated_on_the_same_words() -> None:
    pytest.importorskip("numba")
    from trustnlp.embeddings.senses.sense_induction import induce_senses

    inventory = induce_senses(VECTORS, seed=0)
    sentences = [list(VECTORS.words[start : start + 7]) for start in range(0, 700, 7)]
    asked = draw_queries(sentences, VECTORS, 30, np.random.default_rng(0))
    grid = [2.0, 10.0, 50.0, 100.0, 300.0]
    found = calibrations(words_and_senses(VECTORS, inventory), asked, inventory, VECTORS, grid, 40)
    assert set(found) == {"word", "sense"}
    for of_arm in found.values():
        assert of_arm.kept.shape == (5, 30)
        several = [resampled_epsilon(of_arm, 0.9, seed) for seed in range(5)]
        assert len(set(several)) > 1 and min(several) < 1.3 * calibrated(of_arm, 0.9) < 1.3**2 * max(several)
        assert several == [resampled_epsilon(of_arm, 0.9, seed) for seed in range(5)]


def test_curves_that_never_reach_one_half_set_no_epsilon() -> None:
    flat = np.zeros((3, 10))
    with pytest.raises(ValueError, match=r"passes one half for the 0\.9 quantile of the words at no ε of \[1"):
        resampled_epsilon(Curves(np.array([1.0, 2.0, 4.0]), flat, flat), 0.9, 0)
