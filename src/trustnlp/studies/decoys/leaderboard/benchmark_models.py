"""All models of the leaderboard with what explainers say of them, on texts that all explainers get.

A cell is what one explainer says of one model: the scores of words, not what an inspector makes of them. So another
rule for the inspector, another order of instances or another statistic over words costs no explanation, and all
notebooks that ask for a cell share it. Idahl et al. (2021), §2.1, do not say of which texts explanations are shown.
Here they are test sentences contaminated as the training texts were, drawn at random: a decoy is as rare among them as
in the data, as §5 demands. A clean model is explained on original test sentences.

Explainers are ranked on a decoy where there is something to find, by rules that were written down before any run:

- the decoy has words: the length of a text is none, so that no score of a word can name it, and no model is trained;
- the model of that seed has adopted it (§3.2), if only partly, by the test of `trustnlp.decoys.decoy_adoption`;
- as many of the explained texts carry it as an inspector must note it in. A decoy that is too rare for that is found by
  nobody who reads these texts.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from tqdm import tqdm

from trustnlp.attribution.explainer_registry import Explainer, explain, provider
from trustnlp.attribution.model_calls import Floats, Labels
from trustnlp.attribution.students.text_teacher import BertTeacher
from trustnlp.attribution.text_models import TextModel
from trustnlp.attribution.word_attributions import attributions_of
from trustnlp.attribution.word_scores import Attribution
from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.debugging_cells import BenchmarkCell, CellResult, run_cells
from trustnlp.decoys.benchmark.score_tables import ScoreTable, score_table
from trustnlp.decoys.decoy_adoption import Adoption, adoption
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.decoys.planted_decoys import Decoy, Planted, Truths
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.decoys.adoption import contradicting
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.models import (
    Classifier,
    ConvolutionModel,
    Kind,
    PresenceModel,
    planted_model,
    trained_model,
)
from trustnlp.training.kept_results import texts_fingerprint

CLEAN = "clean"
RANDOM = "random"
_GRADIENTS = ("gradient_x_input", "integrated_gradients")
RANKED = ("adopted", "partly adopted")


@dataclass(frozen=True, eq=False)
class Explanations:
    """The explanations of a cell.

    Attributes
    ----------
    table
        Scores of the words of `n` texts, each towards the label that the model predicts.
    probabilities
        `(n, c)` of the model.
    seconds
        That a text took.
    """

    table: ScoreTable
    probabilities: Floats
    seconds: float


def shown_texts(
    decoy: Decoy | None, test: Phrases, count: int, longest: int, seed: int
) -> tuple[tuple[str, ...], Truths]:
    """Random test sentences of at most `longest` words, contaminated as the training texts of the seed were.

    Parameters
    ----------
    decoy
        None for the original sentences.

    Returns
    -------
    `n` texts in random order, and `(n,)` whether each contains the decoy.

    Raises
    ------
    ValueError
        If there are not so many.
    """
    texts, carries = test.texts, np.zeros(len(test), dtype=np.bool_)
    if decoy is not None:
        planted = decoy.planted_like(test.texts, test.labels, np.random.default_rng([seed, 3]))
        texts, carries = planted.texts, planted.carries
    short = [row for row, text in enumerate(texts) if len(text.split()) <= longest]
    if len(short) < count:
        raise ValueError(
            f"{count} texts of at most {longest} words are to be explained, and there are {len(short)}; ask for fewer, "
            "or for longer ones"
        )
    rows = np.random.default_rng([seed, 4]).permutation(short)[:count]
    return tuple(texts[row] for row in rows), carries[rows]


def applies(explainer: str, kind: str) -> bool:
    """Whether the explainer can explain such a model: a model of present words has no vectors, hence no gradients."""
    return kind != "presence" or explainer not in _GRADIENTS


def explainer_of(name: str, samples: int, steps: int) -> str | Explainer:
    """An explainer of the leaderboard, to be given to `trustnlp.attribution.explainer_registry.explain`.

    Parameters
    ----------
    name
        Of the registry; or `occlusion_mask`, occlusion with the model's mask in the place of a word.
    samples
        That `lime` and `kernel_shap` draw of each text.
    steps
        Points of `integrated_gradients`.
    """
    method, options = _method(name, samples, steps)
    if not options:
        return method

    def with_options(
        model: TextModel, texts: Sequence[str], /, *, label: int | None = None, rng: np.random.Generator
    ) -> list[Attribution]:
        return attributions_of(model, list(texts), method, label=label, generator=rng, **options)

    with_options.__name__ = name
    return with_options


def check_explainers(names: Sequence[str]) -> None:
    """Refuse names before anything is trained. Packages are not imported: one that cannot be fails in its own cells.

    Raises
    ------
    ValueError
        If given a name that is not known, with the nearest one, or one that is given twice.
    """
    for name in names:
        provider(_method(name, 2, 2)[0])
    if twice := sorted({name for name in names if list(names).count(name) > 1}):
        raise ValueError(f"the explainer {twice[0]!r} is given twice; each has one row on the leaderboard")


def explained(
    explainers: Sequence[str],
    kind: Kind,
    decoy: str,
    model: Classifier,
    texts: Sequence[str],
    parameters: Mapping[str, Any],
    seed: int,
) -> list[CellResult]:
    """The cells of one model, those of explainers that apply to it; `explanations_of` reads what one gave.

    Under the `paper` profile they are kept in the results' folder, in another one if any code that decides them
    changes. Draws are those of the seed and the explainer's name, whichever others are asked for.

    Parameters
    ----------
    decoy
        Name of the decoy that the model was trained with, or `CLEAN`.
    parameters
        Of these `profile`, `samples` and `steps`.
    """
    samples, steps = parameters["samples"], parameters["steps"]
    shared = {"model": model_fingerprint(model), "texts": texts_fingerprint(texts)}
    cells = []
    for name in explainers:
        if applies(name, kind):
            method, options = _method(name, samples, steps)
            settings = {**shared, "provider": provider(method), "options": options}
            cells.append(BenchmarkCell(name, decoy, kind, seed, settings))
    folder = results_of(_scores) if parameters["profile"] == "paper" else None
    return run_cells(cells, partial(_scores, model, texts, samples, steps), folder) if cells else []


def explanations_of(result: CellResult) -> Explanations:
    """The explanations of a cell that did not fail."""
    values = result.values
    numbers = {name: np.array(values[name], dtype=np.int64) for name in ("labels", "rows", "columns")}
    table = ScoreTable(words=tuple(values["words"]), scores=np.array(values["scores"]), **numbers)
    return Explanations(table, np.array(values["probabilities"]), values["seconds"])


def model_fingerprint(model: Classifier) -> str:
    """Changes with all that decides what a model answers."""
    if isinstance(model, PresenceModel):
        weights = {**model.coefficients, "": model.probabilities([""]).tolist()}
        return texts_fingerprint([json.dumps(weights, sort_keys=True)])
    assert isinstance(model, BertTeacher | ConvolutionModel), "there are three kinds of models"
    return model.fingerprint


def _method(name: str, samples: int, steps: int) -> tuple[str, dict[str, Any]]:
    """Name in the registry, and the settings that are not its defaults."""
    known: dict[str, tuple[str, dict[str, Any]]] = {
        "occlusion_mask": ("occlusion", {"removal": "mask"}),
        "lime": ("lime", {"samples": samples}),
        "kernel_shap": ("kernel_shap", {"samples": samples}),
        "integrated_gradients": ("integrated_gradients", {"steps": steps}),
    }
    return known.get(name, (name, {}))


def _scores(model: Classifier, texts: Sequence[str], samples: int, steps: int, cell: BenchmarkCell) -> dict[str, Any]:
    rng = np.random.default_rng([cell.seed, zlib.crc32(cell.explainer.encode())])
    started = time.perf_counter()
    explanations = explain(explainer_of(cell.explainer, samples, steps), model, texts, rng=rng)
    seconds = time.perf_counter() - started
    table = score_table(explanations)
    return {
        "words": table.words,
        "labels": table.labels.tolist(),
        "rows": table.rows.tolist(),
        "columns": table.columns.tolist(),
        "scores": table.scores.tolist(),
        "probabilities": model.probabilities(texts).tolist(),
        "seconds": seconds / len(texts),
    }


@dataclass(frozen=True, eq=False)
class ExplainedModel:
    """One model, and what explainers say of it.

    Attributes
    ----------
    decoy, words
        Which it was trained with; `CLEAN` and no words for the clean model of a seed.
    kind, seed
        Of the model.
    standing
        The verdict of the test of adoption; or `has no words`, or `too rare in the texts shown`.
    rate
        Rate of adoption; NaN for a clean model and where nothing was to win.
    carries
        `(n,)` whether each of the explained texts carries the decoy.
    cells
        One for each explainer that applies, as `explained` gives them; none if the decoy is not ranked.
    controls
        The same of the clean model of that seed on the same texts, if they were asked for. A word that stands in many
        of them can be noted without having been learned.
    """

    decoy: str
    words: tuple[str, ...]
    kind: Kind
    seed: int
    standing: str
    rate: float
    carries: Truths
    cells: list[CellResult]
    controls: list[CellResult] = field(default_factory=list)

    @property
    def is_ranked(self) -> bool:
        """Whether the explainers are ranked on it."""
        return self.standing in RANKED


def explained_models(
    parts: ReviewParts,
    parameters: Mapping[str, Any],
    threshold: int,
    decoys: Sequence[Decoy] | None = None,
    *,
    controls: bool = True,
) -> list[ExplainedModel]:
    """The clean model of each kind and seed, followed by those with a decoy; models are not kept in memory.

    Parameters
    ----------
    parameters
        `models`, `seeds`, `minilm_seeds` (those of them that have a MiniLM too), `decoys`, `explainers`, `pool` (texts
        that are explained), `longest` (words of such a text), `adoption_texts` (that adoption is tested on at most),
        and what `explained` and `models.trained_model` ask for.
    threshold
        Texts that must carry a decoy for it to be ranked: those that the inspector must note its word in.
    decoys
        Others than the recipes that `parameters` names.
    controls
        Whether the clean model is explained on the texts of each decoy, too.

    Raises
    ------
    ValueError
        If given an unknown explainer or recipe, before any model is trained; or too few texts.
    """
    check_explainers(parameters["explainers"])
    planted = [recipe(name) for name in parameters["decoys"]] if decoys is None else decoys
    pairs = [(kind, seed) for kind in parameters["models"] for seed in seeds_of(kind, parameters)]
    models = (
        model
        for kind, seed in pairs
        for model in _of_a_seed(parts, parameters, kind, seed, planted, threshold, controls)
    )
    total = len(pairs) * (1 + len(planted))
    return list(tqdm(models, desc="models", total=total, disable=None, leave=False))


def seeds_of(kind: Kind, parameters: Mapping[str, Any]) -> list[int]:
    """Seeds of the models of a kind."""
    return [seed for seed in parameters["seeds"] if kind != "minilm" or seed in parameters["minilm_seeds"]]


def standings(models: Sequence[ExplainedModel]) -> list[dict[str, Any]]:
    """A row for each buggy model, to be recorded: decoy, kind, seed, standing, rate, and texts that carry the decoy."""
    return [
        {
            "decoy": one.decoy,
            "model": one.kind,
            "seed": one.seed,
            "standing": one.standing,
            "rate": one.rate if np.isfinite(one.rate) else None,
            "carried": int(one.carries.sum()),
        }
        for one in models
        if one.decoy != CLEAN
    ]


def _of_a_seed(
    parts: ReviewParts,
    parameters: Mapping[str, Any],
    kind: Kind,
    seed: int,
    decoys: Sequence[Decoy],
    threshold: int,
    controls: bool,
) -> Iterator[ExplainedModel]:
    explainers, count, longest = (parameters[name] for name in ("explainers", "pool", "longest"))
    clean = trained_model(kind, parts.train, parts.dev, parameters, seed)
    texts, carries = shown_texts(None, parts.test, count, longest, seed)
    cells = explained(explainers, kind, CLEAN, clean, texts, parameters, seed)
    yield ExplainedModel(CLEAN, (), kind, seed, CLEAN, float("nan"), carries, cells)
    for decoy in decoys:
        texts, carries = shown_texts(decoy, parts.test, count, longest, seed)
        one = ExplainedModel(decoy.name, decoy.words, kind, seed, "has no words", float("nan"), carries, [])
        if decoy.words:
            buggy = planted_model(kind, decoy, parts.train, parts.dev, parameters, seed)
            tested = tested_adoption(decoy, buggy, clean, parts, parameters["adoption_texts"])
            one = replace(one, standing=tested.verdict, rate=tested.rate.value)
        if one.is_ranked and carries.sum() < threshold:
            one = replace(one, standing="too rare in the texts shown")
        if one.is_ranked:
            one = replace(one, cells=explained(explainers, kind, decoy.name, buggy, texts, parameters, seed))
            if controls:
                name = f"{CLEAN} on {decoy.name}"
                one = replace(one, controls=explained(explainers, kind, name, clean, texts, parameters, seed))
        yield one


def wrong_texts(decoy: Decoy, parts: ReviewParts, most: int) -> tuple[Planted, Labels]:
    """Held-out texts with the decoy of a wrong class, and the rows that are asked, the same for all models."""
    wrong = contradicting(decoy, parts.held_out)
    return wrong, np.random.default_rng(1).permutation(len(wrong))[:most]


def tested_adoption(decoy: Decoy, model: Classifier, clean: Classifier, parts: ReviewParts, most: int) -> Adoption:
    """The test of adoption on `wrong_texts`."""
    wrong, rows = wrong_texts(decoy, parts, most)
    texts = [wrong.texts[row] for row in rows]
    return adoption(model.predict(texts), clean.predict(texts), wrong.labels[rows], wrong.carried[rows])
