"""How far apart a word's senses lie, and whether substitutes of *bank* tell its two texts apart.

Arnold, Yesilbas and Weinzierl (2023), §3: Figure 1 (read as: the mean distance between the sense vectors of one word,
over words with the same number of senses, against that of two words) and Figure 2, which shows substitutes of 500
queries in two dimensions. Here a linear classifier is asked: what two dimensions show depends on how they are chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from trustnlp.data.words.words_in_context import Occurrence
from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.evaluation.intervals import t_interval
from trustnlp.studies.sense_privatization.deniability import Estimate, Floats, bootstrapped
from trustnlp.studies.sense_privatization.models import rows_for
from trustnlp.studies.sense_privatization.standins import planted_contexts, planted_senses

WORD = "bank"
TEXTS = ("to walk by a river bank at sunset", "to deposit money at a bank to earn interest")
# Fewer words with the same number of senses make no point of Figure 1.
LEAST_WORDS = 20


def figure_1(between: Floats, within: Mapping[int, Floats]) -> dict[str, Estimate]:
    """Mean distances: `between` two words, `sensesN` of a word's senses, `margin` of the nearest group of them."""
    groups = {senses: values for senses, values in within.items() if len(values) >= LEAST_WORDS}
    nearest = max(groups.values(), key=np.mean)
    distances = {"between": (between.mean(), t_interval(between)), "margin": bootstrapped(between.mean() - nearest)}
    return distances | {f"senses{senses}": bootstrapped(values) for senses, values in groups.items()}


def sense_distances(inventory: SenseInventory) -> dict[int, Floats]:
    """By number of senses, two or more: each such word's mean Euclidean distance between two of its senses."""
    counts, starts = np.diff(inventory.starts), inventory.starts[:-1]
    distances = {}
    for senses in np.unique(counts[counts > 1]).tolist():
        # (words, senses, d)
        vectors = inventory.matrix[starts[counts == senses, None] + np.arange(senses)].astype(np.float64)
        one, other = np.triu_indices(senses, k=1)
        distances[senses] = np.linalg.norm(vectors[:, one] - vectors[:, other], axis=2).mean(axis=1)
    return distances


def random_distances(matrix: ArrayLike, pairs: int, rng: np.random.Generator) -> Floats:
    """`(pairs,)` Euclidean distances of two different rows drawn at random."""
    rows = np.asarray(matrix)
    first = rng.integers(0, len(rows), pairs)
    second = (first + rng.integers(1, len(rows), pairs)) % len(rows)
    distances: Floats = np.linalg.norm(rows[first].astype(np.float64) - rows[second], axis=1)
    return distances


def two_contexts(vectors: WordVectors) -> tuple[Occurrence, Occurrence]:
    """The paper's two texts; for the planted vocabulary, the most evenly mixed word in a text of either topic."""
    if WORD in vectors:
        first, second = (Occurrence(tuple(tokens), tokens.index(WORD)) for tokens in map(str.split, TEXTS))
        return first, second
    rng = np.random.default_rng(0)
    planted = planted_senses(rng)
    row = min(
        planted.ambiguous, key=lambda r: abs(np.subtract(*planted.centres[list(planted.topics[r])] @ vectors.unit[r]))
    )
    texts = planted_contexts(planted, rng, rows=np.array([row, row]), topics=np.array(planted.topics[row]), stray=0.0)
    first, second = (context.occurrence for context in texts)
    return first, second


def senses_apart(two: Sequence[Occurrence], inventory: SenseInventory, vectors: WordVectors) -> float:
    """Euclidean distance of the two senses that are chosen; 0 if they are one."""
    first, second = inventory.matrix[rows_for("sense", two, inventory, vectors)].astype(np.float64)
    return float(np.linalg.norm(first - second))


def described(two: Sequence[Occurrence], inventory: SenseInventory, vectors: WordVectors) -> dict[str, str]:
    """Text → the words nearest to the sense that is chosen in it, by cosine, the word itself left out."""
    chosen = rows_for("sense", two, inventory, vectors)
    return {
        " ".join(query.tokens): ", ".join(
            word for word, _ in vectors.nearest(inventory.matrix[sense], 6, exclude={query.token})
        )
        for query, sense in zip(two, chosen, strict=True)
    }


def separability(first: ArrayLike, second: ArrayLike, rng: np.random.Generator) -> float:
    """Area under the curve at which a linear classifier, fitted to half of the vectors, tells the other half apart.

    One half: not at all. `(n, d)` each, n at least 4.
    """
    sets = [np.asarray(each, dtype=np.float64) for each in (first, second)]
    vectors, labels = np.concatenate(sets), np.repeat([0, 1], [len(each) for each in sets])
    halves = np.concatenate([rng.permutation(len(each)) % 2 for each in sets]) == 0
    model = LogisticRegression(max_iter=1000).fit(vectors[halves], labels[halves])
    return float(roc_auc_score(labels[~halves], model.decision_function(vectors[~halves])))
