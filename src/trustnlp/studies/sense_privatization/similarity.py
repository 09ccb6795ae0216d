"""Pairs of words after substitution: is rated similarity (Table 1) or sameness of meaning (Figure 5) still there?

Arnold, Yesilbas and Weinzierl (2023), §4.2. Both words of a pair are privatised 25 times and their substitutes compared
by cosine. The paper does not say which correlation it is, nor whether it is of single queries or of the pair's mean;
here it is Spearman's over all single queries (`pooled`), and over means beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import spearmanr
from torch import Tensor

from trustnlp.data.words.similarity_sets import RatedPair
from trustnlp.data.words.words_in_context import ContextPair, Occurrence
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization.deniability import Draw
from trustnlp.studies.sense_privatization.models import rows_for

Floats = NDArray[np.float64]
ALMOST = 0.02  # what "almost identical" may differ by; set before any run (see the chapter's ledger)


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
    """`(n,)` what an arm looks up for the first and for the second words.

    `prior` is `sense` with the contexts taken away: the sense of the largest prior. It tells what context does from
    what vectors of senses do.
    """
    sides = [pairs.first, pairs.second]
    if arm == "prior":
        arm, sides = "sense", [[Occurrence((found.token,), 0) for found in side] for side in sides]
    first, second = (rows_for(arm, side, inventory, vectors) for side in sides)
    return first, second


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


def gaps(drawn: Mapping[str, tuple[Floats, Floats]], same: Floats, resamples: int) -> dict[str, Floats]:
    """For each arm the difference of `mean_by_meaning`: `(1 + resamples,)`, of all pairs, then of bootstraps of them.

    A bootstrap takes the same pairs for all arms, so that arms can be subtracted from each other.

    Parameters
    ----------
    drawn
        Arm → cosines and whether two substitutes are equal, both `(n, queries)`.
    same
        `(n,)` 1 for one meaning, 0 for two.
    """
    rng = np.random.default_rng(0)
    chosen = [np.arange(len(same)), *(rng.integers(0, len(same), len(same)) for _ in range(resamples))]
    found = {}
    for arm, (cosines, equal) in drawn.items():
        sums, counts = (cosines * (equal == 0)).sum(axis=1), (equal == 0).sum(axis=1)
        found[arm] = np.array([_gap(sums, counts, take, same) for take in chosen])
    return found


def alike(difference: float, interval: tuple[float, float], limit: float = ALMOST) -> tuple[float, tuple[float, float]]:
    """`limit` less the size of a difference, and its interval: above 0 where the difference is within ± `limit`.

    A two-sided test of equivalence: the whole interval of the difference, with its sign, has to lie inside.
    """
    low, high = interval
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return limit - abs(difference), (limit - max(abs(low), abs(high)), limit - nearest)


def _gap(sums: Floats, counts: NDArray[np.int64], take: NDArray[np.int64], same: Floats) -> float:
    one, two = take[same[take] == 1], take[same[take] == 0]
    return float(sums[one].sum() / counts[one].sum() - sums[two].sum() / counts[two].sum())


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
