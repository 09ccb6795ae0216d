"""The four arms on planted senses: what they look up, and that noise of no size returns the word."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.sense_induction import induce_senses
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.privacy.noise.randomness import mixed_generator
from trustnlp.privacy.text.word_substitution import NearestWord
from trustnlp.studies.sense_privatization import models
from trustnlp.studies.sense_privatization.deniability import Curves, calibrated, repeated
from trustnlp.studies.sense_privatization.inventory import described, senses_apart, separability, two_contexts
from trustnlp.studies.sense_privatization.standins import planted_senses

PLANTED = planted_senses(np.random.default_rng(0))


VECTORS = PLANTED.vectors


SENTENCES = [["a", "b"], *(list(VECTORS.words[start : start + 7]) for start in range(0, 700, 7))]


@pytest.fixture(scope="module")
def inventory():
    pytest.importorskip("numba")
    return induce_senses(VECTORS, seed=0)


@pytest.fixture(scope="module")
def asked():
    return models.draw_queries(SENTENCES, VECTORS, 40, np.random.default_rng(0))


GRID = [2.0, 10.0, 50.0, 100.0, 300.0]


def test_queries_are_different_words_at_their_places(asked) -> None:
    assert len({query.token for query in asked}) == 40
    assert all(len(query.tokens) == 7 and query.token in VECTORS for query in asked)
    with pytest.raises(ValueError, match="100 words to query in 101 sentences, 101 were asked for"):
        models.draw_queries(SENTENCES, VECTORS, 101, np.random.default_rng(0))


def test_with_hardly_any_noise_words_come_back_and_every_arm_answers(inventory, asked) -> None:
    arms, words = models.arms_of(VECTORS, inventory), models.rows_for("word", asked, inventory, VECTORS)
    assert [VECTORS.words[row] for row in words] == [query.token for query in asked]
    for name, arm in arms.items():
        rows = models.rows_for(name, asked, inventory, VECTORS)
        assert (arm.owner.numpy()[rows] == words).all()
        drawn = repeated(arm.at(1e6, mixed_generator([0])), rows, 1)[:, 0]
        # A sense's vector may be another word's sense's too, where two words have the same neighbours.
        assert (drawn == words).mean() > (0.95 if name in ("sense", "average") else 0.999)
    with pytest.raises(ValueError, match="'nowhere' has no vector"):
        models.rows_for("word", [Occurrence(("nowhere",), 0)], inventory, VECTORS)


def test_two_contexts_of_a_planted_word_get_two_senses_that_tell_the_substitutes_apart(inventory) -> None:
    two, share = two_contexts(VECTORS), {}
    assert two[0].token == two[1].token and senses_apart(two, inventory, VECTORS) > 0.2
    assert len(described(two, inventory, VECTORS)) == 2
    for name, arm in models.words_and_senses(VECTORS, inventory).items():
        rows = models.rows_for(name, two, inventory, VECTORS)
        draw = arm.at(60.0, mixed_generator([1]))
        first, second = (VECTORS.matrix[repeated(draw, [row], 60)[0]] for row in rows)
        share[name] = separability(first, second, np.random.default_rng(0))
    assert share["sense"] > 0.8 > 0.7 > share["word"]


def test_queried_words_have_the_sense_that_is_looked_up_and_others_a_random_one() -> None:
    owner, prior = np.array([0, 0, 1, 2, 2, 2]), np.array([0.5, 0.5, 1, 0.4, 0.3, 0.3])
    inventory = SenseInventory(("a", "b", "c"), owner, np.arange(1, 7, dtype=np.float32)[:, None], prior, 0, "made up")
    arms = [models.one_sense_a_word(inventory, np.array([1]), np.random.default_rng(seed)) for seed in range(60)]
    assert all(torch.equal(arm.owner, torch.arange(3)) for arm in arms)
    assert {tuple(arm.table[:, 0].tolist()) for arm in arms} == {(2.0, 3.0, last) for last in (4.0, 5.0, 6.0)}


@pytest.mark.parametrize("epsilon", [3.0, 60.0, 1000.0])
def test_substitutes_are_those_of_the_slower_mechanism(epsilon: float) -> None:
    owner = torch.arange(len(VECTORS)) // 2
    rows = torch.randint(len(VECTORS), (5000,), generator=torch.Generator().manual_seed(0))
    slow = NearestWord(torch.tensor(VECTORS.matrix), epsilon)(rows, generator=mixed_generator([1]))
    quick = models.Arm(torch.tensor(VECTORS.matrix), owner).at(epsilon, mixed_generator([1]))(rows)
    assert torch.equal(owner[slow], quick)


def test_both_arms_are_calibrated_on_the_same_words(inventory, asked) -> None:
    found = models.calibrations(models.words_and_senses(VECTORS, inventory), asked, inventory, VECTORS, GRID, 40)
    assert set(found) == {"word", "sense"}
    for of_arm in found.values():
        assert of_arm.kept.shape == (5, 40)
        assert 2 < calibrated(of_arm, 0.9) < calibrated(of_arm, 0.5) < 300
        several, again = ([models.resampled_epsilon(of_arm, 0.9, seed) for seed in range(5)] for _ in range(2))
        assert several == again and len(set(several)) > 1
        assert min(several) < 1.3 * calibrated(of_arm, 0.9) < 1.3**2 * max(several)


def test_curves_that_never_reach_one_half_set_no_epsilon() -> None:
    flat = np.zeros((3, 10))
    with pytest.raises(ValueError, match=r"passes one half for the 0\.9 quantile of the words at no ε of \[1"):
        models.resampled_epsilon(Curves(np.array([1.0, 2.0, 4.0]), flat, flat), 0.9, 0)
