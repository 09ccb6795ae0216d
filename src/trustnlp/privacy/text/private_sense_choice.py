"""A choice of senses that is private too, to repair the guarantee of the sense mechanism.

Not from a paper. `trustnlp.privacy.text.sense_substitution` shows that one changed word can change the senses of its 2
w neighbours, each at a loss of ε times the distance of two senses, and that nothing bounds their number but the window.
Here the sense of a word is drawn by the exponential mechanism (McSherry and Talwar 2007) over the senses of the word:

    P[s | w, context] proportional to π(s) exp((ε_c / 4) Σⱼ cos(vⱼ, s)),

with the prior π of the senses, which is public, and the word vectors vⱼ of the 2 w places around. A place beyond the
text, or of a word without a vector, adds nothing. One changed word changes one cosine by at most 2, so each weight and
their sum by a factor of at most exp(ε_c / 2): the choice is ε_c-differentially private in each neighbour.

If then noise of parameter ε is added to the vector of the drawn sense and the nearest sense is released, a changed word
w → w′ costs at most

    ε · max ‖s − s′‖ over the senses s of w and s′ of w′
    + Σ over neighbours of min(ε_c, ε · diameter of their senses),

as a mixture over senses has no larger ratio than its worst pair of components, and the draws are independent. With
ε_c = 0 the sense is drawn from its prior, the sum is 0, and no context is used.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from trustnlp.embeddings.senses.sense_inventory import SenseInventory
from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.accounting.guarantee import Guarantee, L1Sensitivity, Relation, check_epsilon
from trustnlp.privacy.noise.randomness import source_of

_SMALLEST = 2.0**-1000
_TOKENS_AT_ONCE = 1024


class PrivateSenseChoice:
    """Draws the sense of each token of a text: (ε_c, 0) for one choice and any change of one word around it.

    Parameters
    ----------
    inventory, vectors
        Senses, and the word vectors they were made from. Both public.
    epsilon
        ε_c, in nats, for one choice. A changed word is a neighbour of up to 2 w choices.
    window
        w, so many places on each side.

    Raises
    ------
    ValueError
        If ε is not positive and finite, a window below 1, or an inventory of other words or dimensions.
    """

    def __init__(self, inventory: SenseInventory, vectors: WordVectors, epsilon: float, *, window: int = 5) -> None:
        if window < 1:
            raise ValueError(f"a window has 1 place or more on each side, got {window}")
        if inventory.matrix.shape[1] != vectors.dim or inventory.words != vectors.words:
            raise ValueError(f"the inventory is of other words than {vectors.name}; load the vectors it was made from")
        self.guarantee = Guarantee(check_epsilon(epsilon), 0.0, L1Sensitivity(2.0, Relation.LOCAL))
        self.inventory, self.vectors, self.window = inventory, vectors, window

    def __call__(self, tokens: Sequence[str | None], *, generator: torch.Generator | None = None) -> NDArray[np.int64]:
        """`(n,)` row of the sense drawn for each token, -1 for a token without a vector. As private as the text.

        Raises
        ------
        TypeError
            If `tokens` is a single string.
        """
        rows, source = self._rows(tokens), source_of(generator)
        senses = np.full(len(rows), -1, dtype=np.int64)
        known = np.flatnonzero(rows >= 0)
        for start in range(0, len(known), _TOKENS_AT_ONCE):
            at = known[start : start + _TOKENS_AT_ONCE]
            scores, sense, begins = self._scores(rows, at)
            # Gumbel noise −ln E of an exponential E = −ln(1 − u): the largest sum is drawn with the stated chance.
            uniform = source.uniform((len(scores),)).clamp_(min=_SMALLEST).numpy()
            noisy = scores - np.log(-np.log1p(-uniform))
            best = np.repeat(np.maximum.reduceat(noisy, begins), np.diff([*begins, len(noisy)]))
            senses[at] = np.minimum.reduceat(np.where(noisy == best, sense, len(self.inventory)), begins)
        return senses

    def probabilities(self, tokens: Sequence[str | None], place: int) -> NDArray[np.float64]:
        """`(k,)` the chance of each sense of the token at `place`, in the order of `SenseInventory.senses_of`.

        Raises
        ------
        ValueError
            If the token has no vector.
        """
        rows = self._rows(tokens)
        if rows[place] < 0:
            raise ValueError(f"the token at {place} has no vector in {self.vectors.name}, so it has no senses")
        scores, _, _ = self._scores(rows, np.array([place]))
        weights: NDArray[np.float64] = np.exp(scores - scores.max())
        weights /= weights.sum()
        return weights

    def _rows(self, tokens: Sequence[str | None]) -> NDArray[np.int64]:
        if isinstance(tokens, str):
            raise TypeError(f"a text is a list of words, got the single string {tokens[:40]!r}; split it first")
        return self.inventory.rows_of(tokens)

    def _scores(
        self, rows: NDArray[np.int64], at: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
        """Logarithms of the weights of all senses of the tokens `at`, these senses, and where each token's begin."""
        context = np.pad(rows, self.window, constant_values=-1)
        around = np.delete(np.arange(2 * self.window + 1), self.window)
        total = np.zeros((len(at), self.vectors.dim))
        for place in around:
            other = context[at + place]
            total[other >= 0] += self.vectors.unit[other[other >= 0]]
        first, after = self.inventory.starts[rows[at]], self.inventory.starts[rows[at] + 1]
        count = after - first
        begins = np.cumsum(count) - count
        token = np.repeat(np.arange(len(at)), count)
        sense = np.arange(len(token)) - np.repeat(begins - first, count)
        cosines = np.einsum("pd,pd->p", total[token], self.inventory.matrix[sense]) / self.inventory.lengths[sense]
        return np.log(self.inventory.prior[sense]) + self.guarantee.epsilon / 4 * cosines, sense, begins


def changed_word_loss(
    inventory: SenseInventory, row: int, other: int, neighbours: Sequence[int], *, epsilon: float, choice: float
) -> float:
    """Largest loss (nats) of a whole text when one of its words is changed, whatever the rest of the text.

    Parameters
    ----------
    row, other
        Rows of the word and of the one it is changed to.
    neighbours
        Rows of the words at most w places away, at most 2 w.
    epsilon
        Of the noise, per unit of distance.
    choice
        ε_c of the choice of a sense.

    A change between a word with a vector and one without is not among those bounded: the one is released with noise,
    the other by the rule for unknown words, and the loss is infinite.

    Raises
    ------
    ValueError
        If given a row that no word has, or an ε that is not positive and finite.
    """
    check_epsilon(epsilon)
    check_epsilon(choice)

    def senses(word: int) -> NDArray[np.float64]:
        return inventory.matrix[inventory.senses_of(word)].astype(np.float64)

    spread = (float(_distances(senses(word), senses(word)).max()) for word in neighbours)
    moved = epsilon * _distances(senses(row), senses(other)).max()
    return float(moved + sum(min(choice, epsilon * diameter) for diameter in spread))


def _distances(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    distances: NDArray[np.float64] = np.linalg.norm(left[:, None] - right[None], axis=2)
    return distances
