"""Checks against planted topics: right where everything is right, wrong by as much as is made wrong."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import torch

from trustnlp.embeddings.senses.sense_induction import neighbour_graph, senses_of_graph
from trustnlp.embeddings.senses.sense_inventory import SenseInventory, hash_of
from trustnlp.graphs.chinese_whispers import cluster_ego_networks
from trustnlp.graphs.ego_networks import NeighbourGraph
from trustnlp.privacy.text.sense_substitution import NearestSense
from trustnlp.studies.sense_privatization import planted as checks
from trustnlp.studies.sense_privatization import standins
from trustnlp.studies.sense_privatization.models import Arm, arm_of

K, TEXTS = 40, 60


@pytest.fixture(scope="module")
def planted() -> standins.PlantedSenses:
    return standins.planted_senses(np.random.default_rng(0), words=200, topics=8)


@pytest.fixture(scope="module")
def graph(planted: standins.PlantedSenses) -> NeighbourGraph:
    return neighbour_graph(planted.vectors, K)


@pytest.fixture(scope="module")
def inventory(planted: standins.PlantedSenses, graph: NeighbourGraph) -> SenseInventory:
    return senses_of_graph(planted.vectors, graph, edges=K, seed=0)


@pytest.fixture(scope="module")
def truth(planted: standins.PlantedSenses) -> SenseInventory:
    """One sense for each topic of each word: its topic's direction, a little towards the word, so that no two agree."""
    owner = np.array([row for row, topics in enumerate(planted.topics) for _ in topics])
    topic = [topic for topics in planted.topics for topic in topics]
    matrix = (planted.centres[topic] + 0.1 * planted.vectors.matrix[owner]).astype(np.float32)
    prior = 1 / np.bincount(owner)[owner]
    return SenseInventory(planted.vectors.words, owner, matrix, prior, 0, hash_of(planted.vectors))


@pytest.fixture(scope="module")
def texts(planted: standins.PlantedSenses) -> list[standins.PlantedContext]:
    return list(islice(standins.planted_contexts(planted, np.random.default_rng(1), stray=0.0), TEXTS))


def test_a_neighbour_counts_for_the_one_topic_that_it_shares() -> None:
    tiny = standins.planted_senses(np.random.default_rng(0), words=30, topics=3, ambiguous=0.5)
    row = int(tiny.ambiguous[0])
    first, second = tiny.topics[row]
    for other, shared in enumerate(checks.shared_topics(tiny, row, np.arange(30))):
        has = (first in tiny.topics[other], second in tiny.topics[other])
        expected = {(True, False): first, (False, True): second}
        assert shared == expected.get(has, checks.NO_TOPIC)


def test_agreement_is_the_adjusted_rand_index_by_counting_pairs(
    planted: standins.PlantedSenses, graph: NeighbourGraph
) -> None:
    labels, scores = cluster_ego_networks(graph, planted.ambiguous, edges=10, seed=3), []
    for row, own in zip(planted.ambiguous, labels, strict=True):
        topics = checks.shared_topics(planted, row, graph.ids[row])
        at = np.flatnonzero((topics != checks.NO_TOPIC) & (own >= 0))
        upper = np.triu_indices(len(at), k=1)
        same, together = ((values[at, None] == values[at])[upper] for values in (topics, own))
        chance = same.sum() * together.sum() / len(same)
        most = (same.sum() + together.sum()) / 2
        scores.append(1.0 if most == chance else ((same & together).sum() - chance) / (most - chance))
    assert checks.mean_agreement(planted, graph, edges=10, seed=3) == pytest.approx(np.mean(scores))


def test_true_senses_are_counted_as_true(planted: standins.PlantedSenses, truth: SenseInventory) -> None:
    assert checks.found_senses(planted, truth) == {"ambiguous": 2, "single": 1, "both": 1, "foreign": 0}
    assert checks.sense_topics(planted, truth).tolist() == [topic for topics in planted.topics for topic in topics]


def test_a_foreign_sense_and_a_missing_one_are_counted(planted: standins.PlantedSenses, truth: SenseInventory) -> None:
    row = int(planted.ambiguous[0])
    other = next(topic for topic in range(8) if topic not in planted.topics[row])
    matrix = truth.matrix.copy()
    matrix[truth.senses_of(row)] = planted.centres[other]
    found = checks.found_senses(planted, replace(truth, matrix=matrix))
    assert found["foreign"] == pytest.approx(2 / len(truth))
    # Both of its senses have the same cosines now, so that they count for one topic.
    assert found["both"] == pytest.approx(1 - 1 / len(planted.ambiguous))


