"""The guarantee of the mechanism with senses for a text of which one word is replaced by another.

Arnold, Yesilbas and Weinzierl (2023), §2.1 and §3. Equation (1) is about one look-up. For a text, let x and x' differ
in the word at place i alone, w against w'. The mechanism looks up a vector vⱼ in x and v'ⱼ in x' at each place j, adds
independent noise of density ∝ exp(−ε‖z‖), and returns the word of the nearest candidate. The densities of the noisy
vectors y = (y₁, …, yₙ) under x and x' have the logarithmic ratio

    Σⱼ ε (‖yⱼ − v'ⱼ‖ − ‖yⱼ − vⱼ‖)  ≤  ε Σⱼ ‖vⱼ − v'ⱼ‖

by the triangle inequality, and nothing computed from y, such as the nearest words, has a larger one. Wherever
v'ⱼ ≠ vⱼ, put yⱼ = vⱼ + t (vⱼ − v'ⱼ) with any t ≥ 0: both sides are equal, so no smaller bound holds for noisy vectors.
For released words it is a limit, approached where the cells of candidates around these rays are narrow far out: with
two or more dimensions the ratio of two probabilities is strictly less, as a cell has points beside its ray.

With one vector a word, vⱼ = v'ⱼ for every j ≠ i, and the sum is the ‖φ(w) − φ(w')‖ of equation (1). With senses, w is
context for up to 2 · window neighbours (`choose_senses`): each of them may get another sense, and the sum is

    ‖sense of w − sense of w'‖ + Σ over neighbours of ‖sense beside w − sense beside w'‖.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.disambiguation import choose_senses_in_texts
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
HOW = ("random", "near", "worst")
NEAR = 50
_QUERIES_AT_ONCE = 128


@dataclass(frozen=True, eq=False)
class Moves:
    """`n` replacements of one word in a text, and how far they move what is looked up.

    Attributes
    ----------
    queries, others
        The word at its place, and the word that is put there.
    apart
        `(n,)` Euclidean distance of the two word vectors: the metric of equation (1).
    own
        `(n,)` distance between the two vectors that are looked up at the place itself.
    neighbours
        `(n,)` sum of the distances by which the vectors of the neighbours move.
    flips
        `(n,)` how many neighbours get another sense.
    """

    queries: Sequence[Occurrence]
    others: Sequence[str]
    apart: Floats
    own: Floats
    neighbours: Floats
    flips: Ints

    @property
    def ratio(self) -> Floats:
        """`(n,)` bound of the loss of the whole text, as a multiple of the ε ‖φ(w) − φ(w')‖ of equation (1).

        Where the two words have the same vector, 1 if nothing moves and otherwise infinite.
        """
        total = self.own + self.neighbours
        same = np.where(total > 0, np.inf, 1.0)
        return np.divide(total, self.apart, out=same, where=self.apart > 0)


def moves_of(
    queries: Sequence[Occurrence],
    others: Sequence[str],
    inventory: SenseInventory,
    vectors: WordVectors,
    *,
    window: int = 5,
) -> Moves:
    """How far what is looked up moves, for many replacements at once: one for each query."""
    before, after = (rows_around(queries, words, inventory, vectors, window=window) for words in (None, others))
    flipped = before != after
    # A token has a vector in both texts or in neither.
    one, other = (inventory.matrix[rows[flipped]].astype(np.float64) for rows in (before, after))
    distances = np.zeros(before.shape)
    distances[flipped] = np.linalg.norm(one - other, axis=1)
    own = distances[:, window].copy()
    distances[:, window], flipped[:, window] = 0, False
    words = (inventory.rows_of(query.token for query in queries), inventory.rows_of(others))
    apart = np.linalg.norm(np.subtract(*(vectors.matrix[rows].astype(np.float64) for rows in words)), axis=1)
    return Moves(queries, others, apart, own, distances.sum(axis=1), flipped.sum(axis=1))


def rows_around(
    queries: Sequence[Occurrence],
    others: Sequence[str] | None,
    inventory: SenseInventory,
    vectors: WordVectors,
    *,
    window: int = 5,
) -> Ints:
    """`(n, 2 window + 1)` rows of senses looked up at the place of each query, the middle column, and its neighbours.

    -1 where the text has ended or a token has no vector. With `others` the rows are those after the replacement. Only
    the windows of these places are looked at, not whole texts.
    """
    reach = 2 * window
    # None takes a place and is no context: just what lies beyond the ends of a text.
    beyond: list[str | None] = [None] * reach
    pieces = [[*beyond, *query.tokens, *beyond][query.index : query.index + 2 * reach + 1] for query in queries]
    for piece, word in zip(pieces, others or (), strict=others is not None):
        piece[reach] = word
    chosen = choose_senses_in_texts(inventory, vectors, pieces, window=window)
    return np.array([senses[window : 3 * window + 1] for senses in chosen], dtype=np.int64)


def sampled_moves(
    texts: Sequence[Sequence[str]],
    n: int,
    inventory: SenseInventory,
    vectors: WordVectors,
    rng: np.random.Generator,
    *,
    how: str = "random",
    tries: int = 20,
) -> Moves:
    """`n` different places of the texts, drawn uniformly among the tokens with vectors, each with one replacement.

    Parameters
    ----------
    how
        `random`: any other word of the vocabulary, all equally likely. `near`: one of the 50 others whose vectors are
        nearest (Euclidean, compared in float32). `worst`: of `tries` random ones that with the largest ratio.
    """
    places = [(text, at) for text, tokens in enumerate(texts) for at, token in enumerate(tokens) if token in vectors]
    drawn = [places[chosen] for chosen in rng.choice(len(places), n, replace=False)]
    queries = [Occurrence(tuple(texts[text]), at) for text, at in drawn]
    rows = inventory.rows_of(query.token for query in queries)
    if how == "near":
        others = _near(vectors, rows, rng)
    elif how == "random":
        others = (rows + rng.integers(1, len(vectors), n)) % len(vectors)
    else:
        tried = (rows[:, None] + rng.integers(1, len(vectors), (n, tries))) % len(vectors)
        many = [query for query in queries for _ in range(tries)]
        ratios = moves_of(many, [vectors.words[row] for row in tried.ravel()], inventory, vectors).ratio
        others = tried[np.arange(n), ratios.reshape(n, tries).argmax(axis=1)]
    return moves_of(queries, [vectors.words[row] for row in others], inventory, vectors)


def _near(vectors: WordVectors, rows: Ints, rng: np.random.Generator) -> Ints:
    """`(n,)` for each row one of the `NEAR` others nearest to it."""
    among = min(NEAR, len(vectors) - 1)
    picks = rng.integers(0, among, (len(rows), 1))
    halves = np.einsum("vd,vd->v", vectors.matrix, vectors.matrix) / 2
    chosen = np.empty_like(rows)
    for start in range(0, len(rows), _QUERIES_AT_ONCE):
        part = slice(start, start + _QUERIES_AT_ONCE)
        scores = halves - vectors.matrix[rows[part]] @ vectors.matrix.T
        scores[np.arange(len(scores)), rows[part]] = np.inf
        nearest = np.sort(np.argpartition(scores, among - 1, axis=1)[:, :among], axis=1)
        chosen[part] = np.take_along_axis(nearest, picks[part], axis=1)[:, 0]
    return chosen
