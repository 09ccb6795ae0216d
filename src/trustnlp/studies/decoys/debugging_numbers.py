"""From the rows of the debugging set-ups to the numbers of the record: a value for each seed.

A value is a mean over the decoys that the models of a seed adopted. Differences, such as from chance or from words by
lot, are taken decoy by decoy before. Keys begin with the kind of models, `presence.` or `minilm.`.

A rate of adoption below 0, of a repaired model that follows the cue less than the clean one does, counts as 0 in what
is left: in a mean it would hide what is left of other decoys. This was decided after a first look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from trustnlp.studies.decoys.benchmark_models import RANKED
from trustnlp.studies.decoys.compared_models import VALIDATION
from trustnlp.studies.decoys.debugged_models import Debugged
from trustnlp.studies.decoys.explained_cells import CLEAN
from trustnlp.studies.decoys.named_words import COUNT

Values = dict[str, list[float]]
# Limits of ours, of the chapter's ledger, set before any run: a rate that counts as none and a loss that counts as
# small, in points; and a share by which being named less often counts as equally often.
NONE_LEFT = 10.0
SMALL_LOSS = 1.0
AS_OFTEN = 0.1
_UNITS = {
    "above_chance": "difference of shares",
    "over_count": "difference of shares",
    "misleads": "difference of shares",
    "named_margin": "difference of shares",
    "decoy_first_above_chance": "difference of shares",
    "success": "share of pairs",
    "chance": "share",
    "decoy_first": "share of pairs",
    "decoy_first_chance": "share of pairs",
    "possible": "share of repairs",
    "gone": "share of repairs",
    "remains": "share of repairs",
    "dropped": "count of words",
    "found": "share of texts",
    "alone": "share of searches",
    "both": "share of searches",
    "every": "share of searches",
    "adopted": "share of decoys",
}


def per_seed(found: Debugged, seeds: Sequence[int]) -> Values:
    """Key → values in the order of the seeds, of those seeds in which there is one.

    Returns
    -------
    dict
        Of each explainer `compare.EXPLAINER.success`, `.chance`, `.above_chance`, and the same of `decoy_first`.
        Of each source of names and way of dropping `repair.SOURCE.HOW.dropped`, `.possible`, `.before`, `.left`,
        `.loss_before`, `.gone` and `.remains` (the share of models whose verdict is `not adopted`, and `adopted` or
        `partly adopted`), `.gain`, `.loss` and what they are for words by lot, `.lot_left` and so on;
        `clean_repair.…` of clean models. `uncover.SOURCE.found`, `.chance`, `.above_chance`.
        `pairs.EXPLAINER.alone`, `.both`, `.every`; `pairs.adopted`, `.rate_alone` and `.rate_both`. The margins of the
        ledger's claims are among them.
    """
    values = _compared(found.compared) | _repaired(found.repaired) | _uncovered(found.uncovered) | _pairs(found.pairs)
    listed = {
        key: [float(by_seed[seed]) for seed in seeds if by_seed.get(seed) is not None]
        for key, by_seed in values.items()
    }
    return {key: own for key, own in listed.items() if own}


def by_decoy(repaired: pd.DataFrame) -> list[dict[str, Any]]:
    """Repairs decoy by decoy, to be recorded: means over seeds, and the words dropped in the first seed."""
    rows = []
    for (decoy, source, how), own in repaired.groupby(["decoy", "source", "how"], sort=False):
        done = own[own["possible"]]
        means = {key: _mean(done[key]) for key in ("before", "left", "gain", "loss", "lot_left", "lot_loss")}
        names = {"decoy": decoy, "source": source, "how": how, "seeds": len(own), "possible": len(done)}
        rows.append(names | means | {"words": own["words"].iloc[0]})
    return rows


def by_pair(pairs: pd.DataFrame) -> list[dict[str, Any]]:
    """Pairs part by part, to be recorded: in how many seeds there is one, adopted in how many, and mean rates."""
    parts = pairs.drop_duplicates(["pair", "decoy", "seed"]) if len(pairs) else pd.DataFrame(columns=["pair", "decoy"])
    return [
        {"pair": pair, "decoy": decoy, "seeds": len(own), "adopted": int(own["adopted"].sum())}
        | {key: _mean(own[key]) for key in ("rate_alone", "rate_both")}
        for (pair, decoy), own in parts.groupby(["pair", "decoy"], sort=False)
    ]


def unit_of(key: str) -> str:
    """Unit of a value of `per_seed`.

    >>> unit_of("compare.lime.success"), unit_of("repair.lime.words.left")
    ('share of pairs', 'points')
    """
    return _UNITS.get(key.rpartition(".")[2], "points")


def _compared(rows: pd.DataFrame) -> dict[str, Mapping[int, float]]:
    if not len(rows):
        return {}
    rows = rows.astype({"decoy_first": float, "decoy_first_chance": float})
    rows = rows.assign(
        above_chance=rows["success"] - rows["chance"],
        decoy_first_above_chance=rows["decoy_first"] - rows["decoy_first_chance"],
        misleads=0.5 - rows["success"],
    )
    columns = ["success", "chance", "above_chance", "decoy_first", "decoy_first_chance", "decoy_first_above_chance"]
    found = _means(rows, "explainer", columns, "compare.{}")
    own = rows[rows["explainer"] == VALIDATION]
    return found | _means(own, "explainer", ["misleads"], "compare.{}")


def _repaired(rows: pd.DataFrame) -> dict[str, Mapping[int, float]]:
    if not len(rows):
        return {}
    number = ["before", "left", "gain", "loss", "loss_before", "lot_left", "lot_gain", "lot_loss"]
    rows = rows.astype(dict.fromkeys(number, float))
    rows = rows.assign(left=rows["left"].clip(lower=0), lot_left=rows["lot_left"].clip(lower=0))
    rows = rows.assign(
        dropped=rows["words"].map(len),
        gone=rows["verdict"].eq("not adopted").where(rows["verdict"].notna()),
        remains=rows["verdict"].isin(RANKED).where(rows["verdict"].notna()),
        removed_over_random=rows["lot_left"] - rows["left"],
        gain_over_random=rows["gain"] - rows["lot_gain"],
        gone_margin=NONE_LEFT - rows["left"],
        cost_margin=SMALL_LOSS - rows["loss"],
        name=rows["source"] + "." + rows["how"],
    )
    rows = rows.astype({"gone": float, "remains": float})
    clean = rows["decoy"] == CLEAN
    done = rows["possible"]
    told = [*number, "gone", "remains", "removed_over_random", "gain_over_random", "gone_margin", "cost_margin"]
    found = _means(rows[~clean], "name", ["dropped", "possible"], "repair.{}")
    found |= _means(rows[~clean & done], "name", told, "repair.{}")
    found |= _means(rows[clean], "name", ["dropped", "possible"], "clean_repair.{}")
    found |= _means(rows[clean & done], "name", ["loss", "lot_loss", "cost_margin"], "clean_repair.{}")
    both = rows[~clean & done].pivot(index=["source", "seed", "decoy"], columns="how", values="loss")
    if {"words", "texts"} <= set(both.columns):
        more = (both["texts"] - both["words"]).rename("texts_cost_more").reset_index()
        found |= _means(more, "source", ["texts_cost_more"], "repair.{}")
    return found


def _uncovered(rows: pd.DataFrame) -> dict[str, Mapping[int, float]]:
    if not len(rows):
        return {}
    counted = rows[rows["source"] == COUNT].set_index(["seed", "decoy"])["found"]
    rows = rows.assign(
        above_chance=rows["found"] - rows["chance"],
        over_count=rows["found"] - counted.loc[list(zip(rows["seed"], rows["decoy"], strict=True))].to_numpy(),
    )
    return _means(rows, "source", ["found", "chance", "above_chance", "over_count"], "uncover.{}")


def _pairs(rows: pd.DataFrame) -> dict[str, Mapping[int, float]]:
    if not len(rows):
        return {}
    rows = rows.assign(named_margin=rows["both"] - rows["alone"] + AS_OFTEN, adopted=rows["adopted"].astype(float))
    found = _means(rows[rows["adopted"] > 0], "explainer", ["alone", "both", "every", "named_margin"], "pairs.{}")
    parts = rows.drop_duplicates(["pair", "decoy", "seed"])
    for column in ("adopted", "rate_alone", "rate_both"):
        found[f"pairs.{column}"] = parts.groupby("seed")[column].mean().to_dict()
    return found


def _means(rows: pd.DataFrame, by: str, columns: Sequence[str], first: str) -> dict[str, Mapping[int, float]]:
    """Key → seed → mean of a column over the rows that have a number."""
    found: dict[str, Mapping[int, float]] = {}
    for name, own in rows.groupby(by, sort=False):
        for column in columns:
            known = own[own[column].notna()]
            found[f"{first.format(name)}.{column}"] = known.groupby("seed")[column].mean().astype(float).to_dict()
    return found


def _mean(values: pd.Series) -> float | None:
    known = values.dropna()
    return float(known.mean()) if len(known) else None
