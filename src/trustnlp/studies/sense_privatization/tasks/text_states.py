"""One vector for a text, and one for a word that is meant in it: from a frozen encoder, or from static word vectors.

Arnold, Yesilbas and Weinzierl (2023), §4.2, fine-tune BERT. Deviation: here MiniLM, a sentence encoder (Reimers and
Gurevych 2019), stays as it is, and only a linear model is trained on its states (`private_tasks`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from trustnlp.embeddings.static import WordVectors
from trustnlp.encoders.pretrained import Encoder

MOST_TOKENS = 128  # as is usual for GLUE with BERT; what follows in a text is not read

Span = tuple[int, int]


class States(NamedTuple):
    """Attributes
    ----------
    sentences
        `(n, d)` one vector for each text, float32.
    targets
        `(n, d)` one for the word that is meant in it; None if none was asked for.
    """

    sentences: NDArray[np.float32]
    targets: NDArray[np.float32] | None


# From texts, and the characters of the word meant in each (or None), to their states.
Encode = Callable[[Sequence[str], Sequence[Span] | None], States]


@torch.no_grad()
def encoder_states(
    encoder: Encoder, texts: Sequence[str], spans: Sequence[Span] | None = None, *, batch_size: int = 64
) -> States:
    """The last layer's states: their mean over a text at length one, as MiniLM was trained, and over a word's pieces.

    Parameters
    ----------
    texts
        `n` texts; of each the first `MOST_TOKENS` pieces are read.
    spans
        For each text the first character of the word that is meant and the one after its last. A word without pieces
        (the tokenizer knows none of its characters, or it stands too late in the text) gets the vector of its text.
    batch_size
        Texts of like length that are encoded at once; they come back in the given order.

    Raises
    ------
    ValueError
        No text, or not one span for each.
    """
    if not texts or (spans is not None and len(spans) != len(texts)):
        raise ValueError(
            f"at least one text, and a span for each or none, got {len(texts)} texts and "
            f"{'no' if spans is None else len(spans)} spans"
        )
    cut = encoder.tokenizer(list(texts), truncation=True, max_length=MOST_TOKENS, return_offsets_mapping=True)
    dim = encoder.model.config.hidden_size
    sentences = np.empty((len(texts), dim), dtype=np.float32)
    targets = np.empty_like(sentences) if spans is not None else None
    order = np.argsort([len(ids) for ids in cut["input_ids"]], kind="stable")
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        padded = encoder.tokenizer.pad(
            {name: [cut[name][row] for row in rows] for name in ("input_ids", "attention_mask")}, return_tensors="pt"
        ).to(encoder.device)
        states = encoder.model(**padded).last_hidden_state
        whole = _mean(states, padded["attention_mask"].bool())
        sentences[rows] = torch.nn.functional.normalize(whole, dim=1).cpu().numpy()
        if spans is not None and targets is not None:
            meant = torch.zeros(states.shape[:2], dtype=torch.bool)
            for place, row in enumerate(rows):
                inside = _pieces_inside(cut["offset_mapping"][row], spans[row])
                meant[place, : len(inside)] = torch.tensor(inside)
            some = meant.any(dim=1)
            targets[rows] = torch.where(some[:, None], _mean(states.cpu(), meant), whole.cpu()).numpy()
    return States(sentences, targets)


def static_states(vectors: WordVectors, texts: Sequence[str], spans: Sequence[Span] | None = None) -> States:
    """A stand-in for an encoder: the mean of a text's word vectors, zero without any; between it and a word's own.

    Words are cut at blanks. For made-up texts, of which an encoder knows nothing.
    """
    sentences = np.zeros((len(texts), vectors.dim), dtype=np.float32)
    targets = np.zeros_like(sentences) if spans is not None else None
    for row, text in enumerate(texts):
        if known := [word for word in text.split() if word in vectors]:
            sentences[row] = vectors.stack(known).mean(axis=0)
        if spans is not None and targets is not None:
            word = text[slice(*spans[row])]
            targets[row] = (sentences[row] + vectors[word]) / 2 if word in vectors else sentences[row]
    return States(sentences, targets)


def _mean(states: torch.Tensor, which: torch.Tensor) -> torch.Tensor:
    """`(B, d)` mean of states `(B, T, d)` over the places marked, `(B, T)`; zero where none is."""
    weights = which.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)


def _pieces_inside(offsets: Sequence[Span], span: Span) -> list[bool]:
    """Which pieces lie within the characters; special tokens, which have none, do not."""
    return [span[0] <= first < after <= span[1] for first, after in offsets]
