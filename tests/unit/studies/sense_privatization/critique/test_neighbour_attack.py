"""The attack on neighbours: exact odds, the word mechanism, planted senses, and no share above the bound."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from planted_inventory import by_table, two_ways

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.sense_induction import induce_senses
from trustnlp.studies.sense_privatization.critique.attackers import attack, most_right
from trustnlp.studies.sense_privatization.critique.guarantee import moves_of
from trustnlp.studies.sense_privatization.models import arms_of
from trustnlp.studies.sense_privatization.standins import planted_contexts, planted_senses

# Rows of the senses in `two_ways`: river, money, two of bank, two of bat, by.
TEXT = ("river", "bank", "by", "bat")


def table(first: float, second: float) -> np.ndarray:
    """Senses of bank and bat become word 0 with chance `first` or `second` by their direction, else word 1."""
    found = np.zeros((7, 5))
    found[[2, 4]] = [first, 1 - first, 0, 0, 0]
    found[[3, 5]] = [second, 1 - second, 0, 0, 0]
    found[[0, 1, 6], [0, 1, 4]] = 1
    return found


def test_the_share_is_that_of_the_likelier_word_over_all_neighbours():
    inventory, vectors = two_ways()
    queries = [Occurrence(TEXT[:2], 0), Occurrence(TEXT, 0), Occurrence(("river", "by"), 0)]
    found = attack(queries, ["money"] * 3, by_table(table(0.8, 0.3)), 40_000, inventory, vectors)
    assert found.flips.tolist() == [1, 2, 0] and found.attacked == 20_000
    one = np.outer([0.8, 0.2], [0.8, 0.2])
    other = np.outer([0.3, 0.7], [0.3, 0.7])
    best = [0.75, np.maximum(one, other).sum() / 2, 0.5]
    assert found.right == pytest.approx(best, abs=0.01)
    assert found.flipping.tolist() == found.right[:2].tolist()


def test_what_is_hidden_is_not_seen():
    """The word's own release would give it away at once."""
    inventory, vectors = two_ways()
    found = attack([Occurrence(("river", "bank"), 0)], ["money"], by_table(table(0.5, 0.5)), 4000, inventory, vectors)
    assert found.right == pytest.approx([0.5], abs=0.03)


def test_substitutes_that_were_never_seen_tell_nothing():
    inventory, vectors = two_ways()
    queries = [Occurrence(("river", "bank"), 0)]
    # Every draw is another word than all before, from the call for estimates on.
    fresh = iter(range(100))
    found = attack(queries, ["money"], lambda rows: torch.full_like(rows, next(fresh)), 10, inventory, vectors)
    assert found.right == pytest.approx([0.5])


@pytest.fixture(scope="module")
def planted():
    made = planted_senses(np.random.default_rng(0), words=400, topics=6, dim=20)
    inventory = induce_senses(made.vectors, neighbours=100, edges=30, seed=0)
    rng = np.random.default_rng(1)
    texts = planted_contexts(made, rng, rows=rng.choice(made.ambiguous, 150), length=4, stray=0.5)
    # Hidden is the word after or before the one that the text is about.
    queries = [Occurrence(text.occurrence.tokens, text.occurrence.index - 1) for text in texts if text.occurrence.index]
    others = [made.vectors.words[row] for row in rng.integers(0, 400, len(queries))]
    return queries, others, inventory, made.vectors, arms_of(made.vectors, inventory, neighbours=100)


def at(planted, arm: str, epsilon: float, draws: int = 400):
    queries, others, inventory, vectors, arms = planted
    draw = arms[arm].at(epsilon, torch.Generator().manual_seed(0))
    return attack(queries, others, draw, draws, inventory, vectors, arm=arm)


def test_under_the_word_mechanism_a_guess_is_a_coin(planted):
    found = at(planted, "word", 30)
    assert (found.right == 0.5).all() and not found.flips.any() and not len(found.flipping)


def test_planted_senses_give_hidden_words_away_unless_the_noise_is_large(planted):
    queries, others, inventory, vectors, _ = planted
    moves = moves_of(queries, others, inventory, vectors)
    loud, clear = at(planted, "sense", 0.01), at(planted, "sense", 30)
    assert (clear.flips == moves.flips).all() and (clear.flips > 0).sum() > 20
    assert clear.flipping.mean() > 0.6
    assert loud.flipping.mean() == pytest.approx(0.5, abs=0.01)
    for found, epsilon in ((loud, 0.01), (clear, 30)):
        assert (found.right[found.flips == 0] == 0.5).all()
        # Four standard errors of a share of 2 · 200 guesses.
        assert (found.right <= most_right(epsilon, moves.neighbours) + 4 * 0.5 / np.sqrt(400)).all()


def test_the_bound_is_chance_without_a_move_and_certainty_far_away():
    assert most_right(10, [0, 1e9]).tolist() == [0.5, 1]
    # Randomised response with odds e: the likelihood ratio is everywhere at its bound, and so is the best guess.
    assert float(most_right(1, 1)) == pytest.approx(np.e / (1 + np.e))


def test_what_cannot_be_attacked_is_refused():
    inventory, vectors = two_ways()
    queries, draw = [Occurrence(TEXT, 0)], by_table(table(0.5, 0.5))
    with pytest.raises(ValueError, match="needs an arm"):
        attack(queries, ["money"], draw, 10, inventory, vectors, arm="decoys")
    with pytest.raises(ValueError, match="two draws or more"):
        attack(queries, ["money"], draw, 1, inventory, vectors)
    with pytest.raises(ValueError, match="0 for 1"):
        attack(queries, [], draw, 10, inventory, vectors)
