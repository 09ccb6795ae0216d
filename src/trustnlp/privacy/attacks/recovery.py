"""Recovery of words from their private releases: the nearest vector of the public vocabulary is the guess.

PrivEmb releases one vector per word. Whoever knows the vocabulary's vectors, and for a projected release the public
matrix, compares the release with all of them. With equally likely words this guess is the most likely one for every
noise whose density falls with the Euclidean distance, multivariate Laplace and Gaussian noise among them. The search is
exact (`trustnlp.embeddings.exact_search`).
"""

from __future__ import annotations

import torch
from torch import Tensor

from trustnlp.embeddings.exact_search import ExactSearch
from trustnlp.privacy.accounting.guarantee import check_vectors
from trustnlp.privacy.audits.auditing import BlackBox
from trustnlp.privacy.noise.randomness import check_generator

_RELEASED_AT_ONCE = 4096


def recovery_rate(
    mechanism: BlackBox,
    vocabulary: Tensor,
    rows: Tensor,
    *,
    reference: Tensor | None = None,
    generator: torch.Generator | None = None,
) -> float:
    """Release words once each, guess them by the nearest vector: the share of them that is recovered.

    Parameters
    ----------
    mechanism
        `(n, d)` to `(n, m)`.
    vocabulary
        `(V, d)` all words that could have been released.
    rows
        `(n,)` integers, the rows of the vocabulary that are released.
    reference
        `(V, m)` the vocabulary as the attacker expects it: without noise, under the public projection if there is one.
        By default the vocabulary itself. Of equal vectors the attacker guesses the first.
    generator
        Randomness of the mechanism, on the device of the vocabulary; None takes a fresh one.

    Raises
    ------
    TypeError
        If given rows that are not integers, or vectors that are not floating-point.
    ValueError
        If there are no rows, a row outside the vocabulary, or shapes that do not fit.
    """
    reference = check_vectors(vocabulary) if reference is None else check_vectors(reference)
    if len(reference) != len(vocabulary):
        raise ValueError(f"the reference has {len(reference)} vectors for the {len(vocabulary)} of the vocabulary")
    if rows.dtype not in (torch.int32, torch.int64):
        raise TypeError(f"rows are integers, got {rows.dtype}")
    if rows.ndim != 1 or len(rows) == 0 or int(rows.min()) < 0 or int(rows.max()) >= len(vocabulary):
        raise ValueError(f"rows are a list (n,) of numbers from 0 to {len(vocabulary) - 1}, got {rows}")
    generator = check_generator(generator, vocabulary.device)
    search = ExactSearch(reference)
    hits = [
        search.search(mechanism(vocabulary[part], generator=generator)) == part
        for part in rows.to(device=vocabulary.device, dtype=torch.int64).split(_RELEASED_AT_ONCE)
    ]
    return float(torch.cat(hits).double().mean())


def nearest(queries: Tensor, vocabulary: Tensor) -> Tensor:
    """`(q,)` the row of the vocabulary `(V, d)` that is nearest to each query `(q, d)` by Euclidean distance; exact.

    Parameters
    ----------
    queries, vocabulary
        float32 or float64. Of equally near rows the first is taken.

    Raises
    ------
    TypeError, ValueError
        If `trustnlp.embeddings.exact_search.ExactSearch` would raise it.

    Examples
    --------
    >>> nearest(torch.tensor([[0.9, 0.2], [0.5, 0.5]]), torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]))
    tensor([1, 0])
    """
    return ExactSearch(vocabulary).search(queries)
