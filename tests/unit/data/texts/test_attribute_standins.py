"""The stand-in for AG: its shares are what is said, its topic and its persons can be read from the text."""

import numpy as np
import pytest

from trustnlp.data.texts.attribute_standins import _TOPICS, PERSONS, TOPIC_SHARES, planted_attribute_texts
from trustnlp.privacy.attacks.attribute_metrics import majority_baseline


@pytest.mark.parametrize("n", [100, 333, 1000])
def test_every_part_has_the_planned_shares(n):
    made, again, other = (planted_attribute_texts(n, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert made.train.texts == again.train.texts != other.train.texts
    assert [len(part) for part in made.splits.values()] == [n - 2 * (n // 10), n // 10, n // 10]
    assert made.attribute_names == PERSONS and made.label_names == tuple(_TOPICS)
    for part in made.splits.values():
        np.testing.assert_allclose(np.bincount(part.labels) / len(part), TOPIC_SHARES, atol=1 / len(part))
        # A person stands in up to four combinations, each rounded by less than one text.
        np.testing.assert_allclose(part.attributes.mean(0), [0.55, 0.24, 0.18, 0.1, 0.1], atol=4 / len(part))
        assert part.attributes.any(axis=0).all() and part.attributes.any(axis=1).all()
        assert part.attributes[:, 0].mean() >= 0.5


def test_what_can_be_had_without_looking_is_known():
    made = planted_attribute_texts(1000, np.random.default_rng(2))
    test = made.test
    found = majority_baseline(made.train.labels, made.train.attributes, test.labels, test.attributes, kind="entities")
    assert found.accuracy == pytest.approx(40)
    # 55 of 100 texts name the first person, 117 names in all: F1 = 2·55 / (100 + 117).
    assert found.empirical_privacy == pytest.approx(100 * (1 - 110 / 217))


def test_a_text_names_exactly_its_persons():
    part = planted_attribute_texts(300, np.random.default_rng(3)).train
    for text, row in zip(part.texts, part.attributes, strict=True):
        assert [int(person in text.replace(".", "").split()) for person in PERSONS] == row.tolist()


def test_the_topic_can_be_read_from_the_words():
    part = planted_attribute_texts(1000, np.random.default_rng(4)).train
    words_of = [set(topic.nouns) | set(topic.verbs) for topic in _TOPICS.values()]
    right = 0
    for text, label in zip(part.texts, part.labels, strict=True):
        counts = [sum(word in words for word in text.replace(".", "").split()) for words in words_of]
        right += int(np.argmax(counts)) == label
    assert 0.9 < right / len(part) < 1


def test_too_few_texts_are_refused():
    with pytest.raises(ValueError, match="99 texts are too few"):
        planted_attribute_texts(99, np.random.default_rng(0))


def test_persons_do_not_depend_on_the_topic():
    part = planted_attribute_texts(4000, np.random.default_rng(5)).train
    for topic in range(len(_TOPICS)):
        share = part.attributes[part.labels == topic].mean(axis=0)
        np.testing.assert_allclose(share, part.attributes.mean(axis=0), atol=0.09)
