"""The mechanism with words, with senses, and controls that tell apart why senses stretch ε.

Arnold, Yesilbas and Weinzierl (2023), §3 and §4.1. All add the same noise to a vector and return the word of the
nearest one (Feyisetan et al. 2020); they differ in the vector that is looked up and in the candidates:

| arm | looked up | candidates |
|---|---|---|
| `word` | the word's vector | words |
| `sense` | the vector of the sense that the context chooses | senses |
| `average` | the mean of the word's neighbours | such means, one a word: averaging without senses |
| `decoys` | the word's vector | words and senses: more candidates without averaging |

`one_sense_a_word` looks up the senses, and only one sense a word can be hit: for a queried word the one that is looked
up, for any other a random one. `decoys` adds candidates far from what is looked up; there those beside it are taken
away. All search with proposals of bfloat16 where the CPU has them, which changes no substitute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.bfloat16_search import quick_search
from trustnlp.embeddings.exact_search import ExactSearch
from trustnlp.embeddings.senses.disambiguation import choose_senses
from trustnlp.embeddings.senses.sense_controls import one_average_per_word, senses_as_decoys
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.accounting.guarantee import L2Sensitivity, Relation
from trustnlp.privacy.mechanisms.additive_noise import MultivariateLaplace
from trustnlp.privacy.noise.randomness import mixed_generator
from trustnlp.studies.sense_privatization.deniability import Curves, Draw, Ints, crossing, curves

SHORTEST = 6
_ROWS_AT_ONCE = 4096
_TRIES = 100
_PER_DISTANCE = L2Sensitivity(1.0, Relation.METRIC)


@dataclass(frozen=True, eq=False)
class Arm:
    """One way to substitute words, to be asked at many ε.

    Attributes
    ----------
    table
        `(R, d)` candidates.
    owner
        `(R,)` row of the word that each belongs to.
    """

    table: Tensor
    owner: Tensor

    @cached_property
    def search(self) -> ExactSearch:
        return quick_search(self.table)

    def at(self, epsilon: float, generator: torch.Generator | None = None) -> Draw:
        """From rows of the table to the rows of substitutes in the vocabulary."""
        noise = MultivariateLaplace(epsilon, _PER_DISTANCE)

        def draw(rows: Tensor) -> Tensor:
            noisy = (noise(self.table[some].double(), generator=generator) for some in rows.split(_ROWS_AT_ONCE))
            return self.owner[torch.cat([self.search.search(some) for some in noisy])]

        return draw


def words_and_senses(vectors: WordVectors, inventory: SenseInventory) -> dict[str, Arm]:
    """The arms `word` and `sense`."""
    return {"word": arm_of(vectors.matrix, np.arange(len(vectors))), "sense": arm_of(inventory.matrix, inventory.owner)}


def arms_of(vectors: WordVectors, inventory: SenseInventory, *, neighbours: int = 200) -> dict[str, Arm]:
    """All four arms, by name, in the order of the table above."""
    average = one_average_per_word(vectors, neighbours=neighbours)
    decoys = senses_as_decoys(vectors, inventory)
    return {
        **words_and_senses(vectors, inventory),
        "average": arm_of(average.matrix, average.owner),
        "decoys": arm_of(decoys.matrix, decoys.owner),
    }


def arm_of(table: NDArray[np.float32], owner: Ints) -> Arm:
    """An arm of arrays, copied."""
    return Arm(torch.tensor(table), torch.tensor(owner))


def one_sense_a_word(inventory: SenseInventory, looked_up: Ints, rng: np.random.Generator) -> Arm:
    """An arm with one candidate for each word, in the order of the words.

    Parameters
    ----------
    looked_up
        `(n,)` senses that the contexts of different words chose.
    """
    chosen = inventory.starts[:-1] + rng.integers(0, np.diff(inventory.starts))
    chosen[inventory.owner[looked_up]] = looked_up
    return arm_of(inventory.matrix[chosen], np.arange(len(chosen)))


def rows_for(arm: str, queries: Sequence[Occurrence], inventory: SenseInventory, vectors: WordVectors) -> Ints:
    """`(n,)` row that an arm looks up for each word in its text; its sense, if the arm is `sense`.

    The sense is the one that the context chooses, of a word without context that of the largest prior.

    Raises
    ------
    ValueError
        If a word has no vector.
    """
    rows = inventory.rows_of(query.token for query in queries)
    if (rows < 0).any():
        raise ValueError(f"{queries[int(np.argmin(rows))].token!r} has no vector; leave it out")
    return np.array([_sense(query, inventory, vectors) for query in queries]) if arm == "sense" else rows


def _sense(query: Occurrence, inventory: SenseInventory, vectors: WordVectors, window: int = 5) -> int:
    """Only the window of the word that is meant is looked at: the other words' senses are not asked for."""
    start = max(0, query.index - window)
    near = query.tokens[start : query.index + window + 1]
    return int(choose_senses(inventory, vectors, near, window=window)[query.index - start])


def draw_queries(
    sentences: Sequence[Sequence[str]], vectors: WordVectors, n: int, rng: np.random.Generator
) -> list[Occurrence]:
    """`n` different words at random places of a text, in sentences of at least six words: frequent words come first.

    The paper draws its 100 queries from WikiText, which is not among our data.

    Raises
    ------
    ValueError
        If the text has fewer than `n` different words that have vectors.
    """
    drawn: dict[str, Occurrence] = {}
    for which in rng.permutation(len(sentences)):
        tokens = sentences[which]
        if len(tokens) < SHORTEST:
            continue
        place = int(rng.integers(len(tokens)))
        if tokens[place] in vectors and tokens[place] not in drawn:
            drawn[tokens[place]] = Occurrence(tuple(tokens), place)
            if len(drawn) == n:
                return list(drawn.values())
    raise ValueError(f"the text has {len(drawn)} words to query in {len(sentences)} sentences, {n} were asked for")


def calibrations(
    arms: Mapping[str, Arm],
    queries: Sequence[Occurrence],
    inventory: SenseInventory,
    vectors: WordVectors,
    epsilons: Sequence[float],
    draws: int,
) -> dict[str, Curves]:
    """For each arm the curves by which its ε is set (§4.1)."""
    words = rows_for("word", queries, inventory, vectors)
    return {
        name: curves(
            partial(arm.at, generator=mixed_generator([place, 11])),
            rows_for(name, queries, inventory, vectors),
            words,
            epsilons,
            draws,
        )
        for place, (name, arm) in enumerate(arms.items())
    }


def resampled_epsilon(measured: Curves, quantile: float, seed: int) -> float:
    """ε at which N_w is at most one half for a `quantile` of the words, of one bootstrap of the words.

    So results over seeds vary by the words that set ε, too. A resample without such an ε is drawn again.

    Raises
    ------
    ValueError
        If the curves reach one half for no resample: a wider range of ε is needed.
    """
    n = measured.kept.shape[1]
    rng = np.random.default_rng([seed, 12])
    for _ in range(_TRIES):
        kept = np.quantile(measured.kept[:, rng.integers(0, n, n)], quantile, axis=1)
        epsilon = crossing(measured.epsilons, kept, falls=False)
        if np.isfinite(epsilon):
            return epsilon
    raise ValueError(
        f"N_w passes one half for the {quantile:g} quantile of the words at no ε of {measured.epsilons.tolist()}: give "
        "smaller or larger ones"
    )
