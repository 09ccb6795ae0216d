"""Plain classifiers against the obvious computation, one text at a time."""

from __future__ import annotations

import pytest
import torch
from on_gpu import assert_trains_alike, needs_gpu
from tiny_bert import tiny_encoder
from torch import Tensor, nn

from trustnlp.encoders.whole_encoder import WholeEncoder
from trustnlp.training.multichannel_cnn import MultichannelCnn
from trustnlp.training.text_classifiers import ConvolutionClassifier, EncoderClassifier

TEXTS = [[3, 1, 4, 1, 5], [9], [2, 6]]


def batch(width: int) -> tuple[Tensor, Tensor]:
    """The texts, padded to a width with a word number that is not 0: what stands there must not matter."""
    ids, mask = torch.full((len(TEXTS), width), 7), torch.zeros(len(TEXTS), width, dtype=torch.bool)
    for row, text in enumerate(TEXTS):
        ids[row, : len(text)], mask[row, : len(text)] = torch.tensor(text), True
    return ids, mask


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def test_padding_changes_nothing() -> None:
    model = ConvolutionClassifier(nn.Embedding(10, 6), 3).eval()
    torch.testing.assert_close(model(*batch(5)), model(*batch(11)))
    alone = [model(torch.tensor([text]), torch.ones(1, len(text), dtype=torch.bool)) for text in TEXTS]
    torch.testing.assert_close(model(*batch(5)), torch.cat(alone))


def test_convolutions_look_at_every_window_that_holds_a_word() -> None:
    model = ConvolutionClassifier(nn.Embedding(10, 6), 2, widths=(2, 3), maps=4).eval()
    expected = []
    for text in TEXTS:
        found = []
        for width, layer in zip((2, 3), model.windows, strict=True):
            nothing = torch.zeros(width - 1, 6)
            line = torch.cat([nothing, model.words.weight[text], nothing])
            windows = [line[start : start + width] for start in range(len(text) + width - 1)]
            features = [torch.einsum("wd,mdw->m", window, layer.weight) + layer.bias for window in windows]
            found.append(torch.stack(features).relu().amax(0))
        expected.append(model.classifier(torch.cat(found)))
    torch.testing.assert_close(model(*batch(6)), torch.stack(expected))


def test_frozen_word_vectors_have_no_gradient() -> None:
    model = ConvolutionClassifier(nn.Embedding(10, 6).requires_grad_(False), 2, maps=4)
    model(*batch(5)).sum().backward()
    assert model.words.weight.grad is None and model.classifier.weight.grad is not None


@pytest.mark.gpu
@needs_gpu
@pytest.mark.parametrize("kind", ["convolutions", "multichannel", "encoder"])
def test_on_a_gpu_each_model_learns_the_same(kind: str) -> None:
    makers = {
        "convolutions": lambda: ConvolutionClassifier(nn.Embedding(10, 6), 3, maps=4),
        "multichannel": lambda: MultichannelCnn(torch.randn(10, 6).index_fill(0, torch.tensor([0]), 0.0), 3, maps=4),
        "encoder": lambda: EncoderClassifier(WholeEncoder(tiny_encoder(list("abcdef")).model), 3),
    }
    ids, mask = batch(6)
    assert_trains_alike(makers[kind](), lambda model, device: model(ids.to(device), mask.to(device)))
