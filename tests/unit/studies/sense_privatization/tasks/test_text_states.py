"""States of texts and words: against one text at a time, whatever stands beside it; and the stand-in by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trustnlp.embeddings.static import WordVectors
from trustnlp.encoders.pretrained import MINILM, Encoder, load_encoder
from trustnlp.studies.sense_privatization.tasks import encoder_states, static_states

TEXTS = ["the bank of the river was steep and green", "a bank", "[UNK] ran to the bank ."]
SPANS = [(4, 8), (2, 6), (17, 21)]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_encoder(MINILM, "cpu")


def test_a_text_has_its_states_whatever_is_encoded_with_it(encoder):
    together = encoder_states(encoder, TEXTS, SPANS, batch_size=2)
    assert together.targets is not None
    for row, (text, span) in enumerate(zip(TEXTS, SPANS, strict=True)):
        alone = encoder.model(**encoder.tokenizer(text, return_tensors="pt")).last_hidden_state[0].detach()
        place = encoder.tokenizer.tokenize(text).index("bank") + 1  # after the first special token
        assert text[slice(*span)] == "bank"
        assert together.targets[row] == pytest.approx(alone[place].numpy(), abs=1e-5)
        unit = torch.nn.functional.normalize(alone.mean(dim=0), dim=0)
        assert together.sentences[row] == pytest.approx(unit.numpy(), abs=1e-5)
    assert encoder_states(encoder, TEXTS).targets is None


def test_a_word_of_several_pieces_has_their_mean_and_one_of_none_its_text(encoder):
    text = "unputdownable \u200b"
    found = encoder_states(encoder, [text, text], [(0, 13), (14, 15)])
    states = encoder.model(**encoder.tokenizer(text, return_tensors="pt")).last_hidden_state[0].detach()
    assert len(states) > 4
    assert found.targets[0] == pytest.approx(states[1:-1].mean(dim=0).numpy(), abs=1e-5)
    assert found.targets[1] == pytest.approx(states.mean(dim=0).numpy(), abs=1e-5)


def test_spans_belong_to_texts(encoder):
    with pytest.raises(ValueError, match="got 2 texts and 1 spans"):
        encoder_states(encoder, TEXTS[:2], SPANS[:1])
    with pytest.raises(ValueError, match="at least one text"):
        encoder_states(encoder, [])


def test_the_stand_in_takes_means_of_word_vectors():
    vectors = WordVectors(["river", "bank"], [[2, 0], [0, 4]], "two")
    found = static_states(vectors, ["river bank unseen", "unseen"], [(6, 10), (0, 6)])
    np.testing.assert_array_equal(found.sentences, [[1, 2], [0, 0]])
    np.testing.assert_array_equal(found.targets, [[0.5, 3], [0, 0]])
    assert static_states(vectors, ["river"]).targets is None
