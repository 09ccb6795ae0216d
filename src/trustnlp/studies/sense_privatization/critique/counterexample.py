"""A text of two words in which the mechanism with senses breaks equation (1), with all probabilities known.

Arnold, Yesilbas and Weinzierl (2023), §2.1 and §3. Words lie on a line. *left* and *right* are next to each other, on
either side of zero, and *bank* has a sense on either side. The mean of the context is the vector of the one other
word, so *left* or *right* chooses the sense of *bank*, and the released word beside them is drawn from another place.
On a line noise of density ∝ exp(−ε|z|) is Laplace noise, and the chance of a released word is a difference of its
distribution function at the borders of the word's cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from trustnlp.embeddings.senses.disambiguation import choose_senses
from trustnlp.embeddings.senses.sense_inventory import SenseInventory, hash_of
from trustnlp.embeddings.static import WordVectors

Floats = NDArray[np.float64]
WORDS = ("left", "right", "bank", "shore", "loan")
APART = 0.001


class Broken(NamedTuple):
    """Attributes
    ----------
    promised
        ε times the distance of the two words: the most, in nats, by equation (1).
    reached
        Largest logarithm of a ratio of the probabilities of one released text, in nats.
    """

    promised: float
    reached: float


def line_of_words() -> tuple[WordVectors, SenseInventory]:
    """*left* and *right* `APART`; *bank* at −1 and 1 by its senses; *shore* at −2, *loan* at 2."""
    vectors = WordVectors(list(WORDS), np.array([[-APART / 2], [APART / 2], [0.1], [-2], [2]], np.float32), "a line")
    matrix = np.array([[-APART / 2], [APART / 2], [-1], [1], [-2], [2]], np.float32)
    owner, prior = np.array([0, 1, 2, 2, 3, 4]), np.array([1, 1, 0.5, 0.5, 1, 1])
    return vectors, SenseInventory(tuple(WORDS), owner, matrix, prior, 0, hash_of(vectors))


def released_words(inventory: SenseInventory, sense: int, epsilon: float) -> Floats:
    """`(V,)` the chance of each word when a sense on a line is released."""
    points = inventory.matrix[:, 0].astype(np.float64)
    order = np.argsort(points)
    borders = np.concatenate([[-np.inf], (points[order][1:] + points[order][:-1]) / 2, [np.inf]])
    noise = stats.laplace(points[sense], 1 / epsilon)
    # From the nearer end: a difference of two numbers near 1 would lose the digits of a small chance.
    below, above = np.diff(noise.cdf(borders)), -np.diff(noise.sf(borders))
    chances = np.where(borders[1:] <= points[sense], below, above)
    found = np.zeros(len(inventory.words))
    np.add.at(found, inventory.owner[order], chances)
    return found


def broken_guarantee(epsilon: float) -> Broken:
    """*left bank* against *right bank*: what equation (1) allows, and the worst of all released texts."""
    vectors, inventory = line_of_words()
    before, after = (choose_senses(inventory, vectors, [word, "bank"]).tolist() for word in ("left", "right"))
    ratios = [
        np.log(released_words(inventory, one, epsilon) / released_words(inventory, other, epsilon))
        for one, other in zip(before, after, strict=True)
    ]
    # Places are drawn independently: the worst text has the worst word in each, all in one direction.
    reached = max(sum(ratio.max() for ratio in ratios), -sum(ratio.min() for ratio in ratios))
    return Broken(epsilon * APART, float(reached))
