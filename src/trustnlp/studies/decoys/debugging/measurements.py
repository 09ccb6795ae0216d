"""The set-ups on real models of one kind, one walk over seeds and decoys, and the numbers of the record by seed.

Which decoys take part is as on the leaderboard: those that the model of the seed has adopted, if only partly, and that
enough of the shown texts carry. Models and explanations are the leaderboard's; new are the clean model's explanations
of contaminated texts, with draws of their own, and the retrained models. Random scores always take part: what an
inspector does by them is the baseline of all set-ups.

A value is a mean over the decoys that the models of a seed adopted. Keys begin with the kind of models, `presence.` or
`minilm.`. A rate can be below 0, of a model that follows the cue less than its control does. It is left so: means are
of what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from tqdm import tqdm

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.debugging.comparisons import OTHER_DRAWS, VALIDATION, comparison_rows, validation_rows
from trustnlp.studies.decoys.debugging.repairs import (
    COUNT,
    KNOWN,
    Suspect,
    names_by_source,
    repair_rows,
    uncovered_rows,
)
from trustnlp.studies.decoys.leaderboard.benchmark_models import (
    CLEAN,
    RANDOM,
    ExplainedModel,
    explained,
    explained_models,
    shown_texts,
)
from trustnlp.studies.decoys.models import Kind, planted_model, planted_train, trained_model

Values = dict[str, list[float]]
# A limit of ours, of the chapter's ledger: accuracies that count as similar, in points.
SIMILAR = 5.0


@dataclass(frozen=True, eq=False)
class Debugged:
    """The measurements on the models of one kind.

    Attributes
    ----------
    models
        Those that were explained, as `benchmark_models.explained_models` gives them.
    compared, repaired, uncovered
        Rows of `comparison_rows` and `validation_rows`, `repair_rows` and `uncovered_rows`. The clean models are among
        the repaired.
    """

    models: list[ExplainedModel]
    compared: pd.DataFrame
    repaired: pd.DataFrame
    uncovered: pd.DataFrame


def debugged(kind: Kind, parts: ReviewParts, inspector: Inspector, parameters: Mapping[str, Any]) -> Debugged:
    """All set-ups on the models of one kind.

    Parameters
    ----------
    parameters
        Those of `benchmark_models.explained_models`; `most`, the words that are dropped at most; `budget` and `draws`
        of the searches; `chance_draws`; and for MiniLM, which gets no more than these, `minilm_decoys` and
        `minilm_explainers`.

    Raises
    ------
    ValueError
        If `explained_models` raises it.
    """
    own = parameters_of(kind, parameters)
    models = explained_models(parts, own, inspector.threshold, controls=False)
    compared: list[dict[str, Any]] = []
    repaired: list[dict[str, Any]] = []
    uncovered: list[dict[str, Any]] = []
    for model in tqdm(models, desc="debugged", disable=None, leave=False):
        seed = model.seed
        if model.decoy == CLEAN:  # the first of its seed
            clean = trained_model(kind, parts.train, parts.dev, own, seed)
            suspect = Suspect(kind, seed, None, parts.train, clean, clean, parts, own)
            repaired += repair_rows(suspect, names_by_source(model, parts.train, inspector, own))
        elif model.is_ranked:
            decoy = recipe(model.decoy)
            planted = planted_train(decoy, parts.train, seed)
            train = Phrases(planted.texts, planted.labels)
            buggy = planted_model(kind, decoy, parts.train, parts.dev, own, seed)
            texts, _ = shown_texts(decoy, parts.test, own["pool"], own["longest"], seed)
            explainers = [cell.cell.explainer for cell in model.cells]
            control = explained(explainers, kind, f"{CLEAN}, {decoy.name}", clean, texts, own, seed + OTHER_DRAWS)
            compared += comparison_rows(model, control, inspector, own["chance_draws"])
            compared += validation_rows(model, decoy, buggy, clean, parts.dev)
            names = names_by_source(model, train, inspector, own)
            repaired += repair_rows(Suspect(kind, seed, decoy, train, buggy, clean, parts, own), names)
            uncovered += uncovered_rows(model, planted, names)
    return Debugged(models, *map(pd.DataFrame, (compared, repaired, uncovered)))


def parameters_of(kind: Kind, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with what one kind of models gets, random scores too."""
    own = {**parameters, "models": [kind]}
    if kind == "minilm":
        own |= {name: parameters[f"minilm_{name}"] for name in ("decoys", "explainers")}
    return own | {"explainers": list(dict.fromkeys([*own["explainers"], RANDOM]))}


