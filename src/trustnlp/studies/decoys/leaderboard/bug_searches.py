"""What a simulated inspector names in the explanations of each model, in several orders of the texts.

Six orders: the four of `trustnlp.decoys.benchmark.instance_selection`, and two controls.

- `typical`: the explanations that are nearest to the mean of all come first. `spectral_clusters` begins within each
  cluster so; this is the same with one cluster, and tells what the clusters themselves bring.
- `carriers`: texts with the decoy come first, in random order. It is the selection that Idahl et al. (2021), §5, call
  optimal and unrealistic, since it knows where the decoy is. The others follow, so that all orders have one budget.

Random orders are drawn several times, and are the same for all explainers of a model; those of carriers are the same
orders again, with the carriers before the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from trustnlp.decoys.benchmark import instance_selection
from trustnlp.decoys.benchmark.cell_table import long_table
from trustnlp.decoys.benchmark.debugging_cells import CellResult
from trustnlp.decoys.benchmark.score_tables import Integers, ScoreTable
from trustnlp.decoys.benchmark.simulated_inspector import Inspection, Inspector, chance_level, identify
from trustnlp.decoys.planted_decoys import Truths
from trustnlp.studies.decoys.leaderboard.benchmark_models import ExplainedModel
from trustnlp.studies.decoys.leaderboard.explained_cells import CLEAN, Explanations, explanations_of

DRAWN = ("random", "carriers")
ORDERS = (*instance_selection.ORDERS, "typical", "carriers")
# Margins of cosines, as of `instance_selection`: those that agree in so many digits are equal.
_DIGITS = 9


def search_table(
    models: Sequence[ExplainedModel],
    inspector: Inspector,
    parameters: Mapping[str, Any],
    orders: Sequence[str] = ORDERS,
) -> pd.DataFrame:
    """The table that `trustnlp.decoys.benchmark.leaderboard` ranks by: a row for each ranked cell and order.

    Besides its columns there are `chance_until`, the mean number of texts read until the decoy is named by chance, in
    which a search that never names it counts one more than the budget; `clean_until`, the same of the clean model's
    explanations of the same texts in the same order, NaN where there are none; and `false_names`, the other words that
    were named by then.

    Drawn orders are named `random0`, `random1` and so on; `kind_of_order` takes the number off. Of random orders,
    `false_alarm` says whether the same search of original texts names the decoy in the clean model of that kind and
    seed; of others it was not asked.

    Parameters
    ----------
    parameters
        `budget`, the texts that are read; `draws`, how many random orders there are; and `chance_draws`, how often
        scores are permuted for the level of chance in each order.
    """
    clean = _clean_inspections(models, inspector, parameters)
    original = {(kind, seed, explainer): inspections for kind, seed, explainer, inspections in clean}
    results = []
    for model in models:
        controls = {one.cell.explainer: explanations_of(one) for one in model.controls if not one.failure}
        for cell in model.cells if model.is_ranked else ():
            if cell.failure:
                results.append(cell)
                continue
            alarms = original.get((cell.cell.model, cell.cell.seed, cell.cell.explainer), [])
            control = controls.get(cell.cell.explainer)
            rows = list(_rows(model, explanations_of(cell), control, inspector, alarms, parameters, orders))
            results.append(CellResult(cell.cell, rows))
    return long_table(results) if results else pd.DataFrame()


def clean_names(models: Sequence[ExplainedModel], inspector: Inspector, parameters: Mapping[str, Any]) -> pd.DataFrame:
    """False alarms: what the inspector names where no decoy was planted, a row for each explainer, kind and seed.

    Returns
    -------
    DataFrame
        `explainer`, `model`, `seed`; `names`, how many words are named within the budget, and `alarm`, the share of
        searches that name any, both means over random orders; `words`, those named in the first order, as a list.
    """
    rows = [
        {
            "explainer": explainer,
            "model": kind,
            "seed": seed,
            "names": float(np.mean([len(one.named) for one in inspections])),
            "alarm": float(np.mean([bool(one.named) for one in inspections])),
            "words": list(inspections[0].named),
        }
        for kind, seed, explainer, inspections in _clean_inspections(models, inspector, parameters)
    ]
    return pd.DataFrame(rows, columns=["explainer", "model", "seed", "names", "alarm", "words"])


def seconds_table(models: Sequence[ExplainedModel]) -> pd.DataFrame:
    """`explainer`, `model`, `seed` and the `seconds` that a text took, mean over the models of a seed."""
    rows = [
        {**_names(cell), "seconds": explanations_of(cell).seconds}
        for model in models
        for cell in model.cells
        if not cell.failure
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
        An unknown order, or a budget above the number of texts.
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
    found: Integers = np.argsort(-np.round(units @ units.sum(axis=0), _DIGITS), kind="stable")
    return found


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
            "false_names": inspection.false_names_before(model.words),
            "false_alarm": alarm,
            "adopted": True,
        }


def _clean_inspections(
    models: Sequence[ExplainedModel], inspector: Inspector, parameters: Mapping[str, Any]
) -> Iterator[tuple[str, int, str, list[Inspection]]]:
    """Kind, seed and explainer of each clean cell that did not fail, and its inspections in random orders."""
    for model in models:
        for cell in model.cells if model.decoy == CLEAN else ():
            if not cell.failure:
                found = explanations_of(cell)
                orders = drawn_orders(found, model.carries, parameters, model.seed, ["random"])
                inspections = [inspector.inspect(found.table, order) for order in orders.values()]
                yield model.kind, model.seed, cell.cell.explainer, inspections


def _names(cell: CellResult) -> dict[str, Any]:
    return {"explainer": cell.cell.explainer, "model": cell.cell.model, "seed": cell.cell.seed}
