"""The sense mechanism with a choice that is private too, and the price of one changed word.

A repair (`trustnlp.privacy.text.private_sense_choice`) of Arnold, Yesilbas and Weinzierl (2023), §3; it is not the
paper's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.disambiguation import choose_senses
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.text.private_sense_choice import PrivateSenseChoice, changed_word_loss
from trustnlp.studies.sense_privatization.critique.guarantee import moves_of
from trustnlp.studies.sense_privatization.standins import PlantedContext

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def drawn_senses(
    contexts: Sequence[PlantedContext], choice: PrivateSenseChoice, draws: int, rng: np.random.Generator
) -> Ints:
    """`(n draws,)` senses drawn for the word of each context, `draws` times one after the other.

    With the chances of `PrivateSenseChoice.probabilities`, from a generator for experiments.
    """
    drawn = []
    for context in contexts:
        place = context.occurrence.index
        chances = choice.probabilities(context.occurrence.tokens, place)
        first = choice.inventory.senses_of(context.row).start
        drawn.append(first + rng.choice(len(chances), draws, p=chances))
    return np.concatenate(drawn).astype(np.int64)


def share_as_chosen(
    texts: Sequence[Sequence[str]],
    inventory: SenseInventory,
    vectors: WordVectors,
    budgets: Sequence[float],
    *,
    window: int = 5,
) -> tuple[dict[float, float], float, int]:
    """How often the private choice is expected to be that of `choose_senses`, among words with several senses.

    Parameters
    ----------
    texts
        Of each text the place in the middle is looked at, if its word has two senses or more.
    budgets
        Values of ε_c.

    Returns
    -------
    ε_c → the mean chance of the sense that `choose_senses` takes; the same for a draw from the prior; and how many
    words were looked at.

    Raises
    ------
    ValueError
        If there is no word with several senses.
    """
    choices = {budget: PrivateSenseChoice(inventory, vectors, budget, window=window) for budget in budgets}
    chances: dict[float, list[float]] = {budget: [] for budget in budgets}
    priors = []
    for tokens in texts:
        place = len(tokens) // 2
        [row] = inventory.rows_of([tokens[place]])
        if row < 0 or (own := inventory.senses_of(int(row))).stop - own.start < 2:
            continue
        taken = int(choose_senses(inventory, vectors, tokens, window=window)[place])
        priors.append(float(inventory.prior[taken]))
        for budget, choice in choices.items():
            chances[budget].append(float(choice.probabilities(tokens, place)[taken - own.start]))
    if not priors:
        raise ValueError(f"none of the words in the middle of {len(texts)} texts has several senses")
    return {budget: float(np.mean(values)) for budget, values in chances.items()}, float(np.mean(priors)), len(priors)


def losses_of(
    queries: Sequence[Occurrence],
    others: Sequence[str],
    inventory: SenseInventory,
    vectors: WordVectors,
    *,
    word_epsilon: float,
    sense_epsilon: float,
    budgets: Sequence[float],
    window: int = 5,
) -> dict[str | float, Floats]:
    """`(n,)` bounds (nats) of what one changed word costs: `word`, `sense` as in the paper, and by ε_c if repaired.

    Those of `word` and `sense` are for the text at hand, as the release is: ε times the moved distances. Those of the
    repair hold for any text with these words around.

    Raises
    ------
    ValueError
        If `moves_of` would raise it.
    """
    moves = moves_of(queries, others, inventory, vectors, window=window)
    found: dict[str | float, Floats] = {
        "word": word_epsilon * moves.apart,
        "sense": sense_epsilon * (moves.own + moves.neighbours),
    }
    rows = zip(inventory.rows_of(query.token for query in queries), inventory.rows_of(others), strict=True)
    around = []
    for query in queries:
        start = max(0, query.index - window)
        tokens = [*query.tokens[start : query.index], *query.tokens[query.index + 1 : query.index + window + 1]]
        around.append([int(row) for row in inventory.rows_of(tokens) if row >= 0])
    changed = list(zip(rows, around, strict=True))
    for budget in budgets:
        losses = [
            changed_word_loss(inventory, int(row), int(other), near, epsilon=sense_epsilon, choice=budget)
            for (row, other), near in changed
        ]
        found[budget] = np.array(losses)
    return found
