"""An encoder of any usual kind gives the vector that plain transformers give, and learns; others are refused."""

from typing import Any

import pytest
import torch
from tiny_bert import CPU, word_tokenizer
from transformers import (
    BertConfig,
    BertModel,
    DistilBertConfig,
    DistilBertModel,
    GPT2Config,
    GPT2Model,
    MPNetConfig,
    MPNetModel,
    RobertaConfig,
    RobertaModel,
)

from trustnlp.attribution.students.encoder_teacher import train_encoder_teacher
from trustnlp.attribution.students.text_teacher import Recipe
from trustnlp.attribution.word_attributions import attributions_of
from trustnlp.encoders.pretrained import Encoder
from trustnlp.encoders.whole_encoder import WholeEncoder

WORDS = ["good", "bad", "film", "the", "a"]
SHAPE = {"vocab_size": 12, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
MODELS: dict[str, Any] = {
    "bert": (BertModel, BertConfig(**SHAPE, intermediate_size=32)),
    "roberta": (RobertaModel, RobertaConfig(**SHAPE, intermediate_size=32, pad_token_id=1)),
    "mpnet": (MPNetModel, MPNetConfig(**SHAPE, intermediate_size=32)),
    "distilbert": (DistilBertModel, DistilBertConfig(vocab_size=12, dim=16, n_layers=2, n_heads=2, hidden_dim=32)),
}


def model_of(kind: str) -> Any:
    torch.manual_seed(0)
    build, config = MODELS[kind]
    return build(config).eval()


@pytest.mark.parametrize("kind", MODELS)
def test_the_vector_is_that_of_plain_transformers(kind):
    """Each text alone, unpadded, through the library; ours in one batch, padded with an id of a word."""
    model = model_of(kind)
    texts = [[2, 5, 7, 3], [2, 6, 8, 9, 10, 3], [2, 3]]
    expected = []
    with torch.no_grad():
        for text in texts:
            output = model(input_ids=torch.tensor([text]))
            pooled = getattr(output, "pooler_output", None)
            expected.append(output.last_hidden_state[0, 0] if pooled is None else pooled[0])
        ids = torch.tensor([text + [0] * (6 - len(text)) for text in texts])
        attended = torch.arange(6)[None, :] < torch.tensor([len(text) for text in texts])[:, None]
        body = WholeEncoder(model)
        found = body(body.lower(ids, attended), attended)
    assert found.shape == (3, body.width)
    torch.testing.assert_close(found, torch.stack(expected), atol=1e-5, rtol=1e-4)


def test_an_encoder_of_another_kind_is_refused():
    gpt = GPT2Model(GPT2Config(vocab_size=8, n_embd=16, n_layer=1, n_head=2))
    with pytest.raises(ValueError, match="kinds bert, roberta, mpnet, distilbert is needed, got 'gpt2'"):
        WholeEncoder(gpt)


@pytest.mark.parametrize("kind", ["mpnet", "distilbert"])
def test_a_teacher_on_it_learns_leaves_the_encoder_alone_and_gives_gradients(kind):
    encoder = Encoder(f"tiny {kind}", model_of(kind), word_tokenizer(WORDS), CPU, "random")
    before = [value.clone() for value in encoder.model.state_dict().values()]
    texts, labels = ["the good film", "a bad film", "good", "bad"] * 8, [1, 0, 1, 0] * 8
    recipe = Recipe(epochs=12, keep="last", batch_size=8, learning_rate=5e-3)
    first, again = (
        train_encoder_teacher(encoder, texts, labels, texts, labels, recipe, seed=seed).probabilities(texts[:4])
        for seed in (0, 0)
    )
    assert (first == again).all() and first[:, 1].round().tolist() == [1, 0, 1, 0]
    assert all(torch.equal(one, other) for one, other in zip(before, encoder.model.state_dict().values(), strict=True))
    teacher = train_encoder_teacher(encoder, texts, labels, texts, labels, recipe, seed=1)
    [told] = attributions_of(teacher, ["the good film"], "integrated_gradients", label=1, steps=8)
    assert list(told.words) == ["the", "good", "film"] and float(abs(told.scores).sum()) > 0.01


@pytest.mark.parametrize(
    ("train", "dev"), [([0, 0], [0, 0]), ([0, 1], [0, 2]), ([-1, 1], [0, 1])], ids=["one", "unknown", "negative"]
)
def test_labels_that_do_not_fit_are_refused(train, dev):
    encoder = Encoder("tiny", model_of("mpnet"), word_tokenizer(WORDS), CPU, "random")
    texts = ["good", "bad"]
    with pytest.raises(ValueError, match="labels are whole numbers from 0, two at least"):
        train_encoder_teacher(encoder, texts, train, texts, dev, Recipe(1, "last"), seed=0)
