"""Which explainer finds the planted decoys, and how sure is the order? From a table of cells, and nothing else.

Idahl et al. (2021), §5, ask how fast a bug is detected under a budget of instances, and print no number. The table is
that of `cell_table`: one row for each cell and order of inspection.

*Units.* Decoys are the sample, and seeds are nested in decoys: each pair of a decoy and a seed is one trained model of
each kind. Models and orders are not sampled; their rows are averaged within the pair. A mean is one over decoys of the
means over their seeds. Its interval is a bootstrap: decoys are drawn with replacement, and of each drawn one its seeds.
All explainers share the draws. That seeds are drawn too makes it a little wide, which makes up for few decoys: of eight
decoys with three seeds it held a planted share as often as it should, or more often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binomtest

from trustnlp.decoys.benchmark.cell_table import checked_table

Floats = NDArray[np.float64]

_NUMBERS = (
    "rank", "rank_low", "rank_high", "found", "found_low", "found_high",
    "until_found", "until_found_low", "until_found_high", "chance",
    "false_alarms", "false_alarms_low", "false_alarms_high", "clean",
)  # fmt: skip
_LEVEL = 0.95
# Shares and means that differ by less are equal, so that rounding breaks no tie.
_EQUAL = 1e-9


@dataclass(frozen=True)
class RankCorrelation:
    """Agreement of the rankings of explainers at several levels: decoys, seeds or models.

    Attributes
    ----------
    tau, low, high
        Mean of Kendall's tau-b over pairs of levels, and its interval, which has no width of a single decoy.
    chance, chance_low, chance_high
        Mean and middle 95 % of the same number where each level's ranking is shuffled.
    p
        Share of shuffled values that are at least `tau`, the found one counted with them.
    levels, explainers
        What was compared.
    left_out
        Explainers with a failed cell, which are not compared.
    undefined
        Pairs of levels without a tau, since at one of them all explainers are equal.
    """

    tau: float
    low: float
    high: float
    chance: float
    chance_low: float
    chance_high: float
    p: float
    levels: tuple[Any, ...]
    explainers: tuple[str, ...]
    left_out: tuple[str, ...]
    undefined: int


def rank_explainers(
    table: pd.DataFrame,
    *,
    rng: np.random.Generator,
    explainers: Sequence[str] = (),
    resamples: int = 2000,
) -> pd.DataFrame:
    """The leaderboard: a row for each explainer, the best first.

    An explainer is better if it finds a larger share of decoys, and of equal shares if it needs fewer instances.

    Parameters
    ----------
    table
        See `cell_table`. Of one order of inspection, the ranking is for that order.
    rng
        Of the bootstrap.
    explainers
        Those that must be in the table.
    resamples
        Of the bootstrap.

    Returns
    -------
    With the explainer as index, and the columns

    - `status`: `ranked`; `partly failed`, ranked by the cells that did not fail; or `failed`, and the numbers are NaN.
    - `rank`, `rank_low`, `rank_high`: 1 is best, equal explainers share a rank.
    - `found`, `found_low`, `found_high`: share of decoys found within the budget. Where all searches have found theirs,
      or none has, a bootstrap has no width: the interval is Wilson's for as many trials as there are decoys.
    - `until_found`, `until_found_low`, `until_found_high`: restricted mean number of instances until the decoy is
      found. A search that does not find it counts as budget + 1.
    - `chance`: mean of the chance of finding it.
    - `false_alarms`, `false_alarms_low`, `false_alarms_high`, `clean`: share of alarms on clean models, Wilson's
      interval, and the number of searches, which the interval takes as independent.
    - `cells`, `failed`: cells in all, and those that failed.

    Raises
    ------
    ValueError
        If given what `checked_table` refuses, among it a decoy that was not adopted and an explainer without a cell.
    """
    run, cells = checked_table(table, explainers)
    ran = cells.index.isin(run["explainer"])
    status = np.select([~ran, cells["failed"] > 0], ["failed", "partly failed"], "ranked")
    board = pd.DataFrame({"status": status}, index=cells.index)
    numbers = _numbers(run, resamples, rng) if len(run) else pd.DataFrame(columns=list(_NUMBERS), dtype=float)
    board = board.join(numbers[list(_NUMBERS)]).join(cells)
    return board.sort_values(["rank", "explainer"], na_position="last")


def rank_correlation(
    table: pd.DataFrame,
    between: Literal["decoy", "seed", "model"],
    *,
    rng: np.random.Generator,
    resamples: int = 2000,
) -> RankCorrelation:
    """Does the ranking of explainers persist? Mean of Kendall's tau-b over pairs of decoys, of seeds or of models.

    At each level explainers are ordered as on the leaderboard, by all rows of that level. The interval is a bootstrap
    over decoys, whatever is compared: between decoys they are the levels, and a pair of one and the same is left out;
    between seeds or models the rankings are made anew of the drawn decoys, which are fewer different ones, so that the
    interval lies rather low. Chance is the same number with each level's ranking shuffled among the explainers.

    Parameters
    ----------
    table
        See `cell_table`. Seeds of different decoys are compared as one level if they have one number.
    rng
        Of the bootstrap and the shuffles.
    resamples
        Of each.

    Raises
    ------
    ValueError
        If `rank_explainers` would raise it; or fewer than two levels, or than two explainers without a failed cell.
    """
    if between not in ("decoy", "seed", "model"):
        raise ValueError(f"rankings are compared between 'decoy', 'seed' or 'model', got {between!r}")
    run, cells = checked_table(table)
    left_out = tuple(cells.index[cells["failed"] > 0])
    run = run[~run["explainer"].isin(left_out)]
    levels, names = (sorted(run[column].unique().tolist()) for column in (between, "explainer"))
    if len(levels) < 2 or len(names) < 2:
        raise ValueError(
            f"two levels of {between!r} and two explainers without a failed cell are needed, the table has {levels} "
            f"and {names}"
        )
    means = _level_means(run, between)
    decoys = means.shape[2]
    drawn = rng.multinomial(decoys, [1 / decoys] * decoys, size=resamples)
    once = np.ones((1, len(levels)))
    found = _weighted(means, np.ones((1, decoys)))
    tau = float(np.clip(_mean_tau(_directions(*found), once)[0], -1, 1))
    resampled = _mean_tau(_directions(*_weighted(means, drawn)), drawn if between == "decoy" else once)
    shuffled = rng.permuted(np.tile(np.arange(len(names)), (resamples, len(levels), 1)), axis=2)
    by_chance = _mean_tau(_directions(*(np.take_along_axis(each, shuffled, axis=2) for each in found)), once)
    defined = int(_directions(*found).any(axis=2).sum())
    [[low], [high]] = _middle(resampled[:, None])
    [[chance_low], [chance_high]] = _middle(by_chance[:, None])
    return RankCorrelation(
        tau=tau,
        low=low,
        high=high,
        chance=float(by_chance.mean()),
        chance_low=chance_low,
        chance_high=chance_high,
        p=float((1 + (by_chance >= tau - _EQUAL).sum()) / (1 + resamples)) if defined > 1 else float("nan"),
        levels=tuple(levels),
        explainers=tuple(names),
        left_out=left_out,
        undefined=(len(levels) * (len(levels) - 1) - defined * (defined - 1)) // 2,
    )


def _numbers(run: pd.DataFrame, resamples: int, rng: np.random.Generator) -> pd.DataFrame:
    """The columns `_NUMBERS` of explainers with a cell that did not fail."""
    names = sorted(run["explainer"].unique())
    units, seeds = _units(run)
    found, until, chance = _mean(_mean(units))
    drawn = _resampled(units[:2], seeds, resamples, rng)
    values = {"rank": _ranks(found, until), "found": found, "until_found": until}
    samples = {"rank": _ranks(*drawn), "found": drawn[0], "until_found": drawn[1]}
    numbers = pd.DataFrame({**values, "chance": chance}, index=pd.Index(names, name="explainer"))
    for name, sample in samples.items():
        numbers[f"{name}_low"], numbers[f"{name}_high"] = _middle(sample)
    tried = np.isfinite(units[0]).any(axis=2).sum(axis=1)
    for name, share, decoys in zip(names, found, tried, strict=True):
        if min(share, 1 - share) < _EQUAL:
            numbers.loc[name, ["found_low", "found_high"]] = _wilson(round(share * decoys), decoys)
    alarms = run.groupby("explainer")["false_alarm"].agg(["sum", "count"]).astype(int)
    numbers["clean"] = alarms["count"]
    numbers["false_alarms"] = alarms["sum"] / alarms["count"].where(alarms["count"] > 0)
    intervals = [_wilson(hits, searches) for hits, searches in alarms.itertuples(index=False)]
    numbers[["false_alarms_low", "false_alarms_high"]] = intervals
    return numbers


def _units(run: pd.DataFrame) -> tuple[Floats, NDArray[np.int64]]:
    """`(3, E, D, S)` found, until found and chance, NaN where there is no cell; and the seeds of each decoy `(D,)`."""
    quantities = ["found", "until_found", "chance"]
    means = run.groupby(["explainer", "decoy", "seed"], as_index=False)[quantities].mean()
    pairs = means[["decoy", "seed"]].drop_duplicates()
    pairs["place"] = pairs.groupby("decoy").cumcount()
    means = means.merge(pairs, on=["decoy", "seed"])
    explainer, decoy = (pd.factorize(means[name], sort=True)[0] for name in ("explainer", "decoy"))
    seeds: NDArray[np.int64] = pairs.groupby("decoy").size().to_numpy()
    units = np.full((3, explainer.max() + 1, len(seeds), seeds.max()), np.nan)
    units[:, explainer, decoy, means["place"]] = means[quantities].to_numpy().T
    return units, seeds


def _resampled(units: Floats, seeds: NDArray[np.int64], resamples: int, rng: np.random.Generator) -> Floats:
    """`(2, resamples, E)` means of decoys drawn with replacement, and of each as many of its seeds as it has."""
    decoys, most = units.shape[2:]
    decoy = rng.integers(decoys, size=(resamples, decoys, 1))
    seed = (rng.random((resamples, decoys, most)) * seeds[decoy]).astype(np.int64)
    counts = np.arange(most) < seeds[decoy]
    drawn = [_mean(_mean(np.where(counts, own[:, decoy, seed], np.nan))) for own in units.swapaxes(0, 1)]
    return np.stack(drawn, axis=2)


def _level_means(run: pd.DataFrame, between: str) -> Floats:
    """`(2, L, D, E)` found and until found at each level, by decoy; NaN where the level has no row of it."""
    places = tuple(pd.factorize(run[name], sort=True)[0] for name in (between, "decoy", "explainer"))
    counts = np.zeros([place.max() + 1 for place in places])
    np.add.at(counts, places, 1)
    sums = np.zeros((2, *counts.shape))
    for total, name in zip(sums, ("found", "until_found"), strict=True):
        np.add.at(total, places, run[name].to_numpy())
    means: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return means


def _weighted(means: Floats, weights: NDArray[Any]) -> Floats:
    """`(2, R, L, E)` means over decoys with weights `(R, D)`; NaN of a level without a decoy that counts."""
    own = weights[:, None, :] * np.isfinite(means[0, :, :, 0])
    total = own.sum(axis=2)[..., None]
    sums = np.einsum("rld,qlde->qrle", own, np.nan_to_num(means))
    return np.where(total > 0, sums / np.maximum(total, 1), np.nan)


def _better(found: Floats, until: Floats) -> Floats:
    """`(..., E, E)` 1 where the first explainer is better than the second, -1 where it is worse, else 0."""
    more = found[..., :, None] - found[..., None, :]
    sooner = until[..., None, :] - until[..., :, None]
    difference = np.where(np.abs(more) > _EQUAL, more, sooner)
    return np.where(np.abs(difference) > _EQUAL, np.sign(difference), 0.0)


def _ranks(found: Floats, until: Floats) -> Floats:
    """`(..., E)` 1 for the best; equal explainers share a rank, and one without a number has none."""
    return np.where(np.isfinite(found), 1.0 + (_better(found, until) < 0).sum(axis=-1), np.nan)


def _directions(found: Floats, until: Floats) -> Floats:
    """`(..., L, P)` rankings as unit vectors over pairs of explainers: the product of two is their tau-b.

    All are 0 where all explainers are equal.
    """
    first, second = np.triu_indices(found.shape[-1], 1)
    signs = _better(found, until)[..., first, second]
    directions: Floats = signs / np.sqrt(np.maximum(np.abs(signs).sum(axis=-1, keepdims=True), 1))
    return directions


def _mean_tau(directions: Floats, weights: NDArray[Any]) -> Floats:
    """`(R,)` mean of tau-b over pairs of different levels, which have weights `(R, L)`; NaN where no pair has one.

    The square of a sum of unit vectors is the sum of all their products, those of each with itself among them.
    """
    own = weights * directions.any(axis=-1)
    same = (own**2).sum(axis=-1)
    pairs = own.sum(axis=-1) ** 2 - same
    products = ((own[..., None] * directions).sum(axis=-2) ** 2).sum(axis=-1) - same
    return np.where(pairs > 0, products / np.maximum(pairs, 1), np.nan)


def _mean(values: Floats) -> Floats:
    """Over the last axis, of what is not NaN."""
    known = np.isfinite(values)
    counts = known.sum(axis=-1)
    return np.where(counts > 0, np.where(known, values, 0).sum(axis=-1) / np.maximum(counts, 1), np.nan)


def _middle(samples: Floats) -> Floats:
    """`(2, k)` ends of the middle 95 % of the samples `(R, k)`, of what is not NaN."""
    ends = np.full((2, samples.shape[1]), np.nan)
    for place, column in enumerate(samples.T):
        if (known := column[np.isfinite(column)]).size:
            ends[:, place] = np.quantile(known, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return ends


def _wilson(hits: int, trials: int) -> tuple[float, float]:
    """Wilson's (1927) interval; NaN without a trial."""
    if not trials:
        return float("nan"), float("nan")
    low, high = binomtest(hits, trials).proportion_ci(_LEVEL, method="wilson")
    return float(low), float(high)
