"""The networks of the attackers in `trustnlp.privacy.attacks.attribute_inference`: one for all attributes, or one for
each.

A joint network has weights `(h, k), (h,), (a, h), (a,)` and one output per attribute. Separate ones, for a attributes,
have `(a·h, k), (a·h,), (a, 2, h), (a, 2)`: the first layers of all in one matrix, and two outputs each, absent and
present. The softmax over these two is the sigmoid of their difference, so either kind is read by its `logits`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional


def first_weights(
    k: int, hidden: int, attributes: int, separate: bool, device: torch.device, generator: torch.Generator
) -> list[Tensor]:
    """Weights and biases of both layers, uniform within ±1/√(inputs) as in torch's linear layers."""
    rows, outputs = (attributes * hidden, (attributes, 2)) if separate else (hidden, (attributes,))
    weights = []
    for shape, inputs in (((rows, k), k), ((rows,), k), ((*outputs, hidden), hidden), (outputs, hidden)):
        drawn = torch.empty(shape, device=generator.device)
        drawn.uniform_(-1 / math.sqrt(inputs), 1 / math.sqrt(inputs), generator=generator)
        weights.append(drawn.to(device).requires_grad_())
    return weights


def logits(vectors: Tensor, weights: Sequence[Tensor]) -> Tensor:
    """`(n, a)` the log odds that an attribute is present, of vectors `(n, k)`."""
    inner, inner_bias, outer, outer_bias = weights
    units = functional.relu(functional.linear(vectors, inner, inner_bias))
    if outer.ndim == 2:
        return functional.linear(units, outer, outer_bias)
    both = torch.einsum("nah,aoh->nao", units.unflatten(1, (len(outer), -1)), outer) + outer_bias
    return both[..., 1] - both[..., 0]


@torch.no_grad()
def attribute_probabilities(vectors: Tensor, weights: Sequence[Tensor]) -> NDArray[np.float32]:
    """`(n, a)` the probability that an attribute is present."""
    return torch.sigmoid(logits(vectors, weights)).cpu().numpy()


def loss_of(log_odds: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy, summed over the attributes and averaged over the texts."""
    return functional.binary_cross_entropy_with_logits(log_odds, targets, reduction="sum") / len(targets)
