"""A simulated inspector's finds in the explanations of each model, in several orders, and the numbers of the record.

Six orders: the four of `trustnlp.decoys.benchmark.instance_selection`, and two controls.

- `typical`: the explanations that are nearest to the mean of all come first. `spectral_clusters` begins within each
  cluster so; this is the same with one cluster, and tells what the clusters themselves bring.
- `carriers`: texts with the decoy come first, in random order. It is the selection that Idahl et al. (2021), §5, call
  optimal and unrealistic, since it knows where the decoy is. The others follow, so that all orders have one budget.

Random orders are drawn several times, and are the same for all explainers of a model; those of carriers are the same
orders again, with the carriers before the others.

Idahl et al. (2021), §1 and §5, ask for "effectiveness" (is the bug named?) and "efficiency" (after how many instances?)
and print no number. A seed's value is a mean over the decoys that its models adopted; for the ranking,
`trustnlp.decoys.benchmark.leaderboard` draws decoys and seeds anew.

**Above chance, at which budget?** A word that stands in half of the texts is soon named by anyone: with a large budget
its chance is 1, and nothing is above. A rare word is named with a large budget alone. So the shares named within b
texts, by the explainer and by chance, are compared for every b up to the budget, and the difference is averaged. It is
the number of texts by which the decoy is named sooner than by chance, over the budget.

**Because of the bug?** Such a word gathers notes from the explanations of a sound model, too. So the same difference is
taken to the clean model explained on the same texts in the same order, and an explainer has helped by the smaller of
the two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from trustnlp.decoys.benchmark import instance_selection
from trustnlp.decoys.benchmark.cell_table import checked_table, long_table
from trustnlp.decoys.benchmark.debugging_cells import CellResult
from trustnlp.decoys.benchmark.leaderboard import rank_explainers
from trustnlp.decoys.benchmark.score_tables import Integers, ScoreTable
from trustnlp.decoys.benchmark.simulated_inspector import Inspection, Inspector, chance_level, identify
from trustnlp.decoys.planted_decoys import Truths
from trustnlp.studies.decoys.leaderboard.benchmark_models import (
    CLEAN,
    ExplainedModel,
    Explanations,
    applies,
    explanations_of,
)

DRAWN = ("random", "carriers")
ORDERS = (*instance_selection.ORDERS, "typical", "carriers")
# Margins of cosines, as of `instance_selection`: those that agree in so many digits are equal.
_DIGITS = 9
# Of the decoys alone, the ledger asks for the paper's two.
OF_THE_PAPER = ("video_text", "movie")
Values = dict[str, list[float]]
# Names of orders in keys.
SAVED = {
    "uncertainty": "uncertainty",
    "submodular_pick": "pick",
    "spectral_clusters": "clusters",
    "typical": "typical",
    "carriers": "carriers",
}


def search_table(
    models: Sequence[ExplainedModel],
    inspector: Inspector,
    parameters: Mapping[str, Any],
    orders: Sequence[str] = ORDERS,
) -> pd.DataFrame:
    """The table that `trustnlp.decoys.benchmark.leaderboard` ranks by: a row for each ranked cell and order.

    Besides its columns there are `chance_until`, the mean number of texts read until the decoy is named by chance, in
    which a search that never names it counts one more than the budget; and `clean_until`, the same of the clean model's
    explanations of the same texts in the same order, NaN where there are none.

    Drawn orders are named `random0`, `random1` and so on; `kind_of_order` takes the number off. Of random orders,
    `false_alarm` says whether the same search of original texts names the decoy in the clean model of that kind and
    seed; of others it was not asked.

    Parameters
    ----------
    parameters
        `budget`, the texts that are read; `draws`, how many random orders there are; and `chance_draws`, how often
        scores are permuted for the level of chance in each order.
    """
    original = _clean_inspections(models, inspector, parameters)
    results = []
    for model in models:
        controls = {one.cell.explainer: explanations_of(one) for one in model.controls if not one.failure}
        for result in model.cells if model.is_ranked else ():
            if not result.failure:
                cell = result.cell
                alarms = original.get((cell.model, cell.seed, cell.explainer), [])
                rows = _rows(
                    model, explanations_of(result), controls.get(cell.explainer), inspector, alarms, parameters, orders
                )
                result = CellResult(cell, list(rows))
            results.append(result)
    return long_table(results) if results else pd.DataFrame()


def clean_names(models: Sequence[ExplainedModel], inspector: Inspector, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """False alarms: what the inspector names where no decoy was planted, a row for each explainer, kind and seed.

    Returns
    -------
    DataFrame
        `explainer`, `model`, `seed`; `names`, how many words are named within the budget, mean over random orders; and
        `words`, those named in the first order, as a list.
    """
    rows = [
        (explainer, kind, seed, float(np.mean([len(one.named) for one in inspections])), list(inspections[0].named))
        for (kind, seed, explainer), inspections in _clean_inspections(models, inspector, parameters).items()
    ]
    return pd.DataFrame(rows, columns=["explainer", "model", "seed", "names", "words"])


def seconds_table(models: Sequence[ExplainedModel]) -> pd.DataFrame:
    """`explainer`, `model`, `seed` and the `seconds` that a text took, mean over the models of a seed."""
    rows = [
        (result.cell.explainer, model.kind, model.seed, explanations_of(result).seconds)
        for model in models
        for result in model.cells
        if not result.failure
    ]
    table = pd.DataFrame(rows, columns=["explainer", "model", "seed", "seconds"])
    return table.groupby(["explainer", "model", "seed"], as_index=False, sort=False).mean()


def kind_of_order(order: str) -> str:
    """
    >>> kind_of_order("random12"), kind_of_order("typical")
    ('random', 'typical')
    """
    return order.rstrip("0123456789")


def drawn_orders(
    found: Explanations, carries: Truths, parameters: Mapping[str, Any], seed: int, orders: Sequence[str] = ORDERS
) -> dict[str, Integers]:
    """Numbers of the texts to read, `(budget,)` each, by name of the order.

    Raises
    ------
    ValueError
        If given an unknown order, or a budget above the number of texts.
    """
    budget, table = parameters["budget"], found.table
    numbers: dict[str, Integers] = {}
    for name in orders:
        rng = np.random.default_rng([seed, 7])
        for draw in range(parameters["draws"] if name in DRAWN else 1):
            if name == "typical":
                order = typical_first(table)
            elif name == "carriers":
                order = rng.permutation(len(table))
                order = order[np.argsort(~carries[order], kind="stable")]
            else:
                order = instance_selection.select(name, table, found.probabilities, budget, rng)
            if not budget <= len(order):
                raise ValueError(f"{len(order)} texts are explained, and the budget is {budget}; explain more texts")
            numbers[f"{name}{draw}" if name in DRAWN else name] = order[:budget]
    return numbers


def typical_first(table: ScoreTable) -> Integers:
    """`(n,)` explanations by their cosine with the mean of all, each at unit length; of equal ones the first first.

    Explanations are vectors as `instance_selection` has them: a coordinate for each pair of word and label.
    """
    units = instance_selection.unit_vectors(table)
    order: Integers = np.argsort(-np.round(units @ units.sum(axis=0), _DIGITS), kind="stable")
    return order


def _rows(
    model: ExplainedModel,
    found: Explanations,
    control: Explanations | None,
    inspector: Inspector,
    alarms: Sequence[Inspection],
    parameters: Mapping[str, Any],
    orders: Sequence[str],
) -> Iterator[dict[str, Any]]:
    for number, (name, order) in enumerate(drawn_orders(found, model.carries, parameters, model.seed, orders).items()):
        rng = np.random.default_rng([model.seed, 8, number])
        draws = parameters["chance_draws"]
        chance = chance_level(inspector, found.table, order, model.words, draws=draws, rng=rng)
        inspection = inspector.inspect(found.table, order)
        alarm = None
        if kind_of_order(name) == "random" and alarms:
            alarm = float(alarms[int(name.removeprefix("random"))].found_at(model.words) is not None)
        sound = np.nan
        if control:
            sound = identify([inspector.inspect(control.table, order)], model.words).restricted_mean
        yield {
            "order": name,
            "found_at": inspection.found_at(model.words),
            "budget": inspection.budget,
            "chance": chance.share,
            "chance_until": chance.restricted_mean,
            "clean_until": sound,
            "false_alarm": alarm,
            "adopted": True,
        }


def _clean_inspections(
    models: Sequence[ExplainedModel], inspector: Inspector, parameters: Mapping[str, Any]
) -> dict[tuple[str, int, str], list[Inspection]]:
    """Kind, seed and explainer of each clean cell that did not fail → its inspections in random orders."""
    inspections: dict[tuple[str, int, str], list[Inspection]] = {}
    for model in models:
        for result in model.cells if model.decoy == CLEAN else ():
            if not result.failure:
                explanations = explanations_of(result)
                orders = drawn_orders(explanations, model.carries, parameters, model.seed, ["random"])
                inspections[model.kind, model.seed, result.cell.explainer] = [
                    inspector.inspect(explanations.table, order) for order in orders.values()
                ]
    return inspections


def mean_searches(searches: pd.DataFrame) -> pd.DataFrame:
    """Mean searches of one kind of models: `search_table`'s rows with drawn orders of a kind averaged.

    Returns
    -------
    DataFrame
        By explainer, order, decoy and seed: `found`, the share of searches that name the decoy; `until_found`, the
        texts read until then, one more than the budget where it is never named; `false_alarm`; and `above_controls`,
        the share of the budget by which it is named sooner than by chance or with the clean model on the same texts,
        whichever is the sooner, NaN where the clean model was not explained.
    """
    run, _ = checked_table(searches)
    run = run.assign(order=run["order"].map(kind_of_order))
    columns = ["found", "until_found", "false_alarm", "budget", "chance_until", "clean_until"]
    means = run.groupby(["explainer", "order", "decoy", "seed"])[columns].mean()
    control = means[["chance_until", "clean_until"]].min(axis=1, skipna=False)
    return means.assign(above_controls=(control - means["until_found"]) / means["budget"])


def per_seed(searches: pd.DataFrame, seeds: Sequence[int]) -> Values:
    """Key → values in the order of the seeds, of those seeds in which there is one; of one kind of models.

    Returns
    -------
    dict
        For each explainer, in random order, `EXPLAINER.all.above_controls` as `mean_searches` has it, mean over adopted
        decoys, the same for each decoy of the paper, and `.in_clean.all`, the share of searches that name a decoy in
        original texts read with the clean model. `EXPLAINER.carriers_saved`, `EXPLAINER.clusters_saved`, … are the
        instances that an order saves against a random one (names of orders as in `SAVED`).
    """
    if not len(searches):
        return {}
    means = mean_searches(searches)
    values: Values = {}
    for explainer, own in means.xs("random", level="order").groupby(level="explainer", sort=False):
        above = own["above_controls"].dropna()
        values[f"{explainer}.all.above_controls"] = _by_seed(above, seeds)
        values[f"{explainer}.in_clean.all"] = _by_seed(own["false_alarm"].dropna(), seeds)
        for decoy in OF_THE_PAPER:
            of_decoy = above[above.index.get_level_values("decoy") == decoy]
            values[f"{explainer}.{decoy}.above_controls"] = _by_seed(of_decoy, seeds)
    until = means["until_found"].unstack("order")
    for order in [order for order in SAVED if order in until]:
        for explainer, own in (until["random"] - until[order]).groupby(level="explainer", sort=False):
            values[f"{explainer}.{SAVED[order]}_saved"] = _by_seed(own, seeds)
    return {key: own for key, own in values.items() if own}


def alarms_and_costs(names: pd.DataFrame, seconds: pd.DataFrame, seeds: Sequence[int]) -> Values:
    """`EXPLAINER.false_alarms`, how many words are named in a clean model; and `EXPLAINER.seconds`.

    Parameters
    ----------
    names, seconds
        `bug_searches.clean_names` and `seconds_table`, of one kind of models.
    """
    return {
        f"{explainer}.{key}": _by_seed(own.set_index("seed")[column], seeds)
        for table, column, key in ((names, "names", "false_alarms"), (seconds, "seconds", "seconds"))
        for explainer, own in table.groupby("explainer", sort=False)
    }


def ranking(
    searches: pd.DataFrame, rng: np.random.Generator
) -> dict[str, tuple[float, tuple[float, float] | Literal["deterministic"]]]:
    """How well explainers search in random order, of one kind of models.

    Returns
    -------
    Keys `ranking.EXPLAINER.found`, `.chance` and `.instances` → value and 95 % interval, which chance has none of.
    Explainers of which all cells failed have no key.
    """
    if not len(searches):
        return {}
    failed = searches["failure"].fillna("") != ""
    board = rank_explainers(searches[failed | searches["order"].fillna("").str.startswith("random")], rng=rng)
    values: dict[str, tuple[float, tuple[float, float] | Literal["deterministic"]]] = {}
    for name, row in board[board["status"] != "failed"].iterrows():
        values[f"ranking.{name}.chance"] = float(row["chance"]), "deterministic"
        for column, key in (("found", "found"), ("until_found", "instances")):
            ends = float(row[f"{column}_low"]), float(row[f"{column}_high"])
            values[f"ranking.{name}.{key}"] = float(row[column]), ends
    return values


def of_kind(table: pd.DataFrame, kind: str) -> pd.DataFrame:
    """The rows of one kind of models."""
    return table[table["model"] == kind] if len(table) else table


def prefix(kind: str) -> str:
    """The first name of keys of a kind; "" where they begin with the explainer.

    >>> prefix("minilm"), prefix("presence")
    ('', 'presence')
    """
    return "" if kind == "minilm" else kind


def repeats(kinds: Collection[str], explainers: Sequence[str]) -> dict[str, str]:
    """How exactly another machine repeats the metrics: seconds are timed."""
    timed = [(prefix(kind), name, "seconds") for kind in kinds for name in explainers if applies(name, kind)]
    return {"": "float32"} | dict.fromkeys((".".join(filter(None, names)) for names in timed), "timed")


def _by_seed(values: pd.Series, seeds: Sequence[int]) -> list[float]:
    means: Mapping[Any, float] = values.groupby(level="seed").mean().to_dict()
    return [float(means[seed]) for seed in seeds if seed in means]
