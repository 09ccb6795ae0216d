"""Replacements at random places: which are drawn, by each rule."""

from __future__ import annotations

import numpy as np
import pytest
from planted_inventory import inventory_of

from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization.critique.guarantee import NEAR, sampled_moves

WORDS = [f"w{row}" for row in range(200)]


@pytest.fixture(scope="module")
def drawn() -> tuple[list[list[str]], SenseInventory, WordVectors]:
    rng = np.random.default_rng(0)
    vectors = WordVectors(WORDS, rng.standard_normal((200, 6)), "drawn")
    inventory = inventory_of(vectors, [rng.standard_normal((1 + row % 3, 6)) for row in range(200)])
    texts = [rng.choice([*WORDS, "unseen"], rng.integers(1, 20)).tolist() for _ in range(30)]
    return texts, inventory, vectors


def test_every_place_with_a_vector_is_drawn_once(drawn):
    texts, inventory, vectors = drawn
    places = sorted((tuple(text), at) for text in texts for at, token in enumerate(text) if token in vectors)
    found = sampled_moves(texts, len(places), inventory, vectors, np.random.default_rng(1))
    assert sorted((query.tokens, query.index) for query in found.queries) == places
    assert all(query.token != other for query, other in zip(found.queries, found.others, strict=True))
    assert len(set(found.others)) > 100


def test_near_words_are_among_the_nearest(drawn):
    texts, inventory, vectors = drawn
    found = sampled_moves(texts, 150, inventory, vectors, np.random.default_rng(2), how="near")
    ranks = []
    for query, other in zip(found.queries, found.others, strict=True):
        distances = np.linalg.norm(vectors.matrix - vectors[query.token], axis=1)
        ranks.append(int((distances < distances[WORDS.index(other)]).sum()))
    # The word itself is of rank 0.
    assert min(ranks) == 1 and NEAR - 5 < max(ranks) <= NEAR
    assert found.apart.mean() < sampled_moves(texts, 150, inventory, vectors, np.random.default_rng(2)).apart.mean()


def test_the_worst_is_worse_than_one_try_and_than_each_of_its_tries(drawn):
    texts, inventory, vectors = drawn
    found = {
        tries: sampled_moves(texts, 100, inventory, vectors, np.random.default_rng(3), how="worst", tries=tries)
        for tries in (1, 40)
    }
    assert found[1].queries == found[40].queries
    assert found[40].ratio.mean() > 1.3 * found[1].ratio.mean()
    again = sampled_moves(texts, 100, inventory, vectors, np.random.default_rng(3), how="worst", tries=40)
    assert again.others == found[40].others


def test_what_cannot_be_drawn_is_refused(drawn):
    texts, inventory, vectors = drawn
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="drawn random, near, worst"):
        sampled_moves(texts, 1, inventory, vectors, rng, how="far")
    with pytest.raises(ValueError, match="at least one try"):
        sampled_moves(texts, 1, inventory, vectors, rng, how="worst", tries=0)
    with pytest.raises(ValueError, match="have 1 tokens with vectors"):
        sampled_moves([["w1", "unseen"]], 2, inventory, vectors, rng)
