"""The private choice of senses: its law, its guarantee over all texts, and the loss of a changed word."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from refusals import assert_refused

from trustnlp.embeddings.senses.sense_inventory import SenseInventory, hash_of
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.text.private_sense_choice import PrivateSenseChoice, changed_word_loss

WORDS = ("bank", "river", "money", "the")
VECTORS = WordVectors(list(WORDS), np.array([[1, 1], [0, 3], [2, 0], [-1, -1]], dtype=np.float32), "four words")
INVENTORY = SenseInventory(
    words=WORDS,
    owner=np.array([0, 0, 1, 2, 3, 3]),
    matrix=np.array([[0, 2], [1, 0], [0, 3], [2, 0], [-1, 0], [0, -2]], dtype=np.float32),
    prior=np.array([0.75, 0.25, 1, 1, 0.5, 0.5]),
    dropped=0,
    vectors_hash=hash_of(VECTORS),
)


def test_the_law_is_the_stated_one() -> None:
    """cos(river, senses of bank) = 1, 0; the unknown word and the places beyond the text add nothing."""
    choice = PrivateSenseChoice(INVENTORY, VECTORS, 2.0, window=2)
    text = ["river", "bank", None]
    weights = np.array([0.75 * np.exp(2 / 4), 0.25])
    np.testing.assert_allclose(choice.probabilities(text, 1), weights / weights.sum(), rtol=1e-6)
    drawn = np.array([choice(text, generator=torch.Generator().manual_seed(seed)) for seed in range(4000)])
    assert (drawn[:, 2] == -1).all() and (drawn[:, 0] == 2).all()
    share, chance = (drawn[:, 1] == 0).mean(), weights[0] / weights.sum()
    assert abs(share - chance) < 4 * np.sqrt(chance * (1 - chance) / 4000)


def test_a_large_epsilon_takes_the_sense_of_the_context_and_a_small_one_the_prior() -> None:
    text = ["river", "bank", "money", "money"]
    assert PrivateSenseChoice(INVENTORY, VECTORS, 1e4, window=1)(text[:2])[1] == 0
    assert PrivateSenseChoice(INVENTORY, VECTORS, 1e4, window=2)(text)[1] == 1
    small = PrivateSenseChoice(INVENTORY, VECTORS, 1e-9).probabilities(text, 1)
    np.testing.assert_allclose(small, [0.75, 0.25], rtol=1e-6)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_no_change_around_a_word_tells_more_than_epsilon(epsilon: float) -> None:
    """All texts of three places with any two words around, all changes of one of them, all senses: the worst ratio."""
    choice = PrivateSenseChoice(INVENTORY, VECTORS, epsilon, window=1)
    worst = 0.0
    for left, right, other in itertools.product([None, *WORDS], repeat=3):
        one, two = (np.log(choice.probabilities([at, "bank", right], 1)) for at in (left, other))
        worst = max(worst, float(np.abs(one - two).max()))
    assert epsilon / 4 < worst <= epsilon


def test_the_loss_of_a_changed_word_holds_the_worst_of_all_releases() -> None:
    """Exactly, for senses on a line: three places, the middle one changed, all released words."""
    line = WordVectors(list(WORDS), np.array([[1], [3], [-2], [-1]], dtype=np.float32), "a line")
    on_line = SenseInventory(
        words=WORDS, owner=INVENTORY.owner, matrix=np.array([[-3], [1], [3], [-2], [-1], [4]], dtype=np.float32),
        prior=INVENTORY.prior, dropped=0, vectors_hash=hash_of(line),
    )  # fmt: skip
    noise, budget = 0.4, 0.7
    order = np.argsort(on_line.matrix[:, 0])
    points = on_line.matrix[order, 0].astype(float)
    borders = np.concatenate([[-np.inf], (points[1:] + points[:-1]) / 2, [np.inf]])

    def released(sense: int) -> np.ndarray:
        x = borders - on_line.matrix[sense, 0]
        below = np.where(x < 0, np.exp(noise * np.minimum(x, 0)) / 2, 1 - np.exp(-noise * np.maximum(x, 0)) / 2)
        chances = np.zeros(len(WORDS))
        np.add.at(chances, on_line.owner[order], np.diff(below))
        return chances

    kernel = np.array([released(sense) for sense in range(len(on_line))])
    choice = PrivateSenseChoice(on_line, line, budget, window=1)

    def law(text: list[str], place: int) -> np.ndarray:
        own = on_line.senses_of(WORDS.index(text[place]))
        return choice.probabilities(text, place) @ kernel[own]

    reached = []
    for left, word, right, other in itertools.product(WORDS, repeat=4):
        texts = [left, word, right], [left, other, right]
        worst = sum(np.abs(np.log(law(texts[0], at)) - np.log(law(texts[1], at))).max() for at in range(3))
        if word == other:
            continue
        rows = [WORDS.index(each) for each in (word, other, left, right)]
        bound = changed_word_loss(on_line, rows[0], rows[1], rows[2:], epsilon=noise, choice=budget)
        assert worst <= bound + 1e-12
        reached.append(worst / bound)
    assert max(reached) > 0.3, "a bound that is far above everything could not fail"


def test_the_loss_counts_each_neighbour_at_most_at_its_choice() -> None:
    assert changed_word_loss(INVENTORY, 1, 2, [], epsilon=2.0, choice=1.0) == pytest.approx(2 * np.sqrt(13))
    # bank: its senses are √5 apart; money has one sense.
    with_bank = changed_word_loss(INVENTORY, 1, 2, [0, 2], epsilon=2.0, choice=1.0)
    assert with_bank == pytest.approx(2 * np.sqrt(13) + 1.0)
    little = changed_word_loss(INVENTORY, 1, 2, [0, 2], epsilon=0.01, choice=1.0)
    assert little == pytest.approx(0.01 * (np.sqrt(13) + np.sqrt(5)))


def test_bad_input_is_refused() -> None:
    other = WordVectors(list(WORDS), np.ones((4, 3), dtype=np.float32), "of three dimensions")
    choice = PrivateSenseChoice(INVENTORY, VECTORS, 1.0)
    assert_refused(
        lambda vectors, epsilon, window: PrivateSenseChoice(INVENTORY, vectors, epsilon, window=window),
        [(VECTORS, 0.0, 5, "epsilon"), (VECTORS, 1.0, 0, "1 place or more"), (other, 1.0, 5, "made from")],
    )
    assert_refused(choice.probabilities, [(["bank", None], 1, "has no vector"), ("bank", 0, TypeError, "split it")])
    assert_refused(choice, [("the bank", TypeError, "split it first")])
    assert_refused(
        lambda row, choice: changed_word_loss(INVENTORY, row, 0, [], epsilon=1.0, choice=choice),
        [(9, 1.0, "between 0 and 3"), (1, float("nan"), "epsilon")],
    )
    assert choice([]).tolist() == []
