"""Setup II: two models explained on the same texts, one of them buggy. Is the bug-free one preferred?

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
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.debugging_cells import CellResult
from trustnlp.decoys.benchmark.debugging_setups import Comparison, compare
from trustnlp.decoys.benchmark.score_tables import ScoreTable
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.planted_decoys import Decoy
from trustnlp.studies.decoys.adoption.adoption_measures import contaminated
from trustnlp.studies.decoys.leaderboard.benchmark_models import ExplainedModel
from trustnlp.studies.decoys.leaderboard.explained_cells import explanations_of
from trustnlp.studies.decoys.models.buggy_models import Classifier

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
