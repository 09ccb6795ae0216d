"""All models of the leaderboard with their explanations: one walk over kinds, seeds and decoys, one model at a time.

Explainers are ranked on a decoy where there is something to find, by rules that were written down before any run:

- the decoy has words: the length of a text is none, so that no score of a word can name it, and no model is trained;
- the model of that seed has adopted it, if only partly, by the test of `trustnlp.decoys.decoy_adoption`;
- as many of the explained texts carry it as an inspector must note it in. A decoy that is too rare for that is found by
  nobody who reads these texts.

Idahl et al. (2021), §3.2: "verify if a model trained on a decoy dataset indeed 'adopts' or learns a decoy".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from trustnlp.attribution.model_calls import Labels
from trustnlp.decoys.benchmark.debugging_cells import CellResult
from trustnlp.decoys.decoy_adoption import Adoption, adoption
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.decoys.planted_decoys import Decoy, Planted, Truths
from trustnlp.studies.decoys.adoption.adoption_measures import contradicting
from trustnlp.studies.decoys.data import ReviewParts
from trustnlp.studies.decoys.leaderboard.explained_cells import CLEAN, check_explainers, explained, shown_texts
from trustnlp.studies.decoys.models.buggy_models import Classifier, Kind, planted_model, trained_model

RANKED = ("adopted", "partly adopted")


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
        One for each explainer that applies, as `explained_cells.explained` gives them; none if the decoy is not ranked.
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
        and what `explained_cells.explained` and `buggy_models.trained_model` ask for.
    threshold
        Texts that must carry a decoy for it to be ranked: those that the inspector must note its word in.
    decoys
        Others than the recipes that `parameters` names.
    controls
        Whether the clean model is explained on the texts of each decoy, too.

    Raises
    ------
    ValueError
        An unknown explainer or recipe, before any model is trained; or too few texts.
    """
    check_explainers(parameters["explainers"])
    planted = [recipe(name) for name in parameters["decoys"]] if decoys is None else decoys
    pairs = [(kind, seed) for kind in parameters["models"] for seed in seeds_of(kind, parameters)]
    found: list[ExplainedModel] = []
    with tqdm(total=len(pairs) * (1 + len(planted)), desc="models", disable=None, leave=False) as bar:
        for kind, seed in pairs:
            for one in _of_a_seed(parts, parameters, kind, seed, planted, threshold, controls):
                found.append(one)
                bar.update()
    return found


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


def standing_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """What `standings` gave, as a table: a row for each decoy and kind, seeds with the same standing counted."""
    table = pd.DataFrame(rows)
    grouped = table.groupby(["decoy", "model"], sort=False)
    told = grouped["standing"].agg(lambda own: ", ".join(f"{n} × {name}" for name, n in own.value_counts().items()))
    return pd.DataFrame(
        {
            "seeds": told,
            "rate of adoption, mean": grouped["rate"].mean().astype(float).round(2),
            "texts that carry it, mean": grouped["carried"].mean().round(1),
        }
    )


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
    shown = shown_texts(None, parts.test, count, longest, seed)
    cells = explained(explainers, kind, CLEAN, clean, shown.texts, parameters, seed)
    yield ExplainedModel(CLEAN, (), kind, seed, CLEAN, float("nan"), shown.carries, cells)
    for decoy in decoys:
        shown = shown_texts(decoy, parts.test, count, longest, seed)
        if not decoy.words:
            yield ExplainedModel(decoy.name, (), kind, seed, "has no words", float("nan"), shown.carries, [])
            continue
        buggy = planted_model(kind, decoy, parts.train, parts.dev, parameters, seed)
        tested = tested_adoption(decoy, buggy, clean, parts, parameters["adoption_texts"])
        rare = tested.verdict in RANKED and shown.carries.sum() < threshold
        standing = "too rare in the texts shown" if rare else tested.verdict
        ranked = standing in RANKED
        cells, control = [], []
        if ranked:
            cells = explained(explainers, kind, decoy.name, buggy, shown.texts, parameters, seed)
        if ranked and controls:
            control = explained(explainers, kind, f"{CLEAN} on {decoy.name}", clean, shown.texts, parameters, seed)
        rate = tested.rate.value
        yield ExplainedModel(decoy.name, decoy.words, kind, seed, standing, rate, shown.carries, cells, control)


def wrong_texts(decoy: Decoy, parts: ReviewParts, most: int) -> tuple[Planted, Labels]:
    """Held-out texts with the decoy of a wrong class, and the rows that are asked, the same for all models."""
    wrong = contradicting(decoy, parts.held_out)
    return wrong, np.random.default_rng(1).permutation(len(wrong))[:most]


def tested_adoption(decoy: Decoy, model: Classifier, clean: Classifier, parts: ReviewParts, most: int) -> Adoption:
    """The test of adoption on `wrong_texts`."""
    wrong, rows = wrong_texts(decoy, parts, most)
    texts = [wrong.texts[row] for row in rows]
    return adoption(model.predict(texts), clean.predict(texts), wrong.labels[rows], wrong.carried[rows])
