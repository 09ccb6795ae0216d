"""Inputs of the trained layers: token ids, or the states of the frozen layers beneath, computed once for all runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.encoders.split_bert import SplitBert
from trustnlp.privacy.mechanisms.representation import drop_words
from trustnlp.training.batches import Rows, Tokens, by_length, padded, padding_mask
from trustnlp.training.kept_results import rows_once

_BATCH = 64


@dataclass(frozen=True)
class Inputs:
    """Inputs of the trained layers for a set of texts.

    Attributes
    ----------
    starts
        `(n + 1,)` text i has the positions `starts[i]` to `starts[i + 1]`.
    values
        `(total,)` token ids when all layers are trained, else `(total, d)` states.
    attended
        `(total,)` which positions the frozen layers could attend to; None when all layers are trained.
    rate
        Share of word pieces dropped (DPNR, §3.3.2). With all layers trained each batch draws its own mask, as in the
        released code. States are computed under one mask a text, so every epoch sees the same: a deviation.
    """

    starts: NDArray[np.int64]
    values: NDArray[np.int64] | NDArray[np.float32]
    attended: NDArray[np.bool_] | None
    rate: float

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many positions each text has, `(n,)`."""
        return np.diff(self.starts)

    def batch(self, rows: Rows, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """States or ids, padded, and the mask of what is attended to, on the CPU."""
        states = padded(self.values, self.starts, rows)
        if self.attended is not None:
            return states, padded(self.attended, self.starts, rows)
        return states, drop_words(padding_mask(self.starts, rows), self.rate, generator=generator)


def inputs_for(
    body: SplitBert,
    tokens: Tokens,
    rate: float,
    *,
    seed: int,
    settings: Mapping[str, Any] | None = None,
    folder: Path | None = None,
) -> Inputs:
    """Inputs of `body`'s trained layers; frozen states are kept in `folder` and read from there if they are.

    Parameters
    ----------
    rate, seed
        Word dropout, and the seed of its masks where states are frozen.
    settings
        All that decides the states, for the name of the file.

    Raises
    ------
    ValueError
        If the file is damaged, or holds states of other texts or another width.
    """
    if body.end_to_end:
        return Inputs(tokens.starts, tokens.ids, None, rate)
    generator = torch.Generator().manual_seed(seed)
    attended = np.zeros(len(tokens.ids), dtype=bool)
    for rows in by_length(tokens.lengths, _BATCH):
        mask = drop_words(padding_mask(tokens.starts, rows), rate, generator=generator)
        _scatter(attended, tokens.starts, rows, mask)
    shape = (len(tokens.ids), body.width)

    def frozen_states() -> NDArray[np.float32]:
        states = np.zeros(shape, dtype=np.float32)
        device = next(body.parameters()).device
        for rows in by_length(tokens.lengths, _BATCH):
            ids, kept = padded(tokens.ids, tokens.starts, rows), padded(attended, tokens.starts, rows)
            _scatter(states, tokens.starts, rows, body.lower(ids.to(device), kept.to(device)).float().cpu())
        return states

    states = rows_once("states", settings or {}, shape, folder, frozen_states)
    return Inputs(tokens.starts, states, attended, rate)


def _scatter(target: NDArray[np.generic], starts: NDArray[np.int64], rows: Rows, batch: Tensor) -> None:
    values = batch.numpy()
    for place, row in enumerate(rows):
        length = starts[row + 1] - starts[row]
        target[starts[row] : starts[row] + length] = values[place, :length]
