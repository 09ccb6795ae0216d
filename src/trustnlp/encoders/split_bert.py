"""A BERT cut in two: lower layers that stay as they are, upper layers that are trained, and only [CLS] at the top.

Fine-tuning for classification reads one vector of a text, the last layer's state at [CLS]. So the last layer needs the
queries of that position alone; the rest of its work, five sixths, is left out. The result is that of the whole layer.

Lower layers that are not trained give the same states in every epoch and every run, so they can be computed once
(`trustnlp.training.states`). With all layers trained nothing is frozen, the embeddings neither.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class SplitBert(nn.Module):
    """The upper `tuned_layers` of a BERT with its pooler, and the frozen part beneath them.

    Parameters
    ----------
    bert
        `transformers.BertModel` with a pooler. Its modules are used, not copied.
    tuned_layers
        How many layers are trained, from the top; all of them means the embeddings as well.

    Raises
    ------
    ValueError
        If given another architecture, no pooler, or `tuned_layers` outside 1 to the number of layers.
    """

    def __init__(self, bert: Any, tuned_layers: int) -> None:
        super().__init__()
        if getattr(bert.config, "model_type", None) != "bert" or getattr(bert, "pooler", None) is None:
            kind = getattr(bert.config, "model_type", type(bert).__name__)
            raise ValueError(f"a BERT with a pooler is needed, got {kind!r}")
        layers = list(bert.encoder.layer)
        if not 1 <= tuned_layers <= len(layers):
            raise ValueError(f"{len(layers)} layers can be trained, at least one; got tuned_layers={tuned_layers}")
        self.width: int = bert.config.hidden_size
        self.end_to_end = tuned_layers == len(layers)
        cut = len(layers) - tuned_layers
        # Frozen parts stand in a plain tuple, out of sight of train(), parameters() and the optimiser.
        self._frozen = () if self.end_to_end else (bert.embeddings, *layers[:cut])
        for module in self._frozen:
            module.eval().requires_grad_(False)
        self.embeddings = bert.embeddings if self.end_to_end else None
        self.layers = nn.ModuleList(layers[cut:])
        self.pooler = bert.pooler

    @torch.no_grad()
    def lower(self, ids: Tensor, attended: Tensor) -> Tensor:
        """States `(B, T, d)` that enter the trained layers; the ids themselves when all layers are trained."""
        if not self._frozen:
            return ids
        embeddings, *layers = self._frozen
        hidden: Tensor = embeddings(input_ids=ids)
        mask = _mask(attended)
        for layer in layers:
            hidden = _block(layer, hidden, mask, hidden)
        return hidden

    def forward(self, states: Tensor, attended: Tensor) -> Tensor:
        """Pooled vector `(B, d)`: tanh of a linear map of the state at [CLS].

        Parameters
        ----------
        states
            What `lower` returned.
        attended
            `(B, T)`, not zero at the positions that may be attended to.

        Raises
        ------
        ValueError
            If given a text with no position to attend to, as when all of its words are dropped.
        """
        hidden: Tensor = self.embeddings(input_ids=states) if self.embeddings is not None else states
        mask = _mask(attended)
        for layer in self.layers[:-1]:
            hidden = _block(layer, hidden, mask, hidden)
        pooled: Tensor = self.pooler(_block(self.layers[-1], hidden, mask, hidden[:, :1]))
        return pooled


def _mask(attended: Tensor) -> Tensor:
    """`(B, 1, 1, T)` of booleans, for every head and query."""
    kept = attended.bool()
    empty = (~kept.any(dim=1)).nonzero()[:, 0].tolist()
    if empty:
        raise ValueError(f"texts {empty[:5]} of this batch have no word left to attend to; keep at least one of each")
    return kept[:, None, None, :]


def _block(layer: Any, hidden: Tensor, mask: Tensor, queries: Tensor) -> Tensor:
    """One layer for the positions in `queries`, which attend to all of `hidden`."""
    attention = layer.attention.self
    heads = attention.num_attention_heads

    def split(states: Tensor) -> Tensor:
        rows, positions, width = states.shape
        return states.view(rows, positions, heads, width // heads).transpose(1, 2)

    mixed = nn.functional.scaled_dot_product_attention(
        split(attention.query(queries)),
        split(attention.key(hidden)),
        split(attention.value(hidden)),
        attn_mask=mask,
        dropout_p=attention.dropout.p if layer.training else 0.0,
    )
    context = layer.attention.output(mixed.transpose(1, 2).reshape(queries.shape), queries)
    output: Tensor = layer.output(layer.intermediate(context), context)
    return output
