"""Which words tell a classifier the owner of a document: the layer of truth that no list holds.

A logistic regression on word counts (tf-idf, one class per owner) learns from some documents and reads the others. In a
document that it has not seen, the evidence for the true owner is the weight of each word for that owner, above its mean
weight over owners, times the word's value. The words of the strongest evidence that make up a quarter of all positive
evidence are the truth of this layer. So a word counts because it helps to tell an owner across documents. Owners with
one document have none.

The regression is fitted in the space of the documents, which gives the same weights as in that of the words.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from trustnlp.privacy.text.anonymisation.words import DocumentWords

Floats = NDArray[np.float64]
_FOLDS = 5
_STRENGTH = 100.0  # inverse of the penalty: rows have length 1
_SHARE = 0.25  # of the positive evidence of a document


def evidence_words(
    documents: Sequence[DocumentWords], owners: Sequence[str], left_out: Sequence[NDArray[np.int8]]
) -> list[NDArray[np.bool_]]:
    """Per document `(T,)`: whether a word is among those that tell its owner; marked words are not looked at."""
    keys = sorted({key for words in documents for key in words.keys})
    column = {key: number for number, key in enumerate(keys)}
    rows = [
        [column[key] for key, mark in zip(words.keys, marks, strict=True) if not mark]
        for words, marks in zip(documents, left_out, strict=True)
    ]
    table = _tf_idf(rows, len(keys))
    labels = np.array(owners)
    contributions = np.zeros(table.shape)
    for train, test in _folds(labels):
        if not len(test):
            continue
        classes, weights = _weights(table[train], labels[train])
        for place in test:
            if labels[place] in classes:
                own = weights[classes.index(labels[place])] - weights.mean(axis=0)
                contributions[place] = table[place].toarray()[0] * own
    chosen = [_strongest(row) for row in contributions]
    return [
        np.array([column[key] in telling for key in words.keys], dtype=bool) & (marks == 0)
        for words, telling, marks in zip(documents, chosen, left_out, strict=True)
    ]


def _tf_idf(rows: Sequence[Sequence[int]], columns: int) -> sparse.csr_matrix:
    counts = sparse.csr_matrix(
        (
            np.ones(sum(map(len, rows))),
            (np.repeat(np.arange(len(rows)), [len(row) for row in rows]), [column for row in rows for column in row]),
        ),
        shape=(len(rows), columns),
    )
    counts.sum_duplicates()
    spread = np.maximum(np.asarray((counts > 0).sum(axis=0))[0], 1)
    counts.data = np.log1p(counts.data)
    weighted = counts.multiply(np.log(1 + len(rows) / spread)).tocsr()
    lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1))[:, 0])
    return sparse.csr_matrix(sparse.diags(1 / np.where(lengths == 0, 1, lengths)) @ weighted)


def _folds(labels: NDArray[np.str_]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Owners with several documents spread over the folds; a document of an owner with one is in none of the tests."""
    fold_of = np.full(len(labels), -1)
    for owner, count in zip(*np.unique(labels, return_counts=True), strict=True):
        if count > 1:
            fold_of[labels == owner] = np.arange(count) % _FOLDS
    return [(np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)) for fold in range(_FOLDS)]


def _weights(table: sparse.csr_matrix, labels: NDArray[np.str_]) -> tuple[list[str], Floats]:
    """Classes and their weights `(K, V)`: fitted on the documents' inner products, then written in words."""
    values, vectors = np.linalg.eigh((table @ table.T).toarray())
    large = values > 1e-10
    turned = vectors[:, large] * np.sqrt(values[large])
    fitted = LogisticRegression(C=_STRENGTH, max_iter=1000).fit(turned, labels)
    coefficients = fitted.coef_ if len(fitted.classes_) > 2 else np.concatenate([-fitted.coef_, fitted.coef_])
    back = vectors[:, large] / np.sqrt(values[large])
    weights: Floats = (table.T @ (back @ coefficients.T)).T
    return list(fitted.classes_), weights


def _strongest(contributions: Floats) -> set[int]:
    """Columns of the largest positive contributions that make up the share."""
    order = np.argsort(-contributions)
    positive = np.maximum(contributions[order], 0)
    if not positive.any():
        return set()
    many = int(np.searchsorted(np.cumsum(positive), _SHARE * positive.sum())) + 1
    return set(order[:many].tolist())
