"""Setup II: which of two models has the bug?

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
from trustnlp.decoys.benchmark.debugging_setups import compare
from trustnlp.decoys.benchmark.score_tables import ScoreTable
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.planted_decoys import Decoy
from trustnlp.studies.decoys.adoption import contaminated
from trustnlp.studies.decoys.leaderboard.benchmark_models import ExplainedModel, explanations_of
from trustnlp.studies.decoys.models import Classifier

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
        Rows with `explainer`, `decoy`, `seed`; `success`, 1 if the clean model is preferred and one half if neither is;
        `decoy_first`, whether a word of the decoy is the one that differs most; and how far both are above what they
        are for permuted scores, mean over draws: `above_chance` and `decoy_first_above_chance`.
    """
    clean = {cell.cell.explainer: explanations_of(cell).table for cell in control if not cell.failure}

    def judged(buggy: ScoreTable, other: ScoreTable) -> tuple[float, float]:
        comparison = compare(buggy, other, reasons=inspector.reasons)
        return comparison.success(_BUGGY), float(comparison.ranking.rank_of(model.words) == 1)

    rows = []
    for cell in model.cells:
        name = cell.cell.explainer
        if not cell.failure and name in clean:
            both = explanations_of(cell).table, clean[name]
            rng = np.random.default_rng([model.seed, 10])
            by_chance = [judged(*(permuted(one, rng) for one in both)) for _ in range(draws)]
            success, first = judged(*both)
            above = np.subtract((success, first), np.mean(by_chance, axis=0)).tolist()
            row = {"explainer": name, "decoy": model.decoy, "seed": model.seed, "success": success}
            row |= {"decoy_first": first, "above_chance": above[0], "decoy_first_above_chance": above[1]}
            rows.append(row)
    return rows


def validation_rows(
    model: ExplainedModel, decoy: Decoy, buggy: Classifier, clean: Classifier, dev: Phrases
) -> list[dict[str, Any]]:
    """Rows like those of `comparison_rows` for choosing the more accurate model, by both kinds of dev texts.

    Chance is one half. `ahead` is the accuracy of the buggy model less that of the clean one, in points.
    """
    like = contaminated(decoy, dev)
    rows = []
    for name, texts, labels in ((VALIDATION, like.texts, like.labels), (ORIGINAL, dev.texts, dev.labels)):
        right = [int((one.predict(texts) == labels).sum()) for one in (buggy, clean)]
        success = 0.5 if right[0] == right[1] else float(right[0] < right[1])
        row = {"explainer": name, "decoy": model.decoy, "seed": model.seed, "success": success}
        rows.append(row | {"above_chance": success - 0.5, "ahead": 100 * (right[0] - right[1]) / len(texts)})
    return rows


def permuted(table: ScoreTable, rng: np.random.Generator) -> ScoreTable:
    """The table with the scores of each explanation permuted among its words."""
    order = np.lexsort((rng.random(len(table.rows)), table.rows))
    return replace(table, scores=table.scores[order])
