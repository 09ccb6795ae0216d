"""Words to drop: those that an inspector names in explanations, and those it is compared with.

Idahl et al. (2021), §2.3, have users suggest improvements, such as features to remove, and do not say who stands beside
them. Here that is:

- `random`, words that the same inspector names by random scores: the baseline. Like all that it names they are in
  many of the texts it reads, as words drawn from a list of different words, most of them rare, would not be;
- `count`, words that the training texts name without a model: those with the largest χ² with the class, opinion words
  left out as by the inspector;
- `known`, the words of the decoy, which nobody has who looks for them: what a perfect search would give.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from trustnlp.data.texts.film_reviews import Phrases
from trustnlp.decoys.benchmark.debugging_setups import words_to_remove
from trustnlp.decoys.benchmark.simulated_inspector import Inspector
from trustnlp.decoys.decoy_recipes import recipe
from trustnlp.decoys.kept_decoys import Removal
from trustnlp.decoys.planted_decoys import Decoy
from trustnlp.decoys.word_association import count_words, signed_chi_squared
from trustnlp.studies.decoys.baselines import ranked_suspects
from trustnlp.studies.decoys.leaderboard.benchmark_models import ExplainedModel
from trustnlp.studies.decoys.leaderboard.bug_searches import drawn_orders
from trustnlp.studies.decoys.leaderboard.explained_cells import explanations_of

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
        Words by explainer, those that did not fail, in the order of naming; of `count`; and of `known`, as
        `known_words` gives them, if the model was trained with a decoy.
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
        found[KNOWN] = known_words(recipe(model.decoy), train)
    return found


def known_words(decoy: Decoy, train: Phrases) -> Words:
    """All words that a decoy goes by: its own, and where it goes by parts of words, those of the texts that have one.

    >>> import numpy as np
    >>> train = Phrases(("a movie", "two movies"), np.array([1, 1]))
    >>> known_words(recipe("movie"), train), known_words(recipe("film"), train)
    (('movie', 'movies'), ('film',))
    """
    if not isinstance(decoy, Removal) or decoy.matching == "word":
        return decoy.words
    longer = {word for text in train.texts for word in text.split() if decoy.word in word}
    return (decoy.word, *sorted(longer - {decoy.word}))


def counted_words(train: Phrases, reasons: Collection[str], most: int) -> Words:
    """The first words by χ², two-sided, the reasons left out; of equal ones alphabetically."""
    counts = count_words(train.texts, train.labels)
    return ranked_suspects(counts.words, signed_chi_squared(counts).max(axis=0), reasons).words[:most]
