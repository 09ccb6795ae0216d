"""A student without interaction: r = f(context) + g(word). Not in the paper, which has products of both.

What it is for: if it predicts the teacher as well as MOXIE's student does, that one learns no interactions.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class AdditiveCombine(nn.Module):
    """W tanh(A c + a) + V tanh(B t + b): as many layers as MOXIE's module, and no path from one side to the other.

    Begins at 0, as MOXIE's does.
    """

    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        outputs = [nn.Linear(2 * width, out) for _ in range(2)]
        for layer in outputs:
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)
        self.hidden = nn.ModuleList(nn.Linear(width, 2 * width) for _ in range(2))
        self.output = nn.ModuleList(outputs)

    def forward(self, contexts: Tensor, tokens: Tensor) -> Tensor:
        """r `(n, out)` of `(n, d)` contexts and as many tokens; in float32 always."""
        with torch.autocast(contexts.device.type, enabled=False):
            first, second = (
                output(torch.tanh(hidden(given.float())))
                for hidden, output, given in zip(self.hidden, self.output, (contexts, tokens), strict=True)
            )
            r: Tensor = first + second
            return r
