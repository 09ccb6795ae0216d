"""An encoder of any usual kind as one vector of a text, all of its layers trained: the state at the first position.

`SplitBert` takes a BERT apart, so that frozen layers are computed once. Where nothing is frozen, the encoder's own
forward pass does, and the kinds that BERT's authors did not write come in: RoBERTa, MPNet, DistilBERT.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

# Kinds of Hugging Face that begin a text with a position of its own, which is read for classification.
KINDS = ("bert", "roberta", "mpnet", "distilbert")


class WholeEncoder(nn.Module):
    """An encoder with its pooler, if it has one.

    Parameters
    ----------
    model
        A `BertModel`, `RobertaModel`, `MPNetModel` or `DistilBertModel` of `transformers`. It is used, not copied.

    Raises
    ------
    ValueError
        If given a model of another kind.
    """

    def __init__(self, model: Any) -> None:
        super().__init__()
        kind = getattr(getattr(model, "config", None), "model_type", type(model).__name__)
        if kind not in KINDS:
            raise ValueError(f"an encoder of one of the kinds {', '.join(KINDS)} is needed, got {kind!r}")
        self.model = model
        self.width: int = model.config.hidden_size
        self.end_to_end = True

    @property
    def embeddings(self) -> Any:
        """With `word_embeddings`, the vectors of token ids."""
        return self.model.embeddings

    @torch.no_grad()
    def lower(self, ids: Tensor, attended: Tensor) -> Tensor:
        """The ids: nothing is frozen."""
        return ids

    def forward(self, ids: Tensor, attended: Tensor) -> Tensor:
        """Pooled vector `(B, d)`: of the state at the first position what the encoder's pooler makes; else the state.

        Parameters
        ----------
        ids
            `(B, T)` token ids, padded on the right with any id.
        attended
            `(B, T)`, not zero at the positions that may be attended to.
        """
        states: Tensor = self.model(input_ids=ids, attention_mask=attended.long()).last_hidden_state
        pooler = getattr(self.model, "pooler", None)
        first: Tensor = states[:, 0] if pooler is None else pooler(states)
        return first
