"""One vector per word from a contextual encoder: the word alone as input, its hidden states pooled.

"Measuring biases of word embeddings" (§3, Table 2) feeds single words, without a template sentence, and takes for BERT
the sum of the last four hidden layers at [CLS], for GPT and GPT-2 the last hidden layer. It does not say how the states
of a word that the tokenizer splits are joined; `mean` and `last_token` are the two usual answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from trustnlp.embeddings.static import WordVectors
from trustnlp.encoders.pretrained import Encoder

Pooling = Literal["cls_last_four", "mean", "last_token"]
_Pool = Callable[[tuple[Tensor, ...], Tensor], Tensor]


def cls_last_four(hidden: tuple[Tensor, ...], keep: Tensor) -> Tensor:
    """Sum of the last four layers at the first position, [CLS] (Table 2, BERT).

    Parameters
    ----------
    hidden
        Hidden states of every layer, each `(B, T, d)`, the embedding layer first.
    keep
        `(B, T)`, true at the tokens of the word; not used here.

    Returns
    -------
    Tensor
        `(B, d)`.
    """
    return torch.stack([layer[:, 0] for layer in hidden[-4:]]).sum(0)


def mean(hidden: tuple[Tensor, ...], keep: Tensor) -> Tensor:
    """Mean of the last layer over the tokens of the word, special tokens left out: `(B, d)`."""
    weights = keep.unsqueeze(-1).to(hidden[-1].dtype)
    return (hidden[-1] * weights).sum(1) / weights.sum(1)


def last_token(hidden: tuple[Tensor, ...], keep: Tensor) -> Tensor:
    """Last layer at the last token of the word, the only one that a left-to-right model lets see it whole: `(B, d)`."""
    positions = torch.arange(keep.shape[1], device=keep.device)
    last = (keep * positions).argmax(1)
    return hidden[-1][torch.arange(len(keep), device=keep.device), last]


_POOLINGS: dict[str, _Pool] = {"cls_last_four": cls_last_four, "mean": mean, "last_token": last_token}


@torch.no_grad()
def word_vectors(
    encoder: Encoder, words: Sequence[str], pooling: Pooling = "mean", batch_size: int = 64
) -> WordVectors:
    """Encode each word as an input of its own and pool it to one vector.

    Words are encoded in batches of like length; the result has the order of `words` and does not depend on the batch
    size beyond rounding. An uncased tokenizer gives 'Rose' and 'rose' one vector.

    Parameters
    ----------
    words
        Distinct, not blank.
    pooling
        `cls_last_four` (encoders with a [CLS] token only), `mean`, or `last_token`.

    Raises
    ------
    ValueError
        If given an unknown pooling, a blank word, a batch size below 1, or `cls_last_four` for an encoder without
        [CLS].
    """
    if pooling not in _POOLINGS:
        raise ValueError(f"unknown pooling {pooling!r}; choose from {', '.join(_POOLINGS)}")
    if pooling == "cls_last_four" and encoder.tokenizer.cls_token_id is None:
        raise ValueError(f"{encoder.name} has no [CLS] token; use pooling 'last_token' or 'mean'")
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, got {batch_size}")
    if not words:
        raise ValueError("no words to encode")
    tokenized = [_tokenize(encoder, word) for word in words]
    order = sorted(range(len(words)), key=lambda index: len(tokenized[index][0]))
    batches = (order[start : start + batch_size] for start in range(0, len(order), batch_size))
    rows = [_pooled_batch(encoder, [tokenized[index] for index in batch], _POOLINGS[pooling]) for batch in batches]
    return WordVectors(words, np.concatenate(rows)[np.argsort(order)], f"{encoder.name} ({pooling})")


def _tokenize(encoder: Encoder, word: str) -> tuple[list[int], list[bool]]:
    """Token ids of a word with the model's special tokens, and which of them belong to the word."""
    encoded = encoder.tokenizer(word, return_special_tokens_mask=True)
    keep = [special == 0 for special in encoded["special_tokens_mask"]]
    if not any(keep):
        raise ValueError(f"{word!r} has no tokens; leave blank words out")
    return encoded["input_ids"], keep


def _pooled_batch(encoder: Encoder, batch: list[tuple[list[int], list[bool]]], pool: _Pool) -> np.ndarray:
    """Run one batch, padded on the right: `(B, d)` float32."""
    ids, attended, keep = (
        pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=padding).to(encoder.device)
        for rows, padding in (
            ([ids for ids, _ in batch], encoder.tokenizer.pad_token_id),
            ([[1] * len(ids) for ids, _ in batch], 0),
            ([keep for _, keep in batch], False),
        )
    )
    output = encoder.model(input_ids=ids, attention_mask=attended, output_hidden_states=True)
    pooled: np.ndarray = pool(output.hidden_states, keep).float().cpu().numpy()
    return pooled
