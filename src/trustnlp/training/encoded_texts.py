"""Texts through an encoder, batch by batch in order of length: the one way in which classifiers read texts.

A text longer than the limit is cut, as everywhere; here it is said. What is computed in is declared, never guessed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import normalize
from tqdm import tqdm

from trustnlp.encoders.pretrained import Encoder
from trustnlp.training.batches import Rows, Tokens, by_length, padded, padding_mask, tokenise
from trustnlp.training.kept_results import rows_once, texts_fingerprint
from trustnlp.training.loop import Precision

BATCH = 64
_SHOWN_AFTER = 3.0  # seconds
_MOST_TOKENS = 128


def mask_token(encoder: Encoder) -> str:
    """The token in the place of a masked word.

    Raises
    ------
    ValueError
        If the tokenizer has no such token.
    """
    token: str | None = encoder.tokenizer.mask_token
    if token is None:
        raise ValueError(
            f"the tokenizer of {encoder.name} has no mask token, and MOXIE masks words; use an encoder that was "
            "trained on masked words, such as all-MiniLM-L6-v2, bert-base-cased or roberta-base"
        )
    return token


def as_texts(texts: Sequence[str]) -> list[str]:
    """The texts as a list.

    Raises
    ------
    ValueError
        If there is no text, or one string where several are expected.
    """
    if isinstance(texts, str):
        raise ValueError(f"expected a sequence of texts, got the single text {texts!r}; put it into a list")
    if not len(texts):
        raise ValueError("no texts were given")
    return list(texts)


def cut_visibly(encoder: Encoder, texts: Sequence[str], max_length: int) -> Tokens:
    """Token ids with the special tokens; one warning for all texts that had to be cut to `max_length`.

    Raises
    ------
    ValueError
        If there is no text, or a `max_length` that leaves no room for a word.
    """
    found = as_texts(texts)
    tokens = tokenise(encoder.tokenizer, found, max_length)
    full = np.flatnonzero(tokens.lengths == max_length)
    cut = [at for at in full if len(encoder.tokenizer(found[at], verbose=False)["input_ids"]) > max_length]
    if cut:
        warnings.warn(
            f"{len(cut)} of {len(found)} texts have more than {max_length} tokens; what follows in them is not read. "
            f"The first begins {found[cut[0]][:60]!r}",
            stacklevel=3,
        )
    return tokens


def encode(
    forward: Callable[[Tensor, Tensor, Rows], Tensor],
    tokens: Tokens,
    width: int,
    *,
    device: torch.device,
    precision: Precision,
    of: str,
) -> Tensor:
    """One vector for each text, `(n, width)` float32 on the device, in the order of the texts, without gradients.

    Parameters
    ----------
    forward
        From ids and mask, `(B, T)` on the device, and the texts' numbers to vectors `(B, width)`.
    precision
        What `forward` computes in.
    of
        What is encoded, for the progress bar and for an error.

    Raises
    ------
    FloatingPointError
        If a vector is not finite.
    """
    vectors = torch.empty(len(tokens), width, device=device)
    bar = tqdm(total=len(tokens), desc=of, disable=None, delay=_SHOWN_AFTER, leave=False)  # None: in a terminal only
    low = precision == "bfloat16"
    with bar, torch.inference_mode(), torch.autocast(device.type, torch.bfloat16, enabled=low):
        for rows in by_length(tokens.lengths, BATCH):
            ids, attended = padded(tokens.ids, tokens.starts, rows), padding_mask(tokens.starts, rows)
            vectors[rows] = forward(ids.to(device), attended.to(device), rows).float()
            bar.update(len(rows))
    finite = torch.isfinite(vectors).all(dim=1)
    if not bool(finite.all()):
        wrong = (~finite).nonzero()[:, 0].tolist()
        raise FloatingPointError(
            f"{len(wrong)} of {len(tokens)} vectors of {of} are not finite, the first is number {wrong[0]}: the "
            "weights hold NaN or infinity; train again with a smaller learning rate"
        )
    return vectors


def text_states(
    encoder: Encoder, texts: Sequence[str], *, precision: Precision = "float32", folder: Path | None = None
) -> NDArray[np.float32]:
    """The last layer's mean over a text's first 128 tokens, at length 1, as MiniLM was trained: `(n, d)`."""
    listed = as_texts(texts)
    width = int(encoder.model.config.hidden_size)

    def pooled(ids: Tensor, attended: Tensor, _: Rows) -> Tensor:
        states = encoder.model(input_ids=ids, attention_mask=attended.long()).last_hidden_state.float()
        mask = attended[..., None]
        return normalize((states * mask).sum(1) / mask.sum(1), dim=1)

    def compute() -> NDArray[np.float32]:
        tokens = tokenise(encoder.tokenizer, listed, _MOST_TOKENS)
        vectors = encode(pooled, tokens, width, device=encoder.device, precision=precision, of="texts")
        states: NDArray[np.float32] = vectors.cpu().numpy()
        return states

    settings = {"encoder": encoder_settings(encoder, precision), "texts": texts_fingerprint(listed)}
    return rows_once("states", settings, (len(listed), width), folder, compute)


def encoder_settings(encoder: Encoder, precision: Precision) -> str:
    """All that decides a state of `text_states` but the text, for the name of what is kept."""
    return f"{encoder.name} {encoder.revision} {encoder.device.type} {precision} {_MOST_TOKENS}"
