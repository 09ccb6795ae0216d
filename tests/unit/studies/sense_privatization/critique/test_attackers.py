"""The attack on neighbours: exact odds, the word mechanism, planted senses, and no share above the bound."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from planted_inventory import by_table, inventory_of, two_ways

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.sense_induction import induce_senses
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.text.word_substitution import NearestWord
from trustnlp.studies.sense_privatization.critique.attackers import (
    Protection,
    at_equal_success,
    attack,
    protection_curve,
    units_of,
)
from trustnlp.studies.sense_privatization.critique.guarantee import moves_of
from trustnlp.studies.sense_privatization.models import Arm, arms_of
from trustnlp.studies.sense_privatization.standins import planted_contexts, planted_senses

# Rows of the senses in `two_ways`: river, money, two of bank, two of bat, by.
TEXT = ("river", "bank", "by", "bat")


def table(first: float, second: float) -> np.ndarray:
    """Senses of bank and bat become word 0 with chance `first` or `second` by their direction, else word 1."""
    found = np.zeros((7, 5))
    found[[2, 4]] = [first, 1 - first, 0, 0, 0]
    found[[3, 5]] = [second, 1 - second, 0, 0, 0]
    return found


def test_the_share_is_that_of_the_likelier_word_over_all_neighbours():
    """The word's own release, which would give it away at once, is not seen."""
    inventory, vectors = two_ways()
    queries = [Occurrence(TEXT[:2], 0), Occurrence(TEXT, 0), Occurrence(("river", "by"), 0)]
    found = attack(queries, ["money"] * 3, by_table(table(0.8, 0.3)), 40_000, inventory, vectors)
    assert found.flips.tolist() == [1, 2, 0] and found.attacked == 20_000
    both = np.maximum(np.outer([0.8, 0.2], [0.8, 0.2]), np.outer([0.3, 0.7], [0.3, 0.7])).sum() / 2
    assert found.right == pytest.approx([0.75, both, 0.5], abs=0.01)
    assert found.flipping.tolist() == found.right[:2].tolist()


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


def at(planted, arm: str, epsilon: float):
    queries, others, inventory, vectors, arms = planted
    draw = arms[arm].at(epsilon, torch.Generator().manual_seed(0))
    return attack(queries, others, draw, 400, inventory, vectors, arm=arm)


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
        assert (found.right <= 1 / (1 + np.exp(-epsilon * moves.neighbours)) + 4 * 0.5 / np.sqrt(400)).all()


UNITS = np.array([[1, 0], [0, 1], [0.6, 0.8], [-1, 0], [0.8, -0.6]], dtype=np.float32)


EPSILONS = [0.5, 2.0, 8.0]


class Given:
    """An arm whose law is given; the places of its candidates tell nothing about it."""

    def __init__(self, law, size: int = 5) -> None:
        self.table = torch.from_numpy(np.random.default_rng(0).standard_normal((size, 2)))
        self.owner = torch.arange(size)
        self.law = law

    def at(self, epsilon: float, generator=None):
        return by_table(self.law(epsilon))


def transitions(epsilon: float, rows: int) -> np.ndarray:
    """Some law for each ε: `(rows, 5)`, the more on the row's own column the larger ε."""
    weights = np.random.default_rng(7).random((rows, 5)) + epsilon * np.eye(rows, 5)
    return weights / weights.sum(axis=1, keepdims=True)


def noisy_success(table, rows, owners, prior, epsilon: float, draws: int, *, generator) -> tuple[float, float]:
    """Success of the attacker who sees the noisy vector, of density ∝ exp(−ε‖z‖), and its standard error.

    The substitute is computed from that vector, so no attacker on words does better.
    """
    meant, shares = table[torch.tensor(rows)].double(), torch.tensor(prior)
    of = torch.from_numpy(np.unique(owners, return_inverse=True)[1])
    noisy = NearestWord(table, epsilon).noisy(torch.tensor(rows).repeat_interleave(draws), generator=generator).double()
    score = (shares.log() - epsilon * torch.cdist(noisy, meant)).exp()
    summed = score.new_zeros(len(score), int(of.max()) + 1).index_add_(1, of, score)  # over the senses of a word
    right = (summed.argmax(dim=1).view(-1, draws) == of[:, None]).double().mean(dim=1)
    return float(shares @ right), float((shares.square() * right * (1 - right) / draws).sum().sqrt())


def test_success_and_utility_are_those_of_the_table_and_the_guess_is_a_word_not_a_sense():
    """Two rows of word 4, one of word 1: the two senses' probabilities add up before the largest is taken."""
    prior, owners = np.array([0.25, 0.25, 0.5]), np.array([4, 4, 1])
    given = Given(lambda epsilon: transitions(epsilon, 3))
    found = protection_curve(given, np.arange(3), owners, prior, EPSILONS, 20_000, units=UNITS)
    for place, epsilon in enumerate(EPSILONS):
        joint = prior[:, None] * transitions(epsilon, 3)
        words = np.stack([joint[:2].sum(axis=0), joint[2]])
        assert found.success[place] == pytest.approx(words.max(axis=0).sum(), abs=0.01)
        assert found.kept[place] == pytest.approx(words[0, 4] + words[1, 1], abs=0.01)
        assert found.cosine[place] == pytest.approx(np.sum(joint * (UNITS[owners] @ UNITS.T)), abs=0.01)
        assert 0 < found.error[place] < 0.01
    assert found.judged == pytest.approx(np.ones(3)) and found.epsilons.tolist() == EPSILONS


