"""How often a substitution puts which word in place of which: sampled transitions, and N_w and S_w of words.

Arnold, Yesilbas and Weinzierl (2023), §4.1, after Feyisetan et al. (2020): N_w = P[M(w) = w], estimated by the share of
draws that return the word itself, and S_w, the number of distinct words that the draws return, the word itself among
them. Both take 100 draws of each word there. S_w grows with the number of draws: compare it at the same number only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

from trustnlp.privacy.text.word_substitution import Substitution, check_rows

_DRAWS_AT_ONCE = 1 << 16


class Deniability(NamedTuple):
    """N_w and S_w of some words, both `(n,)`: shares of draws, and whole numbers."""

    kept: NDArray[np.float64]
    support: NDArray[np.int64]


def transition_counts(
    mechanism: Substitution,
    rows: Tensor,
    draws: int,
    *,
    owner: Tensor | None = None,
    generator: torch.Generator | None = None,
) -> sparse.csr_array:
    """`(n, V)` int64: how many of `draws` substitutes of each of the words `(n,)` were which word.

    A batch holds 65,536 draws, of as many words as that makes.

    Parameters
    ----------
    mechanism
        Called with each row `draws` times.
    rows
        `(n,)` int64. A row given twice is drawn for twice.
    draws
        Of each row.
    owner
        `(size,)` int64: what is counted in place of each substitute, such as the word of a sense. V is then one more
        than its largest number.
    generator
        As for the mechanism.

    Raises
    ------
    TypeError, ValueError
        If the mechanism would raise it; fewer than one draw; owners that are not one int64 number from 0 upwards for
        each row.
    """
    check_rows(rows, mechanism.size)
    if draws < 1:
        raise ValueError(f"counting takes at least one draw of each word, got {draws}")
    width = mechanism.size if owner is None else _width_of(owner, mechanism.size)
    counts, places = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    total = len(rows) * draws
    for start in range(0, total, _DRAWS_AT_ONCE):
        # Which word each draw of this batch belongs to.
        word = torch.arange(start, min(start + _DRAWS_AT_ONCE, total), device=rows.device) // draws
        found = mechanism(rows[word], generator=generator)
        if owner is not None:
            found = owner.to(found.device)[found]
        place, count = (word * width + found).unique(return_counts=True)
        places.append(place.cpu().numpy())
        counts.append(count.cpu().numpy())
    at = np.concatenate(places)
    # A word whose draws are spread over two batches has places twice; they are added up.
    return sparse.coo_array((np.concatenate(counts), (at // width, at % width)), shape=(len(rows), width)).tocsr()


def keep_and_support(
    mechanism: Substitution,
    rows: Tensor,
    draws: int = 100,
    *,
    owner: Tensor | None = None,
    generator: torch.Generator | None = None,
) -> Deniability:
    """N_w and S_w of the words `(n,)`, see the head of this module. Parameters and errors as `transition_counts`.

    With `owner` a sense is kept when any sense of its word returns, and S_w counts words.
    """
    counts = transition_counts(mechanism, rows, draws, owner=owner, generator=generator)
    itself = (rows if owner is None else owner.to(rows.device)[rows]).cpu().numpy()
    entries = counts.tocoo()
    own = entries.col == itself[entries.row]
    kept = np.bincount(entries.row[own], weights=entries.data[own], minlength=len(rows)) / draws
    return Deniability(kept, np.diff(counts.indptr).astype(np.int64))


def _width_of(owner: Tensor, size: int) -> int:
    if not isinstance(owner, Tensor) or owner.dtype != torch.int64 or owner.shape != (size,) or int(owner.min()) < 0:
        given = f"{owner.dtype} {tuple(owner.shape)}" if isinstance(owner, Tensor) else type(owner).__name__
        raise ValueError(f"the owners are one int64 number from 0 upwards for each of {size} rows, got {given}")
    return int(owner.max()) + 1
