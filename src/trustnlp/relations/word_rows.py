"""Word vectors that are trained, at the cost of the words of a batch and not of the whole vocabulary.

A step of Adagrad changes a row of the table only where its gradient is not zero, so a step on the rows of the batch's
words alone is the same step. Torch has sparse gradients for that, but cannot clip them. Here a batch's rows, and what
Adagrad knows of them, are borrowed before a step and given back after it. The optimiser sees a small parameter, clipped
like all others.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from trustnlp.relations.relation_vocabulary import PADDING


class WordRows(nn.Module):
    """A table of word vectors.

    Parameters
    ----------
    table
        `(V, d)` vectors to start from; they are copied. Row `PADDING` is zero and stays so.
    borrowed
        How many distinct words a batch can have in training; 0 freezes the vectors.

    Attributes
    ----------
    rows, squares
        `(V, d)` the vectors, and Adagrad's sums of their squared gradients.
    """

    rows: Tensor
    squares: Tensor

    def __init__(self, table: Tensor, borrowed: int) -> None:
        super().__init__()
        self.register_buffer("rows", table.clone())
        self.window: nn.Parameter | None = None
        if borrowed:
            self.register_buffer("squares", torch.zeros_like(table))
            self.window = nn.Parameter(torch.zeros(borrowed, table.shape[1]))
        self._words: Tensor | None = None

    @property
    def dim(self) -> int:
        return int(self.rows.shape[1])

    def forward(self, words: Tensor) -> Tensor:
        """Vectors `(B, T, d)` of word numbers `(B, T)`. In training the rows are borrowed for the next step.

        Raises
        ------
        ValueError
            If there are, in training, more distinct words than can be borrowed.
        """
        if self.window is None or not self.training or not torch.is_grad_enabled():
            return nn.functional.embedding(words, self.rows)
        distinct, places = torch.unique(words, return_inverse=True)
        if len(distinct) > len(self.window):
            raise ValueError(f"the batch has {len(distinct)} distinct words, {len(self.window)} can be borrowed")
        with torch.no_grad():
            self.window[: len(distinct)] = self.rows[distinct]
        self._words = distinct
        # They are in order: padding, which gets no gradient, would be the first.
        return nn.functional.embedding(places, self.window, padding_idx=0 if distinct[0] == PADDING else None)

    def train_with(self, optimiser: torch.optim.Adagrad) -> None:
        """Let an optimiser that has the parameter `window` train the table; call it once, before the first step."""
        if self.window is None:
            return
        window = self.window
        self.squares.fill_(optimiser.defaults["initial_accumulator_value"])

        def lend(*_: Any) -> None:
            if self._words is not None:
                optimiser.state[window]["sum"][: len(self._words)] = self.squares[self._words]

        def take_back(*_: Any) -> None:
            if self._words is not None:
                with torch.no_grad():
                    self.rows[self._words] = window[: len(self._words)]
                self.squares[self._words] = optimiser.state[window]["sum"][: len(self._words)]
                self._words = None

        optimiser.register_step_pre_hook(lend)
        optimiser.register_step_post_hook(take_back)
