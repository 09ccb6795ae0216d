"""The mechanism with words, with senses, and two controls that tell apart why senses stretch ε.

Arnold, Yesilbas and Weinzierl (2023), §3 and §4.1. All four add the same noise to a vector and return the word of the
nearest one (Feyisetan et al. 2020); they differ in the vector that is looked up and in the candidates:

| arm | looked up | candidates |
|---|---|---|
| `word` | the word's vector | words |
| `sense` | the vector of the sense that the context chooses | senses |
| `average` | the mean of the word's neighbours | such means, one a word: averaging without senses |
| `decoys` | the word's vector | words and senses: more candidates without averaging |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.disambiguation import choose_senses
from trustnlp.embeddings.senses.sense_controls import one_average_per_word, senses_as_decoys
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.noise.randomness import mixed_generator
from trustnlp.privacy.text.word_substitution import NearestWord
from trustnlp.studies.sense_privatization.deniability.deniability_curves import Draw, calibrated, curves

ARMS = ("word", "sense", "average", "decoys")
SHORTEST = 6


@dataclass(frozen=True, eq=False)
class Arm:
    """One way to substitute words.

    Attributes
    ----------
    table
        `(R, d)` candidates.
    owner
        `(R,)` row of the word that each belongs to.
    """

    table: Tensor
    owner: Tensor

    def at(self, epsilon: float, generator: torch.Generator | None = None) -> Draw:
        """From rows of the table to the rows of substitutes in the vocabulary."""
        mechanism = NearestWord(self.table, epsilon)
        return lambda rows: self.owner[mechanism(rows, generator=generator)]


def arms_of(vectors: WordVectors, inventory: SenseInventory, *, neighbours: int = 200) -> dict[str, Arm]:
    """`ARMS`, by name."""
    average = one_average_per_word(vectors, neighbours=neighbours)
    decoys = senses_as_decoys(vectors, inventory)
    words = np.arange(len(vectors))
    return {
        "word": _arm(vectors.matrix, words),
        "sense": _arm(inventory.matrix, inventory.owner),
        "average": _arm(average.matrix, words),
        "decoys": _arm(decoys.matrix, decoys.owner),
    }


def rows_for(
    arm: str, queries: Sequence[Occurrence], inventory: SenseInventory, vectors: WordVectors, *, window: int = 5
) -> Tensor:
    """`(n,)` row that an arm looks up for each word in its text; its sense, if the arm is `sense`."""
    rows = inventory.rows_of(query.token for query in queries)
    if (rows < 0).any():
        raise ValueError(f"{queries[int(np.argmin(rows))].token!r} has no vector; leave it out")
    if arm == "sense":
        rows = sense_rows(queries, inventory, vectors, window=window)
    return torch.from_numpy(rows)


def sense_rows(
    queries: Sequence[Occurrence], inventory: SenseInventory, vectors: WordVectors, *, window: int = 5
) -> NDArray[np.int64]:
    """`(n,)` the sense that the context chooses for each word; of one without context, that of the largest prior."""
    # Only the window of the word that is meant is looked at: the other words' senses are not asked for.
    near = [_window(query, window) for query in queries]
    return np.array([choose_senses(inventory, vectors, tokens, window=window)[place] for tokens, place in near])


def draw_queries(
    sentences: Sequence[Sequence[str]], vectors: WordVectors, n: int, rng: np.random.Generator
) -> list[Occurrence]:
    """`n` different words at random places of a text, in sentences of at least six words: frequent words come first.

    The paper draws its 100 queries from WikiText, which is not among our data.

    Raises
    ------
    ValueError
        The text has fewer than `n` different words that have vectors.
    """
    found: dict[str, Occurrence] = {}
    for which in rng.permutation(len(sentences)):
        tokens = sentences[which]
        if len(tokens) < SHORTEST:
            continue
        place = int(rng.integers(len(tokens)))
        if tokens[place] in vectors and tokens[place] not in found:
            found[tokens[place]] = Occurrence(tuple(tokens), place)
            if len(found) == n:
                return list(found.values())
    raise ValueError(f"the text has {len(found)} words to query in {len(sentences)} sentences, {n} were asked for")


def budgets(
    arms: Mapping[str, Arm],
    queries: Sequence[Occurrence],
    inventory: SenseInventory,
    vectors: WordVectors,
    *,
    quantile: float,
    epsilons: Sequence[float],
    draws: int,
) -> dict[str, float]:
    """For each arm the ε at which N_w is at most one half for a `quantile` of the queried words (§4.1)."""
    words = rows_for("word", queries, inventory, vectors)
    found = {}
    for place, (name, arm) in enumerate(arms.items()):
        source = mixed_generator([place, 11])
        rows = rows_for(name, queries, inventory, vectors)
        found[name] = calibrated(curves(partial(arm.at, generator=source), rows, words, epsilons, draws), quantile)
    return found


def _arm(table: NDArray[np.float32], owner: NDArray[np.int64]) -> Arm:
    return Arm(torch.tensor(table), torch.tensor(owner))


def _window(query: Occurrence, window: int) -> tuple[tuple[str, ...], int]:
    start = max(0, query.index - window)
    return query.tokens[start : query.index + window + 1], query.index - start
