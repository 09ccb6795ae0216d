"""How far apart a word's senses lie, and whether two sets of substitutes can be told apart.

Arnold, Yesilbas and Weinzierl (2023), §3: Figure 1 (read as: the mean distance between the sense vectors of one word,
over words with the same number of senses, against that of two words) and Figure 2 (the substitutes of *bank*).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from trustnlp.embeddings.senses.sense_inventory import SenseInventory

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
        Fewer than two rows, or no pair.
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
        No group has enough words.
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
        Fewer than four vectors in a set.
    """
    sets = [np.asarray(each, dtype=np.float64) for each in (first, second)]
    if min(map(len, sets)) < 4:
        raise ValueError(f"needs four vectors of either set, got {len(sets[0])} and {len(sets[1])}")
    vectors, labels = np.concatenate(sets), np.repeat([0, 1], [len(sets[0]), len(sets[1])])
    halves = np.concatenate([rng.permutation(len(each)) % 2 for each in sets]) == 0
    model = LogisticRegression(max_iter=1000).fit(vectors[halves], labels[halves])
    return float(roc_auc_score(labels[~halves], model.decision_function(vectors[~halves])))
