"""Releases of the three arms, and scores that are kept by what they are of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from planted_inventory import two_ways

from trustnlp.privacy.text.text_pieces import cut
from trustnlp.privacy.text.text_privatiser import privatiser
from trustnlp.studies.sense_privatization.data import Part, Task
from trustnlp.studies.sense_privatization.tasks import ARMS, States, features_of, kept_score, release_of

TEXTS = [cut(text) for text in ("the river bank is wet", "bank", "money in the bank, river money")] * 20


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_words_and_senses_are_released_as_by_the_slower_mechanisms(epsilon):
    inventory, vectors = two_ways()
    slow = {"word": {"mechanism": "nearest_word"}, "sense": {"mechanism": "nearest_sense", "inventory": inventory}}
    for arm, options in slow.items():
        expected = privatiser(vectors=vectors, epsilon=epsilon, **options).release(TEXTS, 3)
        assert release_of(arm, vectors, inventory, epsilon).release(TEXTS, 3) == expected


def test_without_context_each_word_has_its_most_probable_sense():
    inventory, vectors = two_ways()
    found = release_of("prior", vectors, inventory, 1.0)._senses(inventory, TEXTS)
    words = [piece.text for text in TEXTS for piece in text if piece.is_word]
    for word, sense in zip(words, found, strict=True):
        if word not in vectors:
            assert sense == -1
            continue
        row = vectors.words.index(word)
        own = slice(inventory.starts[row], inventory.starts[row + 1])
        assert inventory.owner[sense] == row and inventory.prior[sense] == inventory.prior[own].max()
    contexts = release_of("sense", vectors, inventory, 1.0)._senses(inventory, TEXTS)
    assert (contexts != found).any()


def test_another_arm_is_refused():
    inventory, vectors = two_ways()
    with pytest.raises(ValueError, match="one of word, sense, prior, got 'senses'"):
        release_of("senses", vectors, inventory, 1.0)


def test_a_score_is_computed_once_for_the_same_content(tmp_path, monkeypatch):
    inventory, vectors = two_ways()
    monkeypatch.setattr(task_releases, "results_of", lambda what: tmp_path)
    part, asked = Part((TEXTS,), None, np.arange(len(TEXTS)) % 2), []

    def encode(texts, spans):
        asked.append(list(texts))
        return States(np.random.default_rng(0).standard_normal((len(texts), 2)).astype(np.float32), None)

    clean = features_of(part, encode)
    task = Task("accuracy", part, part)
    releases = {arm: release_of(arm, vectors, inventory, 1.0) for arm in ARMS}
    other_texts = replace(task, train=replace(part, targets=part.targets[::-1].copy()))
    cells = [(task, releases["word"], 0), (task, releases["word"], 1), (other_texts, releases["word"], 0)]
    cells += [(task, releases["sense"], 0), (task, releases["prior"], 0)]
    cells += [(task, release_of("word", vectors, inventory, 2.0), 0)]
    first = [kept_score(of, encode, clean, release, seed) for of, release, seed in cells]
    assert len(asked) == 1 + len(cells) == 1 + len(list(tmp_path.iterdir()))
    again = [kept_score(of, encode, clean, release, seed) for of, release, seed in cells]
    assert again == first and len(asked) == 1 + len(cells)