def per_seed(found: Debugged, seeds: Sequence[int]) -> Values:
    """Key → values in the order of the seeds, of those seeds in which there is one.

    Returns
    -------
    dict
        Of each explainer `compare.EXPLAINER.success` and `.above_chance`, `.decoy_first` and its
        `.decoy_first_above_chance`; `.similar_success` and `.similar_above_chance` of those pairs of models that are of
        similar accuracy on contaminated dev texts. `compare.validation.ahead`: by how many points the buggy model is
        more accurate there. Of each source of names `repair.SOURCE.words.before`, `.left`, `.gain`, `.loss`, `.cost`,
        that of the drop to the control; `clean_repair.SOURCE.words.loss` of clean models; `uncover.SOURCE.found`. And
        `repair.count.words.more_left`, the rate left after the count less that after the explainer that leaves the
        least in the seed. The explainer is chosen after the fact, which is in favour of explainers.
    """
    values: dict[str, Mapping[int, float]] = {}
    if len(rows := found.compared):
        apart = rows[rows["explainer"] == VALIDATION].set_index(["seed", "decoy"])["ahead"].abs().rename("apart")
        is_similar = rows.join(apart, on=["seed", "decoy"])["apart"] < SIMILAR
        similar = rows[["success", "above_chance"]].where(is_similar).add_prefix("similar_")
        judged = ["success", "above_chance", "decoy_first", "decoy_first_above_chance", "ahead", *similar]
        values |= _means(rows.join(similar), "explainer", judged, "compare.{}")
    if len(rows := found.repaired):
        clean, buggy = rows[rows["decoy"] == CLEAN], rows[rows["decoy"] != CLEAN]
        values |= _means(buggy, "source", ["before", "left", "gain", "loss", "cost"], "repair.{}.words")
        values |= _means(clean, "source", ["loss"], "clean_repair.{}.words")
        left = buggy.pivot(index=["seed", "decoy"], columns="source", values="left").dropna().groupby("seed").mean()
        if explainers := [source for source in left if source not in (COUNT, KNOWN, RANDOM)]:
            more_left = left[COUNT] - left[explainers].min(axis=1)
            values[f"repair.{COUNT}.words.more_left"] = more_left.to_dict()
    if len(found.uncovered):
        values |= _means(found.uncovered, "source", ["found"], "uncover.{}")
    listed = {key: [by_seed[seed] for seed in seeds if seed in by_seed] for key, by_seed in values.items()}
    return {key: own for key, own in listed.items() if own}


def by_decoy(repaired: pd.DataFrame) -> list[dict[str, Any]]:
    """Repairs decoy by decoy, to be recorded: mean rate left over seeds, and the words dropped in the first of them."""
    rows = repaired[repaired["decoy"] != CLEAN].groupby(["decoy", "source"], as_index=False, sort=False)
    listed: list[dict[str, Any]] = rows.agg(left=("left", "mean"), words=("words", "first")).to_dict("records")
    return listed


def _means(rows: pd.DataFrame, by: str, columns: Sequence[str], first: str) -> dict[str, Mapping[int, float]]:
    """Key → seed → mean of a column over the rows that have a number."""
    means = rows.astype(dict.fromkeys(columns, float)).groupby([by, "seed"], sort=False)[list(columns)].mean()
    return {
        f"{first.format(name)}.{column}": own.droplevel(by)[column].dropna().to_dict()
        for name, own in means.groupby(level=by, sort=False)
        for column in columns
    }
