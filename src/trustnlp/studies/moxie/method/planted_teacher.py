"""A teacher that is known exactly: a bag of words with negations and intensifiers.

What a student of it should predict is known for every word, every span and every replacement, so here one sees whether
MOXIE finds what is there. Not in the paper.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence

import torch
from torch import Tensor

from trustnlp.attribution.students.text_teacher import Teacher
from trustnlp.training.encoded_texts import as_texts

MASK = "[MASK]"
# What a word's share of the score goes through: as it is, intensified, negated, both. Twice: what is for, and against.
_KINDS = 4


class PlantedTeacher(Teacher):
    """Two labels; that of a text is 1 where its score is above 0.

    A word counts with its weight. A negation turns, and an intensifier multiplies, the next word that has a weight, if
    it comes within `reach` words. The eight coordinates of z are how much speaks for label 1, and how much against it,
    of words that are plain, intensified, negated, or both; C makes y_1 - y_0 the score.

    Parameters
    ----------
    weights
        Word → its share of the score.
    negations
        Words that turn the sign.
    intensifiers
        Word → what it multiplies with.
    bias
        The score of an empty text.

    Raises
    ------
    ValueError
        No word has a weight, or one word plays two parts.
    """

    def __init__(
        self,
        weights: Mapping[str, float],
        negations: Collection[str] = (),
        intensifiers: Mapping[str, float] | None = None,
        *,
        bias: float = 0.0,
        reach: int = 2,
    ) -> None:
        self.weights, self.negations, self.intensifiers = dict(weights), frozenset(negations), dict(intensifiers or {})
        parts = [*self.weights, *self.negations, *self.intensifiers, MASK]
        if not self.weights or len(set(parts)) < len(parts):
            raise ValueError(
                "at least one word has a weight, and none of them is also a negation, an intensifier or the mask; got "
                f"{sorted(self.weights)}, {sorted(self.negations)} and {sorted(self.intensifiers)}"
            )
        self.mask, self.reach = MASK, reach
        signs = torch.tensor([0.5] * _KINDS + [-0.5] * _KINDS)
        self.weight, self.bias = torch.stack([-signs, signs]), torch.tensor([-bias / 2, bias / 2])

    @property
    def fingerprint(self) -> str:
        known = [self.weights, sorted(self.negations), self.intensifiers, self.bias.tolist(), self.reach]
        return "planted " + hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:16]

    def representations(self, texts: Sequence[str]) -> Tensor:
        """z `(n, 8)` of texts that are cut into words at blanks."""
        return torch.tensor([self._amounts(text.split()) for text in as_texts(texts)], dtype=torch.float32)

    def score(self, text: str) -> float:
        """y_1 - y_0 of one text."""
        low, high = self.logits(self.representations([text]))[0]
        return float(high - low)

    def _amounts(self, words: Sequence[str]) -> list[float]:
        amounts = [0.0] * (2 * _KINDS)
        turned, factor, left = False, 1.0, 0
        for word in words:
            if word in self.weights:
                share = self.weights[word] * factor * (-1 if turned else 1)
                kind = (factor != 1.0) + 2 * turned
                amounts[kind + (0 if share > 0 else _KINDS)] += abs(share)
                turned, factor, left = False, 1.0, 0
            elif word in self.negations or word in self.intensifiers:
                turned ^= word in self.negations
                factor *= self.intensifiers.get(word, 1.0)
                left = self.reach
            elif left:
                left -= 1
                if not left:
                    turned, factor = False, 1.0
        return amounts
