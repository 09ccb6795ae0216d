"""Two decoys in the same data: is each named as often as when it is alone?

Idahl et al. (2021), §3, have models "containing one or multiple bugs", and §2.3 "at least one bug", and print nothing
about two. A second one can hide the first twice over: the model may learn less of it, and of the few words noted in an
explanation one is now the other decoy's. So the rate of adoption of each part is compared as well, and names are
counted where a part is adopted in both models. A decoy alone is explained on texts with this decoy alone, as on the
leaderboard; both are on texts with both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from trustnlp.explain.decoys.debugging_cells import CellResult
from trustnlp.explain.decoys.decoy_recipes import recipe
from trustnlp.explain.decoys.planted_decoys import Both
from trustnlp.explain.decoys.simulated_inspector import Inspection, Inspector
from trustnlp.studies.decoys.benchmark_models import RANKED, ExplainedModel, tested_adoption
from trustnlp.studies.decoys.bug_searches import drawn_orders
from trustnlp.studies.decoys.buggy_models import Classifier, planted_model
from trustnlp.studies.decoys.explained_cells import explained, explanations_of, shown_texts
from trustnlp.studies.decoys.review_splits import ReviewParts


def both(pair: str) -> Both:
    """The decoy of a pair of recipes.

    >>> both("movie+rare_name").words
    ('movie', 'eleanor')

    Raises
    ------
    ValueError
        Not two names of recipes with + between them, or decoys with a word in common.
    """
    names = pair.split("+")
    if len(names) != 2:
        raise ValueError(f"expected a pair of recipes such as 'movie+rare_name', got {pair!r}")
    return Both(name=pair, parts=tuple(recipe(name) for name in names))


def pair_rows(
    pair: str,
    alone: Mapping[str, ExplainedModel],
    clean: Classifier,
    parts: ReviewParts,
    inspector: Inspector,
    parameters: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """A row for each part of a pair and each explainer; none if a part alone is not ranked, or was not asked for.

    Parameters
    ----------
    alone
        The models of one kind and seed by decoy, each with one.
    clean
        The clean model of that kind and seed.
    parameters
        As `benchmark_models.explained_models` takes them.

    Returns
    -------
    list
        Rows with `explainer`, `pair`, `decoy`, `model`, `seed`; `rate_alone` and `rate_both`, rates of adoption in
        points; `adopted`, whether the part is adopted in the model with both, if partly, and as many of the texts shown
        contain one of its words as it must be noted in; `alone` and `both`, the shares of random orders in which it is
        named; and `every`, the share in which both parts are.
    """
    decoy = both(pair)
    if not all(part.name in alone and alone[part.name].is_ranked for part in decoy.parts):
        return []
    kind, seed = (getattr(alone[decoy.parts[0].name], name) for name in ("kind", "seed"))
    model = planted_model(kind, decoy, parts.train, parts.dev, parameters, seed)
    shown = shown_texts(decoy, parts.test, parameters["pool"], parameters["longest"], seed)
    cells = explained(parameters["explainers"], kind, pair, model, shown.texts, parameters, seed)
    contents = [set(text.split()) for text in shown.texts]
    inspections = {
        cell.cell.explainer: _inspections(cell, shown.carries, inspector, parameters, seed)
        for cell in cells
        if not cell.failure
    }
    rows = []
    for part in decoy.parts:
        tested = tested_adoption(part, model, clean, parts, parameters["adoption_texts"])
        carrying = sum(not content.isdisjoint(part.words) for content in contents)
        one = alone[part.name]
        for cell in one.cells:
            name = cell.cell.explainer
            if cell.failure or name not in inspections:
                continue
            own = _inspections(cell, one.carries, inspector, parameters, seed)
            every = [all(each.found_at(p.words) is not None for p in decoy.parts) for each in inspections[name]]
            rows.append(
                {
                    "explainer": name,
                    "pair": pair,
                    "decoy": part.name,
                    "model": kind,
                    "seed": seed,
                    "rate_alone": 100 * one.rate,
                    "rate_both": 100 * tested.rate.value,
                    "adopted": tested.verdict in RANKED and carrying >= inspector.threshold,
                    "alone": _share(own, part.words),
                    "both": _share(inspections[name], part.words),
                    "every": float(np.mean(every)),
                }
            )
    return rows


def _inspections(
    cell: CellResult, carries: Any, inspector: Inspector, parameters: Mapping[str, Any], seed: int
) -> list[Inspection]:
    found = explanations_of(cell)
    orders = drawn_orders(found, carries, parameters, seed, ["random"])
    return [inspector.inspect(found.table, order) for order in orders.values()]


def _share(inspections: Sequence[Inspection], words: Sequence[str]) -> float:
    return float(np.mean([one.found_at(words) is not None for one in inspections]))
