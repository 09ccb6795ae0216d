"""`ExactSearch` whose proposals are products of bfloat16: the same rows, several times as fast where a CPU has them.

Recent CPUs multiply matrices of bfloat16 (8 significant bits) several times as fast as those of float32. Float64
decides as before, so only the bound of the error changes (head of `exact_search`, whose symbols are used here). Let
v = 2⁻⁹. Rounding both factors of an inner product to bfloat16 adds at most (2 v + v²) Σ|terms|; sums are of float32;
rounding the result to bfloat16 adds v (1 + …) Σ|terms|. With Σ|terms| ≤ M (½ s M + ‖s q‖) that is

    E₁₆(q) = 3.1 · 2⁻⁹ · M (½ s M + ‖s q‖)

beside E₃₂ and E₆₄. A few more rows than before remain to be compared in float64.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from trustnlp.embeddings.exact_search import (
    _UNDECIDED_AT_ONCE,
    ExactSearch,
    Floats64,
    Indices,
    _Best,
    _next,
    _places,
)

_ROWS_IN_BLOCK = 1 << 13


def quick_search(table: Tensor) -> ExactSearch:
    """`BFloat16Search` where this CPU multiplies bfloat16 in hardware, else `ExactSearch`: both find the same rows."""
    return BFloat16Search(table) if torch.ops.mkldnn._is_mkldnn_bf16_supported() else ExactSearch(table)


class BFloat16Search(ExactSearch):
    """Exact nearest rows of a table on the CPU, from proposals that are products of bfloat16; as `ExactSearch`.

    >>> nearest = BFloat16Search(torch.tensor([[0.0, 1.0], [3.0, 0.0], [0.0, 1.0]]))
    >>> nearest.search(torch.tensor([[1.0, 1.0], [2.0, 0.0]]))
    tensor([0, 1])

    Raises
    ------
    TypeError, ValueError
        If `ExactSearch` would raise it; a table that is not on the CPU.
    """

    def __init__(self, table: Tensor) -> None:
        if isinstance(table, Tensor) and table.device.type != "cpu":
            raise ValueError(f"the table is on {table.device}: move it to the CPU, or use ExactSearch")
        super().__init__(table)
        # (d + 1, rows of a block) each, in the order in which the product reads them.
        self._blocks = [part.bfloat16().T.contiguous() for part in self._right.split(_ROWS_IN_BLOCK)]
        del self._right

    def _nearest(self, queries: Floats64) -> Indices:
        left, slack, factors = self._coarse(queries)
        best = _Best(self._rows, queries, factors)
        least = torch.full((len(queries),), math.inf)
        limit, start, pending = least, 0, list[tuple[Tensor, Tensor, Tensor]]()
        for block in self._blocks:
            scores = left @ block
            lowest = scores.amin(dim=1).float()
            least = torch.minimum(least, lowest)
            limit = _next(least + slack, math.inf)
            near = (lowest <= limit).nonzero()[:, 0]
            some = scores[near].float()
            at, column = _places(some <= limit[near, None])
            pending.append((near[at], column + start, some[at, column]))
            start += block.shape[1]
            if sum(len(part[0]) for part in pending) > _UNDECIDED_AT_ONCE:
                best.update(pending, limit)
                pending = []
        if pending:
            best.update(pending, limit)
        return best.row

    def _coarse(self, queries: Floats64) -> tuple[Tensor, Tensor, Floats64]:
        """`[s q, s]` in bfloat16, twice the bound of the error, and the factors of differences."""
        left, slack, factors = self._scaled(queries)
        exact = left.double()
        lengths, scale = exact[:, :-1].norm(dim=1), exact[:, -1]
        rounding = 2 * 3.1 * 2.0**-9 * self._longest * (scale * self._longest / 2 + lengths)
        # 1.01: the lengths are those of rounded factors.
        return left.bfloat16(), _next(slack + (1.01 * rounding).float(), math.inf), factors
