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

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from trustnlp.decoys.benchmark.cell_table import checked_table
from trustnlp.evaluation.intervals import wilson_interval

Floats = NDArray[np.float64]

_NUMBERS = (
    "rank", "rank_low", "rank_high", "found", "found_low", "found_high",
    "until_found", "until_found_low", "until_found_high", "chance",
)  # fmt: skip
_LEVEL = 0.95
# Shares and means that differ by less are equal, so that rounding breaks no tie.
_EQUAL = 1e-9


def rank_explainers(table: pd.DataFrame, *, rng: np.random.Generator, resamples: int = 2000) -> pd.DataFrame:
    """The leaderboard: a row for each explainer, the best first.

    An explainer is better if it finds a larger share of decoys, and of equal shares if it needs fewer instances.

    Parameters
    ----------
    table
        See `cell_table`. Of one order of inspection, the ranking is for that order.
    rng
        Of the bootstrap.
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
    - `cells`, `failed`: cells in all, and those that failed.

    Raises
    ------
    ValueError
        If given what `checked_table` refuses, among it a decoy that was not adopted.
    """
    run, cells = checked_table(table)
    ran = cells.index.isin(run["explainer"])
    status = np.select([~ran, cells["failed"] > 0], ["failed", "partly failed"], "ranked")
    board = pd.DataFrame({"status": status}, index=cells.index)
    numbers = _numbers(run, resamples, rng) if len(run) else pd.DataFrame(columns=list(_NUMBERS), dtype=float)
    board = board.join(numbers[list(_NUMBERS)]).join(cells)
    return board.sort_values(["rank", "explainer"], na_position="last")


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
            numbers.loc[name, ["found_low", "found_high"]] = wilson_interval(round(share * decoys), decoys, 1 - _LEVEL)
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


def _ranks(found: Floats, until: Floats) -> Floats:
    """`(..., E)` 1 for the best; equal explainers share a rank, and one without a number has none."""
    more = found[..., None, :] - found[..., :, None]
    sooner = until[..., :, None] - until[..., None, :]
    better = np.where(np.abs(more) > _EQUAL, more, sooner) > _EQUAL
    return np.where(np.isfinite(found), 1.0 + better.sum(axis=-1), np.nan)


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
