"""The set-ups on real models of one kind, one walk over seeds and decoys, and the numbers of the record by seed.

Which decoys take part is as on the leaderboard: those that the model of the seed has adopted, if only partly, and that
enough of the shown texts carry. Models and explanations of a decoy alone are the leaderboard's; new are the clean
model's explanations of contaminated texts, the retrained models, and the models with two decoys. Random scores always
take part: what an inspector does by them is the baseline of all set-ups.

A value is a mean over the decoys that the models of a seed adopted. Differences, such as from chance or from random
scores, are taken decoy by decoy before. Keys begin with the kind of models, `presence.` or `minilm.`. A rate can be
below 0, of a model that follows the cue less than its control does. It is left so: means are of what was measured.
Since in a mean one decoy's can hide what is left of another, the largest rate left of any decoy stands beside it.
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
from trustnlp.studies.decoys.debugging.comparisons import (
    OTHER_DRAWS,
    VALIDATION,
    both,
    comparison_rows,
    pair_rows,
    validation_rows,
)
from trustnlp.studies.decoys.debugging.repairs import (
    COUNT,
    HOWS,
    KNOWN,
    How,
    Suspect,
    names_by_source,
    repair_rows,
    uncovered_rows,
)
from trustnlp.studies.decoys.leaderboard.benchmark_models import (
    CLEAN,
    RANDOM,
    RANKED,
    ExplainedModel,
    explained,
    explained_models,
    seeds_of,
    shown_texts,
)
from trustnlp.studies.decoys.models import Classifier, Kind, planted_model, planted_train, trained_model

# A MiniLM takes minutes to retrain: it is repaired in one way.
_HOWS: Mapping[Kind, tuple[How, ...]] = {"presence": HOWS, "minilm": ("words",)}
Values = dict[str, list[float]]
# Limits of ours, of the chapter's ledger: a rate that counts as none, a loss that counts as small, and accuracies that
# count as similar, in points; and a share by which being named less often counts as equally often.
NONE_LEFT = 10.0
SMALL_LOSS = 1.0
SIMILAR = 5.0
AS_OFTEN = 0.1


@dataclass(frozen=True, eq=False)
class Debugged:
    """The measurements on the models of one kind.

    Attributes
    ----------
    models
        Those that were explained, as `benchmark_models.explained_models` gives them.
    compared, repaired, uncovered, pairs
        Rows of `comparison_rows`, `repair_rows`, `uncovered_rows` and `pair_rows`. The clean models are among
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
        If given, before any model is trained, a pair that is none, is given twice, or has a decoy that is not among the
        decoys or has no words; and as `explained_models`.
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
    seen: list[set[str]] = []
    for pair in parameters["pairs"]:
        names = {part.name for part in both(pair).parts}
        if missing := sorted(names - set(parameters["decoys"])):
            raise ValueError(f"the pair {pair!r} needs the decoy {missing[0]!r} alone as well; add it to decoys")
        if names in seen:
            raise ValueError(f"the pair {pair!r} is given twice, in whichever order; give each pair once")
        seen.append(names)


