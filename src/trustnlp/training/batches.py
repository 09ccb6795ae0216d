"""Tokenised texts, and batches of texts of like length.

Padding is work thrown away. Texts are shuffled, sorted by length within windows of some batches, cut into batches, and
the batches shuffled: every epoch is another random division, and little is padded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Rows = NDArray[np.int64]
# Batches that are sorted by length together: more of them, less padding, less chance.
_WINDOW = 32


@dataclass(frozen=True)
class Tokens:
    """Token ids of texts, one after another.

    Attributes
    ----------
    ids
        `(total,)` the ids of all texts.
    starts
        `(n + 1,)` text i is `ids[starts[i]:starts[i + 1]]`.
    """

    ids: NDArray[np.int64]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> Tokens:
        """Texts that are given as the ids of their tokens.

        Raises
        ------
        ValueError
            If there is no text, or one without a token.
        """
        if not rows or not all(rows):
            raise ValueError("give at least one text, and every text at least one token: an unknown word has an id too")
        starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        return cls(np.concatenate([np.asarray(row, dtype=np.int64) for row in rows]), starts)

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)


def tokenise(tokenizer: Any, texts: Sequence[str], max_length: int) -> Tokens:
    """Token ids with the special tokens, cut to `max_length`.

    Raises
    ------
    ValueError
        If there is no text, or a `max_length` below 3, which leaves no room for a word between [CLS] and [SEP].
    """
    if not texts:
        raise ValueError("no texts to tokenise")
    if max_length < 3:
        raise ValueError(f"max_length is at least 3 ([CLS], a word, [SEP]), got {max_length}")
    return Tokens.of(tokenizer(list(texts), truncation=True, max_length=max_length)["input_ids"])


def by_length(lengths: NDArray[np.int64], batch_size: int, rng: np.random.Generator | None = None) -> Iterator[Rows]:
    """Batches of rows: random with like lengths together, or for None all in order of length, which pads least.

    >>> [rows.tolist() for rows in by_length(np.array([3, 9, 1, 4]), 2)]
    [[2, 0], [3, 1]]

    Raises
    ------
    ValueError
        If given a batch size below 1.
    """
    if batch_size < 1:
        raise ValueError(f"a batch has at least one text, got batch_size={batch_size}")
    if rng is None:
        order = np.argsort(lengths, kind="stable")
        yield from (order[start : start + batch_size] for start in range(0, len(order), batch_size))
        return
    order = rng.permutation(len(lengths))
    windows = (order[start : start + _WINDOW * batch_size] for start in range(0, len(order), _WINDOW * batch_size))
    order = np.concatenate([window[np.argsort(lengths[window], kind="stable")] for window in windows])
    starts = np.arange(0, len(order), batch_size)
    yield from (order[start : start + batch_size] for start in rng.permutation(starts))


def padded(values: NDArray[Any], starts: NDArray[np.int64], rows: Rows) -> Tensor:
    """The rows' values, `(B, T)` or `(B, T, d)`, with zeros after the end of each."""
    lengths = starts[rows + 1] - starts[rows]
    batch = np.zeros((len(rows), int(lengths.max()), *values.shape[1:]), dtype=values.dtype)
    for place, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        batch[place, :length] = values[starts[row] : starts[row] + length]
    return torch.from_numpy(batch)


def padding_mask(starts: NDArray[np.int64], rows: Rows) -> Tensor:
    """`(B, T)`, true where a row has a token."""
    lengths = torch.from_numpy(starts[rows + 1] - starts[rows])
    return torch.arange(int(lengths.max()))[None, :] < lengths[:, None]
