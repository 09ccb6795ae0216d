"""Kim's network of two channels against the obvious computation, one text, one window and one channel at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from refusals import assert_refused
from torch import Tensor, nn

from trustnlp.embeddings.static import WordVectors
from trustnlp.training.multichannel_cnn import NO_WORD, MultichannelCnn, word_table

TEXTS = [[3, 1, 4, 1, 5], [9], [2, 6]]
WIDTHS = (2, 3)


def batch(width: int) -> tuple[Tensor, Tensor]:
    """The texts, padded to a width with a word number that is not 0: what stands there must not matter."""
    ids, mask = torch.full((len(TEXTS), width), 7), torch.zeros(len(TEXTS), width, dtype=torch.bool)
    for row, text in enumerate(TEXTS):
        ids[row, : len(text)], mask[row, : len(text)] = torch.tensor(text), True
    return ids, mask


def table(words: int = 9, dim: int = 6) -> Tensor:
    found = torch.randn(words + 1, dim)
    found[NO_WORD] = 0
    return found


def network(**given: float) -> MultichannelCnn:
    """A small network with weights that are not tiny, whose channels differ."""
    model = MultichannelCnn(table(), 3, widths=WIDTHS, maps=4, **given)
    for value in model.parameters():
        nn.init.normal_(value)
    with torch.no_grad():
        model.tuned.weight[NO_WORD] = 0
    return model.eval()


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def slow_features(model: MultichannelCnn, text: list[int]) -> Tensor:
    """Each filter on each channel, window by window; the answers of the channels are added."""
    found = []
    for width, layer in zip(WIDTHS, model.windows, strict=True):
        nothing = torch.zeros(width - 1, 6)
        channels = [torch.cat([nothing, rows[text], nothing]) for rows in (model.static, model.tuned.weight)]
        for weight, bias in zip(layer.weight, layer.bias, strict=True):
            answers = [
                sum((channel[at : at + width] * weight.T).sum() for channel in channels) + bias
                for at in range(len(text) + width - 1)
            ]
            found.append(torch.stack(answers).relu().max())
    return torch.stack(found)


def test_scores_are_those_of_the_slow_computation_whatever_the_padding() -> None:
    model = network()
    expected = torch.stack([model.classifier(0.5 * slow_features(model, text)) for text in TEXTS])
    for width in (5, 11):
        torch.testing.assert_close(model(*batch(width)), expected, rtol=1e-4, atol=1e-4)


def test_dropout_hides_features_and_scales_none_up() -> None:
    model = network()
    with torch.no_grad():
        model.classifier.weight.copy_(torch.eye(8)[:3])
        model.classifier.bias.zero_()
    features = torch.stack([slow_features(model, text) for text in TEXTS])[:, :3]
    model.train()
    seen = torch.stack([model(*batch(5)) for _ in range(200)])
    hidden = seen == 0
    torch.testing.assert_close(seen[~hidden], features.expand_as(seen)[~hidden], rtol=1e-4, atol=1e-4)
    share = hidden[:, features > 0].double().mean().item()
    assert abs(share - 0.5) < 4 * math.sqrt(0.25 / (200 * int((features > 0).sum())))


def test_only_the_tuned_channel_is_trained_and_no_word_stays_zero() -> None:
    start = table()
    model = MultichannelCnn(start, 2, maps=4)
    assert torch.equal(model.static, start) and torch.equal(model.tuned.weight, start)
    nn.init.normal_(model.classifier.weight)
    optimiser = torch.optim.Adadelta(model.parameters(), rho=0.95)
    ids, mask = batch(6)
    ids[1, 0] = NO_WORD
    nn.functional.cross_entropy(model(ids, mask), torch.tensor([0, 1, 1])).backward()
    optimiser.step()
    assert torch.equal(model.static, start)
    moved = (model.tuned.weight != start).any(1).nonzero()[:, 0].tolist()
    assert moved == [1, 2, 3, 4, 5, 6]  # the words attended to: not 7, 8 and 9, nor NO_WORD
    assert "static" not in model.state_dict() and "static" not in dict(model.named_parameters())


def test_rows_of_the_last_layer_are_cut_to_the_limit_and_shorter_ones_left() -> None:
    model = MultichannelCnn(table(), 3, maps=2, widths=(3,), longest_row=5.0)
    with torch.no_grad():
        model.classifier.weight.copy_(torch.tensor([[6.0, 8.0], [3.0, 4.0], [0.5, 0.0]]))
    model.shorten_rows()
    torch.testing.assert_close(model.classifier.weight.detach(), torch.tensor([[3.0, 4.0], [3.0, 4.0], [0.5, 0.0]]))


def test_more_words_change_no_score_of_the_others_and_start_as_they_come() -> None:
    model = network()
    more = torch.randn(2, 6)
    grown = model.grown(more)
    assert torch.equal(grown(*batch(5)), model(*batch(5)))
    torch.testing.assert_close(grown.static[10:], more)
    torch.testing.assert_close(grown.tuned.weight[10:].detach(), more)
    assert len(model.static) == 10
    one = torch.ones(1, 1, dtype=torch.bool)
    assert not torch.equal(grown(torch.tensor([[10]]), one), grown(torch.tensor([[11]]), one))


def test_words_without_a_vector_are_drawn_with_the_variance_of_the_others() -> None:
    rng = np.random.default_rng(1)
    vectors = WordVectors([f"w{row}" for row in range(50)], rng.normal(0.2, 0.1, (50, 300)), "made up")
    words = ["w3", *(f"new{row}" for row in range(200)), "w0"]
    found = word_table(words, vectors, np.random.default_rng(0)).numpy()
    assert found.shape == (203, 300) and found.dtype == np.float32
    assert not found[0].any()
    np.testing.assert_array_equal(found[[1, 202]], vectors.stack(["w3", "w0"]))
    drawn = found[2:202]
    bound = math.sqrt(3 * float(vectors.matrix.var(dtype=np.float64)))
    assert drawn.var() == pytest.approx(float(vectors.matrix.var()), rel=0.02)
    assert 0.99 * bound < np.abs(drawn).max() <= bound
    again = word_table(words, vectors, np.random.default_rng(0)).numpy()
    np.testing.assert_array_equal(again, found)
    assert not np.array_equal(word_table(words, vectors, np.random.default_rng(1)).numpy(), found)


def test_what_makes_no_sense_is_refused() -> None:
    vectors = WordVectors(["a", "b"], np.ones((2, 3)), "made up")
    rng = np.random.default_rng(0)
    assert_refused(
        lambda words: word_table(words, vectors, rng), [([], "got 0"), (["a", "b", "a"], "got 3 of which 2 differ")]
    )
    not_zero, not_finite = torch.ones(4, 3), table()
    not_finite[2, 1] = math.nan
    rows = [
        ({"table": torch.zeros(1, 3)}, r"at least one word, got \(1, 3\)"),
        ({"table": not_zero}, "row 0.*see word_table"),
        ({"table": not_finite}, "all numbers are finite"),
        ({"labels": 1}, "two classes.*got 1 classes"),
        ({"widths": (3, 0)}, r"the widths \(3, 0\)"),
        ({"dropout": 1.0}, r"dropout lies in \[0, 1\).*got 1.0"),
        ({"longest_row": 0.0}, "longest row is positive, got 0.5 and 0.0"),
    ]
    assert_refused(lambda given: MultichannelCnn(**{"table": table(), "labels": 2, **given}), rows)
    model = network()
    empty = torch.zeros(1, 3, dtype=torch.bool)
    assert_refused(lambda: model(torch.ones(1, 3, dtype=torch.int64), empty), [("NO_WORD",)])
    assert_refused(model.grown, [(torch.ones(2, 5), r"\(k, 6\), got \(2, 5\)"), (torch.ones(6), r"got \(6,\)")])
