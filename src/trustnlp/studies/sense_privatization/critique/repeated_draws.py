"""A mechanism asked often for the same rows: the transition counts from which attacks and ranks are estimated."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from trustnlp.studies.sense_privatization.deniability.deniability_curves import Draw

Rows = NDArray[np.int64]
_DRAWS_AT_ONCE = 1 << 16


def repeated(draw: Draw, rows: Rows, draws: int) -> Rows:
    """`(n, draws)` substitutes, as rows of the vocabulary, for what is looked up in `rows` `(n,)`; all independent.

    Raises
    ------
    ValueError
        No draw is asked for.
    """
    if draws < 1:
        raise ValueError(f"at least one draw for each row is needed, got {draws}")
    asked = np.repeat(np.asarray(rows, dtype=np.int64), draws)
    found = np.empty(len(asked), dtype=np.int64)
    for start in range(0, len(asked), _DRAWS_AT_ONCE):
        part = slice(start, start + _DRAWS_AT_ONCE)
        found[part] = draw(torch.from_numpy(asked[part])).cpu().numpy()
    return found.reshape(-1, draws)
