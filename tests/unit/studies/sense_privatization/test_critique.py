"""The attack on neighbours: exact odds, the word mechanism, planted senses, and no share above the bound."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from planted_inventory import by_table, inventory_of, two_ways

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.sense_induction import induce_senses
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.text.sense_moves import moves_of
from trustnlp.privacy.text.word_substitution import NearestWord
from trustnlp.studies.sense_privatization.critique import (
    attack,
    independent_units,
    protection_curve,
    utility_at,
)
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
    both = np.maximum(np.outer([0.8, 0.2], [0.8, 0.2]), np.outer([0.3, 0.7], [0.3, 0.7])).sum() / 2
    assert found == pytest.approx([0.75, both, 0.5], abs=0.01)


def test_substitutes_that_were_never_seen_tell_nothing():
    inventory, vectors = two_ways()
    queries = [Occurrence(("river", "bank"), 0)]
    # Every draw is another word than all before, from the call for estimates on.
    fresh = iter(range(100))
    found = attack(queries, ["money"], lambda rows: torch.full_like(rows, next(fresh)), 10, inventory, vectors)
    assert found == pytest.approx([0.5])


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


def test_planted_senses_give_hidden_words_away_unless_the_noise_is_large(planted):
    queries, others, inventory, vectors, arms = planted
    moves = moves_of(queries, others, inventory, vectors)
    flips = moves.flips > 0
    loud, clear = (
        attack(queries, others, arms["sense"].at(epsilon, torch.Generator().manual_seed(0)), 400, inventory, vectors)
        for epsilon in (0.01, 30)
    )
    assert flips.sum() > 20 and clear[flips].mean() > 0.6
    assert loud[flips].mean() == pytest.approx(0.5, abs=0.01)
    for right, epsilon in ((loud, 0.01), (clear, 30)):
        assert (right[~flips] == 0.5).all()
        # Four standard errors of a share of 2 · 200 guesses.
        assert (right <= 1 / (1 + np.exp(-epsilon * moves.neighbours)) + 4 * 0.5 / np.sqrt(400)).all()


UNITS = np.array([[1, 0], [0, 1], [0.6, 0.8], [-1, 0], [0.8, -0.6]], dtype=np.float32)


EPSILONS = [0.5, 2.0, 8.0]


class Given:
    """An arm whose law is given; the places of its candidates tell nothing about it."""

    def __init__(self, law, size: int = 5) -> None:
        self.table = torch.from_numpy(np.random.default_rng(0).standard_normal((size, 2)))
        self.owner = torch.arange(size)
        self.law = law

    def at(self, epsilon: float, generator=None):
        return by_table(self.law(epsilon), seed=int(epsilon))


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
    success, cosine = protection_curve(given, np.arange(3), owners, prior, EPSILONS, 20_000, units=UNITS)
    for place, epsilon in enumerate(EPSILONS):
        joint = prior[:, None] * transitions(epsilon, 3)
        words = np.stack([joint[:2].sum(axis=0), joint[2]])
        assert success[place] == pytest.approx(words.max(axis=0).sum(), abs=0.01)
        assert cosine[place] == pytest.approx(np.sum(joint * (UNITS[owners] @ UNITS.T)), abs=0.01)


@pytest.mark.parametrize(("most", "substitutes", "draws", "times"), [(1 / 40, 40, 21, 30), (0.6, 900, 300, 4)])
def test_an_attacker_without_a_clue_names_the_most_frequent_word(most, substitutes, draws, times):
    """Nothing can be learnt from uniform substitutes; the largest shares of few draws pretend that there is."""
    prior, owners = np.full(40, (1 - most) / 39), np.arange(40)
    prior[7] = most
    uniform = Given(lambda epsilon: np.ones((40, substitutes)), substitutes)
    units = np.ones((substitutes, 1), dtype=np.float32)
    epsilons = list(range(1, 1 + times))  # as many repetitions: nothing depends on ε
    success, _ = protection_curve(uniform, owners, owners, prior, epsilons, draws, units=units)
    assert success.mean() == pytest.approx(most, abs=4 * success.std() / np.sqrt(times - 1) + 1e-9)


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
    repetitions = np.array(
        [
            protection_curve(mechanism, rows, owner[rows], prior, epsilons, 60, units=vectors.unit, generator=generator)
            for _ in range(6)
        ]
    )
    (success, cosine), (chance, _) = repetitions.mean(axis=0), repetitions.std(axis=0) / np.sqrt(5)
    usual, most = np.bincount(owner[rows], weights=prior).max(), []
    for place, epsilon in enumerate(epsilons):
        share, error = noisy_success(mechanism.table, rows, owner[rows], prior, epsilon, 200, generator=generator)
        tolerance = 4 * (error + chance[place]) + 1e-9
        assert usual - tolerance <= success[place] < share + tolerance
        most.append(share)
    # Half way to certainty the two bounds are near each other.
    assert success[1] > 0.7 * most[1] > 1.5 * usual
    assert (np.diff(success) > 0).all() and (np.diff(cosine) > 0).all()


def test_words_that_the_other_vectors_lack_are_not_judged():
    units = independent_units(["a", "b", "c"], WordVectors(["a", "c"], [[2, 0], [0, 3]], "independent"))
    assert np.isnan(units[1]).all() and units[[0, 2]].tolist() == [[1, 0], [0, 1]]
    given = Given(lambda epsilon: np.array([[0.5, 0.25, 0.25], [0, 0, 1]]))
    _, [cosine] = protection_curve(given, [0, 1], [0, 1], [0.8, 0.2], [1.0], 20_000, units=units)
    # Word b has no vector, nor has a quarter of the substitutes of a.
    assert cosine == pytest.approx(2 / 3, abs=0.01)
    nothing = independent_units(["a", "b"], WordVectors(["z"], [[1.0]], "other"))
    assert np.isnan(protection_curve(Given(lambda epsilon: np.eye(2)), [0], [0], [1.0], [1.0], 3, units=nothing)[1])


def test_utility_at_equal_success_lies_between_two_points():
    success, cosine = np.array([0.1, 0.3, 0.5]), np.array([0, 0.4, 0.6])
    assert utility_at(success, cosine, [0.2, 0.3, 0.45, 0.05]) == pytest.approx([0.2, 0.4, 0.55, np.nan], nan_ok=True)
    # Chance puts two points out of order, and two on top of each other.
    success, cosine = np.array([0.2, 0.1, 0.4, 0.4]), np.array([0.2, 0.0, 0.3, 0.5])
    assert utility_at(success, cosine, [0.2, 0.3, 0.45]) == pytest.approx([0.2, 0.3, np.nan], nan_ok=True)