def test_induction_finds_the_topics(planted: standins.PlantedSenses, graph: NeighbourGraph) -> None:
    found = checks.found_by_edges(planted, graph, [10, K], seed=0)
    assert set(found) == {10, K} and set(found[K]) == {"ari", "ambiguous", "single", "both", "foreign"}
    assert found[10]["ari"] > 0.9 and found[K]["ari"] > 0.7
    assert found[10]["single"] > found[K]["single"] and found[10]["foreign"] > found[K]["foreign"]


def test_the_true_sense_has_the_topic_and_the_context_finds_it(
    planted: standins.PlantedSenses, truth: SenseInventory, texts: list[standins.PlantedContext]
) -> None:
    given = checks.true_senses(planted, truth, texts)
    assert (truth.owner[given] == [text.row for text in texts]).all()
    assert (checks.sense_topics(planted, truth)[given] == [text.topic for text in texts]).all()
    chosen = checks.chosen_senses(planted, truth, texts)
    assert (chosen == given).mean() == checks.share_right(planted, truth, texts, 5) > 0.95


def test_outcomes_count_kept_words_and_topics_of_the_others(
    planted: standins.PlantedSenses, inventory: SenseInventory, texts: list[standins.PlantedContext]
) -> None:
    rows = checks.chosen_senses(planted, inventory, texts)
    arm = arm_of(inventory.matrix, inventory.owner)
    found = checks.outcome_of(
        arm, rows, planted, texts, epsilons=[20.0, 1e6], draws=7, generator=torch.Generator().manual_seed(5)
    )
    # The same by the mechanism itself and a loop, one draw after the other.
    mechanism, kept, right = NearestSense(inventory, 20.0), 0, 0
    again = torch.from_numpy(np.repeat(rows, 7))
    words = mechanism.words_of(mechanism(again, generator=torch.Generator().manual_seed(5))).tolist()
    for place, word in enumerate(words):
        text = texts[place // 7]
        kept += word == text.row
        right += word != text.row and text.topic in planted.topics[word]
    assert found.kept[0] == pytest.approx(kept / len(words)) and 0 < kept < len(words)
    assert found.on_topic[0] == pytest.approx(right / (len(words) - kept))
    assert found.kept[1] == 1 and np.isnan(found.on_topic[1])  # nothing is replaced: no share


def test_context_free_ways_look_up_the_word_and_senses_beat_them(
    planted: standins.PlantedSenses,
    inventory: SenseInventory,
    texts: list[standins.PlantedContext],
) -> None:
    ways = checks.ways_to_substitute(planted, inventory, texts, neighbours=K)
    own = [text.row for text in texts]
    assert list(ways) == ["word", "average", "sense", "given"]
    for name, (arm, rows) in ways.items():
        assert arm.owner[torch.from_numpy(rows)].tolist() == own, name
    asked = {"epsilons": [10.0, 20.0, 40.0, 80.0, 160.0, 320.0], "draws": 10}
    share = {
        name: checks.outcome_of(
            *ways[name], planted, texts, **asked, generator=torch.Generator().manual_seed(2)
        ).at_kept([0.4])[0]
        for name in ("word", "given")
    }
    assert share["given"] > share["word"] + 0.2
    # Averages of neighbours lie nearer to each other than words.
    assert checks.nearest_other(*ways["given"]) < checks.nearest_other(*ways["word"]) / 2


def test_shares_at_a_level_are_read_between_two_epsilons() -> None:
    found = checks.Outcome(np.array([0.2, 0.6, 0.5, 1.0]), np.array([0.4, 0.8, 0.8, np.nan]))
    assert found.at_kept([0.4, 0.6]) == pytest.approx([0.6, 0.8])
    assert np.isnan(found.at_kept([0.1, 0.9])).all()


def test_the_nearest_other_candidate_is_of_another_word() -> None:
    table = torch.tensor([[0.0], [1.0], [5.0], [7.0]])
    arm = Arm(table, torch.tensor([0, 0, 1, 2]))
    assert checks.nearest_other(arm, [1]) == 4 and checks.nearest_other(arm, [0, 2, 2, 3]) == 2
