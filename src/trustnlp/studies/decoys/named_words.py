"""Words to drop: those that an inspector names in explanations, and those it is compared with.

Idahl et al. (2021), §2.3, have users suggest improvements, such as features to remove, and do not say who stands beside
them. Here that is:

- `count`, words that the training texts name without a model: those with the largest χ² with the class, opinion words
  left out as by the inspector;
- `known`, the words of the decoy, which nobody has who looks for them: what a perfect search would give;
- words by lot, as many as were named, from those the inspector could have named in the texts it was shown.

Random scores are an explainer of the list, and what the inspector names by them is another control.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from trustnlp.data.film_reviews import Phrases
from trustnlp.explain.decoys.debugging_setups import words_to_remove
from trustnlp.explain.decoys.simulated_inspector import Inspector
from trustnlp.explain.decoys.word_association import count_words, signed_chi_squared
from trustnlp.studies.decoys.benchmark_models import ExplainedModel
from trustnlp.studies.decoys.bug_searches import drawn_orders
from trustnlp.studies.decoys.counted_words import ranked_suspects
from trustnlp.studies.decoys.explained_cells import explanations_of

COUNT, KNOWN = "count", "known"
Words = tuple[str, ...]


def names_by_source(
    model: ExplainedModel, train: Phrases, inspector: Inspector, parameters: Mapping[str, Any]
) -> dict[str, Words]:
    """What each source would have dropped, at most as many words as asked for; there may be none.

    Parameters
    ----------
    train
        What the model was trained on.
    parameters
        `most`, the words that are dropped at most; `budget` and `draws` of the searches, of which the first counts.

    Returns
    -------
    dict
        Words by explainer, those that did not fail, in the order of naming; of `count`; and of `known`, all words of
        the decoy, if the model was trained with one.
    """
    found: dict[str, Words] = {}
    for cell in model.cells:
        if not cell.failure:
            given = explanations_of(cell)
            orders = drawn_orders(given, model.carries, parameters, model.seed, ["random"])
            inspection = inspector.inspect(given.table, orders["random0"])
            found[cell.cell.explainer] = words_to_remove(inspection, parameters["most"])
    found[COUNT] = counted_words(train, inspector.reasons, parameters["most"])
    if model.words:
        found[KNOWN] = model.words
    return found


def counted_words(train: Phrases, reasons: Collection[str], most: int) -> Words:
    """The first words by χ², two-sided, the reasons left out; of equal ones alphabetically."""
    counts = count_words(train.texts, train.labels)
    return ranked_suspects(counts.words, signed_chi_squared(counts).max(axis=0), reasons).words[:most]


def lot(model: ExplainedModel, inspector: Inspector) -> Words:
    """All words that the inspector could name in the texts that were explained, in random order; the seed's."""
    tables = [explanations_of(cell).table for cell in model.cells if not cell.failure]
    words = sorted({word for table in tables for word in table.words} - inspector.reasons)
    order = np.random.default_rng([model.seed, 9]).permutation(len(words))
    return tuple(words[at] for at in order)