@pytest.mark.parametrize(("most", "substitutes", "draws"), [(1 / 40, 40, 21), (0.6, 900, 300)])
def test_an_attacker_without_a_clue_names_the_most_frequent_word(most, substitutes, draws):
    """Nothing can be learnt from uniform substitutes; the largest shares of few draws pretend that there is."""
    prior, owners = np.full(40, (1 - most) / 39), np.arange(40)
    prior[7] = most
    uniform = Given(lambda epsilon: np.ones((40, substitutes)), substitutes)
    units = np.ones((substitutes, 1), dtype=np.float32)
    found = protection_curve(uniform, owners, owners, prior, [1.0], draws, units=units)
    assert found.success[0] == pytest.approx(most, abs=4 * found.error[0])


@pytest.mark.parametrize("arm", ["word", "sense"])
def test_distances_help_where_draws_are_few_and_no_attacker_on_words_beats_the_one_on_vectors(arm):
    rng = np.random.default_rng(0)
    vectors = WordVectors([f"w{row}" for row in range(600)], rng.standard_normal((600, 5)), "drawn")
    senses = [vectors.matrix[row] + 0.5 * rng.standard_normal((1 + row % 2, 5)) for row in range(600)]
    inventory = inventory_of(vectors, senses)
    matrix, owner = (vectors.matrix, np.arange(600)) if arm == "word" else (inventory.matrix, inventory.owner)
    mechanism, rows = Arm(torch.tensor(matrix), torch.tensor(owner)), np.flatnonzero(owner < 30)
    prior = 1 / (1.0 + owner[rows]) / np.bincount(owner[rows])[owner[rows]]
    prior /= prior.sum()
    generator, epsilons = torch.Generator().manual_seed(0), [0.3, 3.0, 8.0]
    found = protection_curve(mechanism, rows, owner[rows], prior, epsilons, 60, units=vectors.unit, generator=generator)
    usual = np.bincount(owner[rows], weights=prior).max()
    most = []
    for place, epsilon in enumerate(epsilons):
        share, error = noisy_success(mechanism.table, rows, owner[rows], prior, epsilon, 200, generator=generator)
        tolerance = 4 * (error + found.error[place]) + 1e-9
        assert usual - tolerance <= found.success[place] < share + tolerance
        most.append(share)
    # Half way to certainty the two bounds are near each other.
    assert found.success[1] > 0.7 * most[1] > 1.5 * usual
    assert (np.diff(found.success) > 0).all() and (np.diff(found.cosine) > 0).all()


def test_words_that_the_other_vectors_lack_are_not_judged():
    units = units_of(["a", "b", "c"], WordVectors(["a", "c"], [[2, 0], [0, 3]], "independent"))
    assert np.isnan(units[1]).all() and units[[0, 2]].tolist() == [[1, 0], [0, 1]]
    given = Given(lambda epsilon: np.array([[0.5, 0.25, 0.25], [0, 0, 1]]))
    found = protection_curve(given, [0, 1], [0, 1], [0.8, 0.2], [1.0], 20_000, units=units)
    # Word b has no vector, nor has a quarter of the substitutes of a.
    assert found.judged[0] == pytest.approx(0.6, abs=0.01)
    assert found.cosine[0] == pytest.approx(2 / 3, abs=0.01)
    nothing = units_of(["a", "b"], WordVectors(["z"], [[1.0]], "other"))
    unjudged = protection_curve(Given(lambda epsilon: np.eye(2)), [0], [0], [1.0], [1.0], 3, units=nothing)
    assert np.isnan(unjudged.cosine[0]) and unjudged.judged[0] == 0


def curve(success, cosine) -> Protection:
    success, cosine = np.array(success, dtype=float), np.array(cosine, dtype=float)
    return Protection(np.arange(1.0, 1 + len(success)), success, success, cosine, success, success)


def test_utility_at_equal_success_lies_between_two_points():
    one = curve([0.1, 0.3, 0.5], [0, 0.4, 0.6])
    # Chance puts two points out of order, and two on top of each other.
    other = curve([0.2, 0.1, 0.4, 0.4], [0.2, 0.0, 0.3, 0.5])
    of_one, of_other = at_equal_success(one, other, [0.2, 0.3, 0.45, 0.05])
    assert of_one == pytest.approx([0.2, 0.4, 0.55, np.nan], nan_ok=True)
    assert of_other == pytest.approx([0.2, 0.3, np.nan, np.nan], nan_ok=True)
