"""Convolutions with a bug: words in, gradients out, kept weights, and an order of words that is seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from trustnlp.attribution.attribution import attribute
from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.studies.decoys.models import trained_model
from trustnlp.studies.decoys.models import ConvolutionModel, train_convolutions

TEXTS = tuple(f"a {word} film about {noun}" for word in ("fine", "dull") for noun in ("war", "love", "us")) * 60
TRAIN = Phrases(TEXTS, np.array([int("fine" in text) for text in TEXTS]))


@pytest.fixture(scope="module")
def model() -> ConvolutionModel:
    return train_convolutions(TRAIN, TRAIN, 0)


def test_it_learns_the_words_and_knows_no_others(model: ConvolutionModel) -> None:
    assert (model.predict(TRAIN.texts) == TRAIN.labels).all()
    strange, masked = model.probabilities(["a zebra film about us", f"a {model.mask} film about us"])
    assert strange == pytest.approx(masked)
    assert model.probabilities([""]).sum() == pytest.approx(1)
    signs = model.tokenizer.pad_token_id, model.tokenizer.unk_token_id
    assert not model.word_vectors(torch.tensor(signs)).any()


def test_a_text_scores_the_same_alone_and_beside_a_longer_one(model: ConvolutionModel) -> None:
    both = model.probabilities(["a dull film", "a fine film about love and war and us and a film"])
    assert both[0] == pytest.approx(model.probabilities(["a dull film"])[0], abs=1e-6)


def test_it_sees_the_order_of_words() -> None:
    texts = tuple(f"{'x y' if at % 2 else 'y x'} w{at}" for at in range(400))
    ordered = Phrases(texts, np.arange(400) % 2)
    trained = trained_model("convolution", ordered, ordered, {}, 0)
    assert trained.predict(["x y", "y x"]).tolist() == [1, 0]


@pytest.mark.parametrize("method", ["gradient_x_input", "integrated_gradients", "occlusion", "lime"])
def test_explainers_name_the_word(model: ConvolutionModel, method: str) -> None:
    found = attribute(model, ["a fine film about love"], method, label=1, generator=np.random.default_rng(0))
    assert int(np.argmax(found[0].scores)) == 1


def test_integrated_gradients_add_up(model: ConvolutionModel) -> None:
    text = "a dull film about war"
    found = attribute(model, [text], "integrated_gradients", label=1, steps=256)
    ids = model.tokenised([text, " ".join([model.mask] * 5)])["input_ids"]
    whole, blank = model.logits(ids)[:, 1].tolist()
    assert found[0].scores.sum() == pytest.approx(whole - blank, abs=0.02 * abs(whole - blank))


def test_a_kept_network_answers_as_the_trained_one_and_another_seed_is_another(
    model: ConvolutionModel, tmp_path: Path
) -> None:
    first = train_convolutions(TRAIN, TRAIN, 0, tmp_path)
    (kept,) = tmp_path.glob("*.pt")
    before = kept.stat().st_mtime_ns
    again = train_convolutions(TRAIN, TRAIN, 0, tmp_path)
    assert kept.stat().st_mtime_ns == before
    assert first.fingerprint == again.fingerprint == model.fingerprint
    assert again.probabilities(TEXTS[:3]) == pytest.approx(model.probabilities(TEXTS[:3]))
    other = train_convolutions(TRAIN, TRAIN, 1, tmp_path)
    more = train_convolutions(replace(TRAIN, texts=tuple(f"{text} end" for text in TEXTS)), TRAIN, 0, tmp_path)
    assert len({first.fingerprint, other.fingerprint, more.fingerprint}) == 3


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    train_convolutions(TRAIN, TRAIN, 0, tmp_path)
    (kept,) = tmp_path.glob("*.pt")
    kept.write_bytes(kept.read_bytes()[:1000])
    with pytest.raises(ValueError, match=kept.name):
        train_convolutions(TRAIN, TRAIN, 0, tmp_path)
