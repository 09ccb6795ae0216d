"""How often a word stays, and how many substitutes it has: N_w and S_w over ε, and by how much senses stretch ε.

Arnold, Yesilbas and Weinzierl (2023), §4.1, Figures 3 and 4. N_w is the probability that a mechanism returns the word
itself, S_w the number of its distinct substitutes in 100 draws; here S_w is divided by the number of draws, so that one
half means the same for both. The paper compares the ε at which the means cross one half, for words and for senses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from trustnlp.evaluation.intervals import bootstrap_interval
from trustnlp.reproduce import Record

Floats = NDArray[np.float64]


# (n,) rows of a mechanism's table to (n,) rows of the vocabulary, with fresh noise.
Draw = Callable[[Tensor], Tensor]


_DRAWS_AT_ONCE = 1 << 16


LEVEL = 0.5


@dataclass(frozen=True, eq=False)
class Curves:
    """Of one mechanism, for n words.

    Attributes
    ----------
    epsilons
        `(E,)` ascending.
    kept
        `(E, n)` share of draws that return the word itself: N_w.
    support
        `(E, n)` distinct substitutes divided by draws: S_w as a share.
    """

    epsilons: Floats
    kept: Floats
    support: Floats


def curves(at: Callable[[float], Draw], rows: Tensor, words: Tensor, epsilons: Sequence[float], draws: int) -> Curves:
    """N_w and S_w of a mechanism over ε.

    Parameters
    ----------
    at
        From ε to the mechanism.
    rows
        `(n,)` what is looked up for each query: a word's row, or its sense's.
    words
        `(n,)` rows of the queried words in the vocabulary.
    epsilons
        Ascending and positive.
    draws
        For each query and ε.

    Raises
    ------
    ValueError
        If ε is not ascending, no draw, or not one row for each word.
    """
    grid = np.asarray(epsilons, dtype=np.float64)
    if len(rows) != len(words) or len(rows) == 0 or draws < 1 or (np.diff(grid) <= 0).any() or grid[0] <= 0:
        raise ValueError(
            f"needs one row for each word, at least one draw and ascending ε above 0, got {len(rows)} rows, "
            f"{len(words)} words, {draws} draws, ε {list(epsilons)}"
        )
    kept, support = np.empty((2, len(grid), len(rows)))
    at_once = max(1, _DRAWS_AT_ONCE // draws)
    for place, epsilon in enumerate(grid):
        draw = at(float(epsilon))
        for start in range(0, len(rows), at_once):
            part = slice(start, start + at_once)
            found = draw(rows[part].repeat_interleave(draws)).view(-1, draws)
            kept[place, part] = (found == words[part, None]).double().mean(dim=1).numpy()
            ordered = found.sort(dim=1).values
            support[place, part] = ((ordered.diff(dim=1) != 0).sum(dim=1) + 1).double().numpy() / draws
    return Curves(grid, kept, support)


def crossing(epsilons: Floats, curve: Floats, *, falls: bool) -> float:
    """The largest ε up to which plausible deniability holds by the paper's rule, linear in ln ε between two points.

    That is where the curve passes `LEVEL` for the last time: N_w upwards, S_w (`falls`) downwards. NaN where it does
    not within the range of ε.
    """
    above = np.asarray(curve) >= LEVEL
    deniable = above if falls else ~above
    if not deniable.any() or deniable[-1]:
        return float("nan")
    last = int(np.flatnonzero(deniable)[-1])
    log = np.log(epsilons[last : last + 2])
    low, high = curve[last], curve[last + 1]
    return float(np.exp(log[0] + (log[1] - log[0]) * (LEVEL - low) / (high - low)))


def calibrated(found: Curves, quantile: float) -> float:
    """ε at which N_w is at most one half for a `quantile` of the words (§4.1: .90, and .50 in Table 2)."""
    return crossing(found.epsilons, np.quantile(found.kept, quantile, axis=1), falls=False)


@dataclass(frozen=True)
class Stretch:
    """Logarithms to base ten of factors between the ε of two mechanisms: for all words first, then for resamples.

    Attributes
    ----------
    kept, support
        By N_w and by S_w.
    apart
        Largest difference between the two curves of N_w once the other's ε is divided by the factor.
    """

    kept: Floats
    support: Floats
    apart: Floats


def stretch(words: Curves, other: Curves, *, resamples: int, rng: np.random.Generator) -> Stretch:
    """By which factor `other` stretches ε against `words`, for all words and for `resamples` bootstraps of them.

    Both curves are of the same words in the same order, so a resample takes the same words of both.
    """
    n = words.kept.shape[1]
    chosen = [np.arange(n), *np.asarray(rng.integers(0, n, (resamples, n)), dtype=np.int64)]
    rows = []
    for take in chosen:
        of_words, of_other = words.kept[:, take].mean(axis=1), other.kept[:, take].mean(axis=1)
        factor = crossing(other.epsilons, of_other, falls=False) / crossing(words.epsilons, of_words, falls=False)
        supports = [crossing(c.epsilons, c.support[:, take].mean(axis=1), falls=True) for c in (other, words)]
        rows.append((np.log10(factor), np.log10(supports[0] / supports[1]), _apart(words, of_words, of_other, factor)))
    kept, support, apart = np.array(rows).T
    return Stretch(kept, support, apart)


def percentile_interval(samples: Floats) -> tuple[float, float]:
    """95 % of the resamples, the first of which is the estimate itself."""
    low, high = np.nanquantile(samples[1:], [0.025, 0.975])
    return float(min(low, samples[0])), float(max(high, samples[0]))


def monotone_margin(means: Floats, *, falls: bool) -> float:
    """Least step of a mean curve, from one ε to the next, in the direction it should take; .005 of room for chance."""
    steps = np.diff(means) * (-1 if falls else 1)
    return float(steps.min()) + 0.005


def metrics_of(stretches: Mapping[str, Stretch]) -> dict[str, Floats]:
    """Over resamples: `stretch_N_w`, `stretch_S_w` (less √10 as a factor, and as logarithms), `shape`, `congestion`.

    `stretches` has `sense`, and `decoys`: word vectors among all senses as candidates.
    """
    sense, decoys = stretches["sense"], stretches["decoys"]
    return {
        "stretch_N_w.margin": 10**sense.kept - 10**0.5,
        "stretch_N_w.log10": sense.kept,
        "stretch_S_w.margin": 10**sense.support - 10**0.5,
        "stretch_S_w.log10": sense.support,
        "shape.margin": 0.05 - sense.apart,
        "congestion.margin": decoys.kept - sense.kept / 2,
    }


def _apart(words: Curves, of_words: Floats, of_other: Floats, factor: float) -> float:
    """Both curves as functions of ln ε, where the shifted one has values too."""
    at = np.log(words.epsilons)
    shifted = at + np.log(factor)
    inside = (shifted >= at[0]) & (shifted <= at[-1])
    if not inside.any():
        return float("nan")
    return float(np.abs(np.interp(shifted[inside], at, of_other) - of_words[inside]).max())


Chosen = NDArray[np.int64]


def resampled(words: int, resamples: int, rng: np.random.Generator) -> list[Chosen]:
    """All words, then `resamples` bootstraps of them."""
    return [np.arange(words), *np.asarray(rng.integers(0, words, (resamples, words)), dtype=np.int64)]


def least_step(curve: Floats, chosen: list[Chosen], *, falls: bool) -> tuple[float, tuple[float, float]]:
    """`monotone_margin` of the mean of a curve `(E, n)`, and its interval over words.

    The least of several steps is biased downwards by chance, which is why the margin has its room.
    """
    return _over_words(lambda take: monotone_margin(curve[:, take].mean(axis=1), falls=falls), chosen)


def calibrated_epsilon(found: Curves, quantile: float, chosen: list[Chosen]) -> tuple[float, tuple[float, float]]:
    """`calibrated`, and its interval over words; NaN where no ε of the grid is small enough."""
    return _over_words(
        lambda take: calibrated(Curves(found.epsilons, found.kept[:, take], found.support[:, take]), quantile), chosen
    )


def apart_both_ways(words: Curves, other: Curves, chosen: list[Chosen]) -> Floats:
    """Over resamples: the largest difference of two mean curves of N_w once the ε of one is rescaled by the stretch.

    Measured where either curve has its points, as both are straight between theirs: the larger of the two counts.
    """
    found = []
    for take in chosen:
        one, two = words.kept[:, take].mean(axis=1), other.kept[:, take].mean(axis=1)
        factor = crossing(other.epsilons, two, falls=False) / crossing(words.epsilons, one, falls=False)
        grids = np.log(words.epsilons), np.log(other.epsilons / factor)
        inside = [at[(at >= max(g[0] for g in grids)) & (at <= min(g[-1] for g in grids))] for at in grids]
        both = np.concatenate(inside)
        gaps = np.abs(np.interp(both, grids[0], one) - np.interp(both, grids[1], two))
        found.append(gaps.max() if len(both) else np.nan)
    return np.array(found)


def _over_words(statistic: Callable[[Chosen], float], chosen: list[Chosen]) -> tuple[float, tuple[float, float]]:
    samples = np.array([statistic(take) for take in chosen])
    known = np.isfinite(samples[0])
    return float(samples[0]), percentile_interval(samples) if known else (float("nan"), float("nan"))


def bootstrapped(record: Record, key: str, values: ArrayLike, unit: str | None = None) -> None:
    """The mean of values over words or texts with its bootstrap interval, without the values themselves."""
    numbers = np.asarray(values, dtype=np.float64)
    interval = bootstrap_interval(numbers, rng=np.random.default_rng(0))
    record.metric(key, numbers.mean(), interval=interval, unit=unit)
