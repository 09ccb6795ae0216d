"""Which sense a word has in its context: the one whose vector is nearest to the mean of the words around it.

Arnold, Yesilbas and Weinzierl (2023), §3: argmax over the senses sᵢ of a word of cos(c̄, sᵢ), where c̄ is the mean of
the word vectors of the context.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors

_TOKENS_AT_ONCE = 1024
_UNKNOWN = -1


def choose_senses(
    inventory: SenseInventory,
    vectors: WordVectors,
    tokens: Sequence[str | None],
    *,
    window: int = 5,
) -> NDArray[np.int64]:
    """The sense of each token of a text.

    Parameters
    ----------
    inventory, vectors
        Senses, and the word vectors they were made from.
    tokens
        `n` words; None, like a word without a vector, takes a place in the text but is no context.
    window
        So many places on *each* side, fewer at the ends of the text. The paper has "a window of 5": five on each side
        is our reading, five in all (`window=2`) another.

    Returns
    -------
    `(n,)` row of the sense in the inventory, -1 for a token without a vector. A token without usable context, or whose
    context words cancel out, gets its sense of the largest prior; of equal cosines the first sense wins. A choice
    depends on the tokens of its window alone.

    Raises
    ------
    TypeError
        If `tokens` is a single string.
    ValueError
        If `window` is below 1, or the inventory is of other words or dimensions.
    """
    if isinstance(tokens, str):
        raise TypeError(f"choose_senses takes a list of words, got the single string {tokens[:40]!r}; split it first")
    if window < 1:
        raise ValueError(f"a window has 1 place or more on each side, got {window}")
    # Not by hash: it would be taken of the whole matrix for each text.
    if inventory.matrix.shape[1] != vectors.dim or inventory.words != vectors.words:
        raise ValueError(f"the inventory is of other words than {vectors.name}; load the vectors it was made from")
    rows = inventory.rows_of(tokens)
    senses = np.full(len(rows), _UNKNOWN, dtype=np.int64)
    known = rows >= 0
    first, count = inventory.starts[rows[known]], np.diff(inventory.starts)[rows[known]]
    senses[known] = first
    # A border of unknown tokens, so that every window has the same width.
    context = np.pad(rows, window, constant_values=_UNKNOWN)
    several = np.flatnonzero(known)[count > 1]
    around = np.delete(np.arange(2 * window + 1), window)
    for start in range(0, len(several), _TOKENS_AT_ONCE):
        at = several[start : start + _TOKENS_AT_ONCE]
        senses[at] = _choose(inventory, vectors, rows[at], context[at[:, None] + around])
    return senses


def choose_senses_in_texts(
    inventory: SenseInventory,
    vectors: WordVectors,
    texts: Iterable[Sequence[str | None]],
    *,
    window: int = 5,
) -> list[NDArray[np.int64]]:
    """`choose_senses` for each text, many at once; no window reaches into another text."""
    joined: list[str | None] = []
    places = []
    for text in texts:
        if isinstance(text, str):
            raise TypeError(f"a text is a list of words, got the single string {text[:40]!r}; split it first")
        places.append(slice(len(joined), len(joined) + len(text)))
        joined += [*text, *[None] * window]
    senses = choose_senses(inventory, vectors, joined, window=window)
    return [senses[place] for place in places]


def _choose(
    inventory: SenseInventory,
    vectors: WordVectors,
    rows: NDArray[np.int64],
    context: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The senses of words `(n,)` with several, from the rows of their context words `(n, 2 window)`, -1 for none."""
    first, after = inventory.starts[rows], inventory.starts[rows + 1]
    count = after - first
    begins = np.cumsum(count) - count
    token = np.repeat(np.arange(len(rows)), count)
    sense = np.arange(len(token)) - np.repeat(begins - first, count)
    # Place by place: no copy of all context vectors, and the same sum whatever else is in the text.
    total = np.zeros((len(rows), vectors.dim))
    for place in range(context.shape[1]):
        some = np.flatnonzero(context[:, place] >= 0)
        total[some] += vectors.matrix[context[some, place]]
    # The length of the mean is the same for all senses of a token.
    cosine = np.einsum("pd,pd->p", total[token], inventory.matrix[sense]) / inventory.lengths[sense]
    seen: NDArray[np.bool_] = np.asarray(total.any(axis=1))
    score = np.where(seen[token], cosine, inventory.prior[sense])
    best = np.maximum.reduceat(score, begins)
    # The first of equal ones.
    winner = np.minimum.reduceat(np.where(score == best[token], sense, len(inventory)), begins)
    return winner.astype(np.int64)
