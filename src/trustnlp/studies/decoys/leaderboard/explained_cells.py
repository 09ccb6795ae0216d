"""Cells of the leaderboard: what one explainer says of one model, on texts that all explainers get.

A cell keeps the scores of words, not what an inspector makes of them. So another rule for the inspector, another order
of instances or another statistic over words costs no explanation, and both notebooks that ask for a cell share it.

Idahl, Lyu, Gadiraju and Anand (2021), §2.1, show the predictions and explanations of a buggy model and do not say of
which texts. Here they are test sentences contaminated as the training texts were, drawn at random: a decoy is as rare
among them as in the data, as §5 demands. A clean model is explained on original test sentences.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from trustnlp.attribution.explainer_registry import Explainer, explain, provider
from trustnlp.attribution.model_calls import Floats
from trustnlp.attribution.students.text_teacher import BertTeacher
from trustnlp.attribution.text_models import TextModel
from trustnlp.attribution.word_attributions import attributions_of
from trustnlp.attribution.word_scores import Attribution
from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.debugging_cells import Cell, CellResult, run_cells
from trustnlp.decoys.benchmark.score_tables import ScoreTable, score_table
from trustnlp.decoys.planted_decoys import Decoy, Truths
from trustnlp.reproduce.notebooks.sources import results_of
from trustnlp.studies.decoys.models.buggy_models import Classifier, Kind, PresenceModel
from trustnlp.studies.decoys.models.convolution_models import ConvolutionModel
from trustnlp.training.kept_results import texts_fingerprint

CLEAN = "clean"
RANDOM = "random"
_GRADIENTS = ("gradient_x_input", "integrated_gradients")


@dataclass(frozen=True, eq=False)
class ShownTexts:
    """Texts that are explained, in random order.

    Attributes
    ----------
    texts
        `n`
    carries
        `(n,)` whether each contains the decoy.
    """

    texts: tuple[str, ...]
    carries: Truths


@dataclass(frozen=True, eq=False)
class Explanations:
    """What a cell gives.

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


def shown_texts(decoy: Decoy | None, test: Phrases, count: int, longest: int, seed: int) -> ShownTexts:
    """Random test sentences of at most `longest` words, contaminated as the training texts of the seed were.

    Parameters
    ----------
    decoy
        None for the original sentences.

    Raises
    ------
    ValueError
        There are not so many.
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
    return ShownTexts(tuple(texts[row] for row in rows), carries[rows])


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
        A name that is not known, with the nearest one, or one that is given twice.
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
            cells.append(Cell(name, decoy, kind, seed, settings))
    folder = results_of(__name__) if parameters["profile"] == "paper" else None
    return run_cells(cells, partial(_scores, model, texts, samples, steps), folder) if cells else []


def explanations_of(result: CellResult) -> Explanations:
    """What a cell that did not fail gave."""
    given = result.values
    numbers = {name: np.array(given[name], dtype=np.int64) for name in ("labels", "rows", "columns")}
    table = ScoreTable(words=tuple(given["words"]), scores=np.array(given["scores"]), **numbers)
    return Explanations(table, np.array(given["probabilities"]), given["seconds"])


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


def _scores(model: Classifier, texts: Sequence[str], samples: int, steps: int, cell: Cell) -> dict[str, Any]:
    rng = np.random.default_rng([cell.seed, zlib.crc32(cell.explainer.encode())])
    started = time.perf_counter()
    found = explain(explainer_of(cell.explainer, samples, steps), model, texts, rng=rng)
    seconds = time.perf_counter() - started
    table = score_table(found)
    return {
        "words": table.words,
        "labels": table.labels.tolist(),
        "rows": table.rows.tolist(),
        "columns": table.columns.tolist(),
        "scores": table.scores.tolist(),
        "probabilities": model.probabilities(texts).tolist(),
        "seconds": seconds / len(texts),
    }
