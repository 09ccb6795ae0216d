"""Scores of words from gradients of a label's score to the vectors of the word pieces.

- *Gradient × input*: the inner product of a piece's vector and the gradient there. One pass forward, one backward.
- *Integrated gradients* (Sundararajan, Taly and Yan 2017, §3, equation 1): with x the vectors of the text's pieces and
  x' those of the baseline, the score of piece i is (x_i - x'_i) · ∫₀¹ ∂F(x' + t(x - x'))/∂x_i dt. The scores add up to
  F(x) - F(x') (completeness). The baseline is [PAD] in the place of every piece between [CLS] and [SEP], as is usual
  for a BERT; it is a choice, and another baseline gives other scores.

F is the score of the label before the softmax. A word's score is the sum over its pieces. Added tokens such as [CLS]
get no score: their part is 0 for integrated gradients, and left out of gradient × input.

The integral is taken at Gauss–Legendre points, as in Captum, and all points of all texts are computed in batches of
like length. A model that turns its answer within a short stretch of the path needs more points: look at how far the
scores miss F(x) - F(x'), and raise `steps`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.attribution.model_calls import Floats, Words
from trustnlp.attribution.text_models import ModelError, TransformerModel, check_label
from trustnlp.training.batches import by_length

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GradientScores:
    """Scores of one text's words.

    Attributes
    ----------
    scores
        `(n,)`, one for each word.
    label, classes
        The label whose score F is explained, and how many there are.
    value, baseline
        F(x), and F(x'); None where the method has no baseline.
    passes
        Forward and backward passes, each counted.
    """

    scores: Floats
    label: int
    classes: int
    value: float
    baseline: float | None
    passes: int


@dataclass(frozen=True)
class _Pieces:
    """Texts as a model reads them: ids of tokens, and to which word each belongs (-1: an added token)."""

    ids: list[list[int]]
    words: list[NDArray[np.int64]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.array([len(row) for row in self.ids])

    def blanks(self, pad: int) -> list[list[int]]:
        """The baseline: padding in the place of every word piece."""
        rows = zip(self.ids, self.words, strict=True)
        return [[token if word < 0 else pad for token, word in zip(*row, strict=True)] for row in rows]

    def summed(self, at: int, parts: Tensor, count: int) -> Floats:
        """Scores `(count,)` of the words of text `at` from those of its tokens `(T,)`."""
        of_words = self.words[at] >= 0
        own = parts.numpy()[: len(of_words)][of_words]
        return np.bincount(self.words[at][of_words], own, minlength=count).astype(np.float64)


def gradient_times_input(
    model: TransformerModel, texts: Sequence[Words], label: int | None = None
) -> list[GradientScores]:
    """Gradient × input of texts; by default each text's most likely label is explained.

    Raises
    ------
    ModelError
        If given scores or gradients that are not finite, or a tokenizer that does not say where its pieces are.
    ValueError
        If there is no such label.
    """
    pieces = _pieces(model, texts)
    found: dict[int, GradientScores] = {}
    for rows in by_length(pieces.lengths, model.batch_size):
        ids, attended = model.padded([pieces.ids[at] for at in rows])
        vectors = _lookup(model, ids)
        logits, gradients, labels = _gradients(model, ids, attended, vectors, label)
        parts = (vectors * gradients).sum(-1).double().cpu()
        for place, at in enumerate(rows.tolist()):
            scores = pieces.summed(at, parts[place], len(texts[at]))
            of = int(labels[place])
            found[at] = GradientScores(scores, of, logits.shape[1], float(logits[place, of]), None, passes=2)
    return [found[at] for at in range(len(texts))]


def integrated_gradients(
    model: TransformerModel, texts: Sequence[Words], label: int | None = None, *, steps: int = 50
) -> list[GradientScores]:
    """Integrated gradients of texts; by default each text's most likely label is explained.

    Parameters
    ----------
    steps
        Gauss–Legendre points for each text. Each is a forward and a backward pass; F(x) and F(x') take one more each.

    Raises
    ------
    ModelError
        If `gradient_times_input` would raise it.
    ValueError
        If there is no such label, or fewer than one step.
    """
    if steps < 1:
        raise ValueError(f"integrated gradients need at least one step, got {steps}")
    pieces = _pieces(model, texts)
    blanks = pieces.blanks(model.tokenizer.pad_token_id)
    whole = model.logits(pieces.ids)
    labels = _labels(whole, label)
    empty = torch.empty_like(whole)
    for rows in by_length(pieces.lengths, model.batch_size):
        ids, attended = model.padded([pieces.ids[at] for at in rows])
        start = _lookup(model, model.padded([blanks[at] for at in rows])[0])
        with torch.no_grad():
            empty[torch.from_numpy(rows)] = _scores_at(model, ids, attended, start).double().cpu()
    roots, shares = np.polynomial.legendre.leggauss(steps)
    points, weights = torch.from_numpy((roots + 1) / 2).float(), torch.from_numpy(shares / 2)
    sums = [torch.zeros(len(row), dtype=torch.float64) for row in pieces.ids]
    text_of, point_of = np.repeat(np.arange(len(texts)), steps), np.tile(np.arange(steps), len(texts))
    for rows in by_length(pieces.lengths[text_of], model.batch_size):
        here, at_point = text_of[rows], point_of[rows]
        ids, attended = model.padded([pieces.ids[at] for at in here])
        start = _lookup(model, model.padded([blanks[at] for at in here])[0])
        step = _lookup(model, ids) - start
        vectors = start + points[at_point].to(model.device)[:, None, None] * step
        _, gradients, _ = _gradients(model, ids, attended, vectors, labels[torch.from_numpy(here)].to(model.device))
        parts = (step * gradients).sum(-1).double().cpu() * weights[at_point][:, None]
        for part, at in zip(parts, here.tolist(), strict=True):
            sums[at] += part[: len(sums[at])]
    return [
        GradientScores(
            pieces.summed(at, sums[at], len(words)),
            of := int(labels[at]),
            whole.shape[1],
            float(whole[at, of]),
            float(empty[at, of]),
            passes=2 * steps + 2,
        )
        for at, words in enumerate(texts)
    ]


def _gradients(
    model: TransformerModel, ids: Tensor, attended: Tensor, vectors: Tensor, label: Tensor | int | None
) -> tuple[Tensor, Tensor, Tensor]:
    """Logits `(B, c)`, gradients `(B, T, d)` of each row's label to its vectors, and the labels `(B,)`."""
    vectors = vectors.detach().requires_grad_()
    with torch.enable_grad():
        logits = _scores_at(model, ids, attended, vectors)
        labels = label if isinstance(label, Tensor) else _labels(logits, label)
        (gradients,) = torch.autograd.grad(logits.gather(1, labels[:, None]).sum(), vectors)
    if not bool(torch.isfinite(gradients).all()):
        raise ModelError("the model's gradients are not finite: its weights hold NaN or infinity, or overflow")
    return logits.detach(), gradients, labels


def _scores_at(model: TransformerModel, ids: Tensor, attended: Tensor, vectors: Tensor) -> Tensor:
    """Logits `(B, c)` with `vectors` in the place of those of the ids.

    The model still sees the ids, from which some models tell positions: those of the baseline are the text's.
    """
    handle = model.word_vectors.register_forward_hook(lambda *_: vectors)
    try:
        return model.scores(ids, attended)
    finally:
        handle.remove()


@torch.no_grad()
def _lookup(model: TransformerModel, ids: Tensor) -> Tensor:
    """Vectors `(B, T, d)` of token ids."""
    found: Tensor = model.word_vectors(ids)
    return found


def _labels(logits: Tensor, label: int | None) -> Tensor:
    """The most likely label of each row of `(n, c)`, or the one that is asked for."""
    if not bool(torch.isfinite(logits).all()):
        raise ModelError("the model's scores are not finite: its weights hold NaN or infinity, or overflow")
    if label is None:
        return logits.argmax(1)
    check_label(label, logits.shape[1])
    return torch.full((len(logits),), label, device=logits.device)


def _pieces(model: TransformerModel, texts: Sequence[Words]) -> _Pieces:
    if not getattr(model.tokenizer, "is_fast", False):
        raise ModelError(
            f"{type(model.tokenizer).__name__} does not say where its pieces stand in the text: use a fast tokenizer, "
            "AutoTokenizer.from_pretrained(..., use_fast=True)"
        )
    found = model.tokenised(
        [" ".join(words) for words in texts], return_offsets_mapping=True, return_special_tokens_mask=True
    )
    words = [
        _words_of(text, offsets, added)
        for text, offsets, added in zip(texts, found["offset_mapping"], found["special_tokens_mask"], strict=True)
    ]
    return _Pieces(found["input_ids"], words)


def _words_of(words: Words, offsets: Sequence[tuple[int, int]], added: Sequence[int]) -> NDArray[np.int64]:
    """The word of each token, `(T,)`; -1 for tokens that the tokenizer added."""
    # A blank belongs to the word after it: some tokenizers keep the two together, or make the blank a piece.
    word_at = np.repeat(np.arange(len(words)), [len(word) + (at > 0) for at, word in enumerate(words)])
    return np.array([-1 if extra else word_at[max(end - 1, 0)] for (_, end), extra in zip(offsets, added, strict=True)])
