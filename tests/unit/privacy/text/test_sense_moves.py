"""How far a replaced word moves what is looked up: by hand, the bound on densities, all at once as one by one."""

from __future__ import annotations

import numpy as np
import pytest
from planted_inventory import inventory_of, two_ways

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.disambiguation import choose_senses
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.text.sense_moves import NEAR, moves_of, rows_around, sampled_moves

ROOT = np.sqrt(2)


WORDS = [f"w{row}" for row in range(40)]


@pytest.fixture(scope="module")
def drawn() -> tuple[SenseInventory, WordVectors]:
    rng = np.random.default_rng(0)
    vectors = WordVectors(WORDS, rng.standard_normal((40, 6)), "drawn")
    return inventory_of(vectors, [rng.standard_normal((1 + row % 4, 6)) for row in range(40)]), vectors


def moved(tokens, index, other, inventory, vectors, *, window=5):
    """The distance by which what is looked up for each token moves, one text after the other."""
    texts = tokens, [*tokens[:index], other, *tokens[index + 1 :]]
    senses = np.array([choose_senses(inventory, vectors, text, window=window) for text in texts])
    lengths = np.linalg.norm(np.subtract(*inventory.matrix[senses].astype(float)), axis=1)
    return np.where((senses < 0).any(axis=0), 0, lengths)


def loss_ratio(tokens, index, other, inventory, vectors, *, window=5):
    return moves_of([Occurrence(tuple(tokens), index)], [other], inventory, vectors, window=window).ratio[0]


def test_a_neighbour_that_gets_its_other_sense_adds_its_distance():
    inventory, vectors = two_ways()
    text = ["river", "bank", "unseen", "bat"]
    assert moved(text, 0, "money", inventory, vectors) == pytest.approx([ROOT, ROOT, 0, 3 * ROOT])
    # With a window of one place the last word keeps its sense.
    assert loss_ratio(text, 0, "money", inventory, vectors, window=1) == pytest.approx(2)
    found = moves_of([Occurrence(tuple(text), 0)], ["money"], inventory, vectors)
    # The metric of equation (1) sees the one word alone: √2.
    parts = [found.apart, found.own, found.neighbours, found.ratio, found.flips]
    assert np.ravel(parts) == pytest.approx([ROOT, ROOT, 4 * ROOT, 5, 2])


def test_the_bound_of_the_loss_holds_and_is_attained_on_the_rays(drawn):
    inventory, vectors = drawn
    rng = np.random.default_rng(1)
    text = list(rng.choice(WORDS, 9))
    # The replacement that flips most.
    tried = {other: moved(text, 4, other, inventory, vectors, window=4) for other in WORDS if other != text[4]}
    worst = max(tried, key=lambda other: (tried[other] > 0).sum())
    assert (tried[worst] > 0).sum() > 2
    query = [Occurrence(tuple(text), 4)]
    before, after = (rows_around(query, given, inventory, vectors, window=4)[0] for given in (None, [worst]))
    one, other = (inventory.matrix[rows].astype(float) for rows in (before, after))

    def loss(noisy) -> float:
        return float(np.sum(np.linalg.norm(noisy - other, axis=-1) - np.linalg.norm(noisy - one, axis=-1)))

    bound = tried[worst].sum()
    assert max(loss(one + rng.standard_normal(one.shape) * 3) for _ in range(500)) < bound
    assert loss(one + 7 * (one - other)) == pytest.approx(bound)


def test_all_at_once_is_as_one_by_one(drawn):
    inventory, vectors = drawn
    rng = np.random.default_rng(2)
    queries, others = [], []
    for _ in range(60):
        tokens = rng.choice([*WORDS, "unseen"], rng.integers(1, 30))
        tokens[index := int(rng.integers(len(tokens)))] = rng.choice(WORDS)
        queries.append(Occurrence(tuple(tokens.tolist()), index))
        others.append(str(rng.choice([word for word in WORDS if word != tokens[index]])))
    found = moves_of(queries, others, inventory, vectors, window=2)
    for number, (query, other) in enumerate(zip(queries, others, strict=True)):
        distances = moved(query.tokens, query.index, other, inventory, vectors, window=2)
        assert found.own[number] == pytest.approx(distances[query.index])
        assert found.own[number] + found.neighbours[number] == pytest.approx(distances.sum())
        assert found.flips[number] == (np.delete(distances, query.index) > 0).sum()
        assert found.apart[number] == pytest.approx(float(np.linalg.norm(vectors[query.token] - vectors[other])))
    assert found.flips.max() > 1


def test_words_with_one_vector_have_no_finite_ratio_unless_nothing_moves():
    vectors = WordVectors(["a", "b", "c"], [[1, 0], [1, 0], [1, 0]], "equal")
    inventory = inventory_of(vectors, [[[1, 0]], [[1, 0]], [[0, 1]]])
    assert loss_ratio(["a"], 0, "b", inventory, vectors) == 1
    assert loss_ratio(["a"], 0, "c", inventory, vectors) == np.inf


@pytest.fixture(scope="module")
def texts() -> list[list[str]]:
    rng = np.random.default_rng(0)
    return [rng.choice([*WORDS, "unseen"], rng.integers(1, 20)).tolist() for _ in range(30)]


def test_every_place_with_a_vector_is_drawn_once(texts, drawn):
    places = sorted((tuple(text), at) for text in texts for at, token in enumerate(text) if token in WORDS)
    found = sampled_moves(texts, len(places), *drawn, np.random.default_rng(1))
    assert sorted((query.tokens, query.index) for query in found.queries) == places
    assert all(query.token != other for query, other in zip(found.queries, found.others, strict=True))
    assert set(found.others) == set(WORDS)


def test_near_words_are_among_the_nearest():
    rng = np.random.default_rng(0)
    words = [f"w{row}" for row in range(200)]
    vectors = WordVectors(words, rng.standard_normal((200, 6)), "more than are near")
    inventory = inventory_of(vectors, list(vectors.matrix[:, None]))
    found = sampled_moves([words], 150, inventory, vectors, rng, how="near")
    ranks = []
    for query, other in zip(found.queries, found.others, strict=True):
        distances = np.linalg.norm(vectors.matrix - vectors[query.token], axis=1)
        ranks.append(int((distances < distances[words.index(other)]).sum()))
    # The word itself is of rank 0.
    assert min(ranks) == 1 and NEAR - 5 < max(ranks) <= NEAR


def test_the_worst_is_worse_than_one_try_and_follows_the_generator(texts, drawn):
    one, worst, again = (
        sampled_moves(texts, 100, *drawn, np.random.default_rng(3), how="worst", tries=tries) for tries in (1, 40, 40)
    )
    assert one.queries == worst.queries and again.others == worst.others
    assert worst.ratio.mean() > 1.3 * one.ratio.mean()
