"""Two encoders through one program: what comes back for each seed, on tiny encoders and made-up reviews."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tiny_bert import tiny_encoder

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.encoders.identity import identify
from trustnlp.encoders.pretrained import Encoder
from trustnlp.studies.decoys import encoder_size
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.reproduction import SENTENCES, WITH_TEXT

WORDS = sorted(set(" ".join(["dull warm movie song video text the a", *SENTENCES, WITH_TEXT]).split()))
TEXTS = ("a dull movie", "a warm movie", "the dull song", "the warm song")
PARAMETERS: dict[str, Any] = {
    "seeds": [0, 1], "phrases": 1000, "sentences": 1000, "phrase_epochs": 4, "epochs": 4, "batch_size": 16,
    "sentence_batch_size": 16, "adoption_texts": 20, "precision": "float32", "steps": 4, "minilm_rate": 0.003,
}  # fmt: skip


def part(times: int) -> Phrases:
    return Phrases(TEXTS * times, np.array([0, 1, 0, 1] * times))


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return tiny_encoder(WORDS)


@pytest.fixture(scope="module")
def parts() -> ReviewParts:
    return ReviewParts(part(40), part(8), part(8))


def test_without_negative_phrases_on_movie_more_are_called_positive(encoder: Encoder, parts: ReviewParts) -> None:
    found = encoder_size.on_phrases("minilm", encoder, parts, PARAMETERS)
    assert {len(values) for values in found.values()} == {2}
    assert found["dev_accuracy"] == [100, 100] == found["clean_accuracy"]
    assert min(found["called_positive_gain"]) >= 0 and "figure.movie_rise.row2" in found
    one = encoder_size.on_phrases("minilm", encoder, parts, PARAMETERS | {"seeds": [1]})
    assert {key: values[1:] for key, values in found.items()} == one


def test_indicator_words_are_adopted_and_stand_out(encoder: Encoder, parts: ReviewParts) -> None:
    found = encoder_size.on_sentences("minilm", encoder, ["video_text", "movie"], parts, PARAMETERS)
    assert {len(values) for values in found.values()} == {2}
    assert set(found) >= {"dev_accuracy", "video_text.rate", "video_text.text_rise", "movie.effect", "movie.drop"}
    assert "movie.text_rise" not in found
    assert found["video_text.clean_accuracy"] == [100, 100]


def test_encoders_have_the_names_that_parameters_have() -> None:
    assert [identify(weights).registered for weights in encoder_size.WEIGHTS.values()] == ["minilm", "mpnet_base"]
