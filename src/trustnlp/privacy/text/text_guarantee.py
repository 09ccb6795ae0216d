"""The guarantee of a text that is released word by word: for one position, for the whole text, and what it leaves open.

Feyisetan et al. (2020), Theorem 1, for texts of equal length: the losses of the positions add up. The mechanism of
Arnold, Yesilbas and Weinzierl (2023), §3, releases senses, and which sense a word gets depends on its neighbours. So
nothing follows for one word alone: a changed word may change the senses of its neighbours too, and the loss is ε times
the sum of all distances by which senses moved.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from trustnlp.privacy.accounting.guarantee import Guarantee, Relation
from trustnlp.privacy.accounting.stated_guarantee import ADDS_UP, IN_EXACT_ARITHMETIC

LAYOUT = "the number of words, the case pattern of each, punctuation, signs such as $ and +, spaces, and contractions"
_UNKNOWN = {
    "mask": "which words are unknown to the vocabulary (they are masked)",
    "drop": "how many words the vocabulary knows (others are dropped)",
    "substitute": "that a word is unknown to the vocabulary, as far as a random word gives it away",
    "keep_unprotected": "every word that the vocabulary does not know, as it is",
}


@dataclass(frozen=True)
class TextGuarantee:
    """The guarantee of one released text.

    Attributes
    ----------
    position
        Of the mechanism for one position: between two words, or between two senses where `neighbours` is not 0.
    words
        n, how many words went through the mechanism. Unknown words are not among them.
    neighbours
        How many other words of a text can change which sense is released in a position; 0 for a mechanism that looks
        at one word at a time.
    unknown
        The rule for words that are not in the vocabulary, of `trustnlp.privacy.text.text_privatiser`.
    """

    position: Guarantee
    words: int
    neighbours: int
    unknown: str

    @property
    def epsilon(self) -> float:
        """n·ε. METRIC: the loss when every word (or sense) moves by one unit. LOCAL: of any two such texts."""
        return self.words * self.position.epsilon

    @property
    def one_position(self) -> str:
        """The guarantee when one word of the text is changed."""
        if not self.words:
            return "no word was substituted"
        if not self.neighbours:
            return f"{self.position}, for all pairs of words"
        return (
            f"nothing for a word alone: its sense depends on up to {self.neighbours} neighbours, and one changed word "
            f"can change as many other senses. Between two senses: {self.position}, for "
            "all pairs"
        )

    @property
    def whole_text(self) -> str:
        """The guarantee between two texts of the same layout."""
        if not self.words:
            return "no word of the text is in the vocabulary, so the release tells its layout and nothing else"
        count = "1 word" if self.words == 1 else f"{self.words:,} words"
        alike = f"two texts of one layout, with {count} known to the vocabulary in the same positions"
        delta = f", but for a probability of {self.words * self.position.delta:.3g}" if self.position.delta else ""
        if self.position.relation is Relation.LOCAL:
            what = "senses" if self.neighbours else "words"
            return f"{alike}: any release is at most exp({self.epsilon:g}) times as likely{delta}, whatever the {what}"
        apart = "the distances of their senses, position by position, each sense chosen in its own text"
        summed = apart if self.neighbours else "the distances of their words, position by position"
        return (
            f"{alike}: any release is at most exp({self.position.epsilon:g} · D) times as likely{delta}, D the sum of "
            f"{summed}; that is exp({self.epsilon:g}) when every position moves by 1"
        )

    @property
    def unprotected(self) -> str:
        """The facts of the text that the release tells without any protection."""
        return f"{LAYOUT}; {_UNKNOWN[self.unknown]}"

    def loss_bound(self, distances: Iterable[float]) -> float:
        """Largest loss (nats) between two texts of the same layout whose positions lie `distances` apart.

        Parameters
        ----------
        distances
            `n` numbers, one for each word in the metric of `position`; 0 where the two texts agree. For a sense
            mechanism they are distances of *senses*, those of the neighbours of a changed word included.

        Raises
        ------
        ValueError
            If there is not one distance for each word, or one is negative or not finite.
        """
        apart = list(distances)
        if len(apart) != self.words:
            raise ValueError(f"expected {self.words} distances, one for each word substituted, got {len(apart)}")
        if not all(distance >= 0 and math.isfinite(distance) for distance in apart):
            raise ValueError(f"distances are finite and not negative, got {apart}")
        return math.fsum(self.position.loss_bound(distance) for distance in apart if distance > 0)

    def __str__(self) -> str:
        return (
            f"One position: {self.one_position}.\nWhole text: {self.whole_text}.\n"
            f"Several releases: {ADDS_UP}.\nAll of this holds {IN_EXACT_ARITHMETIC}.\n"
            f"Not protected: {self.unprotected}."
        )
