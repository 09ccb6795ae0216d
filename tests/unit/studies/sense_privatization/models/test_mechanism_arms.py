"""The four arms on planted senses: what they look up, and that noise of no size returns the word."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.sense_induction import induce_senses
from trustnlp.privacy.noise.randomness import mixed_generator
from trustnlp.studies.sense_privatization.inventory import described, senses_apart, told_apart, two_contexts
from trustnlp.studies.sense_privatization.models import ARMS, arms_of, budgets, draw_queries, rows_for
from trustnlp.studies.sense_privatization.standins import planted_senses

PLANTED = planted_senses(np.random.default_rng(0))
VECTORS = PLANTED.vectors
SENTENCES = [["a", "b"], *(list(VECTORS.words[start : start + 7]) for start in range(0, 700, 7))]


@pytest.fixture(scope="module")
def inventory():
    pytest.importorskip("numba")
    return induce_senses(VECTORS, seed=0)


def test_queries_are_different_words_at_their_places() -> None:
    found = draw_queries(SENTENCES, VECTORS, 50, np.random.default_rng(0))
    assert len({query.token for query in found}) == 50
    assert all(len(query.tokens) == 7 and query.token in VECTORS for query in found)
    with pytest.raises(ValueError, match="100 words to query in 101 sentences, 101 were asked for"):
        draw_queries(SENTENCES, VECTORS, 101, np.random.default_rng(0))


def test_with_hardly_any_noise_words_come_back_and_every_arm_answers(inventory) -> None:
    arms = arms_of(VECTORS, inventory)
    asked = draw_queries(SENTENCES, VECTORS, 40, np.random.default_rng(0))
    words = rows_for("word", asked, inventory, VECTORS)
    assert [VECTORS.words[row] for row in words] == [query.token for query in asked]
    assert tuple(arms) == ARMS
    for name, arm in arms.items():
        rows = rows_for(name, asked, inventory, VECTORS)
        assert torch.equal(arm.owner[rows], words)
        drawn = arm.at(1e6, mixed_generator([0]))(rows)
        # A sense's vector may be another word's sense's too, where two words have the same neighbours.
        assert (drawn == words).double().mean() > (0.95 if name in ("sense", "average") else 0.999)
    unknown = [Occurrence(("nowhere",), 0)]
    with pytest.raises(ValueError, match="'nowhere' has no vector"):
        rows_for("word", unknown, inventory, VECTORS)


def test_budgets_keep_to_their_rule(inventory) -> None:
    arms = {"word": arms_of(VECTORS, inventory)["word"]}
    asked = draw_queries(SENTENCES, VECTORS, 40, np.random.default_rng(0))
    grid = [2.0, 10.0, 50.0, 100.0, 300.0]
    strict, loose = (
        budgets(arms, asked, inventory, VECTORS, quantile=q, epsilons=grid, draws=60)["word"] for q in (0.9, 0.5)
    )
    assert 2 < strict < loose < 300


def test_two_contexts_of_a_planted_word_get_two_senses_that_tell_the_substitutes_apart(inventory) -> None:
    two = two_contexts(VECTORS)
    assert two[0].token == two[1].token and senses_apart(two, inventory, VECTORS) > 0.2
    assert len(described(two, inventory, VECTORS)) == 2
    arms, space = arms_of(VECTORS, inventory), torch.tensor(VECTORS.matrix)
    share = {
        name: told_apart(
            arms[name].at(60.0, mixed_generator([1])),
            rows_for(name, two, inventory, VECTORS),
            space,
            60,
            np.random.default_rng(0),
        )
        for name in ("word", "sense")
    }
    assert share["sense"] > 0.8 > 0.7 > share["word"]
