"""The sense mechanism, and what a changed word may reveal through its neighbours."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from scipy import stats

from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.privacy.text.sense_substitution import NearestSense
from trustnlp.privacy.text.text_guarantee import TextGuarantee


def inventory(matrix: object) -> SenseInventory:
    """Three words: the first with two senses, the second with one, the third with two."""
    return SenseInventory(
        words=("bank", "river", "spring"),
        owner=np.array([0, 0, 1, 2, 2]),
        matrix=np.array(matrix, dtype=np.float32),
        prior=np.array([0.7, 0.3, 1.0, 0.5, 0.5]),
        dropped=0,
        vectors_hash="made up",
    )


LINE = [[1.0], [2.0], [2.5], [4.0], [7.0]]


def test_senses_are_perturbed_and_words_released() -> None:
    mechanism = NearestSense(inventory(np.eye(5)), epsilon=200.0)
    rows = torch.tensor([4, 0, 1, 2, 3])
    assert mechanism.size == 5
    assert torch.equal(mechanism(rows, generator=torch.Generator().manual_seed(0)), rows)
    assert mechanism.words_of(rows).tolist() == [2, 0, 0, 1, 2]
    assert str(mechanism.guarantee) == "(200, 0)-differential privacy, per unit of distance, L2 sensitivity 1"


def released(points: np.ndarray, epsilon: float) -> np.ndarray:
    """`(S, 3)` exact chances of the released words, for senses on a line in ascending order."""
    borders = np.concatenate([[-np.inf], (points[1:] + points[:-1]) / 2, [np.inf]])
    senses = np.diff(stats.laplace(points[:, None], 1 / epsilon).cdf(borders[None, :]), axis=1)
    return np.stack([senses[:, :2].sum(axis=1), senses[:, 2], senses[:, 3:].sum(axis=1)], axis=1)


def test_no_text_reveals_more_than_the_moved_senses_allow() -> None:
    """The worst of all texts of three words, for all pairs of choices of senses, against the derived bound."""
    epsilon = 1.1
    points = np.array(LINE)[:, 0]
    mechanism, chances = NearestSense(inventory(LINE), epsilon), np.log(released(points, epsilon))
    tightest = 0.0
    for before, after in itertools.combinations(itertools.product(range(5), repeat=3), 2):
        # Positions are drawn by themselves: the largest sum is the sum of the largest, and likewise the least.
        ratios = chances[list(before)] - chances[list(after)]
        losses = [ratios.max(axis=1).sum(), -ratios.min(axis=1).sum()]
        moved = np.abs(points[list(before)] - points[list(after)])
        bound = TextGuarantee(mechanism.guarantee, 3, 2, "mask").loss_bound(moved)
        assert max(losses) <= bound + 1e-9
        tightest = max(tightest, max(losses) / bound)
    assert tightest > 0.95


def test_bad_rows() -> None:
    with pytest.raises(ValueError, match="lie between 0 and 4"):
        NearestSense(inventory(LINE), 2.0).words_of(torch.tensor([5]))
