"""Records to link: which fields are compared, halves without a common entity, and pairs to train on.

Vadrevu et al. (2021, Table 2) start from stored pair scores, made on records that the classifier had been trained on.
Here the entities of the two halves are disjoint. Training pairs come from the gold clusters: matches, chance pairs and
near misses, as a classifier that saw chance pairs alone joins whatever blocking lets through.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.feature_extraction.text import TfidfVectorizer

from trustnlp.data.linkage.record_sets import RecordSet, planted_records, read_records
from trustnlp.graphs.pair_graph import Ints

Bools = NDArray[np.bool_]
Cells = dict[str, str | None]
Pair = tuple[Cells, Cells]
FIELDS: dict[str, dict[str, str]] = {
    "early_childhood_sites": {"Site name": "String", "Address": "String", "Zip": "Exact", "Phone": "String"},
    "restaurants": {"name": "String", "phone_number": "String"},
    "dblp_acm": {"title": "String", "authors": "String", "venue": "String", "year": "Exact"},
    "cora": {"author": "String", "title": "String", "venue": "String", "year": "String", "pages": "String"},
    "planted": {"name": "String", "address": "String", "phone": "String"},
}
"""For each set of `read_records`, and `planted_records`, the fields compared and dedupe's type of variable."""
_ROWS_AT_ONCE = 500
NEIGHBOURS = 5
"""Records of other entities that a record has near misses with."""


def raw_records(name: str, rng: np.random.Generator) -> RecordSet:
    """A raw record set; `planted` makes one. Of restaurants, those with a telephone number: the rest name none."""
    if name == "planted":
        return planted_records(60, rng)
    data = read_records(name)
    if name != "restaurants":
        return data
    named = data.records["phone_number"].notna()
    return RecordSet(data.records[named], data.gold[named], data.sources[named])


def entities_of(gold: ArrayLike) -> Ints:
    """Gold labels as numbers from 0, in the order in which they appear."""
    label: Ints = pd.factorize(np.asarray(gold))[0].astype(np.int64)
    return label


def split_entities(gold: ArrayLike, rng: np.random.Generator) -> tuple[Bools, Bools]:
    """Masks `(n,)` of the records to train on and of those to test on; no entity is on both sides.

    Half of the entities are drawn for training, whatever their sizes, so records and pairs may not come in halves.
    """
    label = entities_of(gold)
    n_entities = int(label.max()) + 1
    train = np.isin(label, rng.permutation(n_entities)[: round(n_entities / 2)])
    return train, ~train


def plain_cells(records: pd.DataFrame, fields: Iterable[str]) -> list[Cells]:
    """The fields of each record, in lower case and trimmed, None where there is nothing."""
    columns = [[_plain(cell) for cell in records[field]] for field in fields]
    return [dict(zip(fields, cells, strict=True)) for cells in zip(*columns, strict=True)]


def _plain(cell: object) -> str | None:
    """Lower case, one blank between words, no quotes around; None for what is missing or empty."""
    return (" ".join(cell.lower().split()).strip("\"' ") or None) if isinstance(cell, str) else None


def record_pairs(cells: list[Cells], pairs: Ints) -> list[Pair]:
    """The records at each pair of positions."""
    return [(cells[left], cells[right]) for left, right in pairs.tolist()]


def training_pairs(label: Ints, cells: list[Cells], n: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Positions of `n` true pairs, or all there are if fewer, and of `n` false ones, half of them near misses."""
    matches = draw_matches(label, n, rng)
    texts = [" ".join(cell or "" for cell in record.values()) for record in cells]
    return matches, draw_non_matches(label, texts, n, 0.5, rng)


def draw_matches(label: Ints, n: int, rng: np.random.Generator) -> Ints:
    """`(k, 2)` positions of `n` pairs with one label, or of all there are if fewer; each pair is as likely.

    An entity of many records has many pairs: the largest make up most of them.
    """
    order = np.argsort(label, kind="stable")
    entities = np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
    every = np.concatenate([members[np.stack(np.triu_indices(len(members), 1), axis=1)] for members in entities])
    drawn: Ints = every[rng.permutation(len(every))[:n]]
    return drawn


def draw_non_matches(label: Ints, texts: Sequence[str], n: int, near_share: float, rng: np.random.Generator) -> Ints:
    """`(n, 2)` positions of pairs with two labels, a share of them near misses, none twice.

    Near misses are drawn from the pairs of a record and one of the `NEIGHBOURS` records of other entities whose texts
    are most like its own (cosine of TF-IDF over runs of three letters within words, above 0); the rest are chance
    pairs. Where the near misses run out, chance pairs take their place.

    Raises
    ------
    ValueError
        If there are fewer than `n` pairs with two labels.
    """
    total = len(label)
    sizes = np.unique(label, return_counts=True)[1]
    available = (total * total - int((sizes**2).sum())) // 2
    if n > available:
        raise ValueError(f"{n} pairs of different entities were asked for, the records hold {available}")
    near = _near_misses(label, texts)
    taken = dict.fromkeys(near[rng.permutation(len(near))[: round(near_share * n)]].tolist())
    while len(taken) < n:
        one, other = rng.integers(total, size=2).tolist()
        if label[one] != label[other]:
            taken[min(one, other) * total + max(one, other)] = None
    codes = np.array(list(taken), dtype=np.int64)
    return np.stack([codes // total, codes % total], axis=1)


def _near_misses(label: Ints, texts: Sequence[str]) -> Ints:
    """Pairs as `left * n + right`, sorted."""
    vectors = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3)).fit_transform(texts)
    count = min(NEIGHBOURS, len(label) - 1)
    ends = []
    for at in range(0, len(label), _ROWS_AT_ONCE):
        likeness = (vectors[at : at + _ROWS_AT_ONCE] @ vectors.T).toarray()
        likeness[label[at : at + _ROWS_AT_ONCE, None] == label] = -1
        nearest = np.argsort(-likeness, axis=1, kind="stable")[:, :count]
        rows = np.repeat(np.arange(at, at + len(likeness)), count)
        ends.append(np.stack([rows, nearest.ravel()], axis=1)[np.take_along_axis(likeness, nearest, 1).ravel() > 0])
    pairs = np.sort(np.concatenate(ends), axis=1)
    codes: Ints = np.unique(pairs[:, 0] * len(label) + pairs[:, 1])
    return codes
