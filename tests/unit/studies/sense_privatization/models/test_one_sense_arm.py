"""One candidate a word: the sense that is looked up, or any other one."""

from __future__ import annotations

import numpy as np
import torch
from refusals import assert_refused

from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.studies.sense_privatization.models import one_sense_a_word

INVENTORY = SenseInventory(
    words=("a", "b", "c"),
    owner=np.array([0, 0, 1, 2, 2, 2]),
    matrix=np.arange(1, 7, dtype=np.float32)[:, None],
    prior=np.array([0.5, 0.5, 1, 0.4, 0.3, 0.3]),
    dropped=0,
    vectors_hash="made up",
)


def test_queried_words_have_the_sense_that_is_looked_up_and_others_a_random_one() -> None:
    seen = set()
    for seed in range(60):
        arm = one_sense_a_word(INVENTORY, [1], np.random.default_rng(seed))
        assert torch.equal(arm.owner, torch.arange(3)) and arm.table[0] == 2 and arm.table[1] == 3
        seen.add(float(arm.table[2]))
    assert seen == {4.0, 5.0, 6.0}


def test_a_word_is_queried_once() -> None:
    assert_refused(
        lambda senses: one_sense_a_word(INVENTORY, senses, np.random.default_rng(0)), [([0, 1], "query each word once")]
    )
