"""The table of all cells that the leaderboard is made of: how it comes from cells, and what is wrong with one.

It has a row for each cell and order of inspection, with the columns of `COLUMNS`:

- `explainer`, `decoy`, `model`, `seed`, `order`: what was inspected, and in which order the instances came;
- `found_at`: the number of the instance at which the decoy was named, from 1; NaN where it was not within the budget;
- `budget`: how many instances were inspected at most, one number for the whole table;
- `chance`: the probability with which scores without information would have named the decoy within the budget;
- `false_alarm`: whether the search named it in a clean model (1 or 0); NaN where that was not asked;
- `adopted`: whether this model has adopted the decoy;
- `failure`: why the cell failed, empty or NaN where it did not. A failed cell stands for all its orders.

A decoy that a model did not adopt is no bug of it, so that explainers are not ranked on it; a cell that failed is no
search that found nothing. Explainers are compared on the same cells, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

import pandas as pd

from trustnlp.decoys.benchmark.debugging_cells import CellResult

COLUMNS = (
    "explainer", "decoy", "model", "seed", "order",
    "found_at", "budget", "chance", "false_alarm", "adopted", "failure",
)  # fmt: skip
_CELL, _ROW = ["decoy", "model", "seed"], ["decoy", "model", "seed", "order"]


def long_table(results: Sequence[CellResult]) -> pd.DataFrame:
    """A row for each mapping that a cell gave, with the names of the cell before it.

    A cell gives one mapping, or a list of them, as of several orders of inspection. A cell that failed has one row with
    the reason in the column `failure`, which is empty elsewhere, and nothing in the columns that `compute` gives.
    """
    rows = []
    for result in results:
        cell = result.cell
        names = {"explainer": cell.explainer, "decoy": cell.decoy, "model": cell.model, "seed": cell.seed}
        if result.failure:
            rows.append({**dict.fromkeys(COLUMNS), **names, "failure": result.failure})
        else:
            searches = result.values if isinstance(result.values, list) else [result.values]
            rows += [{**names, **row, "failure": ""} for row in searches]
    return pd.DataFrame(rows)


def checked_table(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The table that a ranking is made of.

    Returns
    -------
    The rows that did not fail, with the columns `found`, 1 or 0, and `until_found`, the instances until then, where a
    search that found nothing counts as budget + 1. And by explainer how many `cells` it has and how many `failed`.

    Raises
    ------
    ValueError
        If given an explainer without a cell that others have, a decoy that was not adopted, or several budgets.
    """
    failed = table["failure"].notna() & (table["failure"] != "")
    run = table[~failed].copy()
    if len(refused := run[~run["adopted"].astype(bool)].drop_duplicates(_CELL)):
        by = [f"{decoy!r} (by {model}, seed {seed})" for decoy, model, seed in refused[_CELL].to_numpy()]
        raise ValueError(
            f"not adopted: {', '.join(by)}. No explainer can find a bug that is not there: drop these rows"
        )
    for name in ("found_at", "budget", "chance", "false_alarm"):
        run[name] = run[name].astype(float)
    if len(budgets := sorted(run["budget"].unique())) > 1:
        listed = ", ".join(f"{each:.0f}" for each in budgets)
        raise ValueError(f"the budgets are {listed}: numbers until found are compared under one; rank each apart")
    _check_complete(run, table[failed], table["explainer"].unique())
    run["found"] = run["found_at"].notna().astype(float)
    run["until_found"] = run["found_at"].fillna(run["budget"] + 1)
    cells = table.assign(failed=failed).groupby(["explainer", *_CELL], as_index=False)["failed"].any()
    return run, cells.groupby("explainer")["failed"].agg(cells="count", failed="sum")


def _check_complete(run: pd.DataFrame, failed: pd.DataFrame, explainers: Iterable[str]) -> None:
    """Explainers are compared on the same searches; a cell that failed stands for all its orders."""
    own = set(run[["explainer", *_ROW]].itertuples(index=False, name=None))
    lost = set(failed[["explainer", *_CELL]].itertuples(index=False, name=None))
    for name, row in product(explainers, run[_ROW].drop_duplicates().itertuples(index=False, name=None)):
        if (name, *row) not in own and (name, *row[:-1]) not in lost:
            decoy, model, seed, order = row
            raise ValueError(
                f"explainer {name!r} lacks decoy {decoy!r}, model {model!r}, seed {seed}, order {order!r}, which "
                "others have: run that cell, or keep its failure in the table"
            )
