"""The guarantee is broken by a text of two words: by exact chances, and by the mechanism itself."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trustnlp.embeddings.senses.disambiguation import choose_senses
from trustnlp.privacy.text.sense_substitution import NearestSense
from trustnlp.studies.sense_privatization.checks import APART, broken_guarantee, line_of_words, released_words


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 20.0])
def test_what_is_reached_is_what_the_moved_senses_allow(epsilon: float) -> None:
    """Both senses of bank are hit from outside, so the neighbour's loss is exactly ε times their distance."""
    vectors, inventory = line_of_words()
    found = broken_guarantee(epsilon)
    assert found.promised == pytest.approx(epsilon * APART)
    before, after = (choose_senses(inventory, vectors, [word, "bank"]) for word in ("left", "right"))
    assert before.tolist() == [0, 2] and after.tolist() == [1, 3]
    bound = NearestSense(inventory, epsilon).moved_loss(before, after)
    assert 2 * epsilon <= found.reached <= bound * (1 + 1e-6) and found.reached > 1000 * found.promised


def test_the_chances_are_those_of_the_mechanism() -> None:
    _, inventory = line_of_words()
    mechanism = NearestSense(inventory, 1.0)
    for sense in (0, 2, 3):
        chances = released_words(inventory, sense, 1.0)
        assert chances.sum() == pytest.approx(1)
        rows = torch.full((40_000,), sense)
        words = mechanism.words_of(mechanism(rows, generator=torch.Generator().manual_seed(sense)))
        share = np.bincount(words.numpy(), minlength=5) / 40_000
        assert (np.abs(share - chances) < 5 * np.sqrt(chances * (1 - chances) / 40_000)).all()
