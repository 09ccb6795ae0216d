"""*bank* in the two texts of Figure 2: which senses are chosen, and whether substitutes tell the texts apart.

Arnold, Yesilbas and Weinzierl (2023), §3, Figure 2, which shows substitutes of 500 queries in two dimensions. Here a
linear classifier is asked (`sense_geometry.separability`): what two dimensions show depends on how they are chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.studies.sense_privatization.deniability.deniability_curves import Draw
from trustnlp.studies.sense_privatization.inventory.sense_geometry import separability
from trustnlp.studies.sense_privatization.models.mechanism_arms import sense_rows
from trustnlp.studies.sense_privatization.standins import planted_contexts, planted_senses

WORD = "bank"
TEXTS = ("to walk by a river bank at sunset", "to deposit money at a bank to earn interest")


def two_contexts(vectors: WordVectors) -> tuple[Occurrence, Occurrence]:
    """The paper's two texts; for the planted vocabulary, the most evenly mixed word in a text of either topic."""
    if WORD in vectors:
        first, second = (Occurrence(tuple(tokens), tokens.index(WORD)) for tokens in map(str.split, TEXTS))
        return first, second
    rng = np.random.default_rng(0)
    planted = planted_senses(rng)
    # The word that is mixed most evenly.
    row = min(
        planted.ambiguous, key=lambda r: abs(np.subtract(*planted.centres[list(planted.topics[r])] @ vectors.unit[r]))
    )
    made = planted_contexts(planted, rng, rows=np.array([row, row]), topics=np.array(planted.topics[row]), stray=0.0)
    first, second = (context.occurrence for context in made)
    return first, second


def senses_apart(two: Sequence[Occurrence], inventory: SenseInventory, vectors: WordVectors) -> float:
    """Euclidean distance of the two senses that are chosen; 0 if they are one."""
    first, second = inventory.matrix[sense_rows(two, inventory, vectors)].astype(np.float64)
    return float(np.linalg.norm(first - second))


def described(two: Sequence[Occurrence], inventory: SenseInventory, vectors: WordVectors) -> dict[str, str]:
    """Text → the words nearest to the sense that is chosen in it, by cosine, the word itself left out."""
    chosen = sense_rows(two, inventory, vectors)
    return {
        " ".join(query.tokens): ", ".join(
            word for word, _ in vectors.nearest(inventory.matrix[sense], 6, exclude={query.token})
        )
        for query, sense in zip(two, chosen, strict=True)
    }


def told_apart(draw: Draw, rows: Tensor, space: Tensor, queries: int, rng: np.random.Generator) -> float:
    """Area under the curve at which the substitutes of the first of two `rows` are told from those of the second.

    Parameters
    ----------
    draw
        From rows of an arm's table to rows of the vocabulary.
    rows
        `(2,)` what the arm looks up in the two texts.
    space
        `(V, d)` word vectors, in which substitutes are compared.
    queries
        Of each text.
    """
    first, second = (space[draw(row.repeat(queries))].numpy() for row in rows.view(2, 1))
    return separability(first, second, rng)
