"""Pairs of words after substitution: is rated similarity (Table 1) or sameness of meaning (Figure 5) still there?

Arnold, Yesilbas and Weinzierl (2023), §4.2. Both words of a pair are privatised 25 times and their substitutes compared
by cosine. The paper does not say which correlation it is, nor whether it is of single queries or of the pair's mean;
here it is Spearman's over all single queries (`pooled`), and over means beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from scipy.stats import spearmanr
from torch import Tensor

from trustnlp.data.words.similarity_sets import RatedPair
from trustnlp.data.words.words_in_context import ContextPair, Occurrence
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization.deniability import Draw, Floats, Ints
from trustnlp.studies.sense_privatization.models import rows_for

ALMOST = 0.02  # what "almost identical" may differ by; set before any run (see the chapter's ledger)


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """Pairs whose words both have vectors.

    Attributes
    ----------
    first, second
        Each word in its context; in none, the word alone.
    value
        `(n,)` rating, or 1 for the same meaning and 0 for another.
    """

    first: list[Occurrence]
    second: list[Occurrence]
    value: Floats


def rated(pairs: Iterable[RatedPair], vectors: WordVectors) -> JudgedPairs:
    """Of WordSim-353, SimLex-999 or SCWS, lower-cased."""
    return _known(((*(pair.contexts or _alone(pair)), pair.rating) for pair in pairs), vectors)


def in_context(pairs: Iterable[ContextPair], vectors: WordVectors) -> JudgedPairs:
    """Of WiC, lower-cased; the form that stands in the text is looked up, not the lemma."""
    return _known(((pair.first, pair.second, float(pair.same)) for pair in pairs), vectors)


def _known(pairs: Iterable[tuple[Occurrence, Occurrence, float]], vectors: WordVectors) -> JudgedPairs:
    lowered = ((_lower(first), _lower(second), value) for first, second, value in pairs)
    known = [pair for pair in lowered if pair[0].token in vectors and pair[1].token in vectors]
    first, second, values = map(list, zip(*known, strict=True))
    return JudgedPairs(first, second, np.array(values))


def _alone(pair: RatedPair) -> tuple[Occurrence, Occurrence]:
    return Occurrence((pair.first,), 0), Occurrence((pair.second,), 0)


def _lower(query: Occurrence) -> Occurrence:
    return Occurrence(tuple(token.lower() for token in query.tokens), query.index)


def rows_of(arm: str, pairs: JudgedPairs, inventory: SenseInventory, vectors: WordVectors) -> tuple[Tensor, Tensor]:
    """`(n,)` what an arm looks up for the first and for the second words.

    `prior` is `sense` with the contexts taken away: the sense of the largest prior. It tells what context does from
    what vectors of senses do.
    """
    sides = [pairs.first, pairs.second]
    if arm == "prior":
        arm, sides = "sense", [[Occurrence((query.token,), 0) for query in side] for side in sides]
    first, second = (torch.from_numpy(rows_for(arm, side, inventory, vectors)) for side in sides)
    return first, second


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
        cosines[:, query] = (unit[one] * unit[other]).sum(dim=1).numpy()
        equal[:, query] = one == other
    return cosines, equal


def pooled(cosines: Floats, ratings: Floats) -> float:
    """Spearman's correlation over all single queries."""
    return float(spearmanr(cosines.ravel(), np.repeat(ratings, cosines.shape[1])).statistic)


def of_means(cosines: Floats, ratings: Floats) -> float:
    """Spearman's correlation of the pairs' mean cosines."""
    return float(spearmanr(cosines.mean(axis=1), ratings).statistic)


def means_by_meaning(cosines: Floats, equal: Floats, same: Floats, chosen: Sequence[Ints]) -> Floats:
    """`(len(chosen), 2)` mean cosine for pairs of one meaning and of two, of different substitutes (§4.2, Figure 5).

    Parameters
    ----------
    cosines, equal
        `(n, queries)` from `substituted_cosines`.
    same
        `(n,)` 1 for one meaning, 0 for two.
    chosen
        Which pairs, such as all of them and bootstraps; the same for all arms, so that arms can be subtracted.
    """
    sums, counts = (cosines * (equal == 0)).sum(axis=1), (equal == 0).sum(axis=1)
    by_meaning = ((take[same[take] == 1], take[same[take] == 0]) for take in chosen)
    return np.array([[sums[pairs].sum() / counts[pairs].sum() for pairs in both] for both in by_meaning])


def alike(difference: float, interval: tuple[float, float]) -> tuple[float, tuple[float, float]]:
    """`ALMOST` less the size of a difference, and its interval: above 0 where the difference is within ± `ALMOST`.

    A two-sided test of equivalence: the whole interval of the difference, with its sign, has to lie inside.
    """
    low, high = interval
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return ALMOST - abs(difference), (ALMOST - max(abs(low), abs(high)), ALMOST - nearest)
