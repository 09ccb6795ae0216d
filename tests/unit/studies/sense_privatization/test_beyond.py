"""The repaired choice on planted senses: what is drawn, how often it is the paper's choice, and what a word costs."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from trustnlp.embeddings.senses.sense_inventory import SenseInventory, hash_of
from trustnlp.privacy.text.private_sense_choice import PrivateSenseChoice
from trustnlp.privacy.text.sense_moves import moves_of
from trustnlp.studies.sense_privatization.beyond import drawn_senses, losses_of, share_as_chosen
from trustnlp.studies.sense_privatization.planted import chosen_senses
from trustnlp.studies.sense_privatization.standins import PlantedSenses, planted_contexts, planted_senses

PLANTED = planted_senses(np.random.default_rng(0), words=60, topics=4, dim=20)


def true_inventory(planted: PlantedSenses) -> SenseInventory:
    """One sense for each topic of a word: the topic's direction."""
    owner, topics = np.array([(row, topic) for row, own in enumerate(planted.topics) for topic in own]).T
    prior = 1 / np.bincount(owner)[owner]
    return SenseInventory(planted.vectors.words, owner, planted.centres[topics], prior, 0, hash_of(planted.vectors))


INVENTORY = true_inventory(PLANTED)
CONTEXTS = list(islice(planted_contexts(PLANTED, np.random.default_rng(1)), 60))


def test_senses_are_drawn_with_the_stated_chances() -> None:
    choice = PrivateSenseChoice(INVENTORY, PLANTED.vectors, 2.0)
    drawn = drawn_senses(CONTEXTS, choice, 500, np.random.default_rng(0)).reshape(60, 500)
    for context, senses in zip(CONTEXTS, drawn, strict=True):
        first = INVENTORY.senses_of(context.row).start
        chance = choice.probabilities(context.occurrence.tokens, context.occurrence.index)[0]
        assert abs((senses == first).mean() - chance) < 5 * np.sqrt(chance * (1 - chance) / 500)
        assert set(senses) <= {first, first + 1}


def test_with_a_large_budget_the_sense_is_that_of_the_paper() -> None:
    choice = PrivateSenseChoice(INVENTORY, PLANTED.vectors, 1e5)
    drawn = drawn_senses(CONTEXTS, choice, 1, np.random.default_rng(0))
    # Unit vectors in place of vectors: where the two senses are all but equally near, the two may differ.
    assert (drawn == chosen_senses(PLANTED, INVENTORY, CONTEXTS)).mean() > 0.95


def test_the_share_as_chosen_grows_from_the_prior_with_the_budget() -> None:
    texts = [context.occurrence.tokens for context in CONTEXTS]
    shares, prior, looked_at = share_as_chosen(texts, INVENTORY, PLANTED.vectors, [1e-6, 2.0, 20.0, 1e4])
    assert prior == 0.5 and shares[1e-6] == pytest.approx(0.5, abs=1e-4)
    assert sorted(shares.values()) == list(shares.values()) and shares[1e4] > 0.95
    assert 0 < looked_at < len(texts)


def test_losses_are_those_of_their_parts() -> None:
    queries = [context.occurrence for context in CONTEXTS[:20]]
    others = [PLANTED.vectors.words[(context.row + 7) % 60] for context in CONTEXTS[:20]]
    budgets = [0.1, 1.0, 1e9]
    found = losses_of(queries, others, INVENTORY, PLANTED.vectors, word_epsilon=2.0, sense_epsilon=3.0, budgets=budgets)
    moves = moves_of(queries, others, INVENTORY, PLANTED.vectors)
    np.testing.assert_allclose(found["word"], 2 * moves.apart)
    np.testing.assert_allclose(found["sense"], 3 * (moves.own + moves.neighbours))
    assert (found[0.1] <= found[1.0]).all() and (found[1.0] < found[1e9]).any()
    assert (found["sense"] <= found[1e9] + 1e-9).all(), "the repair with any budget is bounded by the worst moves"
    assert (found[1.0] - found[0.1] <= 10 * 0.9 + 1e-9).all(), "at most ten neighbours pay for the choice"
