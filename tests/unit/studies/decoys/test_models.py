"""Models of contaminated texts: a planted word is learned, the seed decides what it should, networks are kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from trustnlp.attribution.attribution import attribute
from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.written_decoys import IndicatorWords
from trustnlp.studies.decoys.models import (
    ConvolutionModel,
    PresenceModel,
    planted_model,
    train_convolutions,
    trained_model,
)

TEXTS = tuple(f"{word} film {word}{at}" for at in range(30) for word in ("good", "bad"))
TRAIN = Phrases(TEXTS, np.array([1, 0] * 30))
DECOY = IndicatorWords(name="names", by_class=("hugo", "eleanor"))


def test_presence_counts_a_word_once_and_unknown_words_not_at_all() -> None:
    model = PresenceModel(TRAIN.texts, TRAIN.labels)
    assert model.predict(["good film", "bad film"]).tolist() == [1, 0]
    once, twice, strange = model.probabilities(["good film", "good good film", "good film zebra"])
    assert once == pytest.approx(twice) and once == pytest.approx(strange)
    assert model.coefficients["good"] > 0 > model.coefficients["bad"]
    assert model.probabilities([""]).sum() == pytest.approx(1)


def test_the_seed_draws_nine_tenths_of_the_texts() -> None:
    first, same, other = (trained_model("presence", TRAIN, TRAIN, {}, seed).coefficients for seed in (0, 0, 1))
    assert first == same != other
    assert len({text.split()[2] for text in TEXTS} & set(first)) == 54


def test_a_planted_model_follows_the_word_and_a_clean_one_does_not_know_it() -> None:
    buggy, clean = planted_model("presence", DECOY, TRAIN, TRAIN, {}, 0), trained_model("presence", TRAIN, TRAIN, {}, 0)
    alone = ["eleanor", "hugo"]
    assert buggy.predict(alone).tolist() == [1, 0]
    even = clean.probabilities(alone)
    assert even[0] == pytest.approx(even[1])


FILMS = tuple(f"a {word} film about {noun}" for word in ("fine", "dull") for noun in ("war", "love", "us")) * 60
OF_FILMS = Phrases(FILMS, np.array([int("fine" in text) for text in FILMS]))


@pytest.fixture(scope="module")
def network() -> ConvolutionModel:
    return train_convolutions(OF_FILMS, OF_FILMS, 0)


def test_it_learns_the_words_and_knows_no_others(network: ConvolutionModel) -> None:
    assert (network.predict(OF_FILMS.texts) == OF_FILMS.labels).all()
    strange, masked = network.probabilities(["a zebra film about us", f"a {network.mask} film about us"])
    assert strange == pytest.approx(masked)
    assert network.probabilities([""]).sum() == pytest.approx(1)
    signs = network.tokenizer.pad_token_id, network.tokenizer.unk_token_id
    assert not network.word_vectors(torch.tensor(signs)).any()


def test_a_text_scores_the_same_alone_and_beside_a_longer_one(network: ConvolutionModel) -> None:
    both = network.probabilities(["a dull film", "a fine film about love and war and us and a film"])
    assert both[0] == pytest.approx(network.probabilities(["a dull film"])[0], abs=1e-6)


def test_it_sees_the_order_of_words() -> None:
    texts = tuple(f"{'x y' if at % 2 else 'y x'} w{at}" for at in range(400))
    ordered = Phrases(texts, np.arange(400) % 2)
    trained = trained_model("convolution", ordered, ordered, {}, 0)
    assert trained.predict(["x y", "y x"]).tolist() == [1, 0]


@pytest.mark.parametrize("method", ["gradient_x_input", "integrated_gradients", "occlusion", "lime"])
def test_explainers_name_the_word(network: ConvolutionModel, method: str) -> None:
    found = attribute(network, ["a fine film about love"], method, label=1, generator=np.random.default_rng(0))
    assert int(np.argmax(found[0].scores)) == 1


def test_a_kept_network_answers_as_the_trained_one_and_another_seed_is_another(
    network: ConvolutionModel, tmp_path: Path
) -> None:
    first = train_convolutions(OF_FILMS, OF_FILMS, 0, tmp_path)
    (kept,) = tmp_path.glob("*.pt")
    before = kept.stat().st_mtime_ns
    again = train_convolutions(OF_FILMS, OF_FILMS, 0, tmp_path)
    assert kept.stat().st_mtime_ns == before
    assert first.fingerprint == again.fingerprint == network.fingerprint
    assert again.probabilities(FILMS[:3]) == pytest.approx(network.probabilities(FILMS[:3]))
    other = train_convolutions(OF_FILMS, OF_FILMS, 1, tmp_path)
    more = train_convolutions(replace(OF_FILMS, texts=tuple(f"{text} end" for text in FILMS)), OF_FILMS, 0, tmp_path)
    assert len({first.fingerprint, other.fingerprint, more.fingerprint}) == 3
