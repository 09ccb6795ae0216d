"""Senses from word vectors: pooling as in the obvious loop, planted senses found and told apart, bad input."""

import numpy as np
import pytest
from refusals import assert_refused
from sklearn.metrics import adjusted_rand_score

from trustnlp.embeddings.senses.disambiguation import choose_senses_in_texts
from trustnlp.embeddings.senses.sense_controls import one_average_per_word, senses_as_decoys
from trustnlp.embeddings.senses.sense_induction import induce_senses, neighbour_graph, senses_of_graph
from trustnlp.embeddings.senses.sense_inventory import hash_of
from trustnlp.embeddings.static import WordVectors
from trustnlp.graphs.chinese_whispers import cluster_ego_networks

TOPICS, SIZE, DIM, NEAR = 20, 1000, 50, 60


def named(matrix) -> WordVectors:
    return WordVectors([f"w{row}" for row in range(len(matrix))], matrix, "made up")


@pytest.fixture(scope="module")
def planted():
    """Words of 20 topics, each third one the mean of two; the topics `(V, 2)`; the centres; the senses induced."""
    rng = np.random.default_rng(0)
    topics = rng.integers(0, TOPICS, (SIZE, 2))
    mixed = (np.arange(SIZE) % 3 == 0) & (topics[:, 0] != topics[:, 1])
    topics[~mixed, 1] = topics[~mixed, 0]
    centres = rng.standard_normal((TOPICS, DIM))
    vectors = named(centres[topics].mean(axis=1) + 0.5 * rng.standard_normal((SIZE, DIM)))
    inventory = induce_senses(vectors, neighbours=NEAR, edges=NEAR, seed=0)
    return vectors, topics, mixed, centres, inventory


def topic_of(matrix, centres):
    """The nearest centre of each vector, by cosine."""
    return (matrix @ (centres / np.linalg.norm(centres, axis=1, keepdims=True)).T).argmax(axis=1)


