"""Who wrote a redacted document? Attackers that learn from redacted documents of known owners.

The post on polarised vectors (2016) counts words that were found; it does not ask whether a document still tells its
owner. Here an attacker has redacted documents of every owner and names the owner of others, redacted in the same way.
Several families, since the family decides the result:

bayes
    Multinomial naive Bayes on counts. It follows the sort of a document.
cosine
    Cosine with the sum of an owner's documents, words weighted by log(owners / owners who use them).
regression
    Logistic regression on tf-idf of words.
characters
    The same on character n-grams within words, which see stems and endings.
presence
    Bernoulli naive Bayes: for each word whether it is there at all.
absence
    Looks for what is missing, since it knows that words were removed. A word of the document that an owner's other
    documents lack speaks against that owner, by as many occurrences as they would have if all owners wrote alike. So a
    list of words that was removed for one owner alone is a signature of that owner.

A table of counts is enough for all of them, so a removal is a smaller table. Regressions are fitted on inner products
of documents, which gives the same answers as in the space of words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

from trustnlp.files.missing_values import is_missing

ATTACKERS = ("bayes", "cosine", "regression", "characters", "presence", "absence")
Floats = NDArray[np.float64]
_STRENGTH = 100.0
_GRAM_SIZES = (3, 4)


def count_table(rows: Sequence[Sequence[int]], columns: int) -> sparse.csr_matrix:
    """`(D, V)` how often each word, by its number, is in each document."""
    places = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    numbers = np.concatenate([np.asarray(row, dtype=np.int64) for row in rows])
    table = sparse.csr_matrix((np.ones(len(numbers)), (places, numbers)), shape=(len(rows), columns))
    table.sum_duplicates()
    return table


def named_correctly(
    table: sparse.csr_matrix, owners: Sequence[str], words: Sequence[str], attacker: str, folds: int, seed: int
) -> NDArray[np.bool_]:
    """For each document whether the attacker, who learned from the other folds, names its owner.

    Parameters
    ----------
    table
        `(D, V)` counts of the words that are left.
    owners
        Of each document. An owner with a single document is never named.
    words
        The `V` words, for character n-grams.
    attacker
        One of `ATTACKERS`.
    folds
        Documents of an owner are dealt out to so many folds.
    seed
        Of the dealing.

    Raises
    ------
    ValueError
        If sizes do not fit, a document without an owner, an unknown attacker, or fewer than two folds or owners.
    """
    if missing := [place for place, owner in enumerate(owners) if is_missing(owner)]:
        raise ValueError(f"document {missing[0]} has no owner (None, NaN or an empty string); leave it out")
    labels = np.array(owners)
    if table.shape != (len(labels), len(words)):
        raise ValueError(f"a table of {table.shape} needs as many owners and words, got {len(labels)} and {len(words)}")
    if attacker not in ATTACKERS:
        raise ValueError(f"attacker is one of {', '.join(ATTACKERS)}, got {attacker!r}")
    if folds < 2 or len(set(owners)) < 2:
        raise ValueError("an attack needs two folds and two owners at least")
    correct = np.zeros(len(labels), dtype=bool)
    kernel = None
    if attacker in ("regression", "characters"):
        kernel = _turned(_tf_idf(table @ _grams(tuple(words)) if attacker == "characters" else table))
    for train, test in deal(labels, folds, np.random.default_rng(seed)):
        if attacker in _BY_COUNTS:
            answers = _BY_COUNTS[attacker](table[train], labels[train], table[test])
        elif kernel is not None:
            answers = (
                LogisticRegression(C=_STRENGTH, max_iter=300).fit(kernel[train], labels[train]).predict(kernel[test])
            )
        else:
            model = MultinomialNB(alpha=0.1) if attacker == "bayes" else BernoulliNB(alpha=0.1)
            answers = model.fit(table[train], labels[train]).predict(table[test])
        correct[test] = answers == labels[test]
    return correct


def deal(
    labels: NDArray[np.str_], folds: int, rng: np.random.Generator
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Training and test documents of each fold; every owner's documents are spread as evenly as they can be."""
    fold_of = np.zeros(len(labels), dtype=np.int64)
    for label in np.unique(labels):
        own = rng.permutation(np.flatnonzero(labels == label))
        fold_of[own] = (np.arange(len(own)) + int(rng.integers(folds))) % folds
    for fold in range(folds):
        test = np.flatnonzero(fold_of == fold)
        if len(test):
            yield np.flatnonzero(fold_of != fold), test


def _by_owner(train: sparse.csr_matrix, labels: NDArray[np.str_]) -> tuple[NDArray[np.str_], Floats]:
    """The `K` owners, sorted, and `(K, V)` how often each uses each word."""
    known = np.unique(labels)
    member = sparse.csr_matrix((labels[None, :] == known[:, None]).astype(np.float64))
    return known, (member @ train).toarray()


def _by_cosine(train: sparse.csr_matrix, labels: NDArray[np.str_], test: sparse.csr_matrix) -> NDArray[np.str_]:
    known, counts = _by_owner(train, labels)
    of_owner = np.log1p(counts)
    weight = np.log(len(known) / np.maximum((of_owner > 0).sum(axis=0), 1))
    profile = of_owner * weight
    profile /= np.maximum(np.linalg.norm(profile, axis=1, keepdims=True), 1e-12)
    asked = test.copy()
    asked.data = np.log1p(asked.data)
    likeness = np.asarray(asked.multiply(weight[None, :]).tocsr() @ profile.T)
    answers: NDArray[np.str_] = known[likeness.argmax(axis=1)]
    return answers


def _by_absence(train: sparse.csr_matrix, labels: NDArray[np.str_], test: sparse.csr_matrix) -> NDArray[np.str_]:
    known, of_owner = _by_owner(train, labels)
    expected = of_owner.sum(axis=1, keepdims=True) * of_owner.sum(axis=0) / max(of_owner.sum(), 1)
    against = np.asarray((test > 0) @ np.where(of_owner == 0, expected, 0).T)
    answers: NDArray[np.str_] = known[against.argmin(axis=1)]
    return answers


_BY_COUNTS = {"cosine": _by_cosine, "absence": _by_absence}


def _tf_idf(table: sparse.csr_matrix) -> sparse.csr_matrix:
    spread = np.maximum(np.asarray((table > 0).sum(axis=0)).ravel(), 1)
    logged = sparse.csr_matrix(table, copy=True)
    logged.data = np.log1p(logged.data)
    weighted = sparse.csr_matrix(logged.multiply(np.log(1 + table.shape[0] / spread)[None, :]))
    lengths = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags(1 / np.where(lengths == 0, 1, lengths)) @ weighted)


def _turned(rows: sparse.csr_matrix) -> Floats:
    """`(D, D)` coordinates with the same inner products as the rows."""
    values, vectors = np.linalg.eigh((rows @ rows.T).toarray())
    turned: Floats = vectors * np.sqrt(np.maximum(values, 0))
    return turned


@lru_cache(maxsize=2)
def _grams(words: tuple[str, ...]) -> sparse.csr_matrix:
    """`(V, G)` character n-grams of each word, its bounds among them."""
    numbers: dict[str, int] = {}
    places, columns = [], []
    for row, word in enumerate(words):
        bounded = f"<{word}>"
        for size in _GRAM_SIZES:
            for at in range(len(bounded) - size + 1):
                places.append(row)
                columns.append(numbers.setdefault(bounded[at : at + size], len(numbers)))
    return sparse.csr_matrix((np.ones(len(places)), (places, columns)), shape=(len(words), len(numbers)))
