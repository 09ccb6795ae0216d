"""Could numbers of each label come from drawing at random? Table 2 of Misra, Liu and Mahmud (2021) has 11,664 tweets.

The published file has 14,640. If the paper's tweets were drawn from them without regard to the label, their numbers of
each label follow the multivariate hypergeometric law. `draw_test` says how many such draws lie at least as far from the
expected numbers as the printed ones. A low answer speaks against a plain random draw; a high one does not prove one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, gammaln

Floats = NDArray[np.float64]
_LABELS = 3


@dataclass(frozen=True)
class DrawTest:
    """How far numbers of each label lie from those that a random draw gives on average.

    Attributes
    ----------
    expected
        The average numbers.
    statistic
        X² = Σ (observed - expected)² / expected · (N - 1) / (N - n) for n drawn of N. The last factor is for drawing
        without replacement: who draws nearly all has little left to chance.
    p_asymptotic
        Of χ² with two degrees of freedom.
    p_exact
        Share of all draws with a statistic at least as great, summed over the hypergeometric law.
    """

    expected: tuple[float, ...]
    statistic: float
    p_asymptotic: float
    p_exact: float


def draw_test(drawn: Sequence[int], population: Sequence[int]) -> DrawTest:
    """Test numbers of three labels against a random draw, without replacement, from a population.

    Parameters
    ----------
    drawn, population
        How many have each label among those drawn, and among those that were drawn from.

    Raises
    ------
    ValueError
        Not three labels, a label with more drawn than there are, a label that the population lacks, or nothing or all
        drawn.
    """
    there, found = np.array(population, dtype=np.int64), np.array(drawn, dtype=np.int64)
    if found.shape != (_LABELS,) or there.shape != (_LABELS,):
        raise ValueError(f"expected numbers of three labels, got {tuple(drawn)} and {tuple(population)}")
    if (there < 1).any() or (found < 0).any() or (found > there).any() or not 0 < found.sum() < there.sum():
        raise ValueError(
            f"a part of {tuple(population)} is drawn, of a label at most all there are, got {tuple(drawn)}"
        )
    n = int(found.sum())
    expected = n * there / there.sum()
    statistic = float(_distance(found[:, None], there)[0])
    return DrawTest(
        tuple(expected.tolist()), statistic, float(chdtrc(_LABELS - 1, statistic)), _exact(statistic, n, there)
    )


def _distance(counts: NDArray[np.int64], there: NDArray[np.int64]) -> Floats:
    """The statistic of `(3, m)` numbers, `(m,)`."""
    size, n = there.sum(), counts[:, 0].sum()
    expected = (n * there / size)[:, None]
    found: Floats = ((counts - expected) ** 2 / expected).sum(0) * (size - 1) / (size - n)
    return found


def _exact(statistic: float, n: int, there: NDArray[np.int64]) -> float:
    """Probability of all draws of n at least as far as the statistic."""
    least = statistic * (1 - 1e-12)  # the draw itself belongs to them, whatever its rounding
    all_draws = _log_choose(there.sum(), n)
    total = 0.0
    for first in range(max(0, n - int(there[1] + there[2])), min(n, int(there[0])) + 1):
        left = n - first
        second = np.arange(max(0, left - int(there[2])), min(left, int(there[1])) + 1)
        counts = np.stack([np.full_like(second, first), second, left - second])
        far = counts[:, _distance(counts, there) >= least]
        total += float(np.exp(_log_choose(there[:, None], far).sum(0) - all_draws).sum())
    return min(total, 1.0)


def _log_choose(size: NDArray[np.int64] | np.int64, count: NDArray[np.int64] | int) -> Floats:
    found: Floats = gammaln(size + 1) - gammaln(np.asarray(count) + 1) - gammaln(size - np.asarray(count) + 1)
    return found
