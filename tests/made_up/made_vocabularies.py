"""A small vocabulary and mechanisms without chance, for tests of what is around a mechanism."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from trustnlp.embeddings.static import WordVectors
from trustnlp.privacy.accounting.guarantee import Guarantee, L2Sensitivity, Relation

WORDS = ["the", "river", "bank", "stream", "money", "cash", "n't", "do", "by", "walks"]


def vocabulary(name: str = "made up") -> WordVectors:
    """Ten words at the ten unit vectors of ten dimensions: √2 apart from each other."""
    return WordVectors(WORDS, np.eye(len(WORDS)), name)


class Next:
    """Each word becomes the next one; remembers how many rows each call had."""

    def __init__(self, size: int = len(WORDS), epsilon: float = 3.0, relation: Relation = Relation.METRIC) -> None:
        self.size = size
        self.guarantee = Guarantee(epsilon, 0.0, L2Sensitivity(1.0, relation))
        self.calls: list[int] = []

    def __call__(self, rows: Tensor, *, generator: torch.Generator | None = None) -> Tensor:
        self.calls.append(len(rows))
        return (rows + 1) % self.size
