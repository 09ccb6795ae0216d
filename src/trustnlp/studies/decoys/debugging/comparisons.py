"""Setup II, which of two models has the bug? And two decoys in the same data: is each named as often as alone?

Idahl et al. (2021), §2.2: users are shown the explanations of "two models with similar validation performance"; success
is "how often they choose the bug-free model". The user is `trustnlp.decoys.benchmark.debugging_setups.compare`, which
mistrusts the model in which a word comes first more often than in the other.

Chance is one half. It is measured too, with the scores of both models permuted within each text: then only the words of
the texts are left, which both share. An explainer that draws has draws of its own for each of the two models: with
the same draws, random scores would be the same for both, and one half whatever the rule.

Beside the explainers stand two that read none: who prefers the model that is more accurate on dev texts contaminated
like the training data, the validation performance that one would have, and who has original dev texts. A strong decoy
helps on the former, so that the two models are *not* of similar validation performance: how far apart they are is
measured, and pairs that are similar are counted for themselves.

§3 has models "containing one or multiple bugs", §2.3 "at least one bug", and nothing is printed about two. A second one
can hide the first twice over: the model may learn less of it, and of the few words noted in an explanation one is now
the other decoy's. So the rate of adoption of each part is compared as well, and names are counted where a part is
adopted alone and beside the other. Alone or both, the models are explained on the same test sentences, and a part is in
the same ones of them, unless the other takes its place, as a name after the full stop does. Sentences that a part of
the pair drops are dropped for all. They are read in the same random orders. Beside each explainer stand random scores,
drawn anew for each order: one draw that names a decoy by luck would name it in most orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.debugging_cells import CellResult
from trustnlp.decoys.benchmark.debugging_setups import Comparison, compare
from trustnlp.decoys.benchmark.score_tables import ScoreTable
from trustnlp.decoys.benchmark.simulated_inspector import Inspection, Inspector
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.decoys.planted_decoys import Both, Decoy
from trustnlp.studies.decoys.adoption import contaminated
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.leaderboard.benchmark_models import (
    RANDOM,
    RANKED,
    ExplainedModel,
    explained,
    explanations_of,
    tested_adoption,
)
from trustnlp.studies.decoys.leaderboard.bug_searches import drawn_orders
from trustnlp.studies.decoys.models import Classifier, Kind, planted_model

# Choices by accuracy on dev texts, contaminated and original.
VALIDATION, ORIGINAL = "validation", "original_validation"
# Added to a seed, for the draws of explainers on the clean model of a pair.
OTHER_DRAWS = 1_000_000
# The buggy model is given first.
_BUGGY: Literal[0, 1] = 0


def comparison_rows(
    model: ExplainedModel, control: Sequence[CellResult], inspector: Inspector, draws: int
) -> list[dict[str, Any]]:
    """A row for each explainer of a buggy model.

    Parameters
    ----------
    control
        Cells of the clean model on the same texts.
    draws
        How often scores are permuted.

    Returns
    -------
    list
        Rows with `explainer`, `decoy`, `model`, `seed`; `success`, 1 if the clean model is preferred and one half if
        neither is; `decoy_first`, whether a word of the decoy is the one that differs most; and what both are for
        permuted scores, means over draws, `chance` and `decoy_first_chance`.
    """
    clean = {cell.cell.explainer: cell for cell in control if not cell.failure}
    rows = []
    for cell in model.cells:
        name = cell.cell.explainer
        if cell.failure or name not in clean:
            continue
        both = explanations_of(cell).table, explanations_of(clean[name]).table
        rng = np.random.default_rng([model.seed, 10])
        shuffled = [
            _told(compare(*(permuted(one, rng) for one in both), reasons=inspector.reasons), model)
            for _ in range(draws)
        ]
        success, first = _told(compare(*both, reasons=inspector.reasons), model)
        chance, first_chance = np.mean(shuffled, axis=0).tolist()
        row = {"success": success, "chance": chance, "decoy_first": first, "decoy_first_chance": first_chance}
        rows.append({"explainer": name, "decoy": model.decoy, "model": model.kind, "seed": model.seed} | row)
    return rows


def validation_rows(
    model: ExplainedModel, decoy: Decoy, buggy: Classifier, clean: Classifier, dev: Phrases
) -> list[dict[str, Any]]:
    """The same rows of who prefers the more accurate model, by both kinds of dev texts; chance is one half.

    Their `ahead` is the accuracy of the buggy model less that of the clean one, in points.
    """
    like = contaminated(decoy, dev)
    rows = []
    for name, texts, labels in ((VALIDATION, like.texts, like.labels), (ORIGINAL, dev.texts, dev.labels)):
        right = [int((one.predict(texts) == labels).sum()) for one in (buggy, clean)]
        success = 0.5 if right[0] == right[1] else float(right[0] < right[1])
        names = {"explainer": name, "decoy": model.decoy, "model": model.kind, "seed": model.seed}
        told = {"success": success, "chance": 0.5, "decoy_first": None, "decoy_first_chance": None}
        rows.append(names | told | {"ahead": 100 * (right[0] - right[1]) / len(texts)})
    return rows


def permuted(table: ScoreTable, rng: np.random.Generator) -> ScoreTable:
    """The table with the scores of each explanation permuted among its words."""
    order = np.lexsort((rng.random(len(table.rows)), table.rows))
    return replace(table, scores=table.scores[order])


def _told(comparison: Comparison, model: ExplainedModel) -> tuple[float, float]:
    return comparison.success(_BUGGY), float(comparison.ranking.rank_of(model.words) == 1)


def both(pair: str) -> Both:
    """The decoy of a pair of recipes.

    >>> both("movie+rare_name").words
    ('movie', 'eleanor')

    Raises
    ------
    ValueError
        If there are not two names of recipes with + between them, a decoy without words, or decoys with a word in
        common.
    """
    names = pair.split("+")
    if len(names) != 2:
        raise ValueError(f"expected a pair of recipes such as 'movie+rare_name', got {pair!r}")
    parts = tuple(recipe(name) for name in names)
    if silent := [part.name for part in parts if not part.words]:
        raise ValueError(
            f"the pair {pair!r} has the decoy {silent[0]!r}, which has no words that could be named; take another"
        )
    return Both(name=pair, parts=parts)


def pair_rows(
    pair: str,
    kind: Kind,
    seed: int,
    clean: Classifier,
    parts: ReviewParts,
    inspector: Inspector,
    parameters: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """A row for each part of a pair and each explainer; none if a part alone is not adopted.

    Parameters
    ----------
    clean
        The clean model of that kind and seed.
    parameters
        As `explained_models` takes them; `budget` and `draws` of the searches.

    Returns
    -------
    list
        Rows with `explainer`, `pair`, `decoy`, `model`, `seed`; `rate_alone` and `rate_both`, rates of adoption in
        points; `adopted`, whether the part is adopted in the model with both, if partly; `kept`, whether moreover as
        many of the texts shown contain one of its words as it must be noted in, in both cases; `alone` and `both`, the
        shares of random orders in which it is named; and `every`, the share in which both parts are, None if one of
        the two is not kept.
    """
    decoy = both(pair)
    models = [planted_model(kind, part, parts.train, parts.dev, parameters, seed) for part in (*decoy.parts, decoy)]
    most = parameters["adoption_texts"]
    alone = [tested_adoption(part, model, clean, parts, most) for part, model in zip(decoy.parts, models, strict=False)]
    if not all(one.verdict in RANKED for one in alone):
        return []
    beside = [tested_adoption(part, models[-1], clean, parts, most) for part in decoy.parts]
    shown = shared_texts(decoy.parts, parts.test, parameters["pool"], parameters["longest"], seed)
    # Draws of their own for each model, as for two models that are compared.
    cells = [
        explained(
            parameters["explainers"], kind, f"{pair}: {name}", model, texts, parameters, seed + place * OTHER_DRAWS
        )
        for place, (name, model, texts) in enumerate(
            zip((*(part.name for part in decoy.parts), "both"), models, shown, strict=True)
        )
    ]
    found = [
        {cell.cell.explainer: _inspections(cell, inspector, parameters, seed) for cell in own if not cell.failure}
        for own in cells
    ]
    adopted = [one.verdict in RANKED for one in beside]
    kept = [
        is_adopted and min(_containing(part, texts) for texts in (own, shown[-1])) >= inspector.threshold
        for part, own, is_adopted in zip(decoy.parts, shown, adopted, strict=False)
    ]
    rows = []
    for name, together in found[-1].items():
        if not all(name in own for own in found):
            continue
        every = [all(one.found_at(part.words) is not None for part in decoy.parts) for one in together]
        for place, part in enumerate(decoy.parts):
            rows.append(
                {
                    "explainer": name,
                    "pair": pair,
                    "decoy": part.name,
                    "model": kind,
                    "seed": seed,
                    "rate_alone": 100 * alone[place].rate.value,
                    "rate_both": 100 * beside[place].rate.value,
                    "adopted": adopted[place],
                    "kept": kept[place],
                    "alone": _share(found[place][name], part.words),
                    "both": _share(together, part.words),
                    "every": float(np.mean(every)) if all(kept) else None,
                }
            )
    return rows


def shared_texts(parts: Sequence[Decoy], test: Phrases, count: int, longest: int, seed: int) -> list[tuple[str, ...]]:
    """Random test sentences, the same for all: with each part alone, and at last with all parts.

    Parameters
    ----------
    count
        How many.
    longest
        Words of each of them at most, with whatever is planted in it.

    Raises
    ------
    ValueError
        If there are not so many.
    """
    rows = np.arange(len(test))
    for part in parts:
        planted = part.planted_like(test.texts, test.labels, np.random.default_rng(0))
        rows = np.intersect1d(rows, planted.source)
    labels, arms = test.labels[rows], []
    for own in (*([part] for part in parts), parts):
        texts = tuple(test.texts[row] for row in rows)
        for part in own:
            rng = np.random.default_rng([seed, 11, parts.index(part)])
            texts = part.planted_like(texts, labels, rng).texts
        arms.append(texts)
    sizes = [max(len(text.split()) for text in texts) for texts in zip(*arms, strict=True)]
    short = [row for row, size in enumerate(sizes) if size <= longest]
    if len(short) < count:
        raise ValueError(
            f"{count} texts of at most {longest} words are to be explained with {' and '.join(p.name for p in parts)}, "
            f"and there are {len(short)}; ask for fewer, or for longer ones"
        )
    chosen = np.random.default_rng([seed, 12]).permutation(short)[:count]
    return [tuple(texts[row] for row in chosen) for texts in arms]


def _inspections(cell: CellResult, inspector: Inspector, parameters: Mapping[str, Any], seed: int) -> list[Inspection]:
    found = explanations_of(cell)
    orders = drawn_orders(found, np.zeros(len(found.table), dtype=np.bool_), parameters, seed, ["random"])
    if cell.cell.explainer != RANDOM:
        return [inspector.inspect(found.table, order) for order in orders.values()]
    rng = np.random.default_rng([cell.cell.seed, 13])
    return [inspector.inspect(permuted(found.table, rng), order) for order in orders.values()]


def _containing(part: Decoy, texts: Sequence[str]) -> int:
    return sum(not set(text.split()).isdisjoint(part.words) for text in texts)


def _share(inspections: Sequence[Inspection], words: Sequence[str]) -> float:
    return float(np.mean([one.found_at(words) is not None for one in inspections]))
