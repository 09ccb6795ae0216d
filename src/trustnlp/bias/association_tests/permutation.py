"""Permutation test of a WEAT: how often does a random split of the targets differ as much as the given one?

Azarpanah and Farhadloo (2021), §2. The targets `X ∪ Y` with scores `s(w, A, B)` are split into all pairs of sets of
the sizes `|X|` and `|Y|`. The p-value is the share of splits whose difference reaches the observed one.

The difference of means `mean(X_i) - mean(Y_i)` orders the splits as the paper's difference of sums does when the
sizes are equal, and is the sensible generalisation when a missing word makes them unequal. Since the total over
`X ∪ Y` is fixed, it is an increasing function of the sum over `X_i` alone, which is what is counted.

Three alternatives:

`greater`
    Caliskan et al. (2017): signed, one-sided. Splits with `difference ≥ observed`.
`absolute`
    This paper: splits with `|difference| ≥ |observed|`. **For equal sizes this p-value is exactly twice the smaller
    one-sided one, and 1 if the observed difference is 0.** Proof: exchanging `X_i` and `Y_i` maps the splits one to
    one onto themselves and reverses the sign of the difference. So as many splits have a difference ≤ -|observed|
    as have one ≥ |observed|, and if |observed| > 0 none has both.
`observed`
    One-sided, on the side where the observed difference lies: `greater`, or its mirror image. For equal sizes half of
    `absolute`. As the side is chosen after looking, a test at level α may reject with probability 2α.

The paper counts splits *greater than* the observed one. Here those equal to it count as well, the observed split
itself among them: otherwise p could be 0, and the test would reject more often than its level says (deviation).

Sums are compared in float64 with a tolerance of 1e-12 of the total magnitude of the scores, in favour of "equal": the
same sum added up in another order differs in the last digits, and the observed split must not miss itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trustnlp.bias.association_tests.measures import check_choice
from trustnlp.bias.association_tests.tail_counts import Floats64, all_sums, count_exactly, count_on_grid, losses

Alternative = Literal["greater", "absolute", "observed"]
Method = Literal["auto", "enumeration", "exact", "grid", "monte-carlo"]

# All splits are listed up to this many.
MOST_ENUMERATED = 200_000
# Subset sums that meeting in the middle may list: without being asked for (18 of 36 words), and at all.
_EXACT_BY_ITSELF = 1 << 19
_EXACT_AT_ALL = 1 << 28
_TOLERANCE = 1e-12


@dataclass(frozen=True)
class PermutationResult:
    """A p-value and how sure it is.

    Attributes
    ----------
    p_value
        Equal to `p_high`: the cautious end. Never below `1 / n_partitions` (exact) or `1 / (draws + 1)`.
    p_low, p_high
        Bounds of the exact p-value. Equal for `enumeration` and `exact`; proven for `grid`; for `monte-carlo` both
        are the estimate (its error is random, not bounded).
    method
        What computed it.
    n_partitions
        Number of splits, `C(|X| + |Y|, |X|)`.
    """

    p_value: float
    p_low: float
    p_high: float
    method: str
    n_partitions: int


def permutation_test(
    scores: ArrayLike,
    n_first: int,
    *,
    alternative: Alternative = "absolute",
    method: Method = "auto",
    rtol: float = 1e-3,
    draws: int = 100_000,
    rng: np.random.Generator | None = None,
) -> PermutationResult:
    """p-value of the split of `scores` into the first `n_first` and the others.

    Parameters
    ----------
    scores
        `(N,)` one association `s(w, A, B)` per target word, those of X first. Computed in float64: scores that were
        computed in float32 carry errors far above the tolerance here.
    n_first
        Size of X, from 1 to `N - 1`.
    alternative
        See the head of this module.
    method
        `enumeration` lists all splits (up to `MOST_ENUMERATED`); `exact` meets in the middle (exact for up to about
        26 + 26 words); `grid` proves bounds for any size; `monte-carlo` draws splits at random. `auto` takes the
        first of `enumeration`, `exact` (up to 18 + 18 words, or more where the observed split is so extreme that few
        sums have to be listed) and `grid` that is cheap.
    rtol
        For `grid`: relative distance of the bounds aimed at. It may not be reached where the tail holds a handful of
        splits only, or where many tie with the observed one; the bounds hold in any case.
    draws, rng
        For `monte-carlo`: number of random splits, and their generator (required). The p-value is
        `(hits + 1) / (draws + 1)`.

    Raises
    ------
    ValueError
        If given scores that are not finite or not a list, a size outside 1..N-1, an unknown name, a method asked for
        beyond its size, or `monte-carlo` without `rng`.

    Examples
    --------
    >>> permutation_test([0.6, 0.4, 0.5, -0.5, -0.3, -0.1], 3, alternative="greater").p_value
    0.05
    """
    values, tolerance = _centred(scores, n_first)
    check_choice("alternative", alternative, get_args(Alternative))
    check_choice("method", method, get_args(Method))
    partitions = math.comb(len(values), n_first)
    observed = float(values[:n_first].sum())
    if alternative == "observed":
        values, observed, alternative = (values if observed >= 0 else -values), abs(observed), "greater"
    if method == "auto" and partitions <= MOST_ENUMERATED:
        method = "enumeration"
    if method == "monte-carlo":
        if rng is None or draws < 1:
            raise ValueError("a Monte Carlo test needs rng=numpy.random.default_rng(seed) and draws ≥ 1")
        sums = _random_sums(values, n_first, draws, rng)
        p = (_reaching(sums, observed, tolerance, alternative) + 1) / (draws + 1)
        return PermutationResult(p, p, p, method, partitions)
    if method == "enumeration":
        if partitions > MOST_ENUMERATED:
            raise ValueError(
                f"{partitions:.3g} splits are too many to list (the limit is {MOST_ENUMERATED:,}); use method='auto'"
            )
        p = _reaching(all_sums(values, n_first), observed, tolerance, alternative) / partitions
        return PermutationResult(p, p, p, method, partitions)
    if alternative == "greater":
        low, high, used = _count(values, n_first, observed - tolerance, method, rtol)
    elif abs(observed) <= tolerance:
        low, high, used = partitions, partitions, "exact"
    else:
        low, high, used = _count_both_tails(values, n_first, observed, tolerance, method, rtol)
    return PermutationResult(high / partitions, low / partitions, high / partitions, used, partitions)


def _centred(scores: ArrayLike, n_first: int) -> tuple[Floats64, float]:
    """Scores less their mean, and the tolerance of comparisons of their sums."""
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError(f"scores must be a list of finite numbers, got shape {values.shape}; look for NaN upstream")
    if not 1 <= n_first < len(values):
        raise ValueError(f"both sets need a word: the first of {len(values)} scores cannot have size {n_first}")
    return values - values.mean(), _TOLERANCE * float(np.abs(values).sum())


def _reaching(sums: Floats64, observed: float, tolerance: float, alternative: Alternative) -> int:
    """How many of the centred sums are at least as extreme as the observed one."""
    if alternative == "absolute":
        return int(np.count_nonzero(np.abs(sums) >= abs(observed) - tolerance))
    return int(np.count_nonzero(sums >= observed - tolerance))


def _random_sums(values: Floats64, size: int, draws: int, rng: np.random.Generator) -> Floats64:
    """`(draws,)` sums of `size` values drawn without replacement."""
    sums = np.empty(draws)
    block = 10_000  # keeps the random keys within a few MB
    for start in range(0, draws, block):
        keys = rng.random((min(block, draws - start), len(values)))
        picked: NDArray[np.intp] = np.argpartition(keys, size - 1, axis=1)[:, :size]
        sums[start : start + len(keys)] = values[picked].sum(axis=1)
    return sums


def _count(values: Floats64, size: int, threshold: float, method: Method, rtol: float) -> tuple[int, int, str]:
    """Bounds of the number of splits whose sum is at least `threshold`, and the method used."""
    total = math.comb(len(values), size)
    problem, complement = losses(values, size, threshold), losses(-values, size, -threshold)
    # The nearer tail is the cheaper one. No sum lies on the threshold itself: it is off by the tolerance.
    swapped = complement.budget < problem.budget
    if swapped:
        problem = complement
    if method != "grid" and problem.sums <= (_EXACT_BY_ITSELF if method == "auto" else _EXACT_AT_ALL):
        low = high = count_exactly(problem)
        used = "exact"
    elif method == "exact":
        raise ValueError(
            f"{problem.sums:.3g} subset sums are too many to list; use method='grid', whose bounds are proven"
        )
    else:
        low, high = count_on_grid(problem, rtol, subtract_from=total if swapped else None)
        used = "grid"
    return (total - high, total - low, used) if swapped else (low, high, used)


def _count_both_tails(
    values: Floats64, size: int, observed: float, tolerance: float, method: Method, rtol: float
) -> tuple[int, int, str]:
    """Bounds of the number of splits with `|sum| ≥ |observed|`, not 0, and the method used."""
    threshold = abs(observed) - tolerance
    low, high, used = _count(values, size, threshold, method, rtol)
    if 2 * size == len(values):
        return 2 * low, 2 * high, used
    other_low, other_high, other_used = _count(-values, size, threshold, method, rtol)
    return low + other_low, high + other_high, "grid" if "grid" in (used, other_used) else used
