"""Gradients: integrals against sums of many small steps, words against their pieces, one text against many."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import torch
from refusals import assert_refused
from tiny_classifier import tiny_bert_classifier, tiny_roberta_classifier

from trustnlp.attribution.gradient_attribution import gradient_times_input, integrated_gradients
from trustnlp.attribution.model_calls import Floats, Words
from trustnlp.attribution.text_models import ModelError, TransformerModel

TEXTS: list[Words] = [
    ("a", "very,", "very", "unwatchable", "film."),
    ("good",),
    ("unwatchable",),
    ("bleak", "&", "slow,", "a", "film", "unseen"),
]
Pair = tuple[Any, Any]


@pytest.fixture(scope="module")
def pair() -> Pair:
    return tiny_bert_classifier(labels=3)


def pieces_of(tokenizer: Any, words: Words) -> tuple[list[int], list[int]]:
    """Token ids of a text and the word of each, by tokenising word by word; -1 for [CLS] and [SEP]."""
    ids = [tokenizer(word, add_special_tokens=False)["input_ids"] for word in words]
    of = [-1, *(at for at, own in enumerate(ids) for _ in own), -1]
    return [tokenizer.cls_token_id, *(token for own in ids for token in own), tokenizer.sep_token_id], of


def along(pair: Pair, ids: list[int], label: int, points: Floats, **inputs: Any) -> Floats:
    """Gradient times step of each token `(m, T)` at points of the path from the baseline."""
    model, tokenizer = pair
    table = model.get_input_embeddings().weight.detach()
    start = table[[ids[0], *[tokenizer.pad_token_id] * (len(ids) - 2), ids[-1]]]
    step = table[ids] - start
    vectors = (start + torch.tensor(points, dtype=torch.float32)[:, None, None] * step).requires_grad_()
    value = model(inputs_embeds=vectors, **inputs).logits[:, label]
    (gradient,) = torch.autograd.grad(value.sum(), vectors)
    return (gradient * step).sum(-1).double().numpy()


def summed(parts: Floats, of: list[int], count: int) -> Floats:
    return np.array([sum(part for part, word in zip(parts, of, strict=True) if word == at) for at in range(count)])


def test_integrated_gradients_are_the_sum_of_many_small_steps(pair: Pair) -> None:
    label = 2
    found = integrated_gradients(TransformerModel(*pair), TEXTS, label, steps=60)
    middles = (np.arange(1500) + 0.5) / 1500
    for words, result in zip(TEXTS, found, strict=True):
        ids, of = pieces_of(pair[1], words)
        parts = along(pair, ids, label, middles)
        np.testing.assert_allclose(result.scores, summed(parts.mean(0), of, len(words)), atol=5e-5)
        assert (result.label, result.classes, result.passes) == (label, 3, 122)


def test_gradient_times_input_is_what_autograd_gives(pair: Pair) -> None:
    model, tokenizer = pair
    table = model.get_input_embeddings().weight.detach()
    for words, result in zip(TEXTS, gradient_times_input(TransformerModel(*pair), TEXTS), strict=True):
        ids, of = pieces_of(tokenizer, words)
        vectors = table[ids][None].requires_grad_()
        logits = model(inputs_embeds=vectors).logits[0]
        assert result.label == int(logits.argmax())
        assert (result.baseline, result.passes) == (None, 2)
        assert result.value == pytest.approx(float(logits.detach().max()), abs=1e-5)
        (gradient,) = torch.autograd.grad(logits.max(), vectors)
        parts = (gradient * vectors.detach()).sum(-1)[0].double().numpy()
        np.testing.assert_allclose(result.scores, summed(parts, of, len(words)), atol=1e-5)


def test_blanks_that_belong_to_pieces_and_positions_that_count_from_padding() -> None:
    """RoBERTa: pieces begin with a blank, and the model takes its positions from the ids."""
    texts = [" ".join(words) for words in TEXTS]
    model, tokenizer = tiny_roberta_classifier(texts)
    found = integrated_gradients(TransformerModel(model, tokenizer), TEXTS, 1, steps=80)
    for words, result in zip(TEXTS, found, strict=True):
        assert result.scores.sum() == pytest.approx(result.value - result.baseline, abs=2e-4)
        # The rest of the text is the same: of one word at the end, its own pieces alone make the score.
        ids = tokenizer(" ".join(words))["input_ids"]
        first = len(tokenizer(" ".join(words[:-1]))["input_ids"]) - 1 if len(words) > 1 else 1
        positions = torch.arange(2, 2 + len(ids)).expand(400, -1)
        parts = along((model, tokenizer), ids, 1, (np.arange(400) + 0.5) / 400, position_ids=positions)
        assert result.scores[-1] == pytest.approx(parts.mean(0)[first:-1].sum(), abs=2e-3)


def test_the_model_is_left_as_it_was(pair: Pair) -> None:
    model = TransformerModel(*pair)
    before = model.probabilities(["a film"])
    with torch.no_grad():
        integrated_gradients(model, TEXTS, steps=2)
    broken, tokenizer = tiny_bert_classifier()
    broken.classifier.weight.data[:] = float("nan")
    with pytest.raises(ModelError, match="scores are not finite"):
        gradient_times_input(TransformerModel(broken, tokenizer), TEXTS)
    for each in (pair[0], broken):
        assert not each.get_input_embeddings()._forward_hooks
        assert all(weight.grad is None and weight.requires_grad for weight in each.parameters())
    np.testing.assert_array_equal(model.probabilities(["a film"]), before)


def test_gradients_that_are_not_finite_are_named(pair: Pair) -> None:
    class Overflowing(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = torch.nn.Embedding(64, 4)

        def forward(self, ids: torch.Tensor, attended: torch.Tensor) -> torch.Tensor:
            return (self.words(ids) * 0.0).abs().sqrt().sum((1, 2))[:, None] * torch.ones(2)

    module = Overflowing()
    with pytest.raises(ModelError, match="gradients are not finite"):
        integrated_gradients(TransformerModel(module, pair[1], word_vectors=module.words), TEXTS)
    assert not module.words._forward_hooks


def test_words_beyond_the_limit_get_nothing(pair: Pair) -> None:
    model = TransformerModel(*pair, max_length=4)
    words: Words = ("good", "film", "very", "bad")
    with pytest.warns(UserWarning, match="1 of 1 texts have more than 4 tokens"):
        [found] = integrated_gradients(model, [words])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        [short] = integrated_gradients(model, [words[:2]])
    np.testing.assert_allclose(found.scores, [*short.scores, 0, 0], atol=1e-6)


def test_what_cannot_be_computed_is_refused(pair: Pair) -> None:
    model = TransformerModel(*pair)

    class Slow:
        """A tokenizer in Python, which does not say where its pieces stand."""

        mask_token, pad_token_id, model_max_length, is_fast = "[MASK]", 0, 64, False

    assert_refused(
        lambda of, label, steps: integrated_gradients(of, TEXTS, label, steps=steps),
        [
            (model, 3, 5, "the model has the labels 0 to 2, asked for was 3"),
            (model, None, 0, "at least one step, got 0"),
            (TransformerModel(pair[0], Slow()), None, 5, "Slow does not say where its pieces stand .* use_fast=True"),
        ],
    )
