"""How far apart a word's senses lie, and whether substitutes of *bank* tell its two texts apart.

Arnold, Yesilbas and Weinzierl (2023), §3: Figure 1 (read as: the mean distance between the sense vectors of one word,
over words with the same number of senses, against that of two words) and Figure 2, which shows substitutes of 500
queries in two dimensions. Here a linear classifier is asked: what two dimensions show depends on how they are chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from torch import Tensor

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.evaluation.intervals import t_interval
from trustnlp.reproduce import Record
from trustnlp.studies.sense_privatization.deniability import Draw, bootstrapped
from trustnlp.studies.sense_privatization.models import sense_rows
from trustnlp.studies.sense_privatization.standins import planted_contexts, planted_senses


def record_distances(record: Record, space: str, between: Floats, within: Mapping[int, Floats]) -> None:
    """Figure 1: `SPACE.distance.…`, `between` of two words, `sensesN` of a word's senses, `margin` of the nearest."""
    record.metric(f"{space}.distance.between", between.mean(), interval=t_interval(between), unit="distance")
    bootstrapped(record, f"{space}.distance.margin", least_margin(dict(within), between.mean()))
    for senses, values in within.items():
        if len(values) >= LEAST_WORDS:
            bootstrapped(record, f"{space}.distance.senses{senses}", values, "distance")
    record.array(f"{space}.distance.words", {str(senses): len(values) for senses, values in within.items()})


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


Floats = NDArray[np.float64]


# Fewer words with the same number of senses make no point of Figure 1.
LEAST_WORDS = 20


def sense_distances(inventory: SenseInventory) -> dict[int, Floats]:
    """By number of senses, two or more: each such word's mean Euclidean distance between two of its senses."""
    counts = np.bincount(inventory.owner, minlength=len(inventory.words))
    starts = np.concatenate([[0], counts.cumsum()[:-1]])
    found = {}
    for senses in sorted(set(counts[counts > 1].tolist())):
        first = starts[counts == senses]
        # (words, senses, d)
        vectors = inventory.matrix[first[:, None] + np.arange(senses)].astype(np.float64)
        one, other = np.triu_indices(senses, k=1)
        found[int(senses)] = np.linalg.norm(vectors[:, one] - vectors[:, other], axis=2).mean(axis=1)
    return found


def random_distances(matrix: ArrayLike, pairs: int, rng: np.random.Generator) -> Floats:
    """`(pairs,)` Euclidean distances of two different rows drawn at random.

    Raises
    ------
    ValueError
        If there are fewer than two rows, or no pair.
    """
    rows = np.asarray(matrix)
    if len(rows) < 2 or pairs < 1:
        raise ValueError(f"needs two rows and a pair, got {len(rows)} rows and {pairs} pairs")
    first = rng.integers(0, len(rows), pairs)
    second = (first + rng.integers(1, len(rows), pairs)) % len(rows)
    distances: Floats = np.linalg.norm(rows[first].astype(np.float64) - rows[second], axis=1)
    return distances


def least_margin(distances: dict[int, Floats], between: float) -> Floats:
    """`between` less the distances of the words in that group of `sense_distances` which comes nearest to it.

    Raises
    ------
    ValueError
        If no group has enough words.
    """
    groups = [values for values in distances.values() if len(values) >= LEAST_WORDS]
    if not groups:
        raise ValueError(f"no {LEAST_WORDS} words have the same number of senses, two or more")
    return between - max(groups, key=lambda values: float(values.mean()))


def separability(first: ArrayLike, second: ArrayLike, rng: np.random.Generator) -> float:
    """Area under the curve at which a linear classifier, fitted to half of the vectors, tells the other half apart.

    One half: not at all. `(n, d)` each.

    Raises
    ------
    ValueError
        If there are fewer than four vectors in a set.
    """
    sets = [np.asarray(each, dtype=np.float64) for each in (first, second)]
    if min(map(len, sets)) < 4:
        raise ValueError(f"needs four vectors of either set, got {len(sets[0])} and {len(sets[1])}")
    vectors, labels = np.concatenate(sets), np.repeat([0, 1], [len(sets[0]), len(sets[1])])
    halves = np.concatenate([rng.permutation(len(each)) % 2 for each in sets]) == 0
    model = LogisticRegression(max_iter=1000).fit(vectors[halves], labels[halves])
    return float(roc_auc_score(labels[~halves], model.decision_function(vectors[~halves])))