def _of_decoy(
    model: ExplainedModel, clean: Classifier, parts: ReviewParts, inspector: Inspector, parameters: Mapping[str, Any]
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


def per_seed(found: Debugged, seeds: Sequence[int]) -> Values:
    """Key → values in the order of the seeds, of those seeds in which there is one.

    Returns
    -------
    dict
        Of each explainer `compare.EXPLAINER.success`, `.chance`, `.above_chance`, and the same of `decoy_first`;
        `.similar_success` and `.similar_above_chance` of those pairs of models that are of similar accuracy on
        contaminated dev texts. `compare.validation.ahead` and `.similar`: by how many points the buggy model is more
        accurate there, and the share of such pairs.
        Of each source of names and way of dropping `repair.SOURCE.HOW.dropped`, `.possible`, `.before`, `.left`,
        `.most_left`, the largest of any decoy, `.loss_before`, `.gone` and `.remains` (the share of models whose
        verdict is `not adopted`, and `adopted` or `partly adopted`), `.gain`, `.loss`, `.cost`, that of the drop to the
        control; `.all_before`, `.all_left` and `.all_loss`, where repairs that are not possible leave the model as it
        was; `clean_repair.…` of clean models. `uncover.SOURCE.found`, `.by_lot`. `pairs.EXPLAINER.alone`, `.both`,
        `.every`; `pairs.adopted`, `.kept`, `.rate_alone` and `.rate_both`. Differences from random scores, from the
        count and from the decoy's own words, and the margins of the ledger's claims are among them.
    """
    values = _compared(found.compared) | _repaired(found.repaired) | _uncovered(found.uncovered) | _pairs(found.pairs)
    listed = {
        key: [float(by_seed[seed]) for seed in seeds if by_seed.get(seed) is not None]
        for key, by_seed in values.items()
    }
    return {key: own for key, own in listed.items() if own}


def by_decoy(repaired: pd.DataFrame) -> list[dict[str, Any]]:
    """Repairs decoy by decoy, to be recorded: means over seeds, and the words dropped in the first of them, `seed`."""
    rows = []
    for (decoy, source, how), own in repaired.groupby(["decoy", "source", "how"], sort=False):
        done = own[own["possible"]]
        means = {key: _mean(done[key]) for key in ("before", "left", "gain", "loss", "cost")}
        names = {"decoy": decoy, "source": source, "how": how, "seeds": len(own), "possible": len(done)}
        rows.append(names | means | {"seed": int(own["seed"].iloc[0]), "words": own["words"].iloc[0]})
    return rows


def by_pair(pairs: pd.DataFrame) -> list[dict[str, Any]]:
    """Pairs part by part, to be recorded: seeds with the pair, adopted and counted in how many, and mean rates."""
    parts = pairs.drop_duplicates(["pair", "decoy", "seed"]) if len(pairs) else pd.DataFrame(columns=["pair", "decoy"])
    return [
        {
            "pair": pair,
            "decoy": decoy,
            "seeds": len(own),
            "adopted": int(own["adopted"].sum()),
            "kept": int(own["kept"].sum()),
        }
        | {key: _mean(own[key]) for key in ("rate_alone", "rate_both")}
        for (pair, decoy), own in parts.groupby(["pair", "decoy"], sort=False)
    ]


def _compared(rows: pd.DataFrame) -> dict[str, Mapping[int, float]]:
    if not len(rows):
        return {}
    rows = rows.astype({"decoy_first": float, "decoy_first_chance": float})
    pair = ["seed", "decoy"]
    ahead = rows[rows["explainer"] == VALIDATION].set_index(pair)["ahead"].abs()
    similar = (_of_same(rows, ahead, pair) < SIMILAR).astype(float)
    rows = rows.assign(
        above_chance=rows["success"] - rows["chance"],
        decoy_first_above_chance=rows["decoy_first"] - rows["decoy_first_chance"],
        misleads=0.5 - rows["success"],
        similar=similar,
        similar_success=rows["success"].where(similar > 0),
        similar_above_chance=(rows["success"] - rows["chance"]).where(similar > 0),
    )
    columns = ["success", "chance", "above_chance", "similar_success", "similar_above_chance"]
    columns += ["decoy_first", "decoy_first_chance", "decoy_first_above_chance", "ahead"]
    own = rows[rows["explainer"] == VALIDATION]
    return _means(rows, "explainer", columns, "compare.{}") | _means(
        own, "explainer", ["misleads", "similar"], "compare.{}"
    )


def _repaired(rows: pd.DataFrame) -> dict[str, Mapping[int, float]]:
    if not len(rows):
        return {}
    number = ["before", "left", "gain", "loss", "loss_before", "cost"]
    rows = rows.astype(dict.fromkeys(number, float))
    same = ["seed", "decoy", "how"]
    random, known = (rows[rows["source"] == source].set_index(same) for source in (RANDOM, KNOWN))
    behind = rows["loss"] - _of_same(rows, known["loss"], same)
    rows = rows.assign(
        dropped=rows["words"].map(len),
        gone=rows["verdict"].eq("not adopted").where(rows["verdict"].notna()),
        remains=rows["verdict"].isin(RANKED).where(rows["verdict"].notna()),
        removed_over_random=_of_same(rows, random["left"], same) - rows["left"],
        gain_over_random=rows["gain"] - _of_same(rows, random["gain"], same),
        gone_margin=NONE_LEFT - rows["left"],
        behind_known=behind,
        behind_known_margin=SMALL_LOSS - behind,
        cost_margin=SMALL_LOSS - rows["loss"],
        all_before=rows["before"],
        all_left=rows["left"].where(rows["possible"], rows["before"]),
        all_loss=rows["loss"].where(rows["possible"], rows["loss_before"]),
        name=rows["source"] + "." + rows["how"],
    )
    rows = rows.astype({"gone": float, "remains": float})
    buggy, clean = rows[rows["decoy"] != CLEAN], rows[rows["decoy"] == CLEAN]
    done = buggy[buggy["possible"]]
    told = [*number, "gone", "remains", "removed_over_random", "gain_over_random", "gone_margin"]
    found = _means(buggy, "name", ["dropped", "possible", "all_before", "all_left", "all_loss"], "repair.{}")
    found |= _means(done, "name", [*told, "behind_known", "behind_known_margin"], "repair.{}")
    found |= _means(clean, "name", ["dropped", "possible"], "clean_repair.{}")
    found |= _means(clean[clean["possible"]], "name", ["loss", "cost_margin"], "clean_repair.{}")
    for name, own in done.groupby("name", sort=False):
        worst = own.groupby("seed")["left"].max()
        found[f"repair.{name}.most_left"] = worst.to_dict()
        found[f"repair.{name}.each_gone_margin"] = (NONE_LEFT - worst).to_dict()
    return found | _both_ways(buggy) | _count_against_explainers(done[done["how"] == "words"])


def _both_ways(buggy: pd.DataFrame) -> dict[str, Mapping[int, float]]:
    """How much more dropping texts costs than dropping words, of decoys whose source can be used in both ways."""
    losses = buggy.pivot(index=["source", "seed", "decoy"], columns="how", values="loss").reset_index()
    if not {"words", "texts"} <= set(losses.columns):
        return {}
    losses = losses.assign(texts_cost_more=losses["texts"] - losses["words"])
    losses = losses.assign(both_ways=losses["texts_cost_more"].notna().astype(float))
    return _means(losses, "source", ["both_ways", "texts_cost_more"], "repair.{}")


def _count_against_explainers(done: pd.DataFrame) -> dict[str, Mapping[int, float]]:
    """Rate left after the count, less that after the explainer that leaves the least in the seed.

    The explainer is chosen after the fact, which is in favour of explainers.
    """
    left = done.pivot(index=["seed", "decoy"], columns="source", values="left").dropna().groupby("seed").mean()
    explainers = [source for source in left.columns if source not in (COUNT, KNOWN, RANDOM)]
    if not explainers:
        return {}
    return {f"repair.{COUNT}.words.more_left": (left[COUNT] - left[explainers].min(axis=1)).to_dict()}


def _uncovered(rows: pd.DataFrame) -> dict[str, Mapping[int, float]]:
    if not len(rows):
        return {}
    same = ["seed", "decoy"]
    other = {source: rows[rows["source"] == source].set_index(same)["found"] for source in (RANDOM, COUNT)}
    rows = rows.assign(
        over_random=rows["found"] - _of_same(rows, other[RANDOM], same),
        over_count=rows["found"] - _of_same(rows, other[COUNT], same),
    )
    return _means(rows, "source", ["found", "by_lot", "over_random", "over_count"], "uncover.{}")


def _pairs(rows: pd.DataFrame) -> dict[str, Mapping[int, float]]:
    if not len(rows):
        return {}
    rows = rows.astype({"adopted": float, "kept": float, "every": float})
    same = ["seed", "pair", "decoy"]
    random = rows[rows["explainer"] == RANDOM].set_index(same)
    over = {name: rows[name] - _of_same(rows, random[name], same) for name in ("alone", "both")}
    rows = rows.assign(
        alone_over_random=over["alone"],
        over_random=over["both"],
        named_margin=over["both"] - (1 - AS_OFTEN) * over["alone"],
    )
    columns = ["alone", "both", "every", "alone_over_random", "over_random", "named_margin"]
    found = _means(rows[rows["kept"] > 0], "explainer", columns, "pairs.{}")
    parts = rows.drop_duplicates(same)
    for column in ("adopted", "kept", "rate_alone", "rate_both"):
        found[f"pairs.{column}"] = parts.groupby("seed")[column].mean().to_dict()
    return found


def _of_same(rows: pd.DataFrame, values: pd.Series, same: Sequence[str]) -> pd.Series:
    """The value that another source has for the same decoy, by row; NaN where it has none."""
    found = values.reindex(pd.MultiIndex.from_frame(rows[list(same)]))
    return pd.Series(found.to_numpy(), index=rows.index)


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
