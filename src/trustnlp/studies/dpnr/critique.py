"""Sentences as they leave the phone, attackers who know the noise, and words that are dropped before a release.

The proof of Theorem 2 in Lyu, He and Li (2020) is about words. Their released code (xlhex/dpnlp at commit 70f9abd)
draws a zero for each *piece* of a word, so a word of m pieces disappears with probability μ^m only.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from trustnlp.encoders.pretrained import Encoder
from trustnlp.encoders.split_bert import SplitBert
from trustnlp.privacy.accounting.composition import dropout_bernoulli
from trustnlp.privacy.mechanisms.representation import normalise

_BATCH = 30


def pieces_budget(epsilon: float, rate: float, pieces: int) -> float:
    """The ε left where a word is hidden only when each of its pieces is dropped, on its own: ln[(1 - μ^m)e^ε + μ^m].

    >>> [round(pieces_budget(1.0, 0.5, pieces), 2) for pieces in (1, 2, 3)]
    [0.62, 0.83, 0.92]
    """
    return dropout_bernoulli(epsilon, rate**pieces)


@torch.no_grad()
def represent(encoder: Encoder, sentences: Sequence[str]) -> Tensor:
    """`(n, k)` sentences as the encoder's pooler gives them, each scaled to [0, 1], without noise."""
    body = SplitBert(encoder.model, encoder.model.config.num_hidden_layers).eval()
    parts = []
    for start in range(0, len(sentences), _BATCH):
        some = list(sentences[start : start + _BATCH])
        batch = encoder.tokenizer(some, return_tensors="pt", truncation=True, max_length=128, padding=True)
        batch = batch.to(encoder.device)
        parts.append(normalise(body(batch["input_ids"], batch["attention_mask"])))
    return torch.cat(parts)


@torch.no_grad()
def represent_without(encoder: Encoder, template: str, words: Sequence[str]) -> tuple[Tensor, list[int]]:
    """`(n, k)` a sentence with each of some words in its place, none of whose pieces is attended to; and their pieces.

    So the released code hides words (xlhex/dpnlp, `run_dp.py`): a dropped piece keeps its place, so the words behind a
    longer one stand further right.

    Parameters
    ----------
    template
        Words and punctuation parted by spaces, one of them `{}`, where the word goes.
    """
    body = SplitBert(encoder.model, encoder.model.config.num_hidden_layers).eval()
    place = template.split().index("{}")
    vectors, pieces = [], []
    for word in words:
        batch = encoder.tokenizer(template.format(word).split(), return_tensors="pt", is_split_into_words=True)
        kept = torch.tensor([[at != place for at in batch.word_ids(0)]], device=encoder.device)
        vectors.append(normalise(body(batch["input_ids"].to(encoder.device), kept)))
        pieces.append(int((~kept).sum()))
    return torch.cat(vectors), pieces


def denoise(released: Tensor, scale: float, known: Tensor) -> Tensor:
    """`(n, k)` best linear guess of what Laplace noise was put on, by mean and covariance of known vectors."""
    average, covariance = known.mean(0), torch.cov(known.T)
    noise = 2 * scale**2 * torch.eye(known.shape[1], device=known.device)
    gain = torch.linalg.solve(covariance + noise, covariance)
    guess: Tensor = average + (released - average) @ gain
    return guess


def relative_error(guess: Tensor, truth: Tensor) -> float:
    """Mean distance of guesses `(n, k)` from the truth, each as a share of the true vector's length."""
    return float(((guess - truth).norm(dim=1) / truth.norm(dim=1)).mean())
