"""From searches to the numbers of the record: a value for each seed, and the ranking with its intervals.

Idahl et al. (2021), §1 and §5, ask for "effectiveness" (is the bug named?) and "efficiency" (after how many instances?)
and print no number. A seed's value is a mean over the decoys that its models adopted; for the ranking,
`trustnlp.decoys.benchmark.leaderboard` draws decoys and seeds anew.

**Above chance, at which budget?** A word that stands in half of the texts is soon named by anyone who notes three words
of each: with a large budget its chance is 1, and nothing is above. A rare word is named with a large budget alone. So
the shares named within b texts, by the explainer and by chance, are compared for every b up to the budget, and the
difference is averaged. It is the number of texts by which the decoy is named sooner than by chance, over the budget.

**Because of the bug?** A word that stands in half of the texts gathers notes from the explanations of a sound model,
too. So the same difference is taken to the clean model explained on the same texts in the same order, and an explainer
has helped by the smaller of the two.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from trustnlp.decoys.benchmark.cell_table import checked_table
from trustnlp.decoys.benchmark.leaderboard import rank_explainers
from trustnlp.studies.decoys.leaderboard.bug_searches import kind_of_order
from trustnlp.studies.decoys.leaderboard.explained_cells import RANDOM, applies

Values = dict[str, list[float]]
# Names of orders in keys.
SAVED = {
    "uncertainty": "uncertainty",
    "submodular_pick": "pick",
    "spectral_clusters": "clusters",
    "typical": "typical",
    "carriers": "carriers",
}
# Column of the searches in random order → key of its mean over decoys.
_AT_RANDOM = {
    "above_chance": "all.above_chance",
    "above_clean": "all.above_clean",
    "above_controls": "all.above_controls",
    "at_budget": "all.at_budget",
    "found": "found.all",
    "false_names": "false_names.all",
    "false_alarm": "in_clean.all",
}


def per_seed(searches: pd.DataFrame, seeds: Sequence[int]) -> Values:
    """Key → values in the order of the seeds, of those seeds in which there is one; of one kind of models.

    Returns
    -------
    dict
        For each explainer, in random order, `EXPLAINER.DECOY.above_chance`, the share of searches that name the decoy
        less the chance of it, mean over all budgets; `.above_clean`, the same against the clean model on the same
        texts; `.above_controls`, the smaller of the two, where the clean model was explained; and `.at_budget`, against
        chance for the whole budget alone; each also for `all` adopted decoys. Over these: `.found.all`, the share that
        name it; `.instances.all` until then, where a search that never names it counts one more than its budget;
        `.false_names.all`, the other words named by then; `.in_clean.all`, the share that name it in original texts
        read with the clean model. `EXPLAINER.ORDER_saved` is the instances that an order saves against a random one
        (names of orders as in `SAVED`); `carriers_saved` is that over all explainers but random scores.
    """
    if not len(searches):
        return {}
    run, _ = checked_table(searches)
    run = run.assign(order=run["order"].map(kind_of_order), at_budget=run["found"] - run["chance"])
    columns = [name for name in ("until_found", "chance_until", "clean_until", *_AT_RANDOM) if name in run]
    means = saved_against_controls(run.groupby(["explainer", "decoy", "seed", "order"])[[*columns, "budget"]].mean())
    at_random = means.xs("random", level="order")
    found: Values = {}
    for (explainer, decoy), own in at_random.groupby(level=["explainer", "decoy"], sort=False):
        for name in ("above_chance", "above_clean", "above_controls", "at_budget"):
            found[f"{explainer}.{decoy}.{name}"] = _by_seed(own[name].dropna(), seeds)
    for explainer, own in at_random.groupby(level="explainer", sort=False):
        for column, name in {"until_found": "instances.all", **_AT_RANDOM}.items():
            found[f"{explainer}.{name}"] = _by_seed(own[column].dropna(), seeds)
    until = means["until_found"].unstack("order")
    for order, name in SAVED.items():
        if order in until:
            saved = until["random"] - until[order]
            for explainer, own in saved.groupby(level="explainer", sort=False):
                found[f"{explainer}.{name}_saved"] = _by_seed(own, seeds)
            if order == "carriers":
                found["carriers_saved"] = _by_seed(saved.drop(RANDOM, level="explainer", errors="ignore"), seeds)
    return {key: values for key, values in found.items() if values}


def saved_against_controls(means: pd.DataFrame) -> pd.DataFrame:
    """Texts saved, over the budget: `above_chance`, `above_clean` and the smaller of both, `above_controls`.

    Parameters
    ----------
    means
        Columns `until_found`, `chance_until`, `clean_until` and `budget`. Without the clean model's, NaN, the last two
        are NaN.
    """
    saved = {
        name: (means[control].astype(float) - means["until_found"]) / means["budget"]
        for name, control in (("above_chance", "chance_until"), ("above_clean", "clean_until"))
    }
    return means.assign(**saved, above_controls=np.minimum(saved["above_chance"], saved["above_clean"]))


def alarms_and_costs(names: pd.DataFrame, seconds: pd.DataFrame, seeds: Sequence[int]) -> Values:
    """`EXPLAINER.false_alarms`, words named in a clean model; `.alarms`, the share of searches with any; `.seconds`.

    Parameters
    ----------
    names, seconds
        `bug_searches.clean_names` and `seconds_table`, of one kind of models.
    """
    found: Values = {}
    for table, column, key in (
        (names, "names", "false_alarms"),
        (names, "alarm", "alarms"),
        (seconds, "seconds", "seconds"),
    ):
        for explainer, own in table.groupby("explainer", sort=False):
            found[f"{explainer}.{key}"] = _by_seed(own.set_index("seed")[column], seeds)
    return found


def ranking(
    searches: pd.DataFrame, explainers: Sequence[str], kind: str, rng: np.random.Generator
) -> tuple[dict[str, tuple[float, tuple[float, float] | None]], dict[str, str]]:
    """The ranking by searches in random order, of one kind of models.

    Returns
    -------
    Keys `ranking.EXPLAINER.rank`, `.found`, `.chance` and `.instances` → value and 95 % interval, which chance has
    none of; and of each explainer its status: as `rank_explainers` has it, `does not apply` to such models, or
    `no decoy adopted`.
    """
    status = {name: "no decoy adopted" if applies(name, kind) else "does not apply" for name in explainers}
    at_random = random_only(searches)
    if not len(at_random):
        return {}, status
    board = rank_explainers(at_random, rng=rng)
    found: dict[str, tuple[float, tuple[float, float] | None]] = {}
    for name, row in board.iterrows():
        status[str(name)] = str(row["status"])
        if row["status"] == "failed":
            continue
        found[f"ranking.{name}.chance"] = float(row["chance"]), None
        for column, key in (("rank", "rank"), ("found", "found"), ("until_found", "instances")):
            value, low, high = (float(row[f"{column}{end}"]) for end in ("", "_low", "_high"))
            found[f"ranking.{name}.{key}"] = value, (low, high)
    return found, status


def random_only(searches: pd.DataFrame) -> pd.DataFrame:
    """The rows of random orders, and those of failed cells."""
    if not len(searches):
        return searches
    failed = searches["failure"].fillna("") != ""
    return searches[failed | searches["order"].fillna("").str.startswith("random")]


def of_kind(table: pd.DataFrame, kind: str) -> pd.DataFrame:
    """The rows of one kind of models."""
    return table[table["model"] == kind] if len(table) else table


def main_kind(kinds: Collection[str]) -> str:
    """The kind that a page speaks of: MiniLM, or the first where there is none."""
    return "minilm" if "minilm" in kinds else next(iter(kinds))


def prefix(kind: str) -> str:
    """How keys of a kind begin.

    >>> prefix("minilm"), prefix("presence")
    ('', 'presence.')
    """
    return "" if kind == "minilm" else f"{kind}."


def repeats(kinds: Collection[str], explainers: Sequence[str]) -> dict[str, str]:
    """How exactly another machine repeats the metrics: seconds are timed."""
    timed = [f"{prefix(kind)}{name}.seconds" for kind in kinds for name in explainers if applies(name, kind)]
    return {"": "float32"} | dict.fromkeys(timed, "timed")


def leader(ranks: Mapping[str, Any]) -> str | None:
    """The explainer that is first in what `ranking` gave, the first by name of equal ones; None if there is none.

    Random scores are no explainer.
    """
    known = {key.split(".")[1]: value for key, (value, _) in ranks.items() if key.endswith(".rank")}
    return min(sorted(known.keys() - {RANDOM}), key=lambda name: known[name], default=None)


def _by_seed(values: pd.Series, seeds: Sequence[int]) -> list[float]:
    means: Mapping[Any, float] = values.groupby(level="seed").mean().to_dict()
    return [float(means[seed]) for seed in seeds if seed in means]
