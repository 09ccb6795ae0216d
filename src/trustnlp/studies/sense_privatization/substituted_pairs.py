"""Pairs of words after substitution: is rated similarity (Table 1) or sameness of meaning (Figure 5) still there?

Arnold, Yesilbas and Weinzierl (2023), §4.2. Both words of a pair are privatised 25 times and their substitutes compared
by cosine. The paper does not say which correlation it is, nor whether it is of single queries or of the pair's mean;
here it is Spearman's over all single queries (`pooled`), and over means beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import spearmanr
from torch import Tensor

from trustnlp.data.similarity_sets import RatedPair
from trustnlp.data.words_in_context import ContextPair, Occurrence
from trustnlp.embeddings.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization.deniability import Draw
from trustnlp.studies.sense_privatization.mechanism_arms import rows_for

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs whose words both have vectors.

    Attributes
    ----------
    first, second
        Each word in its context; in none, the word alone.
    value
        `(n,)` rating, or 1 for the same meaning and 0 for another.
    lacking
        How many pairs were left out.
    """

    first: list[Occurrence]
    second: list[Occurrence]
    value: Floats
    lacking: int


def rated(pairs: Sequence[RatedPair], vectors: WordVectors) -> Pairs:
    """Of WordSim-353, SimLex-999 or SCWS, lower-cased."""
    both = [
        (pair.contexts or (Occurrence((pair.first,), 0), Occurrence((pair.second,), 0)), pair.rating) for pair in pairs
    ]
    return _known([(*occurrences, rating) for occurrences, rating in both], vectors)


def in_context(pairs: Sequence[ContextPair], vectors: WordVectors) -> Pairs:
    """Of WiC, lower-cased; the form that stands in the text is looked up, not the lemma."""
    return _known([(pair.first, pair.second, float(pair.same)) for pair in pairs], vectors)


def substituted_cosines(
    draw: Draw, first: Tensor, second: Tensor, space: Tensor, queries: int
) -> tuple[Floats, Floats]:
    """`(n, queries)` cosines of the substitutes of either word, and whether the two are one word.

    Parameters
    ----------
    draw
        From rows of an arm's table to rows of the vocabulary.
    first, second
        `(n,)` rows of the arm's table.
    space
        `(V, d)` in which substitutes are compared.
    """
    unit = torch.nn.functional.normalize(space.double(), dim=1).float()
    cosines, equal = np.empty((2, len(first), queries))
    for query in range(queries):
        one, other = draw(first), draw(second)
        cosines[:, query] = (unit[one] * unit[other]).sum(dim=1).double().numpy()
        equal[:, query] = (one == other).double().numpy()
    return cosines, equal


def rows_of(arm: str, pairs: Pairs, inventory: SenseInventory, vectors: WordVectors) -> tuple[Tensor, Tensor]:
    """`(n,)` what an arm looks up for the first and for the second words."""
    return rows_for(arm, pairs.first, inventory, vectors), rows_for(arm, pairs.second, inventory, vectors)


def pooled(cosines: Floats, ratings: Floats) -> float:
    """Spearman's correlation over all single queries."""
    return float(spearmanr(cosines.ravel(), np.repeat(ratings, cosines.shape[1])).statistic)


def of_means(cosines: Floats, ratings: Floats) -> float:
    """Spearman's correlation of the pairs' mean cosines."""
    return float(spearmanr(cosines.mean(axis=1), ratings).statistic)


def mean_by_meaning(cosines: Floats, equal: Floats, same: Floats) -> tuple[float, float]:
    """Mean cosine for pairs of one meaning and of two, over queries whose substitutes differ (§4.2, Figure 5)."""
    counts = equal == 0
    one, other = same == 1, same == 0
    return float(cosines[one][counts[one]].mean()), float(cosines[other][counts[other]].mean())


def gap(cosines: Floats, equal: Floats, same: Floats, resamples: int) -> tuple[float, float, float]:
    """Difference of `mean_by_meaning`, and the ends of 95 % of its bootstraps over pairs."""
    rng = np.random.default_rng(0)
    sums, counts = (cosines * (equal == 0)).sum(axis=1), (equal == 0).sum(axis=1)
    found = []
    for _ in range(resamples):
        take = rng.integers(0, len(same), len(same))
        alike, unlike = take[same[take] == 1], take[same[take] == 0]
        found.append(sums[alike].sum() / counts[alike].sum() - sums[unlike].sum() / counts[unlike].sum())
    low, high = np.quantile(found, [0.025, 0.975])
    one, other = mean_by_meaning(cosines, equal, same)
    return one - other, float(low), float(high)


def _known(pairs: Sequence[tuple[Occurrence, Occurrence, float]], vectors: WordVectors) -> Pairs:
    lowered = [(_lower(first), _lower(second), value) for first, second, value in pairs]
    kept = [found for found in lowered if found[0].token in vectors and found[1].token in vectors]
    return Pairs(
        [first for first, _, _ in kept],
        [second for _, second, _ in kept],
        np.array([value for _, _, value in kept]),
        len(pairs) - len(kept),
    )


def _lower(found: Occurrence) -> Occurrence:
    return Occurrence(tuple(token.lower() for token in found.tokens), found.index)
