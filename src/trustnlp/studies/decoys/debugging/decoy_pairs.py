"""Two decoys in the same data: is each named as often as when it is alone?

Idahl et al. (2021), §3, have models "containing one or multiple bugs", and §2.3 "at least one bug", and print nothing
about two. A second one can hide the first twice over: the model may learn less of it, and of the few words noted in an
explanation one is now the other decoy's. So the rate of adoption of each part is compared as well, and names are
counted where a part is adopted alone and beside the other.

Alone or both, the models are explained on the same test sentences, and a part is in the same ones of them, unless the
other takes its place, as a name after the full stop does. Sentences that a part of the pair drops are dropped for all.
They are read in the same random orders. Beside each explainer stand random scores, drawn anew for each order: one draw
that names a decoy by luck would name it in most orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.debugging_cells import CellResult
from trustnlp.decoys.benchmark.simulated_inspector import Inspection, Inspector
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.decoys.planted_decoys import Both, Decoy
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.debugging.compared_models import OTHER_DRAWS, permuted
from trustnlp.studies.decoys.leaderboard.benchmark_models import RANKED, tested_adoption
from trustnlp.studies.decoys.leaderboard.bug_searches import drawn_orders
from trustnlp.studies.decoys.leaderboard.explained_cells import RANDOM, explained, explanations_of
from trustnlp.studies.decoys.models.buggy_models import Classifier, Kind, planted_model


def both(pair: str) -> Both:
    """The decoy of a pair of recipes.

    >>> both("movie+rare_name").words
    ('movie', 'eleanor')

    Raises
    ------
    ValueError
        Not two names of recipes with + between them, a decoy without words, or decoys with a word in common.
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
        As `benchmark_models.explained_models` takes them; `budget` and `draws` of the searches.

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
        There are not so many.
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
