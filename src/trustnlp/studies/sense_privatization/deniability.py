"""How often a word stays, and how many substitutes it has: N_w and S_w over ε, and by how much senses stretch ε.

Arnold, Yesilbas and Weinzierl (2023), §4.1, Figures 3 and 4. N_w is the probability that a mechanism returns the word
itself, S_w the number of its distinct substitutes in 100 draws; here S_w is divided by the number of draws, so that one
half means the same for both. The paper compares the ε at which the means cross one half, for words and for senses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from trustnlp.evaluation.intervals import bootstrap_interval

Floats = NDArray[np.float64]
Estimate = tuple[float, tuple[float, float]]
Ints = NDArray[np.int64]
# (n,) rows of a mechanism's table to (n,) rows of the vocabulary, with fresh noise.
Draw = Callable[[Tensor], Tensor]
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


def repeated(draw: Draw, rows: ArrayLike, draws: int) -> Ints:
    """`(n, draws)` substitutes, as rows of the vocabulary, for what is looked up in `rows` `(n,)`; all independent."""
    asked = torch.from_numpy(np.repeat(np.asarray(rows, dtype=np.int64), draws))
    substitutes: Ints = draw(asked).numpy().reshape(-1, draws)
    return substitutes


def curves(
    at: Callable[[float], Draw], rows: ArrayLike, words: ArrayLike, epsilons: Sequence[float], draws: int
) -> Curves:
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
        If ε is not ascending.
    """
    grid, originals = np.asarray(epsilons, dtype=np.float64), np.asarray(words)[:, None]
    if (np.diff(grid) <= 0).any():
        raise ValueError(f"ε has to ascend, got {list(epsilons)}")
    drawn = [np.sort(repeated(at(float(epsilon)), rows, draws), axis=1) for epsilon in grid]
    kept = np.array([(substitutes == originals).mean(axis=1) for substitutes in drawn])
    distinct = np.array([(np.diff(substitutes, axis=1) != 0).sum(axis=1) + 1 for substitutes in drawn])
    return Curves(grid, kept, distinct / draws)


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


def calibrated(measured: Curves, quantile: float) -> float:
    """ε at which N_w is at most one half for a `quantile` of the words (§4.1: .90, and .50 in Table 2)."""
    return crossing(measured.epsilons, np.quantile(measured.kept, quantile, axis=1), falls=False)


def resampled(n: int, resamples: int, rng: np.random.Generator) -> list[Ints]:
    """All of n words or pairs, then `resamples` bootstraps of them."""
    return [np.arange(n), *np.asarray(rng.integers(0, n, (resamples, n)), dtype=np.int64)]


def estimated(samples: Floats) -> Estimate:
    """The first of the samples, which is the estimate itself, and 95 % of the others, the resamples."""
    low, high = np.nanquantile(samples[1:], [0.025, 0.975])
    return float(samples[0]), (float(min(low, samples[0])), float(max(high, samples[0])))


def least_steps(curve: Floats, chosen: Sequence[Ints], *, falls: bool) -> Floats:
    """Over resamples: the least step of a mean curve `(E, n)`, from one ε to the next, in the direction it should take.

    The least of several steps is biased downwards by chance, for which there are .005 of room.
    """
    steps = [np.diff(curve[:, take].mean(axis=1)) * (-1 if falls else 1) for take in chosen]
    least: Floats = np.min(steps, axis=1) + 0.005
    return least


def stretches(measured: Mapping[str, Curves], chosen: Sequence[Ints]) -> dict[str, Floats]:
    """Over resamples: by which factor senses and controls stretch ε against `word`, and what §4.1 says of it.

    Parameters
    ----------
    measured
        `word`, `sense`, and `one_sense`, of the same words in the same order; a resample takes the same words of all.

    Returns
    -------
    `{arm}.factor` by N_w; `stretch_N_w` and `stretch_S_w` of senses, less √10 as a factor and as logarithms to base
    ten; `shape.margin`; and `congestion.margin`: what senses lose of their stretch if each word has one candidate, less
    half of the stretch.
    """
    logs = {arm: _log_crossings(of_arm, chosen) for arm, of_arm in measured.items()}
    apart = {arm: of_arm - logs["word"] for arm, of_arm in logs.items() if arm != "word"}
    samples = {f"{arm}.factor": 10**kept for arm, (kept, _) in apart.items()}
    for name, logarithms in zip(("stretch_N_w", "stretch_S_w"), apart["sense"], strict=True):
        samples |= {f"{name}.margin": 10**logarithms - 10**0.5, f"{name}.log10": logarithms}
    sense, single = apart["sense"][0], apart["one_sense"][0]
    samples["congestion.margin"] = sense / 2 - single
    samples["shape.margin"] = 0.05 - shape_gaps(measured["word"], measured["sense"], 10**sense, chosen)
    return samples


def shape_gaps(words: Curves, other: Curves, factors: Floats, chosen: Sequence[Ints]) -> Floats:
    """Over resamples: the largest difference of two mean curves of N_w once the ε of one is divided by its factor.

    Measured where either curve has its points, as both are straight between theirs: the larger of the two counts.
    """
    gaps = []
    for take, factor in zip(chosen, factors, strict=True):
        grids = np.log(words.epsilons), np.log(other.epsilons / factor)
        at = np.concatenate(grids)
        at = at[(at >= max(grid[0] for grid in grids)) & (at <= min(grid[-1] for grid in grids))]
        one, two = (
            np.interp(at, grid, c.kept[:, take].mean(axis=1)) for grid, c in zip(grids, (words, other), strict=True)
        )
        gaps.append(np.abs(one - two).max() if len(at) else np.nan)
    return np.array(gaps)


def _log_crossings(measured: Curves, chosen: Sequence[Ints]) -> Floats:
    """`(2, 1 + resamples)` logarithms to base ten of the ε at which the means of N_w and of S_w cross one half."""
    crossings = [
        [
            crossing(measured.epsilons, values[:, take].mean(axis=1), falls=falls)
            for values, falls in ((measured.kept, False), (measured.support, True))
        ]
        for take in chosen
    ]
    return np.log10(crossings).T


def bootstrapped(values: ArrayLike) -> Estimate:
    """The mean of values over words or texts with its bootstrap interval, without the values themselves."""
    numbers = np.asarray(values, dtype=np.float64)
    return float(numbers.mean()), bootstrap_interval(numbers, rng=np.random.default_rng(0))