def test_senses_are_pooled_as_in_the_obvious_loop(planted):
    vectors, *_ = planted
    graph = neighbour_graph(vectors, NEAR)
    inventory = senses_of_graph(vectors, graph, edges=30, min_size=6, pooled=4, seed=3)
    labels = cluster_ego_networks(graph, seed=3, edges=30)
    owner, matrix, prior, dropped = [], [], [], 0
    for row in range(SIZE):
        clusters = [np.flatnonzero(labels[row] == one) for one in range(labels[row].max() + 1)]
        clusters = sorted((one for one in clusters if len(one) >= 6), key=len, reverse=True)
        dropped += not clusters
        for one in clusters:
            best = one[:4]
            matrix.append(np.average(vectors.matrix[graph.ids[row, best]], axis=0, weights=graph.cosines[row, best]))
            prior.append(len(one) / sum(map(len, clusters)))
        matrix += [] if clusters else [vectors.matrix[row]]
        prior += [] if clusters else [1.0]
        owner += [row] * max(1, len(clusters))
    assert inventory.owner.tolist() == owner and inventory.dropped == dropped
    np.testing.assert_allclose(inventory.matrix, matrix, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(inventory.prior, prior, rtol=1e-12)
    assert inventory.vectors_hash == hash_of(vectors) and inventory.words == vectors.words


def test_planted_senses_are_found(planted):
    """Adjusted Rand index over the neighbours of one topic that is the ego's; and each topic is near some sense."""
    vectors, topics, mixed, centres, inventory = planted
    graph = neighbour_graph(vectors, NEAR)
    labels = cluster_ego_networks(graph, seed=0)
    scores = []
    for ego in np.flatnonzero(mixed):
        near = graph.ids[ego]
        judged = ~mixed[near] & np.isin(topics[near, 0], topics[ego])
        scores.append(adjusted_rand_score(topics[near, 0][judged], labels[ego][judged]))
    assert np.mean(scores) > 0.9, np.mean(scores)
    both = [
        set(topics[row]) <= set(topic_of(inventory.matrix[inventory.senses_of(row)], centres)) for row in range(SIZE)
    ]
    assert np.mean(np.array(both)[mixed]) > 0.9, np.mean(np.array(both)[mixed])


def test_context_picks_the_planted_sense(planted):
    vectors, topics, mixed, centres, inventory = planted
    rng, texts, wanted = np.random.default_rng(2), [], []
    pure = [np.flatnonzero(~mixed & (topics[:, 0] == topic)) for topic in range(TOPICS)]
    for ego in np.flatnonzero(mixed):
        for topic in topics[ego]:
            around = [vectors.words[row] for row in rng.choice(pure[topic], 6)]
            texts.append([*around[:3], vectors.words[ego], *around[3:]])
            wanted.append(topic)
    found = choose_senses_in_texts(inventory, vectors, texts)
    chosen = topic_of(inventory.matrix[[senses[3] for senses in found]], centres)
    assert np.mean(chosen == wanted) > 0.95, np.mean(chosen == wanted)


def test_the_seed_fixes_the_senses_and_another_changes_them(planted):
    vectors, *_, inventory = planted
    graph = neighbour_graph(vectors, NEAR)
    again, other = (senses_of_graph(vectors, graph, edges=NEAR, seed=seed) for seed in (0, 1))
    assert np.array_equal(again.matrix, inventory.matrix) and np.array_equal(again.prior, inventory.prior)
    assert len(other) != len(inventory) or not np.array_equal(other.matrix, inventory.matrix)


def test_words_whose_every_cluster_is_dropped_keep_their_vectors(planted):
    vectors, *_ = planted
    inventory = induce_senses(vectors, neighbours=NEAR, min_size=NEAR + 1, seed=0)
    assert inventory.dropped == len(inventory) == SIZE and np.array_equal(inventory.matrix, vectors.matrix)
    # Opposite words have no neighbour of positive cosine, so that not even one node is left.
    pair = named([[1.0, 0.0], [-1.0, 0.0]])
    inventory = induce_senses(pair, neighbours=1, min_size=1, seed=0)
    assert inventory.dropped == 2 and np.array_equal(inventory.matrix, pair.matrix)


def test_one_average_per_word_is_the_weighted_mean_of_the_nearest(planted):
    vectors, *_ = planted
    inventory = one_average_per_word(vectors, neighbours=NEAR, pooled=7)
    for row in (0, 500, 999):
        near = vectors.nearest(vectors.matrix[row], 7, exclude=[vectors.words[row]])
        want = np.average(vectors.stack([word for word, _ in near]), axis=0, weights=[cosine for _, cosine in near])
        np.testing.assert_allclose(inventory.matrix[row], want, rtol=1e-4, atol=1e-5)
    assert len(inventory) == SIZE and inventory.dropped == 0 and (inventory.prior == 1).all()
    pair = named([[1.0, 0.0], [-1.0, 0.0]])
    alone = one_average_per_word(pair, neighbours=1)
    assert alone.dropped == 2 and np.array_equal(alone.matrix, pair.matrix)


def test_decoys_stand_behind_the_words(planted):
    vectors, *_, inventory = planted
    matrix, owner = senses_as_decoys(vectors, inventory)
    assert np.array_equal(matrix, np.concatenate([vectors.matrix, inventory.matrix])) and matrix.dtype == np.float32
    assert owner.tolist() == [*range(SIZE), *inventory.owner.tolist()]
    with pytest.raises(ValueError, match="other word vectors"):
        senses_as_decoys(named(vectors.matrix + 1), inventory)


def test_bad_input_is_refused(planted):
    vectors, *_ = planted
    one, few = named([[1.0, 2.0]]), named(np.eye(5))
    rows = [
        (one, {}, "at least 201 words, got 1"),
        (few, {"neighbours": 5}, "at least 6 words, got 5"),
        (few, {"neighbours": 0}, "neighbours has to be 1"),
        (few, {"neighbours": 2, "min_size": 0}, "min_size has to be 1"),
        (few, {"neighbours": 2, "pooled": 0}, "pooled has to be 1"),
        (few, {"neighbours": 2, "edges": 0}, "edges = 0"),
        (few, {"neighbours": 2, "seed": -1}, "got -1"),
    ]
    assert_refused(lambda given, options: induce_senses(given, **{"seed": 0, **options}), rows)
    cases = [
        ({"neighbours": SIZE}, "at least 1001 words"),
        ({"pooled": 0}, "pooled has to be 1"),
    ]
    assert_refused(lambda options: one_average_per_word(vectors, **options), cases)
    with pytest.raises(ValueError, match="the graph has 1000 words, the vectors have 5"):
        senses_of_graph(few, neighbour_graph(vectors, 3), seed=0)
