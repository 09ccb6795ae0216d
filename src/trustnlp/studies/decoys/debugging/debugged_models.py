"""The set-ups II to IV, the repair and the pairs on real models: one walk over seeds and decoys, of one kind of models.

Which decoys take part is as on the leaderboard: those that the model of the seed has adopted, if only partly, and that
enough of the shown texts carry (`benchmark_models`). Models and explanations of a decoy alone are the leaderboard's;
new are the clean model's explanations of contaminated texts, the retrained models, and the models with two decoys.

Random scores always take part: what an inspector does by them is the baseline of all set-ups.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
from tqdm import tqdm

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.debugging.compared_models import OTHER_DRAWS, comparison_rows, validation_rows
from trustnlp.studies.decoys.debugging.decoy_pairs import both, pair_rows
from trustnlp.studies.decoys.debugging.named_words import names_by_source
from trustnlp.studies.decoys.debugging.repaired_models import HOWS, How, Suspect, repair_rows
from trustnlp.studies.decoys.debugging.uncovered_texts import uncovered_rows
from trustnlp.studies.decoys.leaderboard.benchmark_models import ExplainedModel, explained_models, seeds_of
from trustnlp.studies.decoys.leaderboard.explained_cells import CLEAN, RANDOM, explained, shown_texts
from trustnlp.studies.decoys.models.buggy_models import Classifier, Kind, planted_model, planted_train, trained_model

# A MiniLM takes minutes to retrain: it is repaired in one way.
_HOWS: Mapping[Kind, tuple[How, ...]] = {"presence": HOWS, "minilm": ("words",)}


@dataclass(frozen=True, eq=False)
class Debugged:
    """What was measured of the models of one kind.

    Attributes
    ----------
    models
        Those that were explained, as `benchmark_models.explained_models` gives them.
    compared, repaired, uncovered, pairs
        Rows of `compared_models`, `repaired_models`, `uncovered_texts` and `decoy_pairs`. The clean models are among
        the repaired.
    """

    models: list[ExplainedModel]
    compared: pd.DataFrame
    repaired: pd.DataFrame
    uncovered: pd.DataFrame
    pairs: pd.DataFrame


def debugged(kind: Kind, parts: ReviewParts, inspector: Inspector, parameters: Mapping[str, Any]) -> Debugged:
    """All set-ups on the models of one kind.

    Parameters
    ----------
    parameters
        Those of `benchmark_models.explained_models`; `pairs` of decoys such as `movie+rare_name`; `most`, the words
        that are dropped at most; `budget` and `draws` of the searches; `chance_draws`; and for MiniLM, which gets no
        more than these, `minilm_decoys` and `minilm_explainers`.

    Raises
    ------
    ValueError
        Before any model is trained: `most` or `chance_draws` below 1, a pair that is none, is given twice, or has a
        decoy that is not among the decoys or has no words; and as `explained_models`.
    """
    _check(parameters)
    own = parameters_of(kind, parameters)
    models = explained_models(parts, own, inspector.threshold, controls=False)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in ("compared", "repaired", "uncovered", "pairs")}
    for seed in tqdm(seeds_of(kind, own), desc="debugged", disable=None, leave=False):
        of_seed = [model for model in models if model.seed == seed]
        clean = trained_model(kind, parts.train, parts.dev, own, seed)
        for model in of_seed:
            if model.decoy == CLEAN:
                suspect = Suspect(kind, seed, None, parts.train, clean, clean, parts, own)
                names = names_by_source(model, parts.train, inspector, own)
                rows["repaired"] += repair_rows(suspect, names, _HOWS[kind])
            elif model.is_ranked:
                for name, found in _of_decoy(model, clean, parts, inspector, own).items():
                    rows[name] += found
        for pair in own["pairs"]:
            rows["pairs"] += pair_rows(pair, kind, seed, clean, parts, inspector, own)
    return Debugged(models, **{name: pd.DataFrame(found) for name, found in rows.items()})


def parameters_of(kind: Kind, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with what one kind of models gets, random scores too; of pairs, those whose parts it has alone."""
    own = {**parameters, "models": [kind]}
    if kind == "minilm":
        own |= {name: parameters[f"minilm_{name}"] for name in ("decoys", "explainers")}
    own["explainers"] = [*own["explainers"], *({RANDOM} - set(own["explainers"]))]
    own["pairs"] = [pair for pair in parameters["pairs"] if {p.name for p in both(pair).parts} <= set(own["decoys"])]
    return own


def _check(parameters: Mapping[str, Any]) -> None:
    for name, what in (("most", "words to drop"), ("chance_draws", "permutations of scores")):
        if parameters[name] < 1:
            raise ValueError(f"expected one or more {what}, got {name}={parameters[name]}")
    seen: list[set[str]] = []
    for pair in parameters["pairs"]:
        names = {part.name for part in both(pair).parts}
        if missing := sorted(names - set(parameters["decoys"])):
            raise ValueError(f"the pair {pair!r} needs the decoy {missing[0]!r} alone as well; add it to decoys")
        if names in seen:
            raise ValueError(f"the pair {pair!r} is given twice, in whichever order; give each pair once")
        seen.append(names)


def _of_decoy(
    model: ExplainedModel,
    clean: Classifier,
    parts: ReviewParts,
    inspector: Inspector,
    parameters: Mapping[str, Any],
) -> dict[str, list[dict[str, Any]]]:
    decoy, kind, seed = recipe(model.decoy), model.kind, model.seed
    planted = planted_train(decoy, parts.train, seed)
    buggy = planted_model(kind, decoy, parts.train, parts.dev, parameters, seed)
    shown = shown_texts(decoy, parts.test, parameters["pool"], parameters["longest"], seed)
    explainers = [cell.cell.explainer for cell in model.cells]
    draws = seed + OTHER_DRAWS
    control = explained(explainers, kind, f"{CLEAN}, {decoy.name}", clean, shown.texts, parameters, draws)
    train = Phrases(planted.texts, planted.labels)
    names = names_by_source(model, train, inspector, parameters)
    suspect = Suspect(kind, seed, decoy, train, buggy, clean, parts, parameters)
    return {
        "compared": [
            *comparison_rows(model, control, inspector, parameters["chance_draws"]),
            *validation_rows(model, decoy, buggy, clean, parts.dev),
        ],
        "repaired": repair_rows(suspect, names, _HOWS[kind]),
        "uncovered": uncovered_rows(model, planted, names),
    }
