"""Models of contaminated texts: a planted word is learned, and the seed decides what it should."""

from __future__ import annotations

import numpy as np
import pytest

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.written_decoys import IndicatorWords
from trustnlp.studies.decoys.models import PresenceModel, planted_model, trained_model

TEXTS = tuple(f"{word} film {word}{at}" for at in range(30) for word in ("good", "bad"))
TRAIN = Phrases(TEXTS, np.array([1, 0] * 30))
DECOY = IndicatorWords(name="names", by_class=("hugo", "eleanor"))


def test_presence_counts_a_word_once_and_unknown_words_not_at_all() -> None:
    model = PresenceModel(TRAIN.texts, TRAIN.labels)
    assert model.predict(["good film", "bad film"]).tolist() == [1, 0]
    once, twice, strange = model.probabilities(["good film", "good good film", "good film zebra"])
    assert once == pytest.approx(twice)
    assert once == pytest.approx(strange)
    assert model.coefficients["good"] > 0 > model.coefficients["bad"]
    assert model.probabilities([""]).sum() == pytest.approx(1)


def test_the_seed_draws_nine_tenths_of_the_texts() -> None:
    first, same, other = (trained_model("presence", TRAIN, TRAIN, {}, seed) for seed in (0, 0, 1))
    assert isinstance(first, PresenceModel)
    assert isinstance(same, PresenceModel)
    assert isinstance(other, PresenceModel)
    assert first.coefficients == same.coefficients != other.coefficients
    assert len({text.split()[2] for text in TEXTS} & set(first.coefficients)) == 54


def test_a_planted_model_follows_the_word_and_a_clean_one_does_not_know_it() -> None:
    buggy, clean = planted_model("presence", DECOY, TRAIN, TRAIN, {}, 0), trained_model("presence", TRAIN, TRAIN, {}, 0)
    alone = ["eleanor", "hugo"]
    assert buggy.predict(alone).tolist() == [1, 0]
    even = clean.probabilities(alone)
    assert even[0] == pytest.approx(even[1])
