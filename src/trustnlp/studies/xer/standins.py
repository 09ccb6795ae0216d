"""Scores for records without dedupe: a logistic regression on how alike the fields of two records are.

It stands in for dedupe where that is not installed (it needs a C compiler), so that a smoke run on planted records goes
the whole way from records to clusters. No result of the book rests on its scores. Same seed, same scores.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.linear_model import LogisticRegression

from trustnlp.graphs.pair_graph import Floats64
from trustnlp.studies.xer.data import Bools, Cells, Pair, entities_of, plain_cells, record_pairs, training_pairs
from trustnlp.studies.xer.models import Linker

_COMMON = 20
"""A word that so many records hold in one field brings no two of them together."""


def train_similarity_linker(
    records: pd.DataFrame, gold: ArrayLike, train: Bools, fields: Mapping[str, str], seed: int, *, n_pairs: int
) -> Linker:
    """Fit the classifier to pairs of the training half; parameters are those of `train_linker`."""
    label = entities_of(gold)[train]
    cells = plain_cells(records[train], fields)
    matches, others = training_pairs(label, cells, n_pairs, np.random.default_rng(seed))
    likeness = _likeness(record_pairs(cells, np.concatenate([matches, others])))
    model = LogisticRegression(C=10.0, max_iter=1_000).fit(likeness, np.arange(len(likeness)) < len(matches))
    return Linker(model, tuple(fields), _share_a_word, _probability)


def _share_a_word(model: LogisticRegression, cells: list[Cells]) -> Iterator[tuple[int, int]]:
    """Pairs of records that share a word in one field, each once."""
    holders: dict[tuple[str, str], list[int]] = defaultdict(list)
    for position, record in enumerate(cells):
        for field, cell in record.items():
            for word in set((cell or "").split()):
                holders[field, word].append(position)
    shared = (combinations(positions, 2) for positions in holders.values() if len(positions) < _COMMON)
    return iter({pair for pairs in shared for pair in pairs})


def _probability(model: LogisticRegression, pairs: list[Pair]) -> Floats64:
    return np.asarray(model.predict_proba(_likeness(pairs))[:, 1])


def _likeness(pairs: list[Pair]) -> Floats64:
    """For each field, the share of runs of three letters that both have, and whether one of the cells is empty."""
    rows = [[value for field in left for value in _alike(left[field], right[field])] for left, right in pairs]
    return np.array(rows, dtype=np.float64)


def _alike(left: str | None, right: str | None) -> tuple[float, float]:
    if left is None or right is None:
        return 0.0, 1.0
    runs, others = ({f"  {cell} "[at : at + 3] for at in range(len(cell) + 1)} for cell in (left, right))
    return len(runs & others) / len(runs | others), 0.0
