"""The sense mechanism with a choice that is private too, and the price of one changed word.

A repair (`trustnlp.privacy.text.private_sense_choice`) of Arnold, Yesilbas and Weinzierl (2023), §3; it is not the
paper's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.disambiguation import choose_senses
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.text.private_sense_choice import PrivateSenseChoice, changed_word_loss
from trustnlp.privacy.text.sense_moves import moves_of
from trustnlp.studies.sense_privatization.deniability import Floats, Ints
from trustnlp.studies.sense_privatization.standins import PlantedContext


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
    texts: Sequence[Sequence[str]], inventory: SenseInventory, vectors: WordVectors, budgets: Sequence[float]
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
    """
    choices = [PrivateSenseChoice(inventory, vectors, budget) for budget in budgets]
    chances, priors = [], []
    for tokens in texts:
        place = len(tokens) // 2
        [row] = inventory.rows_of([tokens[place]])
        if row < 0 or (own := inventory.senses_of(int(row))).stop - own.start < 2:
            continue
        taken = int(choose_senses(inventory, vectors, tokens)[place])
        priors.append(inventory.prior[taken])
        chances.append([choice.probabilities(tokens, place)[taken - own.start] for choice in choices])
    return dict(zip(budgets, np.mean(chances, axis=0), strict=True)), float(np.mean(priors)), len(priors)


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
    """
    moves = moves_of(queries, others, inventory, vectors)
    changed = []
    for query, row, other in zip(
        queries, inventory.rows_of(query.token for query in queries), inventory.rows_of(others), strict=True
    ):
        before = query.tokens[max(0, query.index - window) : query.index]
        around = inventory.rows_of([*before, *query.tokens[query.index + 1 : query.index + window + 1]])
        changed.append((int(row), int(other), around[around >= 0].tolist()))
    return {
        "word": word_epsilon * moves.apart,
        "sense": sense_epsilon * (moves.own + moves.neighbours),
        **{
            budget: np.array([changed_word_loss(inventory, *c, epsilon=sense_epsilon, choice=budget) for c in changed])
            for budget in budgets
        },
    }
