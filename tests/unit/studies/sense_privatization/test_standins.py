"""Planted senses: what is planted is there to be found, only where it was planted, and follows the generator."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from trustnlp.data.words.similarity_sets import RatedPair
from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.studies.sense_privatization import standins


@pytest.fixture(scope="module")
def planted() -> standins.PlantedSenses:
    return standins.planted_senses(np.random.default_rng(0))


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def sense(planted: standins.PlantedSenses, occurrence: Occurrence) -> int:
    """The topic of the word, among its own, that is nearest to the mean of the other words of the text."""
    rows = {word: row for row, word in enumerate(planted.vectors.words)}
    others = [token for place, token in enumerate(occurrence.tokens) if place != occurrence.index]
    own = planted.topics[rows[occurrence.token]]
    return own[int(np.argmax(planted.centres[list(own)] @ planted.vectors.stack(others).mean(axis=0)))]


def test_the_stated_share_is_ambiguous_and_topics_are_equally_frequent(planted: standins.PlantedSenses) -> None:
    assert len(planted.ambiguous) == 400 and len(planted.vectors) == 1200
    alone = Counter(own[0] for own in planted.topics if len(own) == 1)
    assert set(alone) == set(range(12)) and max(alone.values()) - min(alone.values()) <= 1
    both = Counter(planted.topics[row] for row in planted.ambiguous)
    assert len(both) == 66 and max(both.values()) - min(both.values()) <= 1
    assert all(first < second for first, second in both)
    for topic, rows in enumerate(planted.of_topic):
        assert rows.tolist() == [row for row, own in enumerate(planted.topics) if topic in own]
    # A rule that takes words for one that differ in an edge that is no letter must not merge any.
    assert all(word.isalpha() and len(word) == 6 for word in planted.vectors)


def test_vectors_show_the_topics(planted: standins.PlantedSenses) -> None:
    cosines = planted.vectors.unit @ planted.centres.T
    nearest = np.argsort(-cosines, axis=1)
    found = [set(nearest[row, : len(own)].tolist()) == set(own) for row, own in enumerate(planted.topics)]
    assert np.mean(found) > 0.98
    lengths = np.linalg.norm(planted.vectors.matrix, axis=1)
    assert 0.6 < lengths.min() < 0.9 < 1.1 < lengths.max() < 1.5
    rows = [row for row in planted.of_topic[0] if len(planted.topics[row]) == 1]
    within = planted.vectors.unit[rows] @ planted.vectors.unit[rows].T
    assert np.median(within) == pytest.approx(1 / (1 + 0.6**2), abs=0.03)


def test_both_senses_are_among_the_papers_200_neighbours(planted: standins.PlantedSenses) -> None:
    near = np.argsort(-(planted.vectors.unit @ planted.vectors.unit.T), axis=1)[:, 1:201]
    rarer = [
        min(np.isin(near[row], planted.of_topic[topic]).sum() for topic in planted.topics[row])
        for row in planted.ambiguous
    ]
    assert np.quantile(rarer, 0.05) >= 50


def test_a_text_has_the_word_once_at_its_place_and_words_of_one_topic_around(planted: standins.PlantedSenses) -> None:
    contexts = list(islice(standins.planted_contexts(planted, rng(), stray=0), 100))
    rows = {word: row for row, word in enumerate(planted.vectors.words)}
    for context in contexts:
        tokens = context.occurrence.tokens
        assert len(tokens) == 11 and context.row in planted.ambiguous and rows[context.occurrence.token] == context.row
        assert tokens.count(context.occurrence.token) == 1
        assert all(context.topic in planted.topics[rows[token]] for token in tokens)
    assert len({context.occurrence.index for context in contexts}) == 11
    assert {planted.topics[context.row].index(context.topic) for context in contexts} == {0, 1}


def test_the_words_around_tell_the_sense_unless_all_are_strays(planted: standins.PlantedSenses) -> None:
    shares = []
    for stray in (0.2, 1.0):
        contexts = islice(standins.planted_contexts(planted, rng(), stray=stray), 400)
        shares.append(np.mean([sense(planted, context.occurrence) == context.topic for context in contexts]))
    assert shares[0] > 0.97 and shares[1] == pytest.approx(0.5, abs=0.1)


def test_pairs_of_texts_are_balanced_and_their_labels_true(planted: standins.PlantedSenses) -> None:
    pairs = standins.planted_words_in_context(planted, 301, rng())
    assert sum(pair.same for pair in pairs) == 151
    told = [(sense(planted, pair.first) == sense(planted, pair.second)) == pair.same for pair in pairs]
    assert np.mean(told) > 0.95
    assert all(pair.lemma == pair.first.token == pair.second.token for pair in pairs)


def cosines(planted: standins.PlantedSenses, pairs: tuple[RatedPair, ...]) -> list[float]:
    rows = {word: row for row, word in enumerate(planted.vectors.words)}
    unit = planted.vectors.unit
    return [float(unit[rows[pair.first]] @ unit[rows[pair.second]]) for pair in pairs]


def test_ratings_without_contexts_follow_the_vectors(planted: standins.PlantedSenses) -> None:
    pairs = standins.planted_ratings(planted, 400, rng(), in_context=False)
    assert all(pair.contexts is None and pair.first != pair.second and 0 <= pair.rating <= 10 for pair in pairs)
    assert np.corrcoef([pair.rating for pair in pairs], cosines(planted, pairs))[0, 1] > 0.8


def test_ratings_in_contexts_follow_the_senses_and_not_the_vectors(planted: standins.PlantedSenses) -> None:
    pairs = standins.planted_ratings(planted, 400, rng(), in_context=True)
    alike = [sense(planted, pair.contexts[0]) == sense(planted, pair.contexts[1]) for pair in pairs if pair.contexts]
    of_words, of_senses = np.corrcoef([[pair.rating for pair in pairs], cosines(planted, pairs), alike])[0, 1:]
    assert abs(of_words) < 0.15 and of_senses > 0.9
    assert all(pair.contexts and pair.contexts[0].token == pair.first != pair.second for pair in pairs)


def test_everything_follows_the_generator() -> None:
    def draw(seed: int) -> tuple[object, ...]:
        generator = rng(seed)
        small = standins.planted_senses(generator, words=60, topics=4, dim=5)
        pairs = standins.planted_words_in_context(small, 5, generator)
        ratings = standins.planted_ratings(small, 5, generator, in_context=True)
        return small.vectors.matrix.tolist(), small.topics, pairs, ratings

    assert draw(0) == draw(0)
    assert all(one != other for one, other in zip(draw(0), draw(1), strict=True))


def test_a_vocabulary_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="from two words a topic to 13,824, got 12 topics"):
        standins.planted_senses(rng(), words=23)
