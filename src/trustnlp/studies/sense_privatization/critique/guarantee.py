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

A neighbour's part is at most the largest distance between two senses of that word, whatever w' is (`Moves.ceiling`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.disambiguation import choose_senses_in_texts
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.reproduce import Record
from trustnlp.studies.sense_privatization.deniability import bootstrapped


def record_moves(record: Record, key: str, found: Moves) -> dict[str, float]:
    """How often senses flip and the bound is passed, and by how much; also for a table."""
    flipped, above = 100.0 * (found.flips > 0), 100.0 * (found.ratio > 1)
    bootstrapped(record, f"{key}.flips", flipped, "%")
    bootstrapped(record, f"{key}.above", above, "%")
    table = {
        "some sense flips, %": float(flipped.mean()),
        "beyond the bound, %": float(above.mean()),
        "median ratio": float(np.median(found.ratio)),
        "largest ratio": float(found.ratio.max()),
        "largest ratio, distances of senses": float(found.added.max()),
    }
    record.metric(f"{key}.median_ratio", table["median ratio"])
    record.metric(f"{key}.largest_ratio", table["largest ratio"])
    record.metric(f"{key}.largest_added", table["largest ratio, distances of senses"])
    return table


Floats = NDArray[np.float64]


Rows = NDArray[np.int64]


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
    ceiling
        `(n,)` bound of `neighbours` over all replacements: what their senses are apart at most.
    """

    queries: tuple[Occurrence, ...]
    others: tuple[str, ...]
    apart: Floats
    own: Floats
    neighbours: Floats
    flips: Rows
    ceiling: Floats

    @property
    def ratio(self) -> Floats:
        """`(n,)` bound of the loss of the whole text, as a multiple of the ε ‖φ(w) − φ(w')‖ of equation (1).

        Where the two words have the same vector, 1 if nothing moves and otherwise infinite.
        """
        total = self.own + self.neighbours
        same = np.where(total > 0, np.inf, 1.0)
        return np.divide(total, self.apart, out=same, where=self.apart > 0)

    @property
    def added(self) -> Floats:
        """`(n,)` the same bound as a multiple of ε times the distance `own`: 1 where no neighbour moves.

        Sense vectors are averages and lie nearer to each other than word vectors, which alone makes `ratio` smaller.
        """
        unmoved = np.where(self.neighbours > 0, np.inf, 1.0)
        return np.divide(self.own + self.neighbours, self.own, out=unmoved, where=self.own > 0)

    def table(self) -> dict[str, float]:
        """Of `ratio` mean, median, .90 quantile, largest and share above 1; of `added` mean and largest; of flips."""
        ratio = self.ratio
        return {
            "ratio_mean": float(ratio.mean()),
            "ratio_median": float(np.median(ratio)),
            # Of infinite ratios too, between which nothing can be interpolated.
            "ratio_90": float(np.quantile(ratio, 0.9, method="higher")),
            "ratio_largest": float(ratio.max()),
            "above_one": float((ratio > 1).mean()),
            "added_mean": float(self.added.mean()),
            "added_largest": float(self.added.max()),
            "flips_mean": float(self.flips.mean()),
            "flips_largest": float(self.flips.max()),
            "any_flip": float((self.flips > 0).mean()),
        }

    def take(self, which: Rows) -> Moves:
        """Some of them, by number."""
        return Moves(
            tuple(self.queries[number] for number in which),
            tuple(self.others[number] for number in which),
            self.apart[which],
            self.own[which],
            self.neighbours[which],
            self.flips[which],
            self.ceiling[which],
        )


def moves_of(
    queries: Sequence[Occurrence],
    others: Sequence[str],
    inventory: SenseInventory,
    vectors: WordVectors,
    *,
    window: int = 5,
) -> Moves:
    """`moved`, summed up, for many replacements at once: one for each query.

    Raises
    ------
    ValueError
        If there is not one replacement for each query, or a word among them has no vector.
    """
    _known(queries, others, vectors)
    before = rows_around(queries, None, inventory, vectors, window=window)
    after = rows_around(queries, others, inventory, vectors, window=window)
    distances = _distances(inventory, before, after)
    own = distances[:, window].copy()
    distances[:, window] = 0
    flipped = before != after
    flipped[:, window] = False
    words = (inventory.rows_of(query.token for query in queries), inventory.rows_of(others))
    apart = np.linalg.norm(np.subtract(*(vectors.matrix[rows].astype(np.float64) for rows in words)), axis=1)
    return Moves(
        tuple(queries),
        tuple(others),
        apart,
        own,
        distances.sum(axis=1),
        flipped.sum(axis=1),
        _diameters(inventory, np.delete(before, window, axis=1)).sum(axis=1),
    )


def rows_around(
    queries: Sequence[Occurrence],
    others: Sequence[str] | None,
    inventory: SenseInventory,
    vectors: WordVectors,
    *,
    window: int = 5,
    senses: bool = True,
) -> Rows:
    """`(n, 2 window + 1)` what is looked up at the place of each query, the middle column, and at its neighbours.

    Rows of senses, or of words (`senses=False`); -1 where the text has ended or a token has no vector. With `others`
    the rows are those after the replacement. Only the windows of these places are looked at, not whole texts.
    """
    reach = 2 * window
    pieces: list[list[str | None]] = []
    for number, query in enumerate(queries):
        start, end = query.index - reach, query.index + reach + 1
        # None takes a place and is no context: just what lies beyond the ends of a text.
        piece: list[str | None] = [None] * max(0, -start)
        piece += query.tokens[max(0, start) : end]
        piece += [None] * max(0, end - len(query.tokens))
        if others is not None:
            piece[reach] = others[number]
        pieces.append(piece)
    middle = slice(window, 3 * window + 1)
    if not senses:
        found = [inventory.rows_of(piece[middle]) for piece in pieces]
    else:
        found = [rows[middle] for rows in choose_senses_in_texts(inventory, vectors, pieces, window=window)]
    return np.array(found, dtype=np.int64).reshape(-1, reach + 1)


def _known(queries: Sequence[Occurrence], others: Sequence[str], vectors: WordVectors) -> None:
    if len(queries) != len(others) or not queries:
        raise ValueError(f"one replacement for each word is needed, got {len(others)} for {len(queries)}")
    for word in [*(query.token for query in queries), *others]:
        if word not in vectors:
            raise ValueError(f"{word!r} has no vector in {vectors.name}; choose words that have one")


def _distances(inventory: SenseInventory, before: Rows, after: Rows) -> Floats:
    found = np.zeros(before.shape)
    # A token has a vector in both texts or in neither.
    moves = np.nonzero(before != after)
    one, other = (inventory.matrix[rows[moves]].astype(np.float64) for rows in (before, after))
    found[moves] = np.linalg.norm(one - other, axis=1)
    return found


def _diameters(inventory: SenseInventory, senses: Rows) -> Floats:
    """In the shape of `senses`: the largest distance between two senses of the word that each belongs to."""
    words, where = np.unique(np.where(senses < 0, -1, inventory.owner[senses]), return_inverse=True)
    widest = np.zeros(len(words))
    for number, row in enumerate(words):
        if row >= 0 and len(own := inventory.matrix[inventory.senses_of(int(row))]) > 1:
            widest[number] = pdist(own.astype(np.float64)).max()
    return widest[where].reshape(senses.shape)


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
        If given another `how`, no try, or fewer than `n` tokens with vectors.
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
