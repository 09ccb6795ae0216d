"""How far replacing one word moves what is looked up, at random places of texts: on average, for near words, at worst.

The bound is derived in `trustnlp.studies.sense_privatization.critique.moved_senses`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization.critique.moved_senses import Moves, moves_of
from trustnlp.studies.sense_privatization.critique.repeated_draws import Rows

HOW = ("random", "near", "worst")
NEAR = 50
_QUERIES_AT_ONCE = 128


def sampled_moves(
    texts: Sequence[Sequence[str]],
    n: int,
    inventory: SenseInventory,
    vectors: WordVectors,
    rng: np.random.Generator,
    *,
    how: str = "random",
    tries: int = 20,
    window: int = 5,
) -> Moves:
    """`n` different places of the texts, drawn uniformly among the tokens with vectors, each with one replacement.

    Parameters
    ----------
    how
        `random`: any other word of the vocabulary, all equally likely. `near`: one of the 50 others whose vectors are
        nearest (Euclidean, compared in float32). `worst`: of `tries` random ones that with the largest ratio.

    Raises
    ------
    ValueError
        Another `how`, no try, or fewer than `n` tokens with vectors.
    """
    if how not in HOW or tries < 1:
        raise ValueError(f"replacements are drawn {', '.join(HOW)}, with at least one try; got {how!r} and {tries}")
    places = [(text, at) for text, tokens in enumerate(texts) for at, token in enumerate(tokens) if token in vectors]
    if not 1 <= n <= len(places) or len(vectors) < 2:
        raise ValueError(f"the texts have {len(places)} tokens with vectors of {len(vectors)} words; asked for {n}")
    drawn = [places[chosen] for chosen in rng.choice(len(places), n, replace=False)]
    queries = [Occurrence(tuple(texts[text]), at) for text, at in drawn]
    rows = inventory.rows_of(query.token for query in queries)
    if how == "near":
        return moves_of(queries, _words(vectors, _one_near(vectors, rows, rng)), inventory, vectors, window=window)
    tries = tries if how == "worst" else 1
    others = (rows[:, None] + rng.integers(1, len(vectors), (n, tries))) % len(vectors)
    many = [query for query in queries for _ in range(tries)]
    found = moves_of(many, _words(vectors, others.ravel()), inventory, vectors, window=window)
    return found.take(np.arange(n) * tries + found.ratio.reshape(n, tries).argmax(axis=1))


def _one_near(vectors: WordVectors, rows: Rows, rng: np.random.Generator) -> Rows:
    """`(n,)` for each row one of the `NEAR` others nearest to it."""
    among = min(NEAR, len(vectors) - 1)
    halves = np.einsum("vd,vd->v", vectors.matrix, vectors.matrix) / 2
    chosen = np.empty_like(rows)
    for start in range(0, len(rows), _QUERIES_AT_ONCE):
        some = rows[start : start + _QUERIES_AT_ONCE]
        scores = halves - vectors.matrix[some] @ vectors.matrix.T
        scores[np.arange(len(some)), some] = np.inf
        nearest = np.sort(np.argpartition(scores, among - 1, axis=1)[:, :among], axis=1)
        chosen[start : start + len(some)] = nearest[np.arange(len(some)), rng.integers(0, among, len(some))]
    return chosen


def _words(vectors: WordVectors, rows: Rows) -> list[str]:
    return [vectors.words[row] for row in rows]
